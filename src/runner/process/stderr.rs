//! Reading the agent's stderr into the inbox.

use crate::framing::Framer;
use crate::runner::inbox::Inbox;
use crate::runner::limits;
use std::sync::Arc;
use tokio::io::AsyncReadExt;
use tokio::process::ChildStderr;

/// Reads until the end.
pub(super) async fn read(mut pipe: ChildStderr, inbox: Arc<Inbox>) {
    let mut framer = Framer::new(limits::STDERR_LINE);
    let mut buffer = vec![0; 16 << 10];
    let mut put = |line| inbox.stderr(line);
    while let Ok(length @ 1..) = pipe.read(&mut buffer).await {
        framer.push(&buffer[..length], &mut put);
    }
    framer.finish(&mut put);
}

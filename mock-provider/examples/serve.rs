//! Serves a model script (JSON) until killed: `serve SCRIPT.json`. Prints the base URL, then the journal.

use mock_provider::Script;
use mock_provider::server::{Server, ServerOptions};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: serve SCRIPT.json")?;
    let script = Script::from_value(serde_json::from_slice(&std::fs::read(path)?)?)?;
    if let Some(problem) = script.check().into_iter().next() {
        return Err(problem.into());
    }
    let options = ServerOptions {
        open_gates: true,
        ..ServerOptions::default()
    };
    let (server, mut journal) = Server::start(([127, 0, 0, 1], 0).into(), script, options)?;
    println!("{}", server.url());
    while let Some(entry) = journal.recv().await {
        eprintln!("{:?}", entry.event);
    }
    Ok(())
}

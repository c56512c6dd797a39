//! The socket of a connection: each chunk of a body is a separate write.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// A socket that splits the vectored writes of hyper at the ends of chunks. hyper collects chunks while the body has more, and flushing
/// each one with a task switch would cost as much as the write.
pub(super) struct ChunkedSocket<T>(T);

/// What hyper writes after the data of a chunk.
const CHUNK_END: &[u8] = b"\r\n";

impl ChunkedSocket<TokioIo<TcpStream>> {
    pub(super) fn new(stream: TcpStream) -> Self {
        ChunkedSocket(TokioIo::new(stream))
    }
}

impl<T: Read + Unpin> Read for ChunkedSocket<T> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl<T: Write + Unpin> Write for ChunkedSocket<T> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn is_write_vectored(&self) -> bool {
        self.0.is_write_vectored()
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let mut written = 0;
        for chunk in slices.split_inclusive(|slice| **slice == *CHUNK_END) {
            match Pin::new(&mut self.0).poll_write_vectored(cx, chunk) {
                Poll::Ready(Ok(length)) => {
                    written += length;
                    if length < chunk.iter().map(|slice| slice.len()).sum() {
                        break;
                    }
                }
                // The next call reports it again.
                _ if written > 0 => break,
                other => return other,
            }
        }
        Poll::Ready(Ok(written))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::task::Waker;

    /// A socket that has room for this many bytes.
    struct Socket {
        room: usize,
        writes: Vec<String>,
    }

    impl Write for Socket {
        fn poll_write(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
            bytes: &[u8],
        ) -> Poll<io::Result<usize>> {
            let length = bytes.len().min(self.room);
            if length == 0 {
                return Poll::Pending;
            }
            self.room -= length;
            self.writes
                .push(String::from_utf8_lossy(&bytes[..length]).into_owned());
            Poll::Ready(Ok(length))
        }

        fn poll_write_vectored(
            self: Pin<&mut Self>,
            cx: &mut Context<'_>,
            slices: &[IoSlice<'_>],
        ) -> Poll<io::Result<usize>> {
            let bytes: Vec<u8> = slices.iter().flat_map(|slice| slice.to_vec()).collect();
            self.poll_write(cx, &bytes)
        }

        fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }

        fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
            Poll::Ready(Ok(()))
        }
    }

    const SLICES: [&str; 8] = [
        "head",
        "5\r\n",
        "hello",
        "\r\n",
        "2\r\n",
        "ok",
        "\r\n",
        "0\r\n\r\n",
    ];

    /// The result of writing the slices to a socket with this room, and the writes.
    fn written(room: usize) -> (Poll<io::Result<usize>>, Vec<String>) {
        let writes = Vec::new();
        let mut socket = ChunkedSocket(Socket { room, writes });
        let slices = SLICES.map(|slice| IoSlice::new(slice.as_bytes()));
        let mut context = Context::from_waker(Waker::noop());
        let result = Pin::new(&mut socket).poll_write_vectored(&mut context, &slices);
        (result, socket.0.writes)
    }

    #[test]
    fn each_chunk_is_a_separate_write() {
        let (result, writes) = written(100);
        assert!(matches!(result, Poll::Ready(Ok(26))), "{result:?}");
        assert_eq!(writes, ["head5\r\nhello\r\n", "2\r\nok\r\n", "0\r\n\r\n"]);
    }

    #[test]
    fn a_full_socket_reports_what_it_has_taken() {
        for (room, taken) in [(14, 14), (16, 16)] {
            let (result, _) = written(room);
            assert!(
                matches!(result, Poll::Ready(Ok(length)) if length == taken),
                "{result:?}"
            );
        }
        assert!(written(0).0.is_pending());
    }
}

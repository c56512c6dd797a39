//! The socket of a connection: each chunk of a body is a separate write.

use std::io::{self, IoSlice};
use std::os::fd::AsFd;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use tokio::io::Interest;
use tokio::net::TcpStream;

/// A socket that splits the vectored writes of hyper at the ends of chunks. hyper collects chunks while the body has more, and flushing
/// each one with a task switch would cost as much as the write.
pub(super) struct ChunkedSocket(TokioIo<TcpStream>);

/// What hyper writes after the data of a chunk.
const CHUNK_END: &[u8] = b"\r\n";

impl ChunkedSocket {
    pub(super) fn new(stream: TcpStream) -> Self {
        ChunkedSocket(TokioIo::new(stream))
    }
}

impl Read for ChunkedSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(cx, buffer)
    }
}

impl Write for ChunkedSocket {
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
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let stream = self.0.inner();
        loop {
            ready!(stream.poll_write_ready(cx))?;
            match stream.try_io(Interest::WRITABLE, || write_chunks(stream, slices)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => return Poll::Ready(written),
            }
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

/// Writes chunks, each in a write of its own, by one system call. Returns the number of bytes that the socket has taken.
#[cfg(target_os = "linux")]
fn write_chunks(socket: impl AsFd, slices: &[IoSlice<'_>]) -> io::Result<usize> {
    use rustix::net::{MMsgHdr, SendAncillaryBuffer, SendFlags, sendmmsg};
    let mut chunks: Vec<_> = chunks(slices)
        .map(|chunk| (chunk, SendAncillaryBuffer::default()))
        .collect();
    let messages = chunks.iter_mut();
    let mut messages: Vec<_> = messages
        .map(|(chunk, control)| MMsgHdr::new(chunk, control))
        .collect();
    let written = sendmmsg(socket, &mut messages, SendFlags::NOSIGNAL)?;
    Ok(messages[..written].iter().map(MMsgHdr::bytes_sent).sum())
}

/// Writes the first chunk: hyper calls again for the others.
#[cfg(not(target_os = "linux"))]
fn write_chunks(socket: impl AsFd, slices: &[IoSlice<'_>]) -> io::Result<usize> {
    Ok(rustix::io::writev(
        socket,
        chunks(slices).next().unwrap_or_default(),
    )?)
}

/// The slices of each chunk. The head of the response belongs to the first one.
fn chunks<'s, 'b>(slices: &'s [IoSlice<'b>]) -> impl Iterator<Item = &'s [IoSlice<'b>]> {
    slices.split_inclusive(|slice| **slice == *CHUNK_END)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;
    use std::os::unix::net::{UnixDatagram, UnixStream};

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

    fn write_slices(socket: impl AsFd) -> io::Result<usize> {
        write_chunks(socket, &SLICES.map(|slice| IoSlice::new(slice.as_bytes())))
    }

    #[test]
    fn each_chunk_is_a_separate_write() {
        // A datagram has the bytes of one write.
        let (socket, client) = UnixDatagram::pair().unwrap();
        assert_eq!(write_slices(&socket).unwrap(), 26);
        for chunk in ["head5\r\nhello\r\n", "2\r\nok\r\n", "0\r\n\r\n"] {
            let mut buffer = [0; 100];
            let length = client.recv(&mut buffer).unwrap();
            assert_eq!(String::from_utf8_lossy(&buffer[..length]), chunk);
        }
    }

    #[test]
    fn a_full_socket_reports_what_it_has_taken() {
        let (socket, mut client) = UnixStream::pair().unwrap();
        socket.set_nonblocking(true).unwrap();
        let mut sent = 0;
        let full = loop {
            match write_slices(&socket) {
                Ok(written) => sent += written,
                Err(error) => break error,
            }
        };
        assert_eq!(full.kind(), io::ErrorKind::WouldBlock);
        drop(socket);
        let mut received = Vec::new();
        client.read_to_end(&mut received).unwrap();
        assert_eq!(received.len(), sent);
    }
}

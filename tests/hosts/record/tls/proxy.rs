//! A proxy that opens one tunnel, wherever it is asked to.

use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

pub(super) struct Proxy {
    pub(super) port: u16,
    requests: Receiver<String>,
}

impl Proxy {
    /// A proxy whose tunnel leads to this port.
    pub(super) fn start(to: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (asked, requests) = channel();
        std::thread::spawn(move || {
            let (client, _) = listener.accept().unwrap();
            let mut lines = BufReader::new(client.try_clone().unwrap()).lines();
            asked.send(lines.next().unwrap().unwrap()).unwrap();
            while lines.next().is_some_and(|line| !line.unwrap().is_empty()) {}
            (&client).write_all(b"HTTP/1.1 200 OK\r\n\r\n").unwrap();
            let server = TcpStream::connect(("127.0.0.1", to)).unwrap();
            std::thread::scope(|scope| {
                scope.spawn(|| pass_on(&client, &server));
                scope.spawn(|| pass_on(&server, &client));
            });
        });
        Proxy { port, requests }
    }

    /// The first line that it was sent.
    pub(super) fn request(&self) -> String {
        self.requests.recv_timeout(Duration::from_secs(60)).unwrap()
    }
}

fn pass_on(mut from: &TcpStream, mut to: &TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}

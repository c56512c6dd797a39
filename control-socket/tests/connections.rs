//! Clients of a controlled process: good ones, garbage, several at once, and one that goes away in the middle.

use control_socket::{
    Client, ClientError, Command, ControlAddress, ControlServer, Incoming, registered,
};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use tokio::sync::mpsc::UnboundedReceiver;

/// Answers every command with its own text, except a release, which is refused.
fn answer(mut commands: UnboundedReceiver<Incoming>) {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .build()
        .unwrap();
    std::thread::spawn(move || {
        while let Some(Incoming { command, reply }) = commands.blocking_recv() {
            let outcome = match command {
                Command::Release { gate } => Err(format!("there is no gate `{gate}`")),
                other => Ok(json!(format!("{other:?}"))),
            };
            runtime.block_on(reply.with(async { outcome }));
        }
    });
}

fn start(folder: &Path, scheme: &str) -> ControlServer {
    let address = ControlAddress::parse(&format!("{scheme}{}", folder.display()));
    let (server, commands) = ControlServer::start(&address, "agent").unwrap();
    answer(commands);
    server
}

#[test]
fn a_command_has_a_result_or_a_reason_on_both_kinds_of_socket() {
    for scheme in ["", "tcp:"] {
        let folder = tempfile::tempdir().unwrap();
        let server = start(folder.path(), scheme);
        assert_eq!(server.order, 1);
        let process = registered(folder.path()).remove(0);
        let mut client = Client::connect(&process).unwrap();
        let status = client.request(Command::Status).unwrap();
        assert_eq!(status, json!("Status"));
        let gate = "half".to_owned();
        let refused = client.request(Command::Release { gate }).unwrap_err();
        assert_eq!(refused.to_string(), "there is no gate `half`");
        assert_eq!(client.request(Command::Status).unwrap(), json!("Status"));
    }
}

#[test]
fn a_socket_and_the_file_of_a_process_are_private() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(folder.path(), "");
    let process = registered(folder.path()).remove(0);
    let socket = process.address.strip_prefix("unix:").unwrap().to_owned();
    for path in [Path::new(&socket), &folder.path().join("1.json")] {
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{}", path.display());
    }
    drop(server);
    assert!(!Path::new(&socket).exists());
    let gone = Client::connect(&process).unwrap_err();
    assert!(matches!(gone, ClientError::Gone(_)), "{gone}");
}

#[test]
fn a_port_takes_no_command_without_its_token() {
    let folder = tempfile::tempdir().unwrap();
    let _server = start(folder.path(), "tcp:");
    let process = registered(folder.path()).remove(0);
    let address = process.address.strip_prefix("tcp:").unwrap();
    for request in [r#"{"do":"status"}"#, r#"{"do":"status","token":"guess"}"#] {
        let mut stream = TcpStream::connect(address).unwrap();
        writeln!(stream, "{request}").unwrap();
        let mut lines = BufReader::new(stream).lines();
        let response: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        assert!(
            response["error"]
                .as_str()
                .unwrap()
                .contains("needs the token")
        );
        assert!(lines.next().is_none());
    }
}

#[test]
fn hostile_clients_break_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let _server = start(folder.path(), "");
    let process = registered(folder.path()).remove(0);
    let path = process.address.strip_prefix("unix:").unwrap();
    let mut garbage = UnixStream::connect(path).unwrap();
    garbage
        .write_all(b"\xff\xfe\0garbage\n[1]\n{\"do\":\"dance\"}\n\n")
        .unwrap();
    let mut lines = BufReader::new(garbage.try_clone().unwrap()).lines();
    for _ in 0..3 {
        let line = lines.next().unwrap().unwrap();
        assert!(line.contains("not a request"), "{line}");
    }
    // In the middle of a request, and without reading the response.
    UnixStream::connect(path)
        .unwrap()
        .write_all(b"{\"do\":\"sta")
        .unwrap();
    UnixStream::connect(path)
        .unwrap()
        .write_all(b"{\"do\":\"status\"}\n")
        .unwrap();
    // Two at once, while the first one is still there.
    let mut clients: Vec<_> = (0..2).map(|_| Client::connect(&process).unwrap()).collect();
    for client in clients.iter_mut().rev() {
        assert_eq!(client.request(Command::Status).unwrap(), json!("Status"));
    }
}

#[test]
fn more_connections_than_the_limit_are_refused_and_the_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let _server = start(folder.path(), "");
    let process = registered(folder.path()).remove(0);
    let mut clients: Vec<_> = (0..32)
        .map(|_| Client::connect(&process).unwrap())
        .collect();
    for client in &mut clients {
        client.request(Command::Status).unwrap();
    }
    let mut more = Client::connect(&process).unwrap();
    let refused = more.request(Command::Status).unwrap_err();
    assert!(
        !matches!(refused, ClientError::Refused(ref why) if !why.contains("connections")),
        "{refused}"
    );
    assert_eq!(
        clients[0].request(Command::Status).unwrap(),
        json!("Status")
    );
}

//! Clients of a controlled process: good ones, garbage, several at once, and one that goes away in the middle.

use control_socket::{
    Client, ClientError, Command, ControlAddress, ControlServer, Incoming, Registered, registered,
};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::runtime::Builder;
use tokio::sync::mpsc::UnboundedReceiver;

/// Long enough for a busy machine; only a failure waits for it.
const TIMEOUT: Duration = Duration::from_secs(60);

/// Answers every command with its own text, except that a release is refused, a wait for a gate lasts forever, and an event comes back.
fn answer(mut commands: UnboundedReceiver<Incoming>) {
    let runtime = Builder::new_current_thread().build().unwrap();
    let serving = async move {
        while let Some(Incoming { command, reply }) = commands.recv().await {
            tokio::spawn(reply.with(async {
                match command {
                    Command::WaitGate { .. } => std::future::pending().await,
                    Command::Release { gate } => Err(format!("there is no gate `{gate}`")),
                    Command::Send { frame } => Ok(frame),
                    other => Ok(json!(format!("{other:?}"))),
                }
            }));
        }
    };
    std::thread::spawn(move || runtime.block_on(serving));
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
    garbage
        .write_all(
            b"{\"do\":{\"release\":{\"gaet\":\"half\"}}}\n{\"do\":\"status\",\"more\":1}\n{}\n",
        )
        .unwrap();
    let mut lines = BufReader::new(garbage.try_clone().unwrap()).lines();
    for _ in 0..6 {
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

/// The path of a socket.
fn path_of(process: &Registered) -> &str {
    process.address.strip_prefix("unix:").unwrap()
}

/// Sends commands over new connections until one is carried out, which needs a free place.
fn until_there_is_a_place(process: &Registered) {
    let refused = |refused: &ClientError| match refused {
        ClientError::Refused(why) => why.contains("connections"),
        // The connection was closed before the request was written.
        ClientError::Gone(_) => true,
    };
    let end = Instant::now() + TIMEOUT;
    loop {
        match Client::connect(process).unwrap().request(Command::Status) {
            Ok(status) => return assert_eq!(status, json!("Status")),
            Err(error) => assert!(refused(&error) && Instant::now() < end, "{error}"),
        }
    }
}

#[test]
fn of_two_hundred_connections_those_over_the_limit_are_refused_and_the_others_go_on() {
    for scheme in ["", "tcp:"] {
        let folder = tempfile::tempdir().unwrap();
        let _server = start(folder.path(), scheme);
        let process = registered(folder.path()).remove(0);
        let mut clients: Vec<_> = (0..200)
            .map(|_| Client::connect(&process).unwrap())
            .collect();
        let answers: Vec<_> = clients
            .iter_mut()
            .map(|client| client.request(Command::Status).is_ok())
            .collect();
        assert_eq!(answers.iter().filter(|answered| **answered).count(), 128);
        let first = answers.iter().position(|answered| *answered).unwrap();
        assert_eq!(
            clients[first].request(Command::Status).unwrap(),
            json!("Status")
        );
        drop(clients);
        until_there_is_a_place(&process);
    }
}

#[test]
fn clients_that_go_away_in_the_middle_of_a_wait_leave_their_places() {
    for scheme in ["", "tcp:"] {
        let folder = tempfile::tempdir().unwrap();
        let _server = start(folder.path(), scheme);
        let process = registered(folder.path()).remove(0);
        let wait = json!({ "do": { "wait_gate": { "gate": "g", "timeout_ms": u64::MAX } }, "token": process.token });
        let leaving: Vec<_> = (0..128)
            .map(|_| {
                let (_, address) = process.address.split_once(':').unwrap();
                let stream: OwnedFd = match scheme {
                    "" => UnixStream::connect(address).unwrap().into(),
                    _ => TcpStream::connect(address).unwrap().into(),
                };
                let mut stream = File::from(stream);
                writeln!(stream, "{wait}").unwrap();
                stream
            })
            .collect();
        drop(leaving);
        until_there_is_a_place(&process);
    }
}

#[test]
fn a_request_without_an_end_is_refused_before_it_fills_the_memory() {
    let folder = tempfile::tempdir().unwrap();
    let _server = start(folder.path(), "");
    let process = registered(folder.path()).remove(0);
    let mut endless = UnixStream::connect(path_of(&process)).unwrap();
    let chunk = vec![b'x'; 1 << 20];
    let sent = (0..100).take_while(|_| endless.write_all(&chunk).is_ok());
    let sent = sent.count();
    assert!(sent < 30, "{sent} MiB were taken");
    let mut lines = BufReader::new(endless).lines();
    let refused = lines.next().unwrap().unwrap();
    assert!(
        refused.contains("is longer than 16777216 bytes"),
        "{refused}"
    );
    until_there_is_a_place(&process);
}

#[test]
fn a_client_that_never_reads_stops_nobody_else() {
    let folder = tempfile::tempdir().unwrap();
    let _server = start(folder.path(), "");
    let process = registered(folder.path()).remove(0);
    let event = json!({ "do": { "send": { "frame": { "text": "x".repeat(4 << 20) } } } });
    let mut silent = UnixStream::connect(path_of(&process)).unwrap();
    writeln!(silent, "{event}").unwrap();
    let mut reading = Client::connect(&process).unwrap();
    for _ in 0..3 {
        assert_eq!(reading.request(Command::Status).unwrap(), json!("Status"));
    }
    // Its response is whole if it reads after all.
    let mut response = String::new();
    BufReader::new(silent).read_line(&mut response).unwrap();
    assert!(response.len() > 4 << 20);
}

#[test]
fn the_socket_of_a_killed_process_is_removed_by_the_next_one_and_its_number_is_not_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let left = folder.path().join("77-left.sock");
    drop(UnixListener::bind(&left).unwrap());
    let dead = json!({ "order": 3, "name": "pi", "pid": 77, "address": format!("unix:{}", left.display()) });
    std::fs::write(folder.path().join("3.json"), dead.to_string()).unwrap();
    std::fs::write(folder.path().join("9.json"), "{ half").unwrap();
    let server = start(folder.path(), "");
    assert_eq!(server.order, 4);
    assert!(!left.exists());
    let running = registered(folder.path());
    let running: Vec<_> = running
        .iter()
        .map(|one| (one.order, one.is_running()))
        .collect();
    assert_eq!(running, [(3, false), (4, true)]);
    drop(server);
    let files = std::fs::read_dir(folder.path()).unwrap();
    let names: BTreeSet<_> = files.map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names, ["3.json", "4.json", "9.json"].map(Into::into).into());
}

#[test]
fn a_folder_with_a_path_too_long_for_a_socket_is_one_error_with_a_way_out() {
    let folder = tempfile::tempdir().unwrap();
    let deep = folder.path().join("x".repeat(120));
    let address = ControlAddress::parse(&deep.to_string_lossy());
    let refused = ControlServer::start(&address, "agent").unwrap_err();
    let message = refused.to_string();
    assert!(
        message.contains("too long") && message.contains("tcp:DIR"),
        "{message}"
    );
    let port = format!("tcp:{}", deep.display());
    assert!(ControlServer::start(&ControlAddress::parse(&port), "agent").is_ok());
}

#[test]
fn a_process_can_wait_until_its_responses_have_got_there() {
    let folder = tempfile::tempdir().unwrap();
    let address = ControlAddress::parse(&folder.path().display().to_string());
    let (server, mut commands) = ControlServer::start(&address, "agent").unwrap();
    let process = registered(folder.path()).remove(0);
    let path = process.address.strip_prefix("unix:").unwrap();
    let mut client = UnixStream::connect(path).unwrap();
    client.set_nonblocking(true).unwrap();
    let runtime = Builder::new_current_thread().enable_time().build().unwrap();
    for _ in 0..200 {
        client.write_all(b"{\"do\":\"status\"}\n").unwrap();
        runtime.block_on(async {
            let Incoming { reply, .. } = commands.recv().await.unwrap();
            reply.with(async { Ok(json!("here")) }).await;
            server.responses.sent().await;
        });
        let mut response = [0; 200];
        let length = std::io::Read::read(&mut client, &mut response).unwrap();
        let response = String::from_utf8_lossy(&response[..length]);
        assert!(response.contains("here"), "{response}");
    }
}

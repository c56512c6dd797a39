//! The speed of `conform provider` beside `@copilotkit/aimock`, in one run: requests and streams a second over 8 connections.
//!
//! aimock comes from npm, into the target folder. Without node, npm or a network it is skipped.

mod chat;

use chat::{read_answer, request};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The version that is measured.
const AIMOCK: &str = "@copilotkit/aimock@1.43.0";

/// Concurrent connections.
const CONNECTIONS: usize = 8;

/// How often each server is measured, in turn, and for how long. The median counts.
const ROUNDS: usize = 5;
const LENGTH: Duration = Duration::from_millis(1500);

/// The chunks of an answer, and the characters of one, which are aimock's default.
const CHUNKS: usize = 50;
const CHUNK: &str = "nineteen letters or ";

fn main() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("aimock");
    std::fs::create_dir_all(&folder).expect("a folder for aimock");
    let serve = |whole: bool| {
        let reply = json!({ "text": vec![CHUNK; CHUNKS], "delivery": { "whole": whole } });
        Running::provider(&folder, reply)
    };
    // aimock sends a stream in one write.
    let (joined, written) = (serve(true), serve(false));
    let aimock = Running::aimock(&folder);
    for (what, stream, ours, least) in [
        ("requests", false, &joined, 3.0),
        ("streams of 50 chunks", true, &joined, 2.0),
        ("streams of 50 chunks, each a write", true, &written, 0.8),
    ] {
        let (mut own, mut other) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            own.push(load(ours.addr, stream));
            other.extend(aimock.as_ref().ok().map(|aimock| load(aimock.addr, stream)));
        }
        let own = median(own);
        match &aimock {
            Err(why) => println!("{what}: {own:.0} a second; aimock is skipped: {why}"),
            Ok(_) => {
                let other = median(other);
                let ratio = own / other;
                println!("{what}: {own:.0} a second, aimock {other:.0}: {ratio:.2} times");
                assert!(ratio >= least, "{what}: expected at least {least} times");
            }
        }
    }
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// A server in a process of its own.
struct Running {
    child: Child,
    addr: SocketAddr,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill().and_then(|()| self.child.wait());
    }
}

impl Running {
    fn provider(folder: &Path, mut reply: Value) -> Running {
        reply["repeat"] = "forever".into();
        let script = folder.join("script.yaml");
        std::fs::write(&script, json!([reply]).to_string()).expect("a script");
        let mut child = Command::new(env!("CARGO_BIN_EXE_conform"))
            .args(["provider", "--script"])
            .arg(script)
            .arg("--journal")
            .arg(folder.join("journal.jsonl"))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the provider starts");
        let mut url = String::new();
        let stdout = child.stdout.take().expect("a pipe");
        BufReader::new(stdout)
            .read_line(&mut url)
            .expect("its address");
        let addr = url.trim().trim_start_matches("http://");
        let addr = addr.parse().expect("an address");
        Running { child, addr }
    }

    fn aimock(folder: &Path) -> Result<Running, String> {
        let run = |program: &str, args: &[&str]| {
            let mut command = Command::new(program);
            command.args(args).current_dir(folder);
            command.stdin(Stdio::null()).stdout(Stdio::null());
            command.stderr(Stdio::null());
            command
        };
        let mut install = run(
            "npm",
            &[
                "install",
                "--no-audit",
                "--no-fund",
                "--prefix",
                ".",
                AIMOCK,
            ],
        );
        let installed = install.status().map_err(|error| format!("npm: {error}"))?;
        if !installed.success() {
            return Err(format!("npm cannot install {AIMOCK}"));
        }
        let content = CHUNK.repeat(CHUNKS);
        let fixture =
            json!({ "match": { "userMessage": "hello" }, "response": { "content": content } });
        let fixtures = json!({ "fixtures": [fixture] }).to_string();
        std::fs::write(folder.join("fixtures.json"), fixtures)
            .map_err(|error| error.to_string())?;
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr());
        let addr = port.map_err(|error| error.to_string())?;
        let program = "node_modules/@copilotkit/aimock/dist/cli.js";
        let port = addr.port().to_string();
        let mut serve = run(
            "node",
            &[
                program,
                "-f",
                "fixtures.json",
                "--log-level",
                "silent",
                "-p",
                &port,
            ],
        );
        let child = serve.spawn().map_err(|error| format!("node: {error}"))?;
        let running = Running { child, addr };
        for _ in 0..200 {
            if TcpStream::connect(addr).is_ok() {
                return Ok(running);
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        Err("aimock does not listen".to_owned())
    }
}

/// Answers a second: all connections ask, then each is read.
fn load(addr: SocketAddr, stream: bool) -> f64 {
    let request = request(stream);
    let connect = |_| TcpStream::connect(addr).expect("a connection");
    let mut connections: Vec<_> = (0..CONNECTIONS).map(connect).collect();
    let (mut answered, mut answer) = (0_u32, Vec::new());
    let began = Instant::now();
    while began.elapsed() < LENGTH {
        for connection in &mut connections {
            connection.write_all(request.as_bytes()).expect("sent");
        }
        for connection in &mut connections {
            read_answer(connection, &mut answer);
            answered += 1;
        }
    }
    f64::from(answered) / began.elapsed().as_secs_f64()
}

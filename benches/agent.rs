//! What the reference agent and the recorder cost, beside `node -e 0` in the same run.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

const AGENT: &str = env!("CARGO_BIN_EXE_mock-agent");
const CONFORM: &str = env!("CARGO_BIN_EXE_conform");

/// Starts of each program; the fastest one counts, as the others waited for the machine.
const STARTS: usize = 30;

/// Deltas of a long answer.
const DELTAS: usize = 100_000;

/// Frames that go to and fro, one after the other.
const ROUND_TRIPS: usize = 5000;

const STATE: &str = r#"{"type":"get_state","id":"1"}"#;

/// An agent, what makes it send its first line, and how it is prompted.
struct Spoken {
    name: &'static str,
    args: &'static [&'static str],
    /// The command that the first line answers; none if the agent speaks first.
    first: Option<&'static str>,
    prompt: &'static str,
    /// A part of the last line of an answer.
    end: &'static str,
}

const AIONRS: Spoken = Spoken {
    name: "aionrs@0.2",
    args: &["--json-stream", "--protocol", "0.2"],
    first: None,
    prompt: r#"{"type":"message","msg_id":"m","content":"{text}"}"#,
    end: "\"stream_end\"",
};

const PI: Spoken = Spoken {
    name: "pi@0.87",
    args: &["--mode", "rpc", "--no-session", "--protocol", "0.87"],
    first: Some(STATE),
    prompt: r#"{"type":"prompt","id":"1","message":"{text}"}"#,
    end: "{\"type\":\"agent_settled\"",
};

/// Each protocol.
const SPOKEN: &[Spoken] = &[
    AIONRS,
    Spoken {
        name: "synaps@1",
        args: &["rpc"],
        first: None,
        end: "\"response\"",
        ..PI
    },
    PI,
];

/// A process with its pipes.
struct Session {
    child: Child,
    stdin: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Session {
    fn start(mut command: Command, folder: &Path) -> Self {
        let mut child = command
            .current_dir(folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        Session {
            stdin: child.stdin.take().expect("a pipe"),
            output: BufReader::with_capacity(1 << 20, child.stdout.take().expect("a pipe")),
            child,
        }
    }

    fn send(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").expect("the agent reads");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a line");
        assert!(line.ends_with('\n'), "the agent has ended");
        line
    }

    fn until(&mut self, end: &str) {
        while !self.line().contains(end) {}
    }

    fn end(mut self) {
        drop(self.stdin);
        let mut rest = Vec::new();
        self.output.read_to_end(&mut rest).expect("the rest");
        self.child.wait().expect("it ends");
    }
}

fn command(program: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program);
    command.args(args);
    command
}

fn recorded(agent: &[&str]) -> Command {
    let mut command = command(CONFORM, &["record", "--out", "session.jsonl", "--"]);
    command.args(agent);
    command
}

/// The fastest start up to the first line.
fn until_first_line(make: impl Fn() -> Command, first: Option<&str>, folder: &Path) -> Duration {
    let once = || {
        let started = Instant::now();
        let mut session = Session::start(make(), folder);
        if let Some(first) = first {
            session.send(first);
        }
        session.line();
        let elapsed = started.elapsed();
        session.end();
        elapsed
    };
    (0..STARTS).map(|_| once()).min().unwrap_or_default()
}

/// The fastest `node -e 0`; `None` without node.
fn node() -> Option<Duration> {
    let once = |_| {
        let started = Instant::now();
        let ended = command("node", &["-e", "0"]).status();
        ended.ok().map(|_| started.elapsed())
    };
    (0..STARTS / 2).map(once).min().flatten()
}

fn row(name: &str, time: Duration, remark: &str) {
    println!("{name:<34} {time:>10.2?}  {remark}");
}

fn starts(folder: &Path) {
    let node = node();
    let start = |name: &str, make: &dyn Fn() -> Command, first| {
        let time = until_first_line(make, first, folder);
        let beside = node.map_or("there is no node to compare with".to_owned(), |node| {
            let ratio = time.as_secs_f64() / node.as_secs_f64();
            format!("{ratio:.3} of `node -e 0`")
        });
        row(&format!("{name} to its first line"), time, &beside);
    };
    for spoken in SPOKEN {
        start(spoken.name, &|| command(AGENT, spoken.args), spoken.first);
    }
    let make = || recorded(&[AGENT, "--json-stream"]);
    start("aionrs behind the recorder", &make, None);
}

fn deltas(folder: &Path) {
    for spoken in SPOKEN {
        let script = serde_json::json!([{ "text": vec!["ab"; DELTAS] }]);
        std::fs::write(folder.join("deltas.json"), script.to_string()).expect("a script");
        let mut agent = command(AGENT, spoken.args);
        agent.args(["--script", "deltas.json"]);
        let mut session = Session::start(agent, folder);
        let started = Instant::now();
        session.send(&spoken.prompt.replace("{text}", "go"));
        session.until(spoken.end);
        let name = format!("{}: {DELTAS} deltas", spoken.name);
        row(&name, started.elapsed(), "");
        session.end();
    }
}

/// The median time of a frame to an agent that sends it back at once.
fn round_trip(make: Command, folder: &Path) -> Duration {
    let mut session = Session::start(make, folder);
    let once = |_| {
        let started = Instant::now();
        session.send(STATE);
        session.line();
        started.elapsed()
    };
    let mut times: Vec<_> = (0..ROUND_TRIPS).map(once).collect();
    session.end();
    times.sort();
    times[times.len() / 2]
}

fn recorder(folder: &Path) {
    let plain = round_trip(command("cat", &[]), folder);
    let recorded = round_trip(recorded(&["cat"]), folder);
    println!("recorder: a frame to and fro {recorded:.2?} instead of {plain:.2?}");
}

fn main() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    starts(folder);
    deltas(folder);
    recorder(folder);
}

//! The works whose instructions are counted. Most costs are the difference of a large and a small work, so that a start is counted alone.

use crate::chat::{read_answer, request};
use crate::long::SESSIONS;
use crate::valgrind::{Counted, Counts};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::net::TcpStream;
use std::path::Path;

/// Costs by name, which begins with the name of the work.
pub(crate) type Costs = BTreeMap<String, f64>;

/// A name, and what measures its costs.
pub(crate) type Work = (&'static str, fn(&str) -> Costs);

/// The works, the longest first.
pub(crate) const WORKS: &[Work] = &[
    ("run acp@1", |name| {
        played(name, "prompt/thinking", "prompt/*")
    }),
    ("run pi@1.6", |name| {
        played(name, "run/thinking-blocks", "run/t*")
    }),
    ("run pi@0.87", |name| {
        played(name, "run/thinking-blocks", "run/t*")
    }),
    ("run pi@0.73", |name| {
        played(name, "run/thinking-blocks", "run/t*")
    }),
    ("run pi@0.14", |name| {
        played(name, "run/thinking-blocks", "run/t*")
    }),
    ("run aionrs@0.2", |name| {
        played(name, "turn/thinking-is-whole", "turn/t*")
    }),
    ("run aionrs@0.1", |name| {
        played(name, "turn/thinking-is-whole", "turn/t*")
    }),
    ("run synaps@1", |name| {
        played(name, "prompt/thinking-is-whole", "prompt/t*")
    }),
    ("explore aionrs@0.1", explored),
    ("load acp@1", |name| loaded(name, "prompt/thinking")),
    ("load pi@0.87", |name| loaded(name, "run/thinking-blocks")),
    ("check aionrs@0.1", checked),
    ("check synaps@1", checked),
    ("check pi@0.73", checked),
    ("check duo@1", grown),
    ("provider", provider),
    ("mock-agent", started),
];

/// The dialect that a work is named after.
fn dialect_of(name: &str) -> &str {
    name.split_once(' ').expect("a work and a dialect").1
}

/// Parses the lines of a transcript, and nothing more.
pub(crate) fn parse(path: &Path) {
    let text = std::fs::read_to_string(path).expect("a transcript");
    for record in text.lines() {
        let record: Value = serde_json::from_str(record).expect("a record is JSON");
        if let Some(line) = record["line"].as_str() {
            black_box(serde_json::from_str::<Value>(line).expect("a line is JSON"));
        }
    }
}

fn counts(program: &str, args: &[&str]) -> Counts {
    Counted::start(program, args).finish()
}

fn in_thousands(name: String, instructions: f64) -> (String, f64) {
    (name, (instructions / 1000.0).round())
}

/// The costs of a work beyond those of a smaller one.
fn beyond(name: &str, less: &[&str], more: &[&str]) -> Costs {
    let (less, more) = (counts("conform", less), counts("conform", more));
    Costs::from([
        in_thousands(format!("{name} (harness)"), more.own - less.own),
        in_thousands(format!("{name} (agent)"), more.children - less.children),
    ])
}

/// Not every system lets a process cut its agents off, and the ways to do it differ in their costs.
const NETWORK: &str = "--network=allow";

/// Some more scenarios than one, end to end: so many that a start, which differs by some hundred thousand instructions, does not matter.
fn played(name: &str, one: &str, all: &str) -> Costs {
    let run = run(dialect_of(name));
    let with = |only| [&run[..], &[only]].concat();
    beyond(name, &with(one), &with(all))
}

/// A run of the scenarios that the next argument selects.
fn run(dialect: &str) -> [&str; 7] {
    [
        "run",
        "--dialect",
        dialect,
        "--time-scale=20",
        "--jobs=1",
        NETWORK,
        "--only",
    ]
}

/// A long walk beyond a short one. Walks depend on the moves of the dialect alone, so a new scenario changes nothing.
fn explored(name: &str) -> Costs {
    let explore = [
        "explore",
        "--dialect",
        dialect_of(name),
        "--time-scale=20",
        "--jobs=1",
        NETWORK,
        "--session",
    ];
    let with = |session| [&explore[..], &[session]].concat();
    beyond(name, &with("14"), &with("10"))
}

/// A transcript of many turns, beside bare parsing of it.
fn checked(name: &str) -> Costs {
    let dialect = dialect_of(name);
    let session = SESSIONS.iter().find(|session| session.dialect == dialect);
    let session = session.expect("a session of it");
    let folder = tempfile::tempdir().expect("a folder");
    let written = |turns| {
        let path = folder.path().join(format!("{turns}.jsonl"));
        let file = BufWriter::new(File::create(&path).expect("a file"));
        session.write(file, turns).expect("the disk holds it");
        path.display().to_string()
    };
    let (short, long) = (written(1), written(1 + session.turns / 4));
    let parsed = |path| counts("instructions", &["parse", path]).own;
    let checked = |path| counts("conform", &["check", path]).own;
    let ratio = (checked(&long) - checked(&short)) / (parsed(&long) - parsed(&short));
    let name = format!("{name} (times bare parsing)");
    Costs::from([(name, (ratio * 100.0).round() / 100.0)])
}

/// Requests that are open at once, in the small work.
const OPEN_REQUESTS: usize = 10_000;

/// Twice as many requests, each open until all are sent and answered the last one first, beside the first half of them: 1 if the cost grows
/// with their number.
fn grown(name: &str) -> Costs {
    let folder = tempfile::tempdir().expect("a folder");
    let dialects = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/two-way/dialects");
    let checked = |requests: usize| {
        let path = folder.path().join(format!("{requests}.jsonl"));
        let mut file = BufWriter::new(File::create(&path).expect("a file"));
        let mut record = |record: Value| writeln!(file, "{record}").expect("the disk holds it");
        record(json!({ "conform_transcript": 1, "dialect": dialect_of(name) }));
        for id in 0..requests {
            let line = json!({ "jsonrpc": "2.0", "id": id, "method": "hello" }).to_string();
            record(json!({ "at": id, "dir": "to_agent", "line": line }));
        }
        for id in (0..requests).rev() {
            let line = json!({ "jsonrpc": "2.0", "id": id, "result": {} }).to_string();
            record(json!({ "at": requests, "dir": "from_agent", "line": line }));
        }
        drop(file);
        let path = path.display().to_string();
        counts("conform", &["check", "--dialect-dir", dialects, &path]).own
    };
    let [start, once, twice] = [1, OPEN_REQUESTS, OPEN_REQUESTS * 2].map(checked);
    let ratio = (twice - once) / (once - start);
    let name = format!("{name} (the second half of the requests beside the first)");
    Costs::from([(name, (ratio * 100.0).round() / 100.0)])
}

/// A dialect and its scenarios; and the play of one scenario, which needs no others.
fn loaded(name: &str, one: &str) -> Costs {
    let dialect = dialect_of(name);
    let cost = |what: &str, args: &[&str]| {
        in_thousands(format!("{name} ({what})"), counts("conform", args).own)
    };
    Costs::from([
        cost("all", &["list", "scenarios", "--dialect", dialect]),
        cost("one scenario", &[&run(dialect)[..], &[one]].concat()),
    ])
}

/// A start of the reference agent that ends at once.
fn started(name: &str) -> Costs {
    let start = |args: &[&str]| {
        let args = [&["--json-stream"], args].concat();
        counts("mock-agent", &args).own
    };
    Costs::from([
        in_thousands(format!("{name} (start)"), start(&[])),
        in_thousands(
            format!("{name} (start with a fault)"),
            start(&["--fault", "log-line-on-stdout"]),
        ),
    ])
}

/// Answers to count, after the first ones.
const ANSWERS: usize = 50;

/// An answer of the scripted model in one document, and a stream of 50 chunks, each a write.
fn provider(name: &str) -> Costs {
    let cost = |stream| {
        let answered = |answers| served(answers, stream);
        (answered(ANSWERS + 10) - answered(10)) / ANSWERS as f64
    };
    Costs::from([
        in_thousands(format!("{name} (a request)"), cost(false)),
        in_thousands(format!("{name} (a stream of 50 chunks)"), cost(true)),
    ])
}

/// The instructions of a provider that gives some answers.
fn served(answers: usize, stream: bool) -> f64 {
    let folder = tempfile::tempdir().expect("a folder");
    let script = folder.path().join("script.yaml");
    let reply = json!([{ "text": vec!["nineteen letters or "; 50], "delivery": { "whole": false }, "repeat": "forever" }]);
    std::fs::write(&script, reply.to_string()).expect("a script");
    let script = script.display().to_string();
    let mut counted = Counted::start(
        "conform",
        &["provider", "--script", &script, "--journal=journal.jsonl"],
    );
    let mut url = String::new();
    let stdout = counted.child.stdout.as_mut().expect("a pipe");
    BufReader::new(stdout)
        .read_line(&mut url)
        .expect("its address");
    let address = url.trim().trim_start_matches("http://");
    let mut connection = TcpStream::connect(address).expect("a connection");
    let (request, mut answer) = (request(stream), Vec::new());
    for _ in 0..answers {
        connection.write_all(request.as_bytes()).expect("sent");
        read_answer(&mut connection, &mut answer);
    }
    let pid = Pid::from_child(&counted.child);
    kill_process(pid, Signal::TERM).expect("a signal");
    counted.finish().own
}

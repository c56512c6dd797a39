//! Memory use of `conform check`.

use std::fs;
use std::io::{BufWriter, Write};
use std::process::{Child, Command, Stdio};

/// The size of the input in bytes.
const INPUT: usize = 20 << 20;
/// The allowed growth of the peak in KiB: far less than the input, far more than noise.
const ALLOWED: u64 = 8 << 10;

const HEADER: &str = r#"{"conform_transcript":1,"dialect":"aionrs@0.1","agent":[]}
{"at":1,"dir":"from_agent","line":"{\"type\":\"ready\",\"version\":\"0.1.0\",\"session_id\":\"s1\",\"capabilities\":{\"tool_approval\":true,\"thinking\":false,\"mcp\":false}}"}
"#;

/// One turn of a session, with its number in the ids.
fn turn(n: usize) -> String {
    format!(
        r#"{{"at":2,"dir":"to_agent","line":"{{\"type\":\"message\",\"msg_id\":\"m{n}\",\"input\":\"hi\"}}"}}
{{"at":2,"dir":"from_agent","line":"{{\"type\":\"stream_start\",\"msg_id\":\"m{n}\"}}"}}
{{"at":2,"dir":"from_agent","line":"{{\"type\":\"text_delta\",\"msg_id\":\"m{n}\",\"text\":\"{0}\"}}"}}
{{"at":2,"dir":"from_agent","line":"{{\"type\":\"stream_end\",\"msg_id\":\"m{n}\",\"usage\":{{\"input_tokens\":1,\"output_tokens\":1}}}}"}}
"#,
        "x".repeat(16_000)
    )
}

/// The peak of the child's resident memory so far, in KiB.
fn peak(child: &Child) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let value = line.and_then(|line| line.trim().strip_suffix("kB"));
    value.unwrap().trim().parse().unwrap()
}

/// Compares the peak after a tenth of the input with the peak at its end. The pipe holds 64 KiB, so earlier input has been read.
#[test]
fn a_long_transcript_is_checked_in_constant_memory() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_conform"))
        .args(["check", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(HEADER.as_bytes()).unwrap();
    let (mut written, mut first) = (0, None);
    for n in 0.. {
        let text = turn(n);
        stdin.write_all(text.as_bytes()).unwrap();
        written += text.len();
        if first.is_none() && written > INPUT / 10 {
            first = Some(peak(&child));
        }
        if written > INPUT {
            break;
        }
    }
    let last = peak(&child);
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let first = first.unwrap();
    assert!(
        last < first + ALLOWED,
        "the peak grew from {first} KiB to {last} KiB"
    );
}

/// The time that the child has used the CPU, in seconds.
fn cpu_seconds(child: &Child) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).unwrap();
    let (_, after_name) = stat.rsplit_once(") ").unwrap();
    let ticks = after_name.split(' ').skip(11).take(2);
    ticks
        .map(|ticks| ticks.parse::<u64>().unwrap())
        .sum::<u64>()
        / 100
}

/// What an open command costs does not depend on how many others are open. It has no id, so that each answer may be that of any.
#[test]
fn a_hundred_thousand_open_commands_are_judged_in_little_time_and_memory() {
    const COMMANDS: usize = 100_000;
    let mut child = Command::new(env!("CARGO_BIN_EXE_conform"))
        .args(["check", "--side", "host", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdin = BufWriter::new(child.stdin.take().unwrap());
    let mut write = |line: &str| writeln!(stdin, "{line}").unwrap();
    write(r#"{"conform_transcript":1,"dialect":"pi@1.6","agent":["pi","--mode","rpc"]}"#);
    let mut first = 0;
    for n in 0..COMMANDS {
        write(r#"{"at":1,"dir":"to_agent","line":"{\"type\":\"get_session_stats\"}"}"#);
        if n == COMMANDS / 10 {
            first = peak(&child);
        }
    }
    for _ in 0..COMMANDS {
        write(
            r#"{"at":2,"dir":"from_agent","line":"{\"type\":\"response\",\"command\":\"get_session_stats\",\"success\":false,\"error\":\"no\"}"}"#,
        );
    }
    stdin.flush().unwrap();
    let (last, seconds) = (peak(&child), cpu_seconds(&child));
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(
        last < first + ALLOWED,
        "the peak grew from {first} KiB to {last} KiB"
    );
    assert!(seconds < 60, "{seconds} s");
}

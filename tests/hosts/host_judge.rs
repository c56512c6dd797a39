//! The judge of the host in the reference agent: `--judge`, `MOCK_AGENT_JUDGE` and `MOCK_AGENT_TRANSCRIPT`, with hosts that make mistakes
//! and with hosts that are only unusual.

use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// What a host does next.
#[derive(Clone, Copy)]
enum Act {
    /// Reads until a line holds this text.
    Until(&'static str),
    /// Writes a line. `{name}` is that member of the line that was read last.
    Send(&'static str),
    /// Writes bytes as they are.
    SendRaw(&'static str),
    /// Closes its end of stdout, and waits until the agent has noticed.
    CloseStdout,
}
use Act::{CloseStdout, Send, SendRaw, Until};

const AIONRS: &[&str] = &["--json-stream"];
const SYNAPS: &[&str] = &["rpc"];
const PI: &[&str] = &["--mode", "rpc", "--extension", "dialogs.json"];

const MESSAGE: &str = r#"{"type":"message","msg_id":"m1","input":"hi"}"#;
/// A message on which the echo asks for the approval of a call.
const WRITE: &str = r#"{"type":"message","msg_id":"m1","input":"tool Write {\"file_path\":\"a.txt\",\"content\":\"a\"}"}"#;
const APPROVE: &str = r#"{"type":"tool_approve","call_id":"{call_id}","scope":"once"}"#;

/// What an extension of pi asks on `/ask`.
const DIALOGS: &str =
    r#"{"commands":{"ask":[{"method":"select","title":"Which one?","options":["left","right"]}]}}"#;

/// A host at work.
struct Host {
    folder: TempDir,
    agent: Child,
    stdin: Option<ChildStdin>,
    stdout: Option<BufReader<ChildStdout>>,
    last: Value,
}

/// What the judge says of a session.
struct Judged {
    folder: TempDir,
    status: Option<i32>,
    stderr: String,
    findings: String,
}

impl Host {
    /// Starts `mock-agent` in a folder of its own. What the host sends before it has read a line passes before `ready` with a `latency`.
    fn start(args: &[&str], latency: Duration) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("dialogs.json"), DIALOGS).unwrap();
        let mut agent = Command::new(env!("CARGO_BIN_EXE_mock-agent"))
            .args(args)
            .current_dir(folder.path())
            .env("MOCK_AGENT_JUDGE", folder.path().join("host-{pid}.txt"))
            .env("MOCK_AGENT_TRANSCRIPT", transcript(folder.path()))
            .env("MOCK_AGENT_LATENCY_MS", latency.as_millis().to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Host {
            stdin: agent.stdin.take(),
            stdout: agent.stdout.take().map(BufReader::new),
            agent,
            folder,
            last: Value::Null,
        }
    }

    fn act(&mut self, act: Act) {
        match act {
            Until(text) => self.read_until(text),
            Send(line) => {
                let mut line = line.to_owned() + "\n";
                for (name, value) in self.last.as_object().into_iter().flatten() {
                    line = line.replace(&format!("{{{name}}}"), value.as_str().unwrap_or_default());
                }
                self.write(&line);
            }
            SendRaw(text) => self.write(text),
            CloseStdout => {
                self.stdout = None;
                let transcript = transcript(self.folder.path());
                let is_noticed = || {
                    let text = std::fs::read_to_string(&transcript).unwrap();
                    text.contains("stdout_closed")
                };
                let started = Instant::now();
                while !is_noticed() {
                    assert!(started.elapsed() < Duration::from_secs(20));
                    std::thread::yield_now();
                }
            }
        }
    }

    fn read_until(&mut self, text: &str) {
        let stdout = self.stdout.as_mut().unwrap();
        loop {
            let mut line = String::new();
            assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "no `{text}` came");
            if line.contains(text) {
                self.last = serde_json::from_str(&line).unwrap();
                return;
            }
        }
    }

    fn write(&mut self, text: &str) {
        let stdin = self.stdin.as_mut().unwrap();
        stdin.write_all(text.as_bytes()).unwrap();
    }

    /// Closes stdin, reads to the end, and reads what the judge says.
    fn finish(mut self) -> Judged {
        drop(self.stdin.take());
        if let Some(mut stdout) = self.stdout.take() {
            std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
        }
        let output = self.agent.wait_with_output().unwrap();
        Judged {
            findings: findings(self.folder.path()),
            folder: self.folder,
            status: output.status.code(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

fn transcript(folder: &Path) -> PathBuf {
    folder.join("session.jsonl")
}

fn findings(folder: &Path) -> String {
    let mut files = std::fs::read_dir(folder).unwrap().flatten();
    let file = files.find(|file| file.file_name().to_string_lossy().starts_with("host-"));
    std::fs::read_to_string(file.expect("a file with findings").path()).unwrap()
}

/// The frames of a transcript, without its header.
fn frames(folder: &Path) -> Vec<Value> {
    let session = std::fs::read_to_string(transcript(folder)).unwrap();
    assert!(session.ends_with('\n'));
    let lines = session.lines().skip(1);
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn judged(args: &[&str], latency: Duration, acts: &[Act]) -> Judged {
    let mut host = Host::start(args, latency);
    acts.iter().for_each(|act| host.act(*act));
    host.finish()
}

/// `conform check --side host` on the transcripts of sessions.
fn checked<'a>(sessions: impl IntoIterator<Item = &'a TempDir>) -> (Option<i32>, String) {
    let mut check = Command::new(env!("CARGO_BIN_EXE_conform"));
    check.args(["check", "--side", "host"]);
    for folder in sessions {
        check.arg(transcript(folder.path()));
    }
    let output = check.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    (output.status.code(), text)
}

/// A host with one mistake.
struct BadHost {
    args: &'static [&'static str],
    latency: Duration,
    acts: &'static [Act],
    /// The rule, the clause, and the frame at which the judge must name it.
    named: [&'static str; 3],
    /// Whether it breaks a `must`.
    violates: bool,
}

const NONE: Duration = Duration::ZERO;
const SLOW: Duration = Duration::from_millis(500);

/// A host whose mistake breaks a `must`.
const fn bad(
    args: &'static [&'static str],
    acts: &'static [Act],
    named: [&'static str; 3],
) -> BadHost {
    BadHost {
        args,
        latency: NONE,
        acts,
        named,
        violates: true,
    }
}

/// A host whose mistake breaks a `should`.
const fn poor(
    args: &'static [&'static str],
    acts: &'static [Act],
    named: [&'static str; 3],
) -> BadHost {
    BadHost {
        violates: false,
        ..bad(args, acts, named)
    }
}

const BAD_HOSTS: &[BadHost] = &[
    // Approves twice.
    bad(
        AIONRS,
        &[
            Until("ready"),
            Send(WRITE),
            Until("tool_request"),
            Send(APPROVE),
            Send(APPROVE),
            Until("stream_end"),
        ],
        [
            "aionrs/answered-once",
            "aionrs.approve.call-id-pending",
            r#"host     {"type":"tool_approve""#,
        ],
    ),
    // Approves under an id that it has made up.
    bad(
        AIONRS,
        &[
            Until("ready"),
            Send(WRITE),
            Until("tool_request"),
            Send(r#"{"type":"tool_approve","call_id":"1","scope":"once"}"#),
            Send(APPROVE),
            Until("stream_end"),
        ],
        [
            "aionrs/answers-match",
            "aionrs.approve.call-id-pending",
            r#""call_id":"1""#,
        ],
    ),
    // Does not wait for the agent.
    BadHost {
        latency: SLOW,
        ..bad(
            AIONRS,
            &[Send(MESSAGE), Until("stream_end")],
            [
                "aionrs/host-waits-for-ready",
                "aionrs.ready.host-waits",
                r#""m1""#,
            ],
        )
    },
    // Overlooks a request, and gives up.
    poor(
        AIONRS,
        &[Until("ready"), Send(WRITE), Until("tool_request")],
        [
            "aionrs/request-answered",
            "aionrs.tool-request.host-answers",
            "closes stdin",
        ],
    ),
    // Speaks another version.
    bad(
        &["--json-stream", "--protocol", "0.2"],
        &[Until("ready"), Send(MESSAGE)],
        ["aionrs/schema/>message", "aionrs.message.shape", r#""m1""#],
    ),
    // Dies in the middle of a command.
    bad(
        AIONRS,
        &[
            Until("ready"),
            SendRaw(r#"{"type":"message","msg_id":"m1","inp"#),
        ],
        [
            "aionrs/json-lines-in",
            "aionrs.transport.json-lines-in",
            r#""inp"#,
        ],
    ),
    // Reads no more than it needs.
    poor(
        AIONRS,
        &[
            Until("ready"),
            Send(WRITE),
            Until("tool_request"),
            CloseStdout,
            Send(APPROVE),
        ],
        [
            "aionrs/reads-to-the-end",
            "in the middle of the turn m1",
            "closes stdout",
        ],
    ),
    // Goes on after `shutdown`.
    poor(
        SYNAPS,
        &[
            Until("ready"),
            SendRaw("{\"type\":\"shutdown\"}\n{\"type\":\"get_state\",\"id\":\"a\"}\n"),
        ],
        ["synaps/shutdown-last", "after `shutdown`", "get_state"],
    ),
    // Gives each command the same id.
    poor(
        SYNAPS,
        &[
            Until("ready"),
            SendRaw(
                "{\"type\":\"get_state\",\"id\":\"1\"}\n{\"type\":\"get_messages\",\"id\":\"1\"}\n",
            ),
            Until("get_messages"),
        ],
        ["synaps/id-in-use", "1", "get_messages"],
    ),
    // Forgets the id.
    bad(
        SYNAPS,
        &[Until("ready"), Send(r#"{"type":"compact"}"#)],
        ["synaps/schema/>compact", "synaps.compact.fields", "compact"],
    ),
    // Answers a dialog by something that it does not offer.
    bad(
        PI,
        &[
            Send(r#"{"type":"prompt","id":"p","message":"/ask"}"#),
            Until("extension_ui_request"),
            Send(r#"{"type":"extension_ui_response","id":"{id}","value":"up"}"#),
            Until("prompt"),
        ],
        [
            "pi/select-answered-by-option",
            "pi.ui.select-value",
            r#""up""#,
        ],
    ),
    // Overlooks a dialog.
    poor(
        PI,
        &[
            Send(r#"{"type":"prompt","id":"p","message":"/ask"}"#),
            Until("extension_ui_request"),
        ],
        [
            "pi/dialog-not-overlooked",
            "pi.ui.host-answers",
            "closes stdin",
        ],
    ),
    // Interrupts a run without a word about how.
    bad(
        PI,
        &[
            Send(r#"{"type":"prompt","id":"p","message":"tool bash {\"command\":\"sleep 60\"}"}"#),
            Until("tool_execution_start"),
            Send(r#"{"type":"prompt","id":"q","message":"and"}"#),
        ],
        ["pi/busy-prompt", "pi.prompt.must-say-how", r#""and""#],
    ),
];

#[test]
fn each_bad_host_is_named_with_its_clause_and_its_frame_once() {
    let mut sessions = Vec::new();
    for host in BAD_HOSTS {
        let args = [host.args, &["--judge"][..]].concat();
        let judged = judged(&args, host.latency, host.acts);
        let (text, stderr) = (&judged.findings, &judged.stderr);
        for part in host.named {
            assert!(text.contains(part), "no {part} in {text}\n{stderr}");
        }
        let [rule, ..] = host.named;
        assert_eq!(text.matches("CAUSE").count(), 1, "{rule}: {text}");
        let level = if host.violates { "must" } else { "should" };
        let line = format!("host: {level} {rule} at frame");
        assert!(stderr.contains(&line), "no {line} in {stderr}");
        assert!(stderr.ends_with(text), "{rule}: {stderr}");
        assert_eq!(judged.status == Some(1), host.violates, "{rule}: {stderr}");
        sessions.push(judged.folder);
    }
    let (status, check) = checked(&sessions);
    assert_eq!(status, Some(1), "{check}");
    for host in BAD_HOSTS {
        let [rule, ..] = host.named;
        assert!(check.contains(rule), "no {rule} in {check}");
    }
}

/// Hosts that are only unusual.
const GOOD_HOSTS: &[(&[&str], &[Act])] = &[
    // Sends everything ahead, and answers in another order.
    (
        AIONRS,
        &[
            Until("ready"),
            SendRaw(
                "{\"type\":\"init_history\",\"text\":\"before\"}\n{\"type\":\"message\",\"msg_id\":\"m1\",\"input\":\"a\"}\n{\"type\":\"message\",\"msg_id\":\"m2\",\"input\":\"tool Write {\\\"file_path\\\":\\\"a.txt\\\",\\\"content\\\":\\\"a\\\"}\"}\n{\"type\":\"set_mode\",\"mode\":\"default\"}\n",
            ),
            Until("tool_request"),
            Send(APPROVE),
            Until("tool_result"),
        ],
    ),
    // Writes as its library likes: blanks, members of its own, an order of its own, CR LF, blank lines.
    (
        AIONRS,
        &[
            Until("ready"),
            SendRaw(
                "\r\n  { \"msg_id\" : \"\\u006d1\", \"trace\": {\"span\": [1, null]},\t\"input\": \"\\u00e9\\u2028\", \"type\": \"message\" }  \r\n\n",
            ),
            Until("stream_end"),
        ],
    ),
    // Answers a call that it has just stopped.
    (
        AIONRS,
        &[
            Until("ready"),
            Send(WRITE),
            Until("tool_request"),
            SendRaw("{\"type\":\"stop\"}\n"),
            Send(APPROVE),
            Until("stream_end"),
        ],
    ),
    // Closes stdin in the middle of a turn.
    (AIONRS, &[Until("ready"), Send(MESSAGE)]),
    // Sends numbers that no double holds, which JSON allows, and ends in blanks.
    (
        AIONRS,
        &[
            Until("ready"),
            Send(r#"{"type":"message","msg_id":"m1","input":"hi","n":[1E400,-1e999]}"#),
            Until("stream_end"),
            SendRaw("  "),
        ],
    ),
    (
        SYNAPS,
        &[
            Until("ready"),
            Send(r#"{"type":"get_state","id":"x","n":1E400}"#),
            Until("response"),
            SendRaw("  "),
        ],
    ),
    (
        PI,
        &[
            Send(r#"{"type":"get_state","id":"x","n":1E400}"#),
            Until("\"success\":true"),
            SendRaw("  "),
        ],
    ),
    // Uses an id again when its command is answered, and ends by the end of input.
    (
        SYNAPS,
        &[
            Until("ready"),
            Send(r#"{"type":"get_state","id":"x","trace":1}"#),
            Until("response"),
            Send(r#"{"id":"x","type":"get_state"}"#),
            Until("response"),
        ],
    ),
    // Sends commands without ids and ahead, and answers the dialog late.
    (
        PI,
        &[
            SendRaw(
                "{\"type\":\"get_state\"}\r\n{\"type\":\"get_state\"}\r\n{\"type\":\"prompt\",\"message\":\"/ask\"}\r\n",
            ),
            Until("extension_ui_request"),
            Send(r#"{"type":"extension_ui_response","id":"{id}","value":"right","at":12}"#),
            Until("\"prompt\""),
        ],
    ),
];

#[test]
fn an_unusual_host_has_no_finding_and_the_agent_s_own_exit_status() {
    let mut sessions = Vec::new();
    for (args, acts) in GOOD_HOSTS {
        let judged = judged(&[args, &["--judge"][..]].concat(), NONE, acts);
        let stderr = &judged.stderr;
        assert_eq!(judged.findings, "", "{stderr}");
        assert!(!stderr.contains("host:"), "{stderr}");
        assert_eq!(judged.status, Some(0), "{stderr}");
        sessions.push(judged.folder);
    }
    let (status, check) = checked(&sessions);
    assert_eq!(status, Some(0), "{check}");
}

#[test]
fn without_the_flag_the_exit_status_is_the_agent_s_and_stderr_is_silent() {
    let judged = judged(AIONRS, SLOW, &[Send(MESSAGE)]);
    assert_eq!(judged.status, Some(0), "{}", judged.stderr);
    assert_eq!(judged.stderr, "");
    assert!(judged.findings.contains("host-waits-for-ready"));
}

#[test]
fn findings_that_cannot_be_written_are_an_error_of_their_own() {
    for (flag, status) in [(None, 2), (Some("--judge"), 1)] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mock-agent"));
        command.arg("--json-stream").args(flag);
        command.env("MOCK_AGENT_JUDGE", "/dev/full");
        command.stdin(Stdio::piped()).stdout(Stdio::null());
        let mut agent = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = agent.stdin.take().unwrap();
        writeln!(stdin, r#"{{"type":"levitate"}}"#).unwrap();
        drop(stdin);
        let output = agent.wait_with_output().unwrap();
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(status), "{stderr}");
        for message in [
            "warning: a finding cannot be written",
            "error: cannot write /dev/full",
        ] {
            let message = format!("{message}: No space left on device");
            assert_eq!(stderr.matches(&message).count(), 1, "{stderr}");
        }
    }
}

#[test]
fn a_mistake_that_comes_again_is_one_cause() {
    let unknown = r#"{"type":"levitate"}"#;
    let acts = [Until("ready"), Send(unknown), Send(unknown), Send(unknown)];
    let judged = judged(&["--json-stream", "--judge"], NONE, &acts);
    assert_eq!(
        judged
            .findings
            .matches("levitate` is not a command")
            .count(),
        1
    );
    assert_eq!(judged.stderr.matches("host: must").count(), 1);
}

#[test]
fn the_transcript_of_a_crash_has_what_the_agent_said_before_and_how_it_ended() {
    let args = ["--json-stream", "--fault", "crash-in-turn", "--judge"];
    let judged = judged(&args, NONE, &[Until("ready"), Send(MESSAGE)]);
    assert_eq!(judged.status, Some(101), "{}", judged.stderr);
    assert_eq!(judged.findings, "");
    let frames = frames(judged.folder.path());
    let of = |dir: &str| frames.iter().filter(|frame| frame["dir"] == dir).count();
    assert!(of("from_agent") >= 2, "{frames:?}");
    assert_eq!((of("to_agent"), of("stderr") > 0), (1, true), "{frames:?}");
    let end = frames.last().unwrap();
    assert_eq!((&end["end"], &end["code"]), (&"exited".into(), &101.into()));
}

/// The processes that this one has started, with those that they have started.
fn descendants(pid: u32) -> Vec<u32> {
    let path = format!("/proc/{pid}/task/{pid}/children");
    let children = std::fs::read_to_string(path).unwrap_or_default();
    let children = children
        .split_whitespace()
        .filter_map(|pid| pid.parse().ok());
    children
        .flat_map(|pid| [vec![pid], descendants(pid)].concat())
        .collect()
}

fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| !stat.contains(") Z "))
}

#[test]
fn no_process_or_file_is_left_whichever_process_is_killed() {
    for fault in ["deaf-to-eof", "spins-after-eof"] {
        for victim in 0..3 {
            let args = ["--json-stream", "--fault", fault];
            let mut host = Host::start(&args, NONE);
            host.act(Until("ready"));
            let judge = host.agent.id();
            let mut processes = vec![judge];
            processes.extend(descendants(judge));
            assert_eq!(processes.len(), 3, "the judge, its guard and the agent");
            let kill = |pid: u32| {
                let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            };
            kill(processes[victim]);
            drop(host.stdin.take());
            // A judge that has lost its guard goes on with its agent.
            if victim == 1 {
                assert!(is_alive(judge) && is_alive(processes[2]));
                kill(processes[2]);
            }
            let started = Instant::now();
            while let Some(left) = processes.iter().find(|pid| is_alive(**pid)) {
                assert!(
                    started.elapsed() < Duration::from_secs(60),
                    "{fault}: {left} is left"
                );
                std::thread::sleep(Duration::from_millis(10));
            }
            host.agent.wait().unwrap();
        }
    }
}

/// The transcript is whole up to the last frame, whatever ends the session.
#[test]
fn a_killed_agent_leaves_its_transcript_and_what_was_found_so_far() {
    let mut host = Host::start(AIONRS, NONE);
    for act in [
        Until("ready"),
        Send(r#"{"type":"levitate"}"#),
        Until("protocol_error"),
    ] {
        host.act(act);
    }
    host.agent.kill().unwrap();
    host.agent.wait().unwrap();
    let folder = host.folder.path();
    let found = findings(folder);
    for part in [
        "must aionrs/commands-only at frame 2",
        "aionrs.command.known",
        r#"{"type":"levitate"}"#,
    ] {
        assert!(found.contains(part), "no {part} in {found}");
    }
    let frames = frames(folder);
    let kinds: Vec<_> = frames
        .iter()
        .map(|frame| frame["dir"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["from_agent", "to_agent", "from_agent"]);
    assert!(
        frames[2]["line"]
            .as_str()
            .unwrap()
            .contains("protocol_error")
    );
    let times = frames.iter().map(|frame| frame["at"].as_u64().unwrap());
    assert!(times.is_sorted());
    assert_eq!(checked([&host.folder]).0, Some(1));
}

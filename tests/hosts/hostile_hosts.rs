//! Hosts that close, block, break off and send garbage: the reference agent ends, spins in no case, and leaves neither a process nor a file.
//!
//! Each host meets every dialect and an agent script, directly and through `conform record`.

use assert_cmd::Command as Program;
use control_socket::{Client, Command as ControlCommand, registered};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Long enough for a busy machine; only a failure waits for it.
const TIMEOUT: Duration = Duration::from_secs(60);

/// How long a process that does not spin uses no processor time.
const IDLE: Duration = Duration::from_millis(300);

/// The peak of the memory of any agent and recorder here, in KiB.
const MEMORY_LIMIT: u64 = 400 << 10;

/// An agent, and a prompt for it. Each echoes the words of the prompt.
#[derive(Clone, Copy)]
struct Spoken {
    args: &'static [&'static str],
    prompt: fn(&str) -> Value,
    /// A part of the last line of an answer.
    end: &'static str,
}

const SPOKEN: &[Spoken] = &[
    Spoken {
        args: &["--json-stream"],
        prompt: |text| json!({ "type": "message", "msg_id": "m", "input": text }),
        end: "stream_end",
    },
    Spoken {
        args: &["--json-stream", "--protocol", "0.2"],
        prompt: |text| json!({ "type": "message", "msg_id": "m", "content": text }),
        end: "stream_end",
    },
    Spoken {
        args: &["rpc"],
        prompt: |text| json!({ "type": "prompt", "id": "p", "message": text }),
        end: "response",
    },
    Spoken {
        args: &["--mode", "rpc", "--protocol", "0.14"],
        prompt: |text| json!({ "type": "prompt", "id": "p", "message": text }),
        end: "agent_end",
    },
    Spoken {
        args: &["--mode", "rpc", "--protocol", "0.73"],
        prompt: |text| json!({ "type": "prompt", "id": "p", "message": text }),
        end: "agent_end",
    },
    Spoken {
        args: &["--mode", "rpc", "--protocol", "0.87"],
        prompt: |text| json!({ "type": "prompt", "id": "p", "message": text }),
        end: "agent_settled",
    },
    Spoken {
        args: &["--dialect-dir", "../dialects", "--script", "../bird.yaml"],
        prompt: |text| json!({ "type": "say", "text": text }),
        end: "done",
    },
];

/// The dialect of the agent script.
const BIRD: &str = "{ name: bird, version: '1', discriminator: { events: /type, commands: /type }, events: { word: , done: }, commands: { say: } }";

const BIRD_SCRIPT: &str = "commands:
  - on: { type: say }
    capture: { text: /text }
    do:
      - send: { type: word, text: '{text}' }
      - send: { type: done }
";

/// A folder with a workspace, a HOME, and a folder for temporary files.
struct Host {
    folder: TempDir,
    spoken: Spoken,
    is_recorded: bool,
}

/// A running agent, or the recorder before it.
struct Running {
    child: Child,
    stdin: Option<ChildStdin>,
    output: Option<BufReader<ChildStdout>>,
    stderr: Option<thread::JoinHandle<String>>,
}

/// Plays a host with every agent, directly and through the recorder; several at a time, as most of them wait.
fn with_every_agent(play: fn(&Host)) {
    thread::scope(|scope| {
        for spoken in SPOKEN {
            for is_recorded in [false, true] {
                scope.spawn(move || play(&Host::new(*spoken, is_recorded)));
            }
        }
    });
}

impl Host {
    fn new(spoken: Spoken, is_recorded: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["workspace", "home", "tmp", "control", "dialects/bird/1"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let host = Host {
            folder,
            spoken,
            is_recorded,
        };
        std::fs::write(host.path("dialects/bird/1/dialect.yaml"), BIRD).unwrap();
        std::fs::write(host.path("bird.yaml"), BIRD_SCRIPT).unwrap();
        host
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A variable that only the processes of this host have.
    fn mark(&self) -> String {
        format!("HOSTILE_HOST={}", self.folder.path().display())
    }

    fn start(&self) -> Running {
        let agent = env!("CARGO_BIN_EXE_mock-agent");
        let mut command = match self.is_recorded {
            false => Command::new(agent),
            true => {
                let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
                let out = self.path("session.jsonl");
                command.arg("record").arg("--out").arg(out);
                command.args(["--", agent]);
                command
            }
        };
        let mut child = command
            .args(self.spoken.args)
            .current_dir(self.path("workspace"))
            .env("HOSTILE_HOST", self.folder.path())
            .env("MOCK_AGENT_CONTROL", self.path("control"))
            .env("HOME", self.path("home"))
            .env("TMPDIR", self.path("tmp"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stderr = child.stderr.take().unwrap();
        Running {
            stdin: child.stdin.take(),
            output: child.stdout.take().map(BufReader::new),
            stderr: Some(thread::spawn(move || {
                let mut text = Vec::new();
                stderr.read_to_end(&mut text).unwrap();
                String::from_utf8_lossy(&text).into_owned()
            })),
            child,
        }
    }

    /// A prompt as a line.
    fn prompt(&self, text: &str) -> String {
        format!("{}\n", (self.spoken.prompt)(text))
    }

    /// A prompt whose echo is longer than every buffer.
    fn long_prompt(&self) -> String {
        let word = "x".repeat(1000);
        // Below the limits of every protocol.
        self.prompt(&vec![word.as_str(); 900].join(" "))
    }

    fn name(&self) -> String {
        let recorded = if self.is_recorded { "recorded " } else { "" };
        format!("{recorded}{}", self.spoken.args.join(" "))
    }

    /// Waits for the end of an agent; nothing of it may be left.
    #[track_caller]
    fn ends(&self, running: &mut Running) -> ExitStatus {
        let status = running.wait(&self.name());
        let messages = running.stderr.take().unwrap().join().unwrap();
        assert_eq!(messages, "", "{}: stderr", self.name());
        self.nothing_is_left();
        status
    }

    #[track_caller]
    fn nothing_is_left(&self) {
        let mark = self.mark();
        let end = Instant::now() + TIMEOUT;
        while let Some(survivor) = processes_with(&mark).first() {
            assert!(Instant::now() < end, "{}: {survivor}", self.name());
            thread::sleep(Duration::from_millis(5));
        }
        for name in ["home", "tmp"] {
            let files: Vec<_> = std::fs::read_dir(self.path(name)).unwrap().collect();
            assert!(files.is_empty(), "{}: {files:?}", self.name());
        }
        let control = std::fs::read_dir(self.path("control")).unwrap();
        let names = control.map(|file| file.unwrap().file_name().into_string().unwrap());
        let others: Vec<_> = names.filter(|name| name != "1.json").collect();
        assert!(others.is_empty(), "{}: {others:?}", self.name());
    }

    /// Ends an agent and checks that its host, which was hostile, has not harmed it.
    #[track_caller]
    fn ends_well(&self, running: &mut Running) {
        let status = self.ends(running);
        assert_eq!(status.code(), Some(0), "{}: {status}", self.name());
    }
}

impl Running {
    /// Writes; the other side may be gone.
    fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.stdin.as_mut().unwrap().write_all(bytes.as_ref());
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.child)
    }

    /// Waits until neither the process nor an agent below it uses any processor time.
    #[track_caller]
    fn is_idle(&self, host: &Host) {
        let end = Instant::now() + TIMEOUT;
        let ticks = || -> u64 {
            processes_with(&host.mark())
                .iter()
                .map(|one| one.ticks)
                .sum()
        };
        let mut before = ticks();
        let mut quiet = 0;
        while quiet < 3 {
            assert!(Instant::now() < end, "{}: spins", host.name());
            thread::sleep(IDLE);
            let now = ticks();
            quiet = if now == before { quiet + 1 } else { 0 };
            before = now;
        }
        for process in processes_with(&host.mark()) {
            assert!(process.memory < MEMORY_LIMIT, "{}: {process}", host.name());
        }
    }

    #[track_caller]
    fn wait(&mut self, name: &str) -> ExitStatus {
        let end = Instant::now() + TIMEOUT;
        loop {
            match self.child.try_wait().unwrap() {
                Some(status) => return status,
                None => assert!(Instant::now() < end, "{name}: has not ended"),
            }
            thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A living process.
struct Process {
    pid: u32,
    command: String,
    /// Used processor time.
    ticks: u64,
    /// Peak of the memory, in KiB.
    memory: u64,
}

impl std::fmt::Display for Process {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Process {
            pid,
            command,
            ticks,
            memory,
        } = self;
        write!(f, "process {pid} `{command}`, {ticks} ticks, {memory} KiB")
    }
}

/// The living processes with this variable in their environment.
fn processes_with(mark: &str) -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let pids = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    pids.filter_map(|pid| process_with(pid, mark)).collect()
}

fn process_with(pid: u32, mark: &str) -> Option<Process> {
    let read = |name: &str| std::fs::read(format!("/proc/{pid}/{name}")).ok();
    let environment = read("environ")?;
    let mut variables = environment.split(|byte| *byte == 0);
    variables.find(|variable| *variable == mark.as_bytes())?;
    let stat = String::from_utf8_lossy(&read("stat")?).into_owned();
    let fields: Vec<_> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let status = String::from_utf8_lossy(&read("status")?).into_owned();
    let memory = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let memory = memory?.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(Process {
        pid,
        command: String::from_utf8_lossy(&read("cmdline")?).replace('\0', " "),
        ticks: fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?,
        memory,
    })
    .filter(|_| fields[0] != "Z")
}

#[test]
fn a_host_that_closes_its_read_end_ends_the_agent_quietly() {
    with_every_agent(|host| {
        let mut agent = host.start();
        drop(agent.output.take());
        agent.write(host.long_prompt());
        host.ends_well(&mut agent);
    });
}

#[test]
fn a_host_that_reads_a_byte_now_and_then_costs_neither_time_nor_memory() {
    with_every_agent(|host| {
        let mut agent = host.start();
        agent.write(host.long_prompt());
        for _ in 0..3 {
            agent.output.as_mut().unwrap().read_exact(&mut [0]).unwrap();
            agent.is_idle(host);
        }
        drop((agent.stdin.take(), agent.output.take()));
        host.ends_well(&mut agent);
    });
}

#[test]
fn a_host_that_never_reads_and_closes_its_end_of_stdin_is_left_after_a_while() {
    with_every_agent(|host| {
        let mut agent = host.start();
        agent.write(host.long_prompt());
        agent.is_idle(host);
        drop(agent.stdin.take());
        if host.is_recorded {
            // The recorder waits longer than the agent for its host to read what is left.
            drop(agent.output.take());
        }
        host.ends_well(&mut agent);
    });
}

#[test]
fn a_host_that_dies_in_the_middle_of_a_command_leaves_nothing_behind() {
    with_every_agent(|host| {
        let mut agent = host.start();
        let prompt = host.prompt("hello");
        agent.write(&prompt[..prompt.len() / 2]);
        drop((agent.stdin.take(), agent.output.take()));
        host.ends_well(&mut agent);
    });
}

#[test]
fn a_host_that_closes_stdin_at_once_ends_the_agent() {
    with_every_agent(|host| {
        let mut agent = host.start();
        drop(agent.stdin.take());
        let mut said = Vec::new();
        agent.output.take().unwrap().read_to_end(&mut said).unwrap();
        host.ends_well(&mut agent);
    });
}

#[test]
fn after_garbage_and_a_line_without_measure_the_next_command_is_answered() {
    with_every_agent(|host| {
        let mut agent = host.start();
        let mut stdin = agent.stdin.take().unwrap();
        let prompt = host.prompt("hello");
        let sending = thread::spawn(move || {
            let garbage: &[u8] = b"\0\xff\xfe garbage\n[1]\nnull\n{\"a\n\n{\"type\":7}\n";
            stdin.write_all(garbage).unwrap();
            let chunk = vec![b'x'; 1 << 20];
            (0..50).for_each(|_| stdin.write_all(&chunk).unwrap());
            stdin.write_all(format!("\n{prompt}").as_bytes()).unwrap();
            stdin
        });
        let output = agent.output.take().unwrap();
        let mut lines = output.lines().map(|line| line.unwrap());
        let answer =
            lines.find(|line| line.contains(host.spoken.end) && !line.contains("\"error\""));
        assert!(answer.is_some(), "{}: no answer", host.name());
        for process in processes_with(&host.mark()) {
            assert!(process.memory < MEMORY_LIMIT, "{}: {process}", host.name());
        }
        drop(sending.join().unwrap());
        lines.for_each(drop);
        host.ends_well(&mut agent);
    });
}

#[test]
fn a_signal_at_any_time_ends_the_agent_and_all_that_belongs_to_it() {
    with_every_agent(|host| {
        for signal in [Signal::TERM, Signal::INT, Signal::HUP] {
            // While it starts: without a handler it dies of the signal, or has inherited that it is ignored.
            let mut agent = host.start();
            kill_process(agent.pid(), signal).unwrap();
            drop(agent.stdin.take());
            host.ends(&mut agent);
            // In the middle of an answer that is not read.
            std::fs::remove_dir_all(host.path("control")).unwrap();
            std::fs::create_dir(host.path("control")).unwrap();
            let mut agent = host.start();
            agent.write(host.long_prompt());
            agent.output.as_mut().unwrap().read_exact(&mut [0]).unwrap();
            kill_process(agent.pid(), signal).unwrap();
            let mut rest = Vec::new();
            agent.output.take().unwrap().read_to_end(&mut rest).unwrap();
            let status = host.ends(&mut agent);
            // An orderly end, or the status by which an agent reports the signal.
            let reported = 128 + signal.as_raw();
            let is_orderly = status
                .code()
                .is_some_and(|code| code == 0 || code == reported);
            assert!(is_orderly, "{}: {status}", host.name());
            std::fs::remove_dir_all(host.path("control")).unwrap();
            std::fs::create_dir(host.path("control")).unwrap();
        }
    });
}

#[test]
fn fifty_agents_of_one_host_are_distinguished_and_gone_in_the_end() {
    let host = Host::new(SPOKEN[0], false);
    let mut agents: Vec<_> = (0..50).map(|_| host.start()).collect();
    for agent in &mut agents {
        let mut ready = String::new();
        agent
            .output
            .as_mut()
            .unwrap()
            .read_line(&mut ready)
            .unwrap();
    }
    let processes = registered(&host.path("control"));
    let orders: Vec<_> = processes.iter().map(|process| process.order).collect();
    assert_eq!(orders, (1..=50).collect::<Vec<_>>());
    for process in &processes {
        let mut client = Client::connect(process).unwrap();
        let status = client.request(ControlCommand::Status).unwrap();
        assert_eq!(status["pid"], process.pid);
        assert_eq!(status["order"], process.order);
    }
    let (killed, ended) = agents.split_at_mut(25);
    killed
        .iter_mut()
        .for_each(|agent| agent.child.kill().unwrap());
    ended.iter_mut().for_each(|agent| drop(agent.stdin.take()));
    agents.iter_mut().for_each(|agent| {
        assert!(
            agent
                .wait("one of fifty")
                .code()
                .is_none_or(|code| code == 0)
        )
    });
    let mut list = Program::new(env!("CARGO_BIN_EXE_conform"));
    let listed = list.arg("ctl").arg(host.path("control")).arg("list");
    let listed = listed.assert().success().get_output().stdout.clone();
    let listed = String::from_utf8(listed).unwrap();
    assert_eq!(listed.matches("\"running\":false").count(), 50, "{listed}");
    let mut last = host.start();
    drop(last.stdin.take());
    last.wait("the one after fifty");
    let names = std::fs::read_dir(host.path("control")).unwrap();
    let names: Vec<_> = names.map(|file| file.unwrap().file_name()).collect();
    assert_eq!(names.len(), 51, "only registrations: {names:?}");
}

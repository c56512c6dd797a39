//! One invocation of `conform run`, in a place of its own.

use conform::report::{Report, ScenarioReport};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Longer than any test may take on a busy machine: only a hang gets here.
const HANG: Duration = Duration::from_secs(120);

/// A place for scripts, scenarios and whatever conform leaves behind.
pub(crate) struct Place {
    dir: TempDir,
}

/// What an invocation came to.
pub(crate) struct Ran {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) report: Option<Report>,
}

impl Place {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("tmp")).unwrap();
        Place { dir }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a file, and returns its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// `conform run` with a scenario, against an agent that is a shell script.
    pub(crate) fn play(&self, scenario: &str, agent: &str) -> Ran {
        let scenario = self.file("scenarios/one.yaml", scenario);
        let agent = self.file("agent.sh", agent);
        let dialect = ["--dialect", "aionrs@0.1", "--scenarios", &scenario];
        self.run(&[&dialect[..], &["sh", &agent]].concat())
    }

    /// The same for a scenario whose last wait is in vain: it is not to take long.
    pub(crate) fn play_in_vain(&self, scenario: &str, agent: &str) -> Ran {
        let short = "budgets: { response: 500ms, idle: 500ms, exit: 500ms }\n";
        self.play(&format!("{}{short}", scenario.trim_start()), agent)
    }

    /// Plays one scenario, and keeps its transcripts in the folder `transcripts`.
    pub(crate) fn play_and_keep(&self, scenario: &str, agent: &str) -> Ran {
        let folder = self.path("transcripts");
        let scenario = self.file("one.yaml", scenario);
        let script = self.file("agent.sh", agent);
        self.run(&[
            "--dialect",
            "aionrs",
            "--scenarios",
            &scenario,
            "--transcripts",
            folder.to_str().unwrap(),
            "sh",
            &script,
        ])
    }

    /// `conform run` with these arguments.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        let report = self.path("report.json");
        let mut command = self.command("run");
        command.arg("--report");
        command.arg(format!("json={}", report.display()));
        let output = finish(command.args(args).spawn().unwrap());
        let ran = Ran {
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            report: std::fs::read(&report)
                .ok()
                .map(|text| serde_json::from_slice(&text).unwrap()),
        };
        self.is_clean(&ran);
        ran
    }

    /// A command of conform's that leaves its traces here and nowhere else.
    pub(crate) fn command(&self, name: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
        command
            .arg(name)
            .current_dir(self.dir.path())
            .env("TMPDIR", self.path("tmp"))
            .env("CONFORM_LOG", "warn")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// No process and no scratch folder stays behind: agents have their HOME below this place.
    fn is_clean(&self, ran: &Ran) {
        let left = processes_with(&self.path("tmp"));
        assert_eq!(left, Vec::<String>::new(), "{ran:?}");
        let scratch: Vec<_> = std::fs::read_dir(self.path("tmp"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.starts_with("conform-transcripts"))
            .collect();
        assert_eq!(scratch, Vec::<String>::new(), "{ran:?}");
    }
}

/// Waits for a process, and kills it if it hangs.
pub(crate) fn finish(child: std::process::Child) -> Output {
    let pid = rustix::process::Pid::from_child(&child);
    let (done, watched) = std::sync::mpsc::channel::<()>();
    let watchdog = std::thread::spawn(move || {
        if watched.recv_timeout(HANG) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
        }
    });
    let output = child.wait_with_output().unwrap();
    drop(done);
    watchdog.join().unwrap();
    output
}

/// Waits until something is so.
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < HANG, "in vain: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The processes that have this folder somewhere in their environment, by their command lines.
pub(crate) fn processes_with(folder: &Path) -> Vec<String> {
    let folder = folder.display().to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| {
            let environment = std::fs::read(process.path().join("environ")).ok()?;
            let command = std::fs::read(process.path().join("cmdline")).ok()?;
            let said = String::from_utf8_lossy(&environment).contains(&folder);
            said.then(|| String::from_utf8_lossy(&command).replace('\0', " "))
        })
        .collect()
}

impl Ran {
    /// Everything it said.
    pub(crate) fn said(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// Its only scenario.
    pub(crate) fn only(&self) -> &ScenarioReport {
        let report = self
            .report
            .as_ref()
            .unwrap_or_else(|| panic!("no report: {self:?}"));
        assert_eq!(report.scenarios.len(), 1, "{self:?}");
        &report.scenarios[0]
    }

    /// The rules that its only scenario found broken.
    pub(crate) fn rules(&self) -> Vec<&str> {
        self.only()
            .findings
            .iter()
            .map(|finding| finding.rule.as_str())
            .collect()
    }

    /// The message of the finding of a rule.
    pub(crate) fn message(&self, rule: &str) -> &str {
        let found = self
            .only()
            .findings
            .iter()
            .find(|finding| finding.rule == rule);
        &found
            .unwrap_or_else(|| panic!("no {rule}: {self:?}"))
            .message
    }

    #[track_caller]
    pub(crate) fn ends_with(&self, status: i32, word: &str) -> &Self {
        assert_eq!(self.status, Some(status), "{self:?}");
        assert!(self.said().contains(word), "no {word:?} in {self:?}");
        self
    }
}

impl std::fmt::Debug for Ran {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "status {:?}\n{}\n{}",
            self.status, self.stdout, self.stderr
        )
    }
}

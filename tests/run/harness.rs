//! Runs `conform` in a temporary folder and checks that it leaves nothing behind.

use conform_report::{Report, ScenarioReport};
use rustix::process::{Pid, Signal, kill_process};
use std::fmt::{self, Display, Formatter};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The timeout of every wait. No test takes this long on a busy machine, so it expires only for a hang.
const TIMEOUT: Duration = Duration::from_secs(300);

/// A temporary folder for scripts, scenarios and the files that conform writes.
pub(crate) struct TestDir {
    temp: TempDir,
}

/// The result of an invocation.
pub(crate) struct RunResult {
    pub(crate) status: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) report: Option<Report>,
}

impl Display for RunResult {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.stdout, self.stderr)
    }
}

impl TestDir {
    pub(crate) fn new() -> Self {
        let temp = tempfile::tempdir().unwrap();
        std::fs::create_dir(temp.path().join("tmp")).unwrap();
        TestDir { temp }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.temp.path().join(name)
    }

    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }

    /// `conform run` with one scenario, against an agent that is a shell script.
    pub(crate) fn run_scenario(&self, scenario: &str, agent: &str) -> RunResult {
        let scenario = self.file("scenarios/one.yaml", scenario);
        let agent = self.file("agent.sh", agent);
        let dialect = ["--dialect", "aionrs@0.1", "--scenarios", &scenario];
        self.run(&[&dialect[..], &["sh", &agent]].concat())
    }

    /// The same with short time budgets, for a scenario whose last wait times out.
    pub(crate) fn run_with_short_budgets(&self, scenario: &str, agent: &str) -> RunResult {
        let short = "budgets: { response: 500ms, idle: 500ms, exit: 500ms }\n";
        self.run_scenario(&format!("{}{short}", scenario.trim_start()), agent)
    }

    /// Runs one scenario and writes its transcripts to the folder `transcripts`.
    pub(crate) fn run_with_transcripts(&self, scenario: &str, agent: &str) -> RunResult {
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
    pub(crate) fn run(&self, args: &[&str]) -> RunResult {
        let report = self.path("report.json");
        let mut command = self.command("run");
        command.arg("--report");
        command.arg(format!("json={}", report.display()));
        let output = finish(command.args(args).spawn().unwrap());
        let result = RunResult {
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            report: std::fs::read(&report)
                .ok()
                .map(|text| serde_json::from_slice(&text).unwrap()),
        };
        self.assert_clean(&result);
        result
    }

    /// A `conform` command that writes its temporary files to this folder.
    pub(crate) fn command(&self, name: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
        command
            .arg(name)
            .current_dir(self.temp.path())
            .env("TMPDIR", self.path("tmp"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("CONFORM_LOG", "warn")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Asserts that no process and no temporary folder is left: agents have their HOME in this folder.
    fn assert_clean(&self, result: &RunResult) {
        let processes = processes_with(&self.path("tmp"));
        assert_eq!(processes, Vec::<String>::new(), "{result:?}");
        assert_eq!(self.left_folders(), Vec::<String>::new(), "{result:?}");
    }

    /// The temporary folders that are left, but for those of transcripts, which the last line of a run names.
    pub(crate) fn left_folders(&self) -> Vec<String> {
        std::fs::read_dir(self.path("tmp"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.starts_with("conform-transcripts"))
            .collect()
    }
}

/// Waits for a process and kills it if it hangs.
pub(crate) fn finish(child: std::process::Child) -> Output {
    let pid = Pid::from_child(&child);
    let (done, watched) = std::sync::mpsc::channel::<()>();
    let watchdog = std::thread::spawn(move || {
        if watched.recv_timeout(TIMEOUT) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            let _ = kill_process(pid, Signal::KILL);
        }
    });
    let output = child.wait_with_output().unwrap();
    drop(done);
    watchdog.join().unwrap();
    output
}

/// Waits until a condition is true.
pub(crate) fn wait_until(what: &str, is_true: impl Fn() -> bool) {
    let start = Instant::now();
    while !is_true() {
        assert!(start.elapsed() < TIMEOUT, "timeout: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The command lines of all processes whose environment contains this path.
pub(crate) fn processes_with(folder: &Path) -> Vec<String> {
    let found = pids_with(folder).into_iter();
    found
        .filter_map(|pid| {
            let command = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
            Some(String::from_utf8_lossy(&command).replace('\0', " "))
        })
        .collect()
}

/// Kills those processes, and waits until they are gone.
pub(crate) fn kill_all_with(folder: &Path) {
    wait_until("the processes are gone", || {
        let left = pids_with(folder);
        for pid in left.iter().filter_map(|pid| Pid::from_raw(*pid)) {
            // It fails if the process has ended.
            let _ = kill_process(pid, Signal::KILL);
        }
        left.is_empty()
    });
}

fn pids_with(folder: &Path) -> Vec<i32> {
    let folder = folder.display().to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter_map(|process| {
            let environment = std::fs::read(process.path().join("environ")).ok()?;
            let is_below = String::from_utf8_lossy(&environment).contains(&folder);
            let pid = process.file_name().to_str()?.parse().ok()?;
            is_below.then_some(pid)
        })
        .collect()
}

impl RunResult {
    /// The joined stdout and stderr.
    pub(crate) fn all_output(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// Its only scenario.
    pub(crate) fn only_scenario(&self) -> &ScenarioReport {
        let report = self
            .report
            .as_ref()
            .unwrap_or_else(|| panic!("no report: {self:?}"));
        assert_eq!(report.scenarios.len(), 1, "{self:?}");
        &report.scenarios[0]
    }

    /// The rules of the findings of its only scenario.
    pub(crate) fn rules(&self) -> Vec<&str> {
        self.only_scenario()
            .findings
            .iter()
            .map(|finding| finding.rule.as_str())
            .collect()
    }

    /// The message of the first finding of a rule.
    pub(crate) fn message(&self, rule: &str) -> &str {
        let found = self
            .only_scenario()
            .findings
            .iter()
            .find(|finding| finding.rule == rule);
        &found
            .unwrap_or_else(|| panic!("no {rule}: {self:?}"))
            .message
    }

    #[track_caller]
    pub(crate) fn assert_exit(&self, status: i32, text: &str) -> &Self {
        assert_eq!(self.status, Some(status), "{self:?}");
        assert!(self.all_output().contains(text), "no {text:?} in {self:?}");
        self
    }
}

impl std::fmt::Debug for RunResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "status {:?}\n{}\n{}",
            self.status, self.stdout, self.stderr
        )
    }
}

/// Whether the kernel lets conform have a network namespace.
pub(crate) fn is_namespace_allowed() -> bool {
    let mut check = Command::new(env!("CARGO_BIN_EXE_conform"));
    check.arg("check-isolation").status().unwrap().success()
}

//! Instructions that programs execute, counted by valgrind: unlike time, they hardly depend on what else the machine does.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// The instructions of a process, and of the processes of the same program that it started.
#[derive(Clone, Copy)]
pub(crate) struct Counts {
    pub(crate) own: f64,
    pub(crate) children: f64,
}

/// A program under valgrind, with a folder for what it writes.
pub(crate) struct Counted {
    pub(crate) child: Child,
    program: String,
    folder: TempDir,
}

impl Counted {
    /// Starts a program of the folder of this one, with an empty stdin and an environment that is always the same.
    pub(crate) fn start(program: &str, args: &[&str]) -> Self {
        let own_program = std::env::current_exe().expect("a path");
        let program = own_program.with_file_name(program).display().to_string();
        let folder = tempfile::tempdir().expect("a folder");
        let child = Command::new("valgrind")
            .args(["--tool=cachegrind", "--cache-sim=no"])
            .args(["--cachegrind-out-file=/dev/null", "--trace-children=yes"])
            .arg(format!("--log-file={}", log(folder.path(), "%p").display()))
            .arg(&program)
            .args(args)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", folder.path())
            .env("TMPDIR", folder.path())
            .current_dir(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("valgrind is installed");
        Counted {
            child,
            program,
            folder,
        }
    }

    /// Waits until the program has ended with success, and reads the counts.
    pub(crate) fn finish(self) -> Counts {
        let own = log(self.folder.path(), &self.child.id().to_string());
        let output = self.child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
        let mut counts = Counts {
            own: 0.0,
            children: 0.0,
        };
        for entry in std::fs::read_dir(self.folder.path()).expect("the folder") {
            let path = entry.expect("a file").path();
            if path == own {
                counts.own = collected(&path, &self.program).expect("a count");
            } else if path.extension().is_some_and(|extension| extension == "log") {
                counts.children += collected(&path, &self.program).unwrap_or_default();
            }
        }
        counts
    }
}

fn log(folder: &Path, pid: &str) -> PathBuf {
    folder.join(format!("{pid}.log"))
}

/// The count at the end of a log; `None` for the shells and tools that an agent starts.
fn collected(log: &Path, program: &str) -> Option<f64> {
    let log = std::fs::read_to_string(log).expect("a log");
    let value = |key: &str| log.lines().find_map(|line| Some(line.split_once(key)?.1));
    let ours = value(" Command: ")?.starts_with(program);
    let instructions = ours.then(|| value(" refs:"))??;
    instructions.trim().replace(',', "").parse().ok()
}

//! The command line that plays one scenario again, as findings show it.

use super::args::RunRequest;
use crate::cli::args::DialectArgs;
use crate::cli::output::quoted;
use std::path::{Path, PathBuf};

/// The command that plays one scenario again.
#[derive(Debug)]
pub(in crate::cli) struct RerunCommand {
    before: String,
    agent: String,
}

impl RerunCommand {
    /// The command of this run, with the dialect as it was detected.
    pub(super) fn new(args: &RunRequest, dialect: &DialectArgs, ids: &[String]) -> Self {
        let start = &args.start;
        let path = |path: &PathBuf| path.to_string_lossy().into_owned();
        let is_scaled = start.time_scale.to_bits() != 1.0_f64.to_bits();
        let seed = (start.seed != 0).then(|| start.seed.to_string());
        let time_scale = is_scaled.then(|| start.time_scale.to_string());
        let options: [(&str, Vec<String>); 10] = [
            (
                "--dialect-dir",
                dialect.dialect_dir.iter().map(path).collect(),
            ),
            (
                "--dialect",
                ids.iter().filter(|_| ids.len() == 1).cloned().collect(),
            ),
            (
                "--agent-script",
                start.agent_script.iter().map(path).collect(),
            ),
            ("--agent-file", start.agent_file.iter().map(path).collect()),
            ("--scenarios", args.scenarios.iter().map(path).collect()),
            ("--wire", start.wire.iter().cloned().collect()),
            ("--env", start.env.clone()),
            ("--lacks", start.lacks.clone()),
            ("--seed", seed.into_iter().collect()),
            ("--time-scale", time_scale.into_iter().collect()),
        ];
        let mut before = "conform run".to_owned();
        for (name, values) in options {
            for value in values {
                before += &format!(" {name} {}", quoted(&value));
            }
        }
        let words = start.agent.iter();
        let agent = words.map(|word| format!(" {}", quoted(&word.to_string_lossy())));
        RerunCommand {
            before,
            agent: agent.collect(),
        }
    }

    /// The command for a scenario in a file of this dialect.
    pub(in crate::cli) fn file_line(&self, dialect: &str, path: &Path) -> String {
        let path = quoted(&path.to_string_lossy());
        format!(
            "{} --scenarios {path}{}",
            self.of_dialect(dialect),
            self.agent
        )
    }

    /// The command for the session with this number of a seed of `conform explore`.
    pub(in crate::cli) fn explore_line(&self, dialect: &str, seed: u64, number: usize) -> String {
        let before = self.of_dialect(dialect).replacen(" run", " explore", 1);
        let seed = match seed {
            0 => " --seed 0",
            _ => "",
        };
        format!("{before}{seed} --session {number}{}", self.agent)
    }

    /// The command with this dialect.
    fn of_dialect(&self, dialect: &str) -> String {
        let before = &self.before;
        if before.contains(" --dialect ") {
            before.clone()
        } else {
            format!("{before} --dialect {}", quoted(dialect))
        }
    }

    /// The command for the scenario of this id.
    pub(super) fn line(&self, id: &str) -> String {
        format!("{} --only {}{}", self.before, quoted(id), self.agent)
    }
}

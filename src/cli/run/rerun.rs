//! The command line that plays one scenario again, as findings show it.

use super::args::RunRequest;
use crate::cli::args::DialectArgs;
use crate::cli::output::quoted;
use std::path::Path;

/// The command that plays one scenario again.
#[derive(Debug)]
pub(in crate::cli) struct RerunCommand {
    before: String,
    agent: String,
}

impl RerunCommand {
    /// The command of this run, with the dialect as it was detected.
    pub(super) fn new(args: &RunRequest, dialect: &DialectArgs, ids: &[String]) -> Self {
        let mut words = vec!["conform".to_owned(), "run".to_owned()];
        let mut option = |name: &str, value: &str| words.extend([name.to_owned(), quoted(value)]);
        if let Some(folder) = &dialect.dialect_dir {
            option("--dialect-dir", &folder.to_string_lossy());
        }
        if let [id] = ids {
            option("--dialect", id);
        }
        if let Some(script) = &args.start.agent_script {
            option("--agent-script", &script.to_string_lossy());
        }
        for path in &args.scenarios {
            option("--scenarios", &path.to_string_lossy());
        }
        if let Some(wire) = &args.start.wire {
            option("--wire", wire);
        }
        for entry in &args.start.env {
            option("--env", entry);
        }
        for what in &args.start.lacks {
            option("--lacks", what);
        }
        if args.start.seed != 0 {
            option("--seed", &args.start.seed.to_string());
        }
        if args.start.time_scale.to_bits() != 1.0_f64.to_bits() {
            option("--time-scale", &args.start.time_scale.to_string());
        }
        let agent = args
            .start
            .agent
            .iter()
            .map(|word| format!(" {}", quoted(&word.to_string_lossy())));
        RerunCommand {
            before: words.join(" "),
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

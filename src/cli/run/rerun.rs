//! The command line that plays one scenario again, as findings show it.

use super::args::RunRequest;
use crate::cli::args::DialectArgs;
use crate::cli::output::quoted;

/// The command that plays one scenario again.
#[derive(Debug)]
pub(super) struct RerunCommand {
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
        if let Some(script) = &args.agent_script {
            option("--agent-script", &script.to_string_lossy());
        }
        for path in &args.scenarios {
            option("--scenarios", &path.to_string_lossy());
        }
        if let Some(wire) = &args.wire {
            option("--wire", wire);
        }
        for entry in &args.env {
            option("--env", entry);
        }
        for what in &args.lacks {
            option("--lacks", what);
        }
        if args.seed != 0 {
            option("--seed", &args.seed.to_string());
        }
        if args.time_scale.to_bits() != 1.0_f64.to_bits() {
            option("--time-scale", &args.time_scale.to_string());
        }
        let agent = args
            .agent
            .iter()
            .map(|word| format!(" {}", quoted(&word.to_string_lossy())));
        RerunCommand {
            before: words.join(" "),
            agent: agent.collect(),
        }
    }

    /// The command for the scenario of this id.
    pub(super) fn line(&self, id: &str) -> String {
        format!("{} --only {}{}", self.before, quoted(id), self.agent)
    }
}

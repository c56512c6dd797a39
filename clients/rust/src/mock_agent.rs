//! What a test says of its agent.

use crate::prepared::Prepared;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A mock agent as a test wants it.
#[derive(Debug, Clone)]
pub struct MockAgent {
    pub(crate) program: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) env: BTreeMap<String, OsString>,
    pub(crate) timeout: Duration,
    script: Option<String>,
}

/// The arguments with which the real agent of each protocol is started.
const ARGUMENTS: [(&str, &str); 4] = [
    ("acp", "--acp"),
    ("aionrs", "--json-stream"),
    ("pi", "--mode rpc"),
    ("synaps", "rpc"),
];

impl MockAgent {
    /// An agent that repeats the prompt. The protocol is `NAME@VERSION`, or `NAME` for the version that its hosts speak.
    #[must_use]
    pub fn new(protocol: &str) -> Self {
        let name = protocol.split('@').next();
        let known = ARGUMENTS.iter().find(|(known, _)| Some(*known) == name);
        let args = known.map_or("", |(_, args)| args);
        MockAgent {
            program: env::var_os("MOCK_AGENT").map_or_else(|| "mock-agent".into(), PathBuf::from),
            args: args.split_whitespace().map(str::to_owned).collect(),
            env: BTreeMap::from([("MOCK_AGENT_PROTOCOL".to_owned(), protocol.into())]),
            timeout: Duration::from_secs(10),
            script: None,
        }
    }

    /// What the agent says: the name of a built-in script, the path of a file that ends in `.yaml`, or the replies, as YAML or `json!`.
    #[must_use]
    pub fn script(mut self, script: impl ToString) -> Self {
        self.script = Some(script.to_string());
        self
    }

    /// One more argument, after those of the protocol.
    #[must_use]
    pub fn arg(mut self, arg: &str) -> Self {
        self.args.push(arg.to_owned());
        self
    }

    /// One more variable, such as `MOCK_AGENT_FAULT`, or `MOCK_AGENT_CLOCK` with the value `stopped`.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.env.insert(name.to_owned(), value.into());
        self
    }

    /// The path of `mock-agent`. By default `MOCK_AGENT` of the environment, or `mock-agent` on the PATH.
    #[must_use]
    pub fn program(mut self, path: impl Into<PathBuf>) -> Self {
        self.program = path.into();
        self
    }

    /// How long each wait may take; by default 10 s.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Prepares the agent. The host starts it. Panics if there is no such program, or no temporary folder can be written.
    #[track_caller]
    #[must_use]
    pub fn start(mut self) -> Prepared {
        let created = tempfile::Builder::new().prefix("mock-agent-").tempdir();
        let folder = created.expect("a temporary folder");
        std::fs::create_dir(folder.path().join("workspace")).expect("a folder for the agent");
        self.program = find(&self.program).unwrap_or_else(|| {
            let name = self.program.display();
            panic!("there is no program {name}: name the mock agent by `program` or by MOCK_AGENT in the environment")
        });
        for (name, file) in [
            ("CONTROL", "control"),
            ("JUDGE", "host-{pid}.txt"),
            ("TRANSCRIPT", "session-{pid}.jsonl"),
        ] {
            self = self.env(&format!("MOCK_AGENT_{name}"), folder.path().join(file));
        }
        if let Some(script) = self.script.take() {
            let setting = script_setting(&script, &folder.path().join("script.yaml"));
            self = self.env("MOCK_AGENT_SCRIPT", setting);
        }
        Prepared::new(self, folder)
    }
}

/// The value of `MOCK_AGENT_SCRIPT` for a script, which is written to the file if it is none yet.
fn script_setting(script: &str, file: &Path) -> OsString {
    let is_in_name =
        |character: char| character.is_ascii_alphanumeric() || "-_".contains(character);
    let is_path = [".yaml", ".yml", ".json"]
        .iter()
        .any(|end| script.ends_with(end));
    if script.chars().all(is_in_name) {
        script.into()
    } else if is_path && !script.contains('\n') {
        std::path::absolute(script)
            .expect("a current folder")
            .into()
    } else {
        std::fs::write(file, script).expect("a script in a temporary folder");
        file.into()
    }
}

/// The path of a program, by its path or by its name on the PATH.
fn find(program: &Path) -> Option<PathBuf> {
    let folders = match program.components().count() {
        1 => env::split_paths(&env::var_os("PATH").unwrap_or_default()).collect(),
        _ => vec![env::current_dir().ok()?],
    };
    let mut places = folders.iter().map(|folder| folder.join(program));
    places.find(|place| place.is_file())
}

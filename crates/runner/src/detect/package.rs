//! The package that an agent's program belongs to, and its version.

use crate::agent::Agent;
use regex::Regex;
use serde_json::Value;
use std::path::Path;

/// The package of a program, from its `package.json` or from the output of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// How many folders above a program are searched for a `package.json`.
const DEPTH: usize = 4;
/// The largest `package.json` that is read, in bytes.
const LIMIT: u64 = 1 << 20;

impl Package {
    /// The package of an agent's program, or else of the first file among its arguments: `node dist/cli.js` is started by its interpreter.
    #[must_use]
    pub fn of_agent(agent: &Agent) -> Option<Self> {
        let args = agent.args.iter().map(Path::new);
        let files =
            std::iter::once(agent.program.as_path()).chain(args.filter(|arg| arg.is_file()));
        files.take(2).find_map(Package::find)
    }

    /// The package of the file that a path leads to: the nearest `package.json` with a name and a version above it.
    fn find(program: &Path) -> Option<Self> {
        let file = program.canonicalize().ok()?;
        file.ancestors()
            .skip(1)
            .take(DEPTH)
            .find_map(|folder| Self::read(&folder.join("package.json")))
    }

    /// The package that the output of a program names: `pattern` is a regular expression with the groups `name` and `version`.
    pub(super) fn from_output(pattern: &str, output: &str) -> Option<Self> {
        let found = Regex::new(pattern).ok()?.captures(output)?;
        let group = |name: &str| Some(found.name(name)?.as_str().to_owned());
        Some(Package {
            name: group("name")?,
            version: group("version")?,
        })
    }

    /// Whether this is a version before `other`; numbers are compared part by part.
    pub(super) fn is_before(&self, other: &str) -> bool {
        numbers(&self.version) < numbers(other)
    }

    /// Whether this is a version after all that `other`, a version of a dialect such as `1.6`, stands for.
    #[must_use]
    pub fn is_after(&self, other: &str) -> bool {
        let (own, other) = (numbers(&self.version), numbers(other));
        let parts = own.len().min(other.len().max(1));
        own[..parts] > other[..]
    }

    fn read(path: &Path) -> Option<Self> {
        let size = path.metadata().ok()?.len();
        let text = std::fs::read(path).ok().filter(|_| size <= LIMIT)?;
        let value: Value = serde_json::from_slice(&text).ok()?;
        let text = |name: &str| value.get(name)?.as_str().map(str::to_owned);
        Some(Package {
            name: text("name")?,
            version: text("version")?,
        })
    }
}

fn numbers(version: &str) -> Vec<u64> {
    let release = version.split(['-', '+']).next().unwrap_or_default();
    let parts = release.split('.');
    let mut numbers: Vec<u64> = parts.map(|part| part.parse().unwrap_or(0)).collect();
    while numbers.last() == Some(&0) {
        numbers.pop();
    }
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn the_version_is_read_from_the_output_of_a_program() {
        let pattern = r"(?m)^(?<name>agent) (?<version>\d\S*)$";
        let found = Package::from_output(pattern, "note: hello\nagent 0.1.6\n").unwrap();
        assert_eq!(
            (found.name.as_str(), found.version.as_str()),
            ("agent", "0.1.6")
        );
        assert!(found.is_before("0.11"));
        assert_eq!(Package::from_output(pattern, "mock-agent 0.1.6"), None);
    }

    #[test]
    fn a_linked_program_is_part_of_the_package_it_leads_to() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("lib/agent");
        std::fs::create_dir_all(package.join("dist")).unwrap();
        std::fs::write(package.join("dist/cli.js"), "").unwrap();
        symlink("lib/agent/dist/cli.js", folder.path().join("agent")).unwrap();
        let program = folder.path().join("agent");
        std::fs::write(package.join("dist/package.json"), r#"{"type":"module"}"#).unwrap();
        assert_eq!(Package::find(&program), None);

        let json = r#"{"name":"@x/agent","version":"0.13.2"}"#;
        std::fs::write(package.join("package.json"), json).unwrap();
        let found = Package::find(&program).unwrap();

        assert_eq!(found.name, "@x/agent");
        for (other, before) in [
            ("0.14", true),
            ("0.13.10", true),
            ("0.13.2", false),
            ("0.13", false),
            ("0.2.9", false),
            ("1", true),
        ] {
            assert_eq!(found.is_before(other), before, "{other}");
        }
    }
}

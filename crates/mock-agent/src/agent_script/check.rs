//! Loads an agent script from a file, and reports every mistake in it.

use super::AgentScript;
use super::compile::compile;
use super::file::AgentScriptFile;
use super::vocabulary::Vocabulary;
use conform_dialect::DialectSource;
use spanned_yaml::{Error, Node};
use std::path::Path;

/// Loads the script of a dialect.
///
/// # Errors
/// Every mistake in the file, with its location and the line of the file.
pub(crate) fn load(path: &Path, vocabulary: &Vocabulary) -> Result<AgentScript, String> {
    let node = spanned_yaml::load_file(path).map_err(|error| error.to_string())?;
    check(&node, vocabulary).map_err(|errors| {
        let shown = errors.iter().map(Error::to_string);
        shown.collect::<Vec<_>>().join("\n")
    })
}

/// Checks an agent script of a dialect, `NAME@VERSION`.
///
/// # Errors
/// Every mistake in the script, at its location; or the reason why the dialect cannot be loaded.
pub fn check_agent_script(
    node: &Node,
    source: &DialectSource,
    dialect: &str,
) -> Result<Vec<Error>, String> {
    let vocabulary = Vocabulary::load(source, Some(dialect))?;
    Ok(check(node, &vocabulary).err().unwrap_or_default())
}

/// The script in a node.
///
/// # Errors
/// Every mistake, at its location.
fn check(node: &Node, vocabulary: &Vocabulary) -> Result<AgentScript, Vec<Error>> {
    let file: AgentScriptFile = spanned_yaml::decode(node).map_err(|error| vec![error])?;
    compile(&file, node, vocabulary)
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_dialect::FrameNames;
    use spanned_yaml::load_yaml;

    fn named(names: &[&str]) -> FrameNames {
        let names = names.iter();
        FrameNames {
            discriminator: "/type".into(),
            names: names
                .map(|name| ((*name).to_owned(), Default::default()))
                .collect(),
            structure: None,
        }
    }

    fn vocabulary() -> Vocabulary {
        Vocabulary {
            dialect: "bird@1".into(),
            events: named(&["hello", "word"]),
            commands: named(&["say", "quit"]),
            ..Vocabulary::default()
        }
    }

    fn errors(text: &str) -> Vec<String> {
        let node = load_yaml("s.yaml", text).expect("good YAML");
        match check(&node, &vocabulary()) {
            Ok(_) => Vec::new(),
            Err(errors) => errors.iter().map(Error::headline).collect(),
        }
    }

    #[test]
    fn a_name_can_be_used_from_where_it_is_captured() {
        let script = "
start: [{ send: { type: hello } }]
commands:
  - on: { type: say }
    capture: { text: /text }
    do:
      - send: { type: word, $$plain: '{text}' }
      - gate: half
      - expect: { on: { type: say, id: '{text}' }, capture: { more: /text } }
      - send: { type: '{more}', command: '{command}' }
  - { on: { type: quit }, while_busy: only, do: [{ release: half }, { send: { type: word, text: '{more}' } }, stop, { exit: 3 }] }
malformed: [{ send_bytes: '{line}' }]
unknown: [{ send_raw: '{command}' }]
";
        assert_eq!(errors(script), Vec::<String>::new());
    }

    /// Scripts, each with its error on the next line.
    const MISTAKES: &str = r#"
start: []
    s.yaml:1:1: the key `commands` or `session` is missing
dialect: bird@2\ncommands: []
    s.yaml:1:10: this is a script of bird@2, and the agent speaks bird@1
start: [stop]\nsession: [stop]
    s.yaml:1:1: a session begins at the start
session: [{ expect: {} }]
    s.yaml:1:21: an `expect` has either `on` or `line`
session: [{ expect: { on: { type: sayy } } }]
    s.yaml:1:35: unknown command of bird@1 `sayy`; did you mean `say`?
session: [{ expect: { on: { id: '{x}' } } }]
    s.yaml:1:33: unknown name `x`
commands: []\nstrat: []
    s.yaml:2:1: unknown key `strat`; did you mean `start`?
commands: [{ on: {}, doo: [] }]
    s.yaml:1:22: unknown key `doo`; did you mean `do`?
commands: [{ on: {}, do: [{ sned: {} }] }]
    s.yaml:1:29: unknown word `sned`; did you mean `send`?
commands: [{ on: {}, do: [{ send: {type: word}, pause: 1s }] }]
    s.yaml:1:27: expected a map with one key, found one with 2
commands: [{ on: { type: sayy }, do: [] }]
    s.yaml:1:26: unknown command of bird@1 `sayy`; did you mean `say`?
commands: [{ on: { type: { $regx: x } }, do: [] }]
    s.yaml:1:28: unknown operator `$regx`; did you mean `$regex`?
commands: [{ on: { id: '{x}' }, do: [] }]
    s.yaml:1:24: unknown name `x` (there are none)
variables: { n: 1 }\ncommands: []
    s.yaml:1:1: unknown key `variables`
commands: [{ on: {}, capture: { id: id }, do: [] }]
    s.yaml:1:37: expected a JSON Pointer such as `/id`, found `id`
commands: []\nstart: [{ send: hello }]
    s.yaml:2:17: expected an event, which is a map, found the text "hello"
commands: []\nstart: [{ send: { kind: hello } }]
    s.yaml:2:17: this event has no name at /type
commands: []\nstart: [{ send: { type: helo } }]
    s.yaml:2:25: unknown event of bird@1 `helo`; did you mean `hello`?
commands: []\nstart: [{ send: { type: word, text: '{text}' } }]
    s.yaml:2:37: unknown name `text`
commands: []\nstart: [{ send: { type: word, text: { $upper: a } } }]
    s.yaml:2:39: `$upper` cannot be a key of an event: write `$$upper`
commands: []\nstart: [{ pause: 5 }]
    s.yaml:2:18: expected a duration with its unit
commands: []\nstart: [{ release: half }]
    s.yaml:2:20: unknown gate `half` (there are none)
commands: []\nstart: [{ exit: 256 }]
    s.yaml:2:17: expected a whole number from 0 to 255
"#;

    #[test]
    fn each_mistake_is_one_error_with_a_location() {
        let lines: Vec<&str> = MISTAKES.trim().lines().collect();
        for pair in lines.chunks(2) {
            let script = pair[0].replace("\\n", "\n");
            let found = errors(&script);
            assert_eq!(found.len(), 1, "{script}: {found:?}");
            assert!(found[0].starts_with(pair[1].trim()), "{script}: {found:?}");
        }
    }
}

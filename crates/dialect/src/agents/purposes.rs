//! Tools by purpose: puts an agent's own names of tools and arguments in the place of the purposes that a scenario names.

use super::file::{KnownAgent, ToolFile};
use indexmap::{IndexMap, IndexSet};
use spanned_yaml::{Error, Key, Kind, Node, unknown};

/// The key of a call in a model script that names a purpose.
const USE: &str = "use";
/// The operator that stands for the name of a tool.
const TOOL: &str = "$tool";
/// The operator that stands for the arguments of a tool.
const ARGS: &str = "$args";

/// A scenario with the tools of an agent.
#[derive(Debug)]
pub struct ByPurpose {
    /// The scenario.
    pub scenario: Node,
    /// The purposes that it names.
    pub purposes: IndexSet<String>,
}

/// A scenario or a model script with the tools of an agent in the place of purposes. A purpose without a tool is its own name.
///
/// # Errors
/// Unknown purposes and arguments, and calls that name both a tool and a purpose.
pub fn by_purpose(
    scenario: &Node,
    purposes: &IndexMap<String, Vec<String>>,
    agent: Option<&KnownAgent>,
) -> Result<ByPurpose, Vec<Error>> {
    let mut rewriter = Rewriter {
        purposes,
        agent,
        used: IndexSet::new(),
        errors: Vec::new(),
    };
    let scenario = if purposes.is_empty() {
        scenario.clone()
    } else {
        rewriter.rewrite(scenario, false)
    };
    if rewriter.errors.is_empty() {
        let purposes = rewriter.used;
        Ok(ByPurpose { scenario, purposes })
    } else {
        Err(rewriter.errors)
    }
}

struct Rewriter<'a> {
    purposes: &'a IndexMap<String, Vec<String>>,
    agent: Option<&'a KnownAgent>,
    used: IndexSet<String>,
    errors: Vec<Error>,
}

impl Rewriter<'_> {
    /// A value, which may be a call of a model script or a list of calls.
    fn rewrite(&mut self, node: &Node, is_call: bool) -> Node {
        match node.kind() {
            Kind::List(items) => {
                let items = items.iter().map(|item| self.rewrite(item, is_call));
                node.with_kind(Kind::List(items.collect()))
            }
            Kind::Map(entries) => {
                if is_call && let Some((key, purpose)) = node.entry(USE) {
                    return self.call(node, key, purpose);
                }
                if let [(key, value)] = &entries[..] {
                    match key.name.as_str() {
                        TOOL => return self.tool_name(value),
                        ARGS => return self.arguments(value),
                        _ => {}
                    }
                }
                let entry = |(key, value): &(Key, Node)| {
                    let is_call = matches!(key.name.as_str(), "tool_calls" | "tool_call");
                    (key.clone(), self.rewrite(value, is_call))
                };
                node.with_kind(Kind::Map(entries.iter().map(entry).collect()))
            }
            _ => node.clone(),
        }
    }

    /// The tool for a purpose, with the arguments of the purpose.
    fn find(&mut self, purpose: &str, place: &Node) -> Option<(Option<ToolFile>, Vec<String>)> {
        let Some(arguments) = self.purposes.get(purpose) else {
            let known = self.purposes.keys().map(String::as_str);
            self.errors
                .push(place.error(unknown("purpose", purpose, known)));
            return None;
        };
        self.used.insert(purpose.to_owned());
        let tools = self.agent.map(|agent| &agent.file.tools);
        let tool = tools.and_then(|tools| {
            let mut tools = tools.iter();
            tools
                .find(|(own, _)| own.value == purpose)
                .map(|(_, tool)| tool.clone())
        });
        Some((tool, arguments.clone()))
    }

    fn call(&mut self, call: &Node, key: &Key, purpose: &Node) -> Node {
        let name = purpose.as_str().unwrap_or_default();
        if call.get("name").is_some() {
            let message = "a call has `use` with a purpose, or `name` with a tool, but not both";
            self.errors.push(call.error_at(key.span, message));
        }
        let Some((tool, known)) = self.find(name, purpose) else {
            return call.clone();
        };
        let args = call.get("args");
        let args = args.map(|args| self.renamed(args, name, &known, tool.as_ref()));
        let mut entries: Vec<(Key, Node)> = Vec::new();
        for (entry, value) in call.as_map().unwrap_or_default() {
            match entry.name.as_str() {
                USE => {
                    let tool = tool.as_ref().map_or(name, |tool| &tool.name.value);
                    let text = Kind::Text(tool.to_owned());
                    entries.push((named("name", key), purpose.with_kind(text)));
                }
                "args" => {}
                _ => entries.push((entry.clone(), value.clone())),
            }
        }
        let is_raw = call.get("args_raw").is_some();
        if let Some(tool) = tool.filter(|_| !is_raw) {
            let written = call.get("args").and_then(Node::as_map).unwrap_or_default();
            let args = with_fixed(args.unwrap_or_default(), &tool, written, purpose);
            let args = call.with_kind(Kind::Map(args));
            entries.push((named("args", key), args));
        } else if let Some(args) = args {
            let args = call.with_kind(Kind::Map(args));
            entries.push((named("args", key), args));
        }
        call.with_kind(Kind::Map(entries))
    }

    fn tool_name(&mut self, purpose: &Node) -> Node {
        let name = purpose.as_str().unwrap_or_default();
        let found = self.find(name, purpose);
        match found.and_then(|(tool, _)| tool) {
            Some(tool) => purpose.with_kind(Kind::Text(tool.name.value)),
            None => purpose.clone(),
        }
    }

    fn arguments(&mut self, by_purpose: &Node) -> Node {
        let Some([(key, args)]) = by_purpose.as_map() else {
            let message = format!(
                "expected the arguments of one purpose: `{ARGS}: {{ PURPOSE: {{ ARGUMENT: … }} }}`"
            );
            self.errors.push(by_purpose.error(message));
            return by_purpose.clone();
        };
        let Some((tool, known)) = self.find(&key.name, by_purpose) else {
            return by_purpose.clone();
        };
        let args = self.renamed(args, &key.name, &known, tool.as_ref());
        by_purpose.with_kind(Kind::Map(args))
    }

    /// Arguments of a purpose under the names of a tool.
    fn renamed(
        &mut self,
        args: &Node,
        purpose: &str,
        known: &[String],
        tool: Option<&ToolFile>,
    ) -> Vec<(Key, Node)> {
        let mut renamed = Vec::new();
        for (key, value) in args.as_map().unwrap_or_default() {
            if !known.contains(&key.name) {
                let message = unknown(
                    &format!("argument of `{purpose}`"),
                    &key.name,
                    known.iter().map(String::as_str),
                );
                self.errors.push(args.error_at(key.span, message));
                continue;
            }
            if tool.is_some_and(|tool| is_placed(tool, &key.name)) {
                continue;
            }
            let mut own = tool.iter().flat_map(|tool| &tool.args);
            let own = own.find(|(name, _)| name.value == key.name);
            let name = own.map_or(&key.name, |(_, own)| own);
            let value = self.rewrite(value, false);
            renamed.push((named(name, key), value));
        }
        renamed
    }
}

fn named(name: &str, place: &Key) -> Key {
    Key {
        name: name.to_owned(),
        span: place.span,
    }
}

/// Arguments under the names of a tool, with its further ones.
fn with_fixed(
    mut args: Vec<(Key, Node)>,
    tool: &ToolFile,
    written: &[(Key, Node)],
    place: &Node,
) -> Vec<(Key, Node)> {
    for (name, value) in &tool.with {
        let key = Key {
            name: name.clone(),
            span: place.span(),
        };
        args.push((key, filled(&value.moved_to(place), written)));
    }
    args
}

/// The two forms of an argument in a text of `with`.
fn forms(argument: &str) -> [String; 2] {
    [format!("{{{argument}}}"), format!("{{{argument}|sh}}")]
}

/// Whether a text of `with` holds this argument.
fn is_placed(tool: &ToolFile, argument: &str) -> bool {
    fn holds(node: &Node, forms: &[String; 2]) -> bool {
        match node.kind() {
            Kind::Text(text) => forms.iter().any(|form| text.contains(form.as_str())),
            Kind::List(items) => items.iter().any(|item| holds(item, forms)),
            Kind::Map(entries) => entries.iter().any(|(_, value)| holds(value, forms)),
            _ => false,
        }
    }
    let forms = forms(argument);
    tool.with.values().any(|value| holds(value, &forms))
}

/// A value of `with`, with the arguments of a call in its texts.
fn filled(node: &Node, args: &[(Key, Node)]) -> Node {
    match node.kind() {
        Kind::List(items) => {
            let items = items.iter().map(|item| filled(item, args));
            node.with_kind(Kind::List(items.collect()))
        }
        Kind::Map(entries) => {
            let entries = entries
                .iter()
                .map(|(key, value)| (key.clone(), filled(value, args)));
            node.with_kind(Kind::Map(entries.collect()))
        }
        Kind::Text(text) => {
            let mut text = text.clone();
            for (key, value) in args {
                let [plain, quoted] = forms(&key.name);
                if text == plain {
                    return value.clone();
                }
                let value = match value.kind() {
                    Kind::Text(text) => text.clone(),
                    _ => value.to_value().to_string(),
                };
                let word = format!("'{}'", value.replace('\'', r"'\''"));
                text = text.replace(&plain, &value).replace(&quoted, &word);
            }
            node.with_kind(Kind::Text(text))
        }
        _ => node.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::AgentFile;
    use serde_json::{Value, json};
    use spanned_yaml::{decode_all, load_yaml};

    const AGENT: &str = "
tools:
  shell: { name: run, args: { command: cmd }, with: { description: why } }
  write: { name: run, with: { cmd: \"printf %s {content|sh} > {path|sh}\" } }
  read: { name: view }";

    fn agent(text: &str) -> KnownAgent {
        let root = load_yaml("a.yaml", text).unwrap();
        let file: AgentFile = decode_all(&root).unwrap();
        KnownAgent {
            name: "a".into(),
            dialect: "d@1".into(),
            file,
            root,
            is_named: false,
        }
    }

    fn purposes() -> IndexMap<String, Vec<String>> {
        let purposes = [
            ("shell", vec!["command"]),
            ("read", vec!["path"]),
            ("write", vec!["path", "content"]),
            ("ask", vec![]),
        ];
        let purposes = purposes.into_iter();
        purposes
            .map(|(name, args)| {
                (
                    name.to_owned(),
                    args.into_iter().map(str::to_owned).collect(),
                )
            })
            .collect()
    }

    fn rewritten(
        scenario: &str,
        agent: Option<&KnownAgent>,
    ) -> Result<(Value, Vec<String>), String> {
        let node = load_yaml("s.yaml", scenario).unwrap();
        let found = by_purpose(&node, &purposes(), agent).map_err(|errors| errors[0].headline())?;
        Ok((
            found.scenario.to_value(),
            found.purposes.into_iter().collect(),
        ))
    }

    #[test]
    fn calls_get_the_names_of_the_agent_and_its_fixed_arguments() {
        let (read, used) = rewritten(
            "{ model: [{ tool_calls: [{ id: t, use: shell, args: { command: ls } }] }, { content: [{ tool_call: { use: write, args: { path: /a, content: it's } } }] }, { tool_calls: [{ use: read, args_raw: '{' }, { name: shell }] }] }",
            Some(&agent(AGENT)),
        )
        .unwrap();
        assert_eq!(
            read,
            json!({ "model": [
                { "tool_calls": [{ "id": "t", "name": "run", "args": { "cmd": "ls", "description": "why" } }] },
                { "content": [{ "tool_call": { "name": "run", "args": { "cmd": r"printf %s 'it'\''s' > '/a'" } } }] },
                { "tool_calls": [{ "name": "view", "args_raw": "{" }, { "name": "shell" }] },
            ] })
        );
        assert_eq!(used, ["shell", "write", "read"]);
    }

    #[test]
    fn expectations_follow_and_a_purpose_without_a_tool_is_its_own_name() {
        let scenario = "steps: [{ expect: { tool: { $tool: shell }, args: { $args: { shell: { command: ls } } } } }, { expect: { tool: { $tool: ask } } }]";
        let (read, used) = rewritten(scenario, Some(&agent(AGENT))).unwrap();
        assert_eq!(
            read["steps"],
            json!([{ "expect": { "tool": "run", "args": { "cmd": "ls" } } }, { "expect": { "tool": "ask" } }])
        );
        assert_eq!(used, ["shell", "ask"]);
        let agent = agent(AGENT);
        assert_eq!(agent.lacks_purpose("shell"), None);
        let why = agent.lacks_purpose("ask").unwrap();
        assert_eq!(why, "the agent lacks ask: a.yaml names no tool for it");
    }

    #[test]
    fn a_mistake_has_its_place() {
        for (scenario, mistake) in [
            (
                "tool_calls: [{ use: shel }]",
                "s.yaml:1:21: unknown purpose `shel`",
            ),
            (
                "tool_calls: [{ use: read, args: { file: a } }]",
                "s.yaml:1:35: unknown argument of `read` `file`",
            ),
            (
                "tool_calls: [{ use: read, name: Read }]",
                "s.yaml:1:16: a call has `use`",
            ),
            (
                "{ x: { $args: { read: { }, write: { } } } }",
                "s.yaml:1:15: expected the arguments of one purpose",
            ),
        ] {
            let found = rewritten(scenario, None).unwrap_err();
            assert!(found.starts_with(mistake), "{found}");
        }
    }

    #[test]
    fn lanes_that_match_the_conversation_or_each_other_are_refused() {
        for (lanes, mistake) in [
            ("a: { reply: { text: x } }", "matches every request"),
            ("a: { last: '' }", "expected a text"),
            (
                "{ a: { reply: { text: x } }, b: { last: y } }",
                "matches every request",
            ),
            (
                "{ a: { last: y }, b: { reply: { text: x } } }",
                "matches every request",
            ),
            (
                "{ a: { system: [You name, sessions] }, b: { system: You name sessions } }",
                "match the same",
            ),
            (
                "{ a: { system: x }, b: { system: x, no_tools: true } }",
                "match the same",
            ),
        ] {
            let errors = super::super::lanes::check(&agent(&format!("lanes:\n  {lanes}")));
            assert!(errors[0].message.contains(mistake), "{errors:?}");
            assert_eq!(errors.len(), 1, "{errors:?}");
        }
        let different =
            agent("lanes: { a: { system: x, last: y }, b: { system: z }, c: { last: w } }");
        assert!(super::super::lanes::check(&different).is_empty());
    }
}

//! Reads the expressions of an [`OrderingFile`]: names to numbers, text to automata and conditions.

use super::automaton::Automaton;
use super::cond::{Cond, Operand};
use super::deadline::Deadline;
use super::file::{FoldFile, OrderingFile, RuleFile};
use super::lex::Mistake;
use super::moment::{KeyPart, KeySource, Piece};
use super::order::Order;
use super::parse::{self, Names, Pattern};
use super::probe::Probe;
use super::require::{Fold, GATHERS, Require};
use super::rule::{Form, Rule};
use super::state::{Change, Kind, Spec};
use super::symbol::Symbols;
use super::world::{Answer, Memory, Scope};
use crate::framing::Defect;
use crate::located::{Error, Located, Node, Span, unknown};
use indexmap::IndexMap;
use std::collections::HashMap;

/// What rules may refer to.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The dialect's name: the prefix of its rules' ids.
    pub dialect: &'a str,
    /// Its symbols.
    pub symbols: &'a Symbols,
    /// Its budgets, in microseconds.
    pub budgets: &'a IndexMap<String, u64>,
}

/// Compiles a file of rules. `root` is the node it was decoded from, for the places of mistakes.
///
/// # Errors
/// Every mistake, each with its place.
pub fn compile(
    file: &OrderingFile,
    root: &Node,
    known: Known<'_>,
) -> Result<(Memory, Vec<Rule>), Vec<Error>> {
    let mut compiler = Compiler {
        known,
        root,
        names: Names {
            symbols: Some(known.symbols),
            ..Names::default()
        },
        scopes: HashMap::new(),
        errors: Vec::new(),
        seen: Vec::new(),
    };
    let memory = compiler.memory(file);
    let mut rules = Vec::new();
    for (name, rule) in &file.rules {
        if let Some(rule) = compiler.rule(name, rule) {
            rules.push(rule);
        }
    }
    if compiler.errors.is_empty() {
        Ok((memory, rules))
    } else {
        Err(compiler.errors)
    }
}

struct Compiler<'a> {
    known: Known<'a>,
    root: &'a Node,
    names: Names<'a>,
    scopes: HashMap<String, usize>,
    errors: Vec<Error>,
    seen: Vec<Pattern>,
}

impl<'a> Compiler<'a> {
    fn fail<T>(&mut self, error: Error) -> Option<T> {
        self.errors.push(error);
        None
    }

    fn read<T>(
        &mut self,
        node: &Node,
        read: impl Fn(&str, &Names<'a>) -> Result<T, Mistake>,
    ) -> Option<T> {
        let Some(text) = node.as_str() else {
            return self.fail(node.error(format!(
                "an expression was expected, not {}",
                node.describe()
            )));
        };
        match read(text, &self.names) {
            Ok(value) => Some(value),
            Err(mistake) => self.fail(mistake_error(node, text, &mistake)),
        }
    }

    fn pattern(&mut self, node: &Node) -> Option<Pattern> {
        self.read(node, parse::pattern)
    }

    fn optional_pattern(&mut self, node: Option<&Node>) -> Option<Pattern> {
        node.map_or(Some(Pattern::default()), |node| self.pattern(node))
    }

    fn operand(&mut self, node: &Node) -> Option<Operand> {
        match node.as_str() {
            Some(_) => self.read(node, parse::operand),
            None => Some(Operand::Literal(node.to_value())),
        }
    }

    fn memory(&mut self, file: &OrderingFile) -> Memory {
        for (n, name) in file.state.keys().enumerate() {
            self.names.state.insert(name.clone(), n);
        }
        for (name, patterns) in &file.classes {
            let atoms = patterns
                .iter()
                .filter_map(|p| self.pattern(p))
                .flat_map(|p| p.0)
                .collect();
            self.names.classes.insert(name.clone(), Pattern(atoms));
        }
        let mut memory = Memory::default();
        for (name, scope) in &file.scopes {
            self.scopes.insert(name.clone(), memory.scopes.len());
            let (open, close) = (self.pattern(&scope.open), self.pattern(&scope.close));
            memory.scopes.push(Scope {
                name: name.clone(),
                open: open.unwrap_or_default(),
                close: close.unwrap_or_default(),
            });
        }
        for (name, state) in &file.state {
            if let Some(var) = self.variable(name, state) {
                memory.state.push(var);
            }
        }
        for answer in &file.answers {
            let key = answer.key.as_ref().and_then(|k| self.operand(k));
            let command_key = answer.command_key.as_ref().and_then(|k| self.operand(k));
            let (event, command) = (self.pattern(&answer.event), self.pattern(&answer.to));
            memory.answers.push(Answer {
                event: event.unwrap_or_default(),
                command: command.unwrap_or_default(),
                key: key.map(|k| (k.clone(), command_key.unwrap_or(k))),
            });
        }
        memory
    }

    fn variable(
        &mut self,
        name: &str,
        state: &super::file::StateFile,
    ) -> Option<(Spec, Vec<super::world::For>)> {
        const KINDS: &[(&str, Kind)] = &[
            ("value", Kind::Value),
            ("set", Kind::Set),
            ("map", Kind::Map),
            ("list", Kind::List),
            ("count", Kind::Count),
        ];
        let kind = self.word("kind of state", &state.kind, KINDS)?;
        let mut argv = Vec::new();
        for (flag, node) in &state.argv {
            match (node.as_str(), node.get("value")) {
                (Some("next"), _) => argv.push((flag.clone(), None)),
                (_, Some(value)) => argv.push((flag.clone(), Some(value.to_value()))),
                _ => self
                    .errors
                    .push(node.error("`next` or `{ value: X }` was expected")),
            }
        }
        let mut changes = Vec::new();
        let mut lists = Vec::new();
        let entries = state.on.as_ref().and_then(Node::as_map).unwrap_or_default();
        for (key, node) in entries {
            let on = match parse::pattern(&key.name, &self.names) {
                Ok(pattern) => pattern,
                Err(mistake) => {
                    let error = node.error_at(key.span, mistake.message);
                    self.errors.push(error);
                    continue;
                }
            };
            for node in node.as_list().unwrap_or(std::slice::from_ref(node)) {
                if let Some((change, list)) = self.change(node) {
                    changes.push((on.clone(), change));
                    lists.push(list);
                }
            }
        }
        let settles = match &state.settles {
            Some(node) => Some(self.pattern(node)?),
            None => None,
        };
        let from_commands = changes
            .iter()
            .any(|(on, _)| on.symbols().meets(&self.known.symbols.host));
        let spec = Spec {
            name: name.to_owned(),
            kind,
            start: state.start.as_ref().map(Node::to_value),
            argv,
            changes,
            settles,
            from_commands,
        };
        Some((spec, lists))
    }

    fn change(&mut self, node: &Node) -> Option<(Change, Option<Operand>)> {
        match node.as_str() {
            Some("clear") => return Some((Change::Clear, None)),
            Some("increment") => return Some((Change::Increment, None)),
            _ => {}
        }
        let list = match node.get("for") {
            Some(list) => Some(self.operand(list)?),
            None => None,
        };
        let entries = node.as_map().unwrap_or_default();
        let (key, value) = match entries.iter().find(|(key, _)| key.name != "for") {
            Some((key, value)) => (key.clone(), value.clone()),
            None => return self.fail(node.error(
                "a change was expected: clear, increment, set, add, remove, put, append, take or concat",
            )),
        };
        let change = match key.name.as_str() {
            "set" => Change::Set(self.operand(&value)?),
            "add" => Change::Add(self.operand(&value)?),
            "remove" => Change::Remove(self.operand(&value)?),
            "append" => Change::Append(self.operand(&value)?),
            "take" => Change::Take(self.operand(&value)?),
            "put" | "concat" => {
                let Some([k, v]) = value.as_list() else {
                    return self.fail(value.error("a list of a key and a value was expected"));
                };
                let (k, v) = (self.operand(k)?, self.operand(v)?);
                if key.name == "put" {
                    Change::Put(k, v)
                } else {
                    Change::Concat(k, v)
                }
            }
            name => {
                let known = ["set", "add", "remove", "put", "append", "take", "concat"];
                return self.fail(node.error_at(key.span, unknown("change", name, known)));
            }
        };
        Some((change, list))
    }

    fn word<T: Copy>(
        &mut self,
        what: &str,
        word: &Located<String>,
        table: &[(&str, T)],
    ) -> Option<T> {
        if let Some((_, value)) = table.iter().find(|(name, _)| *name == word.value) {
            return Some(*value);
        }
        let message = unknown(what, &word.value, table.iter().map(|(name, _)| *name));
        let error = self.root.error_at(word.span, message);
        self.fail(error)
    }

    fn rule(&mut self, name: &str, file: &RuleFile) -> Option<Rule> {
        let span = self
            .root
            .get("rules")
            .and_then(|r| r.entry(name))
            .map_or(Span::default(), |(k, _)| k.span);
        self.seen.clear();
        let form = self.form(file, span)?;
        let each = file
            .each
            .as_ref()
            .map_or(Some(Vec::new()), |node| self.each(node))?;
        let scopes = each
            .iter()
            .flat_map(|part| &part.0)
            .filter_map(|source| match source {
                KeySource::Scope(n) => Some(*n),
                KeySource::Operand(..) => None,
            });
        Some(Rule {
            id: format!("{}/{name}", self.known.dialect),
            span,
            level: file.level,
            source: file.source,
            clauses: file.clauses.iter().map(|c| c.value.clone()).collect(),
            doc: file
                .doc
                .as_ref()
                .map(|d| d.value.trim().to_owned())
                .unwrap_or_default(),
            message: file.message.as_ref().and_then(|m| self.message(m)),
            blame: file.blame,
            scopes: scopes.collect(),
            each,
            form,
        })
    }

    fn form(&mut self, file: &RuleFile, span: Span) -> Option<Form> {
        let given = [
            ("order", file.order.is_some()),
            ("require", file.require.is_some()),
            ("exit", file.exit.is_some()),
            ("from", file.from.is_some()),
            ("wire", !file.wire.is_empty()),
            ("readings", !file.readings.is_empty()),
        ];
        let forms: Vec<_> = given
            .iter()
            .filter(|(_, there)| *there)
            .map(|(name, _)| *name)
            .collect();
        match forms[..] {
            ["order"] => self.order(file),
            ["require"] | ["exit"] => self.require(file, span),
            ["from"] => self.deadline(file, span),
            ["wire"] => {
                let table: Vec<_> = Defect::NAMES
                    .iter()
                    .chain(&["no-discriminator"])
                    .map(|n| (*n, *n))
                    .collect();
                let names = file
                    .wire
                    .iter()
                    .filter_map(|w| self.word("wire defect", w, &table));
                Some(Form::Wire(names.map(str::to_owned).collect()))
            }
            ["readings"] => {
                let on = self.pattern(file.on.as_ref()?)?;
                let mut readings = Vec::new();
                for (name, node) in &file.readings {
                    readings.push((name.clone(), self.cond(node)?));
                }
                Some(Form::Probe(Probe { on, readings }))
            }
            _ => {
                let message = "a rule has exactly one form: order, require, exit, from (a deadline), wire or readings (a probe)";
                let error = self.root.error_at(span, message);
                self.fail(error)
            }
        }
    }

    fn order(&mut self, file: &RuleFile) -> Option<Form> {
        let node = file.order.as_ref()?;
        let expr = self.read(node, parse::expression)?;
        let automaton = match Automaton::new(&expr) {
            Ok(automaton) => automaton,
            Err(message) => return self.fail(node.error(message)),
        };
        Some(Form::Order(Box::new(Order {
            automaton,
            source: node.as_str().unwrap_or_default().to_owned(),
            also: self.optional_pattern(file.also.as_ref())?,
            excuse: self.optional_pattern(file.excuse.as_ref())?,
            void: self.optional_pattern(file.void.as_ref())?,
            at_end: file.at_end,
            in_time: match &file.in_time {
                Some(node) => Some(self.cond(node)?),
                None => None,
            },
        })))
    }

    fn require(&mut self, file: &RuleFile, span: Span) -> Option<Form> {
        let (on, demand) = match (&file.exit, &file.on, &file.require) {
            (Some(exit), _, _) => (parse::pattern("#end", &self.names).ok()?, exit),
            (None, Some(on), Some(require)) => (self.pattern(on)?, require),
            _ => {
                let error = self
                    .root
                    .error_at(span, "`require` needs `on`: the frames it is asked of");
                return self.fail(error);
            }
        };
        let when = match &file.when {
            Some(node) => Some(self.cond(node)?),
            None => None,
        };
        let require = self.cond(demand)?;
        let fold = match &file.fold {
            Some(fold) => Some(self.fold(fold)?),
            None => None,
        };
        Some(Form::Require(Box::new(Require {
            on,
            when,
            require,
            source: describe(demand),
            seen: std::mem::take(&mut self.seen),
            fold,
        })))
    }

    fn fold(&mut self, file: &FoldFile) -> Option<Fold> {
        let ways = [&file.concat, &file.list, &file.sum, &file.last];
        let mut given = GATHERS
            .iter()
            .zip(ways)
            .filter_map(|((_, how), node)| Some((*how, node.as_ref()?)));
        let (Some((how, what)), None) = (given.next(), given.next()) else {
            return self.fail(
                file.on
                    .error("a fold gathers in exactly one way: concat, list, sum or last"),
            );
        };
        Some(Fold {
            on: self.pattern(&file.on)?,
            what: self.operand(what)?,
            how,
        })
    }

    fn deadline(&mut self, file: &RuleFile, span: Span) -> Option<Form> {
        let (Some(from), Some(to)) = (&file.from, &file.to) else {
            let error = self
                .root
                .error_at(span, "a deadline needs `to`: what is owed");
            return self.fail(error);
        };
        let within = match &file.within {
            Some(name) => match self.known.budgets.get(&name.value) {
                Some(micros) => Some((name.value.clone(), *micros)),
                None => {
                    let known = self.known.budgets.keys().map(String::as_str);
                    let error = self
                        .root
                        .error_at(name.span, unknown("budget", &name.value, known));
                    return self.fail(error);
                }
            },
            None => None,
        };
        Some(Form::Deadline(Box::new(Deadline {
            from: self.pattern(from)?,
            when: match &file.when {
                Some(node) => Some(self.cond(node)?),
                None => None,
            },
            to: self.pattern(to)?,
            before: self.optional_pattern(file.before.as_ref())?,
            unless: self.optional_pattern(file.unless.as_ref())?,
            within,
            at_end: file.at_end,
            in_time: match &file.in_time {
                Some(node) => Some(self.cond(node)?),
                None => None,
            },
        })))
    }

    fn each(&mut self, node: &Node) -> Option<Vec<KeyPart>> {
        let parts = node.as_list().unwrap_or(std::slice::from_ref(node));
        parts.iter().map(|part| self.key_part(part)).collect()
    }

    fn key_part(&mut self, node: &Node) -> Option<KeyPart> {
        let Some(text) = node.as_str() else {
            return self.fail(node.error(format!(
                "a pointer, a `$state` or a scope was expected, not {}",
                node.describe()
            )));
        };
        let mut sources = Vec::new();
        let mut label = None;
        for word in text.split('|').map(str::trim) {
            if let Some(scope) = self.scopes.get(word) {
                sources.push(KeySource::Scope(*scope));
                continue;
            }
            match parse::operand(word, &self.names) {
                Ok(Operand::Literal(_)) => {
                    let known = self.scopes.keys().map(String::as_str).collect::<Vec<_>>();
                    return self.fail(node.error(unknown("scope", word, known)));
                }
                Ok(operand) => {
                    let label = label
                        .get_or_insert_with(|| word.rsplit('/').next().unwrap_or(word).to_owned());
                    sources.push(KeySource::Operand(label.clone(), operand));
                }
                Err(mistake) => return self.fail(node.error(mistake.message)),
            }
        }
        Some(KeyPart(sources))
    }

    fn message(&mut self, node: &Node) -> Option<Vec<Piece>> {
        let text = node.as_str()?;
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(open) = rest.find(['{']) {
            let Some(close) = rest[open..].find('}') else {
                return self.fail(node.error("a `{` without its `}`"));
            };
            pieces.push(Piece::Text(rest[..open].to_owned()));
            match parse::operand(&rest[open + 1..open + close], &self.names) {
                Ok(operand) => pieces.push(Piece::Value(operand)),
                Err(mistake) => return self.fail(node.error(mistake.message)),
            }
            rest = &rest[open + close + 1..];
        }
        pieces.push(Piece::Text(rest.to_owned()));
        Some(pieces)
    }

    fn cond(&mut self, node: &Node) -> Option<Cond> {
        if node.as_str().is_some() {
            return self.read(node, parse::condition);
        }
        if let Some(list) = node.as_list() {
            return Some(Cond::All(self.conds(list)?));
        }
        let (key, value) = match node.as_map() {
            Some([(key, value)]) => (key.clone(), value.clone()),
            Some([(every, list), (holds, inner)])
                if every.name == "every" && holds.name == "holds" =>
            {
                return Some(Cond::Every(
                    self.operand(list)?,
                    Box::new(self.cond(inner)?),
                ));
            }
            _ => {
                return self.fail(
                    node.error("a condition was expected: text, or one of any, all, not, seen, or every with holds"),
                );
            }
        };
        match key.name.as_str() {
            "any" => Some(Cond::Any(self.conds(value.as_list().unwrap_or_default())?)),
            "all" => Some(Cond::All(self.conds(value.as_list().unwrap_or_default())?)),
            "not" => Some(Cond::Not(Box::new(self.cond(&value)?))),
            "seen" => {
                let pattern = self.pattern(&value)?;
                self.seen.push(pattern.clone());
                Some(Cond::Seen(self.seen.len() - 1, pattern))
            }
            name => self.fail(node.error_at(
                key.span,
                unknown("condition", name, ["any", "all", "not", "seen"]),
            )),
        }
    }

    fn conds(&mut self, nodes: &[Node]) -> Option<Vec<Cond>> {
        nodes.iter().map(|node| self.cond(node)).collect()
    }
}

/// A condition as a person would write it, for the `expected` of a finding.
fn describe(node: &Node) -> Vec<String> {
    fn one(node: &Node) -> String {
        if let Some(text) = node.as_str() {
            return text.to_owned();
        }
        let join =
            |nodes: &[Node], word: &str| nodes.iter().map(one).collect::<Vec<_>>().join(word);
        if let Some(list) = node.as_list() {
            return join(list, " and ");
        }
        match node.as_map() {
            Some([(key, value)]) => match (key.name.as_str(), value.as_list()) {
                ("any", Some([])) => "never".to_owned(),
                ("any", Some(list)) => join(list, " or "),
                ("all", Some(list)) => join(list, " and "),
                ("seen", _) => format!("{} earlier", one(value)),
                (word, _) => format!("{word} ({})", one(value)),
            },
            Some([(_, list), (_, inner)]) => {
                format!("for every element of {}: {}", one(list), one(inner))
            }
            _ => String::new(),
        }
    }
    match node.as_map() {
        Some([(key, value)]) if key.name == "any" => value
            .as_list()
            .unwrap_or_default()
            .iter()
            .map(one)
            .collect(),
        _ => vec![one(node)],
    }
}

/// Places a mistake inside a one-line expression; a folded one is shown at its start.
fn mistake_error(node: &Node, text: &str, mistake: &Mistake) -> Error {
    let column = u32::try_from(text[..mistake.at.min(text.len())].chars().count()).unwrap_or(0);
    let near: String = text[mistake.at.min(text.len())..]
        .chars()
        .take(24)
        .collect();
    let near = if near.is_empty() {
        "at its end".to_owned()
    } else {
        format!("at `{near}`")
    };
    node.error(format!(
        "{} ({near}, character {})",
        mistake.message,
        column + 1
    ))
}

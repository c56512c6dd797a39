//! The compiler of rules, by form.

use super::Compiler;
use crate::conversation::Check;
use crate::framing::DEFECTS;
use crate::rules::automaton::Automaton;
use crate::rules::conversation::{ConversationParts, ConversationRule, Part, UsagePlaces};
use crate::rules::frame_context::KeySource;
use crate::rules::frame_pattern::FramePattern;
use crate::rules::monitor::MonitorConfig;
use crate::rules::order::OrderRule;
use crate::rules::parse;
use crate::rules::readings::ReadingsRule;
use crate::rules::require::{Fold, FoldMethod, RequireRule};
use crate::rules::response::ResponseRule;
use crate::rules::rule::{FILES, REQUESTS, Rule, RuleForm};
use conform_dialect::ordering::RuleSource;
use conform_dialect::ordering::file::{
    ConversationCheck, ConversationFile, FoldFile, Form, OrderFile, ReadingsFile, RequireFile,
    ResponseFile, RuleFile,
};
use serde_json::Value;
use spanned_yaml::{Node, Spanned, unknown};
use std::sync::Arc;

impl Compiler<'_> {
    pub(super) fn rule(&mut self, name: &str, source: &RuleSource) -> Option<Rule> {
        let file = &source.file;
        self.seen.clear();
        let when = self.optional(file.when.as_ref(), Self::condition)?;
        let form = self.form(source)?;
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
        let doc = file.doc.as_ref().map(|doc| doc.value.trim().to_owned());
        Some(Rule {
            id: format!("{}/{name}", self.known.dialect),
            span: source.name,
            level: file.level.unwrap_or_default(),
            source: file.source.unwrap_or_default(),
            clauses: file.clauses.iter().map(|c| c.value.clone()).collect(),
            explains: file
                .explains
                .iter()
                .map(|one| self.explained(one))
                .collect(),
            doc: doc.unwrap_or_default(),
            written: written(source),
            config: MonitorConfig {
                message: file.message.as_ref().and_then(|m| self.message(m)),
                blame: file.blame,
                scopes: scopes.collect(),
                each,
                when,
            },
            form,
        })
    }

    /// The id of a rule that another one explains; names of events, and of what scenarios expect, are as they are written.
    fn explained(&self, name: &str) -> String {
        if [FILES, REQUESTS].contains(&name) || self.known.symbols.id(name).is_some() {
            return name.to_owned();
        }
        format!("{}/{name}", self.known.dialect)
    }

    fn form(&mut self, source: &RuleSource) -> Option<RuleForm> {
        let RuleSource { file, node, .. } = source;
        let form = match &source.form {
            Form::Order(order) => self.order(order),
            Form::Response(response) => self.response(response, node),
            Form::Require(require) => self.require(require, summary(file)),
            Form::Exit(that) => self.exit(that, summary(file)),
            Form::Readings(readings) => self.readings(readings),
            Form::Framing(defects) => self.framing(defects, source),
            Form::Conversation(asked) => self.conversation(*asked, source),
        }?;
        if !self.seen.is_empty() && !matches!(form, RuleForm::Require(_)) {
            let message = "`seen` is a condition of `require` and `exit` only: a state variable remembers frames for every form";
            return self.fail(node.error_at(source.name, message));
        }
        Some(form)
    }

    fn order(&mut self, file: &OrderFile) -> Option<RuleForm> {
        let expr = self.read(&file.expression, parse::expression)?;
        let automaton = match Automaton::new(&expr) {
            Ok(automaton) => automaton,
            Err(message) => return self.fail(file.expression.error(message)),
        };
        Some(RuleForm::Order(Arc::new(OrderRule {
            automaton,
            source: file.expression.as_str().unwrap_or_default().to_owned(),
            alphabet: self.optional_pattern(file.alphabet.as_ref())?,
            unless: self.optional_pattern(file.unless.as_ref())?,
            disable_on: self.optional_pattern(file.disable_on.as_ref())?,
            at_end: file.at_end,
            timeout_if: self.optional(file.timeout_if.as_ref(), Self::condition)?,
        })))
    }

    fn response(&mut self, file: &ResponseFile, node: &Node) -> Option<RuleForm> {
        Some(RuleForm::Response(Arc::new(ResponseRule {
            from: self.pattern(&file.from)?,
            to: self.pattern(&file.to)?,
            one_for_one: file.one_for_one,
            before: self.optional_pattern(file.before.as_ref())?,
            unless: self.optional_pattern(file.unless.as_ref())?,
            unless_within: self.optional(file.unless_within.as_ref(), |this, name| {
                this.budget(name, node)
            })?,
            at_end: file.at_end,
            timeout_if: self.optional(file.timeout_if.as_ref(), Self::condition)?,
        })))
    }

    fn require(&mut self, file: &RequireFile, summary: Option<String>) -> Option<RuleForm> {
        let on = self.pattern(&file.on)?;
        let fold = self.optional(file.fold.as_ref(), Self::fold)?;
        self.requirement(on, &file.that, fold, summary)
    }

    fn exit(&mut self, that: &Node, summary: Option<String>) -> Option<RuleForm> {
        let on = parse::pattern("#end", &self.names).ok()?;
        self.requirement(on, that, None, summary)
    }

    fn requirement(
        &mut self,
        on: FramePattern,
        that: &Node,
        fold: Option<Fold>,
        summary: Option<String>,
    ) -> Option<RuleForm> {
        let condition = self.condition(that)?;
        Some(RuleForm::Require(Arc::new(RequireRule {
            on,
            that: condition,
            expected: self.expected(that),
            summary,
            seen: self.seen.clone(),
            fold,
        })))
    }

    fn fold(&mut self, file: &FoldFile) -> Option<Fold> {
        let (what, how, empty) = match (&file.concat, &file.sum) {
            (Some(what), None) => (what, FoldMethod::Concat, Value::from("")),
            (None, Some(what)) => (what, FoldMethod::Sum, Value::from(0)),
            _ => {
                let message = "a fold combines in exactly one way: concat or sum";
                return self.fail(file.on.error(message));
            }
        };
        Some(Fold {
            on: self.pattern(&file.on)?,
            what: self.operand(what)?,
            how,
            empty,
        })
    }

    fn framing(&mut self, defects: &[Spanned<String>], source: &RuleSource) -> Option<RuleForm> {
        let RuleSource { file, node, .. } = source;
        for (key, given) in [("when", &file.when), ("each", &file.each)] {
            if given.is_some() {
                let message = format!(
                    "`{key}` has no effect on `framing`, which looks at the bytes of every line"
                );
                return self.fail(node.error_at(source.name, message));
            }
        }
        let known = || DEFECTS.iter().map(|(name, _)| *name);
        for word in defects
            .iter()
            .filter(|word| !known().any(|name| name == word.value))
        {
            let message = unknown("framing defect", word, known());
            self.errors.push(node.error_at(word.span, message));
        }
        let defects = defects.iter().map(|word| word.value.clone());
        Some(RuleForm::Framing(defects.collect()))
    }

    fn readings(&mut self, file: &ReadingsFile) -> Option<RuleForm> {
        let on = self.pattern(&file.on)?;
        let mut readings = Vec::new();
        for (name, node) in &file.of {
            readings.push((name.clone(), self.condition(node)?));
        }
        Some(RuleForm::Readings(Arc::new(ReadingsRule { on, readings })))
    }

    fn conversation(&mut self, asked: ConversationCheck, source: &RuleSource) -> Option<RuleForm> {
        let Some(parts) = &self.conversation else {
            let message = "a `conversation` rule needs the section `conversation` of its file";
            return self.fail(source.node.error_at(source.name, message));
        };
        let check = match asked {
            ConversationCheck::Kept => Check::Kept,
            ConversationCheck::Answered => Check::Answered,
            ConversationCheck::Once => Check::Once,
            ConversationCheck::Apart => Check::Apart,
            ConversationCheck::Shown => Check::Shown,
            ConversationCheck::Told => Check::Told,
            ConversationCheck::Thought => Check::Thought,
            ConversationCheck::Called => Check::Called,
            ConversationCheck::Used => Check::Used,
        };
        let rule = ConversationRule::new(check, parts);
        Some(RuleForm::Conversation(Arc::new(rule)))
    }

    pub(super) fn conversation_parts(&mut self, file: &ConversationFile) -> ConversationParts {
        let said = file.said.iter();
        let told = file.told.iter();
        let (begun, joined) = (file.begun.iter(), file.joined.iter());
        let replayed = file.replayed.iter();
        let shown = file.shown.iter();
        let called = file.called.iter();
        let thought = file.thought.iter();
        let used = file.used.iter().map(|one| {
            let places = UsagePlaces {
                input: one.input.clone(),
                output: one.output.clone(),
                may_be_of_session: one.or_session,
            };
            (&one.on, Part::Used(places))
        });
        let named = [
            (&file.attached, Part::Attached),
            (&file.undone, Part::Undone),
            (&file.stopped, Part::Stopped),
            (&file.forgotten, Part::Forgotten),
        ];
        let named = named
            .into_iter()
            .filter_map(|(on, part)| Some((on.as_ref()?, part)));
        let before = said
            .map(|one| (&one.on, Part::Said(one.at.clone(), one.of.clone())))
            .chain(begun.map(|one| (&one.on, Part::Begun(one.of.clone()))))
            .chain(joined.map(|one| (&one.on, Part::Joined(one.of.clone()))))
            .chain(replayed.map(|one| (&one.on, Part::Replayed(one.at.clone(), one.of.clone()))))
            .chain(shown.map(|one| (&one.on, Part::Shown(one.call.clone(), one.text.clone()))))
            .chain(told.map(|one| (&one.on, Part::Told(one.at.clone()))))
            .chain(thought.map(|one| (&one.on, Part::Thought(one.at.clone()))))
            .chain(used)
            .chain(named);
        let after = called
            .map(|one| (&one.on, Part::Called(one.call.clone(), one.input.clone())))
            .chain(file.ended.iter().map(|on| (on, Part::Ended)));
        let mut parts = Vec::new();
        for (on, part) in before {
            parts.extend(self.pattern(on).map(|on| (on, part)));
        }
        let engine = [
            ("#malformed | #invalid", Part::Unreadable),
            ("@reply", Part::Reply),
            ("@request", Part::Request),
        ];
        for (name, part) in engine {
            let model = parse::pattern(name, &self.names);
            parts.extend(model.ok().map(|on| (on, part)));
        }
        for (on, part) in after {
            parts.extend(self.pattern(on).map(|on| (on, part)));
        }
        parts
    }

    /// The name of a budget and its microseconds.
    fn budget(&mut self, name: &Spanned<String>, place: &Node) -> Option<(String, u64)> {
        if let Some(micros) = self.known.budgets.get(&name.value) {
            return Some((name.value.clone(), *micros));
        }
        let known = self.known.budgets.keys().map(String::as_str);
        self.fail(place.error_at(name.span, unknown("budget", &name.value, known)))
    }
}

/// The first sentence of a rule's `doc`, on one line.
fn summary(file: &RuleFile) -> Option<String> {
    let doc = file.doc.as_ref()?.value.split_whitespace();
    let doc = doc.collect::<Vec<_>>().join(" ");
    let end = doc.find(". ").unwrap_or(doc.len());
    let sentence = doc[..end].trim_end_matches('.').to_owned();
    (!sentence.is_empty()).then_some(sentence)
}

/// The lines of a rule in its file, without the indentation that they share.
fn written(source: &RuleSource) -> String {
    let indent = source.name.column as usize - 1;
    let text = &source.node.source().text;
    let above = (source.name.line as usize).saturating_sub(1);
    let mut ends = memchr::memchr_iter(b'\n', text.as_bytes());
    let start = above.checked_sub(1).map_or(Some(0), |last| {
        let end = ends.nth(last)?;
        Some(end + 1)
    });
    let mut lines = start.map_or("", |start| &text[start..]).lines();
    let first = lines.next();
    let is_inside =
        |line: &&str| line.len() - line.trim_start().len() > indent || line.trim().is_empty();
    let all: Vec<&str> = first
        .into_iter()
        .chain(lines.take_while(is_inside))
        .collect();
    let all = all
        .iter()
        .map(|line| line.get(indent..).unwrap_or_default());
    all.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

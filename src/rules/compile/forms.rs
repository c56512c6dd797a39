//! The compiler of rules, by form.

use super::Compiler;
use super::condition::describe;
use crate::framing::Defect;
use crate::rules::automaton::Automaton;
use crate::rules::deadline::DeadlineRule;
use crate::rules::file::{FoldFile, RuleFile};
use crate::rules::frame_context::KeySource;
use crate::rules::monitor::MonitorConfig;
use crate::rules::order::OrderRule;
use crate::rules::parse;
use crate::rules::readings::ReadingsRule;
use crate::rules::require::{FOLD_METHODS, Fold, RequireRule};
use crate::rules::rule::{Rule, RuleForm};
use spanned_yaml::{Span, Spanned, unknown};
use std::sync::Arc;

impl Compiler<'_> {
    pub(super) fn rule(&mut self, name: &str, file: &RuleFile) -> Option<Rule> {
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
            config: MonitorConfig {
                message: file.message.as_ref().and_then(|m| self.message(m)),
                blame: file.blame,
                scopes: scopes.collect(),
                each,
            },
            form,
        })
    }

    fn form(&mut self, file: &RuleFile, span: Span) -> Option<RuleForm> {
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
                Some(RuleForm::Wire(names.map(str::to_owned).collect()))
            }
            ["readings"] => {
                let on = self.pattern(file.on.as_ref()?)?;
                let mut readings = Vec::new();
                for (name, node) in &file.readings {
                    readings.push((name.clone(), self.condition(node)?));
                }
                Some(RuleForm::Readings(Arc::new(ReadingsRule { on, readings })))
            }
            _ => {
                let message = "a rule has exactly one form: order, require, exit, from (a deadline), wire or readings (a probe)";
                let error = self.root.error_at(span, message);
                self.fail(error)
            }
        }
    }

    fn order(&mut self, file: &RuleFile) -> Option<RuleForm> {
        let node = file.order.as_ref()?;
        let expr = self.read(node, parse::expression)?;
        let automaton = match Automaton::new(&expr) {
            Ok(automaton) => automaton,
            Err(message) => return self.fail(node.error(message)),
        };
        Some(RuleForm::Order(Arc::new(OrderRule {
            automaton,
            source: node.as_str().unwrap_or_default().to_owned(),
            also: self.optional_pattern(file.also.as_ref())?,
            excuse: self.optional_pattern(file.excuse.as_ref())?,
            void: self.optional_pattern(file.void.as_ref())?,
            at_end: file.at_end,
            in_time: match &file.in_time {
                Some(node) => Some(self.condition(node)?),
                None => None,
            },
        })))
    }

    fn require(&mut self, file: &RuleFile, span: Span) -> Option<RuleForm> {
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
            Some(node) => Some(self.condition(node)?),
            None => None,
        };
        let require = self.condition(demand)?;
        let fold = match &file.fold {
            Some(fold) => Some(self.fold(fold)?),
            None => None,
        };
        Some(RuleForm::Require(Arc::new(RequireRule {
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
        let mut given = FOLD_METHODS
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

    fn deadline(&mut self, file: &RuleFile, span: Span) -> Option<RuleForm> {
        let (Some(from), Some(to)) = (&file.from, &file.to) else {
            let error = self
                .root
                .error_at(span, "a deadline needs `to`: what is owed");
            return self.fail(error);
        };
        let within = self.budget(file.within.as_ref())?;
        let patience = self.budget(file.patience.as_ref())?;
        Some(RuleForm::Deadline(Arc::new(DeadlineRule {
            from: self.pattern(from)?,
            when: match &file.when {
                Some(node) => Some(self.condition(node)?),
                None => None,
            },
            to: self.pattern(to)?,
            before: self.optional_pattern(file.before.as_ref())?,
            unless: self.optional_pattern(file.unless.as_ref())?,
            within,
            patience,
            at_end: file.at_end,
            in_time: match &file.in_time {
                Some(node) => Some(self.condition(node)?),
                None => None,
            },
        })))
    }

    /// The name of a budget and its microseconds; `Some(None)` if no budget is named.
    #[expect(
        clippy::option_option,
        reason = "the outer one says that an error was recorded"
    )]
    fn budget(&mut self, name: Option<&Spanned<String>>) -> Option<Option<(String, u64)>> {
        let Some(name) = name else {
            return Some(None);
        };
        if let Some(micros) = self.known.budgets.get(&name.value) {
            return Some(Some((name.value.clone(), *micros)));
        }
        let known = self.known.budgets.keys().map(String::as_str);
        let error = self
            .root
            .error_at(name.span, unknown("budget", &name.value, known));
        self.fail(error)
    }
}

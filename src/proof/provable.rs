//! The rules of which a fault must show that they can fail.

use crate::dialect::Dialect;
use crate::finding::Blame;
use crate::rules::rule::{Rule, RuleForm};

/// Their ids, in the dialect's order; those that bind hosts only where bad hosts are known.
#[must_use]
pub fn rules(dialect: &Dialect, with_hosts: bool) -> Vec<String> {
    let rules = dialect
        .rules
        .iter()
        .filter(|rule| accuses(rule, dialect) && (with_hosts || !binds_host(rule, dialect)));
    rules.map(|rule| rule.id.clone()).collect()
}

/// Whether a rule can accuse anybody.
fn accuses(rule: &Rule, dialect: &Dialect) -> bool {
    match &rule.form {
        RuleForm::Readings(_) => false,
        RuleForm::Schema(name) => match name.strip_prefix('>') {
            None => {
                let named = &dialect.events.discriminator;
                dialect.event_schemas.asks(name, named)
            }
            Some(command) => {
                let named = &dialect.commands.discriminator;
                dialect.command_schemas.asks(command, named)
            }
        },
        _ => true,
    }
}

/// Whether a rule is about what the host does.
fn binds_host(rule: &Rule, dialect: &Dialect) -> bool {
    let symbols = &dialect.symbols;
    rule.blame == Some(Blame::Host)
        || match &rule.form {
            RuleForm::Schema(name) => name.starts_with('>'),
            RuleForm::Require(require) => {
                let on = require.on.symbols();
                on.iter().all(|s| symbols.host.contains(s))
            }
            _ => false,
        }
}

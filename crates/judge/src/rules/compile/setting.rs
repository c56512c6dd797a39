//! The compiler of variables of the kind `setting`: the requested value and the value before it are variables of their own.

use super::Compiler;
use crate::rules::variable_spec::{Change, DeclaredChange};
use conform_dialect::ordering::variables::SettingFile;
use frame_language::{Compare, Condition, Operand};
use spanned_yaml::Node;

/// The variables of a setting: its own changes, and of one that commands ask for, those of the requested value and of the value before it.
pub(super) struct SettingChanges {
    pub(super) own: Vec<DeclaredChange>,
    pub(super) asked: Option<[Vec<DeclaredChange>; 2]>,
}

impl Compiler<'_> {
    /// The changes of the setting of this number. Its own variables have the next two numbers.
    pub(super) fn setting(&mut self, number: usize, file: &SettingFile) -> Option<SettingChanges> {
        let lost = self.optional(file.lost.as_ref(), Self::pattern)?;
        let mut own: Vec<_> = lost.into_iter().map(DeclaredChange::clear).collect();
        let asked = match &file.ask {
            None => None,
            Some(ask) => {
                let answers = self.asked(number, ask, file)?;
                own.extend(answers.own);
                answers.asked
            }
        };
        let told = file.told.as_ref().and_then(Node::as_map);
        for (pattern, node) in told.unwrap_or_default() {
            let on = self.pattern_of_key(pattern, node)?;
            let value = self.operand(node)?;
            let is_told = [Condition::Present(value.clone())];
            own.push(DeclaredChange::at(
                on.with_guards(&is_told),
                Change::Set(value),
            ));
        }
        Some(SettingChanges { own, asked })
    }

    fn asked(&mut self, number: usize, ask: &Node, file: &SettingFile) -> Option<SettingChanges> {
        let Some(by) = &file.by else {
            return self.fail(ask.error("`ask` needs `by`: what a command and its answer share"));
        };
        let (ask, by) = (self.pattern(ask)?, self.operand(by)?);
        let has_key = Condition::Present(by.clone());
        let (asked, before) = (number + 1, number + 2);
        // What makes it unknown whose answer comes: another command of the setting, or of those that it is to be alone among.
        let mut forgets = vec![DeclaredChange::clear(ask.clone())];
        let mut is_alone = vec![has_key.clone()];
        if let Some(name) = &file.alone {
            let (open, from) = self.owed_named(name)?;
            forgets.push(DeclaredChange::clear(from));
            is_alone.push(Condition::Empty(Operand::State(open)));
        }
        let alone = ask.clone().with_guards(&is_alone);

        let was = Operand::State(number);
        let was_known = [Condition::Present(was.clone())];
        let mut before_changes = forgets.clone();
        before_changes.push(DeclaredChange::at(
            alone.clone().with_guards(&was_known),
            Change::Put(by.clone(), was),
        ));
        let mut asked_changes = forgets;
        if let Some(value) = &file.value {
            let value = self.operand(value)?;
            let mut is_valid = vec![Condition::Present(value.clone())];
            is_valid.extend(self.optional(file.valid.as_ref(), Self::condition)?);
            asked_changes.push(DeclaredChange::at(
                alone.with_guards(&is_valid),
                Change::Put(by.clone(), value),
            ));
        }

        let mut own = vec![DeclaredChange::clear(ask)];
        for (answers, remembered) in [(&file.granted, asked), (&file.refused, before)] {
            let Some(answers) = self.optional(answers.as_ref(), Self::pattern)? else {
                continue;
            };
            let answers_it = [has_key.clone(), is_in(&by, remembered)];
            let value = Operand::Entry(remembered, Box::new(by.clone()));
            let on = answers.with_guards(&answers_it);
            own.push(DeclaredChange::at(on, Change::Set(value)));
        }
        Some(SettingChanges {
            own,
            asked: Some([asked_changes, before_changes]),
        })
    }
}

/// The condition that a map has this key.
fn is_in(key: &Operand, map: usize) -> Condition {
    Condition::Compare {
        left: key.clone(),
        how: Compare::In,
        right: Operand::State(map),
        except: Vec::new(),
    }
}

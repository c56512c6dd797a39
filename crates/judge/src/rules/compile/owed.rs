//! The compiler of variables of the kind `owed`: lists of keys that one frame appends and another one takes.

use super::Compiler;
use crate::rules::frame_pattern::FramePattern;
use crate::rules::variable_spec::{Change, DeclaredChange};
use conform_dialect::ordering::variables::OwedFile;
use frame_language::{Condition, Operand};
use spanned_yaml::{Node, unknown};

impl Compiler<'_> {
    pub(super) fn owed(&mut self, file: &OwedFile) -> Option<Vec<DeclaredChange>> {
        let unless = self.optional(file.unless.as_ref(), Self::pattern)?;
        let (from, to) = (self.pattern(&file.from)?, self.pattern(&file.to)?);
        let [owes, pays] = match &file.by {
            Some(by) => self.keys(by)?,
            None => [Operand::Literal(true.into()), Operand::Literal(true.into())],
        };
        let from = from.with_guards(&[Condition::Present(owes.clone())]);
        let to = to.with_guards(&[Condition::Present(pays.clone())]);
        let forgiven = unless.into_iter().map(DeclaredChange::clear);
        Some(
            forgiven
                .chain([
                    DeclaredChange::at(from, Change::Append(owes)),
                    DeclaredChange::at(to, Change::Take(pays)),
                ])
                .collect(),
        )
    }

    /// The key in the frame that owes, and in the one that pays.
    fn keys(&mut self, by: &Node) -> Option<[Operand; 2]> {
        match by.as_list() {
            None => {
                let key = self.operand(by)?;
                Some([key.clone(), key])
            }
            Some([owes, pays]) => Some([self.operand(owes)?, self.operand(pays)?]),
            Some(_) => self.fail(
                by.error("a key was expected, or a list of the key in `from` and that in `to`"),
            ),
        }
    }

    /// The number of a variable of the kind `owed`, and the frames after which something is owed.
    pub(super) fn owed_named(&mut self, name: &Node) -> Option<(usize, FramePattern)> {
        let text = name.as_str().unwrap_or_default();
        let known = self.state.iter().filter(|(_, one)| one.owed.is_some());
        let known: Vec<_> = known.map(|(name, _)| name.as_str()).collect();
        let owed = self.state.get(text).and_then(|one| one.owed.as_ref());
        match (owed, self.state_number(text)) {
            (Some(owed), Some(number)) => Some((number, self.pattern(&owed.from)?)),
            _ => self.fail(name.error(unknown("variable with `owed`", text, known))),
        }
    }
}

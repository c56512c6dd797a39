//! The edits of a fault, one key each.

use super::values::{matcher, pointer, pointer_of};
use crate::edit::{Edit, Edits};
use crate::file::{FaultFile, Places};
use crate::pointer::Pointer;
use spanned_yaml::{Error, Node, Spanned};

/// The edits of a fault; `None` if it has none. `node` is in the file of the fault.
pub(crate) fn compile_edits(file: &FaultFile, node: &Node) -> Result<Option<Edits>, Vec<Error>> {
    let mut edits = EditCompiler {
        node,
        edits: Vec::new(),
        errors: Vec::new(),
    };
    let set = file.set.iter();
    let set = set.filter_map(|(at, value)| Some((edits.at(at)?, value.to_value())));
    let set: Vec<_> = set.collect();
    if !set.is_empty() {
        edits.edits.push(Edit::Set(set));
    }
    edits.each(&file.retype, |at, to| Edit::Retype(at, to.value));
    edits.each(&file.add, |at, more| Edit::Add(at, *more));
    edits.each(&file.multiply, |at, by| Edit::Multiply(at, *by));
    edits.each(&file.sum, |at, parts| Edit::Sum(at, parts.clone()));
    edits.each(&file.cut, |at, length| Edit::Cut(at, *length));
    edits.list(&file.double, Edit::Double);
    edits.try_each(&file.replace, |at, texts| {
        let regexes = texts.iter().map(|(what, by)| {
            let regex = regex::Regex::new(what).map_err(|error| {
                let reason = error.to_string();
                let reason = reason.lines().last().unwrap_or_default().to_owned();
                let reason = reason.trim_start_matches("error: ");
                vec![node.error_at(what.span, format!("not a regular expression: {reason}"))]
            });
            Ok((regex?, by.clone()))
        });
        Ok(Edit::Replace(
            at,
            regexes.collect::<Result<_, Vec<Error>>>()?,
        ))
    });
    edits.list(&file.trim, Edit::Trim);
    edits.list(&file.lower, Edit::Lower);
    edits.try_each(&file.cumulate, |at, group| {
        pointer_of(group.as_ref(), node)?;
        let group = group.as_ref().map(|group| group.value.clone());
        Ok(Edit::Cumulate(at, group))
    });
    edits.list(&file.remove, Edit::Remove);
    let EditCompiler { edits, errors, .. } = edits;
    if !errors.is_empty() {
        return Err(errors);
    }
    let matching = file.matching.as_ref().map(matcher).transpose()?;
    let inside = pointer_of(file.inside.as_ref(), node)?;
    if edits.is_empty() {
        return Ok(None);
    }
    let inside = inside.or_else(|| matching.is_some().then(Pointer::anywhere));
    Ok(Some(Edits {
        inside,
        matching,
        edits,
    }))
}

struct EditCompiler<'a> {
    node: &'a Node,
    edits: Vec<Edit>,
    errors: Vec<Error>,
}

impl EditCompiler<'_> {
    fn at(&mut self, text: &Spanned<String>) -> Option<Pointer> {
        pointer(text, self.node)
            .map_err(|errors| self.errors.extend(errors))
            .ok()
    }

    fn each<T>(&mut self, places: &Places<T>, make: impl Fn(Pointer, &T) -> Edit) {
        self.try_each(places, |at, value| Ok(make(at, value)));
    }

    fn try_each<T>(
        &mut self,
        places: &Places<T>,
        make: impl Fn(Pointer, &T) -> Result<Edit, Vec<Error>>,
    ) {
        for (at, value) in places {
            if let Some(at) = self.at(at) {
                match make(at, value) {
                    Ok(edit) => self.edits.push(edit),
                    Err(errors) => self.errors.extend(errors),
                }
            }
        }
    }

    fn list(&mut self, places: &[Spanned<String>], make: impl Fn(Pointer) -> Edit) {
        for at in places {
            if let Some(at) = self.at(at) {
                self.edits.push(make(at));
            }
        }
    }
}

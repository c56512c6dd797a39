//! What a rule expects, for the readers of its findings, who do not know the syntax of rules.

use super::frame_pattern::Atom;
use crate::finding::{Expected, Finding, in_a_row};
use indexmap::IndexSet;

/// A finding that expects one of these frames.
pub(super) fn expecting(atoms: &[&Atom]) -> Finding {
    let mut all: Vec<Expected> = Vec::new();
    for one in atoms.iter().map(|atom| expected(atom)) {
        if !all.contains(&one) {
            all.push(one);
        }
    }
    Finding {
        expected: all,
        ..Finding::default()
    }
}

/// The frame of an atom; in words if it matches several. Of its guards, those on one place of the frame are kept; the message
/// of the rule explains the others.
pub(super) fn expected(atom: &Atom) -> Expected {
    let frame = Expected::Frame {
        name: atom.written.name.clone(),
        with: atom.written.places.clone(),
    };
    match atom.include.iter().nth(1) {
        None => frame,
        Some(_) => Expected::Words(frame.to_string()),
    }
}

/// `a`, `b` or `c`, each once and without its guards.
pub(super) fn list(atoms: &[&Atom]) -> String {
    let names = atoms.iter().map(|atom| &atom.written.name);
    in_a_row(names.collect::<IndexSet<_>>(), "or")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::parse::{Names, pattern};
    use crate::rules::symbol::Symbols;

    #[test]
    fn the_syntax_of_patterns_becomes_words() {
        let symbols = Symbols::new(["error"].into_iter(), ["tool_approve"].into_iter()).unwrap();
        let mut names = Names::new(&symbols);
        names.declared.state = Some([("x".to_owned(), 0)].into());
        for (source, words) in [
            ("error", "error"),
            ("error{/id = $x}", "error"),
            ("error{/code = x, /id = $x}", "error{/code = x}"),
            ("@request{/body contains $x}", "a request to the model"),
            ("#end{/code = 0}", "the end of the process with /code = 0"),
            ("!#unknown", "an event that the protocol defines"),
            (">tool_approve{/id = a}", "the host's `tool_approve`"),
        ] {
            let pattern = pattern(source, &names).unwrap();
            assert_eq!(expected(&pattern.atoms()[0]).to_string(), words, "{source}");
        }
    }
}

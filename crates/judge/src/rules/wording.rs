//! What a rule expects, in words for the readers of its findings, who do not know the syntax of rules.

use super::frame_pattern::Atom;
use crate::finding::{Facts, Finding};
use indexmap::IndexSet;

/// Frames that are not lines of the agent, in words.
const SYMBOLS: &[(&str, &str)] = &[
    ("!#unknown", "an event that the protocol defines"),
    ("#end", "the end of the process"),
    ("#stdin_closed", "the end of stdin"),
    ("@request", "a request to the model"),
    ("@reply", "a reply of the model"),
];

/// A finding that expects one of these frames.
pub(super) fn expecting(atoms: &[&Atom]) -> Finding {
    let words: IndexSet<String> = atoms.iter().map(|atom| in_words(atom)).collect();
    Finding {
        expected: words.into_iter().collect(),
        facts: Facts {
            frames: atoms.iter().map(|atom| frame(atom).to_owned()).collect(),
            ..Facts::default()
        },
        ..Finding::default()
    }
}

/// The name of the frame that an atom stands for; empty if it stands for several.
fn frame(atom: &Atom) -> &str {
    let is_one = atom.include.iter().nth(1).is_none();
    if is_one { &atom.written.name } else { "" }
}

/// A frame in words. Of its guards those on one place of the frame are kept; the message of the rule says what the others mean.
pub(super) fn in_words(atom: &Atom) -> String {
    if let Some(command) = atom.written.name.strip_prefix('>') {
        return format!("the host's `{command}`");
    }
    let symbol = SYMBOLS
        .iter()
        .find(|(symbol, _)| *symbol == atom.written.name);
    let name = symbol.map_or(atom.written.name.as_str(), |(_, words)| words);
    let places = atom.written.places.join(", ");
    match symbol {
        _ if places.is_empty() => name.to_owned(),
        Some(_) => format!("{name} with {places}"),
        None => format!("{name}{{{places}}}"),
    }
}

/// `a`, `b` or `c`, each once and without its guards.
pub(super) fn list(atoms: &[&Atom]) -> String {
    let names: IndexSet<&str> = atoms
        .iter()
        .map(|atom| atom.written.name.as_str())
        .collect();
    let quoted: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => "nothing".to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
    }
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
            assert_eq!(in_words(&pattern.0[0]), words, "{source}");
        }
    }
}

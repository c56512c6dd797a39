//! Nothing that a user writes makes the loader panic, hang or lose a place.

use conform::scenario::{load, script_of};
use proptest::prelude::*;
use spanned_yaml::{Error, Node, load_yaml};

const GOOD: &str = include_str!("good/everything.yaml");

/// Words that fit badly wherever they stand.
const WORDS: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    ":",
    "- ",
    "\n",
    "  ",
    "\"",
    "'",
    "&a ",
    "*a",
    "!!str ",
    "|\n",
    "null",
    "1e999",
    "-1",
    "{call}",
    "{{",
    "$regex",
    "$not: ",
    "(",
    "\\",
    "\u{0}",
    "\u{feff}",
    "ü",
    "---\n",
    "...\n",
    "? ",
    "<<: ",
    "~",
    "#",
    "\t",
    "%YAML 9.9\n",
    "steps",
    "gate",
];

fn judge(text: &str) -> Result<(), TestCaseError> {
    let errors = match load_yaml("f.yaml", text) {
        Err(error) => vec![error],
        Ok(node) => both(&node),
    };
    let lines = text.lines().count().max(1) + 1;
    for error in &errors {
        prop_assert!(error.span.line as usize <= lines, "{error}");
        prop_assert!(
            !error.message.is_empty() && !error.to_string().contains("\n\n"),
            "{error}"
        );
    }
    Ok(())
}

fn both(node: &Node) -> Vec<Error> {
    let scenario = load(node, "f", None).map(drop);
    let script = script_of(node).map(drop);
    [scenario, script]
        .into_iter()
        .filter_map(Result::err)
        .flatten()
        .collect()
}

fn char_boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len()))
        .rev()
        .find(|at| text.is_char_boundary(*at))
        .unwrap_or_default()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_scenario_with_something_put_in_or_left_out(at in 0..GOOD.len(), left_out in 0..40_usize, word in prop::sample::select(WORDS)) {
        let (start, end) = (char_boundary(GOOD, at), char_boundary(GOOD, at + left_out));
        judge(&format!("{}{word}{}", &GOOD[..start], &GOOD[end..]))?;
    }

    #[test]
    fn words_in_any_order(words in prop::collection::vec(prop::sample::select(WORDS), 0..30)) {
        judge(&words.concat())?;
    }

    #[test]
    fn any_text(text in any::<String>()) {
        judge(&text)?;
    }
}

//! Property tests of the loader: no input makes it panic, hang or report a wrong location.

use conform_runner::scenario::load;
use mock_provider::Script;
use proptest::prelude::*;
use spanned_yaml::{Error, Node, load_yaml};

const GOOD: &str = include_str!("../good/everything.yaml");

/// Words that are invalid at most positions.
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

fn check_errors(text: &str) -> Result<(), TestCaseError> {
    let errors = match load_yaml("f.yaml", text) {
        Err(error) => vec![error],
        Ok(node) => load_errors(&node),
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

fn load_errors(node: &Node) -> Vec<Error> {
    let scenario = load(node, "f", None).map(drop);
    let script = Script::of_file(node).map(drop);
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
    fn a_scenario_with_an_insertion_or_a_deletion_loads_or_fails_cleanly(at in 0..GOOD.len(), left_out in 0..40_usize, word in prop::sample::select(WORDS)) {
        let (start, end) = (char_boundary(GOOD, at), char_boundary(GOOD, at + left_out));
        check_errors(&format!("{}{word}{}", &GOOD[..start], &GOOD[end..]))?;
    }

    #[test]
    fn random_words_load_or_fail_cleanly(words in prop::collection::vec(prop::sample::select(WORDS), 0..30)) {
        check_errors(&words.concat())?;
    }

    #[test]
    fn any_text_loads_or_fails_cleanly(text in any::<String>()) {
        check_errors(&text)?;
    }
}

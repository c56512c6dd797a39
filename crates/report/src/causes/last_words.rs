//! What an agent that ended wrote about its end to stderr. This distinguishes ends that look alike on stdout. Pure.

use super::shape::without_values;
use conform_judge::finding::{DifferenceKind, Evidence, Finding};

/// Longest headline, in characters.
const LONGEST: usize = 120;
/// How many words of a headline distinguish two ends.
const WORDS: usize = 8;
/// Words that mark a line as the message of an end, in lower case.
const MARKS: [&str; 6] = ["error", "exception", "fatal", "cannot", "missing", "panic"];

/// Whether a finding is about the end of the agent, and not about processes that it left running.
pub(super) fn is_about_an_end(finding: &Finding) -> bool {
    let is_end = |frame: &Evidence| frame.here && frame.dir == "end";
    finding.difference.kind == DifferenceKind::Ended
        || finding.pointer != "/orphans" && finding.evidence.iter().any(is_end)
}

/// The first line of stderr that is an error; a panic with its message.
pub(super) fn headline(stderr: &[String]) -> Option<String> {
    let is_code = |line: &str| {
        line.starts_with([' ', '\t']) || line.starts_with("throw ") || line.contains([';', '{'])
    };
    let is_message = |line: &String| {
        let lower = line.to_lowercase();
        !is_code(line) && MARKS.iter().any(|mark| lower.contains(mark))
    };
    let at = stderr.iter().position(is_message)?;
    let mut text = stderr[at].trim().to_owned();
    if let Some(message) = stderr.get(at + 1).filter(|_| text.ends_with(':')) {
        text = format!("{text} {}", message.trim());
    }
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text += "…";
    }
    Some(text)
}

/// The words of the headline that are the same on every machine; empty without a headline.
pub(super) fn words(stderr: &[String]) -> String {
    let text = headline(stderr).unwrap_or_default();
    let same = without_values(&text);
    same.split(' ').take(WORDS).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_headline_is_the_message_of_the_error() {
        for (stderr, line, same) in [
            (
                "starting\nError: no key for x\nusage",
                Some("Error: no key for x"),
                "Error: no key for x",
            ),
            (
                "thread 'main' panicked at src/a.rs:3:9:\nindex out of bounds\nnote: run with",
                Some("thread 'main' panicked at src/a.rs:3:9: index out of bounds"),
                "thread panicked at index out of bounds",
            ),
            (
                "file:///x:3\n`);if(error)return;\n  throw new Error(1)\nTypeError: null",
                Some("TypeError: null"),
                "TypeError: null",
            ),
            (
                "error: /tmp/a1 is missing",
                Some("error: /tmp/a1 is missing"),
                "error: is missing",
            ),
            (
                "error: session \"red fox\" (a key) doesn't exist",
                Some("error: session \"red fox\" (a key) doesn't exist"),
                "error: session (a key) doesn't exist",
            ),
            ("listening\nready", None, ""),
        ] {
            let lines: Vec<String> = stderr.lines().map(str::to_owned).collect();
            assert_eq!(headline(&lines).as_deref(), line);
            assert_eq!(words(&lines), same);
        }
    }
}

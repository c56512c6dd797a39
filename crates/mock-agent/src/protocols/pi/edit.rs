//! The `edit` tool of pi: several replacements in one file, and the change as its details show it.

use serde::Deserialize;
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

/// One replacement in a file.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replacement {
    pub(super) old_text: String,
    pub(super) new_text: String,
}

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 4;

/// The text with all replacements. Each old text is looked for in the text as it was.
///
/// # Errors
/// An old text is empty, missing or not unique, or two of them overlap.
pub(super) fn replace_all(
    path: &str,
    before: &str,
    edits: &[Replacement],
) -> Result<String, String> {
    let mut places = Vec::new();
    for (n, edit) in edits.iter().enumerate() {
        places.push((place(path, before, edits, n)?, edit));
    }
    places.sort_by_key(|(start, _)| *start);
    let (mut after, mut end) = (String::new(), 0);
    for (start, edit) in places {
        if start < end {
            return Err(format!("edits overlap in {path}"));
        }
        after.push_str(&before[end..start]);
        after.push_str(&edit.new_text);
        end = start + edit.old_text.len();
    }
    after.push_str(&before[end..]);
    Ok(after)
}

/// Where the old text of edit `n` is.
fn place(path: &str, before: &str, edits: &[Replacement], n: usize) -> Result<usize, String> {
    let old = edits[n].old_text.as_str();
    let (what, name) = match edits.len() {
        1 => ("the exact text".to_owned(), "The old text"),
        _ => (format!("edits[{n}]"), "The oldText"),
    };
    if old.is_empty() {
        return Err(format!("{what}: oldText must not be empty in {path}."));
    }
    match before.matches(old).count() {
        0 => Err(format!(
            "Could not find {what} in {path}. {name} must match exactly including all whitespace and newlines."
        )),
        1 => Ok(before.find(old).unwrap_or_default()),
        count => Err(format!(
            "Found {count} occurrences of {what} in {path}. {name} must be unique. Please provide more context to make it unique."
        )),
    }
}

/// The details of an edit: the changed lines with their numbers, the first of them, and a patch of this file if one is wanted.
pub(super) fn summarize(before: &str, after: &str, patched: Option<&str>) -> Value {
    let (diff, first) = numbered_diff(before, after);
    let mut details = json!({ "diff": diff });
    if let Some(path) = patched {
        let diff = TextDiff::from_lines(before, after);
        let mut patch = diff.unified_diff();
        patch.context_radius(CONTEXT).header(path, path);
        details["patch"] = json!(patch.to_string());
    }
    if let Some(first) = first {
        details["firstChangedLine"] = json!(first);
    }
    details
}

/// The changed lines and those around them, each with its number; and the first changed line, counted from 1 in the new text.
fn numbered_diff(before: &str, after: &str) -> (String, Option<usize>) {
    let count = |text: &str| text.split('\n').count();
    let width = count(before).max(count(after)).to_string().len();
    let diff = TextDiff::from_lines(before, after);
    let changes: Vec<_> = diff.iter_all_changes().collect();
    let runs: Vec<_> = changes
        .chunk_by(|one, next| one.tag() == next.tag())
        .collect();
    let (mut old, mut new, mut first) = (1, 1, None);
    let mut shown = Vec::new();
    for (n, run) in runs.iter().enumerate() {
        let tag = run[0].tag();
        let is_change = tag != ChangeTag::Equal;
        let head = if n > 0 { CONTEXT } else { 0 };
        let tail = if n + 1 < runs.len() { CONTEXT } else { 0 };
        let hidden = match is_change || run.len() <= head + tail {
            true => 0..0,
            false => head..run.len() - tail,
        };
        if is_change {
            first = first.or(Some(new));
        }
        for (place, change) in run.iter().enumerate() {
            let (sign, number) = match tag {
                ChangeTag::Equal => (' ', old),
                ChangeTag::Delete => ('-', old),
                ChangeTag::Insert => ('+', new),
            };
            if !hidden.contains(&place) {
                let line = change.value().trim_end_matches('\n');
                shown.push(format!("{sign}{number:>width$} {line}"));
            } else if place == hidden.start {
                shown.push(format!(" {:>width$} ...", ""));
            }
            old += usize::from(tag != ChangeTag::Insert);
            new += usize::from(tag != ChangeTag::Delete);
        }
    }
    (shown.join("\n"), first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edits(pairs: &[(&str, &str)]) -> Vec<Replacement> {
        let edit = |(old, new): &(&str, &str)| Replacement {
            old_text: (*old).to_owned(),
            new_text: (*new).to_owned(),
        };
        pairs.iter().map(edit).collect()
    }

    #[test]
    fn each_old_text_is_looked_for_in_the_text_as_it_was() {
        let replaced =
            |pairs: &[(&str, &str)]| replace_all("f", "one two\nthree two\n", &edits(pairs));

        let both = replaced(&[("three", "one"), ("one", "three")]);
        assert_eq!(both.unwrap(), "three two\none two\n");
        let missing = replaced(&[("four", "x")]).unwrap_err();
        assert!(missing.starts_with("Could not find the exact text in f."));
        let twice = replaced(&[("one", "x"), ("two", "x")]).unwrap_err();
        assert!(twice.starts_with("Found 2 occurrences of edits[1] in f."));
        assert!(replaced(&[("one two", "x"), ("two\nthree", "y")]).is_err());
        assert!(replaced(&[("", "x")]).is_err());
    }

    #[test]
    fn the_diff_has_the_numbers_of_lines_and_the_patch_is_unified() {
        let details = summarize("one\ntwo\n", "one\nthree\n", Some("a.txt"));

        assert_eq!(details["diff"], " 1 one\n-2 two\n+2 three");
        let patch = "--- a.txt\n+++ a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n";
        assert_eq!(details["patch"], patch);
        assert_eq!(details["firstChangedLine"], 2);
    }

    #[test]
    fn lines_far_from_a_change_are_left_out() {
        let before: String = (1..=20).map(|n| format!("{n}\n")).collect();
        let after = before.replace("10\n", "ten\n");

        let (diff, first) = numbered_diff(&before, &after);
        let expected = "    ...\n  6 6\n  7 7\n  8 8\n  9 9\n-10 10\n+10 ten\n 11 11\n 12 12\n 13 13\n 14 14\n    ...";
        assert_eq!(diff, expected);
        assert_eq!(first, Some(10));
    }
}

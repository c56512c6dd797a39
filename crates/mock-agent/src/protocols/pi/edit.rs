//! The change of an edit, as the details of its result show it.

use serde_json::{Value, json};
use similar::{ChangeTag, DiffTag, TextDiff};

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 4;

/// The details of an edit: the changed lines with their numbers, the first of them, and a patch of this file if one is wanted.
pub(super) fn summarize(before: &str, after: &str, patched: Option<&str>) -> Value {
    let diff = TextDiff::from_lines(before, after);
    let mut details = json!({ "diff": numbered(&diff, before, after) });
    if let Some(path) = patched {
        let mut patch = diff.unified_diff();
        patch.context_radius(CONTEXT).header(path, path);
        details["patch"] = json!(patch.to_string());
    }
    let mut ops = diff.ops().iter();
    if let Some(first) = ops.find(|op| op.tag() != DiffTag::Equal) {
        details["firstChangedLine"] = json!(first.new_range().start + 1);
    }
    details
}

/// The changed lines and those around them, each with its number.
fn numbered(diff: &TextDiff<'_, '_, str>, before: &str, after: &str) -> String {
    let count = |text: &str| text.split('\n').count();
    let width = count(before).max(count(after)).to_string().len();
    let left_out = format!(" {:>width$} ...", "");
    let (mut shown, mut end) = (Vec::new(), 0);
    for ops in diff.grouped_ops(CONTEXT) {
        if ops[0].old_range().start > end {
            shown.push(left_out.clone());
        }
        for change in ops.iter().flat_map(|op| diff.iter_changes(op)) {
            let (sign, place) = match change.tag() {
                ChangeTag::Equal => (' ', change.old_index()),
                ChangeTag::Delete => ('-', change.old_index()),
                ChangeTag::Insert => ('+', change.new_index()),
            };
            let number = place.unwrap_or_default() + 1;
            let line = change.value().trim_end_matches('\n');
            shown.push(format!("{sign}{number:>width$} {line}"));
        }
        end = ops[ops.len() - 1].old_range().end;
    }
    if end < diff.old_len() {
        shown.push(left_out);
    }
    shown.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

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

        let details = summarize(&before, &after, None);
        let expected = "    ...\n  6 6\n  7 7\n  8 8\n  9 9\n-10 10\n+10 ten\n 11 11\n 12 12\n 13 13\n 14 14\n    ...";
        assert_eq!(details["diff"], expected);
        assert_eq!(details["firstChangedLine"], 10);
    }
}

//! Writes the text of a baseline file.

use super::entry::{BaselineEntry, EntryKind};

const HEAD: &str = "\
# Known causes, written by `conform run --baseline FILE --update-baseline`. Write into each `reason` why it is accepted.
# An entry with `kind: flaky` need not match in every run; `expires: YYYY-MM-DD` sets the last day of an entry.
";

/// The first line of baselines of the old form.
const OLD_HEAD: &str = "# Accepted findings: ";

/// The text of a baseline with these entries. `head` is the comment at the top of the file, if there was one.
pub(super) fn file_text(head: &str, entries: &[BaselineEntry]) -> String {
    let is_own = head.is_empty() || head.starts_with(OLD_HEAD);
    let mut text = if is_own { HEAD } else { head }.to_owned();
    let (by_rule, by_cause): (Vec<_>, Vec<_>) =
        entries.iter().partition(|entry| entry.is_by_rule());
    text += if by_cause.is_empty() {
        "causes: []\n"
    } else {
        "causes:\n"
    };
    for entry in by_cause {
        write_entry(&mut text, entry);
    }
    if !by_rule.is_empty() {
        text += "findings:\n";
    }
    for entry in by_rule {
        write_entry(&mut text, entry);
    }
    text
}

fn write_entry(text: &mut String, entry: &BaselineEntry) {
    let scenarios: Vec<_> = entry.scenarios.iter().map(|one| quoted(&one.0)).collect();
    let scenarios = scenarios.join(", ");
    let kind = match (entry.kind, entry.is_by_rule()) {
        (EntryKind::Flaky, _) => "    kind: flaky\n",
        (EntryKind::Known, true) => "    kind: known\n",
        (EntryKind::Known, false) => "",
    };
    let (id, what) = (quoted(entry.subject()), quoted(&entry.what));
    *text += &match entry.is_by_rule() {
        true => format!("  - scenario: {scenarios}\n    rule: {id}\n"),
        false => {
            format!("  - cause: {id}\n    what: {what}\n    scenarios: [{scenarios}]\n")
        }
    };
    *text += &format!("{kind}    reason: {}\n", quoted(&entry.reason));
    if let Some(day) = entry.expires {
        *text += &format!("    expires: {day}\n");
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

//! Leaves one fault in the text of a `faults.yaml`, so that an agent that plays one fault does not parse hundreds.

/// The sections that map the ids of faults.
const BY_ID: [&str; 3] = ["faults", "variants", "caught_by"];

/// The section that no fault refers to.
const UNUSED: &str = "unplayed";

/// The text with blank lines in place of the entries of all other faults, so that places stay right; `None` if nothing is left. A section in
/// flow style is kept as it is.
pub(crate) fn only_entry(text: &str, id: &str) -> Option<String> {
    let mut kept = Vec::new();
    // The header of a section whose entries are selected, until one is kept: a section without entries is a mistake.
    let mut header = None;
    let (mut is_by_id, mut is_kept) = (false, false);
    for line in text.split_inclusive('\n') {
        if let Some(name) = section(line) {
            is_by_id = BY_ID.contains(&name) && line.trim_end().ends_with(':');
            is_kept = !is_by_id && name != UNUSED;
            header = is_by_id.then_some((kept.len(), line));
        } else if is_by_id && let Some(name) = entry(line) {
            is_kept = name == id;
        }
        if is_kept && let Some((at, header)) = header.take() {
            kept[at] = header;
        }
        kept.push(if is_kept { line } else { "\n" });
    }
    let text = kept.concat();
    (!text.trim().is_empty()).then_some(text)
}

/// The name of the section that a line begins.
fn section(line: &str) -> Option<&str> {
    let name = line.split_once(':')?.0;
    let is_name = name.starts_with(|first: char| first.is_ascii_alphabetic());
    is_name.then_some(name)
}

/// The id of the entry that a line of a section begins.
fn entry(line: &str) -> Option<&str> {
    let name = line.strip_prefix("  ")?.split_once(':')?.0;
    let is_nested = name.starts_with([' ', '#', '-']);
    (!is_nested).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "\
rules:
  turns: [turn-ends]
frames:
  text: { on: word }
remove: [old]
caught_by:
  other: [turn-ends]
faults:
  # Words
  no-word:
    summary: a word is missing
    on: text
    drop:
  no-end: { summary: a turn has no end, on: end, drop: }
variants:
  late-end: { summary: late, on: end, delay_ms: 5 }
unplayed:
  order: nobody can see it
";

    #[test]
    fn only_the_entry_and_what_it_can_refer_to_is_left_at_its_place() {
        let kept = only_entry(FILE, "no-word").unwrap();
        let expected = "\
rules:
  turns: [turn-ends]
frames:
  text: { on: word }
remove: [old]


faults:

  no-word:
    summary: a word is missing
    on: text
    drop:





";
        assert_eq!(kept, expected);
    }

    #[test]
    fn nothing_is_left_of_a_file_that_has_only_other_faults() {
        let file = "# Faults\nfaults:\n  no-end: { on: end, drop: }\n";
        assert_eq!(only_entry(file, "end"), None);
    }

    #[test]
    fn a_section_in_flow_style_is_kept() {
        let file = "faults: { no-end: { summary: none, on: end, drop: } }\n";
        assert_eq!(only_entry(file, "other").as_deref(), Some(file));
    }
}

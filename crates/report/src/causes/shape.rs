//! The shape of a finding: the place and the kind of difference, without the values. It makes the id of the cause.

use crate::verdict_rules::is_of_a_step;
use conform_judge::finding::{Difference, DifferenceKind, Finding};

/// The place that a pointer points at, with `*` for the position in a list.
#[must_use]
pub fn place(pointer: &str) -> String {
    let varies = |step: &str| {
        let is_position = !step.is_empty() && step.bytes().all(|b| b.is_ascii_digit());
        is_position || is_path_or_id(step)
    };
    let steps = pointer
        .split('/')
        .map(|step| if varies(step) { "*" } else { step });
    steps.collect::<Vec<_>>().join("/")
}

/// Whether a step of a pointer is a key that the agent makes up: a path, or an id such as a UUID.
fn is_path_or_id(step: &str) -> bool {
    const DIGITS: usize = 4;
    let digits = step.bytes().filter(u8::is_ascii_digit).count();
    step.contains("~1") || digits >= DIGITS
}

/// A message of the agent without its own values: texts in quotes, words with numbers, and paths.
pub(super) fn without_values(text: &str) -> String {
    const QUOTES: [char; 3] = ['"', '\'', '`'];
    let mut is_quoted = false;
    let is_same = |word: &&str| {
        let bare = word.trim_matches(['(', ')', ',', '.', ':', ';']);
        let was_quoted = is_quoted || bare.starts_with(QUOTES);
        is_quoted = was_quoted && !(bare.len() > 1 && bare.ends_with(QUOTES));
        let has_value = word.contains(['/', '\\']) || word.bytes().any(|b| b.is_ascii_digit());
        !was_quoted && !has_value
    };
    let words = text.split_whitespace().filter(is_same);
    words.collect::<Vec<_>>().join(" ")
}

/// What differs, in a few words without values.
#[must_use]
pub fn describe(difference: &Difference, pointer: &str) -> String {
    let at = match place(pointer).as_str() {
        "" => "the frame".to_owned(),
        place => format!("`{place}`"),
    };
    let frame = match difference.name.as_str() {
        "" => "what must come".to_owned(),
        name => format!("`{name}`"),
    };
    match difference.kind {
        DifferenceKind::Condition if pointer.is_empty() => String::new(),
        DifferenceKind::Condition => format!("{at} does not fit"),
        DifferenceKind::Missing => format!("{at} is missing"),
        DifferenceKind::WrongType => format!("{at} has the wrong type"),
        DifferenceKind::WrongValue => format!("{at} has the wrong value"),
        DifferenceKind::Malformed => format!("a line is malformed: {}", difference.name),
        DifferenceKind::Unexpected => format!("{frame} came where it must not"),
        DifferenceKind::Absent => format!("{frame} did not come"),
        DifferenceKind::Ended => "the agent ended too early".to_owned(),
    }
}

/// The id of the cause of a finding, if it follows from no other finding: the name of the rule, and a hash of the rule, the clauses and the shape.
///
/// The clauses of a rule follow from the rule and the place, and may be reworded in a later version. Only steps of scenarios, which share
/// a few rules, are distinguished by them.
#[must_use]
pub fn cause_id(finding: &Finding) -> String {
    let mut clauses: Vec<&str> = Vec::new();
    if is_of_a_step(&finding.rule) {
        clauses.extend(finding.clauses.iter().map(String::as_str));
        clauses.sort_unstable();
    }
    let place = place(&finding.pointer);
    let parts = [
        finding.blame.word(),
        &finding.rule,
        finding.difference.kind.word(),
        &finding.difference.name,
        &place,
    ];
    let hash = parts
        .into_iter()
        .chain(clauses)
        .fold(FNV_OFFSET, |hash, part| fnv(fnv(hash, part), "\n"));
    // 32 bits suffice to distinguish the causes of one report.
    format!(
        "{}-{:08x}",
        slug(&finding.rule),
        (hash >> 32) ^ (hash & 0xffff_ffff)
    )
}

/// Whether an id is the id of a cause of this rule, with any hash.
#[must_use]
pub fn is_cause_of(id: &str, rule: &str) -> bool {
    let is_hash = |text: &str| text.len() == 8 && text.bytes().all(|b| b.is_ascii_hexdigit());
    id.rsplit_once('-')
        .is_some_and(|(name, hash)| is_hash(hash) && name == slug(rule))
}

/// The rule's own name, with letters, digits, `-` and `_` only.
pub(super) fn slug(rule: &str) -> String {
    let own = rule.split_once('/').map_or(rule, |(_, own)| own);
    let own = own.strip_prefix("scenario.").unwrap_or(own);
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    own.chars()
        .map(|c| if plain(c) { c } else { '-' })
        .collect()
}

/// The start and the factor of the hash FNV-1a with 64 bits. Ids are kept in files, so the hash must never change.
const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;

fn fnv(hash: u64, text: &str) -> u64 {
    text.bytes().fold(hash, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(FNV_PRIME)
    })
}

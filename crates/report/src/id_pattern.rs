//! Patterns for ids of scenarios and causes: `*` is any number of characters, `?` is one. The id of a scenario matches with or without its
//! dialect.

/// Whether a pattern matches the whole text.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    glob(pattern.as_bytes(), text.as_bytes())
}

/// Whether a pattern matches the whole id of a scenario, or the part of it after the dialect.
#[must_use]
pub fn matches_id(pattern: &str, id: &str) -> bool {
    matches(pattern, id) || own_part(id).is_some_and(|own| matches(pattern, own))
}

/// The part of an id after its dialect: `turn/plain` of `aionrs@0.1/turn/plain`.
fn own_part(id: &str) -> Option<&str> {
    let (dialect, own) = id.split_once('/')?;
    dialect.contains('@').then_some(own)
}

/// Matches a glob pattern. Linear time for each star.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    let mut star = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(b'?') => (p, t) = (p + 1, t + 1),
            Some(byte) if *byte == text[t] => (p, t) = (p + 1, t + 1),
            _ => {
                let Some((at, from)) = star else { return false };
                star = Some((at, from + 1));
                (p, t) = (at + 1, from + 1);
            }
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

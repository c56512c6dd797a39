//! What the id of a clause names: `demo.turn-end.will-retry` is about the member `willRetry` of the frame `turn_end`.

/// Whether a clause is about a frame: its name is the second part of the id.
pub fn is_about_frame(clause: &str, frame: &str) -> bool {
    let about = clause.split('.').nth(1);
    about.is_some_and(|about| letters(about).eq(letters(frame)))
}

/// Whether a clause is about a member of a frame: its name is the last part of the id.
pub fn is_about_member(clause: &str, member: &str) -> bool {
    let about = clause.rsplit('.').next().unwrap_or_default();
    letters(about).eq(letters(member))
}

/// The letters and digits, in lower case: ids and protocols write words differently.
fn letters(name: &str) -> impl Iterator<Item = char> {
    let plain = name.chars().filter(char::is_ascii_alphanumeric);
    plain.map(|c| c.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clause_is_about_what_its_id_names() {
        let id = "demo.turn-end.will-retry";
        assert!(is_about_frame(id, "turn_end") && is_about_member(id, "willRetry"));
        assert!(!is_about_frame(id, "turn") && !is_about_frame("demo", ""));
        assert!(!is_about_member(id, "retry") && !is_about_member(id, ""));
    }
}

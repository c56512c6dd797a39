//! How the agent says on stderr that its fault was played.

const BEGIN: &str = "mock-agent: fault ";
const MIDDLE: &str = " played at line ";

/// The sentence: this fault was played, and this line of stdout, counted from 1, is the first that it can have spoilt.
#[must_use]
pub fn told(fault: &str, line: u64) -> String {
    format!("{BEGIN}{fault}{MIDDLE}{line}")
}

/// The fault and the line, if this line of stderr is that sentence.
#[must_use]
pub fn heard(text: &str) -> Option<(&str, u64)> {
    let (fault, line) = text.strip_prefix(BEGIN)?.split_once(MIDDLE)?;
    Some((fault, line.trim_end().parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_heard() {
        assert_eq!(heard(&told("no-ready", 1)), Some(("no-ready", 1)));
        assert_eq!(heard("mock-agent: fault x played at line y"), None);
        assert_eq!(heard("something else"), None);
    }
}

//! The steps of JSON Pointers (RFC 6901, section 3): `~` and `/` in a name are escaped.

/// A name as a step of a pointer.
pub fn escape_step(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// The name that a step of a pointer stands for.
pub fn unescape_step(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_same_behind_both() {
        for (name, step) in [("a/b", "a~1b"), ("~1", "~01"), ("plain", "plain")] {
            assert_eq!(escape_step(name), step);
            assert_eq!(unescape_step(step), name);
        }
    }
}

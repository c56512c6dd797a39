//! Glob patterns (`*`, `?`, `**`, `[a-z]`, `{a,b}`), compiled to regular expressions.

use regex::Regex;

/// Signs of a pattern, each before those that it begins with, and their regular expressions.
const WILDCARDS: [(&str, &str); 4] = [
    ("**/", "(?:.*/)?"),
    ("**", ".*"),
    ("*", "[^/]*"),
    ("?", "[^/]"),
];

/// Compiles a pattern to a regular expression that matches a whole relative path.
///
/// # Errors
/// The pattern is malformed.
pub(super) fn compile(glob: &str) -> Result<Regex, String> {
    let mut out = String::from("^");
    let mut rest = glob;
    let mut depth = 0;
    while let Some(c) = rest.chars().next() {
        if let Some((pattern, regex)) = WILDCARDS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            out.push_str(regex);
            rest = &rest[pattern.len()..];
            continue;
        }
        if let Some(end) = class_end(rest) {
            let inner = rest[1..end].replace('\\', "\\\\").replace('[', "\\[");
            let inner = inner
                .strip_prefix('!')
                .map_or(inner.clone(), |inner| format!("^{inner}"));
            out.push_str(&format!("[{inner}]"));
            rest = &rest[end + 1..];
            continue;
        }
        match c {
            '{' => {
                depth += 1;
                out.push_str("(?:");
            }
            '}' if depth > 0 => {
                depth -= 1;
                out.push(')');
            }
            ',' if depth > 0 => out.push('|'),
            other => out.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
        }
        rest = &rest[c.len_utf8()..];
    }
    out.push('$');
    Regex::new(&out).map_err(|_| format!("{glob:?} is not a glob pattern"))
}

/// The offset at which the character class at the start of the text ends.
fn class_end(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    inner.find(']').filter(|end| *end > 0).map(|end| end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_paths() {
        let matches = |glob: &str, path: &str| compile(glob).unwrap().is_match(path);

        for (glob, path) in [
            ("*.rs", "a.rs"),
            ("**/*.rs", "a.rs"),
            ("**/*.rs", "x/y/a.rs"),
            ("src/**", "src/x/y"),
            ("a?.{rs,md}", "ab.md"),
            ("[a-c]!", "b!"),
            ("[!a]", "b"),
        ] {
            assert!(matches(glob, path), "{glob} {path}");
        }
        for (glob, path) in [
            ("*.rs", "x/a.rs"),
            ("a.rs", "aXrs"),
            ("[!a]", "a"),
            ("?", "/"),
        ] {
            assert!(!matches(glob, path), "{glob} {path}");
        }
        assert!(compile("{a").is_err());
    }
}

//! HTTP headers, with secrets redacted in output.

use std::fmt;

/// HTTP headers in order, names in lower case. `Debug` and `Display` redact secrets.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, String)>);

/// Headers whose values are secrets.
const SECRET: [&str; 5] = [
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "api-key",
    "cookie",
];

impl Headers {
    /// No headers.
    #[must_use]
    pub fn new() -> Self {
        Headers::default()
    }

    /// Adds a header, or replaces the one of this name.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let name = name.to_ascii_lowercase();
        self.0.retain(|(old, _)| *old != name);
        self.0.push((name, value.into()));
    }

    /// Adds a header beside others of its name.
    pub fn push(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_ascii_lowercase(), value.into()));
    }

    /// The first value of a header, the name in lower case.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    /// Names and values, secrets included.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Names and values with secrets replaced by `***`.
    pub fn redacted(&self) -> impl Iterator<Item = (&str, &str)> {
        self.iter()
            .map(|(name, value)| (name, if SECRET.contains(&name) { "***" } else { value }))
    }
}

impl fmt::Debug for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.redacted()).finish()
    }
}

impl fmt::Display for Headers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.redacted()
            .try_for_each(|(name, value)| writeln!(f, "{name}: {value}"))
    }
}

impl<N: AsRef<str>, V: Into<String>> FromIterator<(N, V)> for Headers {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(headers: I) -> Self {
        Headers(
            headers
                .into_iter()
                .map(|(name, value)| (name.as_ref().to_ascii_lowercase(), value.into()))
                .collect(),
        )
    }
}

/// Checks a header of a script.
///
/// # Errors
/// The mistake in its name or value.
pub(crate) fn validate(name: &str, value: &str) -> Result<(), &'static str> {
    if name.is_empty()
        || !name
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
    {
        return Err("not a header name");
    }
    if ["content-length", "transfer-encoding", "connection"]
        .iter()
        .any(|framing| name.eq_ignore_ascii_case(framing))
    {
        return Err("the server sets this header itself");
    }
    if value
        .bytes()
        .all(|b| b == b'\t' || (b' '..0x7f).contains(&b))
    {
        Ok(())
    } else {
        Err("a header value is printable ASCII")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_not_shown_but_can_be_read() {
        let headers: Headers = [("X-Api-Key", "sk-1"), ("accept", "*/*")]
            .into_iter()
            .collect();

        assert_eq!(format!("{headers}"), "x-api-key: ***\naccept: */*\n");
        assert_eq!(
            format!("{headers:?}"),
            r#"{"x-api-key": "***", "accept": "*/*"}"#
        );
        assert_eq!(headers.get("x-api-key"), Some("sk-1"));
    }
}

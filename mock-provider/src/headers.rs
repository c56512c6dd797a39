//! HTTP headers: those of a script, and secrets that are not shown.

use hyper::HeaderMap;
use hyper::header::{CONNECTION, CONTENT_LENGTH, HeaderName, HeaderValue, TRANSFER_ENCODING};

/// Headers whose values are secrets.
const SECRET: [&str; 6] = [
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "cookie",
];

/// Headers with these names and values, without those that are not valid: a script's are checked when it is loaded.
pub(crate) fn header_map<N: AsRef<str>, V: AsRef<str>>(
    headers: impl IntoIterator<Item = (N, V)>,
) -> HeaderMap {
    let valid = |(name, value): (N, V)| {
        let name = HeaderName::try_from(name.as_ref()).ok()?;
        Some((name, HeaderValue::try_from(value.as_ref()).ok()?))
    };
    headers.into_iter().filter_map(valid).collect()
}

/// The value of a header; none if it is not text.
pub(crate) fn text<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    headers.get(name)?.to_str().ok()
}

/// Marks the values that are secrets: `Debug` does not show them.
pub(crate) fn hide_secrets(headers: &mut HeaderMap) {
    for name in SECRET {
        if let Some(value) = headers.get_mut(name) {
            value.set_sensitive(true);
        }
    }
}

/// Checks a header of a script.
///
/// # Errors
/// The mistake in its name or value.
pub(crate) fn validate(name: &str, value: &str) -> Result<(), &'static str> {
    let name = HeaderName::try_from(name).map_err(|_| "not a header name")?;
    if [CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION].contains(&name) {
        return Err("the server sets this header itself");
    }
    let is_printable = HeaderValue::try_from(value).is_ok_and(|value| value.to_str().is_ok());
    is_printable
        .then_some(())
        .ok_or("a header value is printable ASCII")
}

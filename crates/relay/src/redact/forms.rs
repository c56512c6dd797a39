//! The places in which secrets stand: after a name, in an address, in a header, on a command line, and between marks of their own.

use super::evidence::Evidence;
use regex::bytes::Regex;

/// The names of values that are secret, and what a name proves: a value that has it, and one that is written after it in plain text.
const NAMES: [(&str, Evidence, Evidence); 2] = [
    (
        r"[\w.-]*(?:api[_-]?key|secret(?:[_-]?(?:access[_-]?)?key)?|passw(?:or)?d|passphrase|[_-](?:pass|pwd)|credentials?|(?:access|account|admin|app|auth|client|deploy|encryption|license|master|private|root|service|session|shared|signing|storage|subscription)[_-]?key)",
        Evidence::Named,
        Evidence::Written,
    ),
    (
        r"[\w.-]*(?:token|cookie|jwt|authorization|\bauth|[_-]auth)",
        Evidence::Random,
        Evidence::Random,
    ),
];

/// Where a value stands by its name `{name}`, and whether in plain text. A quote is escaped in a text in a frame.
const PLACES: [(&str, bool); 8] = [
    (r#""{name}"\s*:\s*"(?P<secret>(?:[^"\\]|\\.)+)""#, false),
    (
        r#"\\+"{name}\\+"\s*:\s*\\+"(?P<secret>(?:[^"\\]|\\+[^"\\])+)"#,
        false,
    ),
    // A list of variables or headers.
    (
        r#"\\*"name\\*"\s*:\s*\\*"{name}\\*"\s*,\s*\\*"value\\*"\s*:\s*\\*"(?P<secret>(?:[^"\\]|\\+[^"\\])+)"#,
        false,
    ),
    // A list of arguments.
    (
        r#"\\*"--?{name}\\*"\s*,\s*\\*"(?P<secret>(?:[^"\\]|\\+[^"\\])+)"#,
        false,
    ),
    // The value begins with no sign that follows the end of a text.
    (
        r#"(?:\\[nrt])?{name}\s*(?::=|=>|[=:])\s*\\*"(?P<secret>[^\s"\\,:}\])][^"\\]*)\\*""#,
        false,
    ),
    (
        r#"(?:\\[nrt])?{name}'?\s*(?::=|=>|[=:])\s*'(?P<secret>[^'"\\]+)'"#,
        false,
    ),
    (
        r#"(?:\\[nrt])?{name}\s*(?::=|=>|[=:])\s*(?P<secret>[^\s"'\\&;,<>`]+)"#,
        true,
    ),
    (
        r#"--?{name}\s+\\*["']?(?P<secret>[^\s"'\\&;,<>`|-][^\s"'\\&;,<>`|]*)"#,
        true,
    ),
];

/// Other places, and what they prove. The mark is the match of the group `name`, or else this word.
const OTHER_PLACES: [(&str, &str, Evidence); 18] = [
    (
        "secret",
        r#"\\*"(?P<name>pass|pwd)\\*"\s*:\s*\\*"(?P<secret>[^"\\]+)"#,
        Evidence::Named,
    ),
    (
        "authorization",
        r#"(?P<name>authorization)\\*["']?\s*[:=,]\s*\\*["']?(?:basic|bearer|token|api-?key|digest|negotiate)\s+(?P<secret>[^\s"'\\,;<>]{8,})"#,
        Evidence::Named,
    ),
    (
        "bearer",
        r"\b(?:bearer|basic)\s+(?P<secret>[A-Za-z0-9._~+/=-]{12,})",
        Evidence::Random,
    ),
    (
        "cookie",
        r#"set-cookie\\*["']?\s*:\s*\\*["']?(?P<name>[\w.-]+)=(?P<secret>[^\s;,"'\\]+)"#,
        Evidence::Random,
    ),
    (
        "cookie",
        r#"(?:^|[^-\w])(?P<name>cookie)\\*"?\s*[:,]\s*\\*"?(?P<secret>[\w.-]+=[^"'\\\r\n]+)"#,
        Evidence::Random,
    ),
    // A list of headers, each of them a list of two.
    (
        "header",
        r#"\[\s*\\*"(?P<name>[\w-]*(?:key|token|secret|password|cookie|authorization))\\*"\s*,\s*\\*"(?P<secret>[^"\\]+)\\*"\s*\]"#,
        Evidence::Random,
    ),
    // XML.
    (
        "password",
        r#"<(?P<name>[\w:.-]*(?:passw(?:or)?d|passphrase|secret|api-?key))>(?:\s|\\[nrt])*(?P<secret>[^<>\s"\\]+)"#,
        Evidence::Named,
    ),
    (
        "token",
        r#"<(?P<name>[\w:.-]*(?:token|key))>(?:\s|\\[nrt])*(?P<secret>[^<>\s"\\]+)"#,
        Evidence::Random,
    ),
    // Addresses.
    (
        "password",
        r#"[a-z][a-z0-9+.-]*:(?:\\*/){2}[^\s/?#:@\[\]"'\\]*:(?P<secret>[^\s/?#@\[\]"'\\]+)@"#,
        Evidence::Named,
    ),
    (
        "user",
        r#"[a-z][a-z0-9+.-]*:(?:\\*/){2}(?P<secret>[^\s/?#:@"'\\]{20,})@"#,
        Evidence::Random,
    ),
    (
        "query",
        r##"(?:[?&#]|\\u0026|%3f|%26)(?P<name>[\w.-]*(?:key|sig|signature|token|auth|code|session|sid|jwt|secret|pass|password))(?:=|\\u003d|%3d)(?P<secret>[^&\s"'\\#<>]+)"##,
        Evidence::Random,
    ),
    // Command lines.
    (
        "password",
        r#"\bcurl\b[^|;]*?\s(?:-u|--user)[ =]?\\*["']?[^\s:"'\\]*:(?P<secret>[^\s"'\\]+)"#,
        Evidence::Named,
    ),
    (
        "cookie",
        r#"\bcurl\b[^|;]*?\s(?:-b|--cookie)[ =]?\\*["']?(?P<name>[\w.-]+)=(?P<secret>[^\s"'\\;]+)"#,
        Evidence::Random,
    ),
    (
        "password",
        r#"(?:\b(?:sshpass|docker\s+login)\b[^|;"\\]*?\s-p\s+|\b\blogin\s+[^\s"\\]+\s+password\s+)'?(?P<secret>[^\s"'\\|;]+)"#,
        Evidence::Named,
    ),
    // Forms that no prefix shows.
    (
        "jwt",
        r"(?P<secret>eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{4,})",
        Evidence::Certain,
    ),
    (
        "telegram",
        r"(?:^|[^0-9])[0-9]{8,10}:(?P<secret>AA[\w-]{30,})",
        Evidence::Certain,
    ),
    (
        "azure",
        r"(?P<secret>[\w~.-]{3}[0-9]Q~[\w~.-]{31,34})",
        Evidence::Certain,
    ),
    (
        "private-key",
        r#"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?P<secret>(?s:[^"]*?))(?:-----END|\\*"|$)"#,
        Evidence::Certain,
    ),
];

/// Words of which a text has at least one if it has one of the places.
pub(super) const KEYWORDS: [&str; 21] = [
    "key",
    "secret",
    "pass",
    "pwd",
    "credential",
    "token",
    "cookie",
    "jwt",
    "auth",
    "bearer",
    "basic",
    "eyj",
    ":aa",
    "q~",
    "@",
    "sig",
    "code=",
    "session=",
    "sid=",
    "docker",
    "curl",
];

/// A place of secrets.
#[derive(Debug)]
pub(super) struct Form {
    /// The mark of a secret that has no name.
    pub(super) mark: String,
    /// With a group `secret`, and perhaps a group `name`.
    pub(super) pattern: Regex,
    /// What the place proves.
    pub(super) evidence: Evidence,
}

/// All places.
pub(super) fn forms() -> Vec<Form> {
    let named = NAMES.iter().flat_map(|(name, of_value, of_text)| {
        PLACES.iter().map(move |(place, is_text)| {
            let pattern = place.replace("{name}", &format!("(?P<name>{name})"));
            let evidence = if *is_text { *of_text } else { *of_value };
            Form::new("secret", &pattern, evidence)
        })
    });
    let others = OTHER_PLACES.iter();
    let others = others.map(|(mark, pattern, evidence)| Form::new(mark, pattern, *evidence));
    others.chain(named).collect()
}

impl Form {
    /// A form of an ASCII pattern, regardless of case.
    ///
    /// # Panics
    /// If the pattern is invalid.
    pub(super) fn new(mark: &str, pattern: &str, evidence: Evidence) -> Self {
        Form {
            mark: mark.to_owned(),
            pattern: Regex::new(&format!("(?i-u){pattern}")).expect("a constant pattern"),
            evidence,
        }
    }
}

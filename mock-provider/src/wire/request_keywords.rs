//! The formats and the keyword of our own in the schemas of request bodies: without regular expressions, which take long to compile.

use jsonschema::paths::Location;
use jsonschema::{Keyword, ValidationError, ValidationOptions};
use serde_json::{Map, Value};

/// A format: its name, the pattern in the messages of the APIs, and whether a text has it.
pub(super) struct TextFormat {
    name: &'static str,
    pattern: &'static str,
    matches: fn(&str) -> bool,
}

/// Every format. An empty text is a matter of `minLength`.
const FORMATS: [TextFormat; 7] = [
    TextFormat {
        name: "not-blank",
        pattern: "\\S",
        matches: |text| text.is_empty() || !text.trim().is_empty(),
    },
    TextFormat {
        name: "word",
        pattern: "^[a-zA-Z0-9_-]+$",
        matches: |text| text.bytes().all(is_word),
    },
    TextFormat {
        name: "base64",
        pattern: "^[a-zA-Z0-9+/=\\s]+$",
        matches: |text| {
            let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=\r\n".contains(&byte);
            text.bytes().all(is_digit)
        },
    },
    TextFormat {
        name: "property-key",
        pattern: "^[a-zA-Z0-9_.-]{1,64}$",
        matches: |text| {
            let is_key = |byte| is_word(byte) || byte == b'.';
            (1..=64).contains(&text.len()) && text.bytes().all(is_key)
        },
    },
    TextFormat {
        name: "message-name",
        pattern: "^[^\\s<|\\\\/>]+$",
        matches: |text| !text.contains(|c: char| c.is_whitespace() || "<|\\/>".contains(c)),
    },
    TextFormat {
        name: "tool-type",
        pattern: "^(custom|mcp_toolset|[a-z0-9_]+_20[0-9]{6})$",
        matches: |text| {
            let date = text.rsplit_once("_20").map_or("", |(_, date)| date);
            let is_dated = date.len() == 6 && date.bytes().all(|byte| byte.is_ascii_digit());
            is_dated || text == "custom" || text == "mcp_toolset"
        },
    },
    TextFormat {
        name: "gemini-function",
        pattern: "^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$",
        matches: |text| {
            let begins = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            let is_in_name = |byte| is_word(byte) || byte == b'.' || byte == b':';
            begins && text.len() <= 128 && text.bytes().all(is_in_name)
        },
    },
];

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// The pattern of a format, as the APIs show it.
pub(super) fn pattern(format: &str) -> &'static str {
    let found = FORMATS.iter().find(|known| known.name == format);
    found.map_or("", |known| known.pattern)
}

/// `x-starts: [BEGINNING, …]`: a text begins with one of these, or is one that ends with `$`.
struct StartsWith(Vec<String>);

/// The options with every format and the keyword.
pub(super) fn with_keywords(options: ValidationOptions<'_>) -> ValidationOptions<'_> {
    let options = options
        .should_validate_formats(true)
        .with_keyword("x-starts", starts_with);
    FORMATS.iter().fold(options, |options, format| {
        options.with_format(format.name, format.matches)
    })
}

fn starts_with<'a>(
    _: &'a Map<String, Value>,
    beginnings: &'a Value,
    _: Location,
) -> Result<Box<dyn for<'i> Keyword<'i>>, ValidationError<'a>> {
    let beginnings = beginnings.as_array().into_iter().flatten();
    let beginnings = beginnings.filter_map(|one| one.as_str().map(str::to_owned));
    Ok(Box::new(StartsWith(beginnings.collect())))
}

impl<'i> Keyword<'i> for StartsWith {
    fn validate(&self, instance: &'i Value) -> Result<(), ValidationError<'i>> {
        if self.is_valid(instance) {
            return Ok(());
        }
        Err(ValidationError::custom("another beginning"))
    }

    fn is_valid(&self, instance: &'i Value) -> bool {
        let Some(text) = instance.as_str() else {
            return true;
        };
        self.0.iter().any(|one| match one.strip_suffix('$') {
            Some(whole) => text == whole,
            None => text.starts_with(one.as_str()),
        })
    }
}

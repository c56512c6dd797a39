//! The marker `@mock key=value ...` in a prompt: a request to the agent from a person or a test that can only type.

use mock_provider::Pace;

/// The word that begins a marker.
const WORD: &str = "@mock";

/// The keys of a marker.
const KEYS: [&str; 4] = ["script", "fault", "pace", "gate"];

/// The settings of a marker.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct PromptMarker {
    /// The built-in script that the turn plays.
    pub(crate) script: Option<String>,
    /// The fault that the turn has.
    pub(crate) fault: Option<String>,
    /// The speed of its replies.
    pub(crate) pace: Option<Pace>,
    /// The gate that holds its first reply half-way.
    pub(crate) gate: Option<String>,
}

impl PromptMarker {
    /// The marker in a prompt, if it has one.
    ///
    /// # Errors
    /// The marker is empty, or a key or a pace is unknown; the message lists the possible ones.
    pub(crate) fn find(prompt: &str) -> Option<Result<Self, String>> {
        let (start, end) = span(prompt)?;
        Some(Self::parse(&prompt[start + WORD.len()..end]))
    }

    fn parse(settings: &str) -> Result<Self, String> {
        let mut marker = PromptMarker::default();
        for setting in settings.split_whitespace() {
            let (key, value) = setting.split_once('=').unwrap_or((setting, ""));
            let text = Some(value.to_owned());
            match key {
                _ if value.is_empty() => return Err(format!("`{key}` needs a value")),
                "script" => marker.script = text,
                "fault" => marker.fault = text,
                "gate" => marker.gate = text,
                "pace" => marker.pace = Some(value.parse()?),
                _ => return Err(spanned_yaml::unknown("key", key, KEYS)),
            }
        }
        if marker == PromptMarker::default() {
            Err(format!("write one of {}, as `key=value`", KEYS.join(", ")))
        } else {
            Ok(marker)
        }
    }
}

/// A prompt without its marker.
pub(crate) fn without_marker(prompt: &str) -> String {
    let Some((start, end)) = span(prompt) else {
        return prompt.to_owned();
    };
    let (before, after) = (prompt[..start].trim_end(), prompt[end..].trim_start());
    let is_between = !before.is_empty() && !after.is_empty();
    format!("{before}{}{after}", if is_between { " " } else { "" })
}

/// Where the marker begins and ends: it continues up to the first word of its line that has no `=`.
fn span(prompt: &str) -> Option<(usize, usize)> {
    let is_word = |start: usize| {
        let before = prompt[..start].chars().next_back();
        let after = prompt[start + WORD.len()..].chars().next();
        before.is_none_or(char::is_whitespace) && after.is_none_or(char::is_whitespace)
    };
    let mut words = prompt.match_indices(WORD).map(|(start, _)| start);
    let start = words.find(|start| is_word(*start))?;
    let mut end = start + WORD.len();
    let line = prompt[end..].split('\n').next().unwrap_or_default();
    for word in line.split_inclusive(char::is_whitespace) {
        if !word.trim().is_empty() && !word.contains('=') {
            break;
        }
        end += word.len();
    }
    Some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(prompt: &str) -> Result<PromptMarker, String> {
        PromptMarker::find(prompt).expect("a marker")
    }

    #[test]
    fn a_marker_can_be_anywhere_in_the_prompt() {
        let marker = found("Please @mock script=approval pace=human write it, x=1").unwrap();
        assert_eq!(marker.script.as_deref(), Some("approval"));
        assert_eq!(marker.pace, Some(Pace::HUMAN));
        for prompt in ["hello", "me@mock script=a", "@mocking script=a"] {
            assert_eq!(PromptMarker::find(prompt), None, "{prompt}");
        }
    }

    #[test]
    fn the_rest_of_the_prompt_stays() {
        for (prompt, rest) in [
            ("Please @mock pace=4 gate=a write it", "Please write it"),
            ("@mock pace=4", ""),
            ("@mock pace=4\nsecond line", "second line"),
            ("hello", "hello"),
        ] {
            assert_eq!(without_marker(prompt), rest, "{prompt}");
        }
    }
}

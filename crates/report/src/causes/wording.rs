//! What a finding expected, in words: a rule lists patterns of frames and conditions, which are written for its author. Pure.
//!
//! Conditions on one place of a frame, such as `/code = 0`, are kept. Others are left out: the message of the rule says what they mean.

/// Frames that are no lines of the agent, in words.
const SYMBOLS: &[(&str, &str)] = &[
    ("!#unknown", "an event that the protocol defines"),
    ("#end", "the end of the process"),
    ("#stdin_closed", "the end of stdin"),
    ("@request", "a request to the model"),
    ("@reply", "a reply of the model"),
];

/// What rules know about the end of a process that is in no line of it.
const OUTSIDE_THE_LINE: &[&str] = &["/by_itself", "/crashed", "/orphans"];

/// What would have been allowed, in words, each alternative once.
pub(super) fn in_words(expected: &[String]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for one in expected.iter().filter_map(|one| alternative(one)) {
        if !words.contains(&one) {
            words.push(one);
        }
    }
    words
}

/// One alternative; `None` for a condition that only the author of the rule can read.
fn alternative(expected: &str) -> Option<String> {
    if let Some(command) = expected.strip_prefix('>') {
        let (name, rest) = command.split_at(command.find(['{', ' ']).unwrap_or(command.len()));
        let rest = rest
            .strip_prefix(' ')
            .map_or(String::new(), |rest| format!(" {rest}"));
        return Some(format!("the host's `{name}`{rest}"));
    }
    if is_condition(expected) {
        let is_of_the_line = |place: &&str| !OUTSIDE_THE_LINE.contains(place);
        let place = expected.split(' ').next().filter(is_of_the_line);
        let is_plain = place.is_some_and(|place| place.starts_with('/')) && !has_state(expected);
        return is_plain.then(|| expected.to_owned());
    }
    let (name, guards) = match expected.split_once('{') {
        Some((name, guards)) if is_name(name) && guards.ends_with('}') => {
            (name, &guards[..guards.len() - 1])
        }
        _ => (expected, ""),
    };
    let guards: Vec<&str> = guards
        .split(", ")
        .filter(|guard| guard.starts_with('/') && !has_state(guard))
        .collect();
    let symbol = SYMBOLS.iter().find(|(symbol, _)| *symbol == name);
    let name = symbol.map_or(name, |(_, words)| *words);
    Some(match &guards[..] {
        [] => name.to_owned(),
        guards if symbol.is_some() => format!("{name} with {}", guards.join(", ")),
        guards => format!("{name}{{{}}}", guards.join(", ")),
    })
}

/// Whether the text is a condition of a rule, such as `/usage = $sum`.
fn is_condition(text: &str) -> bool {
    let quotes = text.contains(['{', '"']);
    let name = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '_');
    let is_call = name.len() < text.len() && name.starts_with("(");
    text.starts_with(['/', '$', '.'])
        || text.starts_with("not ")
        || !quotes && (is_call || has_state(text))
}

/// Whether a condition names a state of the rule, such as `$running`.
fn has_state(text: &str) -> bool {
    let mut after = text.split('$').skip(1);
    after.any(|name| name.starts_with(|first: char| first.is_ascii_alphabetic()))
}

/// Whether a text is the name of a frame in a pattern.
fn is_name(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_.-!#@>".contains(c);
    !text.is_empty() && text.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_syntax_of_rules_becomes_words() {
        for (expected, words) in [
            ("stream_end", Some("stream_end")),
            ("stream_start{/msg_id = $unanswered}", Some("stream_start")),
            (
                "error{/code = x, /msg_id = $turn}",
                Some("error{/code = x}"),
            ),
            (
                "@request{/body contains $history}",
                Some("a request to the model"),
            ),
            ("#end", Some("the end of the process")),
            ("!#unknown", Some("an event that the protocol defines")),
            ("/code = 0", Some("/code = 0")),
            ("/orphans = 0", None),
            ("/by_itself = false", None),
            ("/model = $model", None),
            ("$bad > $n", None),
            ("edit in $allowed", None),
            ("length(/results) = 2", None),
            (". contains sum($tokens)", None),
            ("tool_end{no_overlap}", Some("tool_end")),
            (
                ">tool_approve earlier",
                Some("the host's `tool_approve` earlier"),
            ),
            // What steps and schemas expect is in words already.
            ("a member `usage`", Some("a member `usage`")),
            (
                "{type: \"error\", code: \"$x\"}",
                Some("{type: \"error\", code: \"$x\"}"),
            ),
            (
                "\"costs $5\" in the conversation",
                Some("\"costs $5\" in the conversation"),
            ),
        ] {
            assert_eq!(alternative(expected).as_deref(), words, "{expected}");
        }
    }

    #[test]
    fn alternatives_that_read_alike_are_listed_once() {
        let expected = ["a{/x = $y}", "b", "a", "$z absent"].map(str::to_owned);
        assert_eq!(in_words(&expected), ["a", "b"]);
    }
}

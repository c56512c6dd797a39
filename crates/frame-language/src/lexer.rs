//! The lexer: patterns, order expressions and conditions share its tokens.

use serde_json::Value;
use spanned_yaml::{escape_step, unescape_step};
use std::borrow::Cow;

/// A token.
#[derive(Debug, Clone, PartialEq)]
pub enum Token {
    /// A name: an event, `>command`, `#special`, `@model`, a class, or a word of a condition.
    Name(String),
    /// A JSON Pointer: `/tool/name`; a lone `.` is the whole frame and is the empty pointer.
    Pointer(String),
    /// `$name`.
    State(String),
    /// A quoted string.
    Text(String),
    /// A number.
    Number(serde_json::Number),
    /// `( ) [ ] { } | , * + ? !` or a comparison `= != < <= > >=`.
    Sign(&'static str),
}

const SIGNS: &[&str] = &[
    "!=", "<=", ">=", "=", "<", ">", "(", ")", "[", "]", "{", "}", "|", ",", "*", "+", "?", "!",
];

/// A syntax error in an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// The byte offset in the expression.
    pub at: usize,
    /// What is wrong.
    pub message: String,
}

impl SyntaxError {
    /// The message, with the place in the expression `text`.
    pub fn shown_in(&self, text: &str) -> String {
        let at = self.at.min(text.len());
        let near: String = text[at..].chars().take(24).collect();
        let near = if near.is_empty() {
            "at its end".to_owned()
        } else {
            format!("at `{near}`")
        };
        let column = text[..at].chars().count() + 1;
        format!("{} ({near}, character {column})", self.message)
    }
}

/// Splits an expression into tokens, each with its byte offset.
///
/// # Errors
/// For a character that starts no token, and for a string without a closing quote.
pub fn tokenize(source: &str) -> Result<Vec<(usize, Token)>, SyntaxError> {
    let mut tokens = Vec::new();
    let mut rest = source;
    loop {
        rest = rest.trim_start();
        let at = source.len() - rest.len();
        let Some(first) = rest.chars().next() else {
            return Ok(tokens);
        };
        let (token, length) = token(rest, first, at)?;
        tokens.push((at, token));
        rest = &rest[length..];
    }
}

fn token(rest: &str, first: char, at: usize) -> Result<(Token, usize), SyntaxError> {
    let run = |from: usize, ok: fn(char) -> bool| {
        rest[from..]
            .find(|c| !ok(c))
            .map_or(rest.len(), |n| from + n)
    };
    let second = rest[first.len_utf8()..].chars().next();
    match first {
        '"' => quoted(rest, at).map(|(text, length)| (Token::Text(text), length)),
        '/' => pointer(rest, at),
        '.' => Ok((Token::Pointer(String::new()), 1)),
        '$' => {
            let end = run(1, is_name);
            Ok((Token::State(rest[1..end].to_owned()), end))
        }
        '>' | '#' | '@' if second.is_some_and(|c| is_name(c) || c == '#') => {
            let end = name_end(rest, if second == Some('#') { 2 } else { 1 });
            Ok((Token::Name(rest[..end].to_owned()), end))
        }
        '-' | '0'..='9' => {
            let end = run(1, |c| c.is_ascii_digit() || ".eE+-".contains(c));
            let number = serde_json::from_str(&rest[..end]).map_err(|_| SyntaxError {
                at,
                message: format!("`{}` is not a number", &rest[..end]),
            })?;
            Ok((Token::Number(number), end))
        }
        c if is_name(c) => {
            let end = name_end(rest, 0);
            Ok((Token::Name(rest[..end].to_owned()), end))
        }
        _ => SIGNS
            .iter()
            .find(|sign| rest.starts_with(**sign))
            .map(|sign| (Token::Sign(sign), sign.len()))
            .ok_or_else(|| SyntaxError {
                at,
                message: format!("`{first}` has no meaning here"),
            }),
    }
}

/// A pointer. A step with characters that would end it is written in quotes: `/files/"a b"`.
fn pointer(rest: &str, at: usize) -> Result<(Token, usize), SyntaxError> {
    let (mut pointer, mut end) = (String::new(), 0);
    while let Some(step) = rest[end..].strip_prefix('/') {
        end += 1;
        if step.starts_with('"') {
            let (name, length) = quoted(step, at + end)?;
            pointer += &format!("/{}", escape_step(&name));
            end += length;
        } else {
            let length = step.find(|c| c == '/' || !is_step(c));
            let length = length.unwrap_or(step.len());
            pointer += &format!("/{}", &step[..length]);
            end += length;
        }
    }
    Ok((Token::Pointer(pointer), end))
}

fn is_step(c: char) -> bool {
    !c.is_whitespace() && !"]),}|{=<>!\"".contains(c)
}

/// A JSON Pointer as expressions write it.
pub fn written_pointer(pointer: &str) -> String {
    let steps = pointer
        .split('/')
        .map(|step| match step.chars().all(is_step) {
            true => Cow::Borrowed(step),
            false => Value::String(unescape_step(step)).to_string().into(),
        });
    steps.collect::<Vec<_>>().join("/")
}

/// The end of a name: `session/update` is one name, while `$state/member` is a variable and a pointer.
fn name_end(rest: &str, from: usize) -> usize {
    let mut chars = rest[from..].char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let continues = is_name(c)
            || (c == '/' && at > 0 && chars.peek().is_some_and(|(_, next)| is_name(*next)));
        if !continues {
            return from + at;
        }
    }
    rest.len()
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '.' || c == '-'
}

fn quoted(rest: &str, at: usize) -> Result<(String, usize), SyntaxError> {
    let mut stream = serde_json::Deserializer::from_str(rest).into_iter::<String>();
    match stream.next() {
        Some(Ok(text)) => Ok((text, stream.byte_offset())),
        _ => Err(SyntaxError {
            at,
            message: "a string without its closing quote".to_owned(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_expression_has_its_tokens() {
        for (source, tokens) in [
            (
                ">stop /n > 3 >#malformed",
                r#"Name(">stop") Pointer("/n") Sign(">") Number(Number(3)) Name(">#malformed")"#,
            ),
            (
                "$name[/call_id]{/a=b}",
                r#"State("name") Sign("[") Pointer("/call_id") Sign("]") Sign("{") Pointer("/a") Sign("=") Name("b") Sign("}")"#,
            ),
            (
                ">session/prompt session/update{$state/member}",
                r#"Name(">session/prompt") Name("session/update") Sign("{") State("state") Pointer("/member") Sign("}")"#,
            ),
            (
                r#"/a~1b/"c, d/e"/f = 1"#,
                r#"Pointer("/a~1b/c, d~1e/f") Sign("=") Number(Number(1))"#,
            ),
        ] {
            let found = tokenize(source).unwrap();
            let found: Vec<_> = found
                .iter()
                .map(|(_, token)| format!("{token:?}"))
                .collect();
            assert_eq!(found.join(" "), tokens);
        }
    }

    #[test]
    fn a_pointer_is_written_as_it_is_read() {
        for pointer in ["/a~1b/0", "/", "/a b/~0c/=", "/\"/{}"] {
            let tokens = tokenize(&written_pointer(pointer)).unwrap();
            assert_eq!(tokens, [(0, Token::Pointer(pointer.to_owned()))]);
        }
    }

    #[test]
    fn a_bad_character_has_a_position() {
        assert_eq!(tokenize("a ; b").unwrap_err().at, 2);
        assert!(tokenize("\"open").is_err());
    }
}

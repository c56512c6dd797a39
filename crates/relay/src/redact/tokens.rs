//! Tokens that are known by their prefix, which stays readable: `ghp_…[redacted:github]`.

use super::evidence::{Evidence, is_words};
use aho_corasick::{AhoCorasick, MatchKind};
use std::borrow::Cow;

/// The table: a mark, the characters that follow, their least number, and the prefixes.
const TOKENS: &str = include_str!("tokens.txt");

/// A set of bytes.
pub(super) type Characters = fn(u8) -> bool;

/// The sets of characters by their names in the table.
const CHARACTERS: [(&str, Characters); 7] = [
    ("alnum", |byte| byte.is_ascii_alphanumeric()),
    ("hex", |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')),
    ("upper", |byte| {
        byte.is_ascii_uppercase() || byte.is_ascii_digit()
    }),
    ("word", is_word),
    ("dotted", |byte| is_word(byte) || byte == b'.'),
    ("base64", |byte| {
        is_word(byte) || matches!(byte, b'+' | b'/' | b'=')
    }),
    ("path", |byte| {
        is_word(byte) || matches!(byte, b'+' | b'/' | b'=' | b'.' | b'@')
    }),
];

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// The tokens of one prefix.
#[derive(Debug)]
struct Token {
    mark: &'static str,
    characters: Characters,
    shortest: usize,
}

/// Finds tokens in one pass over a text.
#[derive(Debug)]
pub(super) struct Tokens {
    prefixes: AhoCorasick,
    /// By the number of the prefix.
    tokens: Vec<Token>,
}

impl Tokens {
    /// All tokens of the table.
    ///
    /// # Panics
    /// If the table is invalid.
    pub(super) fn new() -> Self {
        let lines = TOKENS
            .lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'));
        let (prefixes, tokens): (Vec<&str>, Vec<Token>) = lines.flat_map(tokens_of_line).unzip();
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(prefixes);
        Tokens {
            prefixes: automaton.expect("a small table"),
            tokens,
        }
    }

    /// The text without tokens; borrowed if it has none.
    pub(super) fn redact<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let (mut redacted, mut from) = (Vec::new(), 0);
        for prefix in self.prefixes.find_iter(text) {
            let token = &self.tokens[prefix.pattern().as_usize()];
            let rest = &text[prefix.end()..];
            if prefix.start() < from || !begins_word(&text[..prefix.start()]) {
                continue;
            }
            let Some(length) = token.length(rest) else {
                continue;
            };
            redacted.extend_from_slice(&text[from..prefix.end()]);
            redacted.extend_from_slice(format!("…[redacted:{}]", token.mark).as_bytes());
            from = prefix.end() + length;
        }
        if from == 0 {
            return Cow::Borrowed(text);
        }
        redacted.extend_from_slice(&text[from..]);
        Cow::Owned(redacted)
    }
}

/// A token that a text has begun when it ends.
#[derive(Debug)]
pub(super) struct UnfinishedToken {
    /// Where it begins, after its prefix, and its bytes so far.
    pub(super) at: usize,
    pub(super) length: usize,
    pub(super) mark: &'static str,
    pub(super) characters: Characters,
}

/// A shorter prefix may begin a word.
const SHORTEST_PREFIX: usize = 4;

impl Tokens {
    /// The token in whose middle a text of a JSON line ends, if there is one.
    pub(super) fn unfinished(&self, line: &[u8]) -> Option<UnfinishedToken> {
        let mut found = self.prefixes.find_iter(line).filter_map(|prefix| {
            let token = &self.tokens[prefix.pattern().as_usize()];
            let rest = &line[prefix.end()..];
            let length = rest.iter().position(|byte| !(token.characters)(*byte))?;
            let is_known = prefix.len() >= SHORTEST_PREFIX && begins_word(&line[..prefix.start()]);
            let is_word = length > 0 && is_words(str::from_utf8(&rest[..length]).ok()?, true);
            let is_open = rest[length] == b'"' && length < token.shortest && !is_word;
            (is_known && is_open).then_some(UnfinishedToken {
                at: prefix.end(),
                length,
                mark: token.mark,
                characters: token.characters,
            })
        });
        found.next()
    }
}

impl Token {
    /// The length of the token after its prefix; `None` if none follows.
    fn length(&self, rest: &[u8]) -> Option<usize> {
        let end = rest
            .iter()
            .position(|byte| !(self.characters)(*byte))
            .unwrap_or(rest.len());
        let length = rest[..end].iter().rposition(|byte| *byte != b'.')? + 1;
        let is_whole = rest
            .get(end)
            .is_none_or(|next| !next.is_ascii_alphanumeric());
        let secret = str::from_utf8(&rest[..length]).ok()?;
        let is_secret =
            is_whole && length >= self.shortest && Evidence::Certain.accepts("", secret);
        is_secret.then_some(length)
    }
}

/// The prefixes of a line of the table, each with its token.
fn tokens_of_line(line: &'static str) -> impl Iterator<Item = (&'static str, Token)> {
    let mut columns = line.split_whitespace();
    let mut column = || columns.next().expect("four columns");
    let (mark, set, shortest) = (column(), column(), column());
    let known = CHARACTERS.iter().find(|(name, _)| *name == set);
    let (_, characters) = *known.expect("a set of characters");
    let shortest = shortest.parse().expect("a number of characters");
    columns.map(move |prefix| {
        (
            prefix,
            Token {
                mark,
                characters,
                shortest,
            },
        )
    })
}

/// Whether a word may begin after this text: also after an escaped line break (`\n`), `\u0026` and `%3D`.
fn begins_word(before: &[u8]) -> bool {
    let [.., last] = before else { return true };
    let is_hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    !(last.is_ascii_alphanumeric() || *last == b'_')
        || matches!(before, [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f'])
        || matches!(before, [.., b'\\', b'u', a, b, c, d] if is_hex(&[*a, *b, *c, *d]))
        || matches!(before, [.., b'%', a, b] if is_hex(&[*a, *b]))
}

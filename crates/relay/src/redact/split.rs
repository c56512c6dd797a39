//! Tokens that a stream brings in pieces, each in a frame of its own: a frame whose text ends in the middle of a token, and the frames
//! after it that differ in that text alone.

use super::evidence::is_words;
use super::tokens::{Characters, Tokens};

/// The mark of a later piece.
const PIECE: &[u8] = b"[redacted:piece]";
/// The longest token, in bytes: what follows is no part of it.
const LONGEST: usize = 512;

/// The token that the newest frame of a direction has begun.
#[derive(Debug, Default)]
pub(in crate::redact) struct SplitToken(Option<OpenToken>);

#[derive(Debug)]
struct OpenToken {
    /// The line around the text, with its quotes.
    before: Vec<u8>,
    after: Vec<u8>,
    characters: Characters,
    /// The bytes of the token so far, without its prefix.
    length: usize,
}

impl SplitToken {
    /// A line without the piece of a token that it brings; `None` if it has none. Lines come in their order.
    pub(in crate::redact) fn line(&mut self, tokens: &Tokens, line: &[u8]) -> Option<Vec<u8>> {
        let open = self.0.take();
        if let Some((redacted, open)) = open.and_then(|open| open.continued(line)) {
            self.0 = open;
            return Some(redacted);
        }
        let begun = tokens.unfinished(line)?;
        let text = text_around(line, begun.at)?;
        let (before, after) = (line[..text.0].to_vec(), line[text.1..].to_vec());
        let end = begun.at + begun.length;
        let mark = format!("…[redacted:{}]", begun.mark);
        let redacted = [&line[..begun.at], mark.as_bytes(), &line[end..]].concat();
        self.0 = Some(OpenToken {
            before,
            after,
            characters: begun.characters,
            length: begun.length,
        });
        (begun.length > 0).then_some(redacted)
    }
}

impl OpenToken {
    /// The next line without its piece, and the token if it goes on after it; `None` if the line is not of this text, or has no piece.
    fn continued(mut self, line: &[u8]) -> Option<(Vec<u8>, Option<Self>)> {
        let text = line
            .strip_prefix(self.before.as_slice())?
            .strip_suffix(self.after.as_slice())?;
        let end = text.iter().position(|byte| !(self.characters)(*byte));
        let (piece, rest) = text.split_at(end.unwrap_or(text.len()));
        let is_word = self.length == 0 && is_words(str::from_utf8(piece).ok()?, true);
        self.length += piece.len();
        if piece.is_empty() || is_word || self.length > LONGEST {
            return None;
        }
        let redacted = [&self.before, PIECE, rest, &self.after].concat();
        Some((redacted, end.is_none().then_some(self)))
    }
}

/// The text of a JSON line that ends here: the places after its first quote and before its last one.
fn text_around(line: &[u8], at: usize) -> Option<(usize, usize)> {
    let is_quote = |at: &usize| {
        let escapes = line[..*at].iter().rev().take_while(|byte| **byte == b'\\');
        line[*at] == b'"' && escapes.count() % 2 == 0
    };
    let first = (0..at).rev().find(is_quote)? + 1;
    let last = (at..line.len()).find(is_quote)?;
    Some((first, last))
}

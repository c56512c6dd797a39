//! The grammar of the rule language.
//!
//! ```text
//! expr    = seq ("|" seq)*            seq = rep+           rep = prim ("*" | "+" | "?")*
//! prim    = atom | "(" expr ")"       atom = "!"? frame ("{" condition ("," condition)* "}")?
//! frame   = NAME | ">"? TEXT
//! pattern = atom ("|" atom)*
//! condition    = NAME | operand ("present" | "absent" | "empty" | "nonempty" | "matches" TEXT | compare operand ("except" NAME+)?)
//! compare = "=" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" "in" | "contains" | "is"
//! operand = POINTER | "." | ("$" NAME ("[" operand "]")? | "$fold" | FUNCTION "(" operand ")") POINTER? | TEXT | NUMBER | word
//! ```

mod condition;
mod operand;
mod pattern;

use super::condition::{Condition, Operand};
use super::frame_pattern::FramePattern;
use super::lexer::{SyntaxError, Token, tokenize};
use super::symbol::Symbols;
use std::collections::HashMap;

/// The names that an expression can use.
#[derive(Debug, Default)]
pub struct Names<'a> {
    /// The dialect's symbols.
    pub symbols: Option<&'a Symbols>,
    /// Classification groups of patterns.
    pub classes: HashMap<String, FramePattern>,
    /// State variables, by name.
    pub state: HashMap<String, usize>,
    /// Named conditions.
    pub conditions: HashMap<String, NamedCondition>,
}

/// A condition that the file gives a name.
#[derive(Debug, Clone)]
pub struct NamedCondition {
    /// The condition.
    pub condition: Condition,
    /// The patterns of its `seen` conditions, by index.
    pub seen: Vec<FramePattern>,
}

/// A regular expression over frames.
#[derive(Debug, Clone)]
pub enum Expr {
    /// One frame.
    One(FramePattern),
    /// One after the other.
    Seq(Vec<Expr>),
    /// One of these.
    Alt(Vec<Expr>),
    /// Repeated: at least `min` times, at most once unless `many`.
    Repeat {
        /// What is repeated.
        inner: Box<Expr>,
        /// 0 or 1.
        min: u8,
        /// Whether it may come more than once.
        many: bool,
    },
}

/// Parses an order expression.
///
/// # Errors
/// The first syntax error, with its position.
pub fn expression(source: &str, names: &Names<'_>) -> Result<Expr, SyntaxError> {
    whole(source, names, Parser::expr)
}

/// Parses a pattern.
///
/// # Errors
/// The first syntax error, with its position.
pub fn pattern(source: &str, names: &Names<'_>) -> Result<FramePattern, SyntaxError> {
    whole(source, names, Parser::pattern)
}

/// Parses a condition.
///
/// # Errors
/// The first syntax error, with its position.
pub fn condition(source: &str, names: &Names<'_>) -> Result<Condition, SyntaxError> {
    whole(source, names, Parser::condition)
}

/// Parses an operand.
///
/// # Errors
/// The first syntax error, with its position.
pub fn operand(source: &str, names: &Names<'_>) -> Result<Operand, SyntaxError> {
    whole(source, names, Parser::operand)
}

fn whole<'a, T>(
    source: &'a str,
    names: &'a Names<'a>,
    read: impl Fn(&mut Parser<'a>) -> Result<T, SyntaxError>,
) -> Result<T, SyntaxError> {
    let mut parser = Parser {
        source,
        tokens: tokenize(source)?,
        next: 0,
        depth: 0,
        names,
    };
    let result = read(&mut parser)?;
    if parser.next < parser.tokens.len() {
        return Err(parser.error("nothing more was expected here"));
    }
    Ok(result)
}

const MAX_DEPTH: usize = 64;

struct Parser<'a> {
    source: &'a str,
    tokens: Vec<(usize, Token)>,
    next: usize,
    depth: usize,
    names: &'a Names<'a>,
}

impl Parser<'_> {
    fn offset(&self) -> usize {
        self.tokens
            .get(self.next)
            .map_or(self.source.len(), |t| t.0)
    }

    fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            at: self.offset(),
            message: message.into(),
        }
    }

    fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|t| &t.1)
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(s)) if *s == sign);
        self.next += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Name(n)) if n == word);
        self.next += usize::from(found);
        found
    }

    fn need_sign(&mut self, sign: &str) -> Result<(), SyntaxError> {
        if self.take_sign(sign) {
            Ok(())
        } else {
            Err(self.error(format!("`{sign}` was expected here")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols() -> Symbols {
        Symbols::new(["ready", "stream_end"].into_iter(), ["stop"].into_iter()).unwrap()
    }

    fn expect(source: &str) -> Result<Expr, SyntaxError> {
        let symbols = symbols();
        let names = Names {
            symbols: Some(&symbols),
            ..Names::default()
        };
        expression(source, &names)
    }

    #[test]
    fn an_expression_is_read() {
        assert!(
            expect("ready (!ready | >stop)* stream_end{/usage/input_tokens >= 0, /a absent}?")
                .is_ok()
        );
    }

    #[test]
    fn syntax_errors_have_a_position_and_a_suggestion() {
        let unknown = expect("ready stream_ends").unwrap_err();
        assert_eq!(unknown.at, 6);
        assert_eq!(
            unknown.message,
            "`stream_ends` is not an event or class of this dialect; did you mean `stream_end`?"
        );
        for (source, at) in [
            ("ready (", 7),
            ("ready )", 6),
            ("ready{/a}", 8),
            ("ready{/a in $x}", 12),
            ("", 0),
        ] {
            assert_eq!(expect(source).unwrap_err().at, at, "{source}");
        }
    }
}

//! The grammar.
//!
//! ```text
//! pattern = atom ("|" atom)*          atom = "!"? frame ("{" condition ("," condition)* "}")?
//! frame   = NAME | ">"? TEXT
//! condition    = NAME | operand ("present" | "absent" | "empty" | "nonempty" | "matches" TEXT | compare operand ("except" NAME+)?)
//! compare = "=" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" "in" | "contains" | "is"
//! operand = POINTER | "." | ("$" NAME ("[" operand "]")? | "$fold" | "$time" | FUNCTION "(" operand ")") POINTER? | TEXT | NUMBER | word
//! ```

mod condition;
mod operand;
mod pattern;

use crate::condition::{Condition, Operand};
use crate::lexer::{SyntaxError, Token, tokenize};
use crate::pattern::Pattern;
use std::collections::HashMap;

/// The names that an expression can use in addition to those of frames.
#[derive(Debug, Default)]
pub struct Names {
    /// Classification groups of patterns.
    pub classes: HashMap<String, Pattern>,
    /// State variables, by name; `None` where conditions know nothing but the frame.
    pub state: Option<HashMap<String, usize>>,
    /// Named conditions.
    pub conditions: HashMap<String, Condition>,
}

/// Parses a pattern.
///
/// # Errors
/// The first syntax error, with its position.
pub fn pattern(source: &str, names: &Names) -> Result<Pattern, SyntaxError> {
    whole(source, names, Parser::pattern)
}

/// Parses a condition.
///
/// # Errors
/// The first syntax error, with its position.
pub fn condition(source: &str, names: &Names) -> Result<Condition, SyntaxError> {
    whole(source, names, Parser::condition)
}

/// Parses an operand.
///
/// # Errors
/// The first syntax error, with its position.
pub fn operand(source: &str, names: &Names) -> Result<Operand, SyntaxError> {
    whole(source, names, Parser::operand)
}

fn whole<'a, T>(
    source: &'a str,
    names: &'a Names,
    read: impl Fn(&mut Parser<'a>) -> Result<T, SyntaxError>,
) -> Result<T, SyntaxError> {
    let mut parser = Parser::new(source, names)?;
    let result = read(&mut parser)?;
    parser.end()?;
    Ok(result)
}

/// A parser at some place of an expression.
pub struct Parser<'a> {
    source: &'a str,
    tokens: Vec<(usize, Token)>,
    next: usize,
    names: &'a Names,
}

impl<'a> Parser<'a> {
    /// A parser at the start of an expression.
    ///
    /// # Errors
    /// It has a character that is not part of the syntax.
    pub fn new(source: &'a str, names: &'a Names) -> Result<Self, SyntaxError> {
        Ok(Parser {
            source,
            tokens: tokenize(source)?,
            next: 0,
            names,
        })
    }

    /// Checks that no token is left.
    ///
    /// # Errors
    /// A token is left.
    pub fn end(&self) -> Result<(), SyntaxError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error("nothing more was expected here")),
        }
    }

    fn offset(&self) -> usize {
        self.tokens
            .get(self.next)
            .map_or(self.source.len(), |t| t.0)
    }

    /// An error at the next token.
    pub fn error(&self, message: impl Into<String>) -> SyntaxError {
        SyntaxError {
            at: self.offset(),
            message: message.into(),
        }
    }

    /// The next token.
    pub fn peek(&self) -> Option<&Token> {
        self.tokens.get(self.next).map(|t| &t.1)
    }

    /// Takes the next token if it is this one.
    pub fn take_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Sign(s)) if *s == sign);
        self.next += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Some(Token::Name(n)) if n == word);
        self.next += usize::from(found);
        found
    }

    /// Takes this token.
    ///
    /// # Errors
    /// The next token is another one.
    pub fn need_sign(&mut self, sign: &str) -> Result<(), SyntaxError> {
        if self.take_sign(sign) {
            Ok(())
        } else {
            Err(self.error(format!("`{sign}` was expected here")))
        }
    }
}

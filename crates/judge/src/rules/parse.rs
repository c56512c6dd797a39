//! The parser of rules: patterns with the symbols of a dialect, and order expressions.
//!
//! ```text
//! expr = seq ("|" seq)*     seq = rep+     rep = prim ("*" | "+" | "?")*     prim = atom | "(" expr ")"
//! ```

use super::frame_pattern::{Atom, FramePattern};
use super::symbol::{SymbolSet, Symbols};
use frame_language::{FrameName, Parser, Pattern, SyntaxError, Token, parse};
use spanned_yaml::suggestion;

/// The names that an expression can use.
#[derive(Debug)]
pub struct Names<'a> {
    /// The dialect's symbols.
    pub symbols: &'a Symbols,
    /// Those that rules declare.
    pub declared: frame_language::Names,
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
    let mut parser = OrderParser {
        tokens: Parser::new(source, &names.declared)?,
        depth: 0,
        names,
    };
    let expression = parser.expr()?;
    parser.tokens.end()?;
    Ok(expression)
}

/// Parses a pattern.
///
/// # Errors
/// The first syntax error, with its position.
pub fn pattern(source: &str, names: &Names<'_>) -> Result<FramePattern, SyntaxError> {
    names.resolve(parse::pattern(source, &names.declared)?)
}

impl<'a> Names<'a> {
    /// The names of a dialect; rules declare none yet.
    pub fn new(symbols: &'a Symbols) -> Self {
        let state = Some(std::collections::HashMap::new());
        let declared = frame_language::Names {
            state,
            ..frame_language::Names::default()
        };
        Names { symbols, declared }
    }

    /// The pattern with the symbols of its names.
    ///
    /// # Errors
    /// The dialect does not have a name.
    pub fn resolve(&self, pattern: Pattern) -> Result<FramePattern, SyntaxError> {
        let atoms = pattern.0.into_iter().map(|atom| {
            let mut named = SymbolSet::default();
            for name in &atom.frames {
                named.extend(&self.symbols_of(name, atom.at)?);
            }
            let (include, exclude) = match atom.negated {
                true => (self.symbols.events, named),
                false => (named, SymbolSet::default()),
            };
            Ok(Atom {
                include,
                exclude,
                written: atom,
            })
        });
        Ok(FramePattern::new(atoms.collect::<Result<_, _>>()?))
    }

    fn symbols_of(&self, name: &FrameName, at: usize) -> Result<SymbolSet, SyntaxError> {
        let name = match name {
            FrameName::Any => return Ok(self.symbols.events),
            FrameName::AnyCommand => return Ok(self.symbols.commands),
            FrameName::Named(name) => name,
        };
        self.symbols.id(name).map(SymbolSet::new).ok_or_else(|| {
            let what = if name.starts_with('>') {
                "a command"
            } else {
                "an event or class"
            };
            let classes = self.declared.classes.keys().map(String::as_str);
            let hint = suggestion(name, self.symbols.names().chain(classes));
            SyntaxError {
                at,
                message: format!("`{name}` is not {what} of this dialect{hint}"),
            }
        })
    }
}

const MAX_DEPTH: usize = 64;

struct OrderParser<'a> {
    tokens: Parser<'a>,
    depth: usize,
    names: &'a Names<'a>,
}

impl OrderParser<'_> {
    fn expr(&mut self) -> Result<Expr, SyntaxError> {
        let mut options = vec![self.seq()?];
        while self.tokens.take_sign("|") {
            options.push(self.seq()?);
        }
        Ok(if options.len() == 1 {
            options.remove(0)
        } else {
            Expr::Alt(options)
        })
    }

    fn seq(&mut self) -> Result<Expr, SyntaxError> {
        let mut parts = Vec::new();
        while self.starts_frame() {
            parts.push(self.rep()?);
        }
        match parts.len() {
            0 => Err(self
                .tokens
                .error("an event, a `>command` or `(` was expected here")),
            1 => Ok(parts.remove(0)),
            _ => Ok(Expr::Seq(parts)),
        }
    }

    fn starts_frame(&self) -> bool {
        let starts = |token: &Token| {
            matches!(
                token,
                Token::Name(_) | Token::Text(_) | Token::Sign("(" | "!" | ">")
            )
        };
        self.tokens.peek().is_some_and(starts)
    }

    fn rep(&mut self) -> Result<Expr, SyntaxError> {
        let mut inner = if self.tokens.take_sign("(") {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(self.tokens.error("the expression is nested too deeply"));
            }
            let inner = self.expr()?;
            self.tokens.need_sign(")")?;
            self.depth -= 1;
            inner
        } else {
            Expr::One(self.names.resolve(self.tokens.atom()?)?)
        };
        loop {
            let (min, many) = if self.tokens.take_sign("*") {
                (0, true)
            } else if self.tokens.take_sign("+") {
                (1, true)
            } else if self.tokens.take_sign("?") {
                (0, false)
            } else {
                return Ok(inner);
            };
            inner = Expr::Repeat {
                inner: Box::new(inner),
                min,
                many,
            };
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
        expression(source, &Names::new(&symbols))
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

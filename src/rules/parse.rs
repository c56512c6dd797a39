//! The grammar of the rule language.
//!
//! ```text
//! expr    = seq ("|" seq)*            seq = rep+           rep = prim ("*" | "+" | "?")*
//! prim    = atom | "(" expr ")"       atom = "!"? NAME ("{" cond ("," cond)* "}")?
//! pattern = atom ("|" atom)*
//! cond    = operand ("present" | "absent" | "empty" | "nonempty" | "matches" TEXT | compare operand ("except" NAME+)?)
//! compare = "=" | "!=" | "<" | "<=" | ">" | ">=" | "in" | "not" "in" | "contains" | "is"
//! operand = POINTER | "." | ("$" NAME ("[" operand "]")? | "$fold" | FUNCTION "(" operand ")") POINTER? | TEXT | NUMBER | word
//! ```

use super::cond::{Compare, Cond, FUNCTIONS, Operand};
use super::lex::{Mistake, Token, lex};
use super::symbol::{SymSet, Symbols};
use regex::Regex;
use serde_json::Value;
use std::collections::HashMap;

/// What names mean while a rule is read.
#[derive(Debug, Default)]
pub struct Names<'a> {
    /// The dialect's symbols.
    pub symbols: Option<&'a Symbols>,
    /// Named groups of patterns.
    pub classes: HashMap<String, Pattern>,
    /// State variables, by name.
    pub state: HashMap<String, usize>,
}

/// One alternative of a pattern: symbols, and what must hold of the frame.
#[derive(Debug, Clone)]
pub struct Atom {
    /// Frames with one of these symbols…
    pub include: SymSet,
    /// …and none of these…
    pub exclude: SymSet,
    /// …for which all of these hold.
    pub guards: Vec<Cond>,
    /// As written, for messages.
    pub source: String,
}

/// A frame matches a pattern if it matches one of its atoms.
#[derive(Debug, Clone, Default)]
pub struct Pattern(pub Vec<Atom>);

impl Pattern {
    /// The symbols that can match at all.
    #[must_use]
    pub fn symbols(&self) -> SymSet {
        let mut all = SymSet::default();
        for atom in &self.0 {
            all.extend(&atom.include);
        }
        all
    }

    /// As written, for messages.
    #[must_use]
    pub fn sources(&self) -> Vec<String> {
        self.0.iter().map(|atom| atom.source.clone()).collect()
    }
}

/// A regular expression over frames.
#[derive(Debug, Clone)]
pub enum Expr {
    /// One frame.
    One(Pattern),
    /// One after the other.
    Seq(Vec<Expr>),
    /// One of these.
    Alt(Vec<Expr>),
    /// Repeated: at least `min` (0 or 1) times; once at most unless `many`.
    Repeat {
        /// What is repeated.
        inner: Box<Expr>,
        /// 0 or 1.
        min: u8,
        /// Whether more than once is right.
        many: bool,
    },
}

/// Reads a whole expression.
///
/// # Errors
/// The first mistake, with its place.
pub fn expression(source: &str, names: &Names<'_>) -> Result<Expr, Mistake> {
    whole(source, names, Parser::expr)
}

/// Reads a pattern.
///
/// # Errors
/// The first mistake, with its place.
pub fn pattern(source: &str, names: &Names<'_>) -> Result<Pattern, Mistake> {
    whole(source, names, Parser::pattern)
}

/// Reads a condition.
///
/// # Errors
/// The first mistake, with its place.
pub fn condition(source: &str, names: &Names<'_>) -> Result<Cond, Mistake> {
    whole(source, names, Parser::cond)
}

/// Reads an operand.
///
/// # Errors
/// The first mistake, with its place.
pub fn operand(source: &str, names: &Names<'_>) -> Result<Operand, Mistake> {
    whole(source, names, Parser::operand)
}

fn whole<'a, T>(
    source: &'a str,
    names: &'a Names<'a>,
    read: impl Fn(&mut Parser<'a>) -> Result<T, Mistake>,
) -> Result<T, Mistake> {
    let mut parser = Parser {
        source,
        tokens: lex(source)?,
        next: 0,
        depth: 0,
        names,
    };
    let result = read(&mut parser)?;
    if parser.next < parser.tokens.len() {
        return Err(parser.mistake("nothing more was expected here"));
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
    fn at(&self) -> usize {
        self.tokens
            .get(self.next)
            .map_or(self.source.len(), |t| t.0)
    }

    fn mistake(&self, message: impl Into<String>) -> Mistake {
        Mistake {
            at: self.at(),
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

    fn need_sign(&mut self, sign: &str) -> Result<(), Mistake> {
        if self.take_sign(sign) {
            Ok(())
        } else {
            Err(self.mistake(format!("`{sign}` was expected here")))
        }
    }

    fn expr(&mut self) -> Result<Expr, Mistake> {
        let mut options = vec![self.seq()?];
        while self.take_sign("|") {
            options.push(self.seq()?);
        }
        Ok(if options.len() == 1 {
            options.remove(0)
        } else {
            Expr::Alt(options)
        })
    }

    fn seq(&mut self) -> Result<Expr, Mistake> {
        let mut parts = Vec::new();
        while matches!(self.peek(), Some(Token::Name(_) | Token::Sign("(" | "!"))) {
            parts.push(self.rep()?);
        }
        match parts.len() {
            0 => Err(self.mistake("an event, a `>command` or `(` was expected here")),
            1 => Ok(parts.remove(0)),
            _ => Ok(Expr::Seq(parts)),
        }
    }

    fn rep(&mut self) -> Result<Expr, Mistake> {
        let mut inner = if self.take_sign("(") {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(self.mistake("the expression is nested too deeply"));
            }
            let inner = self.expr()?;
            self.need_sign(")")?;
            self.depth -= 1;
            inner
        } else {
            Expr::One(self.atom()?)
        };
        loop {
            let (min, many) = if self.take_sign("*") {
                (0, true)
            } else if self.take_sign("+") {
                (1, true)
            } else if self.take_sign("?") {
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

    fn pattern(&mut self) -> Result<Pattern, Mistake> {
        let mut pattern = self.atom()?;
        while self.take_sign("|") {
            pattern.0.extend(self.atom()?.0);
        }
        Ok(pattern)
    }

    /// One atom; a class stands for several.
    fn atom(&mut self) -> Result<Pattern, Mistake> {
        let start = self.at();
        let negated = self.take_sign("!");
        let place = self.at();
        let Some(Token::Name(name)) = self.peek().cloned() else {
            return Err(self.mistake("an event, a `>command` or a class was expected here"));
        };
        self.next += 1;
        let mut atoms = self.resolve(&name, place)?;
        if negated {
            let mut exclude = SymSet::default();
            for atom in &atoms {
                if !atom.guards.is_empty() {
                    return Err(Mistake {
                        at: place,
                        message: "`!` does not go with a class that has conditions".to_owned(),
                    });
                }
                exclude.extend(&atom.include);
            }
            atoms = vec![Atom {
                include: self.names.symbols.map_or(SymSet::default(), |s| s.events),
                exclude,
                guards: Vec::new(),
                source: format!("!{name}"),
            }];
        }
        if self.take_sign("{") {
            let mut guards = vec![self.cond()?];
            while self.take_sign(",") {
                guards.push(self.cond()?);
            }
            self.need_sign("}")?;
            let written = self.source[start..self.at()].trim_end();
            for atom in &mut atoms {
                atom.guards.extend(guards.iter().cloned());
                if !written.is_empty() {
                    atom.source = written.to_owned();
                }
            }
        }
        Ok(Pattern(atoms))
    }

    fn resolve(&self, name: &str, at: usize) -> Result<Vec<Atom>, Mistake> {
        let plain = |include: SymSet| {
            vec![Atom {
                include,
                exclude: SymSet::default(),
                guards: Vec::new(),
                source: name.to_owned(),
            }]
        };
        if let Some(class) = self.names.classes.get(name) {
            return Ok(class.0.clone());
        }
        let symbols = self.names.symbols;
        let found = match name {
            "any" => symbols.map(|s| plain(s.events)),
            ">any" => symbols.map(|s| plain(s.commands)),
            _ => symbols
                .and_then(|s| s.id(name))
                .map(|id| plain(SymSet::of(id))),
        };
        found.ok_or_else(|| {
            let what = if name.starts_with('>') {
                "command"
            } else {
                "event or class"
            };
            Mistake {
                at,
                message: format!("`{name}` is no {what} of this dialect{}", self.hint(name)),
            }
        })
    }

    fn hint(&self, name: &str) -> String {
        let known = self.names.symbols.iter().flat_map(|s| s.names());
        let known = known.chain(self.names.classes.keys().map(String::as_str));
        nearest(name, known).map_or(String::new(), |n| format!("; did you mean `{n}`?"))
    }

    fn cond(&mut self) -> Result<Cond, Mistake> {
        let left = self.operand()?;
        for (word, negated, make) in [
            ("present", false, Cond::Present as fn(Operand) -> Cond),
            ("absent", true, Cond::Present),
            ("empty", false, Cond::Empty),
            ("nonempty", true, Cond::Empty),
        ] {
            if self.take_word(word) {
                let cond = make(left);
                return Ok(if negated {
                    Cond::Not(Box::new(cond))
                } else {
                    cond
                });
            }
        }
        if self.take_word("matches") {
            return self.matches(left);
        }
        let how = self.comparison()?;
        let right = self.operand()?;
        let mut except = Vec::new();
        if self.take_word("except") {
            while let Some(Token::Name(name)) = self.peek() {
                except.push(name.clone());
                self.next += 1;
            }
        }
        Ok(Cond::Compare {
            left,
            how,
            right,
            except,
        })
    }

    fn matches(&mut self, left: Operand) -> Result<Cond, Mistake> {
        let Some(Token::Text(text)) = self.peek().cloned() else {
            return Err(self.mistake("a quoted regular expression was expected here"));
        };
        let regex = Regex::new(&text)
            .map_err(|e| self.mistake(format!("not a regular expression: {e}")))?;
        self.next += 1;
        Ok(Cond::Matches(left, regex))
    }

    fn comparison(&mut self) -> Result<Compare, Mistake> {
        for (sign, how) in [
            ("=", Compare::Equal),
            ("!=", Compare::NotEqual),
            ("<=", Compare::AtMost),
            ("<", Compare::Less),
            (">=", Compare::AtLeast),
            (">", Compare::Greater),
        ] {
            if self.take_sign(sign) {
                return Ok(how);
            }
        }
        let words = [
            ("is", Compare::Equal),
            ("in", Compare::In),
            ("contains", Compare::Contains),
        ];
        for (word, how) in words {
            if self.take_word(word) {
                return Ok(how);
            }
        }
        if self.take_word("not") && self.take_word("in") {
            return Ok(Compare::NotIn);
        }
        Err(self.mistake("a comparison was expected here: `=`, `!=`, `<`, `in`, `contains`, `matches`, `present`, …"))
    }

    fn operand(&mut self) -> Result<Operand, Mistake> {
        let operand = self.simple_operand()?;
        if let (Some(Token::Pointer(pointer)), false) =
            (self.peek(), matches!(operand, Operand::Pointer(_)))
        {
            let pointer = pointer.clone();
            self.next += 1;
            return Ok(Operand::At(Box::new(operand), pointer));
        }
        Ok(operand)
    }

    fn simple_operand(&mut self) -> Result<Operand, Mistake> {
        let token = self.peek().cloned();
        let literal = match token {
            Some(Token::Pointer(pointer)) => {
                self.next += 1;
                return Ok(Operand::Pointer(pointer));
            }
            Some(Token::State(name)) => return self.state(&name),
            Some(Token::Text(text)) => Value::String(text),
            Some(Token::Number(number)) => Value::Number(number),
            Some(Token::Name(name)) => match FUNCTIONS.iter().find(|(n, _)| *n == name) {
                Some((_, function)) if self.calls() => {
                    self.next += 2;
                    let inner = self.operand()?;
                    self.need_sign(")")?;
                    return Ok(Operand::Call(*function, Box::new(inner)));
                }
                _ => match name.as_str() {
                    "true" => Value::Bool(true),
                    "false" => Value::Bool(false),
                    "null" => Value::Null,
                    _ => Value::String(name),
                },
            },
            _ => {
                return Err(self.mistake(
                    "a value was expected here: a /pointer, a $state, a word or a number",
                ));
            }
        };
        self.next += 1;
        Ok(Operand::Literal(literal))
    }

    fn calls(&self) -> bool {
        matches!(self.tokens.get(self.next + 1), Some((_, Token::Sign("("))))
    }

    fn state(&mut self, name: &str) -> Result<Operand, Mistake> {
        if name == "fold" {
            self.next += 1;
            return Ok(Operand::Fold);
        }
        let Some(var) = self.names.state.get(name).copied() else {
            let near = nearest(name, self.names.state.keys().map(String::as_str));
            let hint = near.map_or(String::new(), |n| format!("; did you mean `${n}`?"));
            return Err(self.mistake(format!("`${name}` is not declared under `state`{hint}")));
        };
        self.next += 1;
        if !self.take_sign("[") {
            return Ok(Operand::State(var));
        }
        let key = Box::new(self.operand()?);
        self.need_sign("]")?;
        Ok(Operand::Entry(var, key))
    }
}

/// The known name most like `name`, if one is near enough to be meant.
#[must_use]
pub fn nearest<'a>(name: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    known
        .map(|k| (similar::TextDiff::from_chars(name, k).ratio(), k))
        .filter(|(ratio, _)| *ratio > 0.6)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, k)| k)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbols() -> Symbols {
        Symbols::new(["ready", "stream_end"].into_iter(), ["stop"].into_iter()).unwrap()
    }

    fn expect(source: &str) -> Result<Expr, Mistake> {
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
    fn mistakes_are_placed_and_helpful() {
        let unknown = expect("ready stream_ends").unwrap_err();
        assert_eq!(unknown.at, 6);
        assert_eq!(
            unknown.message,
            "`stream_ends` is no event or class of this dialect; did you mean `stream_end`?"
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

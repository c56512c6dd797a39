//! The parser of patterns and of order expressions.

use super::{Expr, MAX_DEPTH, Parser};
use crate::rules::frame_pattern::{Atom, FramePattern};
use crate::rules::lexer::{SyntaxError, Token};
use crate::rules::symbol::SymbolSet;
use spanned_yaml::suggestion;

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Result<Expr, SyntaxError> {
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

    fn seq(&mut self) -> Result<Expr, SyntaxError> {
        let mut parts = Vec::new();
        while self.starts_frame() {
            parts.push(self.rep()?);
        }
        match parts.len() {
            0 => Err(self.error("an event, a `>command` or `(` was expected here")),
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
        self.peek().is_some_and(starts)
    }

    fn rep(&mut self) -> Result<Expr, SyntaxError> {
        let mut inner = if self.take_sign("(") {
            self.depth += 1;
            if self.depth > MAX_DEPTH {
                return Err(self.error("the expression is nested too deeply"));
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

    pub(super) fn pattern(&mut self) -> Result<FramePattern, SyntaxError> {
        let mut pattern = self.atom()?;
        while self.take_sign("|") {
            pattern.0.extend(self.atom()?.0);
        }
        Ok(pattern)
    }

    /// Parses one atom; a class gives several.
    fn atom(&mut self) -> Result<FramePattern, SyntaxError> {
        let start = self.offset();
        let negated = self.take_sign("!");
        let place = self.offset();
        let (name, mut atoms) = self.frame_name(place)?;
        if negated {
            let mut exclude = SymbolSet::default();
            for atom in &atoms {
                if !atom.guards.is_empty() {
                    return Err(SyntaxError {
                        at: place,
                        message: "`!` does not go with a class that has conditions".to_owned(),
                    });
                }
                exclude.extend(&atom.include);
            }
            atoms = vec![Atom {
                include: self
                    .names
                    .symbols
                    .map_or(SymbolSet::default(), |s| s.events),
                exclude,
                guards: Vec::new(),
                name: format!("!{name}"),
                places: Vec::new(),
                source: format!("!{name}"),
            }];
        }
        if self.take_sign("{") {
            let (mut guards, mut places) = (Vec::new(), Vec::new());
            loop {
                let from = self.offset();
                let guard = self.condition()?;
                let written = self.source[from..self.offset()].trim_end();
                // A named condition says nothing to the readers of a finding.
                if guard.subject().is_some() && written.starts_with('/') {
                    places.push(written.to_owned());
                }
                guards.push(guard);
                if !self.take_sign(",") {
                    break;
                }
            }
            self.need_sign("}")?;
            let written = self.source[start..self.offset()].trim_end();
            for atom in &mut atoms {
                atom.guards.extend(guards.iter().cloned());
                atom.places.extend(places.iter().cloned());
                if !written.is_empty() {
                    atom.source = written.to_owned();
                }
            }
        }
        Ok(FramePattern(atoms))
    }

    /// Parses the name of a frame or a class. A name in quotes is always that of an event or, behind `>`, of a command.
    fn frame_name(&mut self, at: usize) -> Result<(String, Vec<Atom>), SyntaxError> {
        let command = self.take_sign(">");
        let token = self.peek().cloned();
        match token {
            Some(Token::Text(text)) => {
                self.next += 1;
                let name = if command { format!(">{text}") } else { text };
                let atoms = self.resolve_symbol(&name, at)?;
                Ok((name, atoms))
            }
            Some(Token::Name(name)) if !command => {
                self.next += 1;
                let atoms = self.resolve(&name, at)?;
                Ok((name, atoms))
            }
            _ => Err(self.error("an event, a `>command` or a class was expected here")),
        }
    }

    fn resolve(&self, name: &str, at: usize) -> Result<Vec<Atom>, SyntaxError> {
        if let Some(class) = self.names.classes.get(name) {
            return Ok(class.0.clone());
        }
        match (name, self.names.symbols) {
            ("any", Some(symbols)) => Ok(plain(name, symbols.events)),
            (">any", Some(symbols)) => Ok(plain(name, symbols.commands)),
            _ => self.resolve_symbol(name, at),
        }
    }

    fn resolve_symbol(&self, name: &str, at: usize) -> Result<Vec<Atom>, SyntaxError> {
        let id = self.names.symbols.and_then(|symbols| symbols.id(name));
        id.map(|id| plain(name, SymbolSet::of(id))).ok_or_else(|| {
            let what = if name.starts_with('>') {
                "a command"
            } else {
                "an event or class"
            };
            SyntaxError {
                at,
                message: format!("`{name}` is not {what} of this dialect{}", self.hint(name)),
            }
        })
    }

    fn hint(&self, name: &str) -> String {
        let known = self.names.symbols.iter().flat_map(|s| s.names());
        let known = known.chain(self.names.classes.keys().map(String::as_str));
        suggestion(name, known)
    }
}

/// One atom without guards.
fn plain(name: &str, include: SymbolSet) -> Vec<Atom> {
    vec![Atom {
        include,
        exclude: SymbolSet::default(),
        guards: Vec::new(),
        name: name.to_owned(),
        places: Vec::new(),
        source: name.to_owned(),
    }]
}

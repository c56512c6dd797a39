//! The parser of patterns.

use super::Parser;
use crate::lexer::{SyntaxError, Token};
use crate::pattern::{Atom, FrameName, Pattern};

impl Parser<'_> {
    pub(super) fn pattern(&mut self) -> Result<Pattern, SyntaxError> {
        let mut pattern = self.atom()?;
        while self.take_sign("|") {
            pattern.0.extend(self.atom()?.0);
        }
        Ok(pattern)
    }

    /// Parses one atom; a class gives several.
    ///
    /// # Errors
    /// The first syntax error.
    pub fn atom(&mut self) -> Result<Pattern, SyntaxError> {
        let start = self.offset();
        let negated = self.take_sign("!");
        let place = self.offset();
        let (name, mut atoms) = self.frame_name(place)?;
        if negated {
            if atoms
                .iter()
                .any(|atom| atom.negated || !atom.guards.is_empty())
            {
                return Err(SyntaxError {
                    at: place,
                    message: "`!` does not go with a class that has conditions".to_owned(),
                });
            }
            let name = format!("!{name}");
            atoms = vec![Atom {
                frames: atoms.into_iter().flat_map(|atom| atom.frames).collect(),
                negated,
                guards: Vec::new(),
                places: Vec::new(),
                class: None,
                source: name.clone(),
                name,
                at: place,
            }];
        }
        if self.take_sign("{") {
            let (mut guards, mut places) = (Vec::new(), Vec::new());
            loop {
                let from = self.offset();
                let guard = self.condition()?;
                let written = self.source[from..self.offset()].trim_end();
                // Readers of a finding do not know named conditions.
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
        Ok(Pattern(atoms))
    }

    /// Parses the name of a frame or a class. A name in quotes is always that of an event or, after `>`, of a command.
    fn frame_name(&mut self, at: usize) -> Result<(String, Vec<Atom>), SyntaxError> {
        let command = self.take_sign(">");
        let token = self.peek().cloned();
        match token {
            Some(Token::Text(text)) => {
                self.next += 1;
                let name = if command { format!(">{text}") } else { text };
                let atom = Atom::named(&name, FrameName::Named(name.clone()), at);
                Ok((name, vec![atom]))
            }
            Some(Token::Name(name)) if !command => {
                self.next += 1;
                if let Some(class) = self.names.classes.get(&name) {
                    let mut atoms = class.0.clone();
                    for atom in &mut atoms {
                        atom.class = Some(name.clone());
                    }
                    return Ok((name, atoms));
                }
                let frame = match &*name {
                    "any" => FrameName::Any,
                    ">any" => FrameName::AnyCommand,
                    _ => FrameName::Named(name.clone()),
                };
                let atom = Atom::named(&name, frame, at);
                Ok((name, vec![atom]))
            }
            _ => Err(self.error("an event, a `>command` or a class was expected here")),
        }
    }
}

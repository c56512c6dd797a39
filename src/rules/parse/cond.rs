//! Conditions on one frame.

use super::Parser;
use crate::rules::cond::{Compare, Cond, Operand};
use crate::rules::lex::{Mistake, Token};
use regex::Regex;

impl Parser<'_> {
    pub(super) fn cond(&mut self) -> Result<Cond, Mistake> {
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
            ("about", Compare::About),
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
}

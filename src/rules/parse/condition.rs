//! The parser of conditions.

use super::Parser;
use crate::rules::condition::{Compare, Condition, Operand};
use crate::rules::lexer::{SyntaxError, Token};
use regex::Regex;

impl Parser<'_> {
    pub(super) fn condition(&mut self) -> Result<Condition, SyntaxError> {
        let left = self.operand()?;
        for (word, negated, make) in [
            (
                "present",
                false,
                Condition::Present as fn(Operand) -> Condition,
            ),
            ("absent", true, Condition::Present),
            ("empty", false, Condition::Empty),
            ("nonempty", true, Condition::Empty),
        ] {
            if self.take_word(word) {
                let condition = make(left);
                return Ok(if negated {
                    Condition::Not(Box::new(condition))
                } else {
                    condition
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
        Ok(Condition::Compare {
            left,
            how,
            right,
            except,
        })
    }

    fn matches(&mut self, left: Operand) -> Result<Condition, SyntaxError> {
        let Some(Token::Text(text)) = self.peek().cloned() else {
            return Err(self.error("a quoted regular expression was expected here"));
        };
        let regex =
            Regex::new(&text).map_err(|e| self.error(format!("not a regular expression: {e}")))?;
        self.next += 1;
        Ok(Condition::Matches(left, regex))
    }

    fn comparison(&mut self) -> Result<Compare, SyntaxError> {
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
        Err(self.error("a comparison was expected here: `=`, `!=`, `<`, `in`, `contains`, `matches`, `present`, …"))
    }
}

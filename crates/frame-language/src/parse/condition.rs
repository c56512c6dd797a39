//! The parser of conditions.

use super::Parser;
use crate::condition::{Compare, Condition, Operand};
use crate::lexer::{SyntaxError, Token};
use crate::text_pattern::TextPattern;
use spanned_yaml::did_you_mean;

impl Parser<'_> {
    pub(super) fn condition(&mut self) -> Result<Condition, SyntaxError> {
        if let Some(name) = self.lone_name() {
            return self.named_condition(&name);
        }
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

    /// A name alone, which is the name of a condition.
    fn lone_name(&self) -> Option<String> {
        let Some(Token::Name(name)) = self.peek() else {
            return None;
        };
        let next = self.tokens.get(self.next + 1).map(|token| &token.1);
        matches!(next, None | Some(Token::Sign("," | "}"))).then(|| name.clone())
    }

    fn named_condition(&mut self, name: &str) -> Result<Condition, SyntaxError> {
        let known = &self.names.conditions;
        let Some(condition) = known.get(name) else {
            let near = did_you_mean(name, known.keys().map(String::as_str));
            let hint = near.map_or_else(
                || "; a comparison such as `/a = b` or `$x present` was expected".to_owned(),
                |near| format!("; did you mean `{near}`?"),
            );
            return Err(self.error(format!("`{name}` is not declared under `conditions`{hint}")));
        };
        if condition.has_seen() {
            let message = format!(
                "`{name}` uses `seen`, which only the conditions of `require` and `exit` can ask"
            );
            return Err(self.error(message));
        }
        self.next += 1;
        Ok(condition.clone())
    }

    fn matches(&mut self, left: Operand) -> Result<Condition, SyntaxError> {
        let Some(Token::Text(text)) = self.peek().cloned() else {
            return Err(self.error("a quoted regular expression was expected here"));
        };
        let pattern = TextPattern::new(&text)
            .map_err(|e| self.error(format!("not a regular expression: {e}")))?;
        self.next += 1;
        Ok(Condition::Matches(left, pattern))
    }

    fn comparison(&mut self) -> Result<Compare, SyntaxError> {
        let known = [
            ("=", Compare::Equal),
            ("!=", Compare::NotEqual),
            ("<=", Compare::AtMost),
            ("<", Compare::Less),
            (">=", Compare::AtLeast),
            (">", Compare::Greater),
            ("is", Compare::Equal),
            ("in", Compare::In),
            ("about", Compare::About),
            ("fits", Compare::Fits),
            ("contains", Compare::Contains),
        ];
        for (word, how) in known {
            if self.take_sign(word) || self.take_word(word) {
                return Ok(how);
            }
        }
        if self.take_word("not") && self.take_word("in") {
            return Ok(Compare::NotIn);
        }
        Err(self.error("a comparison was expected here: `=`, `!=`, `<`, `in`, `contains`, `matches`, `present`, …"))
    }
}

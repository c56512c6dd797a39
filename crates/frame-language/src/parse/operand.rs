//! The parser of operands: values of the frame, of state variables, and literals.

use super::Parser;
use crate::condition::Operand;
use crate::function::{FUNCTIONS, Function};
use crate::lexer::{SyntaxError, Token};
use crate::pointer::Pointer;
use serde_json::Value;
use spanned_yaml::did_you_mean;
use spanned_yaml::unknown;

impl Parser<'_> {
    pub(super) fn operand(&mut self) -> Result<Operand, SyntaxError> {
        let operand = self.simple_operand()?;
        if let (Some(Token::Pointer(pointer)), false) =
            (self.peek(), matches!(operand, Operand::Pointer(_)))
        {
            let pointer = self.pointer(pointer)?;
            self.next += 1;
            return Ok(Operand::At(Box::new(operand), pointer));
        }
        Ok(operand)
    }

    fn simple_operand(&mut self) -> Result<Operand, SyntaxError> {
        let token = self.peek().cloned();
        let literal = match token {
            Some(Token::Pointer(pointer)) => {
                self.next += 1;
                return Ok(Operand::Pointer(self.pointer(&pointer)?));
            }
            Some(Token::State(name)) => return self.state(&name),
            Some(Token::Text(text)) => Value::String(text),
            Some(Token::Number(number)) => Value::Number(number),
            Some(Token::Name(name)) => match Function::find(&name) {
                Some(function) if self.calls() => {
                    self.next += 2;
                    let mut inner = self.operand()?;
                    let several = ["sum", "product"].contains(&function.0);
                    if several && !self.is_sign(")") {
                        inner = self.list(inner)?;
                    }
                    self.need_sign(")")?;
                    return Ok(Operand::Call(function, Box::new(inner)));
                }
                None if self.calls() => {
                    let known = FUNCTIONS.iter().map(|known| known.0);
                    return Err(self.error(unknown("function", &name, known)));
                }
                _ => match name.as_str() {
                    "true" => Value::Bool(true),
                    "false" => Value::Bool(false),
                    "null" => Value::Null,
                    _ => Value::String(name),
                },
            },
            _ => {
                return Err(self
                    .error("a value was expected here: a /pointer, a $state, a word or a number"));
            }
        };
        self.next += 1;
        Ok(Operand::Literal(literal))
    }

    fn pointer(&self, text: &str) -> Result<Pointer, SyntaxError> {
        Pointer::parse(text).map_err(|message| self.error(message))
    }

    /// This operand and those after it, up to the closing bracket.
    fn list(&mut self, first: Operand) -> Result<Operand, SyntaxError> {
        let mut all = vec![first];
        while !self.is_sign(")") {
            all.push(self.operand()?);
        }
        Ok(Operand::List(all))
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Some(Token::Sign(s)) if *s == sign)
    }

    fn calls(&self) -> bool {
        matches!(self.tokens.get(self.next + 1), Some((_, Token::Sign("("))))
    }

    fn state(&mut self, name: &str) -> Result<Operand, SyntaxError> {
        let Some(state) = &self.names.state else {
            return Err(self.error(format!(
                "`${name}` is state of a session: a condition here is about one frame, such as `/a = b`"
            )));
        };
        let own = match name {
            "fold" => Some(Operand::Fold),
            "time" => Some(Operand::Time),
            _ => None,
        };
        if let Some(own) = own {
            self.next += 1;
            return Ok(own);
        }
        let Some(var) = state.get(name).copied() else {
            let near = did_you_mean(name, state.keys().map(String::as_str));
            let hint = near.map_or(String::new(), |n| format!("; did you mean `${n}`?"));
            return Err(self.error(format!("`${name}` is not declared under `state`{hint}")));
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

//! Values of agent scripts: JSON with placeholders and functions.

use super::functions::{FUNCTIONS, Function};
use json_matcher::{Segment, segments};
use serde_json::{Map, Value};
use spanned_yaml::{Error, Kind, Node, Span, unknown};

/// The value of a name; `None` if there is no such name.
pub(super) type Names<'a> = &'a dyn Fn(&str) -> Option<&'a Value>;

/// A value that is computed when an action is performed.
#[derive(Debug)]
pub(super) struct Expression {
    term: Term,
    /// Where it is written, for messages: `file:line:column`.
    place: String,
}

#[derive(Debug)]
enum Term {
    /// A value without placeholders and functions.
    Constant(Value),
    /// A text with placeholders.
    Text(String),
    List(Vec<Term>),
    Object(Vec<(String, Term)>),
    Call(Call, Box<Term>),
}

#[derive(Clone, Copy)]
struct Call(&'static Function);

impl std::fmt::Debug for Call {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0.name)
    }
}

impl Expression {
    /// Compiles a value as written.
    ///
    /// # Errors
    /// An unknown function, or a function beside other keys, at its location.
    pub(super) fn compile(node: &Node) -> Result<Self, Error> {
        Ok(Expression {
            term: term(node)?,
            place: place(node, node.span()),
        })
    }

    /// A text with placeholders, written at a location of this node's file.
    pub(super) fn text(text: &str, node: &Node, span: Span) -> Self {
        Expression {
            term: text_term(text),
            place: place(node, span),
        }
    }

    /// The value.
    ///
    /// # Errors
    /// A name without a value or a function that does not fit its value, with the location in the file.
    pub(super) fn evaluate(&self, names: Names<'_>) -> Result<Value, String> {
        evaluate(&self.term, names).map_err(|why| self.error(&why))
    }

    /// An error about this value.
    pub(super) fn error(&self, why: &str) -> String {
        format!("{}: {why}", self.place)
    }
}

fn place(node: &Node, span: Span) -> String {
    let file = node.source().path.display();
    format!("{file}:{}:{}", span.line, span.column)
}

fn text_term(text: &str) -> Term {
    match segments(text).as_slice() {
        [] => Term::Constant("".into()),
        [Segment::Text(plain)] => Term::Constant((*plain).into()),
        _ => Term::Text(text.to_owned()),
    }
}

fn term(node: &Node) -> Result<Term, Error> {
    Ok(match node.kind() {
        Kind::Text(text) => text_term(text),
        Kind::List(items) => Term::List(items.iter().map(term).collect::<Result<_, _>>()?),
        Kind::Map(entries) => {
            let is_function = |name: &str| name.starts_with('$') && !name.starts_with("$$");
            let function = entries.iter().find(|(key, _)| is_function(&key.name));
            match (function, entries.len()) {
                (Some((key, value)), 1) => {
                    let found = FUNCTIONS.iter().find(|one| one.name == key.name);
                    let function = found.ok_or_else(|| {
                        let names = FUNCTIONS.iter().map(|one| one.name);
                        node.error_at(key.span, unknown("function", &key.name, names))
                    })?;
                    Term::Call(Call(function), Box::new(term(value)?))
                }
                (Some((key, _)), _) => {
                    let message = format!(
                        "the function `{}` beside other keys; a map with a function has no other key, and `$${}` is the plain key",
                        key.name,
                        &key.name[1..]
                    );
                    return Err(node.error_at(key.span, message));
                }
                (None, _) => {
                    let entries = entries.iter().map(|(key, value)| {
                        let name = key.name.strip_prefix('$').unwrap_or(&key.name);
                        Ok((name.to_owned(), term(value)?))
                    });
                    Term::Object(entries.collect::<Result<_, _>>()?)
                }
            }
        }
        Kind::Null | Kind::Bool(_) | Kind::Number(_) => Term::Constant(node.to_value()),
    })
}

fn evaluate(term: &Term, names: Names<'_>) -> Result<Value, String> {
    match term {
        Term::Constant(value) => Ok(value.clone()),
        Term::Text(text) => json_matcher::fill(text, names).map_err(|unknown| unknown.to_string()),
        Term::List(items) => items.iter().map(|item| evaluate(item, names)).collect(),
        Term::Object(entries) => {
            let entries = entries
                .iter()
                .map(|(name, term)| Ok((name.clone(), evaluate(term, names)?)));
            Ok(Value::Object(
                entries.collect::<Result<Map<_, _>, String>>()?,
            ))
        }
        Term::Call(Call(function), term) => (function.apply)(evaluate(term, names)?)
            .map_err(|why| format!("{}: {why}", function.name)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use spanned_yaml::load_yaml;

    fn value(text: &str) -> Result<Value, String> {
        let node = load_yaml("s.yaml", text).unwrap();
        let expression = Expression::compile(&node).map_err(|error| error.headline())?;
        let (text, n) = (json!("one two"), json!(3));
        expression.evaluate(&|name| match name {
            "text" => Some(&text),
            "n" => Some(&n),
            _ => None,
        })
    }

    #[test]
    fn placeholders_and_functions_are_evaluated_inside_out() {
        let written = "{type: w, n: '{n}', up: {$upper: 'x {text}'}, all: {$join: {$words: '{text}'}}, plain: {$$join: 1}, brace: '{{n}}'}";
        let expected = json!({"type": "w", "n": 3, "up": "X ONE TWO", "all": "onetwo", "plain": {"$join": 1}, "brace": "{n}"});
        assert_eq!(value(written), Ok(expected));
    }

    #[test]
    fn each_mistake_has_its_location() {
        for (written, message) in [
            (
                "{a: {$uper: x}}",
                "s.yaml:1:6: unknown function `$uper`; did you mean `$upper`?",
            ),
            (
                "{a: {$upper: x, b: 1}}",
                "s.yaml:1:6: the function `$upper` beside other keys",
            ),
            (
                "a: '{nowhere}'",
                "s.yaml:1:1: nothing is known under the name `{nowhere}`",
            ),
            (
                "{a: {$upper: '{n}'}}",
                "s.yaml:1:1: $upper: expected a text, got 3",
            ),
        ] {
            let why = value(written).unwrap_err();
            assert!(why.starts_with(message), "{why}");
        }
    }
}

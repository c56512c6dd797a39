//! Matchers in YAML files: compiles them with the location of each mistake, and finds their placeholders.

use crate::compile::CompileError;
use crate::matcher::Matcher;
use crate::placeholder;
use spanned_yaml::{Error, Node, Spanned};

/// Compiles the matcher in a node.
///
/// # Errors
/// Every unknown operator, bad operand and bad regular expression, at its location.
pub fn compile_node(node: &Node) -> Result<Matcher, Vec<Error>> {
    Matcher::compile(&node.to_value()).map_err(|errors| located(&errors, node))
}

/// Compiles the matcher in a node, in which all braces are text.
///
/// # Errors
/// As for [`compile_node`].
pub fn compile_filled_node(node: &Node) -> Result<Matcher, Vec<Error>> {
    Matcher::compile_filled(&node.to_value()).map_err(|errors| located(&errors, node))
}

/// The errors, each at the location of its key or value in the file.
fn located(errors: &[CompileError], node: &Node) -> Vec<Error> {
    let located = errors.iter().map(|error| {
        let span = if error.is_key {
            node.key_at(&error.pointer)
        } else {
            node.nearest(&error.pointer).span()
        };
        node.error_at(span, &error.message)
    });
    located.collect()
}

/// The `{name}` placeholders in every text of a node, in order, at the location of the text. In a `$regex` the braces of `\p{…}`
/// are text.
pub fn placeholders_in(node: &Node) -> Vec<Spanned<String>> {
    let found = placeholder::placeholders(&node.to_value()).into_iter();
    let spanned = found.map(|placeholder| Spanned {
        value: placeholder.name,
        span: node.nearest(&placeholder.pointer).span(),
    });
    spanned.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use spanned_yaml::load_yaml;

    fn errors(text: &str) -> Vec<String> {
        let node = load_yaml("m.yaml", text).expect("good YAML");
        let errors = compile_node(&node).expect_err("mistakes");
        errors
            .iter()
            .map(|error| {
                let span = error.span;
                format!("{}:{} {}", span.line, span.column, error.message)
            })
            .collect()
    }

    /// Matchers, each with its errors on the lines after it.
    const MISTAKES: &str = r#"
{a: {$regx: x}}
    1:6 unknown operator `$regx`; did you mean `$regex`? (one of $regex, $contains, $type, $one_of, $absent, $present, $length, $items, $in_order, $gte, $gt, $lte, $lt, $ne, $not, $all, $any)
{a: {$regex: '('}, b: {$type: strng}}
    1:14 not a regular expression: unclosed group
    1:31 unknown type `strng`; did you mean `string`? (one of string, number, integer, boolean, object, array, null)
{$gte: 1, b: 2}
    1:11 the key `b` beside operators; a map holds the one or the other
{$absent: false}
    1:11 expected `true`, found `false`
{$gte: x}
    1:8 expected a number, or a captured one as "{name}", found the text "x"
{$one_of: []}
    1:11 expected a list with at least one element, found a list
{$one_of: [{a: 1}]}
    1:12 expected a plain value ($any takes matchers), found a map
{$any: [{$all: 1}]}
    1:16 expected a list with at least one element, found the number 1
{$length: '3'}
    1:11 expected a number, or operators on one such as { $gte: 1 }, found the text "3"
{a/b: {$type: [string, 1]}}
    1:24 expected the name of a JSON type, found the number 1
{$all: [{$not: {$gte: x}}]}
    1:23 expected a number, or a captured one as "{name}", found the text "x"
{$regex: 3}
    1:10 expected a regular expression, found the number 3
"#;

    #[test]
    fn each_mistake_has_its_location_and_message() {
        let mut lines = MISTAKES.trim().lines().peekable();
        while let Some(written) = lines.next() {
            let of_it = |line: &&str| line.starts_with("    ");
            let expected = std::iter::from_fn(|| lines.next_if(of_it)).map(str::trim);
            assert_eq!(errors(written), expected.collect::<Vec<_>>(), "{written}");
        }
    }

    #[test]
    fn the_braces_of_a_regular_expression_are_not_placeholders() {
        let text = "{a: {$regex: '\\p{Lu}{2}{call}'}, b: '{other}'}";
        let node = load_yaml("f.yaml", text).expect("good YAML");
        let names: Vec<_> = placeholders_in(&node)
            .into_iter()
            .map(|name| (name.span.column, name.value))
            .collect();
        assert_eq!(names, [(14, "call".to_owned()), (37, "other".to_owned())]);
    }
}

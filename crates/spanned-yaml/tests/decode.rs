//! YAML as Rust values: what fits, and the message and place of each mistake.

use indexmap::IndexMap;
use serde::Deserialize;
use spanned_yaml::{Node, Spanned, decode, load_yaml, present};

#[derive(Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Shape {
    name: Spanned<String>,
    #[serde(default)]
    count: Option<u8>,
    #[serde(default)]
    mode: Option<Mode>,
    #[serde(default, deserialize_with = "present")]
    close: Option<Node>,
    #[serde(default)]
    map: IndexMap<Spanned<String>, i64>,
    #[serde(default)]
    ratio: f64,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Fast,
    Slow { by: u32 },
    Named(String),
}

fn shape(text: &str) -> Result<Shape, String> {
    let node = load_yaml("f.yaml", text).expect("good YAML");
    decode(&node).map_err(|error| error.headline())
}

#[test]
fn fields_may_have_their_span() {
    let shape = shape("name: a\nclose:\nmap: { x: 1 }\nratio: 2\nmode: { slow: { by: 3 } }\n")
        .expect("fits");
    let name = shape.name;
    assert_eq!(
        (name.as_str(), name.span.line, name.span.column),
        ("a", 1, 7)
    );
    assert!(shape.close.expect("present").is_null());
    let (key, _) = shape.map.first().expect("one");
    assert_eq!((key.as_str(), key.span.line, key.span.column), ("x", 3, 8));
    assert_eq!((shape.mode, shape.ratio), (Some(Mode::Slow { by: 3 }), 2.0));
}

#[test]
fn a_name_alone_and_a_name_with_a_value_are_variants() {
    assert_eq!(
        shape("{ name: a, mode: fast }").expect("fits").mode,
        Some(Mode::Fast)
    );
    assert_eq!(
        shape("{ name: a, mode: { fast: } }").expect("fits").mode,
        Some(Mode::Fast)
    );
    assert_eq!(
        shape("{ name: a, mode: { named: b } }").expect("fits").mode,
        Some(Mode::Named("b".to_owned()))
    );
}

/// Texts, each with its error on the next line.
const MISTAKES: &str = r#"
nme: a
    f.yaml:1:1: unknown key `nme`; did you mean `name`? (one of name, count, mode, close, map, ratio)
count: 1
    f.yaml:1:1: the key `name` is missing
name: 5
    f.yaml:1:7: expected text, found the number 5; quote it if it is meant as text
name: [a]
    f.yaml:1:7: expected text, found a list
{name: a, count: 300}
    f.yaml:1:18: expected a whole number from 0 to 255, found the number 300
{name: a, mode: fats}
    f.yaml:1:17: unknown word `fats`; did you mean `fast`? (one of fast, slow, named)
{name: a, mode: slow}
    f.yaml:1:17: `slow` needs a value: write `{slow: …}`
{name: a, mode: {fast: 1}}
    f.yaml:1:24: `fast` takes no value
{name: a, mode: {slow: {by: x}}}
    f.yaml:1:29: expected a whole number, 0 or more, found the text "x"
{name: a, mode: {}}
    f.yaml:1:17: expected a map with one key, found one with 0
{name: a, mode: 3}
    f.yaml:1:17: expected a word or a map with one key, found the number 3
{name: a, map: {x: true}}
    f.yaml:1:20: expected a whole number, found `true`
[]
    f.yaml:1:1: expected a map, found a list
"#;

#[test]
fn each_mistake_has_its_message_and_location() {
    let lines: Vec<&str> = MISTAKES.trim().lines().collect();
    let pairs = lines.chunks(2).map(|pair| (pair[0], pair[1].trim()));
    for (text, message) in pairs.chain([("", "f.yaml:1:1: expected a map, found nothing")]) {
        assert_eq!(shape(text), Err(message.to_owned()), "{text}");
    }
}

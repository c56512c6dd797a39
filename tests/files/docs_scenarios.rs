//! docs/scenarios.md is complete: every example loads, and every key, step and operator is on the page.

use conform::editor_schemas::file_schema;
use conform_judge::dialect::{self, DialectSource};
use conform_runner::scenario::load;
use json_matcher::OPERATORS;
use mock_provider::Script;
use spanned_yaml::{Error, Node, load_yaml, render_all};

const PAGE: &str = include_str!("../../docs/scenarios.md");

fn examples() -> Vec<&'static str> {
    let blocks = PAGE.split("```yaml\n").skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap_or_default())
        .collect()
}

/// The YAML of an example; a list of steps is wrapped in a scenario.
fn parse_example(example: &str) -> Node {
    let first = example.trim_start_matches("- ");
    let is_steps = ["expect:", "send:", "expect_request:"]
        .iter()
        .any(|verb| first.starts_with(verb))
        && example.starts_with("- ");
    let text = if is_steps {
        format!(
            "name: example\nprelude: false\nclauses: [aionrs.stream-start.opens-turn]\nsteps:\n{example}"
        )
    } else {
        example.to_owned()
    };
    load_yaml("docs/scenarios.md", &text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn every_example_loads() {
    let dialect = dialect::load(&DialectSource::default(), "aionrs@0.1")
        .unwrap_or_else(|errors| panic!("{}", render_all(&errors)));
    for example in examples() {
        let node = parse_example(example);
        let result: Result<(), Vec<Error>> = match node.as_list() {
            Some(_) => Script::of_file(&node).map(drop),
            None => load(&node, "example", Some(&dialect)).map(drop),
        };
        result.unwrap_or_else(|errors| panic!("{}", render_all(&errors)));
    }
    assert_eq!(examples().len(), 7);
}

#[test]
fn every_key_step_and_operator_is_on_the_page() {
    let schema = file_schema("scenario");
    let keys = |pointer: &str| {
        let properties = schema
            .pointer(pointer)
            .and_then(|part| part["properties"].as_object())
            .expect("properties");
        properties.keys().cloned().collect::<Vec<_>>()
    };
    let operators = OPERATORS.iter().map(|operator| operator.name.to_owned());
    let names = [
        keys(""),
        keys("/$defs/StepFile"),
        keys("/$defs/AnswerFile"),
        keys("/$defs/ExitFile"),
        keys("/$defs/AgentFile"),
    ];
    for name in names.into_iter().flatten().chain(operators) {
        let is_there = [
            format!("`{name}`"),
            format!("`{{ {name}: "),
            format!("`{name}: "),
        ]
        .iter()
        .any(|form| PAGE.contains(form.as_str()));
        assert!(is_there, "`{name}` is not on the page");
    }
}

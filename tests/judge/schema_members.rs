//! What schemas say about frames that people write by hand: unknown members, and matchers that match nothing.

use conform_judge::schema::{MemberError, SchemaCheck, Schemas};
use serde_json::json;

fn schemas() -> Schemas {
    let document = json!({ "$defs": {
        "go": {
            "type": "object", "required": ["type"],
            "properties": {
                "type": { "const": "go" },
                "mode": { "enum": ["a", "b"] },
                "where": { "$ref": "#/$defs/Place" },
                "free": { "type": "object" },
                "soft": { "enum": ["x"], "x-level": "should" }
            },
            "anyOf": [{ "properties": { "mode": { "const": "a" }, "more": { "type": "integer" } } }, {}]
        },
        "Place": { "type": "object", "required": ["id"], "properties": { "id": { "type": "string" } }, "additionalProperties": false }
    }});
    Schemas::compile(document, ["go"].into_iter(), SchemaCheck::AtOnce).unwrap()
}

fn places(mistakes: Vec<MemberError>) -> Vec<String> {
    mistakes.into_iter().map(|(at, _)| at).collect()
}

#[test]
fn members_that_no_part_knows_are_reported() {
    let frame = json!({ "type": "go", "then run": null, "more": 1, "free": { "any": 1 }, "where": { "id": "x", "idd": 1 } });
    assert_eq!(
        places(schemas().unknown_members(&["go"], &frame)),
        ["/then run", "/where/idd"]
    );
}

#[test]
fn a_member_that_is_nearly_a_known_one_is_misspelt() {
    let frame = json!({ "type": "go", "mod": "a", "moda": 1, "where": { "idd": "x" } });
    let misspelt = |at: &str, near: &str| {
        let name = &at[at.rfind('/').unwrap() + 1..];
        let message = format!("there is no member `{name}` here; did you mean `{near}`?");
        (at.to_owned(), message)
    };
    assert_eq!(
        schemas().misspelt_members(&["go"], &frame),
        [
            misspelt("/mod", "mode"),
            misspelt("/moda", "mode"),
            misspelt("/where/idd", "id")
        ]
    );
    let both = json!({ "type": "go", "mode": "a", "more": 1, "modes": 1 });
    assert_eq!(schemas().misspelt_members(&["go"], &both), []);
}

/// The schema of a nested kind need not repeat what the frame around it has.
#[test]
fn a_nested_kind_has_the_members_of_its_envelope() {
    let document = json!({ "$defs": {
        "ask": { "properties": { "id": {}, "body": { "properties": { "kind": {} } } } },
        "ask.model": { "properties": { "body": { "properties": { "model": {} } } } }
    }});
    let schemas = Schemas::compile(
        document,
        ["ask", "ask.model"].into_iter(),
        SchemaCheck::AtOnce,
    )
    .unwrap();
    let frame =
        json!({ "id": "a", "idd": 1, "body": { "kind": "model", "model": "m", "modell": 1 } });
    let unknown = schemas.unknown_members(&["ask", "ask.model"], &frame);
    assert_eq!(places(unknown), ["/idd", "/body/modell"]);
}

#[test]
fn a_matcher_that_no_frame_can_match_is_a_contradiction() {
    let wrong = |matcher| places(schemas().contradictions("go", &matcher));
    assert_eq!(wrong(json!({ "mode": "c" })), ["/mode"]);
    assert_eq!(
        wrong(json!({ "mode": { "$one_of": ["c", "d"] } })),
        ["/mode"]
    );
    assert_eq!(wrong(json!({ "where": { "id": 1 } })), ["/where/id"]);
    assert_eq!(wrong(json!({ "where": { "idd": "x" } })), ["/where/idd"]);
    assert_eq!(wrong(json!({ "where": "x" })), ["/where"]);
    assert_eq!(wrong(json!({ "type": { "$absent": true } })), ["/type"]);
    for right in [
        json!({ "mode": "b" }),
        json!({ "mode": { "$one_of": ["a", "d"] } }),
        json!({ "mode": "{name}" }),
        json!({ "soft": "y" }),
        json!({ "unknown": 1 }),
        json!({ "where": { "id": { "$regex": "x" } } }),
        json!({ "more": "x" }),
    ] {
        assert_eq!(wrong(right.clone()), Vec::<String>::new(), "{right}");
    }
}

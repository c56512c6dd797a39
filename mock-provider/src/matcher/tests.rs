//! What matchers hold of, and what they say where they do not.

use super::*;
use serde_json::json;

#[test]
fn a_matcher_holds_or_names_the_place_that_differs() {
    let body = json!({ "model": "m", "n": 3, "list": [{ "a": 1 }, { "a": 2 }], "null": null });
    for matcher in [
        json!({ "model": "m", "n": 3.0 }),
        json!({ "n": { "$type": ["string", "integer"], "$gte": 3 } }),
        json!({ "list": [{}, { "a": { "$gte": 2, "$lt": 3 } }], "none": { "$absent": true } }),
        json!({ "list": { "$length": 2, "$contains": { "a": 2 }, "$items": { "a": { "$type": "integer" } } } }),
        json!({ "list": { "$in_order": [{ "a": 1 }, { "a": 2 }] } }),
        json!({ "list": { "$not": { "$in_order": [{ "a": 2 }, { "a": 1 }] } } }),
        json!({ "model": { "$regex": "^m$" }, "null": { "$present": true }, "n": { "$one_of": [1, 3] } }),
        json!({ "$all": [{ "n": 3 }, { "$not": { "n": 4 } }, { "$any": [{ "n": 1 }, { "n": { "$ne": 1 } }] }] }),
    ] {
        check(&matcher)
            .map_err(|bad| bad.message)
            .expect("a good matcher");
        assert!(differences(&matcher, &body).is_empty(), "{matcher}");
    }

    let found = differences(
        &json!({ "list": [{ "a": 1 }, { "a": 5 }], "gone": 1 }),
        &body,
    );
    let said = found
        .iter()
        .map(|one| format!("{} {}, {}", one.pointer, one.expected, one.actual))
        .collect::<Vec<_>>();
    assert_eq!(said, ["/list/1/a to be 5, 2", "/gone to be 1, nothing"]);
}

#[test]
fn a_bad_matcher_is_refused_with_its_place() {
    for (matcher, pointer) in [
        (json!({ "a": { "$regexp": "x" } }), "/a/$regexp"),
        (json!({ "a": [{ "$regex": "(" }] }), "/a/0/$regex"),
        (json!({ "a": { "b": 1, "$gt": 2 } }), "/a/$gt"),
        (json!({ "$type": "text" }), "/$type"),
        (json!({ "$one_of": [] }), "/$one_of"),
    ] {
        assert_eq!(
            check(&matcher).map_err(|bad| bad.pointer),
            Err(pointer.to_owned()),
            "{matcher}"
        );
    }
}

#[test]
fn a_doubled_dollar_is_a_plain_key_and_large_numbers_are_exact() {
    let body = json!({ "$ref": "x", "big": u64::MAX });

    assert!(
        differences(
            &json!({ "$$ref": "x", "big": { "$gt": u64::MAX - 1 } }),
            &body
        )
        .is_empty()
    );
    let found = differences(&json!({ "$$ref": "y" }), &body);
    assert_eq!(found[0].pointer, "/$ref");
}

//! Patterns of ids.

use conform_report::id_pattern::matches_id;

#[test]
fn a_glob_matches_the_whole_id() {
    for (pattern, id, expected) in [
        ("a@1/*/deny", "a@1/approval/deny", true),
        ("*/deny", "a@1/approval/deny-one", false),
        ("*deny*", "a@1/approval/deny-one", true),
        ("a@?/*", "a@1/x", true),
        ("a/b", "a/b", true),
        ("a", "ab", false),
        ("*a*b", "aab", true),
        ("*a*b", "aba", false),
        ("*", "", true),
    ] {
        assert_eq!(matches_id(pattern, id), expected, "{pattern} {id}");
    }
}

#[test]
fn a_pattern_without_a_dialect_matches_in_every_dialect() {
    for (pattern, id, expected) in [
        ("turn/*", "a@1/turn/plain", true),
        ("turn/pl?in", "a@1/turn/plain", true),
        ("turn/*", "turn/plain", true),
        ("turn/*", "a@1/other/turn/plain", false),
        ("b@1/turn/*", "a@1/turn/plain", false),
        ("plain", "turn/plain", false),
    ] {
        assert_eq!(matches_id(pattern, id), expected, "{pattern} {id}");
    }
}

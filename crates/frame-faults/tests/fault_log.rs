//! The fault log on stderr.

use frame_faults::{entry, parse_entry, parse_held};

#[test]
fn a_log_entry_is_parsed_back() {
    assert_eq!(parse_entry(&entry("no-ready", 1)), Some(("no-ready", 1)));
    assert_eq!(parse_entry("fault x played at line y"), None);
    assert_eq!(parse_entry("something else"), None);
    assert_eq!(parse_held("fault x holds back line 3"), Some(("x", 3)));
}

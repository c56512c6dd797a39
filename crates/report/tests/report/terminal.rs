//! The closing part of the terminal report.

use crate::sample;
use conform_report::reporter::terminal::{Details, closing};
use conform_report::{Cause, Report};
use snapbox::{assert_data_eq, file};

/// The most causes that are written in full.
const IN_FULL: usize = 25;

fn closed(report: &Report, details: Details) -> String {
    let mut out = Vec::new();
    closing(report, details, &mut out).unwrap();
    anstream::adapter::strip_str(&String::from_utf8(out).unwrap()).to_string()
}

#[test]
fn all_details_are_shown_on_request() {
    let text = closed(&sample::report(), Details::All);
    assert_data_eq!(text, file!["snapshots/details.txt"].raw());
}

#[test]
fn causes_that_explain_little_have_one_line_each() {
    let mut report = sample::report();
    let cause = |number: usize| Cause {
        id: format!("demo-{number}"),
        message: format!("defect {number}"),
        ..report.causes[0].clone()
    };
    report.causes = (1..=IN_FULL + 2).map(cause).collect();
    let text = closed(&report, Details::Causes);
    let full = text.matches("CAUSE ").count();
    assert_eq!(full, IN_FULL, "{text}");
    let last = text.find("defect 27").unwrap();
    assert!(text[last..].starts_with("defect 27 ("), "{text}");
    let all = closed(&report, Details::All);
    assert_eq!(all.matches("CAUSE ").count(), IN_FULL + 2, "{all}");
}

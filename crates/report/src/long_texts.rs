//! Long texts in findings: what an agent wrote can be megabytes, and a report holds the start and the end of it.

use super::model::ScenarioReport;
use conform_judge::finding::Expected;

/// The most bytes of a text that are kept whole.
const WHOLE: usize = 1500;
/// How many bytes of the start of a longer text are kept.
const START: usize = 900;
/// How many bytes of its end are kept.
const END: usize = 400;

/// Shortens the texts of all findings.
pub(super) fn shorten(scenario: &mut ScenarioReport) {
    for finding in scenario.all_findings_mut() {
        let texts = finding
            .expected
            .iter_mut()
            .flat_map(Expected::texts_mut)
            .chain([&mut finding.message]);
        for text in texts.chain(finding.origin.texts_mut()) {
            if text.len() > WHOLE {
                *text = shortened(text);
            }
        }
    }
}

fn shortened(text: &str) -> String {
    let start = &text[..text.floor_char_boundary(START)];
    let end = &text[text.ceil_char_boundary(text.len() - END)..];
    let left_out = text.len() - start.len() - end.len();
    format!("{start} … ({left_out} bytes left out) … {end}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::finding::Finding;
    use proptest::prelude::*;

    fn after(message: &str) -> String {
        let finding = Finding {
            message: message.to_owned(),
            expected: vec![message.to_owned().into()],
            ..Finding::default()
        };
        let mut scenario = ScenarioReport {
            findings: vec![finding],
            ..ScenarioReport::default()
        };
        shorten(&mut scenario);
        let finding = &scenario.findings[0];
        assert_eq!(finding.message, finding.expected[0].to_string());
        finding.message.clone()
    }

    #[test]
    fn a_long_text_keeps_its_start_and_its_end() {
        let text = after(&format!("it joins to \"{}\", not to x", "é".repeat(50_000)));
        assert!(text.starts_with("it joins to \"éé"), "{text}");
        assert!(text.ends_with("éé\", not to x"), "{text}");
        assert!(text.contains(" bytes left out) … "), "{text}");
    }

    proptest! {
        #[test]
        fn a_shortened_text_is_short_and_a_short_one_is_kept(text in ".{0,3000}") {
            let short = after(&text);
            prop_assert!(short.len() <= WHOLE + "é".len());
            prop_assert_eq!(short == text, text.len() <= WHOLE);
        }
    }
}

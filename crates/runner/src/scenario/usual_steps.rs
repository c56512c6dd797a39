//! The steps that nearly all scenarios of a dialect share: its prelude, its ending, and the steps of `rest`.

use super::file::{ScenarioFile, StepFile, StepVerb};
use conform_judge::dialect::Dialect;
use serde_json::Value;
use spanned_yaml::{Error, Node, unknown};

/// Replaces `rest` and `asks` by their steps, and adds the prelude and the ending of the dialect, unless the scenario has `prelude: false` or `ending:
/// false`. A scenario that ends with `expect_exit` has an ending of its own. An added step has the place of the scenario.
///
/// # Errors
/// The scenario writes the prelude or the ending out, or a step of them is wrong.
pub(super) fn add_usual_steps(
    file: &mut ScenarioFile,
    scenario: &Node,
    dialect: &Dialect,
) -> Result<(), Vec<Error>> {
    let written = &file.written.value;
    if written.is_empty() {
        return Ok(());
    }
    let agent = dialect.agent.as_ref();
    let asks = agent.map_or(&[][..], |agent| &agent.file.asks);
    let expanded =
        written
            .iter()
            .zip(std::mem::take(&mut file.steps))
            .map(|(node, step)| match step.verb {
                StepVerb::Rest if !dialect.rest.is_empty() => decode_at(node, &dialect.rest),
                StepVerb::Asks => decode_at(node, asks),
                _ => Ok(vec![step]),
            });
    file.steps = expanded.collect::<Result<Vec<_>, _>>()?.concat();
    if file.asks {
        file.steps.splice(0..0, decode_at(scenario, asks)?);
    }
    let prelude = prelude_of(file.prelude.as_ref(), dialect)?;
    if !prelude.is_empty() {
        let usual = prelude;
        refuse_written_out("prelude", usual, written.get(..usual.len()), includes)?;
        file.steps.splice(0..0, decode_at(scenario, usual)?);
        file.of_prelude = usual.len();
    }
    if file.ending {
        let usual = &dialect.ending;
        let from = written.len().checked_sub(usual.len());
        refuse_written_out(
            "ending",
            usual,
            from.map(|from| &written[from..]),
            |own, usual| own == usual,
        )?;
        let last = file.steps.last().map(|step| &step.verb);
        if !matches!(last, Some(StepVerb::ExpectExit(_))) {
            file.steps.extend(decode_at(scenario, usual)?);
        }
    }
    Ok(())
}

/// The steps of the prelude that a scenario begins with.
fn prelude_of<'d>(written: Option<&Node>, dialect: &'d Dialect) -> Result<&'d [Node], Vec<Error>> {
    let parts = &dialect.prelude_parts;
    match written.map(|node| (node, node.to_value())) {
        None | Some((_, Value::Bool(true))) => Ok(&dialect.prelude),
        Some((_, Value::Bool(false))) => Ok(&[]),
        Some((node, Value::String(name))) => match parts.get(&name) {
            Some(steps) => Ok(&dialect.prelude[..*steps]),
            None => {
                let known = parts.keys().map(String::as_str);
                Err(vec![node.error(unknown(
                    "part of the prelude",
                    &name,
                    known,
                ))])
            }
        },
        Some((node, _)) => {
            let found = node.describe();
            let expected = "expected `false` or the name of a part of the prelude";
            Err(vec![node.error(format!("{expected}, found {found}"))])
        }
    }
}

/// Decodes steps as if they were written at a place of the scenario. Anything that cannot be a step is a mistake at the place where they
/// are written.
fn decode_at(place: &Node, steps: &[Node]) -> Result<Vec<StepFile>, Vec<Error>> {
    let decoded = steps.iter().map(|step| {
        let moved = StepFile::read(&step.moved_to(place));
        moved.map_err(|mistakes| StepFile::read(step).err().unwrap_or(mistakes))
    });
    decoded.collect()
}

fn refuse_written_out(
    what: &str,
    usual: &[Node],
    written: Option<&[Node]>,
    is_same: fn(&Value, &Value) -> bool,
) -> Result<(), Vec<Error>> {
    let mut pairs = usual.iter().zip(written.unwrap_or_default());
    let first = written.and_then(<[Node]>::first);
    match first.filter(|_| pairs.all(|(usual, own)| is_same(&own.to_value(), &usual.to_value()))) {
        Some(step) => Err(vec![step.error(format!(
            "this is the {what} of every scenario of the dialect: leave it out, or write `{what}: false` above `steps`"
        ))]),
        None => Ok(()),
    }
}

/// Whether a value equals another one, possibly with more members.
fn includes(own: &Value, usual: &Value) -> bool {
    match (own, usual) {
        (Value::Object(own), Value::Object(usual)) => usual
            .iter()
            .all(|(name, usual)| own.get(name).is_some_and(|own| includes(own, usual))),
        _ => own == usual,
    }
}

#[cfg(test)]
mod tests {
    use crate::scenario::{Scenario, load};
    use conform_judge::dialect::{self, DialectSource};
    use spanned_yaml::load_yaml;
    use std::sync::Arc;

    const USUAL: &str = "{ prelude: [{ pause_reading: 1s }], ending: [{ close_stdin: }, { expect_exit: { code: 0 } }] }";

    fn loaded(scenario: &str) -> Result<Scenario, String> {
        loaded_with(USUAL, scenario)
    }

    fn loaded_with(usual: &str, scenario: &str) -> Result<Scenario, String> {
        let mut dialect = dialect::load(&DialectSource::default(), "aionrs@0.1").unwrap();
        let usual = load_yaml("dialect.yaml", usual).unwrap();
        let steps = |name: &str| usual.get(name).unwrap().as_list().unwrap().to_vec();
        let own = Arc::get_mut(&mut dialect).unwrap();
        (own.prelude, own.ending) = (steps("prelude"), steps("ending"));
        let node = load_yaml("s.yaml", scenario).unwrap();
        load(&node, "s", Some(&dialect)).map_err(|errors| errors[0].to_string())
    }

    fn count(scenario: &str) -> usize {
        loaded(scenario).unwrap().steps.len()
    }

    #[test]
    fn the_prelude_and_the_ending_are_added_unless_the_scenario_excludes_them() {
        assert_eq!(count("{ name: n, steps: [{ pause_reading: 2s }] }"), 4);
        assert_eq!(
            count(
                "{ name: n, prelude: false, ending: false, steps: [{ pause_reading: 1s }, { expect_file: { a: present } }] }"
            ),
            2
        );
        assert_eq!(
            count("{ name: n, steps: [{ close_stdin: }, { expect_exit: { code: 1 } }] }"),
            3
        );
    }

    #[test]
    fn an_added_step_has_the_place_of_the_scenario_and_its_mistakes_that_of_the_dialect() {
        let scenario = loaded("name: n\nsteps:\n  - pause_reading: 2s\n").unwrap();
        assert_eq!(scenario.steps[0].span.line, 1);
        let wrong = "{ prelude: [{ puase_reading: 1s }], ending: [] }";
        let scenario = "{ name: n, steps: [{ pause_reading: 2s }] }";
        let error = loaded_with(wrong, scenario).err().unwrap();
        assert!(error.contains("--> dialect.yaml:1:15"), "{error}");
    }

    #[test]
    fn a_scenario_that_writes_them_out_is_refused() {
        for first in ["{ pause_reading: 1s }", "{ pause_reading: 1s, within: 2s }"] {
            let error = loaded(&format!("{{ name: n, steps: [{first}] }}")).unwrap_err();
            assert!(error.contains("write `prelude: false`"), "{error}");
        }
        let error = loaded(
            "{ name: n, steps: [{ pause_reading: 2s }, { close_stdin: }, { expect_exit: { code: 0 } }] }",
        )
        .unwrap_err();
        assert!(error.contains("write `ending: false`"), "{error}");
    }
}

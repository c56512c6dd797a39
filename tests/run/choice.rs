//! What is played: `--only`, `--tag`, `--shard`, scenarios and dialects of one's own.

use crate::agents::{READY, TURN, TURNS, agent};
use crate::harness::{Place, Ran};
use conform::report::Verdict;
use std::collections::BTreeSet;

fn ids(ran: &Ran) -> BTreeSet<String> {
    let report = ran.report.as_ref().unwrap_or_else(|| panic!("{ran:?}"));
    report
        .scenarios
        .iter()
        .map(|entry| entry.id.clone())
        .collect()
}

#[test]
fn nothing_to_play_is_no_success() {
    let place = Place::new();
    for args in [
        ["--only", "nothing-matches"].as_slice(),
        &["--tag", "no-such-tag"],
        &["--only", "aionrs@0.1/startup/ready", "--shard", "2/2"],
    ] {
        place.run(args).ends_with(3, "there is no scenario for");
    }
}

#[test]
fn shards_together_are_the_whole() {
    let place = Place::new();
    let part = |shard| ids(&place.run(&["--only", "aionrs@0.1/turn/text*", "--shard", shard]));
    let whole = ids(&place.run(&["--only", "aionrs@0.1/turn/text*"]));
    let (one, two) = (part("1/2"), part("2/2"));
    assert!(one.is_disjoint(&two));
    assert_eq!(&one | &two, whole);
}

#[test]
fn a_mistake_in_a_scenario_is_told_at_its_place() {
    let place = Place::new();
    let ran = place.play("name: x\nsteps:\n  - expekt: { type: ready }\n", READY);
    ran.ends_with(2, "did you mean `expect`?");
    assert!(ran.stderr.contains("one.yaml:3:"), "{ran:?}");
}

#[test]
fn wrong_options_are_wrong_usage() {
    let place = Place::new();
    for (args, why) in [
        (["--shard", "3/2"].as_slice(), "expected K/N"),
        (&["--time-scale", "0"], "expected a factor above 0"),
        (&["--dialect", "ainrs"], "did you mean `aionrs@0.2`?"),
        (&["--wire", "smoke"], "the recipe of aionrs@0.1 has"),
        (
            &["--env", "NO_SUCH_VARIABLE_HERE"],
            "there is no such variable here",
        ),
        (&["--scenarios", "no/such/folder"], "cannot be read"),
    ] {
        place.run(args).ends_with(2, why);
    }
}

#[test]
fn the_bundled_agent_asks_its_model_over_each_wire() {
    let place = Place::new();
    for (dialect, wires) in [
        ("aionrs@0.1", ["anthropic", "openai-chat"].as_slice()),
        ("pi@0.73", &["anthropic", "openai-chat", "openai-responses"]),
        ("synaps@1", &["openai-chat", "anthropic"]),
    ] {
        for wire in wires {
            let ran = place.run(&["--dialect", dialect, "--tag", "tools", "--wire", wire]);
            ran.ends_with(0, "");
            assert_ne!(ids(&ran), BTreeSet::new());
        }
    }
}

#[test]
fn the_dialect_is_told_by_the_first_words() {
    let place = Place::new();
    let scenario = place.file("one.yaml", TURN);
    let script = place.file("agent.sh", &agent(&[READY, TURNS]));
    let ran = place.run(&["--scenarios", &scenario, "sh", &script]);
    ran.ends_with(
        0,
        "the agent speaks aionrs@0.1: its first line is {\"type\":\"ready\"",
    );
}

#[test]
fn the_project_says_it_once() {
    let place = Place::new();
    place.file("suite/turn.yaml", TURN);
    place.file("conform.yaml", "dialect: aionrs@0.1\nscenarios: [suite]\n");
    let script = place.file("agent.sh", &agent(&[READY, TURNS]));
    let ran = place.run(&["sh", &script]);
    assert_eq!(ran.only().id, "aionrs@0.1/turn");

    place.file("conform.yaml", "dialekt: aionrs@0.1\n");
    place
        .run(&["sh", &script])
        .ends_with(2, "did you mean `dialect`?");
}

#[test]
fn what_the_agent_cannot_do_is_skipped_with_the_reason() {
    let place = Place::new();
    let scenario = TURN.replace("steps:", "needs: [mcp]\nsteps:");
    let ran = place.play(&scenario, &agent(&[READY, TURNS]));
    ran.ends_with(3, "the agent does not declare mcp");
    assert_eq!(ran.only().verdict, Verdict::Skipped);
}

#[test]
fn a_tool_that_the_agent_does_not_offer_the_model_is_not_held_against_it() {
    let place = Place::new();
    place.file("conform.yaml", "tools: { Glob: { name: FindFiles } }\n");
    let ran = place.run(&["--dialect", "aionrs@0.1", "--only", "tools/glob"]);
    ran.ends_with(3, "the agent does not offer the model a tool `FindFiles`");
    assert_eq!(ran.only().verdict, Verdict::Skipped);
}

#[test]
fn the_environment_is_the_recipe_s_and_what_the_user_adds() {
    let place = Place::new();
    let scenario = place.file("one.yaml", TURN);
    let record = place.path("environment");
    let script = place.file(
        "agent.sh",
        &agent(&[
            &format!("env > {}\npwd >> {0}\n", record.display()),
            READY,
            TURNS,
        ]),
    );
    let mut command = place.command("run");
    command.env("SECRET", "s").env("WANTED", "w");
    command.args(["--dialect", "aionrs", "--env", "WANTED", "--env", "MORE=m"]);
    command.args(["--scenarios", &scenario, "sh", &script]);
    let output = crate::harness::finish(command.spawn().unwrap());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let seen = std::fs::read_to_string(record).unwrap();
    for line in ["WANTED=w", "MORE=m", "ANTHROPIC_API_KEY=mock-key"] {
        assert!(seen.lines().any(|seen| seen == line), "{line} in {seen}");
    }
    assert!(!seen.contains("SECRET"), "{seen}");
    let tmp = place
        .path("tmp")
        .canonicalize()
        .unwrap()
        .display()
        .to_string();
    for name in ["HOME", "XDG_CONFIG_HOME", "TMPDIR", "PWD"] {
        let value = seen
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        assert!(
            value.is_some_and(|value| value.starts_with(&tmp)),
            "{name} in {seen}"
        );
    }
}

//! Selection of scenarios and dialects: `--only`, `--tag`, `--shard`, `conform.yaml`, skipped scenarios.

use crate::agents::{READY, TURN, TURNS, agent};
use crate::harness::{RunResult, TestDir};
use conform_report::Verdict;
use std::collections::BTreeSet;

fn ids(result: &RunResult) -> BTreeSet<String> {
    let report = result
        .report
        .as_ref()
        .unwrap_or_else(|| panic!("{result:?}"));
    report
        .scenarios
        .iter()
        .map(|entry| entry.id.clone())
        .collect()
}

#[test]
fn a_run_without_scenarios_is_incomplete() {
    let dir = TestDir::new();
    for (args, why) in [
        (
            ["--only", "qqqq"].as_slice(),
            "nothing was checked (`conform list scenarios` shows what there is): --only qqqq matches no scenario",
        ),
        (&["--only", "turn/plian"], "did you mean `turn/plain`?"),
        (&["--tag", "aproval"], "did you mean `approval`?"),
        (
            &["--only", "aionrs@0.1/startup/ready", "--shard", "2/2"],
            "there is no scenario for",
        ),
    ] {
        dir.run(args).assert_exit(3, why);
    }
}

#[test]
fn a_pattern_that_matches_nothing_beside_others_is_warned_of() {
    let dir = TestDir::new();
    let result = dir.run(&["--only", "aionrs@0.1/turn/plain", "--only", "turn/txt"]);
    result.assert_exit(0, "");
    let warning = "warning: --only turn/txt matches no scenario";
    assert!(result.stderr.contains(warning), "{result:?}");
}

#[test]
fn scenarios_that_wait_long_are_played_first() {
    let dir = TestDir::new();
    let scenario = |name: &str, until: &str| {
        format!(
            "name: the pause {name}\nclauses: [aionrs.ready.once]\nsteps:\n  - expect_none: {{ not: {{ type: error }}, until: {until} }}\n"
        )
    };
    let paths = [("a", "20ms"), ("b", "1s"), ("c", "10ms")];
    let paths =
        paths.map(|(name, until)| dir.file(&format!("{name}.yaml"), &scenario(name, until)));
    let args = paths.iter().flat_map(|path| ["--scenarios", path]);
    let args: Vec<_> = ["--dialect", "aionrs@0.1", "--jobs", "1"]
        .into_iter()
        .chain(args)
        .collect();
    let result = dir.run(&args);
    let played = result.stdout.lines().filter_map(|line| {
        let (_, id) = line.split_once("] aionrs@0.1/")?;
        line.contains("PASS").then_some(id)
    });
    assert_eq!(played.collect::<Vec<_>>(), ["b", "a", "c"], "{result:?}");
}

#[test]
fn all_shards_together_are_the_whole_suite() {
    let dir = TestDir::new();
    let part = |shard| ids(&dir.run(&["--only", "aionrs@0.1/turn/text*", "--shard", shard]));
    let whole = ids(&dir.run(&["--only", "aionrs@0.1/turn/text*"]));
    let (one, two) = (part("1/2"), part("2/2"));
    assert!(one.is_disjoint(&two));
    assert_eq!(&one | &two, whole);
}

#[test]
fn a_mistake_in_a_scenario_is_reported_with_its_location() {
    let dir = TestDir::new();
    let result = dir.run_scenario("name: x\nsteps:\n  - expekt: { type: ready }\n", READY);
    result.assert_exit(2, "did you mean `expect`?");
    assert!(result.stderr.contains("one.yaml:3:"), "{result:?}");
}

#[test]
fn invalid_options_are_usage_errors() {
    let dir = TestDir::new();
    for (args, why) in [
        (["--shard", "3/2"].as_slice(), "expected K/N"),
        (&["--time-scale", "0"], "expected a factor above 0"),
        (&["--dialect", "ainrs"], "did you mean `aionrs`?"),
        (
            &["--wire", "smoke"],
            "unknown wire `smoke` (one of openai-chat, anthropic)",
        ),
        (
            &["--env", "NO_SUCH_VARIABLE_HERE"],
            "conform has no such variable",
        ),
        (&["--scenarios", "no/such/folder"], "cannot be read"),
    ] {
        dir.run(args).assert_exit(2, why);
    }
}

#[test]
fn the_bundled_agent_supports_each_wire() {
    let dir = TestDir::new();
    // The first wire of a dialect is the one that the whole suite is played over.
    for (dialect, wire) in [
        ("aionrs@0.1", "openai-chat"),
        ("pi@0.73", "openai-chat"),
        ("pi@0.73", "openai-responses"),
        ("pi@0.73", "gemini"),
        ("synaps@1", "anthropic"),
    ] {
        let result = dir.run(&["--dialect", dialect, "--tag", "tools", "--wire", wire]);
        result.assert_exit(0, "");
        assert_ne!(ids(&result), BTreeSet::new());
    }
}

#[test]
fn the_dialect_is_detected_by_the_first_line() {
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", TURN);
    let script = dir.file("agent.sh", &agent(&[READY, TURNS]));
    let result = dir.run(&["--scenarios", &scenario, "sh", &script]);
    result.assert_exit(
        0,
        "the agent speaks aionrs@0.1: its first line is {\"type\":\"ready\"",
    );
}

#[test]
fn conform_yaml_sets_the_dialect_and_the_scenarios() {
    let dir = TestDir::new();
    dir.file("suite/turn.yaml", TURN);
    dir.file("conform.yaml", "dialect: aionrs@0.1\nscenarios: [suite]\n");
    let script = dir.file("agent.sh", &agent(&[READY, TURNS]));
    let result = dir.run(&["sh", &script]);
    assert_eq!(result.only_scenario().id, "aionrs@0.1/turn");

    dir.file("conform.yaml", "dialekt: aionrs@0.1\n");
    dir.run(&["sh", &script])
        .assert_exit(2, "did you mean `dialect`?");
}

#[test]
fn a_scenario_that_needs_an_undeclared_capability_is_skipped() {
    let dir = TestDir::new();
    let scenario = TURN.replace("steps:", "needs: [mcp]\nsteps:");
    let result = dir.run_scenario(&scenario, &agent(&[READY, TURNS]));
    result.assert_exit(3, "the agent does not declare mcp");
    assert_eq!(result.only_scenario().verdict, Verdict::Skipped);
}

#[test]
fn mistakes_in_conform_yaml_name_the_file_and_the_key() {
    let dir = TestDir::new();
    for (config, shown) in [
        (
            "dialect: aionrs@9",
            "conform.yaml: `dialect`: unknown dialect",
        ),
        ("scenarios: [nosuch]", "conform.yaml: `scenarios`: nosuch: "),
        (
            "dialect: aionrs\nlacks: [foo]",
            "conform.yaml: `lacks`: unknown",
        ),
        (
            "dialect: aionrs@0.1\ntools: { Bsah: { name: Run } }",
            "conform.yaml: `tools`: unknown tool `Bsah`; did you mean `Bash`?",
        ),
    ] {
        dir.file("conform.yaml", config);
        dir.run(&["--only", "turn/plain"]).assert_exit(2, shown);
    }
}

#[test]
fn a_scenario_with_a_tool_that_the_agent_does_not_offer_is_skipped() {
    let dir = TestDir::new();
    dir.file("conform.yaml", "tools: { Glob: { name: FindFiles } }\n");
    let glob = ["--dialect", "aionrs@0.1", "--only", "tools/glob"];
    // What the agent does after a call that no model would make is not a finding.
    let crash = ["--env", "MOCK_AGENT_FAULT=panics-at-eof"];
    for arguments in [glob.to_vec(), [&glob[..], &crash].concat()] {
        let result = dir.run(&arguments);
        result.assert_exit(3, "the agent does not offer the model a tool `FindFiles`");
        assert_eq!(result.only_scenario().verdict, Verdict::Skipped);
    }
}

#[test]
fn a_scenario_with_an_argument_that_the_tool_of_the_agent_does_not_take_is_skipped() {
    let dir = TestDir::new();
    dir.file(
        "conform.yaml",
        "tools: { Glob: { name: Glob, args: { pattern: wildcard } } }\n",
    );
    let result = dir.run(&["--dialect", "aionrs@0.1", "--only", "tools/glob"]);
    result.assert_exit(
        3,
        "the tool `Glob` of the agent takes no argument `wildcard`, but `pattern`",
    );
    assert_eq!(result.only_scenario().verdict, Verdict::Skipped);
}

#[test]
fn the_environment_contains_the_recipe_s_and_the_user_s_variables_only() {
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", TURN);
    let record = dir.path("environment");
    let script = dir.file(
        "agent.sh",
        &agent(&[
            &format!("env > {}\npwd >> {0}\n", record.display()),
            READY,
            TURNS,
        ]),
    );
    let mut command = dir.command("run");
    command.env("SECRET", "s").env("WANTED", "w");
    command.args(["--dialect", "aionrs", "--env", "WANTED", "--env", "MORE=m"]);
    command.args(["--env", "URL={llm_url}/v1", "--env", "DATA={home}/{other}"]);
    command.args(["--scenarios", &scenario, "sh", &script]);
    let output = crate::harness::finish(command.spawn().unwrap());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let environment = std::fs::read_to_string(record).unwrap();
    for line in ["WANTED=w", "MORE=m", "ANTHROPIC_API_KEY=mock-key"] {
        assert!(
            environment.lines().any(|other| other == line),
            "{line} in {environment}"
        );
    }
    assert!(!environment.contains("SECRET"), "{environment}");
    assert!(
        environment.contains("URL=http://127.0.0.1:"),
        "{environment}"
    );
    let tmp = dir
        .path("tmp")
        .canonicalize()
        .unwrap()
        .display()
        .to_string();
    assert!(environment.contains("/home/{other}"), "{environment}");
    for name in ["HOME", "XDG_CONFIG_HOME", "TMPDIR", "PWD", "DATA"] {
        let value = environment
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix('='));
        assert!(
            value.is_some_and(|value| value.starts_with(&tmp)),
            "{name} in {environment}"
        );
    }
}

/// A dialect of its own with a smoke scenario, and its only scenario.
fn with_smoke(dir: &TestDir, smoke: &str) -> RunResult {
    let dialect =
        format!("name: tiny\nversion: \"1\"\ntitle: Tiny\nextends: aionrs@0.1\nsmoke: {smoke}\n");
    dir.file("dialects/tiny/1/dialect.yaml", &dialect);
    dir.file("scenarios/turn/mine.yaml", TURN);
    let script = dir.file("agent.sh", &agent(&[READY, TURNS]));
    let (dialects, scenarios) = (dir.path("dialects"), dir.path("scenarios/turn"));
    dir.run(&[
        "--dialect",
        "tiny@1",
        "--dialect-dir",
        dialects.to_str().unwrap(),
        "--scenarios",
        scenarios.to_str().unwrap(),
        "--no-probe",
        "sh",
        &script,
    ])
}

#[test]
fn a_smoke_scenario_that_does_not_exist_is_an_error_with_its_place() {
    let dir = TestDir::new();
    let result = with_smoke(&dir, "turn/mien");
    result.assert_exit(2, "unknown smoke scenario of tiny@1 `turn/mien`");
    assert!(result.stderr.contains("dialect.yaml:5:8"), "{result:?}");
    // Only a part of the suite is played, without the smoke scenario.
    with_smoke(&dir, "turn/mine").assert_exit(0, "1 passed");
}

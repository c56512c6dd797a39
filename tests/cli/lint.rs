//! `conform lint` as a process.

use assert_cmd::Command;
use std::path::Path;
use tempfile::TempDir;

const SCENARIO: &str = "name: it is ready\nclauses: [aionrs.ready.after-init]\nprelude: false\nsteps:\n  - expect: { type: ready }\n";

/// Runs `conform lint` in a folder: exit status, stdout, stderr.
fn lint(folder: &Path, args: &[&str]) -> (i32, String, String) {
    let output = Command::cargo_bin("conform")
        .expect("the program")
        .current_dir(folder)
        .arg("lint")
        .args(args)
        .output();
    let output = output.expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
    (
        output.status.code().expect("a code"),
        text(output.stdout),
        text(output.stderr),
    )
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = folder.path().join(path);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("created");
        std::fs::write(path, text).expect("written");
    }
    folder
}

#[test]
fn the_dialects_of_this_repository_have_no_mistakes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (status, told, mistakes) = lint(root, &["--dialect-dir", "schemas", "schemas"]);
    assert_eq!((status, mistakes.as_str()), (0, ""), "{told}");
    assert!(told.contains("no mistakes"), "{told}");
}

#[test]
fn the_kind_of_a_file_is_detected_and_counted() {
    let clause = "\"1\": { d.a: A. }\n";
    let schema = r#"{"$defs": {"hello": {"type": "object"}}}"#;
    let dialect = "name: d\nversion: \"1\"\ndiscriminator: { events: /t, commands: /t }\nevents: { hello: }\n";
    let folder = folder(&[
        (
            "scenarios/d/1/a.yaml",
            "name: a\nclauses: [d.a]\nsteps:\n  - expect: { t: hello }\n",
        ),
        (
            "scenarios/d/1/deep/b.yml",
            "name: b\nsteps:\n  - expect: { t: hello }\n",
        ),
        (
            "script.yaml",
            "- text: Hi\n- { gate: g1, tool_calls: [{ name: Read }] }\n",
        ),
        ("schemas/d/1/dialect.yaml", dialect),
        (
            "schemas/d/1/ordering.yaml",
            "rules:\n  once: { clauses: [d.a], doc: It says hello once., order: \"hello\" }\n",
        ),
        (
            "schemas/d/1/faults.yaml",
            "faults:\n  no-hello: { summary: it says nothing, on: hello, drop: , caught_by: [once, scenario:deep/b] }\n",
        ),
        ("schemas/d/1/clauses.yaml", clause),
        (
            "schemas/d/1/hosts.yaml",
            "hosts: { h: { summary: it sends nothing, caught_by: [once], session: stdin_closed } }\n",
        ),
        ("schemas/d/1/events.json", schema),
        ("schemas/d/1/commands.json", "{\"$defs\": {}}"),
        ("notes.txt", "name: [unread"),
    ]);
    let (status, stdout, stderr) = lint(folder.path(), &[".", "--dialect-dir", "schemas"]);
    assert_eq!(stderr, "");
    let kinds = "2 scenarios, 1 clause file, 1 dialect file, 1 fault file, 1 host file, 1 ordering file, 1 script";
    assert_eq!(stdout, format!("checked 8 files ({kinds}): no mistakes\n"));
    assert_eq!(status, 0);
}

#[test]
fn a_delta_keeps_the_kind_of_a_state_variable() {
    let dialect = "name: d\nversion: \"1\"\ndiscriminator: { events: /t, commands: /t }\nevents: { hello: }\n";
    let delta = "name: d\nversion: \"2\"\nextends: d@1\n";
    let schema = r#"{"$defs": {"hello": {"type": "object"}}}"#;
    let names = |verb: &str| format!("state:\n  names: {{ on: {{ hello: {{ {verb}: /n }} }} }}\n");
    let lint_all = |base: &str, delta_verb: &str| {
        let folder = folder(&[
            ("schemas/d/1/dialect.yaml", dialect),
            ("schemas/d/1/ordering.yaml", &names(base)),
            ("schemas/d/1/clauses.yaml", "\"1\": { d.a: A. }\n"),
            ("schemas/d/1/events.json", schema),
            ("schemas/d/1/commands.json", "{\"$defs\": {}}"),
            ("schemas/d/2/dialect.yaml", delta),
            ("schemas/d/2/ordering.yaml", &names(delta_verb)),
        ]);
        lint(folder.path(), &["schemas", "--dialect-dir", "schemas"])
    };
    let (status, _, stderr) = lint_all("append", "take");
    assert_eq!((status, stderr.as_str()), (0, ""));
    let (status, _, stderr) = lint_all("append", "set");
    assert_eq!(status, 2);
    assert!(
        stderr.contains("the state `names` is a list in the base, and cannot be a value here")
            && stderr.contains("2/ordering.yaml:2:16"),
        "{stderr}"
    );
    // The delta reads the file of the base too.
    let (status, stdout, stderr) = lint_all("appends", "append");
    assert_eq!(
        (status, stderr.matches("error").count()),
        (2, 1),
        "{stderr}"
    );
    assert!(stdout.ends_with(": 1 mistake\n"), "{stdout}");
}

#[test]
fn a_base_is_checked_with_the_versions_that_extend_it_and_is_not_a_dialect() {
    let base = "name: d\nversion: common\ndiscriminator: { events: /t, commands: /t }\nevents: { hello: }\n";
    let ordering = |class: &str| {
        format!(
            "rules:\n  greets: {{ source: host, doc: It greets., require: {{ on: {class}, that: /n = 1 }} }}\n"
        )
    };
    let folder_with = |class: &str| {
        folder(&[
            ("schemas/d/common/base.yaml", base),
            ("schemas/d/common/ordering.yaml", &ordering(class)),
            (
                "schemas/d/common/events.json",
                r#"{"$defs": {"hello": {"type": "object", "description": "A greeting"}}}"#,
            ),
            (
                "schemas/d/1/dialect.yaml",
                "name: d\nversion: \"1\"\nextends: d@common\n",
            ),
            (
                "schemas/d/1/ordering.yaml",
                "classes: { greeting: [hello] }\n",
            ),
        ])
    };
    let good = folder_with("greeting");
    let lint_base = |folder: &Path| {
        let file = "schemas/d/common/ordering.yaml";
        lint(folder, &[file, "--dialect-dir", "schemas"])
    };
    let (status, stdout, stderr) = lint_base(good.path());
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
    let (status, _, stderr) = lint_base(folder_with("greetin").path());
    assert!(
        status == 2 && stderr.contains("did you mean `greeting`?"),
        "{stderr}"
    );

    let list = |args: &[&str]| {
        let mut list = Command::cargo_bin("conform").expect("the program");
        list.current_dir(good.path()).arg("list").args(args);
        list.args(["--dialect-dir", "schemas"]).assert()
    };
    let all = list(&["dialects"]).success();
    let all = String::from_utf8_lossy(&all.get_output().stdout).into_owned();
    assert!(all.contains("d@1 ") && !all.contains("d@common"), "{all}");
    let refused = list(&["rules", "--dialect", "d@common"]).code(2);
    let refused = String::from_utf8_lossy(&refused.get_output().stderr).into_owned();
    let message = "`d@common` is only a base: choose one of `d@1`";
    assert!(refused.contains(message), "{refused}");
}

#[test]
fn names_that_nothing_uses_are_warned_of() {
    let dialect = "name: d\nversion: \"1\"\ndiscriminator: { events: /t, commands: /t }\nevents: { hello: }\n";
    let schema = r#"{"$defs": {"hello": {"type": "object"}}}"#;
    let ordering = "\
conditions: { early: /n = 1, late: /n = 2 }
rules:
  once: { clauses: [d.a], doc: It says hello once., order: \"hello{late}\" }
";
    let folder = folder(&[
        ("d/1/dialect.yaml", dialect),
        ("d/1/ordering.yaml", ordering),
        ("d/1/clauses.yaml", "\"1\": { d.a: A. }\n"),
        ("d/1/events.json", schema),
        ("d/1/commands.json", "{\"$defs\": {}}"),
    ]);
    let (status, _, stderr) = lint(folder.path(), &["."]);
    assert!(
        stderr.contains("warning: nothing uses `early` of `conditions`")
            && stderr.contains("ordering.yaml:1:15")
            && !stderr.contains("`late`"),
        "{stderr}"
    );
    assert_eq!(status, 0);
}

#[test]
fn the_dialect_is_taken_from_the_path() {
    let folder = folder(&[(
        "scenarios/aionrs/0.1/a.yaml",
        "name: a\nsteps:\n  - expect: { type: raedy }\n",
    )]);
    let (status, stdout, stderr) = lint(folder.path(), &["scenarios"]);
    let place = "--> scenarios/aionrs/0.1/a.yaml:3:21";
    assert!(
        stderr.starts_with("error: unknown event `raedy`; did you mean `ready`?")
            && stderr.contains(place),
        "{stderr}"
    );
    assert_eq!(stdout, "checked 1 file (1 scenario): 1 mistake\n");
    assert_eq!(status, 2);
}

#[test]
fn names_in_a_fault_file_must_be_known() {
    let dialect = "name: d\nversion: \"1\"\ndiscriminator: { events: /t, commands: /t }\nevents: { hello: }\n";
    let faults = "faults:\n  a: { summary: a, on: helo, drop: , caught_by: [schema/helo, scenario:x] }\n  b: { summary: b, behavior: ignore-stop }\n";
    let folder = folder(&[
        ("d/1/dialect.yaml", dialect),
        ("d/1/faults.yaml", faults),
        (
            "d/1/events.json",
            r#"{"$defs": {"hello": {"type": "object"}}}"#,
        ),
    ]);

    let (status, stdout, stderr) = lint(folder.path(), &["."]);

    for message in [
        "unknown event `helo`; did you mean `hello`? (only `hello` is known)",
        "unknown rule `schema/helo`",
        "unknown scenario `x`",
        "unknown behavior `ignore-stop`; did you mean `ignores-stop`?",
    ] {
        assert!(stderr.contains(message), "{message}\nis not in\n{stderr}");
    }
    assert!(stdout.ends_with(": 4 mistakes\n"), "{stdout}");
    assert_eq!(status, 2);
}

#[test]
fn without_a_dialect_a_warning_lists_the_skipped_checks() {
    let folder = folder(&[("a.yaml", SCENARIO)]);
    let (status, stdout, stderr) = lint(folder.path(), &["a.yaml"]);
    assert_eq!(status, 0);
    assert_eq!(stdout, "checked 1 file (1 scenario): no mistakes\n");
    assert!(
        stderr.contains("warning: the names of events, commands and clauses were not checked"),
        "{stderr}"
    );
}

#[test]
fn every_mistake_of_every_file_is_reported() {
    let folder = folder(&[
        ("a.yaml", SCENARIO),
        ("b.yaml", SCENARIO),
        ("c.yaml", "- text: Hi\n- { text: Hi, stopp: end_turn }\n"),
        ("d.yaml", "hello: world\n"),
        ("e.yaml", "rules: {}\n"),
        ("f.yaml", "a: [\n"),
        ("g.yaml", "- just words\n"),
    ]);
    let (status, stdout, stderr) = lint(folder.path(), &["--dialect", "aionrs@0.1", "."]);
    let messages = [
        "the scenario `./a` has the same name\n --> ./b.yaml:1:7",
        "unknown key `stopp`; did you mean `stop`?",
        "this is not a file that can be linted (scenario, agent file, dialect file, ordering file, fault file, agent script, script, clause file, host file, exploration file): found a map\n --> ./d.yaml:1:1",
        "there is no dialect.yaml in its folder\n --> ./e.yaml:1:1",
        "not valid YAML",
        "found a list\n --> ./g.yaml:1:1",
    ];
    for message in messages {
        assert!(stderr.contains(message), "{message}\nis not in\n{stderr}");
    }
    assert!(
        stdout.starts_with("checked 7 files ") && stdout.ends_with(": 6 mistakes\n"),
        "{stdout}"
    );
    assert_eq!(status, 2);
}

#[test]
fn a_path_that_matches_nothing_is_an_error() {
    let folder = folder(&[("empty/notes.txt", "")]);
    for (path, message) in [
        ("empty", "error: empty: has no YAML file in it\n"),
        ("none.yaml", "error: none.yaml: cannot be read: "),
    ] {
        let (status, stdout, stderr) = lint(folder.path(), &[path]);
        assert_eq!(
            (status, stdout.as_str()),
            (2, "checked 0 files: 1 mistake\n")
        );
        assert!(stderr.starts_with(message), "{stderr}");
    }
}

#[test]
fn an_unknown_dialect_is_reported_once() {
    let folder = folder(&[
        ("a.yaml", SCENARIO),
        ("b.yaml", "name: b\nsteps:\n  - expect: { type: ready }\n"),
    ]);
    let (status, stdout, stderr) = lint(folder.path(), &["--dialect", "aoinrs", "."]);
    assert_eq!(
        (status, stdout.as_str()),
        (2, "checked 2 files (2 scenarios): 1 mistake\n")
    );
    assert!(stderr.contains("unknown dialect `aoinrs`"), "{stderr}");
}

#[test]
fn a_smoke_scenario_that_does_not_exist_is_a_mistake() {
    let dialect = |smoke: &str| {
        format!("name: tiny\nversion: \"1\"\ntitle: Tiny\nextends: aionrs@0.1\nsmoke: {smoke}\n")
    };
    let scenario = "scenarios/tiny/1/talk/mine.yaml";
    for (smoke, expected) in [
        ("talk/mine", 0),
        ("turn/plain", 0),
        ("talk/mien", 2),
        ("[x]", 2),
    ] {
        let folder = folder(&[
            ("dialects/tiny/1/dialect.yaml", &dialect(smoke)),
            (scenario, SCENARIO),
        ]);
        let args = ["dialects", "scenarios", "--dialect-dir", "dialects"];
        let (status, stdout, stderr) = lint(folder.path(), &args);
        assert_eq!(status, expected, "{smoke} {stdout}{stderr}");
        let place = "dialects/tiny/1/dialect.yaml:5:8";
        assert_eq!(stderr.contains(place), expected != 0, "{stderr}");
    }
}

#[test]
fn a_mistake_of_a_dialect_that_is_named_and_linted_comes_once() {
    let dialect = "name: tiny\nversion: \"1\"\nnaming: json-rpc\ndiscriminator: { events: /a, commands: /b }\nevents: { note: { notification: true } }\n";
    let folder = folder(&[
        ("dialects/tiny/1/dialect.yaml", dialect),
        (
            "dialects/tiny/1/events.json",
            r#"{ "$defs": { "note": {} } }"#,
        ),
        (
            "scenarios/a.yaml",
            "name: a\nsteps:\n  - expect: { message: note }\n",
        ),
    ]);
    let named = ["--dialect", "tiny@1", "--dialect-dir", "dialects"];
    let args = [&["dialects", "scenarios"][..], &named].concat();
    let (status, stdout, stderr) = lint(folder.path(), &args);
    assert_eq!(status, 2, "{stdout}{stderr}");
    assert!(stdout.ends_with(": 1 mistake\n"), "{stdout}");
    assert_eq!(stderr.matches("error: ").count(), 1, "{stderr}");
    assert!(
        stderr.contains("dialects/tiny/1/dialect.yaml:4:16"),
        "{stderr}"
    );
}

#[test]
fn an_agent_file_is_checked_against_the_dialect_of_its_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/two-way/dialects");
    let named = ["bench", "--dialect", "kiosk@1", "--dialect-dir", "."];
    let (status, stdout, stderr) = lint(&root, &named);
    assert_eq!((status, stderr.as_str()), (0, ""), "{stdout}");
}

//! docs/own-dialect.md works as written: its files, its agent, its commands.

use assert_cmd::Command;
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::Value;
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

mod proof;

const PAGE: &str = include_str!("../../docs/own-dialect.md");

/// The fenced blocks with this word after the language: the argument of the word, and the text.
fn blocks(word: &str) -> Vec<(String, String)> {
    let fences = PAGE.split("\n```").skip(1);
    let blocks = fences.filter_map(|block| {
        let (head, text) = block.split_once('\n')?;
        let (_, mark) = head.split_once(' ')?;
        let (name, argument) = mark.split_once('=').unwrap_or((mark, ""));
        (name == word).then(|| (argument.to_owned(), format!("{text}\n")))
    });
    blocks.collect()
}

fn write_blocks(folder: &Path, word: &str) {
    for (file, text) in blocks(word) {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn write_files(folder: &Path) {
    write_blocks(folder, "file");
    let runnable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.join("parrot.sh"), runnable).unwrap();
}

fn conform(folder: &Path, line: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_conform"));
    command
        .current_dir(folder)
        .env("HOME", folder)
        .env("TMPDIR", folder)
        .args(line.split_whitespace().skip(1));
    command
}

fn commands() -> Vec<String> {
    commands_of_block(0)
}

/// The commands of the page's block of this number that start `conform`.
fn commands_of_block(number: usize) -> Vec<String> {
    let lines = blocks("run").remove(number).1;
    lines
        .lines()
        .filter(|l| l.starts_with("conform "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_page_can_be_followed() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let commands = commands();
    assert_eq!(commands.len(), 2);
    for line in &commands {
        conform(folder.path(), line).assert().success();
    }
    conform(folder.path(), &commands[1])
        .assert()
        .stdout(contains("5 scenarios: 5 passed"));
}

#[test]
fn exploration_finds_three_mistakes_of_the_agent_without_a_scenario() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    std::fs::remove_dir_all(folder.path().join("scenarios")).unwrap();
    let explore = blocks("explore").remove(0).1;
    let explored = conform(folder.path(), &explore).assert().code(1);
    let shown = String::from_utf8(explored.get_output().stdout.clone()).unwrap();
    let files = shown
        .lines()
        .filter_map(|line| line.trim().strip_prefix("Wrote "));
    let files: Vec<&str> = files.filter_map(|file| file.split(' ').next()).collect();
    let mut sent = BTreeSet::new();
    for file in files {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        let step = text.lines().find(|line| line.contains("send: ")).unwrap();
        let run = format!(
            "conform run --dialect parrot@1 --dialect-dir dialects --scenarios {file} ./parrot.sh"
        );
        // On a slow machine an answer may have been late, too.
        if conform(folder.path(), &run).output().unwrap().status.code() == Some(1) {
            let words = ["*", "größe", "ahoy"].into_iter();
            sent.extend(words.filter(|word| step.contains(word)));
        }
    }
    assert_eq!(sent.len(), 3, "{shown}");
}

/// The top-level keys of a file in block style.
fn keys(yaml: &str) -> Vec<&str> {
    let keys = yaml.lines().filter_map(|line| line.split_once(':'));
    keys.map(|(key, _)| key)
        .filter(|key| !key.starts_with([' ', '#']))
        .collect()
}

/// A file in block style, with the top-level keys of the part from the part.
fn with_part(whole: &str, part: &str) -> String {
    let given = keys(part);
    let is_kept = |line: &&str| !keys(line).iter().any(|key| given.contains(key));
    let kept: Vec<_> = whole.lines().filter(is_kept).collect();
    format!("{}\n{part}", kept.join("\n"))
}

#[test]
fn every_part_of_a_dialect_file_on_the_page_is_a_good_one() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let path = |file: &str| folder.path().join("dialects/parrot/1").join(file);
    let (parts, schemas): (Vec<_>, Vec<_>) = blocks("part")
        .into_iter()
        .partition(|(file, _)| file == "dialect.yaml");
    assert_eq!((schemas.len(), parts.len()), (2, 8));
    for (file, schema) in schemas {
        let whole = std::fs::read(path(&file)).unwrap();
        let mut all: Value = serde_json::from_slice(&whole).unwrap();
        let mut schema: Value = serde_json::from_str(&schema).unwrap();
        let definitions = all["$defs"].as_object_mut().unwrap();
        definitions.append(schema["$defs"].as_object_mut().unwrap());
        std::fs::write(path(&file), all.to_string()).unwrap();
    }
    let whole = std::fs::read_to_string(path("dialect.yaml")).unwrap();
    for (_, part) in &parts {
        std::fs::write(path("dialect.yaml"), with_part(&whole, part)).unwrap();
        conform(folder.path(), &commands()[0]).assert().success();
    }
}

#[test]
fn the_versions_of_the_page_are_good_ones() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    write_blocks(folder.path(), "version");
    let listed = |line: &str| {
        let line = format!("conform list {line} --dialect-dir dialects");
        let list = conform(folder.path(), &line).assert().success();
        String::from_utf8(list.get_output().stdout.clone()).unwrap()
    };
    conform(folder.path(), &commands()[0]).assert().success();
    let rules = listed("rules --dialect parrot@2");
    assert!(rules.contains("ping-pong") && !rules.contains("end-has-all"));
    let scenarios = listed("scenarios --dialect aionrs@9");
    assert!(scenarios.contains("turn/plain") && !scenarios.contains("tools/glob"));

    for (file, part) in blocks("version-part") {
        let path = folder.path().join(file);
        let whole = std::fs::read_to_string(&path).unwrap();
        let without: Vec<_> = whole
            .lines()
            .filter(|line| !line.starts_with("  "))
            .collect();
        std::fs::write(&path, with_part(&without.join("\n"), &part)).unwrap();
        conform(folder.path(), &commands()[0]).assert().success();
        let scenarios = listed("scenarios --dialect aionrs@9");
        assert!(scenarios.contains("turn/plain") && !scenarios.contains("turn/input-as-typed"));
    }
}

#[test]
fn the_section_about_protocols_in_which_both_sides_ask_can_be_followed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_blocks(folder, "two-way");
    let runnable = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.join("ferry.py"), runnable).unwrap();
    let agent = std::fs::read_to_string(folder.join("ferry.py")).unwrap();
    assert!(
        agent.lines().count() <= 60,
        "the agent of the page is small"
    );
    let text = blocks("two-way-run").remove(0).1;
    let lines: Vec<_> = text.lines().filter(|l| l.starts_with("conform ")).collect();
    let [lint, run] = lines[..] else {
        panic!("{lines:?}");
    };
    conform(folder, lint).assert().success();
    let passed = contains("5 scenarios: 5 passed");
    conform(folder, run).assert().success().stdout(passed);
    let lines = |mark| {
        let text = blocks(mark).remove(0).1;
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    let results = [
        "12 of 12 faults killed",
        "3 of 3 legal variants",
        "6 of 6 faults killed",
    ];
    for (line, result) in lines("two-way-prove").iter().zip(results) {
        let shown = contains(result);
        conform(folder, line).assert().success().stdout(shown);
    }
    let [explore, situations] = &lines("two-way-explore")[..] else {
        panic!("a session and its situations");
    };
    conform(folder, explore).assert().success();
    // What the ferry has asked is open: only then the host can answer it, whether a session does or none.
    for sessions in ["", " --sessions 0"] {
        let counted = conform(folder, &format!("{situations}{sessions}")).assert();
        let counted = String::from_utf8(counted.success().get_output().stdout.clone()).unwrap();
        for (moment, command, can_be) in [
            ("asked", "pay.result", true),
            ("asked", "pay.error", true),
            ("shore", "pay.result", false),
            ("shore", "pay.error", false),
            ("shore", "cross", true),
        ] {
            let rows = counted.lines().map(|row| row.split_whitespace());
            let mut rows = rows.map(|row| row.take(3).collect::<Vec<_>>());
            let has = rows.any(|row| row == [moment, command, "taken"]);
            assert_eq!(has, can_be, "{moment} {command}: {counted}");
        }
    }
    let passed = contains("2 scenarios: 2 passed");
    let mock = lines("two-way-mock").remove(0);
    conform(folder, &mock).assert().success().stdout(passed);
    let explain =
        "conform explain --dialect ferry@1 --dialect-dir dialects ferry/json-rpc/second-answer";
    let text = contains("A request is answered once.");
    conform(folder, explain).assert().success().stdout(text);

    edit(
        folder,
        "ferry.py",
        "id=crossings[place]",
        "id=str(crossings[place])",
    );
    let found = contains("the response has the id \"1\", where `cross` in frame 1 has the id 1");
    conform(folder, run).assert().code(1).stdout(found);

    for (file, part) in blocks("two-way-part") {
        let path = folder.join(file);
        let whole = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, with_part(&whole, &part)).unwrap();
        conform(folder, lint).assert().success();
    }
}

/// The schema that a reference, or an alternative to null, stands for.
fn resolved<'s>(schema: &'s Value, whole: &'s Value) -> &'s Value {
    if let Some(name) = schema["$ref"].as_str() {
        let pointer = name.trim_start_matches('#');
        return resolved(whole.pointer(pointer).expect("a definition"), whole);
    }
    let alternatives = schema["anyOf"].as_array().map_or(&[][..], Vec::as_slice);
    match alternatives {
        [one, null] if null["type"] == "null" => resolved(one, whole),
        _ => schema,
    }
}

/// The path of each key in a JSON Schema, with `*` for the names and the places that a file chooses.
fn declared_keys(schema: &Value, whole: &Value, path: &str, found: &mut BTreeSet<String>) {
    let schema = resolved(schema, whole);
    let properties = schema["properties"].as_object();
    for (name, inner) in properties.into_iter().flatten() {
        let path = format!("{path}/{name}");
        declared_keys(inner, whole, &path, found);
        found.insert(path);
    }
    for many in ["additionalProperties", "items"] {
        if schema[many].is_object() {
            declared_keys(&schema[many], whole, &format!("{path}/*"), found);
        }
    }
}

/// The path of each key of the JSON Schema that a value has.
fn used_keys(
    value: &Value,
    schema: &Value,
    whole: &Value,
    path: &str,
    found: &mut BTreeSet<String>,
) {
    let schema = resolved(schema, whole);
    for one in value.as_array().into_iter().flatten() {
        used_keys(one, &schema["items"], whole, &format!("{path}/*"), found);
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(schema) => {
                let path = format!("{path}/{name}");
                used_keys(inner, schema, whole, &path, found);
                found.insert(path);
            }
            None => {
                let others = &schema["additionalProperties"];
                used_keys(inner, others, whole, &format!("{path}/*"), found);
            }
        }
    }
}

#[test]
fn every_key_of_a_dialect_file_has_an_example_on_the_page() {
    let schema = include_str!("../../schemas/conform/dialect.json");
    let schema = serde_json::from_str(schema).unwrap();
    let (mut declared, mut used) = (BTreeSet::new(), BTreeSet::new());
    declared_keys(&schema, &schema, "", &mut declared);
    declared.retain(|path| !path.contains("/$"));
    assert!(
        declared.contains("/launch/wires/*/call_ids"),
        "{declared:?}"
    );
    let marks = [
        "file",
        "part",
        "two-way",
        "two-way-part",
        "version",
        "version-part",
    ];
    let examples = marks.into_iter().flat_map(blocks);
    for (_, text) in examples.filter(|(file, _)| file.ends_with("dialect.yaml")) {
        let value = spanned_yaml::load_yaml("dialect.yaml", &text)
            .unwrap()
            .to_value();
        used_keys(&value, &schema, &schema, "", &mut used);
    }
    let missing: Vec<_> = declared.difference(&used).collect();
    assert!(missing.is_empty(), "without an example: {missing:?}");
}

#[test]
fn a_legal_variant_is_accused_not_active_or_legal() {
    const VARIANTS: &str = r#"
variants:
  pieces: { summary: a word comes in pieces, on: word, split: /text }
  spaced: { summary: JSON has white space, on: any, written: spaced }
  other-end: { summary: the end has another text, on: end, set: { /text: x } }
  never: { summary: nothing, on: "word{/text = nobody-says-this}", drop: }
  warned: { summary: a beginning has a note, on: begin, set: { /note: x } }
  stale: { summary: JSON is reversed, on: any, written: reversed, listed: { words-in-turn: it is not found } }
"#;
    const BARE: &str = r#"
name: a beginning has no note
steps:
  - send: { type: say, id: a, text: a }
  - expect_next: { type: begin, note: { $absent: true } }
    level: should
  - expect: { type: end, id: a }
"#;
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    std::fs::write(
        folder.path().join("dialects/parrot/1/variants.yaml"),
        VARIANTS,
    )
    .unwrap();
    let bare = folder.path().join("scenarios/bare.yaml");
    std::fs::write(bare, BARE).unwrap();
    let line = "conform mutants --legal --dialect parrot@1 --dialect-dir dialects --scenarios scenarios --combinations 4";
    let mut all = conform(folder.path(), &format!("{line} ./parrot.sh"));
    let all = all.unwrap_err();
    let output = all.as_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let fates = text.lines().skip(1).map(|row| {
        let words = row.split_whitespace().collect::<Vec<_>>();
        words[..2].join(" ")
    });
    assert_eq!(
        fates.take(7).collect::<Vec<_>>(),
        [
            "pieces legal",
            "spaced legal",
            "other-end ACCUSED",
            "never NOT",
            "warned ACCUSED",
            "stale ACCUSED",
            "pieces,spaced legal"
        ],
        "{text}"
    );
    assert!(text.contains("error: other-end: parrot/end-has-all in parrot@1/"));
    assert!(text.contains("error: warned: scenario."));
    assert!(text.contains("error: stale: words-in-turn is listed, but is not found"));
    assert!(text.contains("parrot@1: 2 of 6 legal variants and 1 of 1 combinations"));
    assert_eq!(output.status.code(), Some(1));
    for (only, code) in [("pieces", 0), ("never", 3)] {
        let line = format!("{line} --only {only} ./parrot.sh");
        conform(folder.path(), &line).assert().code(code);
    }
}

/// Replaces a text in a file of the page.
fn edit(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file}: {from}");
    std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn an_agent_is_ready_when_the_event_has_that_kind() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_files(folder);
    let dialect = "dialects/parrot/1/dialect.yaml";
    let kinds = "events: { hello: { kind: /about, kinds: [init, wait] }";
    edit(folder, dialect, "events: { hello: ", kinds);
    edit(folder, dialect, "ready: hello", "ready: hello.init");
    let schemas = r#""$defs": { "hello.init": {}, "hello.wait": {},"#;
    edit(
        folder,
        "dialects/parrot/1/events.json",
        r#""$defs": {"#,
        schemas,
    );
    let version = r#""version":"1""#;
    let of_kind = |kind: &str| format!(r#"{version},"about":"{kind}""#);
    edit(folder, "parrot.sh", version, &of_kind("init"));
    for line in commands() {
        conform(folder, &line).assert().success();
    }
    edit(folder, "parrot.sh", "init", "wait");
    let run = conform(folder, &commands()[1]).assert().code(3);
    run.stderr(contains("writes `hello.init` when it is ready"));
}

#[test]
fn a_captured_object_may_match_an_object_of_several_forms() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_files(folder);
    let forget = r#""forget": { "properties": { "what": { "oneOf": [
        { "type": "object", "required": ["one"], "properties": { "one": { "type": "object" } } }, { "type": "null" } ] } },"#;
    edit(
        folder,
        "dialects/parrot/1/commands.json",
        r#""forget": {"#,
        forget,
    );
    let scenario = |what: &str| {
        format!(
            "name: what was said is forgotten
clauses: [parrot.all]
steps:
  - send: {{ type: say, id: a, text: hi }}
  - expect: {{ type: end }}
    capture: {{ end: \"\" }}
  - send: {{ type: forget, what: {what} }}
"
        )
    };
    std::fs::write(
        folder.join("scenarios/forgets.yaml"),
        scenario("{ one: \"{end}\" }"),
    )
    .unwrap();
    for line in commands() {
        conform(folder, &line).assert().success();
    }
    std::fs::write(
        folder.join("scenarios/forgets.yaml"),
        scenario("{ one: 7 }"),
    )
    .unwrap();
    conform(folder, &commands()[0]).assert().code(2);
}

#[test]
fn a_bug_in_the_agent_of_the_page_is_found() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let agent = folder.path().join("parrot.sh");
    let text = std::fs::read_to_string(&agent).unwrap();
    let broken = text.replacen("all=$all$word", "all=$word", 1);
    assert_ne!(broken, text);
    std::fs::write(&agent, broken).unwrap();
    let run = conform(folder.path(), &commands()[1]).assert().code(1);
    run.stdout(contains("parrot/end-has-all"));
}

/// The agent is told to quit, and had the time to finish what it was asked before: what is missing then is a finding.
#[test]
fn what_the_agent_of_the_page_leaves_out_before_it_quits_is_found() {
    let say_and_quit = "name: the agent finishes before it quits
steps:
  - send: { type: say, id: a, text: pieces of eight }
  - expect: { type: begin, id: a }
  - send: { type: quit }
  - expect: { type: bye }
  - expect_exit: { code: 0 }
";
    let say_and_close = "name: the agent finishes before it ends with its stdin
steps:
  - send: { type: say, id: a, text: pieces of eight }
  - expect: { type: begin, id: a }
  - close_stdin:
  - expect_exit: { code: 0 }
";
    let end = r#"      printf '{"type":"end","id":"%s","text":"%s"}\n' "$id" "$all" ;;"#;
    let word = r#"        printf '{"type":"word","id":"%s","text":"%s"}\n' "$id" "$word""#;
    for (from, to, rule) in [
        (end, "      ;;", "parrot/words-in-turn"),
        (word, "        :", "parrot/end-has-all"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path());
        let agent = folder.path().join("parrot.sh");
        let text = std::fs::read_to_string(&agent).unwrap();
        assert!(text.contains(from), "{from}");
        std::fs::write(&agent, text.replacen(from, to, 1)).unwrap();
        for scenario in [say_and_quit, say_and_close] {
            std::fs::remove_dir_all(folder.path().join("scenarios")).unwrap();
            std::fs::create_dir(folder.path().join("scenarios")).unwrap();
            std::fs::write(folder.path().join("scenarios/last.yaml"), scenario).unwrap();
            let run = conform(folder.path(), &commands()[1]).assert().code(1);
            run.stdout(contains(rule));
        }
    }
}

#[test]
fn a_broken_dialect_is_one_error_with_a_location() {
    for (file, from, to, message) in [
        (
            "dialects/parrot/1/events.json",
            "#/$defs/Id",
            "#/$defs/Nowhere",
            "Nowhere",
        ),
        (
            "dialects/parrot/1/ordering.yaml",
            "order: (begin word* end)*",
            "order: (begin wrod* end)*",
            "did you mean `word`?",
        ),
        (
            "dialects/parrot/1/ordering.yaml",
            "order: hello (!hello)*",
            "order: hello (!hello",
            "`)` was expected here",
        ),
        (
            "dialects/parrot/1/ordering.yaml",
            "[parrot.hello]",
            "[parrot.hallo]",
            "the clause `parrot.hallo` is not in clauses.yaml",
        ),
        (
            "dialects/parrot/1/clauses.yaml",
            "A shouted text is repeated in capitals.",
            "{ testable: true, text: A shouted text is repeated in capitals. }",
            "leave `testable` out",
        ),
        (
            "dialects/parrot/1/clauses.yaml",
            "A shouted text is repeated in capitals.",
            "{ side: agent, text: A shouted text is repeated in capitals. }",
            "leave `side` out: `agent` is the default",
        ),
        (
            "dialects/parrot/1/dialect.yaml",
            "title:",
            "extends: parrot@1\ntitle:",
            "is circular",
        ),
        (
            "dialects/parrot/1/dialect.yaml",
            "title:",
            "replies: { text: word /text }\ntitle:",
            "the key `replies` is gone",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path());
        let path = folder.path().join(file);
        let text = std::fs::read_to_string(&path).unwrap();
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from}");
        std::fs::write(&path, broken).unwrap();
        let run = conform(folder.path(), &commands()[1]).assert().code(2);
        let output = String::from_utf8(run.get_output().stderr.clone()).unwrap();
        assert!(output.contains(message), "{output}");
        assert!(output.contains(file), "{output}");
        assert_eq!(output.matches("error:").count(), 1, "{output}");
    }
}

#[test]
fn the_mock_of_the_page_passes_the_scenarios_of_the_page() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let commands = commands_of_block(1);
    assert_eq!(commands.len(), 2);
    conform(folder.path(), &commands[0])
        .assert()
        .success()
        .stdout(contains("1 agent script"));
    conform(folder.path(), &commands[1])
        .assert()
        .success()
        .stdout(contains("5 scenarios: 5 passed"));
}

#[test]
fn the_mock_of_the_page_passes_scenarios_that_script_the_model() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let dialect = "dialects/parrot/1/dialect.yaml";
    edit(
        folder.path(),
        dialect,
        "ready: hello",
        "ready: hello, prompts: [say]",
    );
    let model = "model: [{ text: pieces of eight }]\nsteps:";
    edit(folder.path(), "scenarios/repeats.yaml", "steps:", model);
    conform(folder.path(), &commands_of_block(1)[1])
        .assert()
        .success()
        .stdout(contains("5 scenarios: 5 passed"));
}

#[test]
fn all_missing_definitions_are_reported_together() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let commands_file = "dialects/parrot/1/commands.json";
    edit(folder.path(), commands_file, r#""forget":"#, r#""forgot":"#);
    edit(folder.path(), commands_file, r#""quit":"#, r#""quits":"#);
    let lint = conform(folder.path(), &commands()[0]).assert().code(2);
    lint.stderr(
        contains(commands_file)
            .and(contains("forget"))
            .and(contains("quit")),
    );
}

#[test]
fn a_mock_that_breaks_the_protocol_is_found() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let mock = folder.path().join("parrot-mock.yaml");
    let text = std::fs::read_to_string(&mock).unwrap();
    let broken = text.replacen("text: piecesofeight", "text: pieces", 1);
    assert_ne!(broken, text);
    std::fs::write(&mock, broken).unwrap();
    let run = conform(folder.path(), &commands_of_block(1)[1])
        .assert()
        .code(1);
    run.stdout(contains("parrot/end-has-all"));
}

#[test]
fn a_mistake_in_the_mock_is_one_error_with_a_location() {
    for (from, to, message) in [
        ("type: word,", "type: wrod,", "did you mean `word`?"),
        (
            "text: \"{text}\"",
            "text: \"{txet}\"",
            "unknown name `txet`",
        ),
        (
            "gate: second-word",
            "for_each: {}",
            "unknown word `for_each`",
        ),
        (
            "{ type: shout }",
            "{ type: { $one_of: [] } }",
            "at least one element",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        write_files(folder.path());
        let mock = folder.path().join("parrot-mock.yaml");
        let text = std::fs::read_to_string(&mock).unwrap();
        let broken = text.replacen(from, to, 1);
        assert_ne!(broken, text, "{from}");
        std::fs::write(&mock, broken).unwrap();
        let lint = conform(folder.path(), &commands_of_block(1)[0])
            .assert()
            .code(2);
        let output = String::from_utf8(lint.get_output().stderr.clone()).unwrap();
        assert!(output.contains(message), "{output}");
        assert!(output.contains("parrot-mock.yaml:"), "{output}");
        assert_eq!(output.matches("error:").count(), 1, "{output}");
        let mut agent = Command::new(env!("CARGO_BIN_EXE_mock-agent"));
        agent.current_dir(folder.path());
        agent.args(["--dialect-dir", "dialects", "--script", "parrot-mock.yaml"]);
        let refused = agent.assert().code(2).stdout("");
        let refused = String::from_utf8(refused.get_output().stderr.clone()).unwrap();
        assert!(refused.contains(message), "{refused}");
    }
}

/// A host of the parrot protocol: says a text, shows the words of the answer, and asks its user after the first one whether to go on.
const HOST: &str = r#"#!/bin/sh
mkfifo to from
"$@" <to >from &
exec 3>to 4<from
shown= ended=no
while IFS= read -r line <&4; do
  case $line in
    *'"hello"'*) echo '{"type":"say","id":"1","text":"pieces of eight"}' >&3 ;;
    *'"word"'*)
      echo "shows $(printf '%s\n' "$line" | sed -n 's/.*"text":"\([^"]*\)".*/\1/p')"
      if [ -z "$shown" ]; then
        shown=1
        read -r answer
        [ "$answer" = stop ] && echo '{"type":"forget"}' >&3
      fi ;;
    *'"end"'*) echo "shows the end"; ended=yes; echo '{"type":"quit"}' >&3 ;;
  esac
done
[ $ended = yes ] || echo "shows an incomplete answer"
"#;

/// What the host shows with the mock of the page, these variables and this answer of its user.
fn shown_by_host(env: &[(&str, &str)], args: &[&str], answer: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    std::fs::write(folder.path().join("host.sh"), HOST).unwrap();
    let mut host = Command::new("sh");
    host.current_dir(folder.path()).arg("host.sh");
    host.arg(env!("CARGO_BIN_EXE_mock-agent"));
    host.args(["--dialect-dir", "dialects", "--script", "parrot-mock.yaml"]);
    host.args(args).envs(env.iter().copied());
    let ended = host.write_stdin(format!("{answer}\n")).assert().success();
    String::from_utf8(ended.get_output().stdout.clone()).unwrap()
}

#[test]
fn a_host_is_tested_while_a_gate_holds_the_answer() {
    let held = [("MOCK_AGENT_GATE_MS", "3600000")];
    assert_eq!(
        shown_by_host(&held, &[], "stop"),
        "shows pieces\nshows the end\n"
    );
    let open = [("MOCK_AGENT_GATE_MS", "1")];
    assert_eq!(
        shown_by_host(&open, &[], "go"),
        "shows pieces\nshows of\nshows eight\nshows the end\n"
    );
}

/// The commands of the page that prove the rules.
#[test]
fn the_host_of_an_agent_script_is_judged_by_the_only_dialect_of_its_folder() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let says = |text: &str| {
        let mut agent = Command::new(env!("CARGO_BIN_EXE_mock-agent"));
        agent
            .current_dir(folder.path())
            .args(["--dialect-dir", "dialects"]);
        agent.args(["--script", "parrot-mock.yaml", "--judge"]);
        agent.write_stdin(format!(
            "{{\"type\":\"say\",\"id\":\"a\",\"text\":{text}}}\n"
        ));
        agent.assert()
    };
    says(r#""pieces of eight""#).success();
    says("8")
        .code(1)
        .stderr(contains("must parrot/schema/>say at frame"));
}

#[test]
fn a_host_is_tested_with_a_fault_of_the_mock() {
    let open = [("MOCK_AGENT_GATE_MS", "1")];
    assert_eq!(
        shown_by_host(&open, &["--fault", "half-a-line@turn=1"], "go"),
        "shows an incomplete answer\n"
    );
}

#[test]
fn the_mock_of_the_page_is_valid_for_an_editor() {
    let schema = conform::editor_schemas::file_schema("agent-script");
    let validator = jsonschema::draft202012::new(&schema).expect("a schema");
    let (_, text) = blocks("file")
        .into_iter()
        .find(|(file, _)| file == "parrot-mock.yaml")
        .unwrap();
    let node = spanned_yaml::load_yaml("parrot-mock.yaml", &text).unwrap();
    assert!(validator.is_valid(&node.to_value()));
    let broken = text.replace("do:", "doo:");
    let node = spanned_yaml::load_yaml("parrot-mock.yaml", &broken).unwrap();
    assert!(!validator.is_valid(&node.to_value()));
}

//! Proving the rules of an own dialect: faults, legal variants, bad hosts and generic faults, as docs/own-dialect.md has them.

use super::*;

fn proof() -> Vec<String> {
    let lines = blocks("prove").remove(0).1;
    lines.lines().map(str::to_owned).collect()
}

#[test]
fn the_faults_of_the_page_are_all_killed_and_every_clause_is_covered() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let [mutants, coverage] = &proof()[..] else {
        panic!("{:?}", proof())
    };
    let result = blocks("output").remove(0).1;

    let run = conform(folder.path(), mutants).assert().success();
    run.stdout(contains(result.trim()));
    let run = conform(folder.path(), coverage).assert().success();
    run.stdout(contains("parrot@1: 6 of 6 testable clauses covered"));
}

#[test]
fn a_rule_that_forbids_too_much_is_seen_by_a_legal_variant_of_the_page() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let line = blocks("prove").remove(1).1;
    let run = conform(folder.path(), line.trim()).assert().success();
    run.stdout(contains("parrot@1: 3 of 3 legal variants"));

    let path = folder.path().join("dialects/parrot/1/ordering.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let too_strict = text.replacen("    each: /id\n", "", 1);
    assert_ne!(text, too_strict);
    std::fs::write(&path, too_strict).unwrap();
    conform(folder.path(), &commands()[1]).assert().success();
    let run = conform(folder.path(), line.trim()).assert().code(1);
    let text = String::from_utf8(run.get_output().stdout.clone()).unwrap();
    for told in blocks("accused").remove(0).1.lines() {
        assert!(text.contains(told.trim_end()), "{told}\n{text}");
    }
}

#[test]
fn the_bad_hosts_of_the_page_are_all_caught() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let line = blocks("prove").remove(2).1;
    let run = conform(folder.path(), line.trim()).assert().success();
    run.stdout(contains("parrot@1: 2 of 2 faults killed"));
    let coverage = proof().pop().unwrap();
    let note = "the matrix of parrot@1 has no bad hosts";
    let run = conform(folder.path(), &coverage).assert();
    run.stderr(contains(note).not());

    let path = folder.path().join("dialects/parrot/1/hosts.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let torn = text.replacen("    < {", "    <{", 1);
    std::fs::write(&path, torn).unwrap();
    let lint = conform(folder.path(), &commands()[0]).assert().code(2);
    lint.stderr(
        contains("this line is not a frame of a session: <{").and(contains("hosts.yaml:3:5")),
    );
    std::fs::write(&path, text.replace(r#""text":7"#, r#""text":"7""#)).unwrap();
    let run = conform(folder.path(), line.trim()).assert().code(1);
    run.stdout(
        contains("host/says-a-number: it was injected, but no rule or scenario reported anything")
            .and(contains("parrot/schema/>say: it kills no fault")),
    );
}

#[test]
fn a_weakened_rule_lets_a_fault_survive() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let path = folder.path().join("dialects/parrot/1/ordering.yaml");
    let text = std::fs::read_to_string(&path).unwrap();
    let weak = text.replacen("order: (begin word* end)*", "order: (begin word* end?)*", 1);
    assert_ne!(weak, text);
    std::fs::write(&path, weak).unwrap();

    let mutants = &proof()[0];
    let run = conform(folder.path(), mutants).assert().code(1);
    run.stdout(contains("error: no-end: "));
}

#[test]
fn an_agent_with_findings_proves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let agent = folder.path().join("parrot.sh");
    let text = std::fs::read_to_string(&agent).unwrap();
    std::fs::write(&agent, text.replacen("all=$all$word", "all=$word", 1)).unwrap();

    let run = conform(folder.path(), &proof()[0]).assert().code(1);
    run.stderr(
        contains("the agent has findings without any fault").and(contains("parrot/end-has-all")),
    );
}

#[test]
fn generic_faults_that_nothing_catches_are_questions_until_they_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    write_files(folder.path());
    let generic = |more: &str| {
        let line = "mutants --generic --only word --only oops --dialect parrot@1 --dialect-dir dialects --scenarios scenarios";
        conform(folder.path(), &format!("conform {line} {more} ./parrot.sh")).assert()
    };
    let question = "double:oops: `oops` is sent twice, and nothing reports it.";
    let one = "double:oops: a host ignores the second one\n";
    std::fs::write(folder.path().join("one.yaml"), one).unwrap();
    let both = format!("{one}after-end:oops: so it does then\n");
    std::fs::write(folder.path().join("both.yaml"), both).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let run = generic("").success();
            let first = run.get_output().stdout.clone();
            run.stdout(
                contains(format!("question: {question}"))
                    .and(contains("question: drop:word").not()),
            );
            generic("").success().stdout(first);
        });
        scope.spawn(|| {
            let run = generic("--accepted one.yaml").code(1);
            run.stdout(contains("error: after-end:oops").and(contains(question).not()));
        });
        scope.spawn(|| generic("--accepted both.yaml").success());
    });
}

/// Gives the event `begin` of the page two kinds, of which the agent writes the first.
fn give_begin_kinds(folder: &Path) {
    let dialect = "dialects/parrot/1/dialect.yaml";
    let kinds = "begin: { kind: /about, kinds: [said, sung] }";
    edit(folder, dialect, "begin: ", kinds);
    edit(folder, dialect, "turn: begin", "turn: begin.said");
    let schemas = r#""$defs": { "begin.said": {}, "begin.sung": {},"#;
    edit(
        folder,
        "dialects/parrot/1/events.json",
        r#""$defs": {"#,
        schemas,
    );
    let of_kind = r#""type":"begin","about":"said""#;
    edit(folder, "parrot.sh", r#""type":"begin""#, of_kind);
}

#[test]
fn a_turn_may_begin_with_an_event_of_a_kind() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_files(folder);
    give_begin_kinds(folder);
    let line = "conform mutants --dialect parrot@1 --dialect-dir dialects --scenarios scenarios --only no-end ./parrot.sh";
    let run = conform(folder, line).assert().success();
    run.stdout(contains("parrot@1: 1 of 1 fault killed"));

    edit(
        folder,
        "dialects/parrot/1/dialect.yaml",
        "turn: begin.said",
        "turn: begin.sung",
    );
    let run = conform(folder, line).assert().code(3);
    run.stdout(contains("NOT ACTIVE").and(contains("(`session.turn: begin.sung`)")));
}

#[test]
fn an_agent_that_fails_by_itself_before_the_fault_shows_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    write_files(folder);
    // One start shows that the agent speaks the dialect, and five play the scenarios without a fault.
    let starts = folder.join("starts");
    let greeting = r#"echo '{"type":"hello","version":"1"}'"#;
    let greets_twice_later = format!(
        "echo >> '{0}'; [ \"$(wc -l < '{0}')\" -gt 6 ] && {greeting}\n{greeting}",
        starts.display()
    );
    edit(folder, "parrot.sh", greeting, &greets_twice_later);
    let line = "conform mutants --dialect parrot@1 --dialect-dir dialects --scenarios scenarios --only no-end ./parrot.sh";
    let run = conform(folder, line).assert().code(3);
    run.stdout(contains("DISTURBED").and(contains(
        "no-end: the agent failed by itself, before the fault began: parrot/greets-first",
    )));
}

//! A client that behaves: what it answers to an agent that does what the scenario says, and what a scenario answers in its place.

mod blame;
mod files;

use crate::harness::{RunResult, TestDir};
use conform_judge::finding::{Blame, Level};
use conform_report::Verdict;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/two-way")
}

/// Runs the agent of tests/two-way/desk.py with a scenario of these keys.
fn play_in(dir: &TestDir, scenario: &str) -> RunResult {
    play_agent(dir, "desk.py", scenario)
}

/// Runs an agent of tests/two-way with a scenario of these keys.
fn play_agent(dir: &TestDir, agent: &str, scenario: &str) -> RunResult {
    let (dialects, agent) = (folder().join("dialects"), folder().join(agent));
    let head = "name: x\nclauses: [desk.do]\n";
    let scenario = dir.file(
        "scenarios/one.yaml",
        &format!("{head}{}", scenario.trim_start()),
    );
    let transcripts = dir.path("transcripts");
    let [dialects, agent, transcripts] =
        [&dialects, &agent, &transcripts].map(|path| path.to_str().unwrap());
    let args = [
        "--dialect",
        "desk@1",
        "--dialect-dir",
        dialects,
        "--scenarios",
        &scenario,
    ];
    dir.run(&[&args[..], &["--transcripts", transcripts, "python3", agent]].concat())
}

fn play(scenario: &str) -> RunResult {
    play_in(&TestDir::new(), scenario)
}

/// A scenario whose agent does these things and gets these answers.
fn scenario(head: &str, actions: &[&str], answers: &[&str]) -> String {
    let actions: String = actions
        .iter()
        .map(|one| format!("          - {one}\n"))
        .collect();
    let answers = match answers {
        [] => "[]".to_owned(),
        _ => answers
            .iter()
            .map(|one| format!("\n          - {one}"))
            .collect(),
    };
    format!(
        "{head}\nsteps:\n  - send:\n      message: do\n      params:\n        actions:\n{actions}  - expect:\n      message: do.result\n      result:\n        answers: {answers}\n"
    )
}

/// Plays it, and gives the notes, since it has no other finding.
fn passes(scenario: &str) -> Vec<String> {
    let result = play(scenario);
    let report = result.report.as_ref();
    assert!(report.is_some(), "{}{}", result.stdout, result.stderr);
    let played = result.only_scenario();
    assert_eq!(played.verdict, Verdict::Pass, "{}", result.stdout);
    let is_note =
        |one: &conform_judge::finding::Finding| one.level == Level::May && one.blame == Blame::Host;
    assert!(played.findings.iter().all(is_note), "{}", result.stdout);
    played
        .findings
        .iter()
        .map(|one| one.message.clone())
        .collect()
}

fn inconclusive(scenario: &str) -> String {
    not_judged(scenario, Verdict::Inconclusive)
}

/// Why a scenario has this verdict, without a finding about the agent.
fn not_judged(scenario: &str, verdict: Verdict) -> String {
    let result = play(scenario);
    let played = result.only_scenario();
    assert_eq!(played.verdict, verdict, "{}", result.stdout);
    let accused = played
        .findings
        .iter()
        .filter(|one| one.blame == Blame::Agent);
    assert_eq!(accused.count(), 0, "{}", result.stdout);
    played.reason.clone()
}

const NOT_FOUND: &str = "{ error: { code: -32601 } }";

#[test]
fn what_was_not_declared_is_not_there() {
    passes(&scenario(
        "client: [forms]",
        &[
            "{ ask: file/read, params: { path: a.txt } }",
            "{ ask: _own/method, params: {} }",
            "{ ask: ask, params: { as: page } }",
            "{ tell: $/cancel, params: { id: 1 } }",
        ],
        &[NOT_FOUND, NOT_FOUND, "{ error: { code: -32602 } }"],
    ));
}

#[test]
fn terminals_are_real_processes() {
    let notes = passes(&scenario(
        "client: [runs]\nfiles: { sub/a.txt: x }",
        &[
            "{ ask: shell/start, params: { command: sh, args: [-c, 'echo \"$A $HOME\"; ls; echo no >&2; exit 3'], env: [{ name: A, value: b }], cwd: \"{workspace}/sub\" } }",
            "{ ask: shell/wait, params: { shell: $0.shell } }",
            "{ ask: shell/output, params: { shell: $0.shell } }",
            "{ ask: shell/release, params: { shell: $0.shell } }",
            "{ ask: shell/output, params: { shell: $0.shell } }",
            "{ ask: shell/start, params: { command: sh, args: [-c, printf größe], limit: 3 } }",
            "{ ask: shell/wait, params: { shell: $5.shell } }",
            "{ ask: shell/output, params: { shell: $5.shell } }",
            "{ ask: shell/release, params: { shell: $5.shell } }",
            "{ ask: shell/start, params: { command: sleep, args: ['100'] } }",
            "{ ask: shell/wait, params: { shell: $9.shell }, later: true }",
            "{ ask: shell/output, params: { shell: $9.shell } }",
            "{ ask: shell/kill, params: { shell: $9.shell } }",
            "{ ask: shell/release, params: { shell: $9.shell } }",
            "{ ask: shell/start, params: { command: /no/such/program } }",
            "{ ask: shell/start, params: { command: ls, args: [1] } }",
        ],
        &[
            "{ result: { shell: { $type: string } } }",
            "{ result: { code: 3, signal: null } }",
            "{ result: { output: \"b {home}\\na.txt\\nno\\n\", cut: false, exit: { code: 3, signal: null } } }",
            "{ result: {} }",
            "{ error: { code: -32002 } }",
            "{ result: {} }",
            "{ result: { code: 0 } }",
            "{ result: { output: ße, cut: true } }",
            "{ result: {} }",
            "{ result: {} }",
            "{ result: { code: null, signal: SIGKILL } }",
            "{ result: { output: \"\", cut: false, exit: { $absent: true } } }",
            "{ result: {} }",
            "{ result: {} }",
            "{ error: { code: -32603 } }",
            "{ error: { code: -32602 } }",
        ],
    ));
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn an_output_is_cut_at_a_character_and_stays_within_its_limit() {
    let (mut actions, mut answers) = (Vec::new(), Vec::new());
    for (n, (limit, text, output, cut)) in [
        (8, "größe", "größe", false),
        (4, "größe", "ße", true),
        (3, "größe", "ße", true),
        (2, "größe", "e", true),
        (3, "日本", "本", true),
        (0, "x", "", true),
        (4, r"\377\376\375a", "???a", false),
    ]
    .into_iter()
    .enumerate()
    {
        let shell = format!("shell: ${}.shell", n * 4);
        actions.push(format!("{{ ask: shell/start, params: {{ command: sh, args: [-c, 'printf \"{text}\"'], limit: {limit} }} }}"));
        answers.push("{ result: {} }".to_owned());
        for verb in ["wait", "output", "release"] {
            actions.push(format!("{{ ask: shell/{verb}, params: {{ {shell} }} }}"));
        }
        answers.push("{ result: { code: 0 } }".to_owned());
        answers.push(format!(
            "{{ result: {{ output: '{output}', cut: {cut} }} }}"
        ));
        answers.push("{ result: {} }".to_owned());
    }
    let actions: Vec<_> = actions.iter().map(String::as_str).collect();
    let answers: Vec<_> = answers.iter().map(String::as_str).collect();
    passes(&scenario("client: [runs]", &actions, &answers));
}

#[test]
fn a_terminal_that_prints_without_end_is_bounded_and_one_that_is_never_released_is_told() {
    let notes = passes(&scenario(
        "client: [runs]",
        &[
            "{ ask: shell/start, params: { command: 'yes', limit: 100 } }",
            "{ nap: 0.5 }",
            "{ ask: shell/output, params: { shell: $0.shell } }",
            "{ ask: shell/start, params: { command: sh, args: [-c, 'sleep 300 & echo on'] } }",
            "{ ask: shell/wait, params: { shell: $2.shell } }",
        ],
        &[
            "{ result: {} }",
            "{ result: { output: { $length: { $lte: 100 } }, cut: true } }",
            "{ result: {} }",
            "{ result: { code: 0 } }",
        ],
    ));
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes[0].contains("did not release its terminal of `yes`; its process was still running"),
        "{notes:?}"
    );
    assert!(
        notes[1].contains("did not release its terminal of `sh`"),
        "{notes:?}"
    );
}

const OPTIONS: &str = "options: [{ id: a, kind: never }, { id: b, kind: always }, { id: c, kind: once }, { id: d, kind: once }]";

#[test]
fn an_option_is_chosen_by_its_kind_and_not_by_its_place() {
    let permit = format!("{{ ask: permit, params: {{ session: s1, {OPTIONS} }} }}");
    let permit = permit.as_str();
    passes(&scenario("", &[permit], &["{ result: { chosen: c } }"]));
    passes(&scenario(
        "answers: { permit: [always, 'no', nothing, standing] }",
        &[permit; 5],
        &[
            "{ result: { chosen: b } }",
            "{ result: { chosen: a } }",
            "{ result: { chosen: null } }",
            "{ result: { chosen: c } }",
            "{ result: { chosen: c } }",
        ],
    ));
    let other = scenario("answers: { permit: not-now }", &[permit], &[]);
    let why = not_judged(&other, Verdict::Skipped);
    assert_eq!(
        why,
        r#"there is no option of the kind not-now among the kinds ["never", "always", "once", "once"] in `permit`"#
    );
    // None of the options rejects, and none that allows is taken in its place.
    let allowing =
        "{ ask: permit, params: { options: [{ id: a, kind: always }, { id: b, kind: once }] } }";
    let none = scenario("answers: { permit: 'no' }", &[allowing], &[]);
    let why = not_judged(&none, Verdict::Skipped);
    assert_eq!(
        why,
        r#"there is no option of the kind not-now or never among the kinds ["always", "once"] in `permit`"#
    );
}

#[test]
fn an_answer_has_the_id_of_its_request_in_the_same_type_and_exact() {
    let ids = [
        "1",
        "'1'",
        "1.0",
        "null",
        "9007199254740992",
        "9007199254740993",
        "-1",
    ];
    let ask = |n: usize, id: &str| {
        format!("ask: permit, id: {id}, params: {{ options: [{{ id: c{n}, kind: once }}] }}")
    };
    let asked = ids.iter().enumerate();
    let asked: Vec<_> = asked
        .map(|(n, id)| format!("{{ {}, later: true }}", ask(n, id)))
        .collect();
    let asked: Vec<_> = asked.iter().map(String::as_str).collect();
    let chosen = |n| format!("{{ result: {{ chosen: c{n} }} }}");
    let answers: Vec<_> = (0..ids.len()).map(chosen).collect();
    let answers: Vec<_> = answers.iter().map(String::as_str).collect();
    // An id is free again after its answer.
    let again = format!(
        "  - send: {{ message: do, params: {{ actions: [{{ {} }}] }} }}\n  - expect: {{ message: do.result, result: {{ answers: [{}] }} }}\n",
        ask(7, "1"),
        chosen(7)
    );
    let notes = passes(&(scenario("", &asked, &answers) + &again));
    assert!(notes.is_empty(), "{notes:?}");
}

#[test]
fn a_form_gets_defaults_choices_and_values_within_the_limits() {
    let ask = |form: &str| format!("{{ ask: ask, params: {{ as: form, form: {form} }} }}");
    let form = ask(
        "{ required: [name, size, tags, level, mail, code], properties: {
            name: { type: string, minLength: 6, maxLength: 7 }, size: { type: integer, minimum: 3 }, most: { type: number, maximum: -0.5 },
            sure: { type: boolean, default: false }, tags: { type: array, minItems: 2, items: { enum: [a, b, c] } },
            level: { type: string, oneOf: [{ const: low, title: Low }] }, mail: { type: string, format: email },
            code: { type: string, pattern: '^[0-9]{3}$' }, other: { type: _other } } }",
    );
    let page = "{ ask: ask, params: { as: page } }";
    let values = "{ name: textxx, size: 3, most: -0.5, sure: false, tags: [a, b], level: low, mail: user@example.com, code: '123', other: { $absent: true } }";
    let filled = format!("{{ result: {{ done: {values} }} }}");
    let answers = [filled.as_str(), "{ result: { done: true } }"];
    passes(&scenario(
        "client: [forms, pages]",
        &[&form, page],
        &answers,
    ));
    let declined = "client: [forms]\nanswers: { ask: declined }";
    passes(&scenario(
        declined,
        &[&form],
        &["{ result: { done: false } }"],
    ));
    for bad in [
        "{ type: string, pattern: '^never-[q]+$' }",
        "{ type: integer, minimum: 3, maximum: 2 }",
        "{ type: array, minItems: 2, items: { enum: [a] } }",
        "{ type: _other }",
    ] {
        let form = ask(&format!("{{ required: [x], properties: {{ x: {bad} }} }}"));
        let why = inconclusive(&scenario("client: [forms]", &[&form], &[]));
        assert!(
            why.contains("no values were found that fit the form of `ask`"),
            "{why}"
        );
    }
}

#[test]
fn a_scenario_takes_answers_over() {
    let permit = format!("{{ ask: permit, params: {{ session: s1, {OPTIONS} }} }}");
    let later = permit.trim_end_matches('}').to_owned() + ", later: true }";
    passes(&scenario(
        "answers: { permit: [{ result: { bad: [1] } }, { error: nonsense }, { reply: always, times: 2 }, { delay: 50ms, standing: }, { error: { code: -1, message: \"in {workspace}\" } }], _odd: { result: \"{session}\" } }",
        &[&permit, &permit, &permit, &permit, &permit, "{ ask: _odd }"],
        &[
            "{ result: { bad: [1] } }",
            "{ error: nonsense }",
            "{ result: { chosen: b } }",
            "{ result: { chosen: c } }",
            "{ error: { code: -1, message: \"in {workspace}\" } }",
            "{ result: s1 }",
        ],
    ));
    // The agent takes back a request that is answered too late for it.
    passes(&scenario(
        "answers: { permit: { reply: always, delay: 60s } }",
        &[&later, "{ tell: $/cancel, params: { id: 1 } }"],
        &["{ error: { code: -32800 } }"],
    ));
    // A command of the host entails the answer.
    passes(
        &scenario(
            "answers: { permit: [{ reply: always, delay: 60s }, standing] }",
            &[&permit, &permit],
            &["{ result: { chosen: null } }", "{ result: { chosen: null } }"],
        )
        .replace("  - expect:\n      message: do.result", "  - expect: { message: permit }\n  - send: { message: halt, params: { session: s1 } }\n  - expect:\n      message: do.result"),
    );
}

#[test]
fn a_request_that_a_step_answers_is_left_to_it_and_later_ones_are_not() {
    let permit = format!("{{ ask: permit, params: {{ {OPTIONS} }} }}");
    let answers = ["{ result: { chosen: mine } }", "{ result: { chosen: c } }"];
    let step = |text: String| {
        text.replace("  - expect:\n      message: do.result", "  - expect: { message: permit }\n  - send: { message: permit.result, result: { chosen: mine } }\n  - expect:\n      message: do.result")
    };
    passes(&step(scenario("", &[&permit, &permit], &answers)));
    passes(&step(scenario(
        "answers: { permit: [withhold, standing] }",
        &[&permit, &permit],
        &answers,
    )));
    // So are those that a list of answers answers.
    passes(&scenario(
        "answers: [{ on: { message: permit }, times: 1, send: { message: permit.result, result: { chosen: mine } } }]",
        &[&permit, &permit],
        &answers,
    ));
}

#[test]
fn an_agent_may_ask_before_it_was_asked_and_send_much() {
    let mut text = scenario(
        "client: [reads]\nfiles: { a.txt: hi }\nagent: { env: { ASKS_FIRST: file/read } }",
        &["{ early: true }", "{ big: 10000000 }"],
        &["{ result: { text: hi } }"],
    );
    text += "  - expect: { message: note, params: { text: { $length: 10000000 } } }\n";
    passes(&text);
}

#[test]
fn a_process_that_dies_with_open_requests_on_both_sides_is_blamed_once() {
    let permit = format!("{{ ask: permit, params: {{ {OPTIONS} }}, later: true }}");
    let text = scenario(
        "answers: { permit: withhold }",
        &[&permit, &permit, &permit, "{ exit: 1 }"],
        &["{}"],
    );
    let more = "  - send: { message: do, params: { actions: [] } }\n";
    let text = text.replace(
        "  - expect:\n      message: do.result",
        &format!("{more}{more}  - expect:\n      message: do.result"),
    );
    let result = play(&text);
    assert_eq!(
        result.only_scenario().verdict,
        Verdict::Fail,
        "{}",
        result.stdout
    );
    let causes = &result.report.as_ref().unwrap().causes;
    assert_eq!(causes.len(), 1, "{}", result.stdout);
}

#[test]
fn an_agent_that_ends_before_it_has_its_answer_is_not_accused_of_that() {
    let mut text = scenario(
        "client: [reads]",
        &[
            "{ ask: file/read, params: { path: a.txt }, later: true }",
            "{ exit: 0 }",
        ],
        &[],
    );
    text.truncate(text.find("  - expect:").unwrap());
    let result = play(&(text + "  - expect_exit: { code: 0 }\n"));
    let rules = result.only_scenario().findings.iter().map(|one| &one.rule);
    let rules: Vec<_> = rules.collect();
    assert_eq!(rules, ["desk/json-rpc/left-open"], "{}", result.stdout);
}

#[test]
fn a_scenario_begins_with_the_part_of_the_prelude_that_it_names() {
    passes(
        "prelude: opened\nsteps:\n  - expect: { message: note, params: { text: ready } }\n  - send: { message: do, params: { actions: [] } }\n  - expect: { message: do.result }",
    );
    passes(
        "client: [reads]\nprelude: false\nsteps:\n  - send: { message: open, params: { can: \"{abilities}\" } }\n  - expect: { message: open.result, result: { can: { you: { file: { read: true } } } } }",
    );
}

#[test]
fn a_capability_that_is_an_object_is_declared_and_false_is_not() {
    let text = |need: &str| {
        scenario(&format!("needs: [{need}]"), &[], &[]).replace("actions:\n", "actions: []\n")
    };
    passes(&text("naps"));
    let result = play(&text("sings"));
    assert_eq!(
        result.only_scenario().verdict,
        Verdict::Skipped,
        "{}",
        result.stdout
    );
}

#[test]
fn a_mistake_is_told_once_with_its_place() {
    for (head, message) in [
        (
            "client: [read]",
            "unknown ability `read`; did you mean `reads`?",
        ),
        (
            "client: [reads, reads]",
            "the ability `reads` is listed twice",
        ),
        (
            "answers: { permit: onse }",
            "unknown reply `onse`; did you mean `once`?",
        ),
        (
            "answers: { permitt: once }",
            "unknown request of the agent `permitt`; did you mean `permit`?",
        ),
        (
            "answers: { note: once }",
            "`note` is a notification, and nobody answers one: remove it",
        ),
        (
            "answers: { permit: { times: 2 } }",
            "an answer has exactly one of standing, withhold, reply, result, error; this one has none",
        ),
        (
            "answers: { permit: [] }",
            "no answer: write `withhold` if the agent gets none",
        ),
        (
            "answers: { permit: { result: \"{gone}\" } }",
            "no earlier step captures `gone`",
        ),
        (
            "answers: once",
            "expected a list of answers, or a map by method, found",
        ),
        (
            "prelude: redy",
            "unknown part of the prelude `redy`; did you mean `ready`?",
        ),
    ] {
        let result = play(&format!(
            "{head}\nsteps:\n  - send: {{ message: do, params: {{}} }}\n  - expect: {{ message: do.result }}"
        ));
        assert_eq!(result.status, Some(2), "{head}: {}", result.stdout);
        assert!(result.stderr.contains(message), "{head}: {}", result.stderr);
        assert!(
            result.stderr.contains("one.yaml:3"),
            "{head}: {}",
            result.stderr
        );
        assert_eq!(
            result.stderr.matches("error: ").count(),
            1,
            "{head}: {}",
            result.stderr
        );
    }
}

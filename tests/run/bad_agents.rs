//! Agents that cannot be tested, or only just: one clear message, the right exit status, in bounded time.

use crate::agents::{READY, TURN, TURNS, UP_AND_DOWN, agent};
use crate::harness::Place;
use conform::report::Verdict;
use std::os::unix::fs::PermissionsExt;

#[test]
fn an_agent_that_cannot_be_started_is_told_in_one_line() {
    let place = Place::new();
    let plain = place.file("plain.sh", "#!/bin/sh\n");
    let bad = place.file("bad", "#!/no/such/interpreter\n");
    let garbled = place.file("garbled", "\u{7f}ELF?");
    for path in [&bad, &garbled] {
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }
    for (program, why) in [
        ("./no/such/agent", "there is no such file"),
        ("no-such-agent", "there is no such program on the PATH"),
        (plain.as_str(), "it is not executable"),
        ("/", "it is a directory"),
        (
            bad.as_str(),
            "the interpreter that its first line names is not there",
        ),
        (garbled.as_str(), "no program that this system can run"),
    ] {
        let ran = place.run(&["--dialect", "aionrs", program]);
        ran.ends_with(2, why);
        assert_eq!(ran.stderr.lines().count(), 1, "{ran:?}");
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn an_agent_that_ends_at_once_was_not_tested() {
    let place = Place::new();
    for args in [
        ["--dialect", "aionrs", "true"].as_slice(),
        &["true"],
        &["--", "true"],
    ] {
        place
            .run(args)
            .ends_with(3, "it wrote nothing before it exited with code 0");
    }
    place
        .play(TURN, "echo cannot read the settings >&2; exit 7")
        .ends_with(
            3,
            "exited with code 7; the last line of its stderr: \"cannot read the settings\"",
        );
    place
        .play(
            TURN,
            "printf 'TypeError: no such thing\\n    at main\\n\\nRuntime v1\\n' >&2; exit 1",
        )
        .ends_with(
            3,
            "exited with code 1; on its stderr: \"TypeError: no such thing\"",
        );
}

#[test]
fn an_agent_that_only_echoes_was_not_tested() {
    let place = Place::new();
    let alone = place.run(&["--", "cat"]);
    alone.ends_with(3, "name its protocol with --dialect");
    let args = ["--time-scale", "0.05", "--dialect", "aionrs", "cat", "-"];
    place.run(&args).ends_with(
        3,
        "the agent did not start up: it wrote nothing within 500 ms",
    );
}

#[test]
fn an_agent_that_writes_nothing_was_not_tested() {
    let place = Place::new();
    let args = ["--time-scale", "0.02", "--", "sleep", "1000"];
    place
        .run(&args)
        .ends_with(3, "name its protocol with --dialect");
}

#[test]
fn an_agent_that_is_silent_in_a_dialect_of_silent_starts_does_not_fail_every_scenario() {
    let place = Place::new();
    let args = [
        "--time-scale",
        "0.01",
        "--dialect",
        "pi",
        "-j",
        "3",
        "--no-probe",
        "sleep",
        "1000",
    ];
    let ran = place.run(&args);
    ran.ends_with(3, "the agent wrote nothing in the first scenarios");
    let entries = &ran.report.as_ref().unwrap().scenarios;
    assert!(entries.len() > 10);
    assert!(
        entries.iter().filter(|entry| entry.frames > 0).count() <= 6,
        "{ran:?}"
    );
}

#[test]
fn an_agent_that_prints_garbage_was_not_tested() {
    let place = Place::new();
    let script = place.file("garbage.sh", "echo garbage; sleep 1000");
    let args = ["--time-scale", "0.05", "--dialect", "aionrs", "sh", &script];
    place
        .run(&args)
        .ends_with(3, "the first thing it wrote is \"garbage\"");
    let args = ["--time-scale", "0.02", "sh", &script];
    place
        .run(&args)
        .ends_with(2, "cannot detect the agent's protocol");
}

#[test]
fn an_argument_that_names_a_file_here_is_not_found_there() {
    let place = Place::new();
    place.file("agent.sh", READY);
    place
        .run(&["--dialect", "aionrs", "sh", "agent.sh"])
        .ends_with(3, "name files by their whole path");
}

#[test]
fn an_endless_line_at_the_start_is_told_as_that() {
    let place = Place::new();
    let script = place.file("endless.sh", "printf 'x%.0s' 1 2 3 4 5 6 7; sleep 1000");
    let args = ["--time-scale", "0.05", "--dialect", "aionrs", "sh", &script];
    place
        .run(&args)
        .ends_with(3, "it wrote 7 bytes and no end of a line");
}

#[test]
fn an_endless_line_later_is_told_as_that() {
    let place = Place::new();
    let ran = place.play_in_vain(TURN, &agent(&[READY, "printf 'x%.0s' 1 2 3; sleep 1000"]));
    ran.ends_with(1, "3 bytes of a line that has not ended");
    assert_eq!(ran.only().verdict, Verdict::Fail);
}

#[test]
fn a_flood_is_stopped() {
    let place = Place::new();
    for flood in ["yes | tr -d '\\n'", "yes x"] {
        let ran = place.play(TURN, &agent(&[READY, flood]));
        ran.ends_with(1, "and went on; it was killed");
        assert!(ran.rules().contains(&"scenario.output"), "{ran:?}");
    }
}

#[test]
fn a_flood_on_stderr_harms_nobody() {
    let place = Place::new();
    let flood = "yes 'a line for the log' | head -c 20000000 >&2\n";
    let ran = place.play(TURN, &agent(&[flood, READY, TURNS]));
    assert_eq!(ran.only().verdict, Verdict::Pass, "{ran:?}");
}

#[test]
fn an_agent_that_never_reads_does_not_block_the_run() {
    let place = Place::new();
    let long = "x".repeat(300_000);
    let scenario = TURN.replace("input: hi", &format!("input: \"{long}\""));
    let ran = place.play_in_vain(&scenario, &agent(&[READY, "sleep 1000"]));
    ran.ends_with(1, "did not come within 500 ms");
    assert!(ran.rules().contains(&"aionrs/message-answered"), "{ran:?}");
}

#[test]
fn an_agent_that_never_ends_its_turn_is_told_so_by_the_rule_about_turns() {
    let place = Place::new();
    let turn = "read -r line; echo '{\"type\":\"stream_start\",\"msg_id\":\"m1\"}'; sleep 1000";
    let ran = place.play_in_vain(TURN, &agent(&[READY, turn]));
    ran.ends_with(1, "did not come");
    assert_eq!(ran.rules(), ["scenario.expect", "aionrs/turn-envelope"]);
}

#[test]
fn an_agent_that_closes_its_stdout_is_not_waited_for() {
    let place = Place::new();
    let ran = place.play(TURN, &agent(&[READY, "exec >&-; cat >/dev/null; exit 0"]));
    ran.ends_with(1, "the agent closed its stdout before it came");
}

#[test]
fn an_agent_that_dies_in_a_turn_is_told_with_its_end() {
    let place = Place::new();
    let ran = place.play(
        TURN,
        &agent(&[READY, "read -r line; kill -SEGV $$; sleep 1000"]),
    );
    ran.ends_with(1, "the agent was ended by SIGSEGV before it came");
}

#[test]
fn an_agent_that_is_deaf_to_the_end_of_stdin_is_killed() {
    let place = Place::new();
    for deaf in ["sleep 1000", "while :; do :; done"] {
        let ran = place.play_in_vain(UP_AND_DOWN, &agent(&[READY, deaf]));
        ran.ends_with(1, "the agent did not end within 500 ms");
        assert_eq!(
            ran.rules(),
            ["scenario.expect_exit", "aionrs/eof-exits"],
            "{ran:?}"
        );
    }
}

#[test]
fn an_agent_that_is_deaf_to_sigterm_is_killed() {
    let place = Place::new();
    let scenario = UP_AND_DOWN.replace("close_stdin:", "signal: SIGTERM");
    let ran = place.play_in_vain(
        &scenario,
        &agent(&["trap '' TERM\n", READY, "while :; do :; done"]),
    );
    ran.ends_with(1, "the agent did not end within 500 ms");
    assert!(ran.rules().contains(&"aionrs/sigterm-exits"), "{ran:?}");
}

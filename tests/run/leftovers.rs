//! Nothing stays behind: no process, no folder. ([`Place::run`] looks after every run.)

use crate::agents::{READY, TURN, TURNS, UP_AND_DOWN, agent};
use crate::harness::{Place, finish, processes_with, until};
use conform::report::Verdict;
use rustix::process::{Pid, Signal, kill_process};

#[test]
fn a_child_that_outlives_the_agent_is_found_and_killed() {
    let place = Place::new();
    for child in [
        "sleep 1000 &\n",
        "sleep 1000 >/dev/null 2>&1 </dev/null &\n",
        "setsid sleep 1000 &\n",
        "(trap '' TERM HUP; setsid sh -c 'sleep 1000 & sleep 1000; :') &\n",
    ] {
        let ran = place.play(UP_AND_DOWN, &agent(&[child, READY, "cat >/dev/null\n"]));
        assert_eq!(ran.only().verdict, Verdict::Warn, "{child}{ran:?}");
        assert_eq!(ran.rules(), ["aionrs/no-orphans"], "{ran:?}");
    }
}

#[test]
fn a_child_that_hides_its_origin_is_killed_all_the_same() {
    let place = Place::new();
    let mark = place.path("stray");
    let hidden = format!(
        "env -i MARK={} setsid sleep 1000 >/dev/null 2>&1 &\n",
        mark.display()
    );
    let ran = place.play(UP_AND_DOWN, &agent(&[&hidden, READY, "cat >/dev/null\n"]));
    ran.ends_with(0, "1 stray process of an agent was killed");
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

#[test]
fn a_child_that_ends_soon_is_no_orphan() {
    let place = Place::new();
    let ran = place.play(
        UP_AND_DOWN,
        &agent(&["sleep 0.05 &\n", READY, "cat >/dev/null\n"]),
    );
    assert_eq!(ran.only().verdict, Verdict::Pass, "{ran:?}");
}

#[test]
fn an_orphan_that_writes_on_is_read() {
    let place = Place::new();
    let late = "(sleep 0.05; echo '{\"type\":\"info\",\"msg_id\":\"\",\"message\":\"late\"}') &\n";
    let ran = place.play_and_keep(UP_AND_DOWN, &agent(&[READY, "cat >/dev/null\n", late]));
    let text = std::fs::read_to_string(&ran.only().transcript).unwrap();
    let last: Vec<_> = text.lines().rev().take(2).collect();
    assert!(
        last[0].contains("\"end\":\"exited\"") && last[1].contains("late"),
        "{text}"
    );
}

#[test]
fn an_interrupted_run_clears_up() {
    let place = Place::new();
    let scenario = place.file(
        "one.yaml",
        &TURN.replace(
            "- send:",
            "- expect: { type: info }\n    within: 1000s\n  - send:",
        ),
    );
    let script = place.file("agent.sh", &agent(&["sleep 1000 &\n", READY, TURNS]));
    for signal in [Signal::INT, Signal::TERM] {
        let mut command = place.command("run");
        command.args([
            "--dialect",
            "aionrs",
            "--scenarios",
            &scenario,
            "sh",
            &script,
        ]);
        let child = command.spawn().unwrap();
        let pid = Pid::from_child(&child);
        until("the agent runs in the workspace of a scenario", || {
            processes_with(&place.path("tmp"))
                .iter()
                .any(|line| line.contains("sleep"))
        });
        kill_process(pid, signal).unwrap();
        let output = finish(child);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(said.contains("interrupted"), "{said}");
        assert_eq!(processes_with(&place.path("tmp")), Vec::<String>::new());
    }
}

//! Cleanup after a run: no process and no folder is left. ([`TestDir::run`] checks this for every run.)

use crate::agents::{READY, START_AND_EXIT, TURN, TURNS, agent};
use crate::harness::{TestDir, finish, kill_all_with, processes_with, wait_until};
use conform_report::Verdict;
use rustix::process::{Pid, Signal, kill_process};
use std::process::{Child, Command};

#[test]
fn a_child_process_that_outlives_the_agent_is_found_and_killed() {
    let dir = TestDir::new();
    for child in [
        "sleep 1000 &\n",
        "sleep 1000 >/dev/null 2>&1 </dev/null &\n",
        "setsid sleep 1000 &\n",
        "(trap '' TERM HUP; setsid sh -c 'sleep 1000 & sleep 1000; :') &\n",
        // Known by its working directory.
        "env -i setsid sleep 1000 >/dev/null 2>&1 &\n",
    ] {
        let result = dir.run_scenario(START_AND_EXIT, &agent(&[child, READY, "cat >/dev/null\n"]));
        assert_eq!(
            result.only_scenario().verdict,
            Verdict::Warn,
            "{child}{result:?}"
        );
        assert_eq!(result.rules(), ["aionrs/no-orphans"], "{result:?}");
    }
}

#[test]
fn a_child_process_that_nothing_connects_with_the_agent_is_killed_too() {
    let dir = TestDir::new();
    let mark = dir.path("stray");
    let hidden = format!(
        "(cd / && exec env -i MARK={} setsid sleep 1000 >/dev/null 2>&1) &\n",
        mark.display()
    );
    let scenario = dir.file("one.yaml", START_AND_EXIT);
    let agent = dir.file("agent.sh", &agent(&[&hidden, READY, "cat >/dev/null\n"]));
    // The probe would start the agent once more, and leave a process of its own or none.
    let result = dir.run(&[
        "--dialect",
        "aionrs@0.1",
        "--no-probe",
        "--scenarios",
        &scenario,
        "sh",
        &agent,
    ]);
    result.assert_exit(
        0,
        "a stray process of an agent was killed: `sleep 1000`, which began during aionrs@0.1/one",
    );
    assert_eq!(processes_with(&mark), Vec::<String>::new());
}

/// A command that starts another in a PID namespace. As in a container, what it starts is in a group and a session whose leader is outside, and
/// whose ids are 0 there.
fn in_pid_namespace(inner: &Command) -> Command {
    let mut command = Command::new("unshare");
    command
        .args([
            "--user",
            "--map-root-user",
            "--pid",
            "--fork",
            "--mount-proc",
        ])
        .arg(inner.get_program())
        .args(inner.get_args())
        .envs(
            inner
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        );
    if let Some(folder) = inner.get_current_dir() {
        command.current_dir(folder);
    }
    command
}

#[test]
fn a_child_process_that_outlives_the_agent_is_found_in_a_container() {
    let mut check = in_pid_namespace(&Command::new("true"));
    if !check.status().is_ok_and(|status| status.success()) {
        return eprintln!("the kernel allows no PID namespace here");
    }
    let dir = TestDir::new();
    let scenario = dir.file("one.yaml", START_AND_EXIT);
    let child = "setsid sleep 1000 &\n";
    let script = dir.file("agent.sh", &agent(&[child, READY, "cat >/dev/null\n"]));
    let mut run = dir.command("run");
    run.args(["--dialect", "aionrs@0.1", "--no-probe", "--scenarios"]);
    run.args([&scenario, "sh", &script]);
    let output = in_pid_namespace(&run).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let told = "should aionrs/no-orphans in 1 scenario";
    assert!(text.contains(told), "{output:?}");
    assert_eq!(processes_with(&dir.path("tmp")), Vec::<String>::new());
}

#[test]
fn a_child_process_that_exits_soon_is_not_an_orphan() {
    let dir = TestDir::new();
    let result = dir.run_scenario(
        START_AND_EXIT,
        &agent(&["sleep 0.05 &\n", READY, "cat >/dev/null\n"]),
    );
    assert_eq!(result.only_scenario().verdict, Verdict::Pass, "{result:?}");
}

#[test]
fn the_output_of_an_orphan_is_still_read() {
    let dir = TestDir::new();
    let late = "(sleep 0.05; echo '{\"type\":\"info\",\"msg_id\":\"\",\"message\":\"late\"}') &\n";
    let result =
        dir.run_with_transcripts(START_AND_EXIT, &agent(&[READY, "cat >/dev/null\n", late]));
    let text = std::fs::read_to_string(&result.only_scenario().transcript).unwrap();
    let last: Vec<_> = text.lines().rev().take(2).collect();
    assert!(
        last[0].contains("\"end\":\"exited\"") && last[1].contains("late"),
        "{text}"
    );
}

/// Starts a run whose first scenario waits forever, and sends conform a signal when the agent runs.
fn signalled(dir: &TestDir, signal: Signal) -> Child {
    let waits = "- expect: { type: info }\n    within: 1000s\n  - send:";
    let [first, second] = ["one", "two"].map(|name| {
        let text = TURN.replace("- send:", waits);
        let named = text.replacen("name: ", &format!("name: {name}, "), 1);
        dir.file(&format!("{name}.yaml"), &named)
    });
    let script = dir.file("agent.sh", &agent(&["sleep 1000 &\n", READY, TURNS]));
    let mut command = dir.command("run");
    command.args([
        "--dialect",
        "aionrs@0.1",
        "--no-probe",
        "--no-settle",
        "--jobs",
        "1",
        "--scenarios",
        &first,
        "--scenarios",
        &second,
        "sh",
        &script,
    ]);
    let child = command.spawn().unwrap();
    wait_until("the agent runs in the workspace of a scenario", || {
        processes_with(&dir.path("tmp"))
            .iter()
            .any(|line| line.contains("sleep"))
    });
    kill_process(Pid::from_child(&child), signal).unwrap();
    child
}

#[test]
fn the_next_run_removes_the_files_of_a_killed_run() {
    let dir = TestDir::new();
    finish(signalled(&dir, Signal::KILL));
    // Nobody is left to kill the agent's process.
    kill_all_with(&dir.path("tmp"));
    assert_eq!(dir.left_folders().len(), 1);
    // This asserts that the folder is empty afterwards.
    dir.run_scenario(START_AND_EXIT, &agent(&[READY, "cat >/dev/null\n"]))
        .assert_exit(0, "1 passed");
}

#[test]
fn an_interrupted_run_cleans_up() {
    let dir = TestDir::new();
    for signal in [Signal::INT, Signal::TERM] {
        let child = signalled(&dir, signal);
        let output = finish(child);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        let interrupted = "interrupted: the run is not complete, 1 scenario never started";
        assert!(stderr.contains(interrupted), "{stderr}");
        assert_eq!(processes_with(&dir.path("tmp")), Vec::<String>::new());
        assert_eq!(dir.left_folders(), Vec::<String>::new());
    }
}

#[test]
fn faults_that_are_interrupted_are_cleaned_up_after() {
    let dir = TestDir::new();
    for signal in [Signal::INT, Signal::TERM] {
        let mut command = dir.command("mutants");
        command.args(["--dialect", "pi@0.73", "--only", "spins-after-eof"]);
        let child = command.spawn().unwrap();
        wait_until("an agent runs", || {
            let lines = processes_with(&dir.path("tmp"));
            lines.iter().any(|line| line.contains("--mode rpc"))
        });
        kill_process(Pid::from_child(&child), signal).unwrap();
        let output = finish(child);
        assert_eq!(output.status.code(), Some(3), "{output:?}");
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            stderr.contains("interrupted before all faults were played"),
            "{stderr}"
        );
        assert_eq!(processes_with(&dir.path("tmp")), Vec::<String>::new());
        assert_eq!(dir.left_folders(), Vec::<String>::new());
    }
}

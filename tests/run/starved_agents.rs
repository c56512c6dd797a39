//! Agents on a machine that is too busy: one that does not get the CPU is inconclusive, one that hangs is still found.

use crate::agents::{READY, agent};
use crate::harness::{RunResult, TestDir};
use conform_report::Verdict;
use std::process::{Child, Command};

const SCENARIO: &str = include_str!("../../scenarios/aionrs/0.1/turn/plain.yaml");

/// Processes that use every core, until they are dropped.
struct Burners(Vec<Child>);

impl Burners {
    fn start() -> Self {
        let cores = std::thread::available_parallelism().unwrap().get();
        let burner = |_| {
            let mut shell = Command::new("sh");
            shell.args(["-c", "while :; do :; done"]).spawn().unwrap()
        };
        Burners((0..cores * 2).map(burner).collect())
    }
}

impl Drop for Burners {
    fn drop(&mut self) {
        for burner in &mut self.0 {
            let _ = burner.kill();
            let _ = burner.wait();
        }
    }
}

/// Plays two scenarios on a busy machine with an agent that does this once it has said that it is ready.
fn run_busy(dir: &TestDir, then: &str) -> RunResult {
    let script = dir.file("agent.sh", &agent(&[READY, then]));
    let budgets = "budgets: { response: 3s, idle: 3s }\n";
    let scenario = dir.file("all/one.yaml", &format!("{SCENARIO}{budgets}"));
    let two = SCENARIO.replace("name: a message", "name: another message");
    dir.file("all/two.yaml", &format!("{two}{budgets}"));
    let scenario = scenario.replace("/one.yaml", "");
    let _burners = Burners::start();
    let dialect = ["--dialect", "aionrs@0.1", "--no-probe"];
    let scenarios = ["--scenarios", &scenario, "sh", &script];
    dir.run(&[&dialect[..], &scenarios].concat())
}

#[test]
fn an_agent_that_gets_no_cpu_is_inconclusive_and_has_no_cause() {
    let dir = TestDir::new();
    // It gets the CPU only if nobody else wants it.
    let result = run_busy(&dir, "chrt --idle --pid 0 $$\nwhile :; do :; done\n");
    result.assert_exit(3, "the machine was too busy (load ");
    let report = result.report.as_ref().unwrap();
    assert_eq!(report.scenarios[0].verdict, Verdict::Inconclusive);
    assert_eq!(report.scenarios[0].findings, [], "{result:?}");
    assert_eq!(report.scenarios.len(), 2);
    assert!(report.causes.is_empty() && report.inconclusive.is_empty());
    let notes = result.stdout.matches("fewer scenarios are played").count();
    assert_eq!(notes, 1, "{result:?}");
    assert_eq!(report.without_result.len(), 1, "{result:?}");
}

#[test]
fn an_agent_that_hangs_on_a_busy_machine_fails() {
    let dir = TestDir::new();
    let result = run_busy(&dir, "exec sleep 1000\n");
    result.assert_exit(1, "");
    let report = result.report.as_ref().unwrap();
    let mut verdicts = report.scenarios.iter().map(|one| one.verdict);
    assert!(verdicts.all(|one| one == Verdict::Fail), "{result:?}");
}

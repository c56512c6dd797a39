//! The timings of a run (`--timings`): how long it took beside what the cores of the machine allow.
//!
//! An agent can do nothing before its first line but start. The cores need the CPU time of that for each agent, so no run is faster than
//! the number of agents times this CPU time, divided by the number of cores. Unlike the time on the clock, the CPU time does not
//! grow when more agents run than there are cores.

use conform_report::reporter::text::count;
use conform_runner::agent_times::{AgentCpu, FirstLine};
use conform_runner::scenario_run::ScenarioRun;
use process_list::own_cpu_times;
use std::cmp::Reverse;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::time::Duration;

/// The timings of the scenarios that were played.
#[derive(Debug, Default)]
pub(super) struct Timings {
    /// The first lines of agents, in the order in which the scenarios ended.
    first_lines: Vec<FirstLine>,
    /// The CPU time of the agents of each scenario, with its id.
    cpu: Vec<(String, AgentCpu)>,
    scenarios: u32,
    /// How many agents were started.
    starts: u32,
    playing: usize,
    most: usize,
}

/// How many scenarios are listed by their CPU time.
const COSTLY: usize = 5;

/// What a run is compared with.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Machine {
    cores: usize,
    /// The CPU time of conform and of the agents; `None` if the system does not tell.
    cpu: Option<(Duration, Duration)>,
}

impl Timings {
    /// A scenario has been started.
    pub(super) fn started(&mut self) {
        self.playing += 1;
        self.most = self.most.max(self.playing);
    }

    /// A scenario has ended.
    pub(super) fn ended(&mut self, entry: &ScenarioRun) {
        if entry.played {
            self.playing -= 1;
            self.scenarios += 1;
            self.starts += entry.starts;
            self.first_lines.extend(entry.first_line);
            self.cpu.push((entry.report.id.clone(), entry.agent_cpu));
        }
    }

    /// Writes the timings of a run that took this long.
    pub(super) fn write(&self, run: Duration, screen: &mut dyn Write) -> io::Result<()> {
        let machine = Machine {
            cores: std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            cpu: own_cpu_times(),
        };
        for (index, line) in self.lines(run, machine).into_iter().enumerate() {
            let label = if index == 0 { "Timings" } else { "" };
            writeln!(screen, "{label:>13} {line}")?;
        }
        Ok(())
    }

    fn lines(&self, run: Duration, machine: Machine) -> Vec<String> {
        let Machine { cores, cpu } = machine;
        let run = run.as_secs_f64();
        let each = run * 1000.0 / f64::from(self.scenarios.max(1));
        let mut lines = vec![format!(
            "{} in {run:.1} s, {each:.1} ms each; {}, at most {} at a time on {}",
            count(self.scenarios.into(), "scenario"),
            count(self.starts.into(), "agent"),
            self.most,
            count(cores as u64, "core")
        )];
        let clock = sorted(self.first_lines.iter().map(|line| line.after));
        let on_cpu = sorted(self.first_lines.iter().filter_map(|line| line.cpu));
        let Some((least, median)) = clock.first().zip(middle(&clock)) else {
            return lines;
        };
        lines.push(format!(
            "spawn to first line {:.3} s at least, {:.3} s in the median",
            least.as_secs_f64(),
            median.as_secs_f64()
        ));
        let (name, start) = match middle(&on_cpu) {
            Some(cpu) => ("its CPU time in the median", cpu),
            None => ("the least", *least),
        };
        let bound = start.as_secs_f64() * f64::from(self.starts) / cores as f64;
        lines.push(format!(
            "agents x {name} ({:.3} s) / cores: {bound:.1} s; the run took {:.2} times that",
            start.as_secs_f64(),
            run / bound
        ));
        if let Some((conform, agents)) = cpu {
            let (conform, agents) = (conform.as_secs_f64(), agents.as_secs_f64());
            lines.push(format!(
                "CPU time of agents {agents:.1} s, of conform {conform:.1} s: {:.0} % of the cores",
                (conform + agents) / (run * cores as f64) * 100.0
            ));
        }
        lines.extend(self.cpu_by_phase());
        lines
    }

    /// Where the CPU time of the agents went, and the scenarios that took most of it after the first line; nothing if it was not measured.
    fn cpu_by_phase(&self) -> Vec<String> {
        let mut all = AgentCpu::default();
        for (_, cpu) in &self.cpu {
            all += *cpu;
        }
        if all == AgentCpu::default() {
            return Vec::new();
        }
        let mut costly: Vec<_> = self.cpu.iter().collect();
        costly.sort_by_key(|(id, cpu)| (Reverse(cpu.after_first_line()), id));
        let costly = costly.iter().take(COSTLY);
        let costly: Vec<_> = costly
            .map(|(id, cpu)| format!("{id} {:.2} s", cpu.after_first_line().as_secs_f64()))
            .collect();
        vec![
            format!(
                "of the agents' CPU time {:.1} s to the first line, {:.1} s from there until stdin was closed, {:.1} s to exit",
                all.start.as_secs_f64(),
                all.work.as_secs_f64(),
                all.exit.as_secs_f64()
            ),
            format!("most after the first line: {}", costly.join(", ")),
        ]
    }
}

fn sorted(times: impl Iterator<Item = Duration>) -> Vec<Duration> {
    let mut times: Vec<_> = times.collect();
    times.sort_unstable();
    times
}

fn middle(sorted: &[Duration]) -> Option<Duration> {
    sorted.get(sorted.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_compared_with_the_cpu_time_of_its_starts() {
        let line = |after: u64, cpu: u64| FirstLine {
            after: Duration::from_millis(after),
            cpu: Some(Duration::from_millis(cpu)),
        };
        let cpu = |id: &str, work: u64, exit: u64| {
            let cpu = AgentCpu {
                start: Duration::from_millis(1000),
                work: Duration::from_millis(work),
                exit: Duration::from_millis(exit),
            };
            (id.to_owned(), cpu)
        };
        let timings = Timings {
            first_lines: vec![line(900, 1000), line(2000, 1100), line(1500, 950)],
            cpu: vec![cpu("a", 20, 5), cpu("b", 300, 10)],
            scenarios: 3,
            starts: 4,
            playing: 0,
            most: 3,
        };
        let machine = Machine {
            cores: 2,
            cpu: Some((Duration::from_millis(40), Duration::from_millis(4760))),
        };
        let expected = [
            "3 scenarios in 2.5 s, 833.3 ms each; 4 agents, at most 3 at a time on 2 cores",
            "spawn to first line 0.900 s at least, 1.500 s in the median",
            "agents x its CPU time in the median (1.000 s) / cores: 2.0 s; the run took 1.25 times that",
            "CPU time of agents 4.8 s, of conform 0.0 s: 96 % of the cores",
            "of the agents' CPU time 2.0 s to the first line, 0.3 s from there until stdin was closed, 0.0 s to exit",
            "most after the first line: b 0.31 s, a 0.03 s",
        ];
        let lines = timings.lines(Duration::from_millis(2500), machine);
        assert_eq!(lines, expected);
    }

    #[test]
    fn a_run_without_agents_has_no_bound() {
        let machine = Machine {
            cores: 2,
            cpu: None,
        };
        let lines = Timings::default().lines(Duration::from_secs(1), machine);
        assert_eq!(lines.len(), 1);
    }
}

//! Counts the instructions of fixed works under valgrind, and compares them with `costs.yaml`: a cost that is more than 10 % higher fails.
//! `.ci/instructions` builds and runs it, `.ci/instructions check provider` for these works only; with SNAPSHOTS=overwrite it writes the file.

#[path = "../../chat/mod.rs"]
mod chat;
#[path = "../../long/mod.rs"]
mod long;
mod valgrind;
mod works;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Mutex;
use works::{Costs, WORKS};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/costs.yaml");

const HEADER: &str = "\
# What fixed works cost: thousands of instructions, or how many times as much as bare parsing of the same bytes.
# `.ci/instructions` fails if one of them costs 10 % more. A change that pays for something writes this file again:
# `SNAPSHOTS=overwrite .ci/instructions`.
";

/// How many times as high as in the file a cost may be.
const TOLERANCE: f64 = 1.1;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args().skip(1).collect();
    if let [word, path] = &args[..]
        && word == "parse"
    {
        works::parse(Path::new(path));
        return ExitCode::SUCCESS;
    }
    let chosen = |name: &str| args.is_empty() || args.iter().any(|arg| name.starts_with(arg));
    let now = measured(chosen);
    let mut before = read();
    if std::env::var_os("SNAPSHOTS").is_some_and(|value| value == "overwrite") {
        before.retain(|name, _| !chosen(name));
        before.extend(now.clone());
        write(&before);
    }
    before.retain(|name, _| chosen(name));
    let failures = compare(&before, &now);
    for failure in &failures {
        println!("FAILED: {failure}");
    }
    ExitCode::from(u8::from(!failures.is_empty()))
}

/// The costs of the works with these names, two works at a time.
fn measured(chosen: impl Fn(&str) -> bool + Copy + Sync) -> Costs {
    let works = WORKS.iter().filter(|(name, _)| chosen(name));
    let (works, costs) = (Mutex::new(works), Mutex::new(Costs::new()));
    let next = || works.lock().expect("no panic").next();
    let measure = || {
        while let Some((name, work)) = next() {
            let measured = work(name);
            costs.lock().expect("no panic").extend(measured);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(measure);
        measure();
    });
    costs.into_inner().expect("no panic")
}

/// Prints the costs beside those of the file. Gives what is worse, new or gone.
fn compare(before: &Costs, now: &Costs) -> Vec<String> {
    let mut failures = Vec::new();
    println!("{:<40} {:>10} {:>10} {:>7}", "", "file", "now", "");
    for (name, &cost) in now {
        let Some(&known) = before.get(name) else {
            failures.push(format!("{name} costs {cost}, and is not in {FILE}"));
            continue;
        };
        let change = (cost / known - 1.0) * 100.0;
        println!("{name:<40} {known:>10} {cost:>10} {change:>+6.1}%");
        if cost > known * TOLERANCE {
            failures.push(format!(
                "{name} costs {change:.1} % more: {cost} instead of {known}"
            ));
        }
    }
    let gone = before.keys().filter(|name| !now.contains_key(*name));
    failures.extend(gone.map(|name| format!("{name} is in {FILE}, and is not measured")));
    failures
}

fn read() -> Costs {
    let text = std::fs::read_to_string(FILE).expect("the file of costs");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let cost = |line: &str| {
        let (name, cost) = line.split_once(": ").expect("a name and a cost");
        (name.to_owned(), cost.parse().expect("a number"))
    };
    lines.map(cost).collect::<BTreeMap<_, _>>()
}

fn write(costs: &Costs) {
    let mut text = HEADER.to_owned();
    for (name, cost) in costs {
        writeln!(text, "{name}: {cost}").expect("memory");
    }
    std::fs::write(FILE, text).expect("the file can be written");
}

//! Long sessions of several protocols: turns of streamed text as hosts record them. Each is a file in the notation of `hosts.yaml`: its
//! start, an empty line, and a turn, in which a line behind `* ` is a delta that comes again and again. `{n}` is the number of the turn,
//! `{words}` the text of a delta, and `{text}` that of all deltas so far.

use serde_json::json;
use std::io::{self, Write};

/// Deltas in a turn.
const DELTAS: usize = 40;
const WORDS: &str = "some words of a longer text, ";

/// A session of one protocol.
pub(crate) struct Session {
    /// The protocol.
    pub(crate) dialect: &'static str,
    /// How many turns are a long session of it.
    pub(crate) turns: usize,
    agent: &'static [&'static str],
    file: &'static str,
}

/// The sessions. The messages of the last one grow: each of its deltas comes with the whole text so far.
pub(crate) const SESSIONS: &[Session] = &[
    Session {
        dialect: "aionrs@0.1",
        turns: 4000,
        agent: &[],
        file: include_str!("aionrs.txt"),
    },
    Session {
        dialect: "synaps@1",
        turns: 4000,
        agent: &["synaps", "rpc"],
        file: include_str!("synaps.txt"),
    },
    Session {
        dialect: "pi@0.73",
        turns: 500,
        agent: &["pi", "--mode", "rpc", "--no-session"],
        file: include_str!("pi.txt"),
    },
];

impl Session {
    /// Writes the transcript. Gives the number of its frames.
    pub(crate) fn write(&self, mut out: impl Write, turns: usize) -> io::Result<u64> {
        let header =
            json!({ "conform_transcript": 1, "dialect": self.dialect, "agent": self.agent });
        writeln!(out, "{header}")?;
        let (start, turn) = self.file.split_once("\n\n").unwrap_or(("", self.file));
        let turns = (0..turns).map(|n| played(turn, n));
        let mut frames = 0;
        for part in std::iter::once(start.to_owned()).chain(turns) {
            for line in part.lines().filter(|line| !line.is_empty()) {
                let (mark, line) = line.split_once(' ').expect("a mark and a frame");
                let dir = if mark == "<" {
                    "from_agent"
                } else {
                    "to_agent"
                };
                frames += 1;
                let record = json!({ "at": frames * 100, "dir": dir, "line": line });
                writeln!(out, "{record}")?;
            }
        }
        out.flush()?;
        Ok(frames)
    }
}

/// The lines of turn number `n`.
fn played(turn: &str, n: usize) -> String {
    let filled = |line: &str, deltas: usize| {
        let line = line.replace("{n}", &n.to_string());
        line.replace("{words}", WORDS)
            .replace("{text}", &WORDS.repeat(deltas))
            + "\n"
    };
    let lines = turn.lines().map(|line| match line.strip_prefix("* ") {
        Some(delta) => (1..=DELTAS).map(|n| filled(delta, n)).collect(),
        None => filled(line, DELTAS),
    });
    lines.collect()
}

//! Long sessions of several protocols: turns of streamed text as hosts record them. Each is a file in the notation of `hosts.yaml`: its
//! start, an empty line, and a turn, in which a line behind `* ` is a delta that comes again and again. `{n}` is the number of the turn,
//! `{words}` the text of a delta, and `{text}` that of all deltas so far.

use conform_judge::frame::Frame;
use conform_judge::history;
use conform_judge::transcript::{Header, TranscriptWriter};
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
    pub(crate) fn write(&self, out: impl Write, turns: usize) -> io::Result<u64> {
        let header = Header {
            dialect: Some(self.dialect.to_owned()),
            agent: self.agent.iter().map(|&word| word.to_owned()).collect(),
        };
        let mut writer = TranscriptWriter::new(out, &header)?;
        let (start, turn) = self.file.split_once("\n\n").unwrap_or(("", self.file));
        let turns = (0..turns).flat_map(|n| frames(&played(turn, n)));
        let mut written = 0;
        for frame in frames(start).into_iter().chain(turns) {
            written += 1;
            let at = written * 100;
            writer.write(&Frame { at, ..frame })?;
        }
        writer.finish()?;
        Ok(written)
    }
}

fn frames(text: &str) -> Vec<Frame> {
    history::frames(text).expect("frames of a session")
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

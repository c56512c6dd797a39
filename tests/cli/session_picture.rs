//! The picture of a terminal session in the README: the output of its commands, in their colours.
//!
//! `SNAPSHOTS=overwrite cargo test --test cli session_picture` draws it again.

use crate::readme::run;
use regex::{Captures, Regex};
use snapbox::data::DataFormat;
use snapbox::{Assert, Data, file};

const COMMANDS: [&str; 2] = [
    "conform run --dialect aionrs@0.1 --jobs 1 --only 'deny/*'",
    "conform run --only turn/plain examples/broken-agent",
];

/// The width of the terminal, in columns.
const WIDTH: usize = 120;

#[test]
fn the_picture_shows_what_the_commands_print() {
    let shown = COMMANDS.map(|command| {
        let output = run(&format!("export CLICOLOR_FORCE=1\n{command}"));
        format!("\x1b[1m$ {command}\x1b[0m\n{}", folded(&timeless(&output)))
    });
    Assert::new().action_env("SNAPSHOTS").eq(
        Data::from(shown.join("\n")).coerce_to(DataFormat::TermSvg),
        file!["../../docs/session.term.svg": TermSvg],
    );
}

/// The output without what differs from run to run, and the counts that change with every new rule.
fn timeless(text: &str) -> String {
    let replace = |text: &str, pattern, by| {
        Regex::new(pattern)
            .unwrap()
            .replace_all(text, by)
            .into_owned()
    };
    let text = replace(
        text,
        r"(?m)^(.*note:| +(Clauses|Rules|Readings) +\d).*\n",
        "",
    );
    let text = replace(
        &text,
        r"\S*/conform-transcripts-[^/\s]+",
        "/tmp/transcripts",
    );
    let text = replace(&text, r"\[ *\d+\.\d+s\]", "[   0.120s]");
    let mut tenths = 0;
    let later = |_: &Captures| {
        tenths += 7;
        format!(" {:>5}.{} ms ", tenths / 10, tenths % 10)
    };
    let moment = Regex::new(r" +\d+(\.\d+)? (ms|µs) ").unwrap();
    moment.replace_all(&text, later).into_owned()
}

/// The text as a terminal breaks its lines; escape sequences have no width.
fn folded(text: &str) -> String {
    let (mut out, mut column, mut in_escape) = (String::new(), 0, false);
    for c in text.chars() {
        in_escape |= c == '\x1b';
        if column == WIDTH && !in_escape && c != '\n' {
            out.push('\n');
            column = 0;
        }
        out.push(c);
        match c {
            '\n' => column = 0,
            'm' if in_escape => in_escape = false,
            _ if in_escape => {}
            _ => column += 1,
        }
    }
    out
}

//! Parses histories in a short notation, one frame per line: an optional time in microseconds, then `< JSON` (from the agent), `> JSON` (to it), `latin1> JSON`,
//! `cut> TEXT` (to it, without a newline), `crlf> TEXT`, `request JSON`,
//! `reply STATUS END`, `stdin_closed`, `stdout_closed`, `signal NAME`, `end exited CODE|signalled N|killed WHY|open`.

use conform_judge::frame::{Body, End, Eol, Frame, Line, LlmReply, LlmRequest, ReplyEnd};

/// Parses a history.
pub(crate) fn frames(script: &str) -> Vec<Frame> {
    script
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty())
        .map(frame)
        .collect()
}

fn frame(line: &str) -> Frame {
    let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
    if let Ok(at) = first.parse() {
        return Frame {
            at,
            body: body(rest),
        };
    }
    Frame {
        at: 0,
        body: body(line),
    }
}

fn body(line: &str) -> Body {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    match word {
        "<" => Body::FromAgent(Line::new(rest)),
        ">" => Body::ToAgent(Line::new(rest)),
        // One byte per character, so a character above ASCII is not valid UTF-8.
        "latin1>" => Body::ToAgent(Line::new(rest.chars().map(|c| c as u8).collect::<Vec<_>>())),
        "cut>" => Body::ToAgent(Line {
            eol: Eol::None,
            ..Line::new(rest)
        }),
        "crlf>" => Body::ToAgent(Line {
            eol: Eol::CrLf,
            ..Line::new(rest)
        }),
        "request" => Body::LlmRequest(LlmRequest {
            n: 0,
            path: "/v1/messages".to_owned(),
            body: serde_json::from_str(rest).unwrap(),
        }),
        "reply" => Body::LlmReply(LlmReply {
            n: 0,
            status: rest.parse().unwrap(),
            end: ReplyEnd::Complete,
            body: None,
        }),
        "stdin_closed" => Body::StdinClosed,
        "stdout_closed" => Body::StdoutClosed,
        "signal" => Body::Signal(rest.to_owned()),
        "end" => Body::End(end(rest)),
        other => panic!("unknown frame: {other}"),
    }
}

fn end(text: &str) -> End {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    match word {
        "exited" => End::Exited {
            code: rest.parse().unwrap(),
            orphans: 0,
        },
        "signalled" => End::Signalled {
            signal: rest.parse().unwrap(),
            orphans: 0,
        },
        "killed" => End::Killed {
            why: rest.to_owned(),
        },
        "open" => End::Open,
        other => panic!("unknown end: {other}"),
    }
}

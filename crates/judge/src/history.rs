//! Sessions in a short notation, a frame on each line: for bad hosts (`hosts.yaml`) and tests.

use crate::frame::{Body, End, Eol, Frame, Line, LlmReply, LlmRequest, McpEvent, ReplyEnd};
use data_encoding::BASE64;

/// The frames of a session. A line is a time in microseconds, which can be left out, and one of these:
///
/// - `< EVENT`, `> COMMAND`; `>crlf COMMAND` ends in CR LF and `>torn COMMAND` not at all, `>b64 BYTES` has its bytes in Base64, and
///   `>pad N COMMAND` is padded with blanks to N bytes
/// - `stdin_closed`, `stdout_closed`, `signal NAME`
/// - `end STATUS`, `end signalled N`, `end killed WHY`, `end open`
/// - `mcp SERVER BODY`, what reached the first process of an MCP server
/// - `request BODY` and `reply STATUS`, of the model; `reply 200 MESSAGE` with what it said
///
/// # Errors
/// The first line that is none of them.
pub fn frames(text: &str) -> Result<Vec<Frame>, String> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let frames = lines.map(|line| {
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        let (at, text) = match first.parse() {
            Ok(at) => (at, rest),
            Err(_) => (0, line),
        };
        let body =
            body(text).ok_or_else(|| format!("this line is not a frame of a session: {line}"))?;
        Ok(Frame { at, body })
    });
    frames.collect()
}

fn body(line: &str) -> Option<Body> {
    let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
    Some(match word {
        "<" => Body::FromAgent(Line::new(rest)),
        ">" => Body::ToAgent(Line::new(rest)),
        ">crlf" => Body::ToAgent(Line::ended(rest, Eol::CrLf)),
        ">torn" => Body::ToAgent(Line::ended(rest, Eol::None)),
        ">b64" => Body::ToAgent(Line::new(BASE64.decode(rest.as_bytes()).ok()?)),
        ">pad" => {
            let (size, text) = rest.split_once(' ')?;
            let size: usize = size.parse().ok()?;
            let blanks = " ".repeat(size.saturating_sub(text.len()));
            Body::ToAgent(Line::new(format!("{text}{blanks}")))
        }
        "stdin_closed" => Body::StdinClosed,
        "stdout_closed" => Body::StdoutClosed,
        "signal" => Body::Signal(rest.to_owned()),
        "end" => Body::End(end(rest)?),
        "request" => Body::LlmRequest(LlmRequest {
            n: 0,
            path: "/v1/messages".to_owned(),
            body: serde_json::from_str(rest).ok()?,
        }),
        "mcp" => {
            let (server, body) = rest.split_once(' ')?;
            Body::Mcp(McpEvent {
                n: 1,
                server: server.to_owned(),
                body: serde_json::from_str(body).ok()?,
            })
        }
        "reply" => {
            let (status, message) = rest.split_once(' ').unzip();
            Body::LlmReply(LlmReply {
                n: 0,
                status: status.unwrap_or(rest).parse().ok()?,
                end: ReplyEnd::Complete,
                message: message.map(serde_json::from_str).transpose().ok()?,
                body: None,
            })
        }
        _ => return None,
    })
}

fn end(text: &str) -> Option<End> {
    let orphans = 0;
    Some(match text.split_once(' ').unwrap_or((text, "")) {
        ("signalled", signal) => End::Signalled {
            signal: signal.parse().ok()?,
            orphans,
        },
        ("killed", why) => End::Killed {
            why: why.to_owned(),
        },
        ("open", _) => End::Open,
        (code, _) => End::Exited {
            code: code.parse().ok()?,
            orphans,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_line_is_a_frame() {
        let session = "5 < {}\n>crlf a b\n>torn a\n>b64 /w==\n>pad 3 a\nstdin_closed\nend 2\nend killed too slow\nreply 200\n";
        let frames = frames(session).unwrap();
        assert_eq!((frames.len(), frames[0].at), (9, 5));
        let line = |n: usize| match &frames[n].body {
            Body::FromAgent(line) | Body::ToAgent(line) => (line.bytes.as_slice(), line.eol),
            other => panic!("{other:?}"),
        };
        assert_eq!(line(1), (b"a b".as_slice(), Eol::CrLf));
        assert_eq!(line(2), (b"a".as_slice(), Eol::None));
        assert_eq!(line(3), (b"\xff".as_slice(), Eol::Lf));
        assert_eq!(line(4), (b"a  ".as_slice(), Eol::Lf));
        let (code, orphans) = (2, 0);
        assert_eq!(frames[6].body, Body::End(End::Exited { code, orphans }));
    }

    #[test]
    fn a_line_that_is_not_a_frame_is_named() {
        for line in ["{}", ">pad x a", "end soon", ">b64 !", "stdin"] {
            let why = frames(&format!("< {{}}\n{line}\n")).unwrap_err();
            assert!(why.ends_with(line), "{why}");
        }
    }
}

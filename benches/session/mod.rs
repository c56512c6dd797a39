//! A long session of the sort that hosts record: turns of streamed text, each with one tool call.

use conform_judge::frame::{Body, Frame, Line};
use conform_judge::transcript::{Header, TranscriptWriter};
use std::io::{self, Write};
use std::iter;

/// Deltas in a turn.
const DELTAS: usize = 40;
/// Events and commands in a turn.
pub(crate) const PER_TURN: usize = DELTAS + 7;

/// The dialect spoken.
pub(crate) const DIALECT: &str = "aionrs@0.1";

const READY: &str = r#"{"type":"ready","version":"0.1.0","session_id":"s1","capabilities":{"tool_approval":true,"thinking":true,"mcp":false}}"#;

fn from_agent(text: String) -> Frame {
    Frame {
        at: 0,
        body: Body::FromAgent(Line::new(text)),
    }
}

fn to_agent(text: String) -> Frame {
    Frame {
        at: 0,
        body: Body::ToAgent(Line::new(text)),
    }
}

/// The first frame.
pub(crate) fn ready() -> Frame {
    from_agent(READY.to_owned())
}

/// The frames of one turn.
pub(crate) fn turn(n: usize) -> Vec<Frame> {
    let mut frames = vec![
        to_agent(format!(
            r#"{{"type":"message","msg_id":"m{n}","input":"Read /x and tell me what it says."}}"#
        )),
        from_agent(format!(r#"{{"type":"stream_start","msg_id":"m{n}"}}"#)),
    ];
    let delta = format!(
        r#"{{"type":"text_delta","msg_id":"m{n}","text":"some words of a longer text, "}}"#
    );
    frames.extend((0..DELTAS).map(|_| from_agent(delta.clone())));
    frames.extend([
        from_agent(format!(
            r#"{{"type":"tool_request","msg_id":"m{n}","call_id":"c{n}","tool":{{"name":"Read","category":"info","args":{{"file_path":"/x"}},"description":"Read /x"}}}}"#
        )),
        to_agent(format!(r#"{{"type":"tool_approve","call_id":"c{n}","scope":"once"}}"#)),
        from_agent(format!(r#"{{"type":"tool_running","msg_id":"m{n}","call_id":"c{n}","tool_name":"Read"}}"#)),
        from_agent(format!(
            r#"{{"type":"tool_result","msg_id":"m{n}","call_id":"c{n}","tool_name":"Read","status":"success","output":"text","output_type":"text"}}"#
        )),
        from_agent(format!(r#"{{"type":"stream_end","msg_id":"m{n}","usage":{{"input_tokens":1,"output_tokens":1}}}}"#)),
    ]);
    frames
}

/// Writes a transcript of so many turns. Gives the number of its frames.
pub(crate) fn write(out: impl Write, turns: usize) -> io::Result<u64> {
    let header = Header {
        dialect: Some(DIALECT.to_owned()),
        agent: vec![],
    };
    let mut writer = TranscriptWriter::new(out, &header)?;
    for frame in iter::once(ready()).chain((0..turns).flat_map(turn)) {
        writer.write(&frame)?;
    }
    writer.finish()?;
    Ok((1 + turns * PER_TURN) as u64)
}

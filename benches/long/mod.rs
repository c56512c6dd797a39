//! Long sessions of several protocols: turns of streamed text as hosts record them.

use conform_judge::frame::{Body, Frame, Line};
use conform_judge::transcript::{Header, TranscriptWriter};
use serde_json::{Value, json};
use std::io::{self, Write};

/// Deltas in a turn.
const DELTAS: usize = 40;
const PROMPT: &str = "Read /x and tell me what it says.";
const WORDS: &str = "some words of a longer text, ";

/// A session of one protocol.
pub(crate) struct Session {
    /// The protocol.
    pub(crate) dialect: &'static str,
    /// How many turns are a long session of it.
    pub(crate) turns: usize,
    agent: &'static [&'static str],
    start: fn() -> Vec<Frame>,
    turn: fn(usize) -> Vec<Frame>,
}

/// The sessions. The messages of the last one grow: each of its deltas comes with the whole text so far.
pub(crate) const SESSIONS: &[Session] = &[
    Session {
        dialect: "aionrs@0.1",
        turns: 4000,
        agent: &[],
        start: || {
            vec![event(
                json!({ "type": "ready", "version": "0.1.0", "session_id": "s1", "capabilities": { "tool_approval": true, "thinking": true, "mcp": false } }),
            )]
        },
        turn: aionrs,
    },
    Session {
        dialect: "synaps@1",
        turns: 4000,
        agent: &["synaps", "rpc"],
        start: || {
            vec![event(
                json!({ "type": "ready", "session_id": "s1", "model": "local/mock-model", "protocol_version": 1 }),
            )]
        },
        turn: synaps,
    },
    Session {
        dialect: "pi@0.73",
        turns: 500,
        agent: &["pi", "--mode", "rpc", "--no-session"],
        start: Vec::new,
        turn: pi,
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
        let mut frames = 0;
        for frame in (self.start)()
            .into_iter()
            .chain((0..turns).flat_map(self.turn))
        {
            frames += 1;
            writer.write(&Frame {
                at: frames * 100,
                ..frame
            })?;
        }
        writer.finish()?;
        Ok(frames)
    }
}

fn event(value: Value) -> Frame {
    Frame {
        at: 0,
        body: Body::FromAgent(Line::new(value.to_string())),
    }
}

fn command(value: Value) -> Frame {
    Frame {
        at: 0,
        body: Body::ToAgent(Line::new(value.to_string())),
    }
}

fn aionrs(n: usize) -> Vec<Frame> {
    let (message, call) = (format!("m{n}"), format!("c{n}"));
    let delta = event(json!({ "type": "text_delta", "msg_id": message, "text": WORDS }));
    let mut frames = vec![
        command(json!({ "type": "message", "msg_id": message, "input": PROMPT })),
        event(json!({ "type": "stream_start", "msg_id": message })),
    ];
    frames.extend(vec![delta; DELTAS]);
    frames.extend([
        event(json!({ "type": "tool_request", "msg_id": message, "call_id": call, "tool": { "name": "Read", "category": "info", "args": { "file_path": "/x" }, "description": "Read /x" } })),
        command(json!({ "type": "tool_approve", "call_id": call, "scope": "once" })),
        event(json!({ "type": "tool_running", "msg_id": message, "call_id": call, "tool_name": "Read" })),
        event(json!({ "type": "tool_result", "msg_id": message, "call_id": call, "tool_name": "Read", "status": "success", "output": "text", "output_type": "text" })),
        event(json!({ "type": "stream_end", "msg_id": message, "usage": { "input_tokens": 1, "output_tokens": 1 } })),
    ]);
    frames
}

fn synaps(n: usize) -> Vec<Frame> {
    let (prompt, call) = (format!("p{n}"), format!("call_{n}"));
    let update = |inner: Value| event(json!({ "type": "message_update", "event": inner }));
    let delta = update(json!({ "type": "text_delta", "delta": WORDS }));
    let mut frames = vec![command(
        json!({ "type": "prompt", "id": prompt, "message": PROMPT }),
    )];
    frames.extend(vec![delta; DELTAS]);
    frames.extend([
        update(json!({ "type": "toolcall_start", "tool_id": call, "tool_name": "bash" })),
        update(json!({ "type": "toolcall_input_delta", "tool_id": call, "delta": "{\"command\": \"" })),
        update(json!({ "type": "toolcall_input_delta", "tool_id": call, "delta": "echo tool-ok\"}" })),
        update(json!({ "type": "toolcall_result", "tool_id": call, "result": "tool-ok\n" })),
        event(json!({ "type": "agent_end", "usage": { "input_tokens": 22, "output_tokens": 14, "cache_read_input_tokens": 6, "cache_creation_input_tokens": 0 } })),
        event(json!({ "type": "response", "id": prompt, "command": "prompt", "ok": true })),
    ]);
    frames
}

fn pi(n: usize) -> Vec<Frame> {
    let at = 1_795_244_704_747 + 1000 * n;
    let user =
        json!({ "role": "user", "content": [{ "type": "text", "text": PROMPT }], "timestamp": at });
    let message = |content: Value| {
        json!({
            "role": "assistant", "content": content, "api": "anthropic-messages", "provider": "mocka", "model": "mock-a",
            "usage": {
                "input": 100, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 101,
                "cost": { "input": 0.0003, "output": 0.000_015, "cacheRead": 0, "cacheWrite": 0, "total": 0.000_315 }
            },
            "stopReason": "stop", "timestamp": at + 5, "responseId": "msg_mock"
        })
    };
    let update = |mut inner: Value, text: &str| {
        let message = message(json!([{ "type": "text", "text": text }]));
        inner["partial"] = message.clone();
        event(
            json!({ "type": "message_update", "assistantMessageEvent": inner, "message": message }),
        )
    };
    let mut frames = vec![
        command(json!({ "type": "prompt", "message": PROMPT })),
        event(json!({ "type": "response", "command": "prompt", "success": true })),
        event(json!({ "type": "agent_start" })),
        event(json!({ "type": "turn_start" })),
        event(json!({ "type": "message_start", "message": user })),
        event(json!({ "type": "message_end", "message": user })),
        event(json!({ "type": "message_start", "message": message(json!([])) })),
        update(json!({ "type": "text_start", "contentIndex": 0 }), ""),
    ];
    let mut text = String::new();
    for _ in 0..DELTAS {
        text.push_str(WORDS);
        frames.push(update(
            json!({ "type": "text_delta", "contentIndex": 0, "delta": WORDS }),
            &text,
        ));
    }
    frames.push(update(
        json!({ "type": "text_end", "contentIndex": 0, "content": text }),
        &text,
    ));
    let whole = message(json!([{ "type": "text", "text": text }]));
    frames.extend([
        event(json!({ "type": "message_end", "message": whole })),
        event(json!({ "type": "turn_end", "message": whole, "toolResults": [] })),
        event(json!({ "type": "agent_end", "messages": [user, whole] })),
    ]);
    frames
}

//! Property tests of the checker, over random histories: a session and its recording have the same findings, and the findings of a
//! prefix are a prefix of the findings.

use conform_judge::check::{CheckOptions, Checker};
use conform_judge::dialect::{Dialect, DialectSource, load};
use conform_judge::finding::Finding;
use conform_judge::frame::{Body, End, Eol, Frame, Line, LlmReply, LlmRequest, McpEvent, ReplyEnd};
use conform_judge::transcript::{Header, TranscriptReader, TranscriptWriter};
use proptest::prelude::*;
use serde_json::json;
use std::sync::{Arc, LazyLock};

static DIALECTS: LazyLock<Vec<Arc<Dialect>>> = LazyLock::new(|| {
    let source = DialectSource::default();
    let names = source.names().into_iter();
    names
        .map(|(name, version)| load(&source, &format!("{name}@{version}")).unwrap())
        .collect()
});

/// Lines similar to the dialect's: known names with a few plausible or wrong members, and some lines that are not JSON.
fn line(names: Vec<String>) -> impl Strategy<Value = Line> {
    let member = prop_oneof![
        (0..3u8).prop_map(|n| json!(format!("m{n}"))),
        Just(json!(true)),
        Just(json!(null)),
        Just(json!({"type": "text_delta", "delta": "x", "tool_id": "t1"})),
        Just(json!({"role": "assistant", "content": [{"type": "toolCall", "id": "t1"}]})),
        (0..5u32).prop_map(|n| json!(n)),
    ];
    let keys = prop::sample::select(vec![
        "msg_id",
        "call_id",
        "id",
        "text",
        "mode",
        "scope",
        "event",
        "message",
        "toolCallId",
        "usage",
        "command",
        "input",
        "reason",
    ]);
    let frame = (
        prop::sample::select(names),
        prop::collection::vec((keys, member), 0..5),
    )
        .prop_map(|(name, members)| {
            let mut object = serde_json::Map::new();
            object.insert("type".to_owned(), json!(name));
            object.extend(members.into_iter().map(|(k, v)| (k.to_owned(), v)));
            serde_json::Value::Object(object).to_string().into_bytes()
        });
    let bytes = prop_oneof![9 => frame, 1 => prop::collection::vec(any::<u8>().prop_filter("no newline", |b| *b != b'\n'), 0..12)];
    (bytes, prop_oneof![9 => Just(Eol::Lf), 1 => Just(Eol::CrLf)]).prop_filter_map(
        "a CR belongs to the line ending",
        |(bytes, eol)| {
            (!bytes.ends_with(b"\r")).then_some(Line {
                bytes,
                eol,
                dropped: 0,
            })
        },
    )
}

fn history(dialect: &Dialect) -> impl Strategy<Value = Vec<Frame>> + use<> {
    let events: Vec<_> = dialect
        .events
        .names
        .keys()
        .cloned()
        .chain(["nonsense".to_owned()])
        .collect();
    let commands: Vec<_> = dialect
        .commands
        .names
        .keys()
        .cloned()
        .chain(["nonsense".to_owned()])
        .collect();
    let body = prop_oneof![
        12 => line(events).prop_map(Body::FromAgent),
        6 => line(commands).prop_map(Body::ToAgent),
        2 => (0..4u64).prop_map(|n| Body::LlmRequest(LlmRequest { n, path: "/v1/messages".into(), body: json!({"messages": ["m1"]}) })),
        1 => (0..4u64).prop_map(|n| Body::LlmReply(LlmReply { n, status: 200, end: ReplyEnd::Cut, body: None, message: None })),
        1 => (1..3u64).prop_map(|n| Body::Mcp(McpEvent { n, server: "birds".into(), body: json!({"method": "tools/list", "id": n}) })),
        1 => Just(Body::Stderr(Line::new("note"))),
        1 => Just(Body::StdinClosed),
        1 => Just(Body::StdoutClosed),
        1 => Just(Body::Signal("SIGTERM".into())),
    ];
    let end = prop_oneof![
        Just(Vec::new()),
        Just(vec![Body::End(End::Exited {
            code: 0,
            orphans: 1
        })]),
        Just(vec![Body::End(End::Killed {
            why: "budget:exit".into()
        })]),
    ];
    (prop::collection::vec(body, 0..40), end).prop_map(|(mut bodies, end)| {
        bodies.extend(end);
        let numbered = bodies.into_iter().enumerate();
        numbered
            .map(|(n, body)| Frame {
                at: n as u64 * 1000,
                body,
            })
            .collect()
    })
}

fn argv() -> Vec<String> {
    vec![
        "agent".to_owned(),
        "--session-id".to_owned(),
        "m1".to_owned(),
    ]
}

fn check(dialect: &Arc<Dialect>, frames: &[Frame]) -> Vec<Finding> {
    let context = CheckOptions {
        argv: Some(argv()),
        ..CheckOptions::default()
    };
    let mut checker = Checker::new(Arc::clone(dialect), context);
    frames.iter().for_each(|frame| checker.push(frame));
    checker.finish().findings
}

fn recorded(frames: &[Frame]) -> Vec<Frame> {
    let header = Header {
        dialect: None,
        agent: argv(),
    };
    let mut writer = TranscriptWriter::new(Vec::new(), &header).unwrap();
    frames.iter().for_each(|frame| writer.write(frame).unwrap());
    let bytes = writer.finish().unwrap();
    TranscriptReader::new(bytes.as_slice())
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

fn any_history() -> impl Strategy<Value = (Arc<Dialect>, Vec<Frame>)> {
    prop::sample::select(DIALECTS.clone()).prop_flat_map(|dialect| {
        let frames = history(&dialect);
        (Just(dialect), frames)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_session_and_its_recording_have_the_same_findings((dialect, frames) in any_history()) {
        prop_assert_eq!(check(&dialect, &recorded(&frames)), check(&dialect, &frames));
    }

    #[test]
    fn the_findings_of_a_prefix_are_a_prefix_of_the_findings((dialect, frames) in any_history(), cut in any::<prop::sample::Index>()) {
        let whole = check(&dialect, &frames);
        let prefix = check(&dialect, &frames[..cut.index(frames.len() + 1)]);
        prop_assert!(prefix.len() <= whole.len());
        prop_assert_eq!(&prefix[..], &whole[..prefix.len()]);
    }
}

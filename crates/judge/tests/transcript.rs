//! The written form of transcripts: what is written is read again, and mistakes are reported with their places.

use conform_judge::frame::{Body, End, Eol, Frame, Line, LlmReply, LlmRequest, McpEvent, ReplyEnd};
use conform_judge::transcript::{Header, TranscriptReader, TranscriptWriter};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

const HEADER: &str =
    "{\"conform_transcript\":1,\"dialect\":\"aionrs@0.1\",\"agent\":[\"a\",\"--b\"]}\n";

fn written(header: &Header, frames: &[Frame]) -> Vec<u8> {
    let mut writer = TranscriptWriter::new(Vec::new(), header).unwrap();
    for frame in frames {
        writer.write(frame).unwrap();
    }
    writer.finish().unwrap()
}

/// The frames before the first error, and the error.
fn read(bytes: &[u8]) -> (Vec<Frame>, Option<String>) {
    let reader = match TranscriptReader::new(bytes) {
        Ok(reader) => reader,
        Err(error) => return (vec![], Some(error.to_string())),
    };
    let mut frames = Vec::new();
    for frame in reader {
        match frame {
            Ok(frame) => frames.push(frame),
            Err(error) => return (frames, Some(error.to_string())),
        }
    }
    (frames, None)
}

/// Frames with these contents, at the microseconds 1, 2, …
fn in_order(bodies: impl IntoIterator<Item = Body>) -> Vec<Frame> {
    let timed = bodies.into_iter().zip(1..);
    timed.map(|(body, at)| Frame { at, body }).collect()
}

fn request(n: u64, path: &str, body: Value) -> Body {
    let path = path.to_owned();
    Body::LlmRequest(LlmRequest { n, path, body })
}

fn error_behind_header(record: &str) -> String {
    let (_, error) = read(format!("{HEADER}{record}").as_bytes());
    error.unwrap_or_else(|| panic!("no error: {record}"))
}

#[test]
fn the_written_form_is_version_1() {
    let header = Header {
        dialect: Some("aionrs@0.1".into()),
        agent: vec!["a".into(), "--b".into()],
    };
    let (code, orphans) = (0, 0);
    let exited = End::Exited { code, orphans };
    let (signal, orphans) = (9, 2);
    let signalled = End::Signalled { signal, orphans };
    let bodies = [
        Body::FromAgent(Line::new(r#"{"type":"ready"}"#)),
        Body::ToAgent(Line::ended(b"x", Eol::CrLf)),
        Body::Stderr(Line {
            dropped: 3,
            ..Line::ended(b"\xff", Eol::None)
        }),
        request(0, "/v1/messages", json!({"m": 1})),
        Body::Mcp(McpEvent {
            n: 1,
            server: "birds".into(),
            body: json!({"method": "ping"}),
        }),
        Body::LlmReply(LlmReply {
            n: 0,
            status: 200,
            message: None,
            end: ReplyEnd::ClientClosed,
            body: Some("data: x".into()),
        }),
        Body::StdinClosed,
        Body::Signal("SIGTERM".into()),
        Body::End(exited),
        Body::End(signalled),
        Body::End(End::Killed {
            why: "budget:response".into(),
        }),
        Body::End(End::Open),
    ];
    let frames = in_order(bodies);
    let expected = HEADER.to_owned()
        + r#"{"at":1,"dir":"from_agent","line":"{\"type\":\"ready\"}"}
{"at":2,"dir":"to_agent","line":"x","eol":"crlf"}
{"at":3,"dir":"stderr","b64":"/w==","eol":"none","dropped":3}
{"at":4,"dir":"llm_request","n":0,"path":"/v1/messages","body":{"m":1}}
{"at":5,"dir":"mcp_request","n":1,"server":"birds","body":{"method":"ping"}}
{"at":6,"dir":"llm_reply","n":0,"body":"data: x","status":200,"end":"client_closed"}
{"at":7,"dir":"stdin_closed"}
{"at":8,"dir":"signal","signal":"SIGTERM"}
{"at":9,"dir":"end","end":"exited","code":0}
{"at":10,"dir":"end","end":"signalled","signal":9,"orphans":2}
{"at":11,"dir":"end","end":"killed","why":"budget:response"}
{"at":12,"dir":"end","end":"open"}
"#;
    let bytes = written(&header, &frames);
    for line in expected.lines() {
        assert!(
            VALIDATOR.is_valid(&serde_json::from_str(line).unwrap()),
            "{line}"
        );
    }
    similar_asserts::assert_eq!(String::from_utf8(bytes.clone()).unwrap(), expected);
    assert_eq!(
        TranscriptReader::new(&*bytes).unwrap().header(),
        Some(&header)
    );
    assert_eq!(read(&bytes), (frames, None));
}

#[test]
fn a_file_without_header_is_a_plain_capture() {
    let bytes = b"{\"type\":\"ready\"}\r\nnoise\n\xff";
    assert_eq!(TranscriptReader::new(&bytes[..]).unwrap().header(), None);
    let lines = [
        Line::ended(br#"{"type":"ready"}"#, Eol::CrLf),
        Line::new("noise"),
        Line::ended(b"\xff", Eol::None),
    ];
    let frames = lines.map(|line| Frame {
        at: 0,
        body: Body::FromAgent(line),
    });
    assert_eq!(read(bytes), (frames.into(), None));
    assert_eq!(read(b""), (vec![], None));
}

#[test]
fn unknown_fields_and_foreign_line_ends_are_read_over() {
    let text = "\u{feff}{\"conform_transcript\":1,\"host\":\"x\"}\r\n\
        {\"at\":1,\"dir\":\"llm_request\",\"n\":2,\"headers\":{\"a\":[]},\"body\":{}}\r\n\
        {\"dir\":\"stdin_closed\",\"at\":2,\"x\":{\"line\":1}}";
    let frames = in_order([request(2, "", json!({})), Body::StdinClosed]);
    assert_eq!(read(text.as_bytes()), (frames, None));
    assert_eq!(
        TranscriptReader::new(text.as_bytes()).unwrap().header(),
        Some(&Header::default())
    );
}

/// Headers, each with its error on the next line.
const BROKEN_HEADERS: &str = r#"
{"conform_transcript":2}
    line 1: a transcript of version 2; this program reads version 1
{"conform_transcript":"1"}
    line 1: a transcript of version "1"; this program reads version 1
{"conform_transcript":1,"agent":"a"}
    line 1: the transcript's header is broken: invalid type: string "a", expected a sequence
{"conform_transcript":1,]
    line 1, column 25: the transcript's header is broken: key must be a string
"#;

#[test]
fn a_broken_header_is_a_located_error() {
    let lines: Vec<&str> = BROKEN_HEADERS.trim().lines().collect();
    let whole = lines
        .chunks(2)
        .map(|pair| (format!("{}\n", pair[0]), pair[1].trim()));
    let cut = "line 1: the file is cut in the middle of this record";
    for (text, expected) in whole.chain([("{\"conform_transcript\":1,\"dial".to_owned(), cut)]) {
        let error = Some(expected.to_owned());
        assert_eq!(read(text.as_bytes()), (vec![], error), "{text}");
    }
}

#[test]
fn a_broken_record_is_a_located_error_behind_the_frames_before_it() {
    let good = "{\"at\":1,\"dir\":\"stdin_closed\"}\n";
    let (frames, error) = read(format!("{HEADER}{good}{{\"at\":2,\"dir\":\"from_ag").as_bytes());
    assert_eq!(frames.len(), 1);
    assert_eq!(
        error.as_deref(),
        Some("line 3, column 23: the file is cut in the middle of this record")
    );
}

fn body_of(record: &str) -> Body {
    let (mut frames, error) = read(format!("{HEADER}{record}\n").as_bytes());
    assert_eq!(error, None, "{record}");
    frames.remove(0).body
}

#[test]
fn records_of_later_kinds_are_ignored() {
    let later = r#"{"at":2,"dir":"mcp_request","server":"files","line":"{}"}"#;
    let known = r#"{"at":3,"dir":"stdin_closed"}"#;
    for later in [later, &later.replace("mcp_request", "mcp_reply")] {
        let (frames, error) = read(format!("{HEADER}{later}\n{known}\n{later}").as_bytes());
        let bodies: Vec<_> = frames.into_iter().map(|frame| frame.body).collect();
        assert_eq!((bodies, error), (vec![Body::StdinClosed], None));
    }
}

#[test]
fn a_signal_may_be_given_by_its_name_or_its_number() {
    for given in ["15", "\"SIGTERM\""] {
        let record = format!("{{\"at\":1,\"dir\":\"signal\",\"signal\":{given}}}");
        assert_eq!(body_of(&record), Body::Signal("SIGTERM".into()));
        let record =
            format!("{{\"at\":1,\"dir\":\"end\",\"end\":\"signalled\",\"signal\":{given}}}");
        let (signal, orphans) = (15, 0);
        let ended = Body::End(End::Signalled { signal, orphans });
        assert_eq!(body_of(&record), ended);
    }
}

/// Records, each with its error on the next line.
const WRONG_RECORDS: &str = r#"
nonsense
    line 2, column 2: not JSON: expected ident
{"at":1,"dir":"sideways"}
    line 2: unknown dir "sideways"; known are to_agent, from_agent, stderr, llm_request, lane_request, llm_reply, mcp_request, stdin_closed, stdout_closed, signal, end
{"dir":"stdin_closed"}
    line 2, column 22: not a transcript record: missing field `at`
{"at":1,"dir":"stderr"}
    line 2: not a transcript record: missing field `line`
{"at":1,"dir":"stderr","line":"","b64":""}
    line 2: not a transcript record: both "line" and "b64"
{"at":1,"dir":"stderr","b64":"!"}
    line 2: not a transcript record: "b64" is not Base64: invalid length at 0
{"at":1,"dir":"end","end":"exited"}
    line 2: not a transcript record: missing field `code`
{"at":1,"dir":"end","end":"lost"}
    line 2: not a transcript record: no way for a session to end: "lost"
{"at":1,"dir":"signal","signal":[15]}
    line 2: not a transcript record: "signal" is [15], not a signal
"#;

#[test]
fn each_wrong_record_says_what_is_wrong() {
    let lines: Vec<&str> = WRONG_RECORDS.trim().lines().collect();
    let pairs = lines.chunks(2).map(|pair| (pair[0], pair[1].trim()));
    for (record, expected) in
        pairs.chain([("", "line 2, column 1: not JSON: EOF while parsing a value")])
    {
        let record = &format!("{record}\n");
        assert_eq!(error_behind_header(record), expected, "{record}");
        assert!(
            !serde_json::from_str(record).is_ok_and(|record| VALIDATOR.is_valid(&record)),
            "{record}"
        );
    }
}

/// The published schema of a line.
static VALIDATOR: LazyLock<jsonschema::Validator> = LazyLock::new(|| {
    let schema =
        serde_json::from_str(include_str!("../../../schemas/conform/transcript.json")).unwrap();
    jsonschema::draft202012::new(&schema).unwrap()
});

fn any_body() -> impl Strategy<Value = Value> {
    let number = any::<i64>().prop_map(Value::from);
    let value = prop_oneof![number, ".*".prop_map(Value::from)];
    vec((".*", value), 0..5).prop_map(|members| Value::Object(members.into_iter().collect()))
}

fn any_line() -> impl Strategy<Value = Line> {
    let bytes = prop_oneof![vec(any::<u8>(), 0..40), ".*".prop_map(String::into_bytes)];
    let eol = prop_oneof![Just(Eol::Lf), Just(Eol::CrLf), Just(Eol::None)];
    (bytes, eol, prop_oneof![Just(0), any::<u64>()]).prop_map(|(bytes, eol, dropped)| Line {
        bytes,
        eol,
        dropped,
    })
}

fn any_end() -> impl Strategy<Value = End> {
    prop_oneof![
        (any::<i32>(), any::<u32>()).prop_map(|(code, orphans)| End::Exited { code, orphans }),
        (any::<i32>(), any::<u32>())
            .prop_map(|(signal, orphans)| End::Signalled { signal, orphans }),
        ".*".prop_map(|why| End::Killed { why }),
        Just(End::Open),
    ]
}

fn any_frame() -> impl Strategy<Value = Frame> {
    let reply_end = prop_oneof![
        Just(ReplyEnd::Complete),
        Just(ReplyEnd::ClientClosed),
        Just(ReplyEnd::Cut)
    ];
    let body = prop_oneof![
        any_line().prop_map(Body::ToAgent),
        any_line().prop_map(Body::FromAgent),
        any_line().prop_map(Body::Stderr),
        (any::<u64>(), ".*", any_body()).prop_map(|(n, path, body)| request(n, &path, body)),
        (any::<u64>(), any::<u16>(), reply_end, any_body()).prop_map(|(n, status, end, body)| {
            let body = Some(body).filter(|body| !body.is_null());
            Body::LlmReply(LlmReply {
                n,
                status,
                message: None,
                end,
                body,
            })
        }),
        Just(Body::StdinClosed),
        Just(Body::StdoutClosed),
        ".*".prop_map(Body::Signal),
        any_end().prop_map(Body::End),
    ];
    (any::<u64>(), body).prop_map(|(at, body)| Frame { at, body })
}

#[test]
fn a_request_nested_as_deep_as_json_is_ever_read_survives() {
    let body = serde_json::from_str(&format!("{}{}", "[".repeat(127), "]".repeat(127))).unwrap();
    let frames = in_order([request(0, "/", body)]);
    assert_eq!(read(&written(&Header::default(), &frames)), (frames, None));
}

proptest! {
    #[test]
    fn reading_a_written_transcript_is_the_identity(
        frames in vec(any_frame(), 0..12),
        dialect in proptest::option::of(".*"),
        agent in vec(".*", 0..4),
    ) {
        let header = Header { dialect, agent };
        let bytes = written(&header, &frames);
        for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
            prop_assert!(VALIDATOR.is_valid(&serde_json::from_slice(line).unwrap()));
        }
        let reader = TranscriptReader::new(&*bytes).unwrap();
        prop_assert_eq!(reader.header(), Some(&header));
        prop_assert_eq!(reader.collect::<Result<Vec<_>, _>>().unwrap(), frames);
    }

    #[test]
    fn a_cut_file_gives_the_frames_before_the_cut(frames in vec(any_frame(), 1..4), cut in any::<prop::sample::Index>()) {
        let bytes = written(&Header::default(), &frames);
        let head = written(&Header::default(), &[]).len();
        let (kept, error) = read(&bytes[..head + cut.index(bytes.len() - head)]);
        prop_assert!(frames.starts_with(&kept));
        prop_assert!(error.is_none_or(|error| error.ends_with("cut in the middle of this record")));
    }
}

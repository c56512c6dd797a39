//! Tool calls.

use super::conditions::{CALL, INPUT, PIECE, RESULT};
use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};

const fn call(id: &'static str, summary: &'static str, op: Op) -> Fault {
    frame(id, summary, "message_update", op).when(CALL)
}

const fn piece(id: &'static str, summary: &'static str, op: Op) -> Fault {
    frame(id, summary, "message_update", op).when(PIECE)
}

const fn input(id: &'static str, summary: &'static str, op: Op) -> Fault {
    frame(id, summary, "message_update", op).when(INPUT)
}

const fn result(id: &'static str, summary: &'static str, op: Op) -> Fault {
    frame(id, summary, "message_update", op).when(RESULT)
}

pub(super) const FAULTS: &[Fault] = &[
    call("no-call-start", "a call is not announced", Op::Drop).caught_by(&["toolcall-lifecycle"]),
    call("two-call-starts", "a call is announced twice", Op::Twice).caught_by(&["toolcall-lifecycle", "toolcall-has-result"]).later(),
    call(
        "call-start-late",
        "a call is announced behind the first piece of its input",
        Op::Late("message_update"),
    )
    .caught_by(&["toolcall-lifecycle"]),
    call(
        "call-of-another-tool",
        "a call is announced for another tool than the model asked for",
        Op::Set("/event/tool_name", "\"other\""),
    )
    .caught_by(&["scenario:tools/one-call"]),
    call(
        "empty-tool-id",
        "a call is announced under an empty id",
        Op::Set("/event/tool_id", "\"\""),
    )
    .later()
    .caught_by(&["toolcall-lifecycle", "toolcall-has-result"]),
    frame(
        "tool-id-is-own",
        "a call goes by an id that the model did not give it",
        "message_update",
        Op::Set("/event/tool_id", "\"tool-1\""),
    )
    .when(&[("/event/tool_id", "call_1")])
    .every()
    .caught_by(&["scenario:tools/one-call"]),
    piece(
        "piece-of-another-call",
        "a piece of input has the id of no call",
        Op::Set("/event/tool_id", "\"other\""),
    )
    .caught_by(&["toolcall-lifecycle", "toolcall-input-whole", "toolcall-input-json"]),
    piece("piece-lost", "a piece of a call's input is lost", Op::Drop)
        .caught_by(&["toolcall-input-whole", "toolcall-input-json", "scenario:tools/input-in-fragments"]),
    piece("piece-twice", "a piece of a call's input comes twice", Op::Twice)
        .later()
    .caught_by(&["toolcall-input-whole", "toolcall-input-json"]),
    piece(
        "piece-is-cumulative",
        "every piece of a call's input repeats the ones before",
        Op::Cumulate(None, "/event/delta"),
    )
    .every()
    .later()
    .caught_by(&["toolcall-input-whole", "toolcall-input-json"]),
    piece(
        "no-pieces",
        "the input of a call does not come in pieces",
        Op::Drop,
    )
    .every()
    ,
    frame(
        "pieces-are-no-json",
        "the pieces of a call's input are cut, and the whole is not told",
        "message_update",
        Op::Line(|line| {
            let is = |kind: &[u8]| line.windows(kind.len()).any(|part| part == kind);
            if is(br#""toolcall_input""#) || is(br#""toolcall_input_delta""#) && line.ends_with(b"\"}\"}}\n") {
                line.clear();
            }
        }),
    )
    .every()
    .caught_by(&["toolcall-input-json"]),
    input(
        "input-is-not-told",
        "the whole input of a call is not told",
        Op::Drop,
    )
    .every(),
    input(
        "input-differs",
        "the whole input of a call is not what its pieces join to",
        Op::Set("/event/input", r#"{"command":"rm -r ."}"#),
    )
    .caught_by(&["toolcall-input-whole"]),
    input(
        "input-is-text",
        "the whole input of a call is text, not parsed",
        Op::Set("/event/input", r#""{\"command\":\"true\"}""#),
    )
    .caught_by(&["toolcall-input-whole"]),
    input(
        "input-twice",
        "the whole input of a call is told twice",
        Op::Twice,
    )
    .caught_by(&["toolcall-lifecycle"]),
    input(
        "input-behind-result",
        "the whole input of a call comes behind its result",
        Op::Late("message_update"),
    )
    .caught_by(&["toolcall-lifecycle"]),
    input(
        "piece-behind-input",
        "a piece of input comes behind the whole",
        Op::After(
            r#"{"type":"message_update","event":{"type":"toolcall_input_delta","tool_id":"$/event/tool_id","delta":" "}}"#,
        ),
    )
    .caught_by(&["toolcall-lifecycle"]),
    call(
        "result-before-start",
        "a call has its result before it is announced",
        Op::Before(
            r#"{"type":"message_update","event":{"type":"toolcall_result","tool_id":"$/event/tool_id","result":""}}"#,
        ),
    )
    .caught_by(&["toolcall-lifecycle"]),
    result("no-result", "a call that has run has no result", Op::Drop)
        .caught_by(&["toolcall-has-result"]),
    result("two-results", "a call has two results", Op::Twice).caught_by(&["toolcall-lifecycle"]),
    result(
        "result-of-another-call",
        "a result has the id of no call",
        Op::Set("/event/tool_id", "\"other\""),
    )
    .caught_by(&["toolcall-lifecycle", "toolcall-has-result"]),
    result(
        "result-after-end",
        "a call's result comes behind the end of its turn",
        Op::Late("agent_end"),
    )
    .caught_by(&["toolcall-has-result", "update-in-turn", "toolcall-lifecycle", "state-streaming"]),
    result(
        "result-is-garbled",
        "a call's result is not what the tool gave",
        Op::Set("/event/result", "\"?\""),
    )
    .every()
    .caught_by(&["scenario:tools/one-call"]),
    bug(
        "tool-runs-twice",
        "a tool runs twice for one call",
        Bug::RunsToolsTwice,
    )
    .caught_by(&["scenario:tools/one-call", "scenario:tools/two-calls-at-once"]),
    bug(
        "tool-runs-twice-in-subagent",
        "a tool of a subagent runs twice for one call",
        Bug::RunsToolsTwice,
    )
    .caught_by(&["scenario:subagents/runs-its-tools-once"]),
    result(
        "result-is-trimmed",
        "a call's result is told without its blanks and line breaks",
        Op::Change(|frame| {
            let words = frame["event"]["result"].as_str().map(|text| {
                let words: Vec<_> = text.split_whitespace().collect();
                words.join(" ")
            });
            frame["event"]["result"] = words.into();
        }),
    )
    .every()
    .caught_by(&["scenario:tools/result-is-what-it-printed"]),
    input(
        "input-without-nulls",
        "the whole input of a call leaves out what is null",
        Op::Change(|frame| {
            if let Some(input) = frame["event"]["input"].as_object_mut() {
                input.retain(|_, value| !value.is_null());
            }
        }),
    )
    .every()
    .caught_by(&["toolcall-input-whole", "scenario:tools/whole-input-of-every-sort"]),
    frame(
        "pieces-lose-the-last",
        "the last piece of a call's input is lost, and the whole is not told",
        "message_update",
        Op::Line(|line| {
            let is = |kind: &[u8]| line.windows(kind.len()).any(|part| part == kind);
            if is(br#""toolcall_input""#) || is(br#""toolcall_input_delta""#) && line.ends_with(b"}\"}}\n") {
                line.clear();
            }
        }),
    )
    .every()
    .caught_by(&["scenario:tools/input-in-fragments", "toolcall-input-json"]),
    frame(
        "input-is-untold",
        "the input of a call is told neither in pieces nor as a whole",
        "message_update",
        Op::Line(|line| {
            if line.windows(15).any(|part| part == br#""toolcall_input"#) {
                line.clear();
            }
        }),
    )
    .every()
    .caught_by(&["scenario:tools/input-is-told"]),
    result(
        "no-result-of-an-unknown-tool",
        "a call of a tool that there is not has no result",
        Op::Drop,
    )
    .when(&[("/event/tool_id", "call_x"), ("/event/type", "toolcall_result")])
    .caught_by(&["toolcall-has-result", "scenario:tools/unknown-tool"]),
    bug(
        "tool-results-are-cut",
        "the model is told the first 4096 bytes of what a tool gave",
        Bug::CutsToolResults,
    )
    .caught_by(&["scenario:tools/long-output-reaches-the-model"]),
    bug(
        "forgets-tools",
        "each turn begins without the tools of the ones before",
        Bug::ForgetsOldResults,
    )
    .caught_by(&["scenario:tools/stay-in-the-conversation"]),
    bug(
        "loses-tool-results",
        "the model is not told what a tool gave",
        Bug::LosesToolResults,
    )
    .caught_by(&["scenario:tools/one-call"]),
    bug(
        "loses-second-call",
        "only the first of several calls is carried out",
        Bug::LosesSecondCall,
    )
    .caught_by(&["scenario:tools/two-calls-at-once"]),
    piece(
        "pieces-of-the-other-call",
        "the pieces of the second of two calls go by the id of the first",
        Op::Set("/event/tool_id", "\"call_a\""),
    )
    .when(&[("/event/type", "toolcall_input_delta"), ("/event/tool_id", "call_b")])
    .every()
    .later()
    .caught_by(&["scenario:tools/pieces-of-two-calls", "toolcall-input-whole", "toolcall-input-json"]),
    result(
        "result-of-the-other-call",
        "the result of a call is that of the other one",
        Op::Set("/event/result", "\"two\\n\""),
    )
    .when(&[("/event/type", "toolcall_result"), ("/event/tool_id", "call_a")])
    .caught_by(&["scenario:tools/two-calls-at-once"]),
    input(
        "input-without-empty-texts",
        "the whole input of a call leaves out what is an empty text",
        Op::Change(|frame| {
            if let Some(input) = frame["event"]["input"].as_object_mut() {
                input.retain(|_, value| value != "");
            }
        }),
    )
    .every()
    .caught_by(&["toolcall-input-whole", "scenario:tools/whole-input-of-every-sort"]),
    bug(
        "tools-once",
        "tools are offered in the first turn only",
        Bug::ToolsOnce,
    )
    .caught_by(&["scenario:tools/offered-in-every-turn"]),
    start(
        "tool-reads-stdin",
        "a tool reads the stdin of the agent",
        FaultEffect::Bug(Bug::ToolReadsStdin),
    )
    .caught_by(&[
        "scenario:tools/stdin-is-not-the-protocol",
        "answered-before-exit",
        "answered-in-time",
        "bad-frame-answered",
    ]),
    frame(
        "result-of-a-known-id-is-lost",
        "a call whose id was used before is told the result of the first",
        "message_update",
        Op::Set("/event/result", "\"first-out\\n\""),
    )
    .when(&[("/event/result", "second-out\n")])
    .caught_by(&["scenario:tools/same-id-in-two-turns", "scenario:tools/two-rounds"]),
];

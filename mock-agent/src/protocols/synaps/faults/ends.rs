//! Ends of turns that are missing, repeated, at the wrong time, or with a wrong usage.

use super::conditions::{ABORT, NEW_SESSION, RESULT, TEXT};
use crate::faults::{Bug, Fault, Op, bug, frame};

const END: &str = r#"{"type":"agent_end","usage":{"input_tokens":0,"output_tokens":0}}"#;

const fn end(id: &'static str, summary: &'static str, op: Op) -> Fault {
    frame(id, summary, "agent_end", op)
}

pub(super) const FAULTS: &[Fault] = &[
    end("no-end", "a turn has no `agent_end`", Op::Drop)
        .caught_by(&["turn-ends-before-exit", "abort-ends-turn"]),
    end("no-end-of-any-turn", "no turn has an `agent_end`", Op::Drop)
        .every()
        .caught_by(&[
            "turn-ends-before-exit",
            "scenario:shutdown/after-the-response",
            "abort-ends-turn",
        ]),
    end("two-ends", "a turn has two `agent_end`", Op::Twice)
        .caught_by(&["end-of-a-turn", "update-before-end"]),
    frame(
        "end-early",
        "`agent_end` comes before the text, and again at the end",
        "message_update",
        Op::Before(END),
    )
    .when(TEXT)
    .caught_by(&["end-of-a-turn", "update-in-turn", "update-before-end"])
    .later(),
    frame(
        "end-before-the-last-answer",
        "`agent_end` comes behind the tool's result, and again at the end",
        "message_update",
        Op::After(END),
    )
    .when(RESULT)
    .later()
    .caught_by(&[
        "end-of-a-turn",
        "update-in-turn",
        "toolcall-has-result",
        "toolcall-lifecycle",
        "update-before-end",
    ]),
    frame(
        "end-without-turn",
        "`agent_end` comes with a new session, without a turn",
        "response",
        Op::After(END),
    )
    .when(NEW_SESSION)
    .at_start()
    .caught_by(&["end-of-a-turn", "update-before-end"]),
    frame(
        "end-again-with-abort",
        "the answer to an abort is followed by another `agent_end`",
        "response",
        Op::After(END),
    )
    .when(ABORT)
    .at_start()
    .caught_by(&["end-of-a-turn", "update-before-end"]),
    end(
        "end-without-usage",
        "`agent_end` has no usage",
        Op::Remove("/usage"),
    )
    .caught_by(&["schema/agent_end"]),
    end(
        "usage-is-null",
        "the usage of `agent_end` is null",
        Op::Set("/usage", "null"),
    )
    .caught_by(&["schema/agent_end"]),
    end(
        "usage-of-an-earlier-turn",
        "the usage of the third turn is that of the first",
        Op::Set("/usage/input_tokens", "1001"),
    )
    .when(&[("/usage/input_tokens", "3005")])
    .caught_by(&["scenario:usage/tokens-of-a-turn"]),
    end(
        "usage-without-input",
        "the usage has no input_tokens",
        Op::Remove("/usage/input_tokens"),
    )
    .caught_by(&["schema/agent_end"]),
    end(
        "usage-without-output",
        "the usage has no output_tokens",
        Op::Remove("/usage/output_tokens"),
    )
    .caught_by(&["schema/agent_end"]),
    end(
        "usage-is-negative",
        "the usage has negative input_tokens",
        Op::Set("/usage/input_tokens", "-1"),
    )
    .caught_by(&["schema/agent_end", "stats-are-sums"]),
    end(
        "output-is-negative",
        "the usage has negative output_tokens",
        Op::Set("/usage/output_tokens", "-1"),
    )
    .caught_by(&["schema/agent_end", "stats-are-sums"]),
    end(
        "usage-is-text",
        "the usage has output_tokens as text",
        Op::Set("/usage/output_tokens", "\"7\""),
    )
    .caught_by(&["schema/agent_end"]),
    end(
        "cache-read-is-null",
        "the usage has cache_read_input_tokens null",
        Op::Set("/usage/cache_read_input_tokens", "null"),
    )
    .caught_by(&["schema/agent_end"]),
    end(
        "cache-creation-is-negative",
        "the usage has negative cache_creation_input_tokens",
        Op::Set("/usage/cache_creation_input_tokens", "-5"),
    )
    .caught_by(&["schema/agent_end"]),
    end(
        "usage-model-is-null",
        "the usage names the model null",
        Op::Set("/usage/model", "null"),
    )
    .caught_by(&["schema/agent_end"]),
    end(
        "usage-model-is-empty",
        "the usage names the model by an empty text",
        Op::Set("/usage/model", "\"\""),
    )
    .caught_by(&["schema/agent_end"]),
    end(
        "usage-names-another-model",
        "the usage names a model that was not used",
        Op::Set("/usage/model", "\"local/third\""),
    )
    .caught_by(&["usage-model"]),
    end(
        "usage-names-the-first-model",
        "the usage names the model of the start after `set_model`",
        Op::Set("/usage/model", "\"local/mock-model\""),
    )
    .when(&[("/usage/model", "local/other-model")])
    .every()
    .caught_by(&["usage-model"]),
    end(
        "usage-has-fractions",
        "the usage has its counts with a fraction",
        Op::Change(|frame| {
            let tokens = frame["usage"]["input_tokens"].as_f64();
            frame["usage"]["input_tokens"] = tokens.unwrap_or_default().into();
        }),
    )
    .caught_by(&["schema/agent_end"]),
    end(
        "cache-creation-is-lost",
        "the usage does not count what was written into the cache",
        Op::Set("/usage/cache_creation_input_tokens", "0"),
    )
    .every()
    .caught_by(&["scenario:usage/tokens-over-anthropic"]),
    end(
        "usage-is-nothing",
        "the usage counts no tokens",
        Op::Set("/usage", r#"{"input_tokens":0,"output_tokens":0}"#),
    )
    .every()
    .caught_by(&["scenario:usage/tokens-of-a-turn", "stats-are-sums"]),
    end(
        "usage-is-swapped",
        "the usage has the tokens of the answer for those of the prompt",
        Op::Set("/usage/input_tokens", "17"),
    )
    .caught_by(&["scenario:usage/tokens-of-a-turn", "stats-are-sums"]),
    end(
        "cache-read-is-lost",
        "the usage does not count cached tokens",
        Op::Set("/usage/cache_read_input_tokens", "0"),
    )
    .caught_by(&["scenario:usage/cached-tokens"]),
    bug(
        "usage-of-last-request",
        "usage counts only the last request of a turn",
        Bug::UsageOfLastRequest,
    )
    .caught_by(&["scenario:usage/tokens-of-several-requests"]),
    frame(
        "cache-counts-swapped",
        "the usage has the tokens written into the cache for those read from it",
        "agent_end",
        Op::Change(|frame| {
            let read = frame["usage"]["cache_read_input_tokens"].take();
            let written = frame["usage"]["cache_creation_input_tokens"].take();
            frame["usage"]["cache_read_input_tokens"] = written;
            frame["usage"]["cache_creation_input_tokens"] = read;
        }),
    )
    .every()
    .caught_by(&[
        "scenario:usage/cached-tokens",
        "scenario:usage/tokens-over-anthropic",
    ]),
];

//! The mistakes in a script that its types cannot refuse.

use std::collections::HashSet;

use super::{
    ContentItem, Expect, HttpFault, Repeat, Script, ScriptError, ScriptReply, Texts, ToolCall,
};
use crate::headers;
use json_matcher::Matcher;

/// Collects problems below one place of the script.
struct ErrorCollector<'a> {
    pointer: String,
    problems: &'a mut Vec<ScriptError>,
}

impl ErrorCollector<'_> {
    fn below(&mut self, step: impl std::fmt::Display) -> ErrorCollector<'_> {
        ErrorCollector {
            pointer: format!("{}/{step}", self.pointer),
            problems: self.problems,
        }
    }

    fn problem(&mut self, message: impl Into<String>) {
        self.problems.push(ScriptError {
            pointer: self.pointer.clone(),
            message: message.into(),
        });
    }
}

impl Script {
    /// Every mistake that the types cannot refuse: a reply that says nothing, `content` beside `text`, a gate named twice ...
    #[must_use]
    pub fn check(&self) -> Vec<ScriptError> {
        check(self)
    }
}

fn check(script: &Script) -> Vec<ScriptError> {
    let mut problems = Vec::new();
    let mut gates = HashSet::new();
    let mut endless = None;
    for (i, one) in script.replies.iter().enumerate() {
        let mut at = ErrorCollector {
            pointer: format!("/{i}"),
            problems: &mut problems,
        };
        reply(&mut at, one);
        for gate in one.gates() {
            if !gates.insert(gate) {
                at.problem(format!("the gate `{gate}` is named twice in the script"));
            }
        }
        if one.when.is_none() {
            if let Some(before) = endless {
                at.problem(format!("never served: reply {before} repeats forever"));
            }
            if one.repeat == Repeat::Forever {
                endless = endless.or(Some(i));
            }
        }
    }
    problems
}

fn reply(at: &mut ErrorCollector, reply: &ScriptReply) {
    let short = reply.thinking.is_some() || reply.text.is_some() || !reply.tool_calls.is_empty();
    let kinds = [
        (short, "`text`, `thinking` or `tool_calls`"),
        (reply.content.is_some(), "`content`"),
        (reply.error.is_some(), "`error`"),
        (reply.cut.is_some(), "`cut`"),
    ];
    match kinds.iter().filter(|(said, _)| *said).map(|(_, name)| *name).collect::<Vec<_>>().as_slice() {
        [] => at.problem("the reply says nothing: give it `text`, `thinking`, `tool_calls`, `content`, `error` or `cut` (`content: []` for an empty answer)"),
        [_] => {}
        many => at.problem(format!("{} exclude each other", many.join(" and "))),
    }
    if (reply.error.is_some() || reply.cut.is_some())
        && (reply.usage.is_some() || reply.stop.is_some())
    {
        at.problem("`usage` and `stop` belong to an answer, and this reply gives none");
    }
    if let Some(when) = &reply.when {
        expect(&mut at.below("when"), when);
    }
    if let Some(demand) = &reply.expect_request {
        expect(&mut at.below("expect_request"), demand);
    }
    if let Some(fault) = &reply.error {
        http_fault(&mut at.below("error"), fault);
    }
    if let Some(chunks) = &reply.text {
        texts(&mut at.below("text"), chunks);
    }
    if let Some(thought) = &reply.thinking {
        texts(&mut at.below("thinking"), &thought.text);
    }
    for (i, call) in reply.tool_calls.iter().enumerate() {
        tool_call(&mut at.below("tool_calls").below(i), call);
    }
    content(
        &mut at.below("content"),
        reply.content.as_deref().unwrap_or_default(),
    );
    ids(at, reply);
    if reply.interleave && reply.calls().count() < 2 {
        at.problem("`interleave` wants at least two tool calls");
    }
}

fn content(at: &mut ErrorCollector, items: &[ContentItem]) {
    let mut over = None;
    for (i, item) in items.iter().enumerate() {
        let mut at = at.below(i);
        if let Some(end) = over {
            at.problem(format!(
                "never reached: the answer ends with the {end} before it"
            ));
            over = None;
        }
        match item {
            ContentItem::Text(chunks) => texts(&mut at.below("text"), chunks),
            ContentItem::Thinking(thought) => texts(&mut at.below("thinking"), &thought.text),
            ContentItem::ToolCall(call) => tool_call(&mut at.below("tool_call"), call),
            ContentItem::Stall(stall) if stall.length.is_none() => over = Some("`stall`"),
            ContentItem::Error(_) => over = Some("`error`"),
            ContentItem::Cut(_) => over = Some("`cut`"),
            _ => {}
        }
    }
}

fn texts(at: &mut ErrorCollector, texts: &Texts) {
    if texts.0.is_empty() {
        at.problem("an empty list of chunks; an empty text is `\"\"`");
    }
}

fn tool_call(at: &mut ErrorCollector, call: &ToolCall) {
    if call.name.is_empty() {
        at.below("name").problem("a tool has a name");
    }
    if call.args.is_some() && call.args_raw.is_some() {
        at.problem("`args` and `args_raw` exclude each other");
    }
    if call.args.as_ref().is_some_and(|args| !args.is_object()) {
        at.below("args")
            .problem("the arguments are a mapping; `args_raw` takes any text");
    }
    if call.chunks == Some(0) {
        at.below("chunks").problem("at least 1");
    }
}

fn ids(at: &mut ErrorCollector, reply: &ScriptReply) {
    let mut seen = HashSet::new();
    for id in reply.calls().filter_map(|call| call.id.as_deref()) {
        if !seen.insert(id) {
            at.problem(format!("two tool calls have the id `{id}`"));
        }
    }
}

fn http_fault(at: &mut ErrorCollector, fault: &HttpFault) {
    if !(300..600).contains(&fault.status) {
        at.below("status")
            .problem("the status of an error is 300 to 599");
    }
    if fault.body.is_some()
        && (fault.kind.is_some() || fault.message.is_some() || fault.code.is_some())
    {
        at.problem("`body` replaces the error document: `type`, `message` and `code` have no place beside it");
    }
    for (name, value) in &fault.headers {
        if let Err(message) = headers::validate(name, &value.0) {
            at.below("headers").below(name).problem(message);
        }
    }
}

fn expect(at: &mut ErrorCollector, expect: &Expect) {
    if *expect == Expect::default() {
        at.problem("says nothing: give it `contains`, `not_contains`, `last_contains`, `tool_result` or `body`");
    }
    if let Some(Err(errors)) = expect.body.as_ref().map(Matcher::compile_filled) {
        for error in errors {
            let mut at = at.below("body");
            at.pointer.push_str(&error.pointer);
            at.problem(error.problem.to_string());
        }
    }
}

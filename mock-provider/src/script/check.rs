//! Checks a script for mistakes that its types cannot refuse.

use std::collections::HashSet;

use super::{
    ContentItem, Delivery, Expect, HttpFault, Repeat, Script, ScriptError, ScriptReply, Stop,
    Texts, ToolCall,
};
use crate::headers;
use json_matcher::Matcher;

/// Collects the mistakes in one part of the script.
struct ErrorCollector<'a> {
    pointer: String,
    errors: &'a mut Vec<ScriptError>,
}

impl ErrorCollector<'_> {
    fn below(&mut self, step: impl std::fmt::Display) -> ErrorCollector<'_> {
        ErrorCollector {
            pointer: format!("{}/{step}", self.pointer),
            errors: self.errors,
        }
    }

    fn error(&mut self, message: impl Into<String>) {
        self.errors.push(ScriptError {
            pointer: self.pointer.clone(),
            message: message.into(),
        });
    }
}

impl Script {
    /// Every mistake that the types accept, such as a reply without content, `content` next to `text`, or a gate named twice.
    #[must_use]
    pub fn check(&self) -> Vec<ScriptError> {
        check(self)
    }
}

fn check(script: &Script) -> Vec<ScriptError> {
    let mut errors = Vec::new();
    let mut gates = HashSet::new();
    let mut endless = None;
    for (i, one) in script.replies.iter().enumerate() {
        let mut at = ErrorCollector {
            pointer: format!("/{i}"),
            errors: &mut errors,
        };
        reply(&mut at, one);
        for gate in one.gates() {
            if !gates.insert(gate) {
                at.error(format!("the gate `{gate}` is named twice in the script"));
            }
        }
        if one.when.is_none() {
            if let Some(before) = endless {
                at.error(format!("never served: reply {before} repeats forever"));
            }
            if one.repeat == Repeat::Forever {
                endless = endless.or(Some(i));
            }
        }
    }
    errors
}

fn reply(at: &mut ErrorCollector, reply: &ScriptReply) {
    let short = reply.thinking.is_some() || reply.text.is_some() || !reply.tool_calls.is_empty();
    let kinds = [
        (short, "`text`, `thinking` or `tool_calls`"),
        (reply.content.is_some(), "`content`"),
        (reply.error.is_some(), "`error`"),
        (reply.cut.is_some(), "`cut`"),
    ];
    match kinds.iter().filter(|(is_set, _)| *is_set).map(|(_, name)| *name).collect::<Vec<_>>().as_slice() {
        [] => at.error("the reply says nothing: give it `text`, `thinking`, `tool_calls`, `content`, `error` or `cut` (`content: []` for an empty answer)"),
        [_] => {}
        many => at.error(format!("{} exclude each other", many.join(" and "))),
    }
    if (reply.error.is_some() || reply.cut.is_some())
        && (reply.usage.is_some() || reply.stop.is_some())
    {
        at.error("`usage` and `stop` belong to an answer, and this reply has none");
    }
    if reply.stop_details.is_some() && reply.stop != Some(Stop::Refusal) {
        at.error("`stop_details` belongs to `stop: refusal`");
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
    delivery(&mut at.below("delivery"), &reply.delivery);
    if reply.interleave && reply.calls().count() < 2 {
        at.error("`interleave` needs at least two tool calls");
    }
}

fn content(at: &mut ErrorCollector, items: &[ContentItem]) {
    let mut over = None;
    for (i, item) in items.iter().enumerate() {
        let mut at = at.below(i);
        if let Some(end) = over {
            at.error(format!(
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
        at.error("an empty list of chunks; an empty text is `\"\"`");
    }
}

fn tool_call(at: &mut ErrorCollector, call: &ToolCall) {
    if let Some(purpose) = &call.purpose {
        at.below("use").error(format!(
            "`use: {purpose}` names a purpose, and its tool is not known here: write `name: TOOL`; only a dialect with `purposes` knows tools by purpose"
        ));
    } else if let Some(Texts(texts)) = &call.offered {
        let mut at = at.below("offered");
        if texts.is_empty() || texts.iter().any(String::is_empty) {
            at.error("the text that the name of the tool has must not be empty");
        } else if !call.name.is_empty() {
            at.error("`offered` stands in place of `name`: leave out one of them");
        }
    } else if call.name.is_empty() {
        at.below("name")
            .error("the name of a tool must not be empty");
    }
    if call.args.is_some() && call.args_raw.is_some() {
        at.error("`args` and `args_raw` exclude each other");
    }
    if call.args.as_ref().is_some_and(|args| !args.is_object()) {
        at.below("args")
            .error("the arguments must be a mapping; `args_raw` takes any text");
    }
    let fragments = call.args_raw.as_ref().map_or(1, |raw| raw.0.len());
    if call.chunks.is_some() && fragments > 1 {
        at.error("a list under `args_raw` has the fragments, so `chunks` has no effect");
    }
    if call.chunks == Some(0) {
        at.below("chunks").error("`chunks` must be at least 1");
    }
}

fn ids(at: &mut ErrorCollector, reply: &ScriptReply) {
    let mut seen = HashSet::new();
    for id in reply.calls().filter_map(|call| call.id.as_deref()) {
        if !seen.insert(id) {
            at.error(format!("two tool calls have the id `{id}`"));
        }
    }
}

fn delivery(at: &mut ErrorCollector, delivery: &Delivery) {
    let offsets = delivery.at.as_deref();
    let divisions = [delivery.every.is_some(), offsets.is_some(), delivery.whole];
    if divisions.iter().filter(|is_set| **is_set).count() > 1 {
        at.error("at most one of `every`, `at` and `whole`");
    }
    if offsets.is_some_and(|offsets| !offsets.is_sorted_by(|a, b| a < b)) {
        at.error("the offsets of `at` must ascend");
    }
}

fn http_fault(at: &mut ErrorCollector, fault: &HttpFault) {
    if !(300..600).contains(&fault.status) {
        at.below("status")
            .error("the status of an error must be 300 to 599");
    }
    if fault.body.is_some()
        && (fault.kind.is_some() || fault.message.is_some() || fault.code.is_some())
    {
        at.error("`body` replaces the error document: `type`, `message` and `code` cannot be used with it");
    }
    for (name, value) in &fault.headers {
        if let Err(message) = headers::validate(name, &value.0) {
            at.below("headers").below(name).error(message);
        }
    }
}

fn expect(at: &mut ErrorCollector, expect: &Expect) {
    if *expect == Expect::default() {
        at.error("the expectation is empty: give it `contains`, `not_contains`, `last_contains`, `tool_result` or `body`");
    }
    if let Some(Err(errors)) = expect.body.as_ref().map(Matcher::compile_filled) {
        for error in errors {
            let mut at = at.below("body");
            at.pointer.push_str(&error.pointer);
            at.error(error.message);
        }
    }
}

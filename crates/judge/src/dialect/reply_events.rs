//! Where the replies of the model show in the events of an agent (`replies` of `dialect.yaml`): a recorded session becomes a model script by
//! these.

use conform_dialect::RepliesFile;
use spanned_yaml::{Error, Node, Spanned, unknown};

/// A place in an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPart {
    /// The event, with its nested kind if it has one.
    pub event: String,
    /// The JSON Pointer.
    pub at: String,
}

/// Where the replies of the model show in the events.
#[derive(Debug, Clone, Default)]
pub struct ReplyEvents {
    /// A chunk of text.
    pub text: Option<EventPart>,
    /// A chunk of thinking.
    pub thinking: Option<EventPart>,
    /// The events that begin a block of text or thinking.
    pub blocks: Vec<String>,
    /// The id of a tool call.
    pub call_id: Option<EventPart>,
    /// The name of its tool.
    pub call_name: Option<EventPart>,
    /// A fragment of its arguments.
    pub call_fragment: Option<EventPart>,
    /// Its arguments.
    pub call_args: Option<EventPart>,
    /// The object with the token usage.
    pub usage: Option<EventPart>,
    /// The members of the usage in a script, and their names there.
    pub usage_members: Vec<(&'static str, String)>,
    /// The events that end a reply.
    pub ends: Vec<String>,
}

impl ReplyEvents {
    /// Reads what is written. `events` are the names that the dialect has.
    pub(super) fn of(
        file: RepliesFile,
        root: &Node,
        events: &[String],
        errors: &mut Vec<Error>,
    ) -> Self {
        let mut known = |event: &str, written: &Spanned<String>| {
            let is_known = events.iter().any(|name| name == event);
            if !is_known {
                let names = events.iter().map(String::as_str);
                errors.push(root.error_at(written.span, unknown("event", event, names)));
            }
            is_known
        };
        for event in file.ends.iter().chain(&file.blocks) {
            known(&event.value, event);
        }
        let names = |events: &[Spanned<String>]| {
            let names = events.iter().map(|event| event.value.clone());
            names.collect()
        };
        let (ends, blocks) = (names(&file.ends), names(&file.blocks));
        let mut mistakes = Vec::new();
        let mut part = |written: Option<&Spanned<String>>| {
            let written = written?;
            match written.value.split_once(' ') {
                Some((event, at)) if at.starts_with('/') => {
                    known(event, written).then(|| EventPart {
                        event: event.to_owned(),
                        at: at.to_owned(),
                    })
                }
                _ => {
                    let message =
                        "expected an event and a JSON Pointer, such as `text_delta /text`";
                    mistakes.push(root.error_at(written.span, message));
                    None
                }
            }
        };
        let usage = file.usage.as_ref();
        let member = |name, given: Option<&String>| Some((name, given?.clone()));
        let members = usage.into_iter().flat_map(|usage| {
            [
                member("input", Some(&usage.input)),
                member("output", Some(&usage.output)),
                member("cache_read", usage.cache_read.as_ref()),
                member("cache_write", usage.cache_write.as_ref()),
            ]
        });
        let read = ReplyEvents {
            text: part(file.text.as_ref()),
            thinking: part(file.thinking.as_ref()),
            blocks,
            call_id: part(file.call.id.as_ref()),
            call_name: part(file.call.name.as_ref()),
            call_fragment: part(file.call.fragment.as_ref()),
            call_args: part(file.call.args.as_ref()),
            usage: part(usage.map(|usage| &usage.at)),
            usage_members: members.flatten().collect(),
            ends,
        };
        errors.append(&mut mistakes);
        read
    }
}

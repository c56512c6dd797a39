//! Builds the session of the script: one action for each frame.

use super::host_ids::{CommandMember, HostIds, plain_key, template};
use super::messages::{Messages, joined};
use super::yaml::item;
use conform_judge::dialect::{Dialect, FrameIdentity};
use conform_judge::frame::{Body, End, Eol, Frame, Line};
use conform_judge::framing::parse;
use serde_json::{Map, Value, json};

/// The mark that the recorder leaves in place of a secret.
const REDACTED: &str = "[redacted:";

/// The exit status of a process that was killed by a signal is this plus the number of the signal.
const SIGNALLED: i32 = 128;

/// Signals for which a script has actions.
const TERMINATING: [&str; 3] = ["SIGTERM", "SIGINT", "SIGHUP"];

/// A recorded session as an agent script.
#[derive(Debug, Default)]
pub struct RecordedScript {
    /// The file.
    pub text: String,
    /// The number of events in it.
    pub events: usize,
    /// The differences between playing the script and the recording, a sentence each.
    pub losses: Vec<String>,
}

/// The frames of a session as an agent script for `mock-agent --script`.
#[must_use]
pub fn agent_script(frames: &[Frame], dialect: &Dialect) -> RecordedScript {
    let mut writer = Writer {
        dialect,
        ids: HostIds::default(),
        session: String::new(),
        terminate: String::new(),
        is_terminated: false,
        events: 0,
        losses: Vec::new(),
        messages: dialect.json_rpc.as_ref().map(|_| Messages::default()),
    };
    for (number, frame) in frames.iter().enumerate() {
        writer.frame(number + 1, &frame.body);
    }
    writer.finish()
}

struct Writer<'d> {
    dialect: &'d Dialect,
    ids: HostIds,
    session: String,
    terminate: String,
    is_terminated: bool,
    events: usize,
    losses: Vec<String>,
    /// The names of messages, if they are named by their structure.
    messages: Option<Messages>,
}

impl Writer<'_> {
    fn frame(&mut self, number: usize, body: &Body) {
        match body {
            Body::FromAgent(line) => self.event(number, line),
            Body::ToAgent(line) if !self.is_terminated => self.command(line),
            Body::StdinClosed if !self.is_terminated => self.push("  - end_of_input\n"),
            Body::Signal(name) => self.is_terminated |= TERMINATING.contains(&name.as_str()),
            Body::End(End::Exited { code, .. }) => self.exit(*code),
            Body::End(End::Signalled { signal, .. }) => {
                let status = SIGNALLED + signal;
                self.losses.push(format!(
                    "signal {signal} killed the agent; the script exits with status {status}"
                ));
                self.exit(status);
            }
            _ => {}
        }
    }

    fn push(&mut self, item: &str) {
        if self.is_terminated {
            self.terminate.push_str(item);
        } else {
            self.session.push_str(item);
        }
    }

    fn exit(&mut self, code: i32) {
        if let Ok(status) = u8::try_from(code) {
            self.push(&format!("  - exit: {status}\n"));
        }
    }

    fn event(&mut self, number: usize, line: &Line) {
        self.events += 1;
        if line.dropped > 0 {
            let length = line.bytes.len();
            self.losses.push(format!(
                "only the first {length} bytes of frame {number} were recorded"
            ));
        }
        let sent = (line.eol == Eol::Lf).then(|| self.sent(line)).flatten();
        if let Some(sent) = sent {
            return self.push(&sent);
        }
        let (action, end) = match line.eol {
            Eol::Lf => ("send_raw", ""),
            Eol::CrLf => ("send_bytes", "\r\n"),
            Eol::None => ("send_bytes", ""),
        };
        let text = match String::from_utf8(line.bytes.clone()) {
            Ok(text) => text,
            Err(_) => {
                self.losses.push(format!(
                    "frame {number} is not UTF-8; the script has U+FFFD in place of the invalid bytes"
                ));
                line.text().into_owned()
            }
        };
        let text = self.with_ids(&json_matcher::escape(&text));
        // Any text can be written in YAML.
        let raw = item(action, &format!("{text}{end}").into());
        self.push(&raw.unwrap_or_default());
    }

    /// An event of the dialect that has the bytes in which the script writes it, except for blanks.
    fn sent(&mut self, line: &Line) -> Option<String> {
        let event = parse(line).value?;
        // The reference agent escapes them in what it sends.
        let has_separators = line.text().contains(['\u{2028}', '\u{2029}']);
        let is_written_so = same_without_blanks(&line.bytes, event.to_string().as_bytes());
        let names = &self.dialect.events;
        if let Some(messages) = &mut self.messages {
            let envelope = messages.event(names, &event);
            let (envelope, rest) = envelope.filter(|_| is_written_so && !has_separators)?;
            self.ids.event(&rest);
            return item("send", &joined(envelope, template(&rest, &self.ids)));
        }
        let is_known = matches!(names.identify(&event), FrameIdentity::Known(..));
        if has_separators || !is_known || !is_written_so {
            return None;
        }
        self.ids.event(&event);
        item("send", &template(&event, &self.ids))
    }

    /// A line with the ids of the host replaced by placeholders.
    fn with_ids(&self, line: &str) -> String {
        let mut text = line.to_owned();
        for (written, becomes) in self.ids.in_text() {
            for end in [",", "}"] {
                text = text.replace(&format!("{written}{end}"), &format!("{becomes}{end}"));
            }
        }
        text
    }

    fn command(&mut self, line: &Line) {
        let value = parse(line).value.filter(Value::is_object);
        let expected = match value {
            Some(command) => {
                let mut capture = Map::new();
                let names = &self.dialect.commands;
                let messages = self.messages.as_mut();
                let on = match messages.map(|one| one.command(names, &command, &mut capture)) {
                    Some((envelope, rest)) => {
                        joined(envelope, self.matcher(&rest, String::new(), &mut capture))
                    }
                    None => {
                        let mut on = self.matcher(&command, String::new(), &mut capture);
                        self.allow_unknown_name(&command, &mut on);
                        on
                    }
                };
                let mut expected = Map::from_iter([("on".to_owned(), on)]);
                if !capture.is_empty() {
                    expected.insert("capture".to_owned(), capture.into());
                }
                Value::Object(expected)
            }
            None if line.dropped > 0 => json!({ "line": "" }),
            None if line.bytes.trim_ascii().is_empty() => return,
            None => json!({ "line": line.text() }),
        };
        let item = item("expect", &expected).or_else(|| item("expect", &json!({ "on": {} })));
        self.push(&item.unwrap_or_default());
    }

    /// Writes a name that the dialect does not have in a form that is not a mistake in the script.
    fn allow_unknown_name(&self, command: &Value, matcher: &mut Value) {
        let commands = &self.dialect.commands;
        if let FrameIdentity::Unknown(_) = commands.identify(command)
            && let Some(name) = matcher.pointer_mut(&commands.discriminator)
        {
            *name = json!({ "$one_of": [name.take()] });
        }
    }

    /// A matcher for a command like this one, in which the host has other ids.
    fn matcher(&mut self, value: &Value, at: String, capture: &mut Map<String, Value>) -> Value {
        match value {
            Value::String(text) if text.contains(REDACTED) => json!({ "$type": "string" }),
            Value::String(text) => json_matcher::escape(text).into(),
            Value::Array(items) => {
                let numbered = items.iter().enumerate();
                numbered
                    .map(|(n, item)| self.matcher(item, format!("{at}/{n}"), capture))
                    .collect()
            }
            Value::Object(members) => {
                let mut matcher = Map::new();
                for (name, value) in members {
                    let inner = format!("{at}/{}", spanned_yaml::escape_step(name));
                    let written = match self.ids.command_member(name, value) {
                        CommandMember::New(id) => {
                            capture.insert(id, inner.into());
                            continue;
                        }
                        CommandMember::Captured(id) => format!("{{{id}}}").into(),
                        CommandMember::Other => self.matcher(value, inner, capture),
                    };
                    matcher.insert(plain_key(name), written);
                }
                matcher.into()
            }
            other => other.clone(),
        }
    }

    fn finish(self) -> RecordedScript {
        let id = self.dialect.id();
        let session = match self.session.as_str() {
            "" => "commands: []\n".to_owned(),
            actions => format!("session:\n{actions}"),
        };
        let mut text = format!(
            "# A recorded session of {id}: what the agent sent, and each command of the host at its place.\ndialect: {id}\n{session}"
        );
        if self.is_terminated {
            let actions = match self.terminate.as_str() {
                "" => " []\n".to_owned(),
                actions => format!("\n{actions}"),
            };
            text += &format!("terminate:{actions}");
        }
        RecordedScript {
            text,
            events: self.events,
            losses: self.losses,
        }
    }
}

/// Whether two JSON texts have the same bytes, except for blanks between tokens.
fn same_without_blanks(one: &[u8], other: &[u8]) -> bool {
    without_blanks(one).eq(without_blanks(other))
}

fn without_blanks(json: &[u8]) -> impl Iterator<Item = u8> {
    let (mut in_string, mut is_escaped) = (false, false);
    json.iter().copied().filter(move |&byte| {
        if in_string {
            in_string = byte != b'"' || is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            return true;
        }
        in_string = byte == b'"';
        !byte.is_ascii_whitespace()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use conform_judge::dialect::{DialectSource, load};

    fn script(bodies: &[Body]) -> RecordedScript {
        script_of(bodies, &DialectSource::default(), "aionrs@0.1")
    }

    fn script_of(bodies: &[Body], source: &DialectSource, dialect: &str) -> RecordedScript {
        let dialect = load(source, dialect).unwrap();
        let frames = bodies.iter().cloned().map(|body| Frame { at: 0, body });
        agent_script(&frames.collect::<Vec<_>>(), &dialect)
    }

    fn to_agent(text: &str) -> Body {
        Body::ToAgent(Line::new(text))
    }

    fn from_agent(text: &str) -> Body {
        Body::FromAgent(Line::new(text))
    }

    #[test]
    fn each_frame_is_an_action_at_its_place() {
        let session = [
            from_agent(r#"{"type":"ready","version":"0.1.0"}"#),
            to_agent(
                r#"{"type":"message","msg_id":"m1","input":"say {name}","api_key":"[redacted:api_key]"}"#,
            ),
            from_agent(r#"{ "type": "stream_start", "msg_id": "m1" }"#),
            from_agent("a log line"),
            from_agent("{\"type\":\"text_delta\",\"text\":\"\u{2028}\"}"),
            from_agent(r#"{"type":"text_delta","text":"\u00e9","msg_id":"m1"}"#),
            to_agent(r#"{"type":"stop","msg_id":"m1"}"#),
            to_agent(r#"{"type":"dance"}"#),
            to_agent("nonsense"),
            Body::StdinClosed,
            from_agent(r#"{"type":"stream_end","msg_id":"m1"}"#),
            Body::End(End::Exited {
                code: 3,
                orphans: 0,
            }),
        ];
        let expected = r##"# A recorded session of aionrs@0.1: what the agent sent, and each command of the host at its place.
dialect: aionrs@0.1
session:
  - {"send":{"type":"ready","version":"0.1.0"}}
  - {"expect":{"on":{"type":"message","input":"say {{name}}","api_key":{"$type":"string"}},"capture":{"id1":"/msg_id"}}}
  - {"send":{"type":"stream_start","msg_id":"{id1}"}}
  - {"send_raw":"a log line"}
  - {"send_raw":"{\"type\":\"text_delta\",\"text\":\"\u2028\"}"}
  - {"send_raw":"{\"type\":\"text_delta\",\"text\":\"\\u00e9\",\"msg_id\":\"{id1}\"}"}
  - {"expect":{"on":{"type":"stop","msg_id":"{id1}"}}}
  - {"expect":{"on":{"type":{"$one_of":["dance"]}}}}
  - {"expect":{"line":"nonsense"}}
  - end_of_input
  - {"send":{"type":"stream_end","msg_id":"{id1}"}}
  - exit: 3
"##;
        let script = script(&session);
        assert_eq!(script.text, expected);
        assert_eq!((script.events, script.losses.len()), (6, 0));
    }

    #[test]
    fn the_end_by_a_signal_and_what_is_lost_are_told() {
        let torn = Line {
            bytes: b"half \xff".to_vec(),
            eol: Eol::None,
            dropped: 0,
        };
        let session = [
            Body::Signal("SIGTERM".to_owned()),
            Body::FromAgent(torn),
            Body::End(End::Signalled {
                signal: 9,
                orphans: 0,
            }),
        ];
        let script = script(&session);
        assert!(
            script.text.ends_with(
                "commands: []\nterminate:\n  - {\"send_bytes\":\"half \u{fffd}\"}\n  - exit: 137\n"
            ),
            "{}",
            script.text
        );
        assert_eq!(script.losses.len(), 2, "{:?}", script.losses);
    }

    #[test]
    fn messages_are_named_and_ids_of_the_host_are_taken_from_its_requests() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/two-way/dialects");
        let source = DialectSource::new(Some(folder.into()));
        let session = [
            to_agent(r#"{"jsonrpc":"2.0","id":1,"method":"ask","params":{}}"#),
            from_agent(r#"{"jsonrpc":"2.0","id":1,"method":"confirm","params":{"options":[]}}"#),
            to_agent(r#"{"jsonrpc":"2.0","id":1,"result":{"choice":"q7"}}"#),
            from_agent(r#"{"id":1,"jsonrpc":"2.0","result":{"answer":"q7"}}"#),
            to_agent(r#"{"jsonrpc":"2.0","id":"x","method":"sing"}"#),
            from_agent(r#"{"jsonrpc":"2.0","id":"x","error":{"code":-32601,"message":"no"}}"#),
            from_agent(r#"{"jsonrpc":"2.0","method":"_own"}"#),
        ];
        let script = script_of(&session, &source, "duo@1").text;
        let expected = r##"session:
  - {"expect":{"on":{"message":"ask","params":{}},"capture":{"request1":"/id"}}}
  - {"send":{"message":"confirm","id":1,"params":{"options":[]}}}
  - {"expect":{"on":{"message":"confirm.result","id":1,"result":{"choice":"q7"}}}}
  - {"send":{"message":"ask.result","id":"{request1}","result":{"answer":"q7"}}}
  - {"expect":{"on":{"method":{"$one_of":["sing"]}},"capture":{"request2":"/id"}}}
  - {"send":{"id":"{request2}","error":{"code":-32601,"message":"no"}}}
  - {"send_raw":"{\"jsonrpc\":\"2.0\",\"method\":\"_own\"}"}
"##;
        assert!(script.ends_with(expected), "{script}");
    }
}

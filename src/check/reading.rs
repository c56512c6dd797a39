//! What one frame is to a dialect: its symbols, its JSON, and what is wrong with it by itself.

use super::ending::{EndFacts, KILL, end_value};
use crate::dialect::{Dialect, Named, Vocabulary};
use crate::finding::Blame;
use crate::frame::{Body, Frame, Line};
use crate::framing::{Defect, parse};
use crate::rules::symbol::SymSet;
use crate::schema::Fault;
use serde_json::{Value, json};

/// The most departures from its definition that are told of one frame.
const MOST_FAULTS: usize = 4;

/// A frame, read.
#[derive(Debug)]
pub struct Reading {
    /// Who is to blame for it.
    pub blame: Blame,
    /// What it counts as; empty for what is part of no protocol.
    pub symbols: SymSet,
    /// Its JSON; for what is not a line, an object that describes it.
    pub value: Value,
    /// Defects of the line: name, and what is wrong.
    pub defects: Vec<(&'static str, String)>,
    /// The names of the definitions it was held against, and how it departs from them.
    pub shapes: Vec<(String, Vec<Fault>)>,
}

impl Reading {
    /// Reads a frame.
    #[must_use]
    pub fn new(dialect: &Dialect, frame: &Frame, ending: EndFacts) -> Self {
        match &frame.body {
            Body::FromAgent(line) => Self::line(dialect, line, false),
            Body::ToAgent(line) => Self::line(dialect, line, true),
            Body::Stderr(_) => Self::special(dialect, Blame::Agent, None, Value::Null),
            Body::LlmRequest(request) => {
                let value = json!({ "n": request.n, "path": request.path, "body": request.body });
                Self::special(dialect, Blame::Agent, Some("@request"), value)
            }
            Body::LlmReply(reply) => {
                let value =
                    json!({ "n": reply.n, "status": reply.status, "end": reply.end.as_str() });
                Self::special(dialect, Blame::Agent, Some("@reply"), value)
            }
            Body::StdinClosed => {
                Self::special(dialect, Blame::Host, Some("#stdin_closed"), json!({}))
            }
            Body::Signal(name) => {
                let symbol = (name != KILL).then_some("#signal");
                Self::special(dialect, Blame::Host, symbol, json!({ "signal": name }))
            }
            Body::End(end) => Self::special(
                dialect,
                Blame::Agent,
                Some("#end"),
                end_value(end, frame.at, ending),
            ),
        }
    }

    fn special(dialect: &Dialect, blame: Blame, name: Option<&str>, value: Value) -> Self {
        let mut symbols = SymSet::default();
        if let Some(id) = name.and_then(|name| dialect.symbols.id(name)) {
            symbols.insert(id);
        }
        Reading {
            blame,
            symbols,
            value,
            defects: Vec::new(),
            shapes: Vec::new(),
        }
    }

    fn line(dialect: &Dialect, line: &Line, command: bool) -> Self {
        let (vocabulary, schemas, prefix, blame) = if command {
            (
                &dialect.commands,
                &dialect.command_schemas,
                ">",
                Blame::Host,
            )
        } else {
            (&dialect.events, &dialect.event_schemas, "", Blame::Agent)
        };
        let parsed = parse(line);
        let mut defects: Vec<_> = parsed
            .defects
            .iter()
            .map(|d| (d.name(), d.to_string()))
            .collect();
        let length = line.bytes.len() as u64 + line.dropped;
        let limit = dialect
            .limits
            .get(if command { "command" } else { "event" });
        let too_long = limit.is_some_and(|limit| length > *limit);
        if too_long && line.dropped == 0 {
            let defect = Defect::TooLong { length };
            defects.push((defect.name(), defect.to_string()));
        }
        let blank = parsed.defects.contains(&Defect::Blank);
        let is_bad = |defect: &Defect| matches!(defect, Defect::InvalidUtf8 { .. });
        let utf8 = !parsed.defects.iter().any(is_bad);
        // What an agent makes of a command with such bytes, nobody knows.
        let unclear = command && (too_long || !utf8);
        let mut reading = Reading {
            blame,
            symbols: SymSet::default(),
            value: Value::Null,
            defects,
            shapes: Vec::new(),
        };
        let mark = |reading: &mut Reading, name: &str| {
            if let Some(id) = dialect.symbols.id(&format!("{prefix}{name}")) {
                reading.symbols.insert(id);
            }
        };
        match parsed.value {
            Some(value) if value.is_object() && !unclear => {
                reading.value = value;
                let name = reading.name(vocabulary);
                match name {
                    Named::Known(name, nested) => {
                        for name in std::iter::once(name).chain(nested) {
                            mark(&mut reading, &name);
                            let faults = if schemas.is_valid(&name, &reading.value) {
                                Vec::new()
                            } else {
                                mark(&mut reading, "#invalid");
                                schemas.faults(&name, &reading.value, MOST_FAULTS)
                            };
                            reading.shapes.push((format!("{prefix}{name}"), faults));
                        }
                    }
                    Named::Unknown(name) => {
                        mark(&mut reading, "#unknown");
                        if let Some((outer, _)) = name.split_once('.') {
                            mark(&mut reading, outer);
                        }
                    }
                    Named::Missing => {
                        let at = &vocabulary.discriminator;
                        reading.defects.push((
                            "no-discriminator",
                            format!("the object has no text at `{at}`"),
                        ));
                        mark(&mut reading, "#malformed");
                    }
                }
            }
            _ if blank => {}
            other => {
                let json = other.is_some();
                reading.value = json!({ "text": line.text(), "utf8": utf8, "json": json, "bytes": length, "too_long": too_long || line.dropped > 0 });
                mark(&mut reading, "#malformed");
            }
        }
        reading
    }

    fn name(&self, vocabulary: &Vocabulary) -> Named {
        vocabulary.name(&self.value)
    }
}

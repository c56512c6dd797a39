//! Decoding of a frame: its JSON, its symbols, the defects of its bytes, and how it breaks its schema.

use super::end_of_session::{KILL, ShutdownFacts, end_value};
use super::line_classifier::{Classification, FrameDefinition, LineClassifier};
use crate::dialect::Dialect;
use crate::finding::{Blame, Difference, DifferenceKind, Finding, Level};
use crate::frame::{Body, Frame, Line};
use crate::framing::{Defect, Parsed};
use crate::rules::symbol::FrameSymbols;
use serde_json::{Value, json};
use std::borrow::Cow;

/// The most violations of a schema that are reported for one frame.
const MAX_SCHEMA_VIOLATIONS: usize = 4;

/// A decoded frame.
#[derive(Debug)]
pub(super) struct DecodedFrame<'a> {
    /// Who is to blame for it.
    pub(super) blame: Blame,
    /// Its symbols; none if it is part of no protocol, such as a line of stderr.
    pub(super) symbols: FrameSymbols,
    /// Its JSON; for a frame that is not a line, an object that describes it.
    pub(super) value: Cow<'a, Value>,
    /// Defects of the line.
    pub(super) defects: Vec<Defect>,
    /// The definitions that it was checked against: that of its name, and that of its nested kind.
    pub(super) definitions: [Option<&'a FrameDefinition>; 2],
    /// How it breaks their schemas.
    pub(super) schema_violations: Vec<(&'a FrameDefinition, Finding)>,
}

impl<'a> DecodedFrame<'a> {
    /// Decodes a frame with the classifiers of events and of commands.
    pub(super) fn new(
        dialect: &Dialect,
        (events, commands): (&'a LineClassifier, &'a LineClassifier),
        (frame, parsed, name): (&Frame, &'a Parsed, Option<&str>),
        shutdown: ShutdownFacts,
    ) -> Self {
        match &frame.body {
            Body::FromAgent(line) => Self::line(dialect, events, line, (parsed, name)),
            Body::ToAgent(line) => Self::line(dialect, commands, line, (parsed, name)),
            Body::Stderr(_) | Body::LaneRequest { .. } => {
                Self::special(dialect, Blame::Agent, None, Value::Null)
            }
            Body::LlmRequest(request) => {
                let mut value = json!({ "n": request.n, "path": request.path });
                // A macro would write the whole conversation again, which takes much longer than a copy.
                value["body"] = request.body.clone();
                Self::special(dialect, Blame::Agent, Some("@request"), value)
            }
            Body::LlmReply(reply) => {
                let (status, end) = (reply.status, reply.end.as_str());
                let mut value = json!({ "n": reply.n, "status": status, "end": end });
                value["message"] = reply.message.clone().into();
                Self::special(dialect, Blame::Agent, Some("@reply"), value)
            }
            Body::Mcp(event) => Self::special(dialect, Blame::Agent, Some("@mcp"), event.value()),
            Body::StdinClosed | Body::StdoutClosed => {
                let symbol = format!("#{}", frame.body.dir());
                Self::special(dialect, Blame::Host, Some(&symbol), json!({}))
            }
            Body::Signal(name) => {
                let symbol = (name != KILL).then_some("#signal");
                Self::special(dialect, Blame::Host, symbol, json!({ "signal": name }))
            }
            Body::End(end) => Self::special(
                dialect,
                Blame::Agent,
                Some("#end"),
                end_value(end, frame.at, shutdown),
            ),
        }
    }

    fn special(dialect: &Dialect, blame: Blame, name: Option<&str>, value: Value) -> Self {
        let mut symbols = FrameSymbols::default();
        if let Some(id) = name.and_then(|name| dialect.symbols.id(name)) {
            symbols.insert(id);
        }
        DecodedFrame {
            blame,
            symbols,
            value: Cow::Owned(value),
            defects: Vec::new(),
            definitions: [None, None],
            schema_violations: Vec::new(),
        }
    }

    fn line(
        dialect: &Dialect,
        lines: &'a LineClassifier,
        line: &Line,
        (parsed, name): (&'a Parsed, Option<&str>),
    ) -> Self {
        let mut defects = parsed.defects.clone();
        let length = line.bytes.len() as u64 + line.dropped;
        let too_long = lines.limit.is_some_and(|limit| length > limit);
        if too_long && line.dropped == 0 {
            defects.push(Defect::new("too-long", length));
        }
        let utf8 = !parsed.has("invalid-utf8");
        let deep = parsed.has("deep");
        // Agents differ in how they read a command with such bytes.
        let unclear = lines.command && (too_long || !utf8 || deep);
        let mut decoded = DecodedFrame {
            defects,
            ..Self::special(dialect, lines.blame, None, Value::Null)
        };
        match &parsed.value {
            Some(value) if value.is_object() && !unclear => {
                decoded.value = Cow::Borrowed(value);
                decoded.object(dialect, lines, name);
            }
            _ if parsed.has("blank-line") => decoded.mark(lines.blank),
            other => {
                let json = other.is_some() && !deep;
                decoded.value = Cow::Owned(
                    json!({ "text": line.text(), "utf8": utf8, "json": json, "bytes": length, "too_long": too_long || line.dropped > 0 }),
                );
                decoded.mark(lines.malformed);
            }
        }
        decoded
    }

    fn object(&mut self, dialect: &Dialect, lines: &'a LineClassifier, name: Option<&str>) {
        match lines.classify(dialect, &self.value, name) {
            Classification::Known(definition, nested) => {
                self.definitions = [Some(definition), nested];
                for definition in self.definitions.into_iter().flatten() {
                    self.mark(definition.symbol);
                    if lines.command {
                        self.note_misspelt_members(dialect, definition);
                    }
                    let validator = definition.validator.as_ref();
                    if validator.is_some_and(|v| !v.get().is_valid(&self.value)) {
                        self.mark(lines.invalid);
                        let (_, schemas) = dialect.frames(lines.command);
                        let broken = schemas.violations(
                            &definition.name,
                            &self.value,
                            MAX_SCHEMA_VIOLATIONS,
                        );
                        let broken = broken.into_iter().map(|broken| (definition, broken));
                        self.schema_violations.extend(broken);
                    }
                }
            }
            Classification::Unknown { outer } => {
                self.mark(lines.unknown);
                self.mark(outer);
            }
            Classification::Missing => {
                let (vocabulary, _) = dialect.frames(lines.command);
                let place = match vocabulary.structure {
                    Some(_) => "/method",
                    None => &vocabulary.discriminator,
                };
                let defect = Defect::new("no-discriminator", place);
                self.defects.push(defect);
                self.mark(lines.malformed);
            }
        }
    }

    /// An unknown member is legal. One with nearly the name of a known one is reported as a note, because the agent does not read it.
    fn note_misspelt_members(&mut self, dialect: &Dialect, definition: &'a FrameDefinition) {
        let (_, schemas) = dialect.frames(true);
        let name = definition.name.as_str();
        let outer = name.split('.').next().unwrap_or(name);
        let misspelt = schemas.misspelt_members(&[name, outer], &self.value);
        let notes = misspelt.into_iter().map(|(pointer, message)| {
            let finding = Finding {
                level: Level::May,
                difference: Difference::of_kind(DifferenceKind::Unexpected),
                pointer,
                message,
                ..Finding::default()
            };
            (definition, finding)
        });
        self.schema_violations.extend(notes);
    }

    fn mark(&mut self, symbol: Option<usize>) {
        if let Some(id) = symbol {
            self.symbols.insert(id);
        }
    }

    /// Whether the dialect has a frame of this name.
    pub(super) fn is_known(&self) -> bool {
        self.definitions[0].is_some()
    }
}

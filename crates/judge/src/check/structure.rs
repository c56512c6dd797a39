//! The check of messages that are named by their structure: names them, pairs responses with requests, and tells whose turn it is.

use super::monitors::Violations;
use crate::dialect::Dialect;
use crate::finding::{
    Blame, Difference, DifferenceKind, Expected, Finding, Origin, Part, SliceValue,
};
use crate::frame::{Body, End, Frame, Line};
use crate::framing::Parsed;
use crate::rules::frame_context::Turn;
use crate::rules::monitor::EndCircumstances;
use crate::rules::rule::RuleForm;
use conform_dialect::json_rpc::{
    MessageKind, Mistake, NamedMessage, OpenRequest, Pairing, SentLine, StructureRule, Vocabulary,
};
use serde_json::Value;
use std::collections::HashMap;

/// The messages of one session so far.
#[derive(Clone)]
pub(super) struct StructureCheck {
    pairing: Pairing,
    /// The newest message.
    newest: NamedMessage,
    /// Whose turn it is.
    turn: Turn,
    /// Whether the commands of the host are not shown, so that it is unknown what the agent answers.
    is_capture: bool,
    /// How many lines there were of each kind.
    lines: HashMap<MessageKind, u64>,
    /// When the host closed stdin, in microseconds.
    closed_at: Option<u64>,
    /// When the newest prompt that is answered was sent, and when it was answered, in microseconds.
    turn_ended: Option<(u64, u64)>,
    model: ModelWork,
    /// The time of the newest line or request to the model, in microseconds.
    active_at: u64,
}

/// What the model does for the agent.
#[derive(Clone, Copy, PartialEq)]
enum ModelWork {
    /// It is unknown, because requests to it are not recorded.
    Unknown,
    /// It answers, or its answer asks for tools.
    Awaited,
    /// Its newest answer is complete, and asks for no tools.
    Done,
}

/// How long a request may be open, in microseconds, until it counts as not answered when the host closes stdin.
const OPEN_LONG: u64 = 30_000_000;
/// The same for a request whose answer waits for nobody.
const OPEN_AT_ONCE: u64 = 10_000_000;
/// The same if a whole turn has ended since.
const OPEN_OVER_A_TURN: u64 = 1_000_000;

impl StructureCheck {
    /// The check of a dialect; `None` if its frames have discriminators.
    pub(super) fn new(dialect: &Dialect, is_capture: bool) -> Option<Self> {
        dialect.json_rpc.as_ref()?;
        Some(StructureCheck {
            pairing: Pairing::default(),
            newest: NamedMessage::default(),
            turn: Turn::default(),
            is_capture,
            lines: HashMap::new(),
            closed_at: None,
            turn_ended: None,
            model: ModelWork::Unknown,
            active_at: 0,
        })
    }

    /// Names the next frame, and finds what is wrong with its structure.
    pub(super) fn note(
        &mut self,
        dialect: &Dialect,
        (n, frame): (u64, &Frame),
        parsed: &Parsed,
    ) -> Violations {
        self.newest = NamedMessage::default();
        let (from, line) = match &frame.body {
            Body::FromAgent(line) => (Blame::Agent, line),
            Body::ToAgent(line) => (Blame::Host, line),
            other => {
                self.note_other(other, frame.at);
                return Vec::new();
            }
        };
        self.active_at = frame.at;
        let Some(json_rpc) = dialect
            .json_rpc
            .as_ref()
            .filter(|_| !parsed.has("blank-line"))
        else {
            return Vec::new();
        };
        let vocabulary = Vocabulary {
            events: &dialect.events,
            commands: &dialect.commands,
            json_rpc,
        };
        let value = parsed.value.as_ref();
        let sent = SentLine {
            from,
            frame: n,
            at: frame.at,
            value,
            text: &line.text(),
            is_unclear: is_unclear(dialect, from, line, parsed),
        };
        self.newest = self.pairing.name(vocabulary, sent);
        let NamedMessage {
            kind,
            asker,
            asked_at,
            ..
        } = self.newest;
        if asker == Some(Blame::Host) && self.name().is_some_and(|name| is_turn_end(dialect, name))
        {
            self.turn_ended = asked_at.map(|asked_at| (asked_at, frame.at));
        }
        *self.lines.entry(kind).or_default() += 1;
        self.turn.is_of_host = self.pairing.is_waiting(Blame::Agent);
        self.turn.asker = asker;
        if from == Blame::Host && asker == Some(Blame::Agent) {
            self.turn.since = frame.at;
        }
        let id = || Some(id_part(&value?.get("id")?.to_string()));
        let mistakes = std::mem::take(&mut self.newest.mistakes).into_iter();
        let is_hidden = |rule: StructureRule| self.is_capture && rule.is_about_pairs();
        let found = mistakes.filter(|one| from == Blame::Host || !is_hidden(one.rule));
        let found = found.map(|mistake| finding(dialect, mistake, from, id()));
        found.collect()
    }

    fn note_other(&mut self, body: &Body, at: u64) {
        match body {
            Body::StdinClosed => self.closed_at = Some(at),
            Body::LlmRequest(_) => {
                self.model = ModelWork::Awaited;
                self.active_at = at;
            }
            Body::LlmReply(reply) => {
                let parts = reply.message.as_ref().and_then(Value::as_array);
                let calls = parts.is_none_or(|all| all.iter().any(|one| one.get("call").is_some()));
                self.model = if calls {
                    ModelWork::Awaited
                } else {
                    ModelWork::Done
                };
                self.active_at = at;
            }
            Body::Mcp(_) => self.active_at = at,
            _ => {}
        }
    }

    /// The requests that are left open at the end, if the side that should have answered had the time to. Of two that wait for each other the
    /// host is to blame, because the agent cannot go on.
    pub(super) fn left_open(
        &self,
        dialect: &Dialect,
        end: &End,
        circumstances: EndCircumstances,
        was_asked_to_end: bool,
    ) -> Violations {
        let is_timeout = matches!(end, End::Killed { why } if why.starts_with("budget"));
        let is_hung = is_timeout && !was_asked_to_end;
        let (blame, how) = match (self.turn.is_of_host, circumstances.by_itself) {
            (true, false) if is_hung => (
                Blame::Host,
                "the agent ran out of time while it waited for the host, which",
            ),
            (false, false) if is_hung => (Blame::Agent, "the agent ran out of time"),
            (_, true) => (Blame::Agent, "the agent ended by itself"),
            _ => return self.overdue(dialect),
        };
        let asker = match blame {
            Blame::Agent => Blame::Host,
            Blame::Host => Blame::Agent,
        };
        let rule = rule_number(dialect, StructureRule::LeftOpen);
        let open = self.pairing.open(asker).into_iter();
        let certain = open.filter(|request| !request.is_doubtful);
        let found = certain.map(|request| (rule, unanswered(request, blame, how)));
        found.collect()
    }

    /// The requests that were open for too long when the host closed stdin, and have not been answered since: prompts for which nothing was
    /// done, methods that the dialect does not have, and those that it says are answered at once, sooner if a whole turn has ended since. Any
    /// other may wait for a user, such as a login.
    fn overdue(&self, dialect: &Dialect) -> Violations {
        let Some(closed_at) = self.closed_at else {
            return Vec::new();
        };
        let of_host = self.pairing.open(Blame::Host);
        let of_agent = self.pairing.open(Blame::Agent);
        let is_long = |since: u64, limit: u64| closed_at.saturating_sub(since) >= limit;
        let at_once = dialect.json_rpc.as_ref().map(|own| &own.at_once[..]);
        let is_at_once =
            |request: &OpenRequest| at_once.is_some_and(|all| all.contains(&request.method));
        let (turn_began, turn_ended) = self.turn_ended.unwrap_or_default();
        let is_idle = self.model == ModelWork::Done
            && of_agent.is_empty()
            && is_long(self.active_at, OPEN_LONG);
        let by_agent = of_host.iter().filter(|request| {
            let is_prompt = dialect.session.prompts.contains(&request.method);
            let needs_no_work = is_at_once(request) || !request.is_known;
            let limit = if needs_no_work && turn_began > request.at {
                OPEN_OVER_A_TURN
            } else if is_at_once(request) {
                OPEN_AT_ONCE
            } else if needs_no_work || is_idle && is_prompt {
                OPEN_LONG
            } else {
                return false;
            };
            !request.is_doubtful && is_long(request.at, limit)
        });
        let by_host = of_agent.iter().filter(|request| {
            let limit = if is_at_once(request) && turn_ended > request.at {
                OPEN_OVER_A_TURN
            } else if is_at_once(request) {
                OPEN_AT_ONCE
            } else if !request.is_known && of_host.is_empty() {
                OPEN_LONG
            } else {
                return false;
            };
            !request.is_doubtful && is_long(request.at, limit)
        });
        let rule = rule_number(dialect, StructureRule::LeftOpen);
        let how = "the host closed stdin";
        let by_agent = by_agent.map(|request| (rule, unanswered(request, Blame::Agent, how)));
        let how = "the session is over, and the host";
        let by_host = by_host.map(|request| (rule, unanswered(request, Blame::Host, how)));
        by_agent.chain(by_host).collect()
    }

    /// How often a rule applied.
    pub(super) fn exercised(&self, form: &RuleForm) -> u64 {
        let RuleForm::Structure(rule) = form else {
            return 0;
        };
        let is_shown = !(self.is_capture && rule.is_about_pairs());
        let lines = self.lines.iter();
        let applicable = lines.filter(|(kind, _)| is_shown && rule.applies_to(**kind));
        applicable.map(|(_, count)| count).sum()
    }

    /// The name of the newest frame.
    pub(super) fn name(&self) -> Option<&str> {
        self.newest.name.as_deref()
    }

    /// Whether the newest frame is one that the dialect allows each side to add.
    pub(super) fn is_extension(&self, dialect: &Dialect) -> bool {
        let json_rpc = dialect.json_rpc.as_ref();
        let name = self.name();
        name.is_some_and(|name| json_rpc.is_some_and(|all| all.is_extension(name)))
    }

    pub(super) fn turn(&self) -> Turn {
        self.turn
    }

    pub(super) fn pairing(&self) -> &Pairing {
        &self.pairing
    }
}

/// Whether the reader of a line may be unable to read it.
fn is_unclear(dialect: &Dialect, from: Blame, line: &Line, parsed: &Parsed) -> bool {
    let limit = match from {
        Blame::Agent => dialect.limits.get("event"),
        Blame::Host => dialect.limits.get("command"),
    };
    let length = line.bytes.len() as u64 + line.dropped;
    !parsed.defects.is_empty() || limit.is_some_and(|limit| length > *limit)
}

/// Whether a message of this name answers a prompt.
fn is_turn_end(dialect: &Dialect, name: &str) -> bool {
    let mut prompts = dialect.session.prompts.iter();
    prompts.any(|prompt| {
        let outcome = name.strip_prefix(prompt.as_str());
        outcome.is_some_and(|outcome| [".result", ".error"].contains(&outcome))
    })
}

fn rule_number(dialect: &Dialect, rule: StructureRule) -> usize {
    let is_it = |form: &RuleForm| matches!(form, RuleForm::Structure(one) if *one == rule);
    let number = dialect.rules.iter().position(|rule| is_it(&rule.form));
    number.unwrap_or_default()
}

fn id_part(id: &str) -> Part {
    Part::Slice(vec![SliceValue {
        name: "id".to_owned(),
        value: id.trim_matches('"').to_owned(),
    }])
}

fn finding(
    dialect: &Dialect,
    mistake: Mistake,
    blame: Blame,
    part: Option<Part>,
) -> (usize, Finding) {
    use StructureRule as Rule;
    let kind = match mistake.rule {
        Rule::NotAMessage | Rule::Batch => DifferenceKind::Malformed,
        Rule::AnswerToNothing | Rule::SecondAnswer | Rule::AnsweredNotification => {
            DifferenceKind::Unexpected
        }
        Rule::UnknownMethod | Rule::WrongSide => DifferenceKind::Unexpected,
        Rule::Version | Rule::IdType => DifferenceKind::WrongValue,
        _ => DifferenceKind::Condition,
    };
    let finding = Finding {
        blame,
        origin: Origin::of_part(part.unwrap_or_default()),
        message: mistake.message,
        pointer: mistake.pointer.to_owned(),
        difference: Difference::of_kind(kind),
        ..Finding::default()
    };
    (rule_number(dialect, mistake.rule), finding)
}

fn unanswered(request: &OpenRequest, blame: Blame, how: &str) -> Finding {
    let OpenRequest {
        method, frame, id, ..
    } = request;
    let prefix = match blame {
        Blame::Agent => "",
        Blame::Host => ">",
    };
    let expected = ["result", "error"].map(|end| Expected::Frame {
        name: format!("{prefix}{method}.{end}"),
        with: Vec::new(),
    });
    let message = match blame {
        Blame::Agent => format!("{how}, and `{method}` of frame {frame} was not answered"),
        Blame::Host => {
            format!("{how} did not answer `{method}` of frame {frame}")
        }
    };
    Finding {
        blame,
        origin: Origin::of_part(id_part(&id.0.to_string())),
        message,
        expected: expected.into(),
        difference: Difference::of_kind(DifferenceKind::Absent),
        ..Finding::default()
    }
}

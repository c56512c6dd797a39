//! A finding: one violation with its evidence. Data only.

mod expected;

pub use conform_dialect::requirement::{Blame, Level, Source};

pub use expected::{Expected, in_a_row};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};

/// The kind of difference between a session and a rule, without the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// A condition of the rule does not hold.
    #[default]
    Condition,
    /// A member of a frame, or a file, is missing.
    Missing,
    /// A value has the wrong type.
    WrongType,
    /// A value is wrong.
    WrongValue,
    /// A line is not what the transport allows.
    Malformed,
    /// A frame came that must not come there.
    Unexpected,
    /// A frame did not come.
    Absent,
    /// The process ended, or its output did.
    Ended,
}

impl DifferenceKind {
    /// The name in files and ids.
    pub fn word(self) -> &'static str {
        spanned_yaml::names_of::<Self>()[self as usize]
    }
}

/// What differs, without the values: findings with the same difference at the same place are one cause.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The kind.
    #[serde(default)]
    pub kind: DifferenceKind,
    /// The frame that came or did not come, or the defect of a line; empty where neither distinguishes the difference.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// For a step of a scenario, the command of the host that it waits for an effect of.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub after: String,
}

impl Difference {
    /// A difference of this kind.
    pub fn of_kind(kind: DifferenceKind) -> Self {
        Difference::named(kind, String::new())
    }

    /// A difference of this kind, about a frame or a defect.
    pub fn named(kind: DifferenceKind, name: impl Into<String>) -> Self {
        Difference {
            kind,
            name: name.into(),
            after: String::new(),
        }
    }
}

/// One violation with its evidence.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// The rule's id; `conform explain ID` prints its text.
    pub rule: String,
    /// The level of the finding, after the profile was applied.
    pub level: Level,
    /// The source of the rule.
    pub source: Source,
    /// Who is to blame.
    pub blame: Blame,
    /// The clauses of the spec that the rule checks.
    #[serde(default)]
    pub clauses: Vec<String>,
    /// The number of the frame that broke it, from 1: the position in the history, the transcript's header not counted.
    pub at: u64,
    /// The session and the part of it, or of the scenario, that it belongs to.
    #[serde(default, skip_serializing_if = "is_default")]
    pub origin: Origin,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What would have been allowed, each an alternative.
    #[serde(default)]
    pub expected: Vec<Expected>,
    /// A JSON Pointer into the frame, if one place is wrong.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pointer: String,
    /// The kind of difference, without the values.
    #[serde(default, skip_serializing_if = "is_default")]
    pub difference: Difference,
    /// What the host did last before it, and at which moment of the dialect's `explore.yaml`: `abort at tool`. Only told where a baseline is
    /// used.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub situation: String,
    /// The id of its cause in the report; empty until the findings of its scenario are grouped.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub cause: String,
    /// The number, from 1, of the finding of its scenario that it only follows from, whose cause it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows_from: Option<usize>,
    /// The frames around the failure, the failing one marked. Empty if a baseline accepts the finding and it is no example of a cause.
    #[serde(default)]
    pub evidence: Vec<Evidence>,
    /// A command that reproduces it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub rerun: String,
    /// Set if a baseline accepts it: then it is shown, and does not affect the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baselined>,
    /// What it is about, for telling which findings follow from which. Not part of a report.
    #[serde(skip)]
    pub facts: Facts,
}

impl Finding {
    /// Whether it only follows from another finding of its scenario.
    pub fn is_echo(&self) -> bool {
        self.follows_from.is_some()
    }
}

/// Data about a finding that its readers do not see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facts {
    /// The members of the frame that the broken condition looks at.
    pub members: Vec<String>,
    /// The texts in quotes in the line that it is about, which need not be JSON.
    pub texts: Vec<String>,
    /// What its rule says that follows from it.
    pub explains: Vec<String>,
}

/// Where a finding comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// The number of the session, from 1, in a scenario that starts the agent several times; otherwise 0.
    #[serde(default, skip_serializing_if = "is_default")]
    pub session: u32,
    /// The part of the session, or of the scenario.
    #[serde(default, skip_serializing_if = "is_default")]
    pub part: Part,
}

/// A part of a session or of a scenario.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// No part: the whole of it.
    #[default]
    Whole,
    /// A slice of the history, by the values that it was sliced by.
    Slice(Vec<SliceValue>),
    /// The frames of a kind, by the name of their schema.
    Schema(String),
    /// A step of the scenario.
    Step {
        /// Its number, from 1.
        number: usize,
        /// Its line in the file.
        line: u32,
    },
    /// The script of the model, by a JSON Pointer into it.
    Model(String),
    /// A file in the workspace, by its path.
    File(String),
}

/// A value that names a slice of the history: the `m1` of `msg_id m1`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SliceValue {
    /// The member that has the value, the state, or the scope.
    pub name: String,
    /// The value, or the number of the scope's instance.
    pub value: String,
}

impl Origin {
    /// A part of the only session.
    pub fn of_part(part: Part) -> Self {
        Origin { session: 0, part }
    }

    /// The number of the session, from 0.
    pub fn session_index(&self) -> usize {
        self.session.saturating_sub(1) as usize
    }

    /// The values that name the slice; none if it is not a slice.
    pub fn slice(&self) -> &[SliceValue] {
        match &self.part {
            Part::Slice(values) => values,
            _ => &[],
        }
    }

    /// The texts in it that an agent may have written.
    pub fn texts_mut(&mut self) -> Vec<&mut String> {
        match &mut self.part {
            Part::Slice(values) => values.iter_mut().map(|one| &mut one.value).collect(),
            Part::Model(text) | Part::File(text) => vec![text],
            Part::Whole | Part::Schema(_) | Part::Step { .. } => Vec::new(),
        }
    }
}

/// Whether a value is the default, which files leave out.
pub fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// In words that follow "at frame 7": `, session 2, msg_id m1`.
impl Display for Origin {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.session > 0 {
            write!(f, ", session {}", self.session)?;
        }
        match &self.part {
            Part::Whole | Part::Schema(_) => Ok(()),
            Part::Slice(values) => {
                let mut each = values.iter();
                each.try_for_each(|one| write!(f, ", {} {}", one.name, one.value))
            }
            Part::Step { number, line } => write!(f, ", step {number}, line {line}"),
            Part::Model(pointer) => write!(f, ", model{pointer}"),
            Part::File(path) => write!(f, ", {path}"),
        }
    }
}

/// One frame quoted in a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// The frame's number, from 1.
    pub frame: u64,
    /// Microseconds since the spawn.
    pub micros: u64,
    /// The direction, in the transcript's words: `from_agent`, `to_agent`, `stderr`, …
    pub dir: String,
    /// The frame's text, shortened to a few hundred characters.
    pub text: String,
    /// Whether this is the frame that broke the rule.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub here: bool,
}

/// The baseline entry that accepts a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Baselined {
    /// The kind of entry.
    pub kind: BaselinedKind,
    /// The reason given in the baseline.
    pub reason: String,
}

/// How often an accepted finding occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum BaselinedKind {
    /// Every time.
    #[default]
    Known,
    /// Sometimes.
    Flaky,
}

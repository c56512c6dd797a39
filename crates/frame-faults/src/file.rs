//! The format of `faults.yaml`, as written.

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use spanned_yaml::{Node, Spanned, present};

/// A list of names, each with its location.
pub type Names = Vec<Spanned<String>>;

/// Something for each of some places in a frame. A place is a JSON Pointer in which `*` is every element or member, `**` is any
/// number of steps down, and a negative number counts from the end of a list.
pub type Places<T> = IndexMap<Spanned<String>, T>;

/// Faults: what an agent can get wrong, how that is played, and what must catch it.
///
/// The file of a newer version of a dialect holds only what is new or different. Its own faults come first, in its order.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultsFile {
    /// Named lists of rules and scenarios, used as `$name` in `caught_by`. A list of a newer version replaces the list of the same
    /// name, in inherited faults too.
    #[serde(default)]
    pub rules: IndexMap<Spanned<String>, Names>,
    /// Named frames, used as `$name` in `on`. A newer version replaces them in inherited faults too.
    #[serde(default)]
    pub frames: IndexMap<Spanned<String>, FramesFile>,
    /// Inherited faults that this version does not have.
    #[serde(default)]
    pub remove: Names,
    /// What must catch inherited faults in this version.
    #[serde(default)]
    pub caught_by: IndexMap<Spanned<String>, Names>,
    /// The faults, by id. A fault with the id of an inherited one replaces it.
    #[serde(default)]
    pub faults: IndexMap<Spanned<String>, FaultFile>,
}

/// A choice of frames, and defaults of the faults that are played on them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FramesFile {
    /// The event, `>command`, `"*"` for every event, `">*"` for every command, or `"#options"` for the options of the process.
    pub on: Spanned<String>,
    /// What the frame must have: a matcher for each of some places. In a list of such maps, one of them must hold.
    #[serde(default)]
    #[schemars(with = "Option<Value>")]
    pub when: Option<Node>,
    /// From when on the fault is played.
    #[serde(default)]
    pub from: Option<ActiveFrom>,
    /// Where the frame has a text, for faults that put bytes into it.
    #[serde(default)]
    pub text: Option<Spanned<String>>,
}

/// From when on a fault is played.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActiveFrom {
    /// From the start of the process.
    Start,
    /// From the first turn on.
    Turn,
}

/// On which line of the output a fault can be caught.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShownAt {
    /// On the first line that it has changed.
    Line,
    /// There or on a later line: something is missing or late, or the change has consequences.
    Later,
}

/// A fault: one operation on some frames, or one change of how the reference agent behaves.
///
/// All edits together are one operation. They are made in the order in which they are listed here.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FaultFile {
    /// What goes wrong, in one line.
    #[serde(default)]
    pub summary: Option<Spanned<String>>,
    /// The frames: an event, `>command`, `"*"`, `">*"`, `"#options"`, or `$name` for named frames.
    #[serde(default)]
    pub on: Option<Spanned<String>>,
    /// What the frame must have, as in named frames; added to what named frames demand.
    #[serde(default)]
    #[schemars(with = "Option<Value>")]
    pub when: Option<Node>,
    /// From when on it is played: by default from the first turn, and from the start for commands and options.
    #[serde(default)]
    pub from: Option<ActiveFrom>,
    /// Whether every such frame is changed, or only the first. Commands and options are changed every time.
    #[serde(default)]
    pub every: bool,
    /// On which line it can be caught. By default `line` where a line is changed, and `later` where lines are missing or late.
    #[serde(default)]
    pub shown: Option<ShownAt>,
    /// The rules, and `scenario:ID` for scenarios, that must catch it: each of them is enough. Empty for what is legal on the wire
    /// and only there to test hosts.
    #[serde(default)]
    pub caught_by: Names,
    /// Where the frame has a text, for operations that put bytes into it.
    #[serde(default)]
    pub text: Option<Spanned<String>>,

    /// Edits are made here, not in the frame as a whole; their pointers start here.
    #[serde(default, rename = "in")]
    pub inside: Option<Spanned<String>>,
    /// Only values that match are edited. Without `in`, these are values at any depth.
    #[serde(default, rename = "where")]
    #[schemars(with = "Option<Value>")]
    pub matching: Option<Node>,
    /// Edit: sets members; adds those that are missing, and with `/-` an element at the end of a list. A text `$/pointer` is that
    /// part of the frame as it was, `$` is all of it.
    #[serde(default)]
    #[schemars(with = "IndexMap<String, Value>")]
    pub set: Places<Node>,
    /// Edit: turns values into another type.
    #[serde(default)]
    pub retype: Places<Spanned<Retype>>,
    /// Edit: adds to numbers.
    #[serde(default)]
    pub add: Places<f64>,
    /// Edit: multiplies numbers.
    #[serde(default)]
    pub multiply: Places<f64>,
    /// Edit: sets numbers to a sum of other members of the same object.
    #[serde(default)]
    pub sum: Places<Vec<String>>,
    /// Edit: cuts texts and lists to this many characters or elements; a negative number keeps the last ones.
    #[serde(default)]
    pub cut: Places<i64>,
    /// Edit: has each element of lists twice.
    #[serde(default)]
    pub double: Names,
    /// Edit: replaces what regular expressions find in texts, one after the other; `$1` is a group.
    #[serde(default)]
    pub replace: Places<IndexMap<Spanned<String>, String>>,
    /// Edit: removes white space at both ends of texts.
    #[serde(default)]
    pub trim: Names,
    /// Edit: turns texts into lower case.
    #[serde(default)]
    pub lower: Names,
    /// Edit: puts all earlier texts of the same place before a text. They start again where the value at the other pointer changes.
    #[serde(default)]
    pub cumulate: Places<Option<Spanned<String>>>,
    /// Edit: removes members or elements.
    #[serde(default)]
    pub remove: Names,

    /// The frame is dropped.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<()>")]
    pub drop: Option<Node>,
    /// The frame is sent twice.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<()>")]
    pub twice: Option<Node>,
    /// Another frame, or a list of frames, comes before it. `$/pointer` in them is that part of the frame.
    #[serde(default)]
    #[schemars(with = "Option<Value>")]
    pub before: Option<Node>,
    /// Another frame, or a list of frames, comes after it.
    #[serde(default)]
    #[schemars(with = "Option<Value>")]
    pub after: Option<Node>,
    /// How long after it the frames of `after` come, in milliseconds.
    #[serde(default)]
    pub after_ms: Option<Spanned<u64>>,
    /// It comes after the next event of this kind; `"*"`: of any kind.
    #[serde(default)]
    pub late: Option<Spanned<String>>,
    /// It comes just before the next event of this kind; `"*"`: of any kind.
    #[serde(default)]
    pub until: Option<Spanned<String>>,
    /// It comes this many milliseconds later.
    #[serde(default)]
    pub delay_ms: Option<u64>,
    /// It is dropped, and so are all later frames.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<()>")]
    pub silence: Option<Node>,
    /// The process exits before it, with this status.
    #[serde(default)]
    pub exit: Option<i32>,
    /// The process is killed before it.
    #[serde(default)]
    pub kill: Option<KillSignal>,
    /// Half of its line is written, then the process exits with this status.
    #[serde(default)]
    pub half_then_exit: Option<i32>,
    /// Each of its bytes is written on its own.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<()>")]
    pub byte_by_byte: Option<Node>,

    /// These bytes stand before its line.
    #[serde(default)]
    #[schemars(with = "Option<Bytes>")]
    pub raw_before: Option<Node>,
    /// These bytes stand at the beginning of its `text`.
    #[serde(default)]
    #[schemars(with = "Option<Bytes>")]
    pub raw_in_text: Option<Node>,
    /// These bytes end its line instead of a newline.
    #[serde(default)]
    #[schemars(with = "Option<Bytes>")]
    pub line_end: Option<Node>,
    /// These bytes stand behind the first brace of its line.
    #[serde(default)]
    #[schemars(with = "Option<Bytes>")]
    pub raw_in_brace: Option<Node>,

    /// What happens to other frames: further parts of the fault, each with `on`, `when`, `every` and an operation.
    #[serde(default)]
    pub also: Vec<FaultFile>,
    /// A fault of every line protocol: the operation and the summary are those of the common fault of this name.
    #[serde(default)]
    pub common: Option<Spanned<String>>,
    /// The reference agent behaves otherwise: the name of a behavior in its code.
    #[serde(default)]
    pub behavior: Option<Spanned<String>>,
}

/// A change of type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Retype {
    /// Numbers only, as texts.
    NumberToText,
    /// Null only, as an empty text.
    NullToText,
    /// A text or null as a number, any other value as a text.
    Other,
}

/// A signal that ends a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum KillSignal {
    /// SIGABRT, as after a crash.
    Abort,
    /// SIGKILL.
    Kill,
}

/// Bytes: a text, `{ hex: "f0 9f" }` for what is no text, `{ repeat: text, times: N }`, or a list of these.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "only its schema is used: bytes are decoded from a node"
)]
enum Bytes {
    Text(String),
    Hex { hex: String },
    Repeated { repeat: String, times: usize },
    List(Vec<Bytes>),
}

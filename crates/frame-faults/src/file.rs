//! The format of `faults.yaml`, as written. The [edits](crate::edit::Edit) and [operations](Operation) of a fault are next to its other
//! keys.

use crate::edit::Edit;
use crate::operation::Operation;
use frame_language::Pointer;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use spanned_yaml::{
    Error, Node, Spanned, Verbs, WithVerbs, decode_all, names_of, take_verbs, unknown_keys,
};

/// A list of names, each with its location.
pub type Names = Vec<Spanned<String>>;

/// The JSON Schema of a fault with all its keys.
type FaultSchema = WithVerbs<WithVerbs<FaultFile, Edit>, Operation>;

/// Faults: what an agent can get wrong, how that is played, and what must catch it.
///
/// The file of a newer version of a dialect holds only what is new or different. Its own faults come first, in its order.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FaultsFile {
    /// Named lists of rules and scenarios, used as `$name` in `caught_by`. A list of a newer version replaces the list of the same
    /// name, in inherited faults too.
    pub rules: IndexMap<Spanned<String>, Names>,
    /// Named frames, used by their names in `on`. A newer version replaces them in inherited faults too.
    pub frames: IndexMap<Spanned<String>, FramesFile>,
    /// Inherited faults that this version does not have.
    pub remove: Names,
    /// What must catch inherited faults in this version.
    pub caught_by: IndexMap<Spanned<String>, Names>,
    /// The faults, by id. A fault with the id of an inherited one replaces it.
    #[schemars(with = "IndexMap<String, FaultSchema>")]
    pub faults: IndexMap<Spanned<String>, Node>,
    /// Legal variants, by id: what an agent may do differently. They are played from the start of the process on every such frame, unless
    /// they say otherwise, and nothing may be found in them.
    #[schemars(with = "IndexMap<String, FaultSchema>")]
    pub variants: IndexMap<Spanned<String>, Node>,
    /// Topics of the table "Accepted interpretations" in the README of the dialect that no variant plays, and why.
    pub unplayed: IndexMap<Spanned<String>, String>,
}

/// A choice of frames, and defaults of the faults that are played on them.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FramesFile {
    /// The pattern of the frames, as in rules: `end{/status = error}`, `>command`, `any`, `"#options"` for the options of the process, or `"@request"`
    /// for the bodies of its requests to the model.
    pub on: Spanned<String>,
    /// From when on the fault is played.
    pub from: Option<ActiveFrom>,
    /// Where the frame has a text, for faults that put bytes into it.
    pub text: Option<Pointer>,
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
#[serde(deny_unknown_fields, default)]
pub struct FaultFile {
    /// What goes wrong, in one line.
    pub summary: Option<Spanned<String>>,
    /// The pattern of the frames, as in named frames, or with the names of those: `name{/n > 0}`.
    pub on: Option<Spanned<String>>,
    /// From when on it is played: by default from the first turn, and from the start for commands, options and requests.
    pub from: Option<ActiveFrom>,
    /// Whether every such frame is changed, or only the first. Commands, options and requests are changed every time. The default of variants is true.
    pub every: Option<bool>,
    /// On which line it can be caught. By default `line` where a line is changed, and `later` where lines are missing or late.
    pub shown: Option<ShownAt>,
    /// The rules, and `scenario:ID` for scenarios, that must catch it: each of them is enough. Empty for what is legal on the wire
    /// and only there to test hosts.
    pub caught_by: Names,
    /// For variants: the topic of the table "Accepted interpretations" in the README of the dialect, or of one of its bases, that allows
    /// it. Without one it is a freedom that the specification itself leaves.
    pub accepts: Option<Spanned<String>>,
    /// For variants: what is found all the same, a rule, or `scenario:ID` or `scenario:FOLDER/*` for any finding of
    /// these scenarios, and why.
    pub listed: IndexMap<Spanned<String>, String>,
    /// Where the frame has a text, for operations that put bytes into it.
    pub text: Option<Pointer>,
    /// Edits are made here, not in the frame as a whole; their pointers start here.
    #[serde(rename = "in")]
    pub inside: Option<Pointer>,
    /// Only values that match are edited. Without `in`, these are values at any depth.
    #[serde(rename = "where")]
    #[schemars(with = "Option<Value>")]
    pub matching: Option<Node>,
    /// How long after it the frames of `after` come, in milliseconds.
    pub after_ms: Option<Spanned<u64>>,
    /// What happens to other frames: further parts of the fault, each with `on`, `every` and an operation.
    #[schemars(with = "Vec<FaultSchema>")]
    pub also: Vec<Node>,
}

/// A fault as written, or a part of one, with its edits and operations.
#[derive(Debug, Clone)]
pub(crate) struct FaultPart {
    pub(crate) file: FaultFile,
    pub(crate) edits: Verbs<Edit>,
    pub(crate) operations: Verbs<Operation>,
    pub(crate) node: Node,
    pub(crate) is_variant: bool,
}

impl FaultPart {
    /// Decodes a fault: the fault itself, and the parts under `also`.
    ///
    /// # Errors
    /// Every mistake, at its place.
    pub(crate) fn decode(node: &Node, is_variant: bool) -> Result<Vec<Self>, Vec<Error>> {
        let known = [
            names_of::<FaultFile>(),
            names_of::<Edit>(),
            names_of::<Operation>(),
        ];
        let unknown = unknown_keys(node, &known);
        if !unknown.is_empty() {
            return Err(unknown);
        }
        let (edits, rest) = take_verbs(node)?;
        let (operations, rest) = take_verbs(&rest)?;
        let file: FaultFile = decode_all(&rest)?;
        let mut parts = vec![FaultPart {
            edits,
            operations,
            node: node.clone(),
            file: file.clone(),
            is_variant,
        }];
        for part in &file.also {
            let part = FaultPart::decode(part, is_variant)?;
            parts.extend(part);
        }
        Ok(parts)
    }
}

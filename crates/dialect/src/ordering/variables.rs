//! The format of `state` in `ordering.yaml`: variables that remember something of earlier frames.

use super::json_schema::{ChangesSchema, ConditionSchema, OperandSchema};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::Deserialize;
use spanned_yaml::{Error, Node};

/// A state variable: what the rules remember of earlier frames. What it holds follows from its changes.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct StateFile {
    /// Its content before the first frame; nothing if left out.
    #[schemars(with = "Option<OperandSchema>")]
    pub start: Option<Node>,
    /// Flags of the agent's command line that replace `start`: `{ value: X }`, or `next` for the word after the flag.
    #[schemars(with = "IndexMap<String, OperandSchema>")]
    pub argv: IndexMap<String, Node>,
    /// A flag, which is true or nothing: the patterns of the frames that `set` it, and of those that `clear` it. Of both on one frame the
    /// lower one counts.
    #[schemars(with = "Option<FlagSchema>")]
    pub flag: Option<Node>,
    /// A list of what is owed: an entry for each frame of `from` that no frame of `to` has paid.
    pub owed: Option<OwedFile>,
    /// The value of a setting, as far as it is known.
    pub setting: Option<SettingFile>,
    /// The changes, by the pattern of the frames that make them.
    #[schemars(with = "Option<IndexMap<String, ChangesSchema>>")]
    pub on: Option<Node>,
    /// For state that the agent holds: the pattern of the events that show that the agent works with the commands that it has read.
    #[schemars(with = "Option<String>")]
    pub acknowledged_by: Option<Node>,
}

/// The frames that change a flag.
#[derive(JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "only its JSON Schema is used")]
struct FlagSchema {
    /// The pattern of the frames that set it.
    set: String,
    /// The pattern of the frames that clear it.
    clear: Option<String>,
}

/// Something that is owed from one frame until another one pays it.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OwedFile {
    /// The pattern of the frames after which something is owed.
    #[schemars(with = "String")]
    pub from: Node,
    /// The pattern of the frames of which each pays one entry.
    #[schemars(with = "String")]
    pub to: Node,
    /// What a frame of `from` and the frame that pays it share, or a list of the key in the one and in the other. Frames without it neither owe
    /// nor pay. If left out, any `to` pays any `from`.
    #[schemars(with = "Option<OperandSchema>")]
    pub by: Option<Node>,
    /// The pattern of frames after which nothing is owed.
    #[schemars(with = "Option<String>")]
    pub unless: Option<Node>,
}

/// A setting: a command asks for a value, and an answer grants or refuses it.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SettingFile {
    /// The pattern of the commands that ask for a value. From then on the setting is not known.
    #[schemars(with = "Option<String>")]
    pub ask: Option<Node>,
    /// The value that such a command asks for.
    #[schemars(with = "Option<OperandSchema>")]
    pub value: Option<Node>,
    /// A condition on the command: only such a value is certainly taken as it is.
    #[schemars(with = "Option<ConditionSchema>")]
    pub valid: Option<Node>,
    /// What a command and its answer share.
    #[schemars(with = "Option<OperandSchema>")]
    pub by: Option<Node>,
    /// The pattern of the answers after which the setting has the value that was asked for.
    #[schemars(with = "Option<String>")]
    pub granted: Option<Node>,
    /// The pattern of the answers after which it has the value from before the command.
    #[schemars(with = "Option<String>")]
    pub refused: Option<Node>,
    /// The `owed` variable of the commands that concern settings. An answer counts if nothing else of it was open since the command.
    #[schemars(with = "Option<String>")]
    pub alone: Option<Node>,
    /// The patterns of frames that show the value, and where.
    #[schemars(with = "Option<IndexMap<String, OperandSchema>>")]
    pub told: Option<Node>,
    /// The pattern of frames after which the setting is not known.
    #[schemars(with = "Option<String>")]
    pub lost: Option<Node>,
}

impl SettingFile {
    /// The setting, with the keys that it shares with other settings.
    #[must_use]
    pub fn over(&self, shared: Option<&SettingFile>) -> SettingFile {
        let Some(shared) = shared.cloned() else {
            return self.clone();
        };
        let own = self.clone();
        SettingFile {
            ask: own.ask.or(shared.ask),
            value: own.value.or(shared.value),
            valid: own.valid.or(shared.valid),
            by: own.by.or(shared.by),
            granted: own.granted.or(shared.granted),
            refused: own.refused.or(shared.refused),
            alone: own.alone.or(shared.alone),
            told: own.told.or(shared.told),
            lost: own.lost.or(shared.lost),
        }
    }
}

impl StateFile {
    /// The names of the variables that it declares under `name`: itself, and those in which a setting keeps the requested value and the
    /// value before it.
    #[must_use]
    pub fn names(&self, name: &str) -> Vec<String> {
        let is_asked = |setting: &SettingFile| setting.ask.is_some();
        let mut names = vec![name.to_owned()];
        if self.setting.as_ref().is_some_and(is_asked) {
            names.extend(["asked", "before"].map(|part| format!("{name}.{part}")));
        }
        names
    }

    /// Makes sure that its changes are declared in one way.
    ///
    /// # Errors
    /// It has several of `flag`, `owed`, `setting` and `on`.
    pub fn is_of_one_kind(&self) -> Result<(), Error> {
        let ways = [
            self.flag.is_some(),
            self.owed.is_some(),
            self.setting.is_some(),
            self.on.is_some(),
        ];
        match self.place() {
            Some(place) if ways.into_iter().filter(|is_given| *is_given).count() > 1 => {
                let message =
                    "a variable has its changes under one of `flag`, `owed`, `setting` and `on`";
                Err(place.error(message))
            }
            _ => Ok(()),
        }
    }

    /// A place of the variable in its file.
    pub(crate) fn place(&self) -> Option<&Node> {
        let owed = self.owed.as_ref().map(|owed| &owed.from);
        let setting = self.setting.as_ref();
        let setting = setting.and_then(|setting| setting.ask.as_ref().or(setting.told.as_ref()));
        let (on, flag) = (self.on.as_ref(), self.flag.as_ref());
        on.or(flag).or(owed).or(setting).or(self.start.as_ref())
    }
}

//! The names of the frames of a session, as the faults and the rules of its dialect know them.

use conform_judge::dialect::{self, Dialect, FrameIdentity};
use frame_faults::{FrameNamer, FrameNaming, KindPointers, NestedKinds};
use serde_json::Value;

/// How faults name the frames of a dialect.
#[must_use]
pub fn frame_naming(dialect: &Dialect) -> FrameNaming {
    match &dialect.json_rpc {
        Some(json_rpc) => FrameNaming::JsonRpc {
            is_version_optional: json_rpc.is_version_optional,
        },
        None => FrameNaming::Pointers(KindPointers {
            events: dialect.events.discriminator.clone(),
            commands: dialect.commands.discriminator.clone(),
        }),
    }
}

/// Where the frames of a dialect name their nested kinds.
#[must_use]
pub fn nested_kinds(dialect: &Dialect) -> NestedKinds {
    dialect::kinds_of(dialect.events.names.iter(), dialect.commands.names.iter())
}

/// Names the frames of one session.
#[derive(Debug, Clone)]
pub(crate) struct SessionNames(FrameNamer);

impl SessionNames {
    pub(crate) fn new(dialect: &Dialect) -> Self {
        SessionNames(FrameNamer::new(frame_naming(dialect)))
    }

    /// The name of the next frame of a side without its nested kind, and the identity that the dialect gives it.
    pub(crate) fn next(
        &mut self,
        dialect: &Dialect,
        frame: &Value,
        is_command: bool,
    ) -> (String, FrameIdentity) {
        let (names, _) = dialect.frames(is_command);
        let name = if is_command {
            self.0.command(frame)
        } else {
            self.0.event(frame)
        };
        let identity = names.identify(&names.named(frame, Some(&name)));
        (name, identity)
    }
}

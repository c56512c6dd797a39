//! Faults on frames that are chosen while the agent runs, or for a scripted agent: from the `faults.yaml` of the dialect, or one that every
//! line protocol can have.

use crate::config::DialectFiles;
use crate::faults::fault_table;
use crate::os::stdout::FrameWriter;
use frame_faults::{Fault, FaultPlayer, FaultTable, KindPointers, Output, common_names};
use serde_json::Value;
use std::cell::RefCell;
use std::path::PathBuf;

/// A dialect whose faults can be played.
#[derive(Debug, Clone, Default)]
pub(super) struct FaultedDialect {
    pub(super) name: String,
    /// Its version; the newest if empty.
    pub(super) version: String,
    /// The user's folder of dialects.
    pub(super) folder: Option<PathBuf>,
    pub(super) kinds: KindPointers,
    /// The events that begin a turn.
    pub(super) turn_events: Vec<String>,
}

/// The fault of this id, if it is one on frames.
///
/// # Errors
/// There is none on frames, or the files of the dialect have a mistake.
pub(super) fn find(
    dialect: &FaultedDialect,
    files: DialectFiles,
    id: &str,
) -> Result<Fault, String> {
    let found = find_any(dialect, files, id)?;
    match found.is_playable_outside() {
        true => Ok(found),
        false => Err(format!(
            "the fault `{id}` is a behavior of the agent, not of its frames: start the agent with --fault {id}"
        )),
    }
}

/// The fault of this id.
///
/// # Errors
/// There is none, or the files of the dialect have a mistake.
pub(super) fn find_any(
    dialect: &FaultedDialect,
    files: DialectFiles,
    id: &str,
) -> Result<Fault, String> {
    let table = table(dialect, files)?;
    match table.find(id) {
        Ok(found) => Ok(found.clone()),
        Err(_) if common_names().iter().any(|name| name == id) => common_fault(id),
        Err(_) => {
            let mut known: Vec<_> = table
                .faults()
                .iter()
                .map(|fault| fault.id.as_str())
                .collect();
            let common = common_names();
            known.extend(common.iter().map(String::as_str));
            Err(spanned_yaml::unknown("fault", id, known))
        }
    }
}

fn table(dialect: &FaultedDialect, files: DialectFiles) -> Result<FaultTable, String> {
    let folder = dialect.folder.as_deref();
    fault_table(files, folder, &dialect.name, &dialect.version)
}

/// A fault of every line protocol, on any event.
///
/// # Errors
/// The fault needs more than an event: only the `faults.yaml` of a dialect can say what.
fn common_fault(id: &str) -> Result<Fault, String> {
    let text = format!("faults:\n  {id}: {{ common: {id}, on: \"*\" }}\n");
    let table = FaultTable::load(&[("line-faults.yaml".into(), text)]);
    let table = table.map_err(|_| {
        format!("the fault `{id}` changes a part of an event: name it in the faults.yaml of the dialect, with `common: {id}`")
    })?;
    table.find(id).cloned()
}

/// Plays one fault on the frames that are sent.
#[derive(Debug)]
pub(super) struct FaultWriter {
    player: RefCell<FaultPlayer>,
    kinds: KindPointers,
    turn_events: Vec<String>,
}

impl FaultWriter {
    /// Plays the fault from a turn on; by default as it says itself.
    pub(super) fn new(fault: Fault, dialect: &FaultedDialect, from: Option<u32>) -> Self {
        FaultWriter {
            player: RefCell::new(FaultPlayer::new(fault, dialect.kinds.clone(), from)),
            kinds: dialect.kinds.clone(),
            turn_events: dialect.turn_events.clone(),
        }
    }

    /// Plays the fault from the next frame on.
    pub(super) fn active_now(fault: Fault, dialect: &FaultedDialect) -> Self {
        Self::new(fault, dialect, Some(0))
    }

    fn begins_turn(&self, frame: &Value) -> bool {
        let kind = frame.pointer(&self.kinds.events).and_then(Value::as_str);
        kind.is_some_and(|kind| self.turn_events.iter().any(|event| event == kind))
    }
}

impl FrameWriter for FaultWriter {
    fn write(&self, frame: Value, write: &mut dyn FnMut(Output)) {
        let mut player = self.player.borrow_mut();
        if self.begins_turn(&frame) {
            player.start_turn();
        }
        let outputs = player.event(&frame);
        // Logged first, as an output may end the process.
        if let Some(entry) = player.take_log_entry() {
            eprintln!("{entry}");
        }
        outputs.into_iter().for_each(write);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spanned_yaml::Error;
    use std::path::Path;

    fn files(
        _: Option<&Path>,
        name: &str,
        _: &str,
        file: &str,
    ) -> Result<Option<(PathBuf, String)>, Error> {
        let text = "faults:\n  no-end: { summary: no end, on: end, drop: }\n  own: { summary: own, behavior: own }\n";
        Ok((name == "bird" && file == "faults.yaml").then(|| (file.into(), text.to_owned())))
    }

    fn dialect() -> FaultedDialect {
        FaultedDialect {
            name: "bird".into(),
            kinds: KindPointers {
                events: "/type".into(),
                commands: "/type".into(),
            },
            turn_events: vec!["begin".into()],
            ..FaultedDialect::default()
        }
    }

    #[test]
    fn a_fault_of_the_dialect_or_of_every_line_protocol_is_found() {
        assert!(find(&dialect(), files, "no-end").is_ok());
        assert!(find(&dialect(), files, "byte-order-mark").is_ok());
        let text = find(&dialect(), files, "latin-1").unwrap_err();
        assert!(text.contains("with `common: latin-1`"), "{text}");
        let behavior = find(&dialect(), files, "own").unwrap_err();
        assert!(
            behavior.contains("start the agent with --fault own"),
            "{behavior}"
        );
        let unknown = find(&dialect(), files, "no-ende").unwrap_err();
        assert!(unknown.contains("did you mean `no-end`?"), "{unknown}");
    }

    #[test]
    fn a_fault_is_played_from_a_turn_on_or_now() {
        let sent = |from, kinds: &[&str]| {
            let fault = find(&dialect(), files, "no-end").unwrap();
            let writer = FaultWriter::new(fault, &dialect(), from);
            let mut count = 0;
            for kind in kinds {
                writer.write(serde_json::json!({ "type": kind }), &mut |_| count += 1);
            }
            count
        };
        let turns = ["begin", "end", "begin", "end"];
        assert_eq!(
            (
                sent(None, &turns),
                sent(Some(2), &turns),
                sent(Some(3), &turns)
            ),
            (3, 3, 4)
        );
        assert_eq!(sent(Some(0), &["end"]), 0);
    }
}

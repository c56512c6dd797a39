//! The dialect whose faults can be played: those of its `faults.yaml`, and those that every line protocol can have.

use conform_dialect::{DialectSource, dialect_file, faults};
use frame_faults::{Fault, FaultTable, FrameNaming, FrameSelector, NestedKinds, common_names};
use spanned_yaml::render_all;

/// A dialect whose faults can be played.
#[derive(Debug, Clone, Default)]
pub(crate) struct FaultedDialect {
    /// Where its files are.
    pub(crate) source: DialectSource,
    /// `NAME@VERSION`.
    pub(crate) id: String,
    pub(crate) naming: FrameNaming,
    /// The frames that begin a turn, if the agent itself does not count turns.
    pub(crate) turn: FrameSelector,
}

impl FaultedDialect {
    /// The name and the version.
    pub(crate) fn name_and_version(&self) -> (&str, &str) {
        self.id.split_once('@').unwrap_or((&self.id, ""))
    }

    /// The fault of this id.
    ///
    /// # Errors
    /// There is none, or the files of the dialect have a mistake.
    pub(crate) fn fault(&self, id: &str) -> Result<Fault, String> {
        if let Some(found) = conform_dialect::fault(&self.source, &self.id, id) {
            return Ok(found);
        }
        let table = self.table()?;
        if let Ok(found) = table.find(id) {
            return Ok(found.clone());
        }
        let common = common_names();
        if common.iter().any(|name| name == id) {
            return common_fault(id);
        }
        let own = table
            .faults()
            .chain(table.variants())
            .map(|fault| &fault.id);
        let known: Vec<_> = own.chain(&common).map(String::as_str).collect();
        Err(spanned_yaml::unknown("fault", id, known))
    }

    /// The fault of this id, if it is one on frames: it can be played while the agent runs.
    ///
    /// # Errors
    /// There is none on frames, or the files of the dialect have a mistake.
    pub(crate) fn frame_fault(&self, id: &str) -> Result<Fault, String> {
        let found = self.fault(id)?;
        if found.is_playable_outside() {
            return Ok(found);
        }
        Err(format!(
            "the fault `{id}` is a behavior of the agent, not of its frames: start the agent with --fault {id}"
        ))
    }

    /// All faults of the dialect.
    ///
    /// # Errors
    /// The files of the dialect have a mistake.
    pub(super) fn faults(&self) -> Result<Vec<Fault>, String> {
        Ok(self.table()?.faults().cloned().collect())
    }

    fn table(&self) -> Result<FaultTable, String> {
        let table = dialect_file(&self.source, &self.id)
            .and_then(|file| faults(&self.source, &file.sources));
        Ok(table
            .map_err(|errors| render_all(&errors))?
            .unwrap_or_default())
    }
}

/// A fault of every line protocol, on any event.
///
/// # Errors
/// The fault needs more than an event: only the `faults.yaml` of a dialect can define it.
fn common_fault(id: &str) -> Result<Fault, String> {
    let text = format!("faults:\n  {id}: {{ common: {id}, on: any }}\n");
    let loaded = FaultTable::load(&[("line-faults.yaml".into(), text)], NestedKinds::new());
    let table = loaded.map_err(|_| {
        format!("the fault `{id}` changes a part of an event: name it in the faults.yaml of the dialect, with `common: {id}`")
    })?;
    table.find(id).cloned()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use frame_faults::KindPointers;

    /// A dialect with faults, and one that extends it.
    pub(in crate::faults) fn bird() -> FaultedDialect {
        let folder = tempfile::tempdir().unwrap().keep();
        for (version, dialect, faults) in [
            (
                "1",
                "{ name: bird, version: '1', discriminator: { events: /type, commands: /type }, events: { begin: , end: } }",
                "faults:\n  no-end: { summary: no end, on: end, drop: }\n  two-begins: { summary: two, on: begin, twice: }\n  own: { summary: own, behavior: own }\n",
            ),
            (
                "2",
                "{ name: bird, version: '2', extends: bird@1 }",
                "remove: [own]\nfaults: { no-begin: { summary: none, on: begin, drop: } }\n",
            ),
        ] {
            let folder = folder.join("bird").join(version);
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(folder.join("dialect.yaml"), dialect).unwrap();
            std::fs::write(folder.join("faults.yaml"), faults).unwrap();
        }
        FaultedDialect {
            source: DialectSource::new(Some(folder)),
            id: "bird@1".into(),
            naming: FrameNaming::Pointers(KindPointers {
                events: "/type".into(),
                commands: "/type".into(),
            }),
            turn: FrameSelector::parse("begin", NestedKinds::new()).unwrap(),
        }
    }

    #[test]
    fn a_fault_of_the_dialect_or_of_every_line_protocol_is_found() {
        let dialect = bird();
        assert!(dialect.frame_fault("no-end").is_ok());
        assert!(dialect.fault("own").is_ok());
        assert!(dialect.frame_fault("byte-order-mark").is_ok());
        let refused = |id: &str| dialect.frame_fault(id).unwrap_err();
        assert!(refused("latin-1").contains("with `common: latin-1`"));
        assert!(refused("own").contains("start the agent with --fault own"));
        assert!(refused("no-ende").contains("did you mean `no-end`?"));
    }

    #[test]
    fn a_newer_version_extends_the_faults_of_its_base() {
        let newer = FaultedDialect {
            id: "bird@2".into(),
            ..bird()
        };
        assert!(newer.fault("no-begin").is_ok() && newer.fault("no-end").is_ok());
        assert!(newer.fault("own").is_err());
    }
}

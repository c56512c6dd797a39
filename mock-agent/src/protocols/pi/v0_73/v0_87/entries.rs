//! "Session File Format" of the page: the session as a list of entries, each behind another.

use serde_json::{Value, json};

/// The entries of a session, in the order of their coming. The last one is its leaf.
#[derive(Debug, Clone, Default)]
pub(in crate::protocols::pi::v0_73) struct Ledger {
    entries: Vec<Value>,
}

impl Ledger {
    /// Appends an entry of this type under this id.
    pub(in crate::protocols::pi::v0_73) fn append(
        &mut self,
        kind: &str,
        id: &str,
        more: Value,
    ) -> &Value {
        let mut entry = json!({
            "type": kind,
            "id": id,
            "parentId": self.leaf(),
            "timestamp": time(self.entries.len()),
        });
        if let (Some(entry), Value::Object(more)) = (entry.as_object_mut(), more) {
            entry.extend(more);
        }
        self.entries.push(entry);
        &self.entries[self.entries.len() - 1]
    }

    /// The id of the last entry; null if there is none.
    pub(super) fn leaf(&self) -> Value {
        self.entries
            .last()
            .map_or(Value::Null, |entry| entry["id"].clone())
    }

    /// The entries behind the one with this id, or all of them.
    ///
    /// # Errors
    /// There is no such entry.
    pub(super) fn since(&self, id: Option<&str>) -> Result<&[Value], String> {
        let Some(id) = id else {
            return Ok(&self.entries);
        };
        let place = self.entries.iter().position(|entry| entry["id"] == id);
        let place = place.ok_or_else(|| format!("Entry not found: {id}"))?;
        Ok(&self.entries[place + 1..])
    }

    /// The roots of the tree that the entries are: one, with each entry below the one before it.
    pub(super) fn tree(&self) -> Vec<Value> {
        let mut below = Vec::new();
        for entry in self.entries.iter().rev() {
            below = vec![json!({ "entry": entry, "children": below })];
        }
        below
    }

    /// What is left if only this entry and those before it stay; nothing where there is no such entry.
    pub(in crate::protocols::pi::v0_73) fn up_to(&self, id: Option<&str>) -> Ledger {
        let place = self
            .entries
            .iter()
            .position(|entry| Some(&entry["id"]) == id.map(Value::from).as_ref());
        let count = place.map_or(0, |place| place + 1);
        Ledger {
            entries: self.entries[..count].to_vec(),
        }
    }
}

/// The time of an entry, told by counting.
fn time(count: usize) -> String {
    let (minutes, seconds) = (count / 60, count % 60);
    format!(
        "2025-12-01T{:02}:{:02}:{seconds:02}.000Z",
        minutes / 60 % 24,
        minutes % 60
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entry_stands_behind_the_one_before_it() {
        let mut ledger = Ledger::default();
        assert_eq!(ledger.leaf(), Value::Null);
        ledger.append("message", "a", json!({}));
        ledger.append("custom", "b", json!({ "data": 1 }));

        assert_eq!(ledger.since(Some("a")).unwrap()[0]["parentId"], "a");
        assert_eq!(ledger.since(Some("z")).unwrap_err(), "Entry not found: z");
        let tree = ledger.tree();
        assert_eq!(tree[0]["children"][0]["entry"]["data"], 1);
        assert_eq!(ledger.up_to(Some("a")).leaf(), "a");
        assert_eq!(ledger.up_to(None).leaf(), Value::Null);
    }
}

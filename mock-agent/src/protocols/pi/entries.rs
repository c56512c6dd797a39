//! "Session File Format" of the page: the session as a tree of entries, of which each has the one before it as its parent.

use serde_json::{Value, json};

/// The entries of a session in order. The last one is its leaf.
#[derive(Debug, Clone, Default)]
pub(super) struct EntryTree {
    entries: Vec<Value>,
}

impl EntryTree {
    /// Appends an entry of this type with this id.
    pub(super) fn append(&mut self, kind: &str, id: &str, more: Value) -> &Value {
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

    /// The id of the last entry. Null if there is none.
    pub(super) fn leaf(&self) -> Value {
        self.entries
            .last()
            .map_or(Value::Null, |entry| entry["id"].clone())
    }

    /// The entries after the one with this id, or all of them.
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

    /// The entries as a nested tree: one root, and each entry the child of the one before it.
    pub(super) fn nested(&self) -> Vec<Value> {
        let mut below = Vec::new();
        for entry in self.entries.iter().rev() {
            below = vec![json!({ "entry": entry, "children": below })];
        }
        below
    }

    /// The entries up to this one. Empty if there is no such entry.
    pub(super) fn up_to(&self, id: Option<&str>) -> EntryTree {
        let place = self
            .entries
            .iter()
            .position(|entry| Some(&entry["id"]) == id.map(Value::from).as_ref());
        let count = place.map_or(0, |place| place + 1);
        EntryTree {
            entries: self.entries[..count].to_vec(),
        }
    }
}

/// The time of an entry: one second per entry, so that runs are reproducible.
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
    fn each_entry_is_the_child_of_the_one_before_it() {
        let mut tree = EntryTree::default();
        assert_eq!(tree.leaf(), Value::Null);
        tree.append("message", "a", json!({}));
        tree.append("custom", "b", json!({ "data": 1 }));

        assert_eq!(tree.since(Some("a")).unwrap()[0]["parentId"], "a");
        assert_eq!(tree.since(Some("z")).unwrap_err(), "Entry not found: z");
        let nested = tree.nested();
        assert_eq!(nested[0]["children"][0]["entry"]["data"], 1);
        assert_eq!(tree.up_to(Some("a")).leaf(), "a");
        assert_eq!(tree.up_to(None).leaf(), Value::Null);
    }
}

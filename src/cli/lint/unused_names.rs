//! Names that the `ordering.yaml` of a dialect declares and that nothing uses.

use spanned_yaml::{Error, Node, load_file};
use std::collections::HashMap;
use std::path::Path;

/// The lists that declare names for use elsewhere.
const DECLARATIONS: &[&str] = &["conditions", "classes", "scopes", "state"];

/// An error for each unused name in a folder `NAME/VERSION` of a dialect. A name is used if it occurs again in any file of the protocol:
/// another version may inherit it.
pub(super) fn unused_names(folder: &Path) -> Vec<Error> {
    // A file that cannot be read has its own error, or does not exist.
    let Ok(ordering) = load_file(&folder.join("ordering.yaml")) else {
        return Vec::new();
    };
    let text = folder.parent().map(protocol_text).unwrap_or_default();
    let is_part_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut words: HashMap<&str, usize> = HashMap::new();
    for word in text.split(|c| !is_part_of_name(c)) {
        *words.entry(word).or_default() += 1;
    }
    let mut unused = Vec::new();
    for list in DECLARATIONS {
        let names = ordering.get(list).and_then(Node::as_map);
        for (key, _) in names.unwrap_or_default() {
            if words.get(key.name.as_str()).is_none_or(|count| *count < 2) {
                let message = format!("nothing uses `{}` of `{list}`", key.name);
                unused.push(ordering.error_at(key.span, message));
            }
        }
    }
    let groups = ordering.get("groups").and_then(Node::as_map);
    for (key, group) in groups.unwrap_or_default() {
        let rules = group.get("rules").and_then(Node::as_map);
        if rules.is_none_or(<[_]>::is_empty) {
            let message = format!("the group `{}` has no rule", key.name);
            unused.push(ordering.error_at(key.span, message));
        }
    }
    unused
}

/// The text of all YAML files of a protocol, in every version.
fn protocol_text(protocol: &Path) -> String {
    let entries = |folder: &Path| std::fs::read_dir(folder).into_iter().flatten().flatten();
    let versions = entries(protocol).map(|version| version.path());
    let files = versions.flat_map(|version| entries(&version).map(|file| file.path()));
    let yaml = files.filter(|path| path.extension().is_some_and(|one| one == "yaml"));
    yaml.filter_map(|path| std::fs::read_to_string(path).ok())
        .collect()
}

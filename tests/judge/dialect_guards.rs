//! The dialects are readable: no guard is written twice, and none compares the same state again and again. What stands twice has a name
//! under `conditions` or `classes`.

use conform_judge::dialect::{DialectSource, load};
use frame_language::{Token, tokenize};
use spanned_yaml::{Node, load_file};
use std::collections::{HashMap, HashSet};
use std::path::Path;

/// Each dialect: its folder, and those of the dialects that it extends.
fn chains() -> Vec<Vec<String>> {
    let source = DialectSource::default();
    let chain = |(name, version)| {
        let mut chain = vec![format!("{name}/{version}")];
        let dialect = load(&source, &format!("{name}@{version}")).unwrap();
        chain.extend(dialect.bases.iter().map(|base| base.id.replace('@', "/")));
        chain
    };
    source.names().into_iter().map(chain).collect()
}

/// How often a comparison of state may be written out.
const MOST_COMPARISONS: usize = 3;

/// The keys of a rule's forms that hold patterns, and those that hold conditions.
const PATTERNS: &[&str] = &[
    "expression",
    "alphabet",
    "unless",
    "disable_on",
    "from",
    "to",
    "before",
    "on",
    "open",
    "close",
    "acknowledged_by",
];
const CONDITIONS: &[&str] = &["when", "timeout_if"];

/// The guards of a dialect, each as its terms, with the places that have it.
#[derive(Default)]
struct Guards {
    lists: HashMap<String, Vec<String>>,
    terms: HashMap<String, Vec<String>>,
}

impl Guards {
    fn add(&mut self, place: &str, mut terms: Vec<String>) {
        let is_name = |term: &String| !term.contains(' ');
        for term in terms
            .iter()
            .filter(|term| term.contains('$') && !is_name(term))
        {
            self.terms
                .entry(term.clone())
                .or_default()
                .push(place.to_owned());
        }
        if terms.len() > 1 && !terms.iter().all(is_name) {
            terms.sort();
            self.lists
                .entry(terms.join(", "))
                .or_default()
                .push(place.to_owned());
        }
    }

    /// The guards in braces of a pattern.
    fn pattern(&mut self, place: &str, text: &str) {
        let tokens = tokenize(text).unwrap_or_else(|error| panic!("{place}: {}", error.message));
        let mut guard: Option<Vec<String>> = None;
        for (_, token) in tokens {
            match (&token, guard.as_mut()) {
                (Token::Sign("{"), None) => guard = Some(vec![String::new()]),
                (Token::Sign("}"), Some(_)) => self.add(place, guard.take().unwrap_or_default()),
                (Token::Sign(","), Some(terms)) => terms.push(String::new()),
                (token, Some(terms)) => {
                    let term = terms.last_mut().expect("one at least");
                    let blank = if term.is_empty() { "" } else { " " };
                    term.push_str(&format!("{blank}{}", written(token)));
                }
                _ => {}
            }
        }
    }

    fn condition(&mut self, place: &str, node: &Node) {
        let list = node.as_list();
        let terms = list.unwrap_or(std::slice::from_ref(node)).iter();
        let texts: Vec<_> = terms.filter_map(Node::as_str).map(normal).collect();
        if list.is_none_or(|list| list.len() == texts.len()) {
            self.add(place, texts);
        }
        for inner in list.unwrap_or_default() {
            if inner.as_str().is_none() {
                self.condition(place, inner);
            }
        }
        for (key, inner) in node.as_map().unwrap_or_default() {
            match key.name.as_str() {
                "seen" => self.pattern(place, inner.as_str().unwrap_or_default()),
                "every" | "holds" => {}
                _ => inner
                    .as_list()
                    .unwrap_or(std::slice::from_ref(inner))
                    .iter()
                    .for_each(|one| self.condition(place, one)),
            }
        }
    }

    /// The patterns and conditions in a map of a rule, a scope or a state variable.
    fn entry(&mut self, place: &str, node: &Node) {
        for (key, value) in node.as_map().unwrap_or_default() {
            let key = key.name.as_str();
            match value.as_str() {
                Some(text) if PATTERNS.contains(&key) || key == "order" => {
                    self.pattern(place, text);
                }
                _ if CONDITIONS.contains(&key) => self.condition(place, value),
                _ if key == "on" => {
                    for (pattern, _) in value.as_map().unwrap_or_default() {
                        self.pattern(place, &pattern.name);
                    }
                }
                _ if ["order", "response", "require", "readings", "fold"].contains(&key) => {
                    self.entry(place, value);
                }
                _ => {}
            }
        }
    }
}

fn normal(text: &str) -> String {
    let tokens = tokenize(text).unwrap_or_default();
    let words: Vec<_> = tokens.iter().map(|(_, token)| written(token)).collect();
    words.join(" ")
}

fn written(token: &Token) -> String {
    match token {
        Token::Name(text) | Token::Pointer(text) => text.clone(),
        Token::State(name) => format!("${name}"),
        Token::Text(text) => format!("{text:?}"),
        Token::Number(number) => number.to_string(),
        Token::Sign(sign) => (*sign).to_owned(),
    }
}

/// The guards of a dialect with those that it inherits.
fn guards(chain: &[String]) -> Guards {
    let mut guards = Guards::default();
    let mut known: HashSet<String> = HashSet::new();
    for folder in chain {
        let path = Path::new("schemas").join(folder).join("ordering.yaml");
        let root = load_file(&path).unwrap_or_else(|error| panic!("{error}"));
        let groups = root
            .get("groups")
            .and_then(Node::as_map)
            .unwrap_or_default();
        for (name, group) in groups {
            guards.entry(&format!("group {}", name.name), group);
        }
        let sections = ["classes", "conditions", "scopes", "state", "rules"];
        let sections = sections
            .iter()
            .filter_map(|name| Some((*name, root.get(name)?)));
        let grouped = groups
            .iter()
            .filter_map(|(_, group)| Some(("rules", group.get("rules")?)));
        for (section, entries) in sections.chain(grouped) {
            for (name, node) in entries.as_map().unwrap_or_default() {
                let place = format!("{section} {}", name.name);
                if !known.insert(place.clone()) {
                    continue;
                }
                match section {
                    "classes" => {
                        for pattern in node.as_list().unwrap_or_default() {
                            guards.pattern(&place, pattern.as_str().unwrap_or_default());
                        }
                    }
                    "conditions" => guards.condition(&place, node),
                    _ => guards.entry(&place, node),
                }
            }
        }
        for removed in root
            .get("remove")
            .and_then(Node::as_list)
            .unwrap_or_default()
        {
            known.insert(format!("rules {}", removed.as_str().unwrap_or_default()));
        }
    }
    guards
}

#[test]
fn no_guard_is_written_twice_in_a_dialect() {
    for chain in chains() {
        let guards = guards(&chain);
        assert!(guards.lists.len() > 5, "{chain:?}");
        let twice = guards.lists.iter().filter(|(_, places)| places.len() > 1);
        let often = guards
            .terms
            .iter()
            .filter(|(_, places)| places.len() > MOST_COMPARISONS);
        let mut found: Vec<_> = twice
            .chain(often)
            .map(|(guard, places)| format!("{guard}: {}", places.join(", ")))
            .collect();
        found.sort();
        assert!(found.is_empty(), "{chain:?}\n{}", found.join("\n"));
    }
}

/// The lists of `ordering.yaml` that declare names for use elsewhere.
const DECLARATIONS: &[&str] = &["conditions", "classes", "scopes", "state"];

/// The text of all files of a protocol, in every version.
fn protocol_text(protocol: &Path) -> String {
    let versions = std::fs::read_dir(protocol).unwrap().flatten();
    let files = versions.flat_map(|version| std::fs::read_dir(version.path()).unwrap().flatten());
    let files = files.map(|file| file.path());
    let yaml = files.filter(|path| {
        path.extension()
            .is_some_and(|extension| extension == "yaml")
    });
    yaml.map(|path| std::fs::read_to_string(path).unwrap())
        .collect()
}

#[test]
fn every_name_that_is_declared_is_used() {
    let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("schemas");
    let is_part_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut unused = Vec::new();
    for of in chains().into_iter().flatten() {
        let folder = schemas.join(&of);
        let text = protocol_text(folder.parent().unwrap());
        let mut words: HashMap<&str, usize> = HashMap::new();
        for word in text.split(|c| !is_part_of_name(c)) {
            *words.entry(word).or_default() += 1;
        }
        let ordering = load_file(&folder.join("ordering.yaml")).unwrap();
        for list in DECLARATIONS {
            let names = ordering.get(list).and_then(Node::as_map);
            for (key, _) in names.unwrap_or_default() {
                if words.get(key.name.as_str()).is_none_or(|count| *count < 2) {
                    unused.push(format!("{of} {list} {}", key.name));
                }
            }
        }
    }
    assert_eq!(unused, Vec::<String>::new());
}

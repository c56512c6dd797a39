//! No import circles: files that import each other in a circle cannot be read one by one.
//!
//! An import is a path that names an item of another file of the same package (Cargo forbids circles between packages). A name that a
//! module only re-exports counts as an import of the file that defines it. Declarations of modules and unit tests do not count.

use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Most files in one circle; all of them share a folder.
const LARGEST: usize = 12;

/// A module of a package.
struct Module {
    file: PathBuf,
    code: String,
    /// The names that `use` declarations bring in, each with its path from the root of the package.
    bindings: BTreeMap<String, Vec<String>>,
    /// Modules whose names are all brought in.
    globs: Vec<Vec<String>>,
    /// The names that it defines itself.
    items: BTreeSet<String>,
}

/// The modules of one package, by path.
struct Package {
    modules: BTreeMap<Vec<String>, Module>,
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The code of a file without comments, visibility paths and the unit tests at its end.
fn code(text: &str) -> String {
    let end = text
        .find("\n#[cfg(test)]\nmod tests {")
        .unwrap_or(text.len());
    let lines = text[..end].lines().map(|line| {
        let comment = line.find("//").unwrap_or(line.len());
        format!("{}\n", &line[..comment])
    });
    let code: String = lines.collect();
    code.replace("pub(in crate::", "pub(in ")
}

/// Splits `a::{b, c::{d as e}}` into (`e`, [`a`, `c`, `d`]) and the like. `self` in braces stands for the path before them.
fn use_tree(tree: &str, before: &[String], found: &mut Vec<(String, Vec<String>)>) {
    let tree = tree.trim();
    if let Some(open) = tree.find('{') {
        let mut path = before.to_vec();
        path.extend(segments(tree[..open].trim_end().trim_end_matches("::")));
        let inside = &tree[open + 1..tree.rfind('}').unwrap()];
        let mut depth = 0;
        let mut start = 0;
        for (at, letter) in inside.char_indices() {
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    use_tree(&inside[start..at], &path, found);
                    start = at + 1;
                }
                _ => {}
            }
        }
        use_tree(&inside[start..], &path, found);
        return;
    }
    if tree.is_empty() {
        return;
    }
    let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
    let mut whole = before.to_vec();
    whole.extend(segments(path));
    if whole.len() > 1 && whole.last().is_some_and(|last| last == "self") {
        whole.pop();
    }
    let name = if name.is_empty() {
        whole.last().unwrap().clone()
    } else {
        name.trim().to_owned()
    };
    found.push((name, whole));
}

fn segments(path: &str) -> Vec<String> {
    let parts = path.split("::").map(str::trim);
    parts
        .filter(|part| !part.is_empty())
        .map(str::to_owned)
        .collect()
}

impl Package {
    fn read(folder: &Path) -> Self {
        let mut files = Vec::new();
        rust_files(folder, &mut files);
        let mut texts = BTreeMap::new();
        for file in files {
            let mut path: Vec<String> = file
                .strip_prefix(folder)
                .unwrap()
                .with_extension("")
                .iter()
                .map(|part| part.to_str().unwrap().to_owned())
                .collect();
            if path.first().is_some_and(|first| first == "bin") || path == ["main"] {
                continue;
            }
            if path.last().is_some_and(|last| last == "mod") || path == ["lib"] {
                path.pop();
            }
            texts.insert(path, (fs::read_to_string(&file).unwrap(), file));
        }
        let test = Regex::new(r"#\[cfg\(test\)\]\s*(pub(\([a-z]+\))? )?mod (\w+);").unwrap();
        let mut tests = BTreeSet::new();
        for (path, (text, _)) in &texts {
            let declared = test.captures_iter(text);
            tests.extend(declared.map(|found| [&path[..], &[found[3].to_owned()]].concat()));
        }
        let paths: Vec<_> = texts
            .keys()
            .filter(|path| !tests.contains(*path))
            .cloned()
            .collect();
        let item =
            Regex::new(r"\b(fn|struct|enum|trait|type|const|static|mod|macro_rules!|union) +(\w+)")
                .unwrap();
        let modules = paths.into_iter().map(|path| {
            let (text, file) = &texts[&path];
            let code = code(text);
            let items = item.captures_iter(&code).map(|found| found[2].to_owned());
            let module = Module {
                file: file.clone(),
                items: items.collect(),
                bindings: BTreeMap::new(),
                globs: Vec::new(),
                code,
            };
            (path, module)
        });
        let mut package = Package {
            modules: modules.collect(),
        };
        package.bind();
        package
    }

    /// Reads the `use` declarations.
    fn bind(&mut self) {
        let declaration = Regex::new(r"(?ms)^\s*(?:pub(?:\([^)]*\))? )?use\s+([^;]+);").unwrap();
        let paths: Vec<_> = self.modules.keys().cloned().collect();
        for path in paths {
            let mut found = Vec::new();
            for tree in declaration.captures_iter(&self.modules[&path].code) {
                use_tree(&tree[1], &[], &mut found);
            }
            for (name, target) in found {
                let Some(target) = self.path_from_root(&path, &target) else {
                    continue;
                };
                let module = self.modules.get_mut(&path).unwrap();
                if name == "*" {
                    module.globs.push(target[..target.len() - 1].to_vec());
                } else {
                    module.bindings.insert(name, target);
                }
            }
            let module = self.modules.get_mut(&path).unwrap();
            module.code = declaration.replace_all(&module.code, "").into_owned();
        }
    }

    /// A path as written in a module, from the root of the package; none if it leads out of the package.
    fn path_from_root(&self, module: &[String], path: &[String]) -> Option<Vec<String>> {
        let mut here = module.to_vec();
        let mut rest = path;
        let mut relative = false;
        while let Some((first, more)) = rest.split_first() {
            match first.as_str() {
                "crate" => here.clear(),
                "self" => {}
                "super" => drop(here.pop()),
                _ => break,
            }
            relative = true;
            rest = more;
        }
        if relative {
            here.extend_from_slice(rest);
            return Some(here);
        }
        let first = rest.first()?;
        let mut child = module.to_vec();
        child.push(first.clone());
        let base = match self.modules[module].bindings.get(first) {
            Some(bound) => bound.clone(),
            None if self.modules.contains_key(&child) => child,
            None => return None,
        };
        Some(base.into_iter().chain(rest[1..].iter().cloned()).collect())
    }

    /// The module that defines what a path from the root names.
    fn definer(&self, path: &[String], depth: usize) -> Option<Vec<String>> {
        let known = (0..=path.len())
            .rev()
            .find(|len| self.modules.contains_key(&path[..*len]))?;
        let module = &path[..known];
        let Some(item) = path.get(known) else {
            return Some(module.to_vec());
        };
        if depth > 16 {
            return Some(module.to_vec());
        }
        if let Some(bound) = self.modules[module].bindings.get(item) {
            return self.definer(bound, depth + 1);
        }
        if !self.modules[module].items.contains(item) {
            for glob in &self.modules[module].globs {
                let through = glob.iter().chain([item]).cloned().collect::<Vec<_>>();
                if let Some(found) = self.definer(&through, depth + 1) {
                    return Some(found);
                }
            }
        }
        Some(module.to_vec())
    }

    /// The folder of a module, by path: its own if it has modules in it.
    fn folder(&self, file: &Path) -> Vec<String> {
        let mut modules = self.modules.iter();
        let (path, _) = modules.find(|(_, module)| module.file == file).unwrap();
        let is_inside = |other: &Vec<String>| other.len() > path.len() && other.starts_with(path);
        if self.modules.keys().any(is_inside) {
            path.clone()
        } else {
            path[..path.len() - 1].to_vec()
        }
    }

    /// For each file, the files that it imports.
    fn imports(&self) -> BTreeMap<PathBuf, BTreeSet<PathBuf>> {
        let written = Regex::new(r"\b[A-Za-z_]\w*(::[A-Za-z_]\w*)*").unwrap();
        let mut imports = BTreeMap::new();
        for (path, module) in &self.modules {
            let mut files = BTreeSet::new();
            let names: BTreeSet<_> = written
                .find_iter(&module.code)
                .map(|found| found.as_str())
                .collect();
            for name in names {
                let parts = segments(name);
                let inner = parts.len() == 1;
                let is_bound = module.bindings.contains_key(&parts[0]);
                let target = if inner && !is_bound {
                    None
                } else {
                    self.path_from_root(path, &parts)
                };
                let target = target.and_then(|target| self.definer(&target, 0));
                files.extend(target.map(|target| self.modules[&target].file.clone()));
            }
            files.remove(&module.file);
            imports.insert(module.file.clone(), files);
        }
        imports
    }
}

/// The folders of the workspace's packages.
fn packages(root: &Path) -> Vec<String> {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).unwrap();
    let members = Regex::new(r"(?m)^members = \[(.+)\]$").unwrap();
    let members = members.captures(&manifest).unwrap()[1].to_owned();
    let names = members.split(',').map(|name| name.trim().trim_matches('"'));
    names.map(str::to_owned).collect()
}

/// Groups of files each of which reaches every other one of its group.
fn circles(imports: &BTreeMap<PathBuf, BTreeSet<PathBuf>>) -> Vec<BTreeSet<PathBuf>> {
    let reach = |from: &PathBuf| {
        let mut seen = BTreeSet::new();
        let mut next: Vec<_> = imports[from].iter().collect();
        while let Some(file) = next.pop() {
            if seen.insert(file.clone()) {
                next.extend(&imports[file]);
            }
        }
        seen
    };
    let reached: BTreeMap<_, _> = imports.keys().map(|file| (file, reach(file))).collect();
    let mut found = BTreeSet::new();
    for (file, others) in &reached {
        let circle: BTreeSet<_> = others
            .iter()
            .filter(|other| reached[other].contains(*file))
            .cloned()
            .collect();
        if !circle.is_empty() {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

#[test]
fn files_import_each_other_only_in_small_circles_of_one_folder() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut imports_seen = 0;
    let mut too_large = Vec::new();
    for package in packages(root) {
        let package = Package::read(&root.join(package).join("src"));
        let imports = package.imports();
        imports_seen += imports.values().map(BTreeSet::len).sum::<usize>();
        for circle in circles(&imports) {
            let folders: BTreeSet<_> = circle.iter().map(|file| package.folder(file)).collect();
            let shown: Vec<_> = circle
                .iter()
                .map(|file| file.strip_prefix(root).unwrap().display().to_string())
                .collect();
            if circle.len() > LARGEST || folders.len() > 1 {
                too_large.push(format!("{} files: {}", circle.len(), shown.join(", ")));
            }
        }
    }
    assert!(imports_seen > 500, "only {imports_seen} imports were found");
    assert!(too_large.is_empty(), "{}", too_large.join("\n"));
}

#[test]
fn a_circle_through_a_re_export_is_seen() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("lib.rs", "mod a;\nmod b;\nmod c;\npub use b::Beta;\n");
    write("a.rs", "use crate::Beta;\npub struct Alpha(Beta);\n");
    write("b.rs", "pub struct Beta;\nfn f() { super::a::g() }\n");
    write(
        "c.rs",
        "// crate::a::Alpha\nuse super::a;\nfn h(_: a::Alpha) {}\n#[cfg(test)]\nmod tests {\n    use crate::b::Beta;\n}\n",
    );

    let imports = Package::read(folder.path()).imports();

    let named = |name: &str| folder.path().join(name);
    assert_eq!(
        circles(&imports),
        [BTreeSet::from([named("a.rs"), named("b.rs")])]
    );
    assert_eq!(imports[&named("c.rs")], BTreeSet::from([named("a.rs")]));
}

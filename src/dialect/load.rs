//! Loads a dialect folder: reads its files, lays a delta over its base, compiles, lints.

use super::file::{ClauseFile, DialectFile, Launch, NameFile};
use super::inherit::HeritageFile;
use super::types::Probe;
use super::{Base, Clause, Dialect, DialectSource, Heritage, Session, Vocabulary, lint};
use crate::finding::{Level, Source};
use crate::located::{self, Error, Node, Span, unknown};
use crate::matcher::Matcher;
use crate::rules::compile::{Known, compile};
use crate::rules::file::OrderingFile;
use crate::rules::parse::{Names, Pattern, pattern};
use crate::rules::rule::{Form, Rule};
use crate::rules::symbol::Symbols;
use crate::schema::Schemas;
use indexmap::IndexMap;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::sync::Arc;

/// Loads the dialect `NAME@VERSION`, or the newest version of `NAME`.
///
/// # Errors
/// Every mistake in its files, each with its place; or that there is no such dialect, with those that there are.
pub fn load(source: &DialectSource, id: &str) -> Result<Arc<Dialect>, Vec<Error>> {
    let (name, version) =
        resolve(source, id).map_err(|message| vec![Error::of_file(id, message)])?;
    let mut parts = Parts::read(
        source,
        &name,
        &version,
        &mut vec![(name.clone(), version.clone())],
    )?;
    parts.file.name = name;
    parts.file.version = version;
    build(parts).map(Arc::new)
}

fn resolve(source: &DialectSource, id: &str) -> Result<(String, String), String> {
    let all = source.names();
    let (name, version) = id.split_once('@').map_or((id, None), |(n, v)| (n, Some(v)));
    let fits = |(n, v): &&(String, String)| n == name && version.is_none_or(|version| v == version);
    let newest = all.iter().filter(fits).max_by_key(|(_, v)| version_key(v));
    newest.cloned().ok_or_else(|| {
        let known: Vec<_> = all.iter().map(|(n, v)| format!("{n}@{v}")).collect();
        unknown("dialect", id, known.iter().map(String::as_str))
    })
}

fn version_key(version: &str) -> Vec<u64> {
    version
        .split('.')
        .map(|part| part.parse().unwrap_or(0))
        .collect()
}

/// The files of a dialect, those of its base laid under them.
struct Parts {
    file: DialectFile,
    root: Node,
    ordering: OrderingFile,
    ordering_root: Option<Node>,
    clauses: Vec<(ClauseFile, Node)>,
    events: Value,
    commands: Value,
    schema_path: PathBuf,
    bases: Vec<Base>,
}

impl Parts {
    fn read(
        source: &DialectSource,
        name: &str,
        version: &str,
        chain: &mut Vec<(String, String)>,
    ) -> Result<Self, Vec<Error>> {
        let root = yaml(source, name, version, "dialect.yaml")?.ok_or_else(|| {
            vec![Error::of_file(
                format!("{name}/{version}"),
                "has no dialect.yaml",
            )]
        })?;
        let file: DialectFile = located::decode_all(&root)?;
        let mut base = match &file.extends {
            None => None,
            Some(id) => {
                let place = |message: String| vec![root.error_at(id.span, message)];
                let next = resolve(source, &id.value).map_err(place)?;
                if chain.contains(&next) {
                    let way: Vec<_> = chain.iter().map(|(n, v)| format!("{n}@{v}")).collect();
                    return Err(place(format!(
                        "`extends` goes in a circle: {} -> {}",
                        way.join(" -> "),
                        id.value
                    )));
                }
                chain.push(next.clone());
                Some(Parts::read(source, &next.0, &next.1, chain)?)
            }
        };
        let ordering_root = yaml(source, name, version, "ordering.yaml")?;
        let ordering: OrderingFile = ordering_root
            .as_ref()
            .map_or(Ok(OrderingFile::default()), located::decode_all)?;
        let mut clauses = Vec::new();
        if let Some(node) = yaml(source, name, version, "clauses.yaml")? {
            let list: Vec<ClauseFile> = located::decode_all(&node)?;
            clauses.extend(list.into_iter().map(|clause| (clause, node.clone())));
        }
        let events = schema(source, name, version, "events.json")?;
        let commands = schema(source, name, version, "commands.json")?;
        let schema_path = root.source().path.with_file_name("events.json");
        Ok(match base.as_mut() {
            None => Parts {
                file,
                root,
                ordering,
                ordering_root,
                clauses,
                events,
                commands,
                schema_path,
                bases: Vec::new(),
            },
            Some(base) => {
                let inherited = std::mem::take(&mut base.clauses);
                let gone = removed_clauses(&file, &inherited, &root)?;
                let id = format!("{}@{}", base.file.name, base.file.version);
                let HeritageFile { keep, drop, rename } = file.scenarios.clone();
                let tools = file.tools.clone();
                let file = over(file, base.file.clone());
                let names_at = file.discriminator.clone().unwrap_or_default();
                let heritage = Heritage {
                    call_ids: None,
                    keep,
                    drop,
                    rename,
                    tools,
                    without_clauses: gone.clone(),
                    names_at: (names_at.events, names_at.commands),
                };
                let mut bases = vec![Base { id, heritage }];
                bases.append(&mut base.bases);
                Parts {
                    file,
                    ordering_root: ordering_root.or(base.ordering_root.take()),
                    root,
                    ordering: ordering
                        .over(std::mem::take(&mut base.ordering).without_clauses(&gone)),
                    clauses: replace(inherited, &gone, clauses),
                    events: over_defs(base.events.take(), events),
                    commands: over_defs(base.commands.take(), commands),
                    schema_path,
                    bases,
                }
            }
        })
    }
}

fn yaml(
    source: &DialectSource,
    name: &str,
    version: &str,
    file: &str,
) -> Result<Option<Node>, Vec<Error>> {
    match source.read(name, version, file).map_err(|e| vec![e])? {
        None => Ok(None),
        Some((path, text)) => located::load_yaml(path, &text)
            .map(Some)
            .map_err(|e| vec![e]),
    }
}

fn schema(
    source: &DialectSource,
    name: &str,
    version: &str,
    file: &str,
) -> Result<Value, Vec<Error>> {
    let Some((path, text)) = source.read(name, version, file).map_err(|e| vec![e])? else {
        return Ok(json!({ "$defs": {} }));
    };
    serde_json::from_str(&text).map_err(|e| {
        let mut error = Error::of_file(path, format!("not JSON: {e}"));
        error.span.line = u32::try_from(e.line()).unwrap_or(0);
        error.span.column = u32::try_from(e.column()).unwrap_or(0);
        vec![error]
    })
}

fn over_defs(base: Value, delta: Value) -> Value {
    let mut base = base;
    let (Some(defs), Value::Object(delta)) = (base["$defs"].as_object_mut(), delta) else {
        return base;
    };
    if let Some(Value::Object(changed)) = delta.get("$defs") {
        for (name, definition) in changed {
            defs.insert(name.clone(), definition.clone());
        }
    }
    base
}

fn over(delta: DialectFile, mut base: DialectFile) -> DialectFile {
    for name in &delta.removed {
        base.events.shift_remove(name);
        base.commands.shift_remove(name);
    }
    base.events.extend(delta.events);
    base.commands.extend(delta.commands);
    base.capabilities.extend(delta.capabilities);
    base.budgets.extend(delta.budgets);
    base.limits.extend(delta.limits);
    DialectFile {
        name: delta.name,
        version: delta.version,
        title: delta.title,
        extends: delta.extends,
        discriminator: delta.discriminator.or(base.discriminator.take()),
        session: delta.session.or(base.session.take()),
        launch: delta.launch.or(base.launch.take()),
        removed: Vec::new(),
        removed_clauses: Vec::new(),
        tools: IndexMap::new(),
        scenarios: HeritageFile::default(),
        ..base
    }
}

/// The clauses of the base that a delta does not take over.
fn removed_clauses(
    file: &DialectFile,
    base: &[(ClauseFile, Node)],
    root: &Node,
) -> Result<Vec<String>, Vec<Error>> {
    let known = || base.iter().map(|(clause, _)| clause.id.value.as_str());
    let dangling = file.removed_clauses.iter();
    let dangling = dangling.filter(|id| !known().any(|known| known == id.value));
    let errors: Vec<_> = dangling
        .map(|id| root.error_at(id.span, unknown("clause of the base", &id.value, known())))
        .collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(file
        .removed_clauses
        .iter()
        .map(|id| id.value.clone())
        .collect())
}

/// The clauses of the base in their order, those that the delta words anew in their old place; then the delta's own.
fn replace(
    base: Vec<(ClauseFile, Node)>,
    gone: &[String],
    delta: Vec<(ClauseFile, Node)>,
) -> Vec<(ClauseFile, Node)> {
    let mut delta = delta;
    let mut all = Vec::new();
    for (clause, node) in base {
        let id = clause.id.value.clone();
        let own = |(c, _): &(ClauseFile, Node)| c.id.value == id;
        if let Some(place) = delta.iter().position(own) {
            all.push(delta.remove(place));
        } else if !gone.contains(&id) {
            all.push((clause, node));
        }
    }
    all.extend(delta);
    all
}

fn build(parts: Parts) -> Result<Dialect, Vec<Error>> {
    let mut errors = Vec::new();
    let Parts {
        file,
        root,
        ordering,
        ordering_root,
        clauses,
        ..
    } = parts;
    let clauses = clauses_of(clauses, &mut errors);
    let Some(discriminator) = file.discriminator.clone() else {
        return Err(vec![root.error(
            "`discriminator` is missing: where the name of a frame stands",
        )]);
    };
    let vocabulary = |at: String, names: IndexMap<String, Option<NameFile>>| Vocabulary {
        discriminator: at,
        names: names
            .into_iter()
            .map(|(name, file)| (name, file.unwrap_or_default()))
            .collect(),
    };
    let events = vocabulary(discriminator.events, file.events);
    let commands = vocabulary(discriminator.commands, file.commands);
    let (event_names, command_names): (Vec<_>, Vec<_>) =
        (events.all().collect(), commands.all().collect());
    let symbols = Symbols::new(
        event_names.iter().map(String::as_str),
        command_names.iter().map(String::as_str),
    )
    .map_err(|message| vec![root.error(message)])?;
    let budgets = budgets_of(&file.budgets, &mut errors);

    let compile_schemas = |document, names: &[String], errors: &mut Vec<Error>| {
        Schemas::compile(document, names.iter().map(String::as_str))
            .map_err(|(pointer, message)| {
                errors.push(Error::of_file(
                    &parts.schema_path,
                    format!("{message} (at {pointer})"),
                ));
            })
            .ok()
    };
    let event_schemas = compile_schemas(parts.events, &event_names, &mut errors);
    let command_schemas = compile_schemas(parts.commands, &command_names, &mut errors);

    let known = Known {
        dialect: &file.name,
        symbols: &symbols,
        budgets: &budgets,
    };
    let rules_root = ordering_root.as_ref().unwrap_or(&root);
    let (memory, mut rules) =
        compile(&ordering, rules_root, known).unwrap_or_else(|mut mistakes| {
            errors.append(&mut mistakes);
            Default::default()
        });
    errors.extend(lint::rules(
        &ordering, &rules, &memory, &symbols, rules_root,
    ));
    errors.extend(lint::clause_ids(&ordering, &clauses, rules_root));
    let session = session_of(file.session, &root, &symbols, &mut errors);
    let launch = file.launch.unwrap_or_default();
    errors.extend(mistakes_of(&launch, &commands, &root));
    let (Some(event_schemas), Some(command_schemas)) = (event_schemas, command_schemas) else {
        return Err(errors);
    };
    for (schemas, names, prefix) in [
        (&event_schemas, &event_names, ""),
        (&command_schemas, &command_names, ">"),
    ] {
        for name in names.iter() {
            rules.push(schema_rule(&file.name, name, prefix, schemas));
        }
    }
    errors.extend(lint::schema_clauses(&rules, &clauses, &parts.schema_path));
    if !errors.is_empty() {
        return Err(errors);
    }
    let prefix = file.name.clone();
    Ok(Dialect {
        aliases: ordering
            .aliases
            .iter()
            .map(|(old, new)| (format!("{prefix}/{old}"), format!("{prefix}/{}", new.value)))
            .collect(),
        name: file.name,
        version: file.version,
        title: file.title,
        bases: parts.bases,
        events,
        commands,
        event_schemas,
        command_schemas,
        clauses,
        rules,
        memory,
        symbols: Arc::new(symbols),
        session,
        capabilities: file.capabilities,
        budgets,
        limits: file.limits,
        launch,
    })
}

fn clauses_of(files: Vec<(ClauseFile, Node)>, errors: &mut Vec<Error>) -> IndexMap<String, Clause> {
    let mut clauses = IndexMap::new();
    for (file, root) in files {
        if file.testable.is_some() == file.untestable.is_some() {
            let message = "a clause says either `testable: true` or `untestable:` with the reason";
            errors.push(root.error_at(file.id.span, message));
        }
        if clauses.contains_key(&file.id.value) {
            errors.push(root.error_at(
                file.id.span,
                format!("the clause `{}` is there already", file.id.value),
            ));
        }
        clauses.insert(
            file.id.value,
            Clause {
                section: file.section,
                strength: file.strength,
                side: file.side,
                text: file.text,
                untestable: file.untestable,
            },
        );
    }
    clauses
}

fn budgets_of(budgets: &IndexMap<String, Node>, errors: &mut Vec<Error>) -> IndexMap<String, u64> {
    let mut micros = IndexMap::new();
    for (name, node) in budgets {
        match node.as_str().and_then(crate::duration::parse) {
            Some(duration) => {
                micros.insert(
                    name.clone(),
                    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
                );
            }
            None => errors.push(node.error(format!(
                "a duration such as 500ms or 10s was expected, not {}",
                node.describe()
            ))),
        }
    }
    micros
}

fn session_of(
    file: Option<super::file::SessionFile>,
    root: &Node,
    symbols: &Symbols,
    errors: &mut Vec<Error>,
) -> Session {
    let file = file.unwrap_or_default();
    let names = Names {
        symbols: Some(symbols),
        ..Names::default()
    };
    let mut read = |node: Option<&Node>| -> Pattern {
        let Some(node) = node else {
            return Pattern::default();
        };
        match pattern(node.as_str().unwrap_or_default(), &names) {
            Ok(pattern) => pattern,
            Err(mistake) => {
                errors.push(node.error(mistake.message));
                Pattern::default()
            }
        }
    };
    let (turn, quit) = (read(file.turn.as_ref()), read(file.quit.as_ref()));
    let version = file
        .version
        .and_then(|version| match regex::Regex::new(&version.matches) {
            Ok(regex) => Some((version.event, version.at, regex)),
            Err(e) => {
                errors.push(root.error(format!(
                    "`session.version.matches` is not a regular expression: {e}"
                )));
                None
            }
        });
    if let Some(ready) = &file.ready
        && symbols.id(&ready.value).is_none()
    {
        errors.push(root.error_at(ready.span, unknown("event", &ready.value, symbols.names())));
    }
    Session {
        ready: file.ready.map(|r| r.value),
        turn,
        quit,
        version,
        probe: file.probe.and_then(|probe| probe_of(&probe, errors)),
    }
}

fn mistakes_of(launch: &Launch, commands: &Vocabulary, root: &Node) -> Vec<Error> {
    let place = root.nearest("/launch");
    let mut errors = Vec::new();
    if let Some(Err(e)) = launch.help.as_deref().map(regex::Regex::new) {
        errors.push(place.error(format!("`launch.help` is not a regular expression: {e}")));
    }
    let lacked = launch.lacks.iter().flat_map(|lacks| &lacks.commands);
    for name in lacked.filter(|name| !commands.names.contains_key(*name)) {
        let known = commands.names.keys().map(String::as_str);
        errors.push(place.error(unknown("command", name, known)));
    }
    errors
}

fn probe_of(file: &super::file::ProbeFile, errors: &mut Vec<Error>) -> Option<Probe> {
    let mut matcher = |node: &Node| {
        let compiled = Matcher::compile(node);
        compiled.map_err(|e| errors.extend(e)).ok()
    };
    let (shows, unless) = (matcher(&file.shows), file.unless.as_ref().map(matcher));
    Some(Probe {
        send: file.send.iter().map(Node::to_value).collect(),
        shows: shows?,
        unless: unless.flatten(),
    })
}

fn schema_rule(dialect: &str, name: &str, prefix: &str, schemas: &Schemas) -> Rule {
    let definition = &schemas.document()["$defs"][name];
    let description = definition["description"].as_str().unwrap_or_default();
    Rule {
        id: format!("{dialect}/schema/{prefix}{name}"),
        span: Span::default(),
        level: Level::Must,
        source: Source::Spec,
        clauses: schemas.clauses(name),
        doc: format!("Every `{prefix}{name}` has the shape that the page gives it. {description}")
            .trim()
            .to_owned(),
        message: None,
        blame: None,
        each: Vec::new(),
        scopes: Vec::new(),
        form: Form::Schema(format!("{prefix}{name}")),
    }
}

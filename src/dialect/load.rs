//! Dialect loader: reads the files of a folder, compiles rules and schemas, and lints them.

use super::file::{ClauseFile, FrameSpec, LaunchRecipe, ProbeFile, SessionFile, VersionGap};
use super::lint;
use super::merged_files::MergedFiles;
use super::reply_events::ReplyEvents;
use super::source::DialectSource;
use super::types::{Clause, DetectionProbe, Dialect, FrameNames, SessionSpec, WorkSpec};
use crate::finding::{Level, Source};
use crate::matcher;
use crate::rules::compile::{self as rule_compiler, DialectNames};
use crate::rules::frame_pattern::FramePattern;
use crate::rules::monitor::MonitorConfig;
use crate::rules::parse::{Names, pattern};
use crate::rules::rule::{Rule, RuleForm};
use crate::rules::symbol::Symbols;
use crate::schema::Schemas;
use indexmap::IndexMap;
use spanned_yaml::Spanned;
use spanned_yaml::{Error, Node, Span, unknown};
use std::sync::Arc;

/// Loads the dialect `NAME@VERSION`, or the newest version of `NAME`.
///
/// # Errors
/// Every mistake in its files, with its location; or that there is no such dialect, with the known ones.
pub fn load(source: &DialectSource, id: &str) -> Result<Arc<Dialect>, Vec<Error>> {
    let (name, version) = source
        .resolve(id)
        .map_err(|message| vec![Error::of_file(id, message)])?;
    let mut files = MergedFiles::read(
        source,
        &name,
        &version,
        &mut vec![(name.clone(), version.clone())],
    )?;
    files.file.name = name;
    files.file.version = version;
    compile(files).map(Arc::new)
}

fn compile(files: MergedFiles) -> Result<Dialect, Vec<Error>> {
    let mut errors = Vec::new();
    let MergedFiles {
        file,
        root,
        ordering,
        ordering_root,
        clauses,
        ..
    } = files;
    let clauses = clauses_of(clauses, &mut errors);
    let Some(discriminator) = file.discriminator.clone() else {
        return Err(vec![root.error(
            "`discriminator` is missing: the JSON Pointers to the name of an event and of a command",
        )]);
    };
    for (of, at) in [
        ("events", &discriminator.events),
        ("commands", &discriminator.commands),
    ] {
        if !at.starts_with('/') {
            let message = format!("a discriminator is a JSON Pointer: write `{of}: /{at}`");
            errors.push(root.nearest(&format!("/discriminator/{of}")).error(message));
        }
    }
    let vocabulary = |at: String, names: IndexMap<String, Option<FrameSpec>>| FrameNames {
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
                    &files.schema_path,
                    format!("{message} (at {pointer})"),
                ));
            })
            .ok()
    };
    let event_schemas = compile_schemas(files.events, &event_names, &mut errors);
    let command_schemas = compile_schemas(files.commands, &command_names, &mut errors);

    let known = DialectNames {
        dialect: &file.name,
        symbols: &symbols,
        budgets: &budgets,
    };
    let rules_root = ordering_root.as_ref().unwrap_or(&root);
    let (declarations, mut rules) = rule_compiler::compile(&ordering, rules_root, known)
        .unwrap_or_else(|mut mistakes| {
            errors.append(&mut mistakes);
            Default::default()
        });
    errors.extend(lint::rules(
        &ordering,
        &rules,
        &declarations,
        &symbols,
        rules_root,
    ));
    errors.extend(lint::clause_ids(&ordering, &clauses));
    errors.extend(lint::levels(&rules, &ordering, &clauses, rules_root));
    let session = session_of(file.session, &root, &symbols, &mut errors);
    let replies = file.replies.unwrap_or_default();
    let replies = ReplyEvents::of(replies, &root, &event_names, &mut errors);
    let launch = file.launch.unwrap_or_default();
    errors.extend(launch_mistakes(&launch, &commands, &root));
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
    errors.extend(lint::schema_clauses(&rules, &clauses, &files.schema_path));
    for (schemas, names, file) in [
        (&event_schemas, &event_names, "events.json"),
        (&command_schemas, &command_names, "commands.json"),
    ] {
        let path = files.schema_path.with_file_name(file);
        errors.extend(lint::marks(schemas, names, &clauses, &path));
    }
    if let Some(smoke) = file.smoke.as_ref().filter(|smoke| smoke.as_str().is_none()) {
        errors.push(smoke.error("expected the id of a scenario"));
    }
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
        bases: files.bases,
        events,
        commands,
        event_schemas,
        command_schemas,
        clauses,
        rules,
        declarations,
        symbols: Arc::new(symbols),
        session,
        replies,
        capabilities: file.capabilities,
        members: file.members.unwrap_or_default(),
        optional_tools: file.optional_tools,
        smoke: file.smoke,
        budgets,
        limits: file.limits,
        launch,
    })
}

fn clauses_of(files: Vec<(ClauseFile, Node)>, errors: &mut Vec<Error>) -> IndexMap<String, Clause> {
    let mut clauses = IndexMap::new();
    for (file, root) in files {
        if file.testable.is_some() == file.untestable.is_some() {
            let message = "a clause needs either `testable: true` or `untestable:` with the reason";
            errors.push(root.error_at(file.id.span, message));
        }
        if clauses.contains_key(&file.id.value) {
            errors.push(root.error_at(
                file.id.span,
                format!("the clause `{}` is defined twice", file.id.value),
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
                "expected a duration such as 500ms or 10s, found {}",
                node.describe()
            ))),
        }
    }
    micros
}

fn launch_mistakes(launch: &LaunchRecipe, commands: &FrameNames, root: &Node) -> Vec<Error> {
    let place = root.nearest("/launch");
    let mut errors = Vec::new();
    if let Some(Err(e)) = launch.help.as_deref().map(regex::Regex::new) {
        errors.push(place.error(format!("`launch.help` is not a regular expression: {e}")));
    }
    if let Some(version) = &launch.version
        && !regex::Regex::new(&version.says).is_ok_and(|says| has_version_groups(&says))
    {
        errors.push(place.error(
            "`launch.version.says` is not a regular expression with the groups `name` and `version`",
        ));
    }
    for VersionGap {
        commands: named,
        wires,
        ..
    } in &launch.lacks
    {
        errors.extend(unknown_names("command", named, &commands.names, place));
        errors.extend(unknown_names("wire", wires, &launch.wires, place));
    }
    errors
}

fn has_version_groups(says: &regex::Regex) -> bool {
    let groups: Vec<_> = says.capture_names().flatten().collect();
    groups.contains(&"name") && groups.contains(&"version")
}

/// An error for each name of the list that is unknown.
fn unknown_names<T>(
    kind: &str,
    names: &[String],
    known: &IndexMap<String, T>,
    place: &Node,
) -> Vec<Error> {
    let names = names.iter().filter(|name| !known.contains_key(*name));
    names
        .map(|name| place.error(unknown(kind, name, known.keys().map(String::as_str))))
        .collect()
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
        config: MonitorConfig::default(),
        form: RuleForm::Schema(format!("{prefix}{name}")),
    }
}

/// The session part of a dialect, with its patterns and regular expressions compiled.
fn session_of(
    file: Option<SessionFile>,
    root: &Node,
    symbols: &Symbols,
    errors: &mut Vec<Error>,
) -> SessionSpec {
    let file = file.unwrap_or_default();
    let names = Names {
        symbols: Some(symbols),
        ..Names::default()
    };
    let mut read = |node: Option<&Node>| -> FramePattern {
        let Some(node) = node else {
            return FramePattern::default();
        };
        match pattern(node.as_str().unwrap_or_default(), &names) {
            Ok(pattern) => pattern,
            Err(mistake) => {
                errors.push(node.error(mistake.message));
                FramePattern::default()
            }
        }
    };
    let (turn, quit) = (read(file.turn.as_ref()), read(file.quit.as_ref()));
    let work = file.work.iter().map(|work| WorkSpec {
        from: read(Some(&work.from)),
        to: read(Some(&work.to)),
    });
    let work = work.collect();
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
    let mut commands = |names: Vec<Spanned<String>>| {
        let check = |command: Spanned<String>| {
            if symbols.id(&format!(">{}", command.value)).is_none() {
                let message = unknown("command", &command.value, symbols.names());
                errors.push(root.error_at(command.span, message));
            }
            command.value
        };
        names.into_iter().map(check).collect()
    };
    SessionSpec {
        interrupts: commands(file.interrupts),
        prompts: commands(file.prompts),
        ready: file.ready.map(|r| r.value),
        turn,
        quit,
        work,
        version,
        probe: file.probe.and_then(|probe| probe_of(&probe, errors)),
    }
}

fn probe_of(file: &ProbeFile, errors: &mut Vec<Error>) -> Option<DetectionProbe> {
    let mut matcher = |node: &Node| {
        let compiled = matcher::compile_node(node);
        compiled.map_err(|e| errors.extend(e)).ok()
    };
    let (shows, unless) = (matcher(&file.shows), file.unless.as_ref().map(matcher));
    Some(DetectionProbe {
        send: file.send.iter().map(Node::to_value).collect(),
        shows: shows?,
        unless: unless.flatten(),
    })
}

//! Dialect loader: reads the files of a folder, compiles rules and schemas, and lints them.

use super::client::client_of;
use super::frame_schemas::{compile_schemas, names_with_schema, schema_rules};
use super::json_rpc::{self, misplaced_keys, structure_rules};
use super::launch::launch_mistakes;
use super::lint;
use super::published::Published;
use super::session::{refusals_of, session_of};
use super::types::Dialect;
use crate::rules::compile::{self as rule_compiler, DialectNames};
use crate::rules::symbol::Symbols;
use crate::schema::SchemaCheck;
use conform_dialect::DialectSource;
use conform_dialect::MergedFiles;
use conform_dialect::file::{DialectFile, FrameSpec};
use conform_dialect::json_rpc::JsonRpc;
use conform_dialect::ordering::Ordering;
use conform_dialect::{Clause, FrameNames};
use indexmap::IndexMap;
use spanned_yaml::{Error, Node, TimeSpan};
use std::sync::{Arc, OnceLock};

/// Loads the dialect `NAME@VERSION`, or the newest version of `NAME`.
///
/// # Errors
/// Every mistake in its files, with its location; or that there is no such dialect, with the known ones.
pub fn load(source: &DialectSource, id: &str) -> Result<Arc<Dialect>, Vec<Error>> {
    let mut files = MergedFiles::load(source, id)?;
    let agent = source.agent(&files.file.name, &files.file.version)?;
    let wires = files
        .file
        .launch
        .iter()
        .flat_map(|launch| launch.wires.keys());
    let own_wires = wires.cloned().collect();
    if let Some(agent) = &agent {
        agent.apply(&mut files.file)?;
    }
    let is_built_in = source.is_built_in() && agent.as_ref().is_none_or(|agent| !agent.is_named);
    let agent_root = agent.as_deref().map(|agent| &agent.root);
    let dialect = compile(files, agent_root, is_built_in)?;
    Ok(Arc::new(Dialect {
        agent,
        own_wires,
        ..dialect
    }))
}

fn compile(
    files: MergedFiles,
    agent_root: Option<&Node>,
    is_built_in: bool,
) -> Result<Dialect, Vec<Error>> {
    let check = if is_built_in {
        SchemaCheck::WhenUsed
    } else {
        SchemaCheck::AtOnce
    };
    let mut errors = Vec::new();
    let MergedFiles {
        mut file,
        root,
        ordering,
        ordering_root,
        clauses,
        ..
    } = files;
    let clauses = clauses_of(clauses, &mut errors);
    let json_rpc = json_rpc_of(&file);
    let (events, commands) = vocabulary_of(&mut file, json_rpc.as_ref(), &root, &mut errors)?;
    let symbols = symbols_of(&events, &commands, &root)?;
    let budgets = budgets_of(&file.budgets, &mut errors);
    let path = &files.schema_path;
    let (mut of_events, mut of_commands) = (files.events, files.commands);
    let published = files.published.filter(|_| json_rpc.is_some());
    if let Some((published_path, schema)) = published {
        let published = Published::read(schema, &published_path, &file.published, &root)?;
        published.add_to([(&events, &mut of_events), (&commands, &mut of_commands)])?;
    }
    let event_schemas = compile_schemas(of_events, &events, check, path, &mut errors);
    let commands_path = path.with_file_name("commands.json");
    let command_schemas =
        compile_schemas(of_commands, &commands, check, &commands_path, &mut errors);

    let known = DialectNames {
        dialect: &file.name,
        symbols: &symbols,
        budgets: &budgets,
    };
    let rules_root = ordering_root.as_ref().unwrap_or(&root);
    let (declarations, mut rules) =
        rule_compiler::compile(&ordering, known).unwrap_or_else(|mut mistakes| {
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
    let client = file.client.take().filter(|_| json_rpc.is_some());
    let client = client.map(|client| client_of(client, &root, &events, &commands));
    let client = client.transpose().unwrap_or_else(|mistakes| {
        errors.extend(mistakes);
        None
    });
    let (prelude, prelude_parts) = prelude_of(file.prelude.as_ref(), &mut errors);
    let mut session = session_of(file.session, &root, &symbols, &clauses, &mut errors);
    let probes = session.probe.iter_mut().flat_map(|probe| &mut probe.send);
    for (n, command) in probes.enumerate() {
        *command = commands.message(command, Some(n.into())).into_owned();
    }
    let refusals = refusals_of(file.refusals, &mut errors);
    if let Some(replies) = &file.replies {
        let message = "the key `replies` is gone: `session: { text: EVENT }` names the event with a chunk of text, and `conform record --llm` records the replies themselves";
        errors.push(replies.error(message));
    }
    let launch = file.launch.unwrap_or_default();
    errors.extend(launch_mistakes(
        &launch,
        &commands,
        agent_root.unwrap_or(&root),
    ));
    let (Some(event_schemas), Some(command_schemas)) = (event_schemas, command_schemas) else {
        return Err(errors);
    };
    if json_rpc.is_some() {
        let own = file.json_rpc.unwrap_or_default();
        let own = structure_rules(&file.name, &own, &clauses, &root, &mut errors);
        rules.extend(own);
    }
    rules.extend(schema_rules(&file.name, &events, "", &event_schemas));
    rules.extend(schema_rules(&file.name, &commands, ">", &command_schemas));
    errors.extend(lint::schema_clauses(&rules, &clauses, path));
    for (schemas, names, file) in [
        (&event_schemas, &events, "events.json"),
        (&command_schemas, &commands, "commands.json"),
    ] {
        let names: Vec<String> = names_with_schema(names, schemas.document()).collect();
        errors.extend(lint::marks(
            schemas,
            &names,
            &clauses,
            &path.with_file_name(file),
        ));
    }
    if let Some(smoke) = file.smoke.as_ref().filter(|smoke| smoke.as_str().is_none()) {
        errors.push(smoke.error("expected the id of a scenario"));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Dialect {
        aliases: aliases_of(&ordering, &file.name),
        name: file.name,
        version: file.version,
        title: file.title,
        bases: files.bases,
        events,
        commands,
        event_schemas,
        command_schemas,
        json_rpc,
        clauses,
        rules,
        declarations,
        symbols: Arc::new(symbols),
        session,
        capabilities: file.capabilities,
        refusals,
        members: file.members.unwrap_or_default(),
        optional_tools: file.optional_tools,
        purposes: file.purposes,
        agent: None,
        is_built_in,
        own_wires: Vec::new(),
        smoke: file.smoke,
        prelude,
        prelude_parts,
        client,
        ending: file.ending.unwrap_or_default(),
        rest: file.rest.unwrap_or_default(),
        budgets,
        limits: file.limits,
        launch,
        tables: OnceLock::new(),
    })
}

/// The names of events and commands, and where a frame has its own.
fn vocabulary_of(
    file: &mut DialectFile,
    json_rpc: Option<&JsonRpc>,
    root: &Node,
    errors: &mut Vec<Error>,
) -> Result<(FrameNames, FrameNames), Vec<Error>> {
    errors.extend(misplaced_keys(file, root));
    let names = |names: &mut IndexMap<String, Option<FrameSpec>>| {
        let names = std::mem::take(names).into_iter();
        names.map(|(name, spec)| (name, spec.unwrap_or_default()))
    };
    if let Some(json_rpc) = json_rpc {
        let events = names(&mut file.events).collect();
        let commands = names(&mut file.commands).collect();
        return Ok(json_rpc::vocabulary_of(
            events, commands, json_rpc, root, errors,
        ));
    }
    let discriminator = file.discriminator.clone().ok_or_else(|| {
        vec![root.error(
            "`discriminator` is missing: the JSON Pointers to the name of an event and of a command",
        )]
    })?;
    for (of, at) in [
        ("events", &discriminator.events),
        ("commands", &discriminator.commands),
    ] {
        if !at.starts_with('/') {
            let message = format!("a discriminator is a JSON Pointer: write `{of}: /{at}`");
            errors.push(root.nearest(&format!("/discriminator/{of}")).error(message));
        }
    }
    let vocabulary = |at: String, all: &mut IndexMap<String, Option<FrameSpec>>| FrameNames {
        discriminator: at,
        names: names(all).collect(),
        structure: None,
    };
    Ok((
        vocabulary(discriminator.events, &mut file.events),
        vocabulary(discriminator.commands, &mut file.commands),
    ))
}

/// What is particular to the JSON-RPC of a dialect, if its frames are named by their structure.
fn json_rpc_of(file: &DialectFile) -> Option<JsonRpc> {
    file.naming.as_ref()?;
    let own = file.json_rpc.as_ref();
    Some(JsonRpc {
        is_version_optional: own.is_some_and(|own| own.version_optional),
        extensions: own.map(|own| own.extensions.clone()).unwrap_or_default(),
        at_once: own.map(|own| own.at_once.clone()).unwrap_or_default(),
    })
}

fn symbols_of(
    events: &FrameNames,
    commands: &FrameNames,
    root: &Node,
) -> Result<Symbols, Vec<Error>> {
    let (events, commands): (Vec<_>, Vec<_>) = (events.all().collect(), commands.all().collect());
    Symbols::new(
        events.iter().map(String::as_str),
        commands.iter().map(String::as_str),
    )
    .map_err(|message| vec![root.error(message)])
}

/// Former ids of rules and their present ones, with the name of the dialect.
fn aliases_of(ordering: &Ordering, dialect: &str) -> IndexMap<String, String> {
    let aliases = ordering.file.aliases.iter();
    aliases
        .map(|(old, new)| {
            (
                format!("{dialect}/{old}"),
                format!("{dialect}/{}", new.value),
            )
        })
        .collect()
}

fn clauses_of(all: Vec<(Clause, Node)>, errors: &mut Vec<Error>) -> IndexMap<String, Clause> {
    let mut clauses = IndexMap::new();
    for (clause, root) in all {
        let id = clause.id.value.clone();
        if clauses.contains_key(&id) {
            let message = format!("the clause `{id}` is defined twice");
            errors.push(root.error_at(clause.id.span, message));
        }
        clauses.insert(id, clause);
    }
    clauses
}

/// The steps of a prelude, and how many there are up to the end of each of its named parts.
fn prelude_of(
    written: Option<&Node>,
    errors: &mut Vec<Error>,
) -> (Vec<Node>, IndexMap<String, usize>) {
    let Some(written) = written.filter(|written| !written.is_null()) else {
        return Default::default();
    };
    let mut steps = Vec::new();
    let mut add = |part: &Node| match part.as_list() {
        Some(list) => {
            steps.extend(list.iter().cloned());
            steps.len()
        }
        None => {
            let found = part.describe();
            errors.push(part.error(format!("expected a list of steps, found {found}")));
            0
        }
    };
    let parts = match written.as_map() {
        Some(parts) => parts
            .iter()
            .map(|(key, part)| (key.name.clone(), add(part)))
            .collect(),
        None => {
            add(written);
            IndexMap::new()
        }
    };
    (steps, parts)
}

fn budgets_of(budgets: &IndexMap<String, Node>, errors: &mut Vec<Error>) -> IndexMap<String, u64> {
    let mut micros = IndexMap::new();
    for (name, node) in budgets {
        match node.as_str().map(str::parse::<TimeSpan>) {
            Some(Ok(TimeSpan(duration))) => {
                micros.insert(
                    name.clone(),
                    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX),
                );
            }
            _ => errors.push(node.error(format!(
                "expected a duration such as 500ms or 10s, found {}",
                node.describe()
            ))),
        }
    }
    micros
}

//! The scripted agent as a process: `--dialect-dir D [--dialect NAME@VERSION] --script FILE`.

use super::control::ControlTarget;
use super::run::Startup;
use crate::agent_script::{self, Messages, Stage, Vocabulary};
use crate::config::{self, USAGE};
use crate::faults::{FaultedDialect, Faults};
use crate::os::signals::ShutdownSignals;
use crate::os::stdin;
use crate::os::stdout::Outbox;
use conform_dialect::DialectSource;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// The longest command if the dialect sets no limit, in bytes.
const LINE_LIMIT: usize = 16 << 20;

/// Plays the scripted agent; returns the exit status.
pub(super) async fn run(startup: &Startup, signals: ShutdownSignals) -> u8 {
    match start(startup, signals).await {
        Ok(status) => status,
        Err(why) => {
            eprintln!("mock-agent: {why}");
            startup.controls.note_failed_start(&why);
            USAGE
        }
    }
}

async fn start(startup: &Startup, signals: ShutdownSignals) -> Result<u8, String> {
    let Startup {
        environment,
        controls,
        choice,
        ..
    } = startup;
    let env = &|name: &str| environment.get(name);
    if let Some(mistake) = &startup.own.mistake {
        return Err(mistake.to_string());
    }
    let vocabulary = choice.vocabulary()?;
    let named = choice.script.as_deref();
    let file = named.ok_or("a scripted agent needs --script FILE")?;
    let script = agent_script::load(Path::new(file), &vocabulary)?;
    let dialect = faulted(&vocabulary, choice.source.clone());
    let faults = Rc::new(Faults::new(dialect, frame_faults::line));
    if let Some(fault) = &choice.fault {
        faults.play_on_frames(fault)?;
    }
    let latency = config::latency(env).map_err(|why| why.to_string())?;
    let (journal, clock) = (Rc::clone(&controls.journal), Arc::clone(&controls.clock));
    let opened = Outbox::open(Rc::clone(&faults), latency, journal, clock);
    let outbox = Rc::new(opened.map_err(|error| format!("standard output: {error}"))?);
    let given = config::gate_timeout(env).map_err(|why| why.to_string())?;
    let gate_timeout = controls.gate_timeout(given);
    let gates = Rc::clone(&controls.gates);
    let messages = Messages::new(&vocabulary);
    let stage = Stage::new(Rc::clone(&outbox), gates, messages, gate_timeout, script);
    let session = Rc::new(stage);
    let input = stdin::spawn_reader(vocabulary.line_limit.unwrap_or(LINE_LIMIT));
    let controlled = Rc::clone(&session);
    let replace_script = move |path: &Path| {
        controlled.replace_script(agent_script::load(path, &vocabulary)?);
        Ok(())
    };
    controls.serve(ControlTarget {
        outbox,
        faults,
        replace_script: Some(Box::new(replace_script)),
        session: None,
    });
    Ok(agent_script::play(session, input, signals).await)
}

/// The dialect, as its faults need it.
fn faulted(vocabulary: &Vocabulary, source: DialectSource) -> FaultedDialect {
    FaultedDialect {
        source,
        id: vocabulary.dialect.clone(),
        naming: vocabulary.naming.clone(),
        turn: vocabulary.turn.clone(),
    }
}

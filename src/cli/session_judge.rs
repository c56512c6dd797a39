//! The judge of a whole session whose dialect may be detected from its frames: of a recording, and of a running session.

use conform_judge::check::{CheckOptions, CheckOutcome, Checker};
use conform_judge::dialect::{self, Dialect, DialectSource};
use conform_judge::finding::Finding;
use conform_judge::frame::{Body, Frame};
use conform_judge::framing::{LINE_LIMIT, ParsedFrame};
use conform_runner::detect::recording::dialect_of_frames;
use spanned_yaml::Error;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;

/// Dialects, each loaded once.
pub(super) struct LoadedDialects {
    source: DialectSource,
    loaded: HashMap<String, Arc<Dialect>>,
}

impl LoadedDialects {
    /// None so far of this source.
    pub(super) fn new(source: DialectSource) -> Self {
        LoadedDialects {
            source,
            loaded: HashMap::new(),
        }
    }

    /// The ids of all dialects of the source, the versions of each from the oldest to the newest.
    pub(super) fn ids(&self) -> Vec<String> {
        self.source.ids()
    }

    /// The newest version of a dialect, if this id names a newer one.
    pub(super) fn newest_before(&self, id: &str) -> Option<String> {
        self.source.newest_before(id)
    }

    fn load(&mut self, id: &str) -> Result<Arc<Dialect>, Vec<Error>> {
        if let Some(dialect) = self.loaded.get(id) {
            return Ok(Arc::clone(dialect));
        }
        let dialect = dialect::load(&self.source, id)?;
        self.loaded.insert(id.to_owned(), Arc::clone(&dialect));
        Ok(dialect)
    }
}

/// The dialects that a session may be in.
pub(super) struct DialectChoice {
    candidates: Vec<Arc<Dialect>>,
    /// The evidence if there is only one choice, unless the user or the recording names it.
    only_by: Option<&'static str>,
    /// Whether the protocol is named, so that its newest version is the fallback.
    is_named: bool,
}

/// A chosen dialect, and the evidence unless it was named.
pub(super) type ChosenDialect = (Arc<Dialect>, Option<&'static str>);

impl DialectChoice {
    /// The dialect of this name; without a version, all its versions; without a name, all dialects. If there are several, those whose
    /// agents have the name of the program of this command line, and the version after `--protocol` in it, if there are any.
    ///
    /// # Errors
    /// The mistakes in a dialect, or that there is no dialect of this name.
    pub(super) fn new(
        dialects: &mut LoadedDialects,
        named: Option<&str>,
        agent: &[OsString],
    ) -> Result<Self, Vec<Error>> {
        let mut ids = dialects.ids();
        if let Some(named) = named {
            ids.retain(|id| id.split('@').next() == Some(named));
            if ids.is_empty() {
                ids.push(named.to_owned());
            }
        }
        let loaded = ids.iter().map(|id| dialects.load(id));
        let mut candidates: Vec<_> = loaded.collect::<Result<_, _>>()?;
        let name = agent.first().and_then(|word| Path::new(word).file_name());
        let has_program = |dialect: &Arc<Dialect>| {
            let mut programs = dialect.launch.programs.iter();
            name.is_some_and(|name| programs.any(|known| name == known.as_str()))
        };
        if candidates.iter().any(has_program) {
            candidates.retain(has_program);
        }
        let version = protocol(agent);
        let has_version = |dialect: &Arc<Dialect>| {
            version.is_some_and(|text| text == dialect.version || text == dialect.id())
        };
        if candidates.iter().any(has_version) {
            candidates.retain(has_version);
        }
        Ok(DialectChoice {
            candidates,
            only_by: named.is_none().then_some("by the agent's name"),
            is_named: named.is_some(),
        })
    }

    /// The only candidate.
    fn only(&self) -> Option<ChosenDialect> {
        match &self.candidates[..] {
            [only] => Some((Arc::clone(only), self.only_by)),
            _ => None,
        }
    }

    /// The dialect that these frames are in.
    pub(super) fn of_frames<'f>(
        &self,
        frames: impl IntoIterator<Item = &'f Frame>,
    ) -> Option<ChosenDialect> {
        let by_frames = || {
            let found = dialect_of_frames(&self.candidates, frames)?;
            Some((Arc::clone(&self.candidates[found]), Some("by its frames")))
        };
        let newest = || {
            let newest = self.candidates.last().filter(|_| self.is_named)?;
            Some((Arc::clone(newest), None))
        };
        self.only().or_else(by_frames).or_else(newest)
    }
}

/// The value of `--protocol` in a command line, which agents of several versions read.
fn protocol(agent: &[OsString]) -> Option<&str> {
    let mut words = agent.iter().filter_map(|word| word.to_str());
    let flag = words.find_map(|word| word.strip_prefix("--protocol"))?;
    if flag.is_empty() {
        words.next()
    } else {
        flag.strip_prefix('=')
    }
}

/// If this many bytes of frames show no dialect, none is chosen. A line of the longest length is not enough.
const HELD_BYTES: usize = LINE_LIMIT + (4 << 20);

/// The judge of a session.
pub(super) struct SessionJudge {
    choice: DialectChoice,
    options: CheckOptions,
    /// After how many frames the dialect is chosen.
    patience: usize,
    held: Vec<ParsedFrame>,
    held_bytes: usize,
    judged: Option<(ChosenDialect, Checker)>,
}

impl SessionJudge {
    /// A judge that chooses the dialect after this many frames, or earlier if there is only one.
    pub(super) fn new(choice: DialectChoice, options: CheckOptions, patience: usize) -> Self {
        SessionJudge {
            choice,
            options,
            patience,
            held: Vec::new(),
            held_bytes: 0,
            judged: None,
        }
    }

    /// Judges the next frame, or holds it until the dialect is chosen.
    pub(super) fn push(&mut self, frame: &ParsedFrame) {
        if let Some((_, checker)) = &mut self.judged {
            return checker.push_parsed(&frame.frame, &frame.parsed);
        }
        if self.is_lost() {
            return;
        }
        if let Body::FromAgent(line) | Body::ToAgent(line) | Body::Stderr(line) = &frame.frame.body
        {
            self.held_bytes += line.bytes.len();
        }
        self.held.push(frame.clone());
        if self.is_lost() || self.choice.only().is_some() {
            self.choose();
        }
    }

    fn choose(&mut self) {
        if let Some(chosen) = self
            .choice
            .of_frames(self.held.iter().map(|held| &held.frame))
        {
            let mut checker =
                Checker::new(Arc::clone(&chosen.0), self.options.clone()).with_excerpt();
            for held in std::mem::take(&mut self.held) {
                checker.push_parsed(&held.frame, &held.parsed);
            }
            self.judged = Some((chosen, checker));
        }
    }

    /// The dialect, once it is chosen.
    pub(super) fn chosen(&self) -> Option<&ChosenDialect> {
        self.judged.as_ref().map(|(chosen, _)| chosen)
    }

    /// Whether the limit of frames has passed without a dialect.
    pub(super) fn is_lost(&self) -> bool {
        let is_over = self.held.len() >= self.patience || self.held_bytes > HELD_BYTES;
        self.judged.is_none() && is_over
    }

    /// The findings so far.
    pub(super) fn findings(&self) -> &[Finding] {
        let judged = self.judged.as_ref();
        judged.map_or(&[], |(_, checker)| checker.findings())
    }

    /// Judges the end of the session. `None` if the frames show no dialect.
    pub(super) fn finish(mut self) -> Option<(ChosenDialect, CheckOutcome)> {
        if self.judged.is_none() {
            self.choose();
        }
        let (chosen, checker) = self.judged?;
        Some((chosen, checker.finish()))
    }
}

//! Reads the first lines of a probed agent until they show a dialect, or until it is clear that they will not.

use super::evidence::DialectEvidence;
use super::probe::{AgentProbe, ProbeResult};
use crate::event_queue::{EventQueue, SessionEvent};
use crate::limits::{show, stretch};
use crate::process::agent_process::AgentProcess;
use crate::process::quiet_watch::QuietWatch;
use crate::process::spawn_error::ended;
use conform_judge::frame::{Body, Line};
use std::time::Duration;
use tokio::time::Instant;

/// The timeout for the first line where no dialect has a budget for it.
const START: Duration = Duration::from_secs(10);
/// How long an agent may neither write nor do anything, where no dialect has a budget for that.
const QUIET: Duration = Duration::from_secs(4);
/// The timeout for a conclusive line after one that rules a dialect out or shows a likely one, or that is not text.
const AFTER_FIRST_EVIDENCE: Duration = Duration::from_secs(2);
/// The interval at which the activity of the agent is checked in the quiet time.
const LOOKS: u32 = 4;
/// How many lines are read before the probe gives up.
const MAX_LINES: u32 = 1000;
/// How many characters of a line are shown.
const SHOWN_CHARS: usize = 200;
/// How many bytes of a line that is not text are shown.
const SHOWN_BYTES: usize = 40;

/// The first lines of an agent.
pub(super) struct FirstLines<'a> {
    evidence: DialectEvidence<'a>,
    stderr: StderrSummary,
    /// The first line, as it is shown.
    first: Option<String>,
    lines: u32,
    scale: f64,
    /// When the time of the agent is over, and how a message states that.
    deadline: (Instant, String),
    /// How long it may be quiet.
    quiet: Duration,
    /// `None` if it gets all its time even if it is quiet.
    watch: Option<QuietWatch>,
}

impl<'a> FirstLines<'a> {
    pub(super) fn new(probe: &AgentProbe<'a>) -> Self {
        let scale = probe.patience.time_scale;
        let budget = |name: &str| {
            let budgets = probe.recipes.iter();
            budgets.filter_map(|dialect| dialect.budget(name)).max()
        };
        let start = stretch(budget("start").unwrap_or(START), scale);
        let quiet = stretch(budget("smoke").unwrap_or(QUIET), scale.max(1.0));
        FirstLines {
            evidence: DialectEvidence::new(probe.known, probe.named),
            stderr: StderrSummary::default(),
            first: None,
            lines: 0,
            scale,
            deadline: (
                Instant::now() + start,
                format!("within {} (`start` budget)", show(start)),
            ),
            quiet,
            watch: (probe.patience.settle).then(|| QuietWatch::new(quiet / LOOKS)),
        }
    }

    /// Reads until there is evidence. Returns what the lines show, and whether the process of the agent has ended.
    pub(super) async fn read(
        mut self,
        process: &AgentProcess,
        queue: &EventQueue,
    ) -> (ProbeResult, bool) {
        loop {
            let look = self.watch.as_ref().map(QuietWatch::next_look);
            let wake = look.map_or(self.deadline.0, |look| look.min(self.deadline.0));
            let Ok(event) = tokio::time::timeout_at(wake, queue.next()).await else {
                if Instant::now() >= self.deadline.0 {
                    let when = format!(" {}{}", self.deadline.1, self.stderr);
                    return (self.inconclusive(queue.unfinished(), &when), false);
                }
                let watch = self.watch.as_mut();
                let idle = watch.and_then(|watch| watch.look(process.activity()));
                if idle.is_some_and(|idle| idle >= self.quiet) {
                    let when = format!(
                        " and did nothing for {} (`--time-scale` gives it longer){}",
                        show(self.quiet),
                        self.stderr
                    );
                    return (self.inconclusive(queue.unfinished(), &when), false);
                }
                continue;
            };
            match event {
                SessionEvent::Frame(frame) => match frame.body {
                    Body::FromAgent(line) => {
                        self.add_line(&line);
                        if let Some((index, line)) = self.evidence.verdict() {
                            return (ProbeResult::Dialect { index, line }, false);
                        }
                        if let Some(what) = self.evidence.other_version() {
                            return (ProbeResult::OtherVersion(what), false);
                        }
                        if self.lines == MAX_LINES {
                            let when = format!(" in {MAX_LINES} lines");
                            return (self.inconclusive(0, &when), false);
                        }
                    }
                    Body::Stderr(line) if !line.bytes.is_empty() => {
                        self.stderr.add(shown(&line));
                    }
                    Body::End(end) => {
                        let when = format!(" before it {}{}", ended(&end), self.stderr);
                        let result = match self.inconclusive(0, &when) {
                            ProbeResult::Silent(what) => ProbeResult::Ended(what),
                            other => other,
                        };
                        return (result, true);
                    }
                    _ => {}
                },
                SessionEvent::Overflow { bytes, .. } => {
                    let when = format!(" in {bytes} bytes");
                    return (self.inconclusive(bytes, &when), false);
                }
                SessionEvent::StdoutEnd
                | SessionEvent::Answered { .. }
                | SessionEvent::SideRequest(_)
                | SessionEvent::TerminalEnded { .. }
                | SessionEvent::AnswerDue(_)
                | SessionEvent::Failure(_) => {}
            }
        }
    }

    fn add_line(&mut self, line: &Line) {
        self.evidence.add_line(line, || shown(line));
        self.first.get_or_insert_with(|| quoted(line));
        self.lines += 1;
        self.watch.iter_mut().for_each(QuietWatch::restart);
        if self.evidence.against_named().is_some()
            || self.evidence.likeliest().is_some()
            || self.evidence.resembled().is_some()
            || !is_text(&line.bytes)
        {
            let length = stretch(AFTER_FIRST_EVIDENCE, self.scale);
            let at = Instant::now() + length;
            if at < self.deadline.0 {
                self.deadline = (at, format!("in the next {}", show(length)));
            }
        }
    }

    /// The result without conclusive evidence; `when` continues a sentence about what the agent did not write. An agent that wrote an
    /// event of the named dialect is taken to speak it.
    fn inconclusive(&self, bytes: u64, when: &str) -> ProbeResult {
        let evidence = &self.evidence;
        if let Some((index, line)) = evidence.likeliest().or_else(|| evidence.resembled()) {
            return ProbeResult::Dialect { index, line };
        }
        if let Some(line) = evidence.against_named() {
            return ProbeResult::RuledOut(line.text.clone());
        }
        if let Some((index, line)) = evidence.for_named() {
            return ProbeResult::Dialect { index, line };
        }
        match &self.first {
            Some(first) => ProbeResult::Unrecognized(format!(
                "it did not show that it is ready{when}; its first line is {first}"
            )),
            None if bytes > 0 => ProbeResult::Unrecognized(format!(
                "it wrote {bytes} bytes without an end of a line{when}"
            )),
            None => ProbeResult::Silent(format!("it wrote nothing{when}")),
        }
    }
}

/// The line of stderr that best explains why an agent does not start.
#[derive(Default)]
struct StderrSummary {
    /// The last line.
    last: Option<String>,
    /// The last line with an error in it: some runtimes print their version or advice after that.
    error: Option<String>,
}

impl StderrSummary {
    fn add(&mut self, line: String) {
        let lower = line.to_lowercase();
        if lower.contains("error") || lower.contains("panicked") {
            self.error = Some(line.clone());
        }
        self.last = Some(line);
    }
}

impl std::fmt::Display for StderrSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.error, &self.last) {
            (Some(error), Some(last)) if error != last => write!(f, "; on its stderr: {error:?}"),
            (_, Some(last)) => write!(f, "; the last line of its stderr: {last:?}"),
            (_, None) => Ok(()),
        }
    }
}

fn shown(line: &Line) -> String {
    line.text().chars().take(SHOWN_CHARS).collect()
}

/// Whether bytes are text as programs print it, colors included.
fn is_text(bytes: &[u8]) -> bool {
    let is_strange = |c: char| c.is_control() && !matches!(c, '\t' | '\r' | '\u{8}' | '\u{1b}');
    std::str::from_utf8(bytes).is_ok_and(|text| !text.contains(is_strange))
}

/// A line in quotes; for a line that is not text, its first bytes, escaped.
fn quoted(line: &Line) -> String {
    if is_text(&line.bytes) {
        return format!("{:?}", shown(line));
    }
    let first = &line.bytes[..line.bytes.len().min(SHOWN_BYTES)];
    let more = if line.bytes.len() > SHOWN_BYTES {
        "..."
    } else {
        ""
    };
    format!("not text: \"{}{more}\"", first.escape_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(bytes: &[u8]) -> Line {
        let mut lines = Vec::new();
        let mut framer = conform_judge::framing::Framer::new(1000);
        framer.push(bytes, &mut |line| lines.push(line));
        lines.remove(0)
    }

    #[test]
    fn a_line_that_is_not_text_is_escaped_and_cut() {
        assert_eq!(quoted(&line(b"hi \"you\"\n")), "\"hi \\\"you\\\"\"");
        assert_eq!(quoted(&line("\u{1b}[1mé\n".as_bytes())), "\"\\u{1b}[1mé\"");
        assert_eq!(quoted(&line(b"\x7fELF\0\n")), "not text: \"\\x7fELF\\x00\"");
        let long = [&[0xff; 41], &b"\n"[..]].concat();
        let escaped = "\\xff".repeat(40);
        assert_eq!(quoted(&line(&long)), format!("not text: \"{escaped}...\""));
    }
}

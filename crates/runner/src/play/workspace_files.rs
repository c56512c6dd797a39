//! Checks of the files in the workspace: the step `expect_file`, and `files_after` at the end of a scenario.

use super::awaited::Awaited;
use super::context::EarlyStop;
use super::event_loop::WaitResult;
use super::player::ScenarioPlayer;
use super::step_finding::{BlamedFrame, StepFinding};
use super::timeout_message::ReceivedEvents;
use crate::scenario::types::{FileState, Step};
use crate::step_rules;
use conform_judge::finding::{DifferenceKind, Part};
use data_encoding::BASE64;
use indexmap::IndexMap;
use json_matcher::render_text;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// The largest file that is compared, in bytes.
const SIZE_LIMIT: u64 = 16 << 20;

/// How often an expected file is polled.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

impl ScenarioPlayer {
    /// Checks the files that the scenario names under `files_after`.
    pub(super) fn check_files_after(&mut self) -> Result<(), EarlyStop> {
        let scenario = Arc::clone(&self.scenario);
        self.step = scenario.steps.len();
        for (path, expected) in self.filled(&scenario.files_after)? {
            match difference(&self.sandbox.workspace.join(&path), &expected) {
                None => self.step_passed(),
                Some(found) => {
                    let message = format!("{path} {found}");
                    let kind = match expected {
                        FileState::Absent => DifferenceKind::Unexpected,
                        FileState::Present => DifferenceKind::Missing,
                        _ => DifferenceKind::WrongValue,
                    };
                    self.add_finding(StepFinding {
                        part: Some(Part::File(path)),
                        frame: BlamedFrame::None,
                        expected: vec![describe(&expected).into()],
                        ..StepFinding::new(step_rules::FILES_AFTER, message, kind)
                    });
                }
            }
        }
        Ok(())
    }

    /// Waits until files have the state that the step requires. Events that come meanwhile stay for the next steps.
    pub(super) async fn expect_file(
        &mut self,
        step: &Step,
        files: &IndexMap<String, FileState>,
    ) -> Result<(), EarlyStop> {
        let files = self.filled(files)?;
        let mut wait = self.wait_for_event(step).without_stdout();
        let mut last = None;
        loop {
            let wrong = files.iter().find_map(|(path, expected)| {
                let found = difference(&self.sandbox.workspace.join(path), expected)?;
                Some((format!("{path} {found}"), describe(expected)))
            });
            let Some((found, expected)) = wrong else {
                self.step_passed();
                return Ok(());
            };
            if let Some(more) = last {
                let mut received = ReceivedEvents::default();
                let events = &self.session.events;
                let new = events.all_after(events.position());
                new.for_each(|event| received.add(event));
                received.cause = found;
                let rule = step_rules::EXPECT_FILE;
                let awaited = Awaited::thing("the file", expected);
                return Err(self.timed_out(rule, &more, &received, None, awaited));
            }
            let more = tokio::time::timeout(POLL_INTERVAL, self.next_event(&mut wait)).await;
            last = match more {
                Err(_) | Ok(Ok(WaitResult::Event)) => None,
                Ok(more) => Some(more?),
            };
        }
    }

    /// The expected states of files, with their placeholders filled.
    fn filled(
        &self,
        files: &IndexMap<String, FileState>,
    ) -> Result<IndexMap<String, FileState>, EarlyStop> {
        let fill = |text: &str| {
            let filled = render_text(text, &self.captures);
            filled.map_err(|unknown| EarlyStop::in_file(&self.scenario, unknown))
        };
        let filled = files.iter().map(|(path, expected)| {
            let expected = match expected {
                FileState::Equals(text) => FileState::Equals(fill(text)?),
                FileState::Contains(text) => FileState::Contains(fill(text)?),
                FileState::Holds(text) => FileState::Holds(fill(text)?),
                other => other.clone(),
            };
            Ok((path.clone(), expected))
        });
        filled.collect()
    }
}

/// How a file differs from what is expected, as the end of a sentence; `None` if it does not.
fn difference(path: &Path, expected: &FileState) -> Option<String> {
    let exists = match path.symlink_metadata() {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::NotFound => false,
        Err(error) => return Some(format!("cannot be read: {error}")),
    };
    let right: &dyn Fn(&str) -> bool = match expected {
        FileState::Absent => return exists.then(|| "is in the workspace".to_owned()),
        _ if !exists => return Some("is not in the workspace".to_owned()),
        FileState::Present => return None,
        FileState::Equals(text) => &move |found| found == text,
        FileState::Contains(text) => &move |found| found.contains(text),
        FileState::Holds(text) => &move |found| holds(found, text),
    };
    match read(path) {
        Err(why) => Some(why),
        Ok(found) if right(&found) => None,
        Ok(found) => Some(format!("contains {}", brief(&found))),
    }
}

/// Whether a text contains another one, as it is or in Base64 at any offset.
fn holds(found: &str, text: &str) -> bool {
    let encoded = |skip: usize| {
        let before = vec![b'x'; skip];
        let code = BASE64.encode(&[&before, text.as_bytes()].concat());
        // Characters that also encode bytes before or after the text are left out.
        let from = (skip * 8).div_ceil(6);
        let to = (skip + text.len()) * 8 / 6;
        code[from..to].to_owned()
    };
    found.contains(text) || (0..3).any(|skip| found.contains(&encoded(skip)))
}

fn read(path: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("cannot be read: {error}");
    let about = path.metadata().map_err(failed)?;
    if !about.is_file() {
        return Err("is not a regular file".to_owned());
    }
    if about.len() > SIZE_LIMIT {
        return Err(format!("is {} bytes long", about.len()));
    }
    let bytes = std::fs::read(path).map_err(failed)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn describe(expected: &FileState) -> String {
    match expected {
        FileState::Absent => "no file of this name".to_owned(),
        FileState::Present => "a file of this name".to_owned(),
        FileState::Equals(text) => format!("a file with the text {}", brief(text)),
        FileState::Contains(text) | FileState::Holds(text) => {
            format!("a file that contains {}", brief(text))
        }
    }
}

fn brief(text: &str) -> String {
    match text.char_indices().nth(200) {
        Some((end, _)) => format!("{:?}… ({} characters)", &text[..end], text.chars().count()),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sandbox::write_below;
    use crate::sandbox_root::SandboxRoot;

    #[test]
    fn a_file_is_compared_with_its_expected_state() {
        let sandboxes = SandboxRoot::new().unwrap();
        let sandbox = sandboxes.sandbox().unwrap();
        write_below(&sandbox.workspace, "a.txt", "one\ntwo\n").unwrap();
        let equals = |text: &str| FileState::Equals(text.to_owned());
        let contains = |text: &str| FileState::Contains(text.to_owned());
        let holds = |text: &str| FileState::Holds(text.to_owned());
        write_below(
            &sandbox.workspace,
            "c.txt",
            "<x>eyJ0ZXh0IjoiYSBoZXJvbiJ9</x>",
        )
        .unwrap();
        for (path, expected, right) in [
            ("a.txt", FileState::Present, true),
            ("a.txt", FileState::Absent, false),
            ("a.txt", equals("one\ntwo\n"), true),
            ("a.txt", equals("one\n"), false),
            ("a.txt", contains("two"), true),
            ("a.txt", contains("three"), false),
            ("b.txt", FileState::Absent, true),
            ("b.txt", FileState::Present, false),
            ("b.txt", contains(""), false),
            (".", equals(""), false),
            ("a.txt", holds("two"), true),
            ("c.txt", holds("a heron"), true),
            ("c.txt", holds("heron"), true),
            ("c.txt", holds("heron\"}"), true),
            ("c.txt", holds("curlew"), false),
        ] {
            let found = difference(&sandbox.workspace.join(path), &expected);
            assert_eq!(found.is_none(), right, "{path} {expected:?} {found:?}");
        }
    }
}

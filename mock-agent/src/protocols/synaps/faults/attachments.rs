//! Attachments that are rejected, lost, or accepted against the rules.

use crate::faults::{Bug, Fault, FaultEffect, start};
use serde_json::{Value, json};

pub(super) const FAULTS: &[Fault] = &[
    start(
        "takes-relative-paths",
        "an attachment with a relative path is taken",
        FaultEffect::Bug(Bug::AcceptsRelativePaths),
    )
    .caught_by(&["scenario:attachments/relative-path-is-refused"]),
    start(
        "takes-dot-dot",
        "an attachment whose path has a `..` segment is taken",
        FaultEffect::Bug(Bug::AcceptsDotDot),
    )
    .caught_by(&["scenario:attachments/dot-dot-is-refused"]),
    start(
        "loses-files",
        "the model is not shown the attached files",
        FaultEffect::Bug(Bug::LosesFiles),
    )
    .caught_by(&["scenario:attachments/file-is-read"]),
    start(
        "loses-second-file",
        "the model is shown only the first of the attached files",
        FaultEffect::Command(|command| {
            if let Some(Value::Array(files)) = command.get_mut("attachments") {
                files.truncate(1);
            }
        }),
    )
    .caught_by(&["scenario:attachments/several"]),
    start(
        "hints-dropped",
        "the model is not told what an attached file is called",
        FaultEffect::Command(|command| {
            if let Some(Value::Array(files)) = command.get_mut("attachments") {
                for file in files.iter_mut().filter_map(Value::as_object_mut) {
                    file.retain(|key, _| key == "path");
                }
            }
        }),
    )
    .caught_by(&["scenario:attachments/with-hints"]),
    start(
        "attachments-required",
        "a prompt without attachments is refused",
        FaultEffect::Command(|command| {
            if command["type"] == "prompt" && command.get("attachments").is_none() {
                command["attachments"] = Value::Null;
            }
        }),
    )
    .caught_by(&["scenario:attachments/none-given"]),
    start(
        "hints-required",
        "an attachment without name and mime is refused",
        FaultEffect::Command(|command| {
            invalidate(command, |file| file.get("name").is_none());
        }),
    )
    .caught_by(&["scenario:attachments/without-hints"]),
    start(
        "hints-refused",
        "an attachment with a name and a mime is refused",
        FaultEffect::Command(|command| {
            invalidate(command, |file| file.get("name").is_some());
        }),
    )
    .caught_by(&["scenario:attachments/with-hints"]),
    start(
        "odd-names-refused",
        "an attachment whose path is not all ASCII is refused",
        FaultEffect::Command(|command| {
            invalidate(command, |file| {
                !file["path"].as_str().is_some_and(str::is_ascii)
            });
        }),
    )
    .caught_by(&["scenario:attachments/odd-names"]),
    start(
        "dots-in-names-refused",
        "an attachment whose name has two dots in it is refused",
        FaultEffect::Command(|command| {
            invalidate(command, |file| {
                let path = file["path"].as_str().unwrap_or_default();
                path.contains("a..b")
            });
        }),
    )
    .caught_by(&["scenario:attachments/odd-names"]),
];

/// Makes a prompt invalid if one of its attachments meets the condition.
fn invalidate(command: &mut Value, bad: fn(&Value) -> bool) {
    if let Some(Value::Array(files)) = command.get_mut("attachments") {
        for file in files.iter_mut().filter(|file| bad(file)) {
            *file = json!(7);
        }
    }
}

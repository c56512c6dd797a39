//! Commands that are executed differently from how they were given.

use super::common::{V0_87, changed_command, remove_member};
use crate::faults::{Bug, Fault, FaultEffect, bug, start};
use serde_json::{Value, json};

/// Changes a text in commands of this type.
fn change_text(command: &mut Value, kind: &str, member: &str, change: fn(&str) -> String) {
    if command["type"] == kind
        && let Some(text) = command[member].as_str()
    {
        command[member] = json!(change(text));
    }
}

fn with_leading_space(text: &str) -> String {
    format!(" {text}")
}

/// The first words of a template or a skill.
fn first_words(text: &str, count: usize) -> String {
    if !text.starts_with('/') {
        return text.to_owned();
    }
    text.split(' ').take(count).collect::<Vec<_>>().join(" ")
}

#[rustfmt::skip]
pub(super) const FAULTS_SINCE_0_73: &[Fault] = &[
    // prompts
    changed_command("images-of-prompts-lost", "the images of a prompt are dropped", |c| remove_member(c, "prompt", "images"), &["scenario:prompt/image"]),
    changed_command("images-of-steers-lost", "the images of a steering message are dropped", |c| remove_member(c, "steer", "images"), &["scenario:queue/images"]),
    changed_command("images-of-follow-ups-lost", "the images of a follow-up are dropped", |c| remove_member(c, "follow_up", "images"), &["scenario:queue/images"]),
    changed_command("images-are-required", "a prompt without images is refused", |c| {
        if c.get("images").is_none() {
            remove_member(c, "prompt", "message");
        }
    }, &["scenario:prompt/response-then-run"]),
    changed_command("steering-prompt-follows", "a prompt that is to steer is queued as a follow-up", |c| change_text(c, "prompt", "streamingBehavior", |_| "followUp".into()), &["queue-contents", "scenario:queue/prompt-that-steers"]),
    changed_command("following-prompt-steers", "a prompt that is to follow is queued as a steering message", |c| change_text(c, "prompt", "streamingBehavior", |_| "steer".into()), &["queue-contents", "scenario:queue/prompt-that-follows"]),
    changed_command("extension-command-goes-to-the-model", "an extension's command is taken for a prompt", |c| change_text(c, "prompt", "message", with_leading_space), &["scenario:extensions/command-during-a-run"]),
    changed_command("prompts-are-not-expanded", "a template in a prompt is not expanded", |c| change_text(c, "prompt", "message", with_leading_space), &["scenario:prompt/template-is-expanded", "scenario:prompt/skill-is-expanded"]),
    changed_command("second-argument-lost", "a template gets its first argument only", |c| change_text(c, "prompt", "message", |text| first_words(text, 2)), &["scenario:prompt/template-takes-every-argument"]),
    changed_command("arguments-of-a-skill-lost", "a skill gets no arguments", |c| change_text(c, "prompt", "message", |text| match text.starts_with("/skill:") {
        true => first_words(text, 1),
        false => text.to_owned(),
    }), &["scenario:prompt/skill-gets-its-arguments"]),
    changed_command("steers-are-not-expanded", "a template in a steering message is not expanded", |c| change_text(c, "steer", "message", with_leading_space), &["scenario:queue/templates-are-expanded"]),
    changed_command("follow-ups-are-not-expanded", "a template in a follow-up is not expanded", |c| change_text(c, "follow_up", "message", with_leading_space), &["scenario:queue/templates-are-expanded"]),
    changed_command("extension-command-is-steered", "an extension's command is taken for a steering message", |c| change_text(c, "steer", "message", with_leading_space), &["scenario:extensions/command-is-not-queued"]),
    changed_command("extension-command-is-a-follow-up", "an extension's command is taken for a follow-up", |c| change_text(c, "follow_up", "message", with_leading_space), &["scenario:extensions/command-is-not-queued"]),
    changed_command("separators-are-line-breaks", "U+2028 in a prompt is taken for a line break", |c| change_text(c, "prompt", "message", |text| text.replace(['\u{2028}', '\u{2029}'], "\n")), &["scenario:framing/line-separators-of-the-host", "own-prompt"]),

    changed_command("extra-field-is-refused", "a command with an unknown field is refused", |c| {
        if c.get("future").is_some() {
            c["type"] = json!("?");
        }
    }, &["scenario:framing/extra-fields", "response-names-command", "answered"]),

    // queues
    bug("steers-wait", "a steering message waits until the model wants no more tools", Bug::SteeringWaits).caught_by(&["scenario:queue/steer-after-the-tools", "scenario:queue/follow-up-after-the-tools", "own-prompt"]),
    bug("follow-ups-are-early", "a follow-up does not wait for tool calls and steering messages", Bug::FollowUpsEarly).caught_by(&["scenario:queue/follow-up-after-the-tools"]),
    bug("steers-together", "by default all steering messages go at once", Bug::SteeringTogether).caught_by(&["scenario:queue/steers-one-at-a-time"]),
    bug("follow-ups-behind-tools", "a follow-up comes behind the first tool calls", Bug::FollowUpsAfterTools).caught_by(&["scenario:queue/follow-up-waits-for-every-tool", "scenario:queue/prompt-that-follows-after-the-tools"]),
    bug("follow-ups-together", "by default all follow-ups go at once", Bug::FollowUpsTogether).caught_by(&["scenario:queue/follow-ups-one-at-a-time"]),

    // the model
    start("model-flag-ignored", "the flags do not choose the model", FaultEffect::Options(|options| {
        if options.model.as_deref() == Some("mock-o") {
            options.provider = None;
            options.model = None;
        }
    })).caught_by(&["scenario:startup/model-of-the-flags"]),
    start("thinking-of-the-flag-ignored", "the thinking level behind the model's name is dropped", FaultEffect::Options(|options| {
        options.model = options.model.take().map(|name| name.split(':').next().unwrap_or_default().to_owned());
    })).caught_by(&["scenario:startup/thinking-of-the-flags"]),
    changed_command("unknown-model-is-the-first", "a model that is not there is taken for another one", |c| {
        if c["type"] == "set_model" && c["provider"] == "nobody" {
            *c = json!({ "type": "set_model", "id": c["id"], "provider": "mocka", "modelId": "mock-a" });
        }
    }, &["scenario:model/unknown", "model-as-asked"]),
    changed_command("level-is-always-low", "set_thinking_level sets another level", |c| change_text(c, "set_thinking_level", "level", |_| "low".into()), &["scenario:thinking/set"]),
    start("level-stays-untold", "the model is not told how much to think", FaultEffect::Bug(Bug::ThinkingLevelNotSent)).caught_by(&["scenario:thinking/set"]),

    // compactions and retries
    changed_command("instructions-lost", "the instructions of `compact` are dropped", |c| remove_member(c, "compact", "customInstructions"), &["scenario:compact/instructions-guide-it"]),
    changed_command("compaction-stays-on", "automatic compaction cannot be switched off", |c| {
        if c["type"] == "set_auto_compaction" {
            c["enabled"] = json!(true);
        }
    }, &["compaction-off", "state-of-modes", "scenario:compact/switched-off"]),
    changed_command("retry-stays-on", "retries cannot be switched off", |c| {
        if c["type"] == "set_auto_retry" {
            c["enabled"] = json!(true);
        }
    }, &["retry-off", "scenario:retry/switched-off"]),
    start("modes-are-one", "a mode is set for both queues", FaultEffect::Bug(Bug::QueuesShareMode)).caught_by(&["state-of-modes", "scenario:queue/modes-are-separate"]),
    bug("retries-refusals", "what is refused is tried again", Bug::RetriesRefusals).caught_by(&["scenario:retry/refusals-are-final", "scenario:retry/another-error-ends-it"]).caught_in(V0_87, &["scenario:retry/refusals-are-final", "scenario:retry/another-error-ends-it", "retry-announced"]),
    bug("retry-doubles-the-prompt", "a retry sends the prompt a second time", Bug::RetryDoublesPrompt).caught_by(&["scenario:retry/prompt-is-not-doubled"]),
    bug("retry-starts-over", "a retry starts the run over, and its tools run again", Bug::RetryStartsOver).caught_by(&["scenario:retry/tools-are-not-run-again"]),
    changed_command("queued-text-is-trimmed", "what is queued loses the white space at its ends", |c| {
        change_text(c, "steer", "message", |text| text.trim().to_owned());
        change_text(c, "follow_up", "message", |text| text.trim().to_owned());
    }, &["queue-contents", "scenario:queue/text-is-kept"]),
    bug("never-retries", "a transient failure is final", Bug::RetriesNever).caught_by(&["scenario:retry/overloaded-once", "scenario:retry/rate-limit-and-server-errors"]).caught_in(V0_87, &["scenario:retry/overloaded-once", "scenario:retry/rate-limit-and-server-errors", "will-retry"]),
    bug("abort-retry-changes-nothing", "abort_retry does not end the wait", Bug::RetryNotCancelled).caught_by(&["scenario:retry/abort-retry"]),

    // sessions
    start("session-folder-ignored", "--session-dir is dropped", FaultEffect::Options(|options| options.session_dir = None)).caught_by(&["scenario:startup/session-folder"]),
    bug("new-session-is-the-old-one", "new_session changes nothing", Bug::NewSessionKeepsConversation).caught_by(&["scenario:session/new", "new-session-id", "state-counts-messages"]),
    changed_command("parent-lost", "the parent of a new session is dropped", |c| remove_member(c, "new_session", "parentSession"), &["scenario:session/parent-is-recorded"]),
    bug("loaded-session-stays-as-it-was", "what is said in a session that was loaded again is lost when it is left", Bug::ResumedStaysUnsaved).caught_by(&["scenario:session/to-and-fro"]),
    bug("switch-loads-nothing", "switch_session changes nothing", Bug::SwitchLoadsNothing).caught_by(&["scenario:session/switch"]),
    bug("fork-keeps-all", "a fork holds what came behind the message, too", Bug::ForkKeepsAll).caught_by(&["scenario:session/fork"]),
    bug("clone-is-empty", "a clone has no messages", Bug::CloneIsEmpty).caught_by(&["scenario:session/clone"]),
    changed_command("export-goes-elsewhere", "export_html writes another file than it was told", |c| change_text(c, "export_html", "outputPath", |path| format!("{path}.out.html")), &["scenario:session/export"]),

    // dialogs
    start("notices-wait", "a notice waits for an answer", FaultEffect::Bug(Bug::NoticesAwaitAnswer)).caught_by(&["scenario:extensions/notices", "answered"]),
    start("dialogs-wait-on", "a dialog waits on when its time is over", FaultEffect::Bug(Bug::DialogsNeverTimeOut)).caught_by(&["scenario:extensions/timeout", "answered"]),
    bug("tool-runs-before-the-answer", "a tool runs before the dialog about it is answered", Bug::RunsBeforeApproval).caught_by(&["scenario:extensions/tool-is-denied"]),
    changed_command("yes-is-no", "a confirm is answered the other way round", |c| {
        if let Some(said) = c["confirmed"].as_bool() {
            c["confirmed"] = json!(!said);
        }
    }, &["scenario:extensions/confirm"]),
    changed_command("value-lost", "the extension does not get the value of a dialog", |c| change_text(c, "extension_ui_response", "value", |_| String::new()), &["scenario:extensions/select", "scenario:extensions/input-and-editor"]),
    changed_command("cancelled-is-a-value", "the extension gets a value from a cancelled dialog", |c| {
        if c["cancelled"] == true {
            *c = json!({ "type": "extension_ui_response", "id": c["id"], "value": "yes", "confirmed": true });
        }
    }, &["scenario:extensions/cancelled-dialogs"]),
];

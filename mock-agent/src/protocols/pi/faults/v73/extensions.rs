//! Errors, dialogs and notices of extensions.

use super::event;
use crate::faults::{Fault, Op};

#[rustfmt::skip]
pub(in crate::protocols::pi) const FAULTS: &[Fault] = &[
    event("extension-error-without-path", "an extension's error does not say whose", "extension_error", Op::Remove("/extensionPath"), &["schema/extension_error"]).at_start(),
    event("dialog-asked-twice", "a dialog comes twice under one id", "extension_ui_request", Op::Twice, &["dialog-answered", "answered"]).at_start(),
    event("dialog-without-id", "a dialog has no id", "extension_ui_request", Op::Remove("/id"), &["schema/extension_ui_request"]).at_start().when(&[("/method", "notify")]),
    event("unknown-method", "an extension uses a method that the page does not have", "extension_ui_request", Op::Set("/method", "\"shout\""), &["unknown-method", "answered"]).at_start().when(&[("/method", "notify")]),
    event("select-without-options", "select has nothing to choose from", "extension_ui_request", Op::Remove("/options"), &["schema/extension_ui_request.select", "answered"]).at_start().when(&[("/method", "select")]),
    event("notice-of-no-known-kind", "a notice is of a kind of its own", "extension_ui_request", Op::Set("/notifyType", "\"fatal\""), &["schema/extension_ui_request.notify"]).at_start().when(&[("/method", "notify")]),
    event("extension-error-lost", "an extension's error is not told", "extension_error", Op::Drop, &["scenario:extensions/command-throws"]).at_start(),
    event("confirm-without-message", "confirm says no message", "extension_ui_request", Op::Remove("/message"), &["schema/extension_ui_request.confirm", "answered"]).at_start().when(&[("/method", "confirm")]),
    event("input-without-title", "input has no title", "extension_ui_request", Op::Remove("/title"), &["schema/extension_ui_request.input", "answered"]).at_start().when(&[("/method", "input")]),
    event("editor-without-title", "editor has no title", "extension_ui_request", Op::Remove("/title"), &["schema/extension_ui_request.editor", "answered"]).at_start().when(&[("/method", "editor")]),
    event("status-without-key", "setStatus does not say which entry", "extension_ui_request", Op::Remove("/statusKey"), &["schema/extension_ui_request.setStatus"]).at_start().when(&[("/method", "setStatus")]),
    event("widget-is-a-text", "the lines of a widget are one text", "extension_ui_request", Op::Set("/widgetLines", "\"one\""), &["schema/extension_ui_request.setWidget"]).at_start().when(&[("/method", "setWidget")]),
    event("title-is-missing", "setTitle has no title", "extension_ui_request", Op::Remove("/title"), &["schema/extension_ui_request.setTitle"]).at_start().when(&[("/method", "setTitle")]),
    event("editor-text-is-missing", "set_editor_text has no text", "extension_ui_request", Op::Remove("/text"), &["schema/extension_ui_request.set_editor_text"]).at_start().when(&[("/method", "set_editor_text")]),
];

//! Approvals: tools that run without one, ask without need, or ignore the answer.

use crate::faults::{Bug, Fault, FaultEffect, Op, bug, frame, start};
use crate::protocols::aionrs::version::V0_1;
use serde_json::json;

const GHOST: &str = r#"{"type":"tool_request","msg_id":"$/msg_id","call_id":"ghost","tool":{"name":"Write","category":"edit","args":{},"description":"never answered"}}"#;

/// A tool has a wrong category.
const fn category(id: &'static str, tool: &'static [(&str, &str)], wrong: &'static str) -> Fault {
    frame(
        id,
        "a tool is announced in another category than its own",
        "tool_request",
        Op::Set("/tool/category", wrong),
    )
    .when(tool)
    .every()
    .caught_by(&["category-of-builtin"])
}

pub(super) const FAULTS: &[Fault] = &[
    bug(
        "never-asks",
        "no tool is asked for in mode default",
        Bug::NeverRequestsApproval,
    )
    .caught_by(&["asks-before-change"]),
    start(
        "asks-in-yolo",
        "tools are asked for in mode yolo",
        FaultEffect::Bug(Bug::RequestsApprovalInYolo),
    )
    .caught_by(&["yolo-asks-nothing"]),
    start(
        "asks-in-auto-edit",
        "reading and editing are asked for in mode auto_edit",
        FaultEffect::Bug(Bug::RequestsApprovalInAutoEdit),
    )
    .caught_by(&["auto-edit-asks-less"]),
    start(
        "auto-edit-allows-all",
        "nothing is asked for in mode auto_edit",
        FaultEffect::Bug(Bug::AutoEditAllowsAll),
    )
    .caught_by(&[
        "scenario:modes/auto-edit-asks",
        "asks-before-change",
        "asks-again",
    ]),
    start(
        "ignores-mode",
        "`set_mode` changes nothing",
        FaultEffect::Bug(Bug::IgnoresMode),
    )
    .caught_by(&[
        "yolo-asks-nothing",
        "auto-edit-asks-less",
        "asks-before-change",
        "asks-again",
        "scenario:modes/yolo-asks-nothing",
    ]),
    start(
        "mode-forgets-allowed",
        "`set_mode` takes back what was always allowed",
        FaultEffect::Bug(Bug::ModeForgetsAllowed),
    )
    .caught_by(&["always-allows", "scenario:modes/keep-the-allow-list"]),
    start(
        "mode-forgets-turns",
        "`set_mode` clears the conversation",
        FaultEffect::Bug(Bug::ModeForgetsTurns),
    )
    .caught_by(&["scenario:modes/keep-the-conversation"]),
    start(
        "yolo-stays",
        "the mode auto_edit does not take the place of yolo",
        FaultEffect::Bug(Bug::KeepsYolo),
    )
    .caught_by(&["scenario:modes/narrower-again", "asks-before-change"]),
    start(
        "spawns-unasked",
        "Spawn is not asked for in mode auto_edit",
        FaultEffect::Bug(Bug::SpawnsUnapproved),
    )
    .caught_by(&["scenario:modes/spawn-in-auto-edit", "asks-before-change"]),
    start(
        "asks-for-spawn",
        "Spawn is asked for in mode yolo",
        FaultEffect::Bug(Bug::RequestsApprovalForSpawn),
    )
    .caught_by(&["yolo-asks-nothing", "scenario:modes/spawn-in-yolo"]),
    bug(
        "starts-twice",
        "a second approval of a call starts it again",
        Bug::StartsTwice,
    )
    .caught_by(&["tool-lifecycle", "scenario:approval/approved-twice"]),
    bug(
        "edit-ends-lines",
        "Edit ends every line of the file with LF",
        Bug::EditChangesNewlines,
    )
    .caught_by(&["scenario:tools/edit-keeps-line-ends"]),
    start(
        "empty-reason-approves",
        "a denial whose reason is empty lets the call run",
        FaultEffect::Command(|command| {
            if command["type"] == "tool_deny" && command["reason"] == "" {
                command["type"] = json!("tool_approve");
            }
        }),
    )
    .caught_by(&[
        "scenario:deny/without-words",
        "deny-cancels",
        "approval-before-run",
    ]),
    bug(
        "edit-expands",
        "Edit takes `$&` in the new text for the old text",
        Bug::EditExpandsPatterns,
    )
    .caught_by(&["scenario:tools/edits-literally"]),
    bug(
        "mode-waits",
        "a mode that is set in the middle of a turn holds from the next turn on",
        Bug::DelaysMode,
    )
    .caught_by(&["scenario:modes/changed-in-the-middle-of-a-turn"]),
    start(
        "unknown-mode-is-yolo",
        "a mode that there is not lets every tool pass",
        FaultEffect::Command(|command| {
            if command["mode"] == "no-such-mode" {
                command["mode"] = json!("yolo");
            }
        }),
    )
    .caught_by(&[
        "scenario:modes/unknown-mode-allows-nothing",
        "scenario:modes/unknown-mode",
    ]),
    bug(
        "runs-tools-twice",
        "a tool runs twice for one call",
        Bug::RunsToolsTwice,
    )
    .caught_by(&[
        "scenario:tools/runs-once",
        "scenario:modes/auto-approve-flag",
        "scenario:modes/yolo-asks-nothing",
        "scenario:approval/exec-is-asked",
        "scenario:approval/waits-for-the-answer",
        "scenario:parallel/each-answered-as-it-comes",
        "scenario:parallel/without-asking",
        "scenario:modes/auto-edit-approves",
        "scenario:modes/keep-the-allow-list",
        "scenario:errors/tools-after-a-failure",
        "scenario:sessions/tools-run-once-after-a-restart",
    ]),
    bug(
        "write-adds-newline",
        "Write writes more than the model gave",
        Bug::WriteAddsNewline,
    )
    .caught_by(&["scenario:tools/writes-as-given"]),
    bug(
        "write-appends",
        "Write adds to what a file holds",
        Bug::WriteAppends,
    )
    .caught_by(&["scenario:tools/write-over-a-file"]),
    bug(
        "forgets-mode",
        "a mode lasts for one turn",
        Bug::ForgetsMode,
    )
    .caught_by(&["yolo-asks-nothing"]),
    start(
        "ignores-auto-approve",
        "--auto-approve changes nothing",
        FaultEffect::Options(|options| options.auto_approve = false),
    )
    .caught_by(&["yolo-asks-nothing", "scenario:modes/auto-approve-flag"]),
    bug(
        "ignores-always",
        "the scope always is taken for once",
        Bug::IgnoresAlways,
    )
    .caught_by(&["always-allows", "always-allows-category"]),
    bug(
        "always-is-for-tool",
        "the scope always is for the tool, not for its category",
        Bug::AlwaysIsForTool,
    )
    .caught_by(&["always-allows-category"]),
    bug(
        "always-allows-all",
        "the scope always is for every category",
        Bug::AlwaysAllowsAll,
    )
    .caught_by(&["scenario:approval/always-leaves-other-categories"]),
    bug(
        "once-is-always",
        "the scope once is taken for always",
        Bug::OnceIsAlways,
    )
    .caught_by(&["asks-again"]),
    bug(
        "runs-before-answer",
        "a tool runs before its request was answered",
        Bug::RunsBeforeApproval,
    )
    .caught_by(&[
        "approval-before-run",
        "always-allows-category",
        "always-allows",
    ]),
    frame(
        "goes-on-while-it-waits",
        "the model is asked again while a request has no answer",
        "stream_start",
        Op::After(GHOST),
    )
    .later()
    .caught_by(&["waits-for-answer", "tool-lifecycle", "always-allows"]),
    bug("loses-approval", "an approval is lost", Bug::LosesApproval)
        .caught_by(&["approval-runs", "tool-lifecycle"]),
    bug("runs-denied", "a denied tool runs", Bug::RunsDenied).caught_by(&[
        "approval-before-run",
        "deny-cancels",
        "deny-reason-fed-back",
    ]),
    frame(
        "denial-unconfirmed",
        "a denial is not answered by `tool_cancelled`",
        "tool_cancelled",
        Op::Drop,
    )
    .caught_by(&["deny-cancels", "tool-lifecycle"]),
    bug(
        "loses-reason",
        "the model is not told the reason of a denial",
        Bug::LosesReason,
    )
    .caught_by(&["deny-reason-fed-back"]),
    bug(
        "denial-ends-turn",
        "a denial ends the turn",
        Bug::EndsTurnOnDenial,
    )
    .caught_by(&["deny-continues"]),
    bug(
        "approval-is-for-all",
        "the approval of one call approves all that are open",
        Bug::ApprovalIsForAll,
    )
    .caught_by(&[
        "scenario:parallel/one-approval-for-one-call",
        "approval-before-run",
    ]),
    start(
        "approval-of-a-stranger-counts",
        "the approval of a call that nobody asked for approves the one that waits",
        FaultEffect::Command(|command| {
            if command["type"] == "tool_approve" && command["call_id"] == "no-such-call" {
                command["call_id"] = json!("t1");
            }
        }),
    )
    .caught_by(&[
        "scenario:approval/unknown-call-approves-nothing",
        "approval-before-run",
        "deny-cancels",
        "deny-reason-fed-back",
    ]),
    bug(
        "denial-is-for-all",
        "the denial of one call denies all that are open",
        Bug::DenialIsForAll,
    )
    .caught_by(&[
        "scenario:parallel/one-denied-one-approved",
        "scenario:parallel/denied-out-of-turn",
        "approval-runs",
    ]),
    bug(
        "answers-in-order",
        "only the oldest open request takes an answer",
        Bug::AnswersInOrder,
    )
    .caught_by(&[
        "scenario:parallel/both-open-at-once",
        "scenario:parallel/denied-out-of-turn",
        "approval-runs",
        "deny-cancels",
        "deny-continues",
        "deny-reason-fed-back",
        "tool-lifecycle",
        "turn-envelope",
    ]),
    bug(
        "one-request-at-a-time",
        "the second call of a reply is announced when the first is over",
        Bug::OneRequestAtATime,
    )
    .caught_by(&[
        "scenario:parallel/both-open-at-once",
        "scenario:parallel/denied-out-of-turn",
    ]),
    bug(
        "loses-second-call",
        "only the first call of a reply is taken in",
        Bug::LosesSecondCall,
    )
    .caught_by(&["scenario:parallel/both-open-at-once"]),
    category("read-is-exec", &[("/tool/name", "Read")], "\"exec\""),
    category("glob-is-exec", &[("/tool/name", "Glob")], "\"exec\""),
    category("grep-is-exec", &[("/tool/name", "Grep")], "\"exec\""),
    category("write-is-info", &[("/tool/name", "Write")], "\"info\""),
    category("edit-is-info", &[("/tool/name", "Edit")], "\"info\""),
    category("bash-is-info", &[("/tool/name", "Bash")], "\"info\"").only_in(V0_1),
    category("spawn-is-info", &[("/tool/name", "Spawn")], "\"info\""),
    category("mcp-is-info", &[("/tool/category", "mcp")], "\"info\"")
        .caught_by(&["scenario:tools/mcp"]),
];

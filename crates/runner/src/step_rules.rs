//! The rules of scenario steps: ids and documentation of the checks that steps and model scripts make.

/// A rule of scenario steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepRule {
    /// The id that findings carry.
    pub id: &'static str,
    /// What it requires, and when it fails.
    pub doc: &'static str,
}

/// Declares a constant for the id of each rule, and the table of the rules.
macro_rules! step_rules {
    ($($name:ident = $id:expr, $doc:literal;)*) => {
        $(pub(super) const $name: &str = $id;)*

        /// Every rule of scenario steps.
        pub const RULES: &[StepRule] = &[$(StepRule { id: $name, doc: $doc }),*];
    };
}

step_rules! {
    EXPECT = "scenario.expect", "An event that the scenario waits for comes, in time. The finding says which events came instead, and which of them was nearest.";
    EXPECT_NEXT = "scenario.expect_next", "The very next event is the one that the scenario names.";
    UNORDERED = "scenario.unordered", "Several events come in any order, each met by an event of its own.";
    EXPECT_NONE = "scenario.expect_none", "An event does not come before another one that proves the agent to be past that point, or before its output or a quiet window ends.";
    EXPECT_TEXT = "scenario.expect_text", "A text that comes in pieces is whole: what the model said arrives once, in order, and nothing of it is missing, doubled or changed.";
    EXPECT_REQUEST = "scenario.expect_request", "A request that the scenario waits for reaches the model.";
    EXPECT_MCP = "scenario.expect_mcp", "A message that the scenario waits for reaches an MCP server of the scenario, or the server is started in the way that the scenario names.";
    EXPECT_REPLY = "scenario.expect_reply", "An answer of the model ends in the way that the scenario names: whole, cut short, or with the agent hanging up.";
    EXPECT_EXIT = "scenario.expect_exit", "The process ends, in time and in the way that the scenario names.";
    EXPECT_FILE = "scenario.expect_file", "A file of the workspace comes to be as the scenario names it while the agent runs: what a tool does shows.";
    SEND = "scenario.send", "The agent is there to take what the scenario sends: it has not ended, and it reads its stdin.";
    FILES_AFTER = "scenario.files_after", "When the agent has gone, the files in its workspace are as the scenario says.";
    REQUEST = "scenario.request", "A request to the model holds what the model's script expects of it, such as the result of a tool call or the reason of a denial.";
    SCRIPT = "scenario.script", "The agent asks the model as often as the conversation needs it: a request that brings nothing beyond one that had its answer, with no reply left in the script, or a reply that was never asked for shows that the conversation went another way. A request that brings something new and that the script does not foresee is not a finding; the scenario is inconclusive.";
    NEVER_ASKED = "scenario.never_asked", "The agent answers a prompt by asking its model. In this scenario it answered and sent no request at all to the scripted model, so nothing that the scenario expects from there on could come: those findings follow from this one. The address of the model reaches the agent as `{llm_url}` in its arguments, its environment or its configuration, by the dialect's launch recipe; `conform run` shows the command line that it starts. By default the agent runs in a network namespace with the scripted model. A process that conform did not start, such as a daemon that does the work for the agent, is outside of it and cannot reach the model: `--network proxy` (or `allow`) plays without a namespace.";
    UNASKED = "scenario.unasked", "The agent does not ask its model where nothing asks for it: not again after the command that stopped the work, and not at all for a command that it must refuse. Only a request of the conversation counts, which brings results of tools, a text of the host or nothing new. Requests for a title or a summary, and whatever else the agent says in words of its own, are no finding.";
    UNFORESEEN = conform_report::verdict_rules::UNFORESEEN, "The agent asked its model for something that the scenario does not foresee, such as a title or a summary, and got a short default answer. That is allowed. But what the steps find after it may follow from that answer, so the scenario is inconclusive. An agent that has a setting for such requests is tested without them; another one has this cause in its baseline, and the scenario then passes by what could be judged.";
    CLIENT = "scenario.client", "What the client could not do for the agent, or did not let it do: a path that leads out of the workspace, a terminal that was not released, a choice with no option of the kind that the scenario takes. It is no fault of the agent; where the scenario cannot go on, it is inconclusive.";
    REFUSED = "scenario.refused", "The real API would refuse the request, so the scripted model did.";
    OUTPUT = "scenario.output", "The agent writes no endless output. It is killed when it goes far beyond what any scenario can need.";
}

/// The rules that expect nothing of a scenario in particular, so they hold where only rules judge.
pub(crate) const ALWAYS: &[&str] = &[REFUSED, OUTPUT];

/// Whether findings of this rule cite the clauses of the whole scenario, because no step states which ones the model's script checks.
#[must_use]
pub fn cites_the_scenario(rule: &str) -> bool {
    [REQUEST, SCRIPT, REFUSED, FILES_AFTER, UNASKED, NEVER_ASKED].contains(&rule)
}

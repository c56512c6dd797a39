//! The bugs that faults can give the agent. The hooks of the core, of the process and of the protocol adapters check for them.

/// Declares the bugs, each with its name in `faults.yaml`.
macro_rules! bugs {
    ($($bug:ident = $name:literal,)*) => {
        /// A bug, named for what the agent does wrong.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Bug {
            $($bug,)*
        }

        impl Bug {
            /// The names of all bugs, as `behavior:` in `faults.yaml` has them.
            pub(crate) const NAMES: &'static [&'static str] = &[$($name,)*];

            /// Its name, as `behavior:` in `faults.yaml` has it.
            pub(crate) const fn name(self) -> &'static str {
                match self {
                    $(Bug::$bug => $name,)*
                }
            }
        }
    };
}

bugs! {
    // start and end
    FatalExitsZero = "fatal-exits-zero",
    RejectsOldFlag = "rejects-old-flag",
    ReportsFailureFirst = "reports-failure-first",
    IgnoresEof = "ignores-eof",
    SpinsAfterEof = "spins-after-eof",
    HangsAtEofDuringApproval = "hangs-at-eof-during-approval",
    IgnoresSigterm = "ignores-sigterm",
    IgnoresSigtermInTool = "ignores-sigterm-in-tool",
    ExitsWithThree = "exits-with-three",
    PanicsAtEnd = "panics-at-end",
    ExitsAfterTurn = "exits-after-turn",
    OrphanHoldsStdout = "orphan-holds-stdout",
    ToolOutlivesAgent = "tool-outlives-agent",
    // approval
    NeverRequestsApproval = "never-requests-approval",
    RequestsApprovalInYolo = "requests-approval-in-yolo",
    RequestsApprovalInAutoEdit = "requests-approval-in-auto-edit",
    AutoEditAllowsAll = "auto-edit-allows-all",
    IgnoresMode = "ignores-mode",
    IgnoresAlways = "ignores-always",
    AlwaysIsForTool = "always-is-for-tool",
    AlwaysAllowsAll = "always-allows-all",
    OnceIsAlways = "once-is-always",
    RunsBeforeApproval = "runs-before-approval",
    LosesApproval = "loses-approval",
    RunsDenied = "runs-denied",
    DenialIsForAll = "denial-is-for-all",
    ApprovalIsForAll = "approval-is-for-all",
    LosesSecondCall = "loses-second-call",
    ForgetsMode = "forgets-mode",
    LosesReason = "loses-reason",
    EndsTurnOnDenial = "ends-turn-on-denial",
    OneRequestAtATime = "one-request-at-a-time",
    RepeatsCallIds = "repeats-call-ids",
    ModeForgetsAllowed = "mode-forgets-allowed",
    ModeForgetsTurns = "mode-forgets-turns",
    ModelForgetsAllowed = "model-forgets-allowed",
    DelaysMode = "delays-mode",
    KeepsYolo = "keeps-yolo",
    SpawnsUnapproved = "spawns-unapproved",
    RequestsApprovalForSpawn = "requests-approval-for-spawn",
    StartsTwice = "starts-twice",
    AnswersInOrder = "answers-in-order",
    CallIdsRestart = "call-ids-restart",
    // stop
    IgnoresStop = "ignores-stop",
    StopHasNoEnd = "stop-has-no-end",
    ExitHasNoEnd = "exit-has-no-end",
    StopKeepsRequest = "stop-keeps-request",
    StopKeepsTool = "stop-keeps-tool",
    StopKeepsChildren = "stop-keeps-children",
    StopRunsTools = "stop-runs-tools",
    StopCancelsNothing = "stop-cancels-nothing",
    ReportsStopAsFailure = "reports-stop-as-failure",
    StopLeavesBusy = "stop-leaves-busy",
    StopExits = "stop-exits",
    StopForgets = "stop-forgets",
    StopForgetsAllowed = "stop-forgets-allowed",
    StopResetsMode = "stop-resets-mode",
    StopsOnce = "stops-once",
    StopLeavesStreaming = "stop-leaves-streaming",
    IdleStopStopsNextTurn = "idle-stop-stops-next-turn",
    // turns
    SecondTurnStuck = "second-turn-stuck",
    DropsWhileBusy = "drops-while-busy",
    LosesInput = "loses-input",
    ModelLastsOneTurn = "model-lasts-one-turn",
    ModelChangeForgets = "model-change-forgets",
    RepeatsRefusedRequest = "repeats-refused-request",
    LosesFiles = "loses-files",
    ImagesArePng = "images-are-png",
    LosesHistory = "loses-history",
    LosesLaterHistory = "loses-later-history",
    ForgetsTurns = "forgets-turns",
    ForgetsFirstTurn = "forgets-first-turn",
    FollowUpForgets = "follow-up-forgets",
    DropsRepeatedPrompt = "drops-repeated-prompt",
    ForgetsOldResults = "forgets-old-results",
    ForgetsDenials = "forgets-denials",
    ForgetsFiles = "forgets-files",
    SystemPromptOnce = "system-prompt-once",
    MaxTokensOnce = "max-tokens-once",
    ToolsOnce = "tools-once",
    LosesToolResults = "loses-tool-results",
    CutsToolResults = "cuts-tool-results",
    UsageOfLastRequest = "usage-of-last-request",
    EmptyReplyStuck = "empty-reply-stuck",
    RequestsTitle = "requests-title",
    RequestsSummary = "requests-summary",
    RepeatsLastRequest = "repeats-last-request",
    // errors
    BadCommandExits = "bad-command-exits",
    BadCommandEndsTurn = "bad-command-ends-turn",
    TooManyBadCommandsExit = "too-many-bad-commands-exit",
    ProviderErrorExits = "provider-error-exits",
    ProviderErrorLeavesBusy = "provider-error-leaves-busy",
    ProviderErrorForgets = "provider-error-forgets",
    FailureResetsModel = "failure-resets-model",
    // input
    InvalidUtf8IsEof = "invalid-utf8-is-eof",
    CrLfIsBad = "cr-lf-is-bad",
    BlankLineIsBad = "blank-line-is-bad",
    EscapesAreKept = "escapes-are-kept",
    LongLineIsBad = "long-line-is-bad",
    LosesLastLine = "loses-last-line",
    LosesLastCommand = "loses-last-command",
    // sessions
    ReusesKnownId = "reuses-known-id",
    ResumesUnasked = "resumes-unasked",
    ResumesNothing = "resumes-nothing",
    ResumeForgets = "resume-forgets",
    LatestIsFirst = "latest-is-first",
    ResumedStaysUnsaved = "resumed-stays-unsaved",
    // tools
    ToolReadsStdin = "tool-reads-stdin",
    ToolRunsTwice = "tool-runs-twice",
    RunsToolsTwice = "runs-tools-twice",
    WriteAddsNewline = "write-adds-newline",
    WriteAppends = "write-appends",
    EditExpandsPatterns = "edit-expands-patterns",
    EditChangesNewlines = "edit-changes-newlines",
    // limits
    LimitTooLow = "limit-too-low",
    LimitIsExclusive = "limit-is-exclusive",
    NoLimit = "no-limit",
    LongLineExits = "long-line-exits",
    // commands
    IgnoresUnknownCommand = "ignores-unknown-command",
    AnswersUnknownCommand = "answers-unknown-command",
    IgnoresQueriesWhileBusy = "ignores-queries-while-busy",
    BusyEndsTurn = "busy-ends-turn",
    IgnoresQuit = "ignores-quit",
    IgnoresQuitInTurn = "ignores-quit-in-turn",
    AnswersQuit = "answers-quit",
    QuitDropsAnswers = "quit-drops-answers",
    AcceptsRelativePaths = "accepts-relative-paths",
    AcceptsDotDot = "accepts-dot-dot",
    IgnoresSetModel = "ignores-set-model",
    NewSessionKeepsConversation = "new-session-keeps-conversation",
    NewSessionKeepsId = "new-session-keeps-id",
    NewSessionExits = "new-session-exits",
    NewSessionKeepsStats = "new-session-keeps-stats",
    NewSessionResetsModel = "new-session-resets-model",
    NewSessionReportsOldId = "new-session-reports-old-id",
    CompactForgetsAll = "compact-forgets-all",
    CompactsNothing = "compacts-nothing",
    CompactHangs = "compact-hangs",
    FailedCompactForgets = "failed-compact-forgets",
    // sub-agents
    SubagentIdsRepeat = "subagent-ids-repeat",
    SubagentIdsFall = "subagent-ids-fall",
    EndsTurnAfterTools = "ends-turn-after-tools",
    // shell commands of the host
    ShellResultNotSent = "shell-result-not-sent",
    ShellResultReformatted = "shell-result-reformatted",
    ShellRunsElsewhere = "shell-runs-elsewhere",
    ShellKeepsChildren = "shell-keeps-children",
    ShellIgnoresStop = "shell-ignores-stop",
    ShellRunsTwice = "shell-runs-twice",
    KeepsWholeOutput = "keeps-whole-output",
    // queued prompts
    SteeringWaits = "steering-waits",
    SteeringTogether = "steering-together",
    FollowUpsEarly = "follow-ups-early",
    FollowUpsAfterTools = "follow-ups-after-tools",
    FollowUpsTogether = "follow-ups-together",
    QueuesShareMode = "queues-share-mode",
    QueueEndsWithStop = "queue-ends-with-stop",
    // thinking
    ThinkingLevelNotSent = "thinking-level-not-sent",
    // retries
    RetriesNever = "retries-never",
    RetryNotCancelled = "retry-not-cancelled",
    RetriesRefusals = "retries-refusals",
    RetryStartsOver = "retry-starts-over",
    RetryDoublesPrompt = "retry-doubles-prompt",
    // saved sessions that the host opens
    ForkKeepsAll = "fork-keeps-all",
    CloneIsEmpty = "clone-is-empty",
    SwitchLoadsNothing = "switch-loads-nothing",
    ExportsNothing = "exports-nothing",
    ModelForOneRun = "model-for-one-run",
    // extensions
    NoticesAwaitAnswer = "notices-await-answer",
    DialogsNeverTimeOut = "dialogs-never-time-out",
    AnswerGoesToFirstDialog = "answer-goes-to-first-dialog",
    ShutdownForgotten = "shutdown-forgotten",
    // compaction
    CompactionLosesSummary = "compaction-loses-summary",
    CompactionKeepsHistory = "compaction-keeps-history",
    CompactsNever = "compacts-never",
    CompactsEarly = "compacts-early",
}

//! What a fault is.

use super::wire::Death;
use crate::config::options::Options;
use serde_json::Value;

/// One deliberate defect.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// Its id, for `--fault`.
    pub id: &'static str,
    /// What goes wrong, in one line.
    pub summary: &'static str,
    /// What must catch it: ids of rules without their dialect (`turn-envelope`, `schema/ready`), or scenarios one of whose
    /// steps must fail (`scenario:stop/while-streaming`); each of them is enough. Empty for what is legal on the wire and only
    /// there to try hosts with.
    pub caught_by: &'static [&'static str],
    /// Where what catches it stands.
    pub shows: Shows,
    pub(crate) moment: Moment,
    pub(crate) play: Play,
}

/// Where in a session a fault shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// At the very line that it has spoilt.
    There,
    /// There, or later: something is missing or late, or what it did has consequences.
    Later,
}

/// From when on a fault is played, where the user does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    /// From the start of the process.
    Start,
    /// From the start of the first turn.
    FirstTurn,
}

/// Where a fault is played.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Play {
    /// On frames on their way out.
    Frames(Frames),
    /// At the core's hooks.
    Bug(Bug),
    /// On the options, before they are looked at.
    Options(fn(&mut Options)),
    /// On every command, before it is looked at.
    Command(fn(&mut Value)),
}

/// Which frames, and what happens to them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frames {
    /// The type; any frame if empty.
    pub(super) on: &'static str,
    /// What must stand where in the frame: JSON Pointer and value, written as text; [`ABSENT`] for nothing.
    pub(super) when: &'static [(&'static str, &'static str)],
    /// Whether to every such frame, or to the first only.
    pub(super) every: bool,
    pub(super) op: Op,
}

/// What happens to a frame. Frames to add are JSON; a text `$/pointer` in them stands for that part of the frame at hand.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Op {
    /// It is lost.
    Drop,
    /// It comes twice.
    Twice,
    /// A member has another value (JSON).
    Set(&'static str, &'static str),
    /// A member is missing.
    Remove(&'static str),
    /// A member has another value (JSON) in every object, at any depth, that has this member with this text.
    SetIn((&'static str, &'static str), &'static str, &'static str),
    /// A member is missing from every object, at any depth, that has this member with this text.
    RemoveIn((&'static str, &'static str), &'static str),
    /// It is changed.
    Change(fn(&mut Value)),
    /// Another frame comes before it.
    Before(&'static str),
    /// Another frame comes behind it.
    After(&'static str),
    /// Other frames come behind it.
    Behind(&'static [&'static str]),
    /// Another frame comes so many milliseconds behind it.
    AfterWhile(u64, &'static str),
    /// Raw bytes come before it.
    RawBefore(&'static [u8]),
    /// Raw bytes come behind it.
    RawAfter(&'static [u8]),
    /// Its line, with the newline, is changed.
    Line(fn(&mut Vec<u8>)),
    /// It comes behind the next frame of this type; behind the very next if empty.
    Late(&'static str),
    /// It comes right before the next frame of this type.
    Until(&'static str),
    /// The process ends before it, with this status.
    Exit(i32),
    /// The process is killed before it, by this signal.
    Kill(Death),
    /// Half of its line comes, and then the process ends.
    HalfAndExit(i32),
    /// Neither it nor anything after it comes.
    Silence,
    /// It comes after so many milliseconds.
    Delay(u64),
    /// Its bytes come one by one, in writes of their own.
    Trickle,
    /// A text is added to every such frame's text: all that came before it in the turn.
    Cumulate(&'static str),
}

/// In the place of a value: that there is none.
pub(crate) const ABSENT: &str = "<absent>";

/// How the core goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bug {
    // start and end
    FatalExitsZero,
    FlagGone,
    ComplainsFirst,
    DeafToEof,
    SpinsAfterEof,
    HangsAtEofWhileAsking,
    DeafToSigterm,
    DeafToSigtermInTool,
    ExitsWithThree,
    PanicsAtEnd,
    ExitsAfterTurn,
    OrphanHoldsStdout,
    ToolOutlivesAgent,
    // approval
    NeverAsks,
    AsksInYolo,
    AsksInAutoEdit,
    AutoEditAllowsAll,
    IgnoresMode,
    IgnoresAlways,
    AlwaysIsForTool,
    AlwaysAllowsAll,
    OnceIsAlways,
    RunsBeforeAnswer,
    LosesApproval,
    RunsDenied,
    DenialIsForAll,
    ApprovalIsForAll,
    LosesSecondCall,
    ForgetsMode,
    LosesReason,
    EndsTurnOnDenial,
    OneRequestAtATime,
    RepeatsCallIds,
    ModeForgetsAllowed,
    ModeForgetsTurns,
    ModelForgetsAllowed,
    ModeWaits,
    YoloStays,
    SpawnsUnasked,
    AsksForSpawn,
    StartsTwice,
    AnswersInOrder,
    CallIdsBeginAgain,
    // stop
    IgnoresStop,
    StopHasNoEnd,
    ExitHasNoEnd,
    StopKeepsRequest,
    StopKeepsTool,
    StopKeepsChildren,
    StopRunsTools,
    StopCancelsNothing,
    StopIsError,
    StopLeavesBusy,
    StopExits,
    StopForgets,
    StopForgetsAllowed,
    StopResetsMode,
    StopsOnce,
    StopLeavesStreaming,
    IdleStopPoisons,
    // turns
    SecondTurnStuck,
    DropsWhileBusy,
    LosesInput,
    ModelLastsOneTurn,
    ModelChangeForgets,
    AsksRefusedAgain,
    LosesFiles,
    ImagesArePng,
    LosesHistory,
    LosesLaterHistory,
    ForgetsTurns,
    ForgetsFirstTurn,
    FollowUpForgets,
    SaysTheSameOnce,
    ForgetsOldResults,
    ForgetsDenials,
    ForgetsFiles,
    SystemPromptOnce,
    MaxTokensOnce,
    ToolsOnce,
    LosesToolResults,
    CutsToolResults,
    UsageOfLastRequest,
    EmptyReplyStuck,
    AsksForTitle,
    AsksForSummary,
    AsksTwice,
    // errors
    BadCommandExits,
    BadCommandEndsTurn,
    BadCommandsAddUp,
    ProviderErrorExits,
    ProviderErrorLeavesBusy,
    ProviderErrorForgets,
    FailureResetsModel,
    // input
    InvalidUtf8IsEof,
    CrLfIsBad,
    BlankLineIsBad,
    EscapesAreKept,
    LongLineIsBad,
    LosesLastLine,
    LosesLastCommand,
    // sessions
    TakesKnownId,
    ResumesUnasked,
    ResumesNothing,
    ResumeForgets,
    LatestIsFirst,
    ResumedStaysUnsaved,
    // tools
    ToolReadsStdin,
    ToolRunsTwice,
    RunsToolsTwice,
    WriteAddsNewline,
    WriteAppends,
    EditExpands,
    EditEndsLines,
    // limits
    LimitTooLow,
    LimitExcludesItself,
    NoLimit,
    OversizeExits,
    // commands
    IgnoresUnknownCommand,
    AnswersUnknownCommand,
    DeafWhileBusy,
    BusyEndsTurn,
    DeafToQuit,
    DeafToQuitInTurn,
    AnswersQuit,
    QuitDropsAnswers,
    TakesRelativePaths,
    TakesDotDot,
    SetsNoModel,
    RenewsNothing,
    RenewsNoId,
    RenewExits,
    RenewsNoStats,
    RenewResetsModel,
    RenewsOldId,
    CompactForgetsAll,
    CompactsNothing,
    CompactHangs,
    FailedCompactForgets,
    // sub-agents
    HelperIdsRepeat,
    HelperIdsFall,
    EndsTurnAfterTools,
    // shell commands of the host's
    ShellStaysUntold,
    ShellToldOtherwise,
    ShellRunsElsewhere,
    ShellKeepsChildren,
    ShellIgnoresStop,
    ShellRunsTwice,
    // what is queued
    SteersWait,
    SteersTogether,
    FollowsEarly,
    FollowsAfterTools,
    FollowsTogether,
    ModesAreOne,
    QueueEndsWithStop,
    // thinking
    LevelStaysUntold,
    // retries
    RetriesNever,
    RetryWaitsOn,
    RetriesRefusals,
    RetryStartsOver,
    RetryDoublesPrompt,
    // sessions of the host's choice
    ForkKeepsAll,
    CloneIsEmpty,
    SwitchLoadsNothing,
    ExportsNothing,
    ModelForOneRun,
    // extensions
    NoticesWait,
    DialogsWaitOn,
    AnswersTheFirst,
    ShutdownForgotten,
    // compaction
    CompactionLosesSummary,
    CompactionKeepsHistory,
    CompactsNever,
    CompactsEarly,
}

impl Op {
    const fn shows(self) -> Shows {
        match self {
            Op::Twice
            | Op::Set(..)
            | Op::Remove(_)
            | Op::SetIn(..)
            | Op::RemoveIn(..)
            | Op::Before(_)
            | Op::After(_)
            | Op::AfterWhile(..)
            | Op::RawBefore(_)
            | Op::RawAfter(_)
            | Op::Line(_)
            | Op::Cumulate(_) => Shows::There,
            Op::Drop
            | Op::Change(_)
            | Op::Behind(_)
            | Op::Late(_)
            | Op::Until(_)
            | Op::Exit(_)
            | Op::Kill(_)
            | Op::HalfAndExit(_)
            | Op::Silence
            | Op::Delay(_)
            | Op::Trickle => Shows::Later,
        }
    }
}

/// A fault on frames.
pub(crate) const fn frame(
    id: &'static str,
    summary: &'static str,
    on: &'static str,
    op: Op,
) -> Fault {
    Fault {
        id,
        summary,
        caught_by: &[],
        shows: op.shows(),
        moment: Moment::FirstTurn,
        play: Play::Frames(Frames {
            on,
            when: &[],
            every: false,
            op,
        }),
    }
}

/// A fault at the core's hooks.
pub(crate) const fn bug(id: &'static str, summary: &'static str, bug: Bug) -> Fault {
    Fault {
        id,
        summary,
        caught_by: &[],
        shows: Shows::Later,
        moment: Moment::FirstTurn,
        play: Play::Bug(bug),
    }
}

/// A fault at the start: of the options, or of a hook.
pub(crate) const fn start(id: &'static str, summary: &'static str, play: Play) -> Fault {
    Fault {
        id,
        summary,
        caught_by: &[],
        shows: Shows::Later,
        moment: Moment::Start,
        play,
    }
}

/// Several lists as one; `N` is the number of all their items.
pub(crate) const fn joined<const N: usize>(lists: &[&[&'static str]]) -> [&'static str; N] {
    let mut all = [""; N];
    let (mut n, mut list) = (0, 0);
    while list < lists.len() {
        let mut item = 0;
        while item < lists[list].len() {
            all[n] = lists[list][item];
            n += 1;
            item += 1;
        }
        list += 1;
    }
    assert!(n == N, "every place is filled");
    all
}

impl Fault {
    /// The kind of its operation, such as `Drop` or `Twice` for frames, or the place where it is played, such as `Bug`.
    #[must_use]
    pub fn operation(&self) -> String {
        let written = match self.play {
            Play::Frames(frames) => format!("{:?}", frames.op),
            other => format!("{other:?}"),
        };
        let end = written.find('(').unwrap_or(written.len());
        written[..end].to_owned()
    }

    /// The type of the frames that it is played on; none if that is not one.
    pub(crate) fn frame(&self) -> Option<&'static str> {
        match self.play {
            Play::Frames(frames) if !frames.on.is_empty() => Some(frames.on),
            _ => None,
        }
    }

    /// The same, on frames with these members only.
    pub(crate) const fn when(self, when: &'static [(&'static str, &'static str)]) -> Self {
        match self.play {
            Play::Frames(frames) => Fault {
                play: Play::Frames(Frames { when, ..frames }),
                ..self
            },
            _ => self,
        }
    }

    /// The same, on every such frame.
    pub(crate) const fn every(self) -> Self {
        match self.play {
            Play::Frames(frames) => Fault {
                play: Play::Frames(Frames {
                    every: true,
                    ..frames
                }),
                ..self
            },
            _ => self,
        }
    }

    /// The same, from the start of the process.
    pub(crate) const fn at_start(self) -> Self {
        Fault {
            moment: Moment::Start,
            ..self
        }
    }

    /// The same, where only a later frame shows that the line was wrong.
    pub(crate) const fn later(self) -> Self {
        Fault {
            shows: Shows::Later,
            ..self
        }
    }

    /// The same, with what must catch it.
    pub(crate) const fn caught_by(self, caught_by: &'static [&'static str]) -> Self {
        Fault { caught_by, ..self }
    }
}

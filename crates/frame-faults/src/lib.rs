//! Faults of JSON Lines agents as data: the format of `faults.yaml`, and the engine that plays them on frames.
//!
//! A fault is a deliberate defect. It shows that a check can fail: the fault states what goes wrong, how that is played on frames, and
//! which rule or scenario must catch it. The package knows no agent and no judge. Any process between an agent and its
//! host can play a fault: the reference agent plays it on its own frames, a filter process on those of any agent.
//!
//! A legal variant is what an agent may do differently, in the same form: it shows that no check forbids what the specification allows.
//!
//! # Load
//!
//! [`FaultTable::load`] reads the `faults.yaml` of a dialect's bases and its own, merges them, and reports every mistake with its
//! place. [`FaultTable::check`] compares the names in it with those of the dialect. [`FaultsFile`](file::FaultsFile) is the format;
//! `line-faults.yaml` has the faults that every line protocol can have, which a dialect uses with `common: ID`.
//!
//! # Play
//!
//! A [`FaultPlayer`] plays one fault in one session:
//!
//! ```
//! use frame_faults::{FaultPlayer, FaultTable, KindPointers, NestedKinds, Output};
//!
//! let file = "faults:\n  no-end: { summary: a turn has no end, on: end, drop: , caught_by: [turn-ends] }\n";
//! let table = FaultTable::load(&[("faults.yaml".into(), file.into())], NestedKinds::new()).expect("no mistake");
//! let fault = table.find("no-end").expect("there").clone();
//! let kinds = KindPointers { events: "/type".into(), commands: "/type".into() };
//! let mut player = FaultPlayer::new(fault, kinds, None);
//!
//! player.start_turn();
//! let word = b"{\"type\":\"word\"}\n";
//! assert_eq!(player.event_line(word), [Output::Bytes(word.to_vec())]);
//! assert_eq!(player.event_line(b"{\"type\":\"end\"}\n"), []);
//! assert_eq!(player.take_log_entry().as_deref(), Some("fault no-end played at line 2"));
//! ```
//!
//! - A fault is active from the start of the process, or from a turn on. Only the caller knows when a turn begins: it calls
//!   [`start_turn`](FaultPlayer::start_turn) before the frame that begins one.
//! - A [`LineSplitter`] makes lines of a stream. Each line of the agent goes through [`event_line`](FaultPlayer::event_line), each line of the host through
//!   [`command_line`](FaultPlayer::command_line). The caller does what the [`Output`]s say, in order.
//! - After each call, [`take_log_entry`](FaultPlayer::take_log_entry) goes to stderr, before the outputs: it names the first line of
//!   the output that can be wrong. [`parse_entry`] reads it back.
//! - [`generic_faults`] makes faults of any agent from the frames that it sends. At the end of the output, [`end`](FaultPlayer::end)
//!   releases the frames that come last.
//! - [`Fault::is_playable_outside`] distinguishes faults on frames from behaviors of the reference agent.

mod check;
mod common;
mod compile;
mod edit;
mod fault;
mod fault_log;
pub mod file;
mod generic;
mod line;
mod line_splitter;
mod only_entry;
mod open_calls;
mod operation;
mod player;
mod references;
mod selector;
mod table;

pub use check::{KnownNames, names_scenario};
pub use common::{LINE_FAULTS, common_names};
pub use edit::{Edit, Edits};
pub use fault::{Effect, EventFault, Fault, Legal};
pub use fault_log::{entry, parse_entry, parse_held};
pub use file::{ActiveFrom, ShownAt};
pub use generic::{SampleFrames, generic_fault, generic_faults};
pub use line::{line, raw_line};
pub use line_splitter::LineSplitter;
pub use open_calls::{FrameNamer, FrameNaming};
pub use operation::{END, KillSignal, Operation, Spelling};
pub use player::{FaultPlayer, KindPointers, Output, Received};
pub use selector::{FrameSelector, NestedKinds};
pub use table::FaultTable;

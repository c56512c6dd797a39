//! A conformance test harness for the JSON Lines protocols that AI agents speak with their hosts. This page is the architecture.
//!
//! ```text
//!  scenarios/*.yaml ── scenario ──► Scenario ──┐                 schemas/<dialect>/ ── dialect ──► Dialect
//!                                              ▼                                                     │
//!  mock-provider ◄── HTTP, SSE ── the agent ◄── runner ── Frame ──┬──► check::Checker ◄── rules, schema
//!   (the model, scripted)     a child process    steps, budgets   │      pure: frames in, findings out
//!   journal of requests ───────────────────────► step findings ───┤          │
//!                                                                 ▼          ▼
//!  conform check t.jsonl ── transcript ── Frame ──► the same   transcript  verdict_rules ─► ReportBuilder ─► Report ─► reporter
//!                                                   Checker     .jsonl     verdicts                  data      one a format
//! ```
//!
//! # Words
//!
//! A *dialect* is one protocol at one version, such as `NAME@VERSION`. A [frame](frame::Frame) is one line as it crossed the pipe, or
//! another thing that happened; an *event* comes from the agent, a *command* goes to it. A *clause* is one normative statement of a
//! protocol's page, with a stable id; a *rule* is an executable check of clauses. A *scenario* is a scripted conversation. A
//! [finding](finding::Finding) is one violation with its evidence, a [verdict](verdict::Verdict) what a scenario came to. A *fault* is
//! a deliberate defect of the reference agent, which shows that a rule can fail.
//!
//! # Invariants
//!
//! `tests/architecture.rs` and the property tests hold them.
//!
//! - **The judge is pure.** [`check`], [`rules`], [`schema`] and [`reporter`] read no clock, environment or file, so a finding depends on
//!   the history alone: a session gives the same findings while it runs and when its transcript is read again.
//! - **Async stays at the edge.** Only [`runner`], [`detect`], [`cli`] and the package `mock-provider` name tokio.
//! - **Oracle and subject share only [`frame`].** [`agent`] never imports what judges it, and the schemas of protocols are written by
//!   hand from the page, never generated from the agent's types: else both would share one bug.
//! - **A dialect is data.** Its name stands in `schemas/`, in `scenarios/` and in its adapter in [`agent`], and nowhere else.
//! - **Reporters compute nothing.** A report says all that is to be said; a format only renders it.
//! - **A prefix's findings are a prefix of the findings.** Only the end of a session may add some.
//! - **Transcripts are byte-exact.** Reading what was written is the identity, for any bytes.
//!
//! # Where to add what
//!
//! | to add | look at |
//! |---|---|
//! | a rule | `schemas/<dialect>/<version>/ordering.yaml`, in the language of `docs/rules.md` |
//! | a clause | `clauses.yaml` beside it; ids are append-only |
//! | a scenario | `scenarios/<dialect>/<version>/`, in the language of `docs/scenarios.md` |
//! | a version of a dialect | a folder with `extends: NAME@VERSION` and what changed |
//! | a dialect | a folder under `schemas/`, and an adapter in [`agent`] if the reference agent is to speak it |
//! | a form of rule | a file in [`rules`], and its variant in [`rules::rule::Form`] |
//! | a format of reports | a file in [`reporter`] and a line in [`reporter::FORMATS`] |
//! | a defect of the wire | [`framing::Defect`] |
//! | a command | a file in [`cli`] |
//! | a wire of the model | a file in `mock-provider/src/wire/` |

pub mod baseline;
pub mod check;
pub mod cli;
pub mod detect;
pub mod dialect;
pub mod duration;
pub mod editor_schemas;
pub mod finding;
pub mod frame;
pub mod framing;
pub mod matcher;
pub mod mutation;
pub mod profile;
pub mod report;
pub mod reporter;
pub mod rules;
pub mod runner;
pub mod scenario;
pub mod schema;
mod signals;
pub mod transcript;

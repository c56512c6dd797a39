//! The tools for hosts as processes: the reference agent under a host, its control and its judge, and the recorder.

mod clock;
mod control;
mod host_judge;
mod hostile_hosts;
mod outstanding;
mod record;
mod recorded_requests;
#[path = "../common/recordings.rs"]
mod recordings;
mod refused_starts;
mod rust_client;
mod spawned_by_hosts;

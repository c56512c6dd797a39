//! Mutation analysis: proof that a passing run is meaningful. The kill matrix lists each fault of the reference agent and of bad hosts
//! with the rule or the scenario that caught it. Clause coverage lists what checks each clause, and which faults prove those checks. Pure.

pub mod bad_hosts;
pub mod coverage;
pub mod fault_trace;
pub mod frame_names;
pub mod kill_analysis;
pub mod matrix;

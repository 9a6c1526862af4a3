//! What attempts leave behind: result files that are found, gathered, merged and written.

pub(super) mod artifact_files;
pub(super) mod earlier_results;
pub(super) mod ended_attempt;
pub(super) mod finish;
pub(super) mod merge_files;
pub(super) mod pack_files;
pub(super) mod repeat_files;
pub mod results_files;
pub mod results_of_attempt;

//! What shards produce: result files, metrics and values for each episode.

pub mod episode_list;
pub mod episode_values;
pub mod metric_spec;
pub mod rate_evidence;
pub mod result_file;
pub mod results_spec;

//! Counts of work: bars, episodes, counts in words, and the values printed with them.

pub mod bar;
pub mod bar_pace;
pub mod bar_tail;
pub mod bar_values;
pub mod bars_beside;
pub mod count_level;
pub mod count_levels;
pub mod count_remark;
pub mod count_suffix;
pub mod count_units;
pub mod episode_tally;
pub mod episode_values;
pub mod item_state;
pub mod mean;
pub mod metric_values;
pub mod metrics;
pub mod open_bar;
pub mod outer_count;
pub mod parts;
pub mod preparation;
pub mod printed;
pub mod rate;
pub mod rhythm;
pub mod steps_beside;
pub mod text_count;
pub mod trainer_bar;

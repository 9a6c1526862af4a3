//! The background scheduler of one run: takes events, decides, records, acts.
//!
//! `lifetime` starts it, keeps it alive and holds its loop. `attempts` carries each attempt from launch to judged end;
//! `logs` and `measurements` follow its progress, `results` its files. `turns` collects events for a
//! decision, `record` writes its facts, `deeds` carries it out.

pub mod error;

mod attempts;
mod control;
mod deeds;
mod disk_forecast;
mod growth;
mod heard;
pub mod hooks;
pub mod lifetime;
mod logs;
pub mod measurements;
mod nodes;
mod own_needs;
mod ready;
mod record;
pub mod results;
mod services;
mod teaching;
mod turns;
mod unanswered;
mod waiting;
mod wall_clock;
mod write_troubles;

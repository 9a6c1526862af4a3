//! The background scheduler of one run: takes events, decides, records, acts.
//!
//! `lifetime` starts it, keeps it alive and holds its loop. `attempts` carries each attempt from launch to judged end;
//! `logs` and `measurements` follow its progress, `results` its files. `event_loop` collects events for a
//! decision, `commands` checks what users ask, `record` writes the facts, `effects` and `executor` carry them out.

pub mod error;

mod attempts;
mod commands;
mod control;
mod disk_forecast;
mod effects;
mod event;
mod event_batch;
mod event_loop;
mod executor;
mod growth;
mod history;
pub mod hooks;
pub mod lifetime;
mod logs;
pub mod measurements;
mod nodes;
mod own_needs;
mod pending_ends;
mod ready;
mod record;
pub mod results;
mod services;
mod waiting;
mod wall_clock;
mod write_troubles;

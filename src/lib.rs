//! `sweepdeck` launches sweeps of robot-policy evaluations in parallel pseudo-terminals and shows them on one
//! dashboard. A run is a directory; three kinds of process (supervisor, holder, screen) share only that.
//!
//! The folders are layered in floors, and imports go down only; `tests/architecture.rs` holds the table:
//!
//! ```text
//! 4  cli
//! 3  supervisor  session  tui  preflight  autotune
//! 2  config scheduler progress results demo | rundir socket tail telemetry process engine web mcp
//! 1  model
//! ```

pub mod model;

pub mod config;
pub mod demo;
pub mod mcp;
pub mod progress;
pub mod results;
pub mod scheduler;

pub mod process;
pub mod rundir;
pub mod socket;
pub mod tail;
pub mod telemetry;
pub mod web;

pub mod engine;

pub mod autotune;
pub mod preflight;
pub mod session;
pub mod supervisor;
pub mod tui;

pub mod cli;

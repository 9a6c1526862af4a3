//! The command line: one file per verb, each joining what the other folders do.

pub mod args;
pub mod dispatch;
pub mod error;
pub mod exit_code;
pub mod output;
pub mod screen_args;
pub mod settings;
pub mod settings_file;

pub mod column_keeper;
pub mod control;
pub mod fit;
pub mod git;
pub mod glance;
mod glances;
pub mod launch;
pub mod recall;
pub mod sweep;
pub mod target;
pub mod target_args;
pub mod theme_keeper;
pub mod trial_runs;
pub mod watch;
pub mod wishes;

pub mod act;
pub mod act_args;
pub mod add;
pub mod adopt;
pub mod adopt_args;
mod adopt_names;
mod adopt_work;
mod announced;
pub mod attach;
pub mod autotune;
pub mod browse;
pub mod call_hook;
pub mod check;
mod check_services;
pub mod compare;
pub mod compare_args;
pub mod completions;
pub mod demo;
pub mod demo_sweep;
pub mod home;
pub mod keys;
pub mod launcher;
pub mod live_readings;
pub mod logs;
pub mod ls;
pub mod monitor;
pub mod monitor_args;
pub mod open;
mod record_machine;
pub mod replay;
pub mod report;
pub mod run;
pub mod scan;
pub mod scan_args;
pub mod scan_plan;
pub mod scan_table;
pub mod status;
pub mod wait;

pub mod dashboard;
pub mod gpu_look;
mod headless;

pub mod detach_key;
pub mod enter;
pub mod paper;
pub mod raw_mode;

pub mod container_client;
pub mod demo_args;
pub mod demo_results;
pub mod demo_worker;
pub mod hold;
pub mod screenshot;
pub mod supervise;
pub mod watch_log;

#[cfg(test)]
mod faces_tests;

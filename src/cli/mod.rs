//! The command line: one file per verb, each joining what the other folders do, in rooms by what they are for.

pub mod addressing;
pub mod adoption;
pub mod args;
pub mod assistants;
pub mod browsing;
pub mod completion;
pub mod demonstration;
pub mod diagnosis;
pub mod dispatch;
pub mod error;
pub mod exit_code;
pub mod feeds;
pub mod gpu_survey;
pub mod guidance;
pub mod internal;
pub mod manual;
pub mod output;
pub mod overview;
pub mod results;
pub mod run;
pub mod scanning;
pub mod screens;
pub mod service;
pub mod settings;
pub mod settings_file;
pub mod start;
pub mod terminals;
pub mod tuning;
pub mod verbs;
pub mod visible_command;

#[cfg(test)]
mod faces_tests;

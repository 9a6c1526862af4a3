//! The real program from outside: real processes, real terminals, real files, and nothing but the contract.

#[path = "../fake_clock/mod.rs"]
mod fake_clock;
#[path = "../fake_nvml/mod.rs"]
mod fake_nvml;
mod harness;

mod admission;
mod answers;
mod autotune;
mod axes;
mod bounds;
mod by_combo;
mod clock;
mod compare;
mod compiling;
mod cores;
mod crash;
mod damage;
mod dashboard;
mod demo;
mod disk;
mod elsewhere;
mod entering;
mod gpu_choice;
mod gpus;
mod headline;
mod home;
mod hooks;
mod hostile;
mod learning;
mod links;
mod logs;
mod merging;
mod monitor;
mod mujoco;
mod newcomer;
mod oom;
mod own_commands;
mod packs;
mod passing;
mod private;
mod progress_file;
mod queueing;
mod read_only;
mod reasons;
mod replay;
mod report;
mod result_files;
mod settings;
mod small_things;
mod ssh;
mod steering;
mod templates;
mod tree;
mod verbs;
mod ways_out;

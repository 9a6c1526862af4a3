//! The real program from outside: real processes, real terminals, real files, and nothing but the contract.

mod harness;

mod crash;
mod dashboard;
mod demo;
mod entering;
mod logs;
mod mujoco;
mod read_only;
mod reasons;
mod ssh;
mod steering;
mod templates;
mod tree;
mod verbs;

//! The real program from outside: real processes, real terminals, real files, and nothing but the contract.

mod harness;

mod crash;
mod dashboard;
mod demo;
mod entering;
mod logs;
mod reasons;
mod steering;
mod templates;
mod tree;
mod verbs;

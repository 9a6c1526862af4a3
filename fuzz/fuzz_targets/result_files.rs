//! Result files.

#![no_main]

#[path = "../../tests/hostile_logs/result_files.rs"]
mod result_files;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| result_files::read(bytes));

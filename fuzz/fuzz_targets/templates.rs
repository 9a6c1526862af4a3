//! Templates of commands.

#![no_main]

#[path = "../../tests/hostile_logs/records.rs"]
#[allow(dead_code, reason = "each target reads one kind")]
mod records;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| records::read_template(bytes));

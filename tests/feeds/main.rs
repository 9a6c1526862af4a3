//! What other programs are given: numbers, pages and files, read by plain sockets and by the real readers where they are
//! installed.

#[path = "../fake_clock/mod.rs"]
mod fake_clock;
#[path = "../fake_nvml/mod.rs"]
mod fake_nvml;
#[allow(dead_code, unused_imports, reason = "each test binary uses its part")]
#[path = "../end_to_end/harness/mod.rs"]
mod harness;

mod assistants;
mod chromium;
mod exports;
mod http;
mod metrics;
mod recipes;
mod serve;
mod tools;

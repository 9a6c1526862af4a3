//! How long the report of a long run takes, how large it is, and how much memory it needs.

#![allow(clippy::print_stdout, reason = "a measurement is printed")]

#[path = "../tests/long_run/mod.rs"]
mod long_run;
#[path = "../tests/scene/mod.rs"]
mod scene;

use std::fs;
use std::time::Instant;

use sweepdeck::model::sweep::plan::Plan;
use sweepdeck::results::merge::merging::Gaps;
use sweepdeck::rundir::machine_wide::discover;
use sweepdeck::rundir::{proven_state, records};
use sweepdeck::supervisor::results::results_files;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let size = long_run::Size { shards: 1_000, slots: 8, seconds: 12 * 3_600 };
    let run = long_run::write(folder.path(), size);
    let before = peak_memory();
    let begun = Instant::now();
    let plan: Plan = records::read_record(&run.plan_json()).expect("a plan");
    let state = proven_state::fold_journal(&run).expect("a journal");
    let info = discover::read_info(&run).expect("a run");
    results_files::write(&run, &info, &plan, &state, Gaps::Refused).expect("results");
    let took = begun.elapsed();
    let page = fs::metadata(run.results_folder().join("report.html").full_path()).expect("a page").len();
    println!(
        "report of 1,000 shards and 12 h of telemetry at 1 Hz: {took:.2?} (budget 5 s), page {:.2} MB (budget 5 MB), \
         peak memory {} before, {} after",
        page as f64 / 1e6,
        before,
        peak_memory()
    );
}

/// The most memory this process has held so far, as the kernel says.
fn peak_memory() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.map_or_else(|| "unknown".to_owned(), |line| line.trim().to_owned())
}

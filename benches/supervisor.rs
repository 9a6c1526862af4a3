//! What the supervisor adds: the time from the end of a shard to the start of the next in its slot, and the processor time it
//! takes while 64 shards idle.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use std::{fs, thread};

use jiff::Timestamp;
use sweepdeck::model::attempt::ExitRecord;
use sweepdeck::model::state::run_info::SupervisorInfo;
use sweepdeck::rundir::beneath::PathBeneath;
use sweepdeck::rundir::layout::RunDir;
use sweepdeck::rundir::records;

/// Shards that follow one another.
const SHARDS: usize = 200;
/// Milliseconds from the end of one to the start of the next: the design's budget.
const BUDGET_MS: f64 = 50.0;

/// Shards that idle, for how long, and what the supervisor may take of a core meanwhile, in percent.
const IDLE: usize = 64;
const IDLE_FOR: Duration = Duration::from_secs(60);
const IDLE_BUDGET: f64 = 0.3;

fn main() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    turnaround(&folder.path().join("turnaround"));
    idle(&folder.path().join("idle"));
}

fn turnaround(folder: &Path) {
    let mut run = run(folder, SHARDS, 1, r#"["echo", "done"]"#);
    assert!(run.status().expect("sweepdeck starts").success(), "every shard succeeds");
    let mut times: Vec<(Timestamp, Timestamp)> = (0..SHARDS)
        .map(|shard| {
            let exit = PathBeneath::of_file(folder.join(format!("run/shards/{shard}/attempt-01/exit.json")));
            let exit: ExitRecord = records::read_record(&exit).expect("every shard has an exit record");
            (exit.started.expect("it was started"), exit.ended)
        })
        .collect();
    times.sort();
    let gap = |pair: &[(Timestamp, Timestamp)]| pair[1].0.duration_since(pair[0].1).as_secs_f64() * 1e3;
    let mut gaps: Vec<f64> = times.windows(2).map(gap).collect();
    gaps.sort_by(f64::total_cmp);
    println!(
        "end of a shard to start of the next: {:.1} ms in the middle, {:.1} ms at most of 95 %, {:.1} ms at most (budget \
         {BUDGET_MS} ms)",
        gaps[gaps.len() / 2],
        gaps[gaps.len() * 95 / 100],
        gaps[gaps.len() - 1]
    );
}

fn idle(folder: &Path) {
    let mut run = run(folder, IDLE, IDLE, r#"["sleep", "1000"]"#).spawn().expect("sweepdeck starts");
    let started = |shard: &usize| folder.join(format!("run/shards/{shard}/attempt-01/started.json")).exists();
    let deadline = Instant::now() + Duration::from_secs(60);
    while (0..IDLE).filter(started).count() < IDLE {
        assert!(Instant::now() < deadline, "not all of them have started");
        thread::sleep(Duration::from_millis(20));
    }
    // The first seconds belong to the start.
    thread::sleep(Duration::from_secs(5));
    let info: SupervisorInfo = records::read_record(&RunDir::at(folder.join("run")).supervisor_json())
        .expect("the supervisor lives");
    let before = ticks(info.process.pid);
    thread::sleep(IDLE_FOR);
    let used = ticks(info.process.pid) - before;
    let percent =
        100.0 * used as f64 / rustix::param::clock_ticks_per_second() as f64 / IDLE_FOR.as_secs_f64();
    println!("supervisor with {IDLE} idle shards: {percent:.2} % of a core (budget {IDLE_BUDGET} %)");
    let stopped = sweepdeck(folder).args(["stop", "--now"]).arg(folder.join("run")).status();
    assert!(stopped.is_ok_and(|status| status.success()), "the run can be stopped");
    let _ = run.wait();
}

/// A run of so many shards with this command, so many side by side.
fn run(folder: &Path, shards: usize, parallel: usize, command: &str) -> Command {
    fs::create_dir(folder).expect("the folder can be made");
    let numbers: Vec<String> = (0..shards).map(|number| number.to_string()).collect();
    let sweep: PathBuf = folder.join("sweep.toml");
    let text = format!(
        "name = \"bench\"\n[matrix]\nn = [{}]\n[shard]\ncommand = {command}\n[schedule]\nparallel = {parallel}\n",
        numbers.join(", ")
    );
    fs::write(&sweep, text).expect("the sweep can be written");
    let mut run = sweepdeck(folder);
    run.args(["run".as_ref(), sweep.as_os_str(), "--headless".as_ref(), "--out".as_ref()])
        .arg(folder.join("run"));
    run
}

fn sweepdeck(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sweepdeck"));
    command.env("XDG_STATE_HOME", folder.join("state")).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// What all threads of the process have used of the processor, in clock ticks.
fn ticks(pid: u32) -> u64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process lives");
    let (_, fields) = stat.rsplit_once(')').expect("the name is in parentheses");
    let fields: Vec<&str> = fields.split_whitespace().collect();
    let number = |position: usize| fields[position].parse::<u64>().expect("ticks are whole");
    number(11) + number(12)
}

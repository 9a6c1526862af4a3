//! Runs whose nodes are jobs of Slurm. `sbatch`, `squeue` and `scancel` are stand-ins that start, list and end processes
//! here, so that every job is a node on this machine.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::time::Duration;

use crate::harness::place::{Ended, Place, Run};
use crate::harness::processes;
use crate::harness::wait::{until, until_within};

const SWEEP: &str = "name = 'cluster'\n[[nodes]]\nkind = 'slurm'\ncount = 2\nlease = '1s'\n\
    sbatch = ['--partition=gpu', '--time=08:00:00']\n\
    [matrix]\nn = [1, 2, 3, 4]\n[shard]\nid = 'n{{ n }}'\n\
    command = 'echo $SWEEPDECK_ATTEMPT in $SLURM_JOB_ID >> starts-{{ n }}; until [ -e go ]; do sleep 0.05; done'\n\
    [schedule]\nparallel = 1\n";

/// Keeps what it is given in `calls`, and the job in `job-N`: its name, its process, its state once it is over.
const SBATCH: &str = r#"
echo "$@" >> calls
number=$(( $(ls | grep -c '^job-') + 1 ))
mkdir "job-$number"
for word in "$@"; do [ "$last" = --job-name ] && echo "$word" > "job-$number/name"; last=$word; done
cat > "job-$number/script"
case "$*" in *--output=*) output=$(echo "$*" | sed 's/.*--output=\([^ ]*\).*/\1/');; esac
if [ -e limit ]; then
    rm -r limit "job-$number"
    echo "sbatch: error: AssocMaxSubmitJobLimit" >&2
    echo "sbatch: error: Batch job submission failed: Job violates accounting/QOS policy (job submit limit)" >&2
    exit 1
fi
if [ -e jobs-wait ]; then touch "job-$number/waits"; else
    SLURM_JOB_ID=$number setsid bash "job-$number/script" > "$output" 2>&1 < /dev/null &
    echo $! > "job-$number/pid"
fi
if [ -e hangs-once-accepted ]; then
    rm hangs-once-accepted
    exec sleep 600
fi
if [ -e answers-get-lost ]; then
    rm answers-get-lost
    echo "sbatch: error: Batch job submission failed: Socket timed out on send/recv operation" >&2
    exit 1
fi
echo "$number"
"#;

/// Lists every job by its process: `RUNNING` as long as that lives, also where nothing has waited for its end yet. A single
/// one is asked for its time.
const SQUEUE: &str = r#"
case "$*" in *--jobs*) echo 8:00:00; exit;; esac
echo >> listed
if [ -e squeue-fails ]; then cat squeue-fails >&2; exit 1; fi
if [ -e squeue-hangs ]; then touch go; exec sleep 600; fi
for job in job-*; do
    [ -d "$job" ] || continue
    state=COMPLETED reason=None
    if [ -e "$job/waits" ]; then state=PENDING reason=$(cat jobs-wait)
    elif [ -e "$job/cancelled" ]; then state=CANCELLED
    elif grep -qs '^State:.[^ZX]' "/proc/$(cat "$job/pid")/status"; then state=RUNNING; fi
    echo "${job#job-}|$state|$(cat "$job/name")|$reason"
done
"#;

const SCANCEL: &str = r#"
echo "$1" >> cancelled
rm -f "job-$1/waits"
touch "job-$1/cancelled"
"#;

/// The program where Slurm is these stand-ins.
fn with_slurm(place: &Place, words: &[&str]) -> Command {
    for (name, script) in [("sbatch", SBATCH), ("squeue", SQUEUE), ("scancel", SCANCEL)] {
        let script = format!("#!/bin/bash\ncd {}\n{script}", place.path().display());
        let program = place.write(&format!("bin/{name}"), &script);
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
    }
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = place.command(words);
    command.env("PATH", format!("{}:{path}", place.path().join("bin").display()));
    command
}

fn start<'p>(place: &'p Place, sweep: &str) -> Run<'p> {
    place.write("sweep.toml", sweep);
    let started = Ended::of(&mut with_slurm(place, &["run", "sweep.toml", "--detach", "--out", "r"]));
    assert_eq!(started.code, Some(0), "{started:?}");
    place.run("r")
}

fn lines(place: &Place, file: &str) -> Vec<String> {
    place.read(file).unwrap_or_default().lines().map(str::to_owned).collect()
}

#[test]
fn jobs_are_submitted_once_and_run_the_shards() {
    let place = Place::new();
    let run = start(&place, SWEEP);
    until("both jobs are at work", || run.count("running") == 2);
    let calls = lines(&place, "calls");
    assert_eq!(calls.len(), 2, "{calls:?}");
    for (call, node) in calls.iter().zip(["slurm1", "slurm2"]) {
        assert!(call.contains("--partition=gpu --time=08:00:00 --parsable --no-requeue"), "{call}");
        assert!(call.ends_with(&format!("-{node}")), "the name is that of the node: {call}");
    }
    assert_eq!(lines(&place, "listed").len(), 1, "Slurm is asked rarely");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(lines(&place, "calls").len(), 2);
    for n in 1..=4 {
        assert_eq!(lines(&place, &format!("starts-{n}")).len(), 1, "nothing ran twice");
    }
}

#[test]
fn a_job_that_waits_says_why_and_is_not_asked_for_in_vain() {
    let place = Place::new();
    place.write("jobs-wait", "Priority");
    let run = start(&place, &SWEEP.replace("[1, 2, 3, 4]", "[1]"));
    until("it was asked for", || lines(&place, "calls").len() == 1);
    until("the node waits", || run.does("status", &[]).stdout.contains("node slurm1  waiting: asked"));
    assert_eq!(run.does("stop", &[]).code, Some(0));
    assert_eq!(run.wait(), Some(1));
    until("the job is cancelled", || lines(&place, "cancelled") == ["1"]);
    assert_eq!(lines(&place, "calls").len(), 1, "one shard needs one job");
}

#[test]
fn a_job_whose_answer_was_lost_is_not_submitted_twice() {
    let place = Place::new();
    place.write("answers-get-lost", "");
    let run = start(&place, &SWEEP.replace("count = 2", "count = 1"));
    until("its shard runs", || run.count("running") == 1);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(lines(&place, "calls").len(), 1, "it was found by its name");
}

#[test]
fn a_job_whose_submission_hangs_is_not_submitted_twice() {
    let place = Place::new();
    place.write("hangs-once-accepted", "");
    let run = start(&place, &SWEEP.replace("count = 2", "count = 1"));
    until("its shard runs", || run.count("running") == 1);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(lines(&place, "calls").len(), 1, "nothing was doubled");
    for n in 1..=4 {
        assert_eq!(lines(&place, &format!("starts-{n}")).len(), 1, "nothing ran twice");
    }
}

/// The first list after the submission is made half a minute later.
#[test]
fn jobs_over_the_limit_of_a_user_wait_and_are_not_doubled() {
    let place = Place::new();
    place.write("jobs-wait", "QOSMaxJobsPerUserLimit");
    let run = start(&place, SWEEP);
    let waiting = |node: &str| format!("node {node}  waiting: QOSMaxJobsPerUserLimit");
    let both_say_why = || {
        let said = run.does("status", &[]).stdout;
        said.contains(&waiting("slurm1")) && said.contains(&waiting("slurm2"))
    };
    let status = || run.does("status", &[]).stdout;
    until_within(Duration::from_secs(90), "both say why they wait", both_say_why, status);
    assert_eq!(lines(&place, "calls").len(), 2, "each was submitted once");
    assert_eq!(run.does("stop", &[]).code, Some(0));
    assert_eq!(run.wait(), Some(1));
    until("both jobs are cancelled", || lines(&place, "cancelled").len() == 2);
    assert_eq!(lines(&place, "calls").len(), 2);
}

#[test]
fn the_shards_of_a_job_that_was_taken_away_run_in_another() {
    let place = Place::new();
    // Slurm says that it is over long before its lease is.
    let run = start(&place, &SWEEP.replace("count = 2\nlease = '1s'", "count = 1"));
    until("its shard runs", || run.count("running") == 1);
    run.does("set", &["--parallel", "1", "--reserve-vram", "4 GiB"]);
    // Slurm ends all of it at once.
    place.write("job-1/cancelled", "");
    processes::end_all_of(&run.dir.join("nodes"));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(lines(&place, "starts-1"), ["1 in 1", "2 in 2"]);
    let journal = place.read("r/journal.jsonl").expect("the journal");
    assert!(journal.contains("job 1 is over: CANCELLED"), "{journal}");
    assert_eq!(run.shard("n1")["node"], "slurm1-2");
    let node = place.read("r/nodes/slurm1-2/journal.jsonl").expect("the journal of the next node");
    assert!(node.contains("parallel-changed"), "limits hold there too: {node}");
}

#[test]
fn a_shard_that_is_lost_at_a_node_that_drains_runs_in_another_job() {
    let place = Place::new();
    let sweep = SWEEP.replace("count = 2", "count = 1").replace("[1, 2, 3, 4]", "[1]");
    let ends = "do rm end 2>/dev/null && kill -TERM $$; sleep";
    let run = start(&place, &sweep.replace("do sleep", ends));
    until("its shard runs", || run.count("running") == 1);
    assert_eq!(run.does("stop", &[]).code, Some(0));
    let node = || place.read("r/nodes/slurm1/journal.jsonl").unwrap_or_default();
    until("the node starts nothing more", || node().contains("stop-requested"));
    place.write("end", "");
    until("the node has ended", || node().contains("run-ended"));
    // Another supervisor finds the end recorded, and the job ends all the same.
    kill_supervisor(&place);
    let job = lines(&place, "job-1/pid")[0].parse().expect("a process");
    until("the job has ended", || processes::state(job).is_none());
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    place.write("go", "");
    assert_eq!(Ended::of(&mut with_slurm(&place, &["recover", "r"])).code, Some(0));
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(lines(&place, "starts-1"), ["1 in 1", "2 in 2"]);
}

/// Kills the supervisor of the node, whose keeper starts another.
fn kill_supervisor(place: &Place) {
    let node = place.path().join("r/nodes/slurm1");
    let both = processes::with_command(&format!("supervise {}", node.display()));
    let is_child = |pid: &&u32| both.iter().any(|keeper| processes::children(*keeper).contains(pid));
    both.iter().filter(is_child).for_each(|pid| processes::signal(*pid, rustix::process::Signal::KILL));
}

#[test]
fn a_list_that_fails_is_no_proof_that_there_is_no_job() {
    let place = Place::new();
    place.write("squeue-fails", "slurm_load_jobs error: Invalid job id specified\n");
    let run = start(&place, &SWEEP.replace("count = 2", "count = 1"));
    let says = |text: &str| run.does("status", &[]).stdout.contains(text);
    until("the reason is said", || says("squeue: slurm_load_jobs error: Invalid job id specified"));
    assert_eq!(lines(&place, "calls"), [""; 0], "nothing is submitted unseen");
    std::fs::remove_file(place.path().join("squeue-fails")).expect("it is there");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(lines(&place, "calls").len(), 1);
}

#[test]
fn a_list_that_hangs_holds_nothing_up() {
    let place = Place::new();
    let run = start(&place, &SWEEP.replace("count = 2", "count = 1"));
    until("its shard runs", || run.count("running") == 1);
    // The shards go on once it hangs.
    place.write("squeue-hangs", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(lines(&place, "calls").len(), 1, "nothing was concluded");
}

#[test]
fn a_limit_of_jobs_is_said_and_the_job_is_asked_for_again() {
    let place = Place::new();
    place.write("limit", "");
    let run = start(&place, &SWEEP.replace("count = 2", "count = 1"));
    let reason = "Job violates accounting/QOS policy (job submit limit)";
    until("the reason is said", || run.does("status", &[]).stdout.contains(reason));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(lines(&place, "calls").len(), 2);
    assert!(!place.path().join("job-2").exists(), "one job did all");
}

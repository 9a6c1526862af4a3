//! Many small shards on the machines of a few jobs.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::machines::{Machines, node_folders};
use crate::cluster::{Cluster, Share};
use crate::fake_nvml::FakeDriver;
use crate::judge;
use crate::signs::describe_standstill;

const DEADLINE: Duration = Duration::from_secs(120);

/// 64 shards of 2 GiB on four machines of four GPUs with 80 GiB.
#[test]
#[ignore = "needs root"]
fn a_job_on_machines_that_slurm_lends_runs_as_many_shards_as_its_gpus_hold() {
    let folder = tempfile::tempdir().unwrap();
    let driver = FakeDriver::new(folder.path(), "");
    let cluster = Cluster::new(4, Share::Common, Some(&driver.library()));
    let (run, go) = (cluster.share().join("run"), cluster.witness().join("go"));
    let sweep = format!(
        "name = 'packing'\n[[nodes]]\nkind = 'slurm'\ncount = 4\nsbatch = ['--gres=gpu:4']\n\
         [matrix]\nn = {:?}\n[shard]\nid = 'n{{{{ n }}}}'\n\
         command = 'until [ -e {} ]; do sleep 1; done'\n\
         [resources]\ngpus = 1\nvram = '2 GiB'\n[schedule]\nparallel = 16\nlinger = '1s'\n",
        (0..64).collect::<Vec<u32>>(),
        go.display()
    );
    let file = cluster.share().join("sweep.toml");
    fs::write(&file, sweep).unwrap();
    let machines = Machines::lent(cluster);
    let started =
        machines.sweepdeck(&["run", file.to_str().unwrap(), "--detach", "--out", run.to_str().unwrap()]);
    assert!(started.status.success(), "{started:?}");
    let deadline = Instant::now() + DEADLINE;
    while starts(&run).iter().sum::<usize>() < 64 {
        let is_late = Instant::now() >= deadline;
        assert!(!is_late, "{:?} shards run at the nodes; {}", starts(&run), describe_standstill(&run));
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(starts(&run), [16; 4]);
    fs::write(&go, "").unwrap();
    while !judge::has_finished(&run) {
        assert!(Instant::now() < deadline, "it has no end; {}", describe_standstill(&run));
        std::thread::sleep(Duration::from_millis(100));
    }
    let Machines::Lent(cluster) = &machines else { unreachable!() };
    let list = ["squeue", "-h", "-t", "all", "-o%i"].map(OsStr::new);
    let list = cluster.on("login", &list).output().unwrap();
    let jobs: BTreeSet<String> = String::from_utf8_lossy(&list.stdout).lines().map(str::to_owned).collect();
    assert_eq!(jobs.len(), 4, "{jobs:?}");
    machines.clear(&run);
}

/// Attempts that each node has started; none has ended yet.
fn starts(run: &Path) -> Vec<usize> {
    let is_start = |fact: &serde_json::Value| fact["fact"] == "attempt-started";
    let starts = |node: &Path| judge::facts(node).iter().filter(|fact| is_start(fact)).count();
    node_folders(run).iter().map(|node| starts(node)).collect()
}

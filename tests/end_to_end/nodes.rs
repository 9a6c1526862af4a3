//! Runs whose shards are dealt to nodes. `ssh` is a stand-in that runs the command here, so that every node is a run of
//! its own on this machine; the last test has a real one.

use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use rustix::process::Signal;

use crate::harness::place::{Ended, Place, Run};
use crate::harness::processes;
use crate::harness::screen::Screen;
use crate::harness::wait::until;
use crate::ssh::Server;

/// Shards that wait for a file, note each start, and end as their number says.
pub(crate) const SWEEP: &str = "name = 'spread'\n[[nodes]]\nkind = 'ssh'\nhosts = ['gpu1', 'gpu2']\n\
    [matrix]\nn = [1, 2, 3, 4, 5, 6, 7, 8]\n[shard]\nid = 'n{{ n }}'\n\
    command = 'echo $SWEEPDECK_ATTEMPT >> starts-{{ n }}; until [ -e go ]; do sleep 0.05; done; [ {{ n }} != 3 ]'\n\
    [schedule]\nparallel = 2\n";

/// The program where `ssh HOST` is this machine, unless there is a file `HOST-is-down`.
pub(crate) fn with_hosts(place: &Place, words: &[&str]) -> Command {
    let script = format!(
        "#!/bin/bash\ncd {}\nhost=\"${{@: -2:1}}\" line=\"${{@: -1}}\"\necho \"$host\" >> reached\n\
         if [ -e \"$host-is-down\" ]; then echo \"ssh: connect to host $host port 22: Connection timed out\" >&2; exit 255; fi\n\
         exec bash -c \"$line\"\n",
        place.path().display()
    );
    with_program(place, "ssh", &script, words)
}

/// This program where a script stands in for another one.
fn with_program(place: &Place, name: &str, script: &str, words: &[&str]) -> Command {
    let program = place.write(&format!("bin/{name}"), script);
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("it may be run");
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = place.command(words);
    command.env("PATH", format!("{}:{path}", place.path().join("bin").display()));
    command
}

pub(crate) fn start(place: &Place) -> Run<'_> {
    place.write("sweep.toml", SWEEP);
    begin(place)
}

/// Starts the sweep that is there.
pub(crate) fn begin(place: &Place) -> Run<'_> {
    let started = Ended::of(&mut with_hosts(place, &["run", "sweep.toml", "--detach", "--out", "r"]));
    assert_eq!(started.code, Some(0), "{started:?}");
    place.run("r")
}

/// Starts of each shard, one line each with the number of the attempt.
pub(crate) fn starts(place: &Place) -> Vec<String> {
    (1..=8).map(|n| place.read(&format!("starts-{n}")).unwrap_or_default().replace('\n', " ")).collect()
}

/// The node that has each shard, in the order of the sweep.
fn nodes_of(run: &Run<'_>) -> Vec<String> {
    let status = run.status();
    let node = |shard: &serde_json::Value| shard["node"].as_str().unwrap_or("none").to_owned();
    status["shards"].as_array().into_iter().flatten().map(node).collect()
}

/// How many shards that were at `gpu1` began a second time. Where the machine is busy the other node may miss a lease of
/// a second, too.
fn begun_again(place: &Place, nodes: &[String]) -> usize {
    let there = starts(place).into_iter().zip(nodes).filter(|(_, node)| *node == "gpu1");
    there.filter(|(starts, _)| starts.starts_with("1 2 ")).count()
}

#[test]
fn shards_are_dealt_to_nodes_and_their_ends_are_those_of_the_run() {
    let place = Place::new();
    let run = start(&place);
    // Each node runs as many as `parallel` says, and has some more in hand.
    until("both nodes are at work", || run.count("running") == 4);
    for node in ["gpu1", "gpu2"] {
        assert_eq!(nodes_of(&run).iter().filter(|of| *of == node).count(), 4, "{}", run.status());
    }
    let text = run.does("status", &[]).stdout;
    assert!(text.contains("node gpu2  up, 2 running, 2 waiting"), "{text}");
    place.write("go", "");
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!((run.count("succeeded"), run.count("failed")), (7, 1));
    assert_eq!(starts(&place), ["1 "; 8]);
    let log = run.does("logs", &["n3"]);
    assert_eq!(log.code, Some(0), "{log:?}");
    let table = place.read("r/results/combined_results.csv").expect("results");
    assert_eq!(table.lines().count(), 9, "{table}");
}

#[test]
fn a_host_that_is_down_is_named_and_the_others_do_the_work() {
    let place = Place::new();
    place.write("gpu1-is-down", "");
    place.write("go", "");
    let run = start(&place);
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert!(nodes_of(&run).iter().all(|node| node == "gpu2"), "{}", run.status());
    let status = run.status();
    let down = &status["run"]["nodes"][0];
    assert_eq!(down["standing"], "unreachable", "{status}");
    assert!(
        down["reason"].as_str().is_some_and(|reason| reason.contains("Connection timed out")),
        "{status}"
    );
}

#[test]
fn what_is_asked_of_a_shard_is_done_by_its_node() {
    let place = Place::new();
    let run = start(&place);
    until("both nodes are at work", || run.count("running") == 4);
    let running: Vec<String> = run.status()["shards"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|shard| shard["phase"] == "running")
        .filter_map(|shard| shard["id"].as_str().map(str::to_owned))
        .collect();
    let [killed, paused, ..] = running.as_slice() else { panic!("four run: {running:?}") };
    assert_eq!(run.does("pause", &[paused]).code, Some(0));
    run.until_phase(paused, "paused");
    assert_eq!(run.does("kill", &[killed]).code, Some(0));
    run.until_phase(killed, "failed");
    let at_node = place.sweepdeck(&["kill", "r/nodes/gpu1", "--all"]);
    assert!(at_node.code != Some(0) && at_node.stderr.contains("of the whole run"), "{at_node:?}");
    assert_eq!(run.does("requeue", &[killed]).code, Some(0));
    // It was dealt again in the same moment, and may be starting.
    let undone = place.sweepdeck(&["undo", "r", killed]);
    assert!(undone.code != Some(0) && undone.stderr.contains("can be taken back only"), "{undone:?}");
    assert_eq!(run.does("resume", &[paused]).code, Some(0));
    place.write("go", "");
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!((run.count("succeeded"), run.count("failed")), (7, 1));
    let number: usize = killed[1..].parse().expect("a number");
    assert_eq!(starts(&place)[number - 1], "1 2 ", "its second attempt has the next number wherever it ran");
}

#[test]
fn a_node_that_lost_everything_is_started_again_where_it_was() {
    let place = Place::new();
    let run = start(&place);
    until("both nodes are at work", || run.count("running") == 4);
    processes::end_all_of(&run.dir.join("nodes/gpu1"));
    place.write("go", "");
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!((run.count("succeeded"), run.count("failed")), (7, 1));
    let again = starts(&place).iter().filter(|starts| *starts == "1 2 ").count();
    assert_eq!(again, 2, "those that ran there are lost and run again: {:?}", starts(&place));
}

#[test]
fn a_node_that_stays_silent_is_given_up_after_its_lease() {
    let place = Place::new();
    place.write("sweep.toml", &SWEEP.replace("kind = 'ssh'", "kind = 'ssh'\nlease = '1s'"));
    let run = begin(&place);
    until("both nodes are at work", || run.count("running") == 4);
    let nodes = nodes_of(&run);
    place.write("gpu1-is-down", "");
    processes::end_all_of(&run.dir.join("nodes/gpu1"));
    until("its lease is over", || run.does("status", &[]).stdout.contains("node gpu1  expired: silent"));
    assert_eq!(run.count("running"), 4, "nothing shows yet that they do not run: {}", run.status());
    place.write("go", "");
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!((run.count("succeeded"), run.count("failed")), (7, 1));
    assert_eq!(begun_again(&place, &nodes), 2, "those that ran there run elsewhere: {:?}", starts(&place));
    let journal = place.read("r/journal.jsonl").expect("the journal");
    assert!(journal.contains("\"what\":\"given-up\",\"node\":\"gpu1\""), "{journal}");
}

#[test]
fn a_node_that_hangs_is_ended_by_its_machine() {
    let place = Place::new();
    place.write("sweep.toml", &SWEEP.replace("kind = 'ssh'", "kind = 'ssh'\nlease = '1s'"));
    let run = begin(&place);
    until("both nodes are at work", || run.count("running") == 4);
    let nodes = nodes_of(&run);
    // All that serves the node is stopped, and what it runs goes on.
    let dir = run.dir.join("nodes/gpu1");
    let serves = |pid: &u32| {
        let command = processes::command(*pid);
        command.starts_with("sweepdeck supervise") || command.starts_with("sweepdeck spawner")
    };
    for pid in processes::of(&dir).into_iter().filter(serves) {
        processes::signal(pid, Signal::STOP);
    }
    // The node that takes its place has a folder whose name begins with the same.
    let next = run.dir.join("nodes/gpu1-2");
    until("nothing of it is left", || {
        let of_next = processes::of(&next);
        processes::of(&dir).iter().all(|pid| of_next.contains(pid))
    });
    place.write("go", "");
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!((run.count("succeeded"), run.count("failed")), (7, 1));
    assert_eq!(begun_again(&place, &nodes), 2, "{:?}", starts(&place));
}

#[test]
fn a_run_that_is_stopped_takes_back_what_waits_and_goes_on_later() {
    let place = Place::new();
    let run = start(&place);
    until("both nodes are at work", || run.count("running") == 4);
    assert_eq!(run.does("stop", &[]).code, Some(0));
    until("what waited is taken back", || nodes_of(&run).iter().filter(|node| *node == "none").count() == 4);
    place.write("go", "");
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!(run.count("queued"), 4, "{}", run.status());
    let went_on = Ended::of(&mut with_hosts(&place, &["recover", "r"]));
    assert_eq!(went_on.code, Some(0), "{went_on:?}");
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!((run.count("succeeded"), run.count("failed")), (7, 1));
    assert_eq!(starts(&place), ["1 "; 8]);
}

#[test]
fn the_same_failure_at_all_nodes_holds_what_is_not_dealt() {
    let place = Place::new();
    place.write("go", "");
    place.write(
        "sweep.toml",
        &SWEEP
            .replace("[{{ n }} != 3 ]", "")
            .replace(
                "[1, 2, 3, 4, 5, 6, 7, 8]",
                "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]",
            )
            .replace("[ {{ n }} != 3 ]", "sleep 0.5; false"),
    );
    let started = Ended::of(&mut with_hosts(&place, &["run", "sweep.toml", "--detach", "--out", "r"]));
    assert_eq!(started.code, Some(0), "{started:?}");
    let run = place.run("r");
    until("the rest is held", || run.does("status", &[]).stdout.contains("held until"));
    assert!(run.count("queued") > 0, "{}", run.status());
}

#[test]
fn screen_and_results_show_the_machines_of_the_nodes() {
    let place = Place::with_gpus("gpu 0\n name NVIDIA H100\ngpu 1\n name NVIDIA H100\n");
    place.write("sweep.toml", &format!("{SWEEP}[resources]\ngpus = 1\nvram = '1 GiB'\n"));
    let started = Ended::of(&mut with_hosts(&place, &["run", "sweep.toml", "--detach", "--out", "r"]));
    assert_eq!(started.code, Some(0), "{started:?}");
    let run = place.run("r");
    until("both nodes are at work", || run.count("running") == 4);
    let mut screen = Screen::open(&place, &["attach", "r"]);
    screen.until_shown("4 GPUs on 2 nodes");
    screen.press("7");
    screen.until("each node has its state and its cards", |shown| {
        let up = shown.lines().filter(|line| line.contains("ssh") && line.contains(" up ")).count();
        up == 2 && shown.contains("2 nodes: 2 up")
    });
    screen.press("q");
    assert_eq!(screen.code(), 0);
    until("what shards use at nodes is known", || {
        run.status()["shards"].as_array().into_iter().flatten().any(|shard| shard["rss_bytes"].is_u64())
    });
    until("the document has the GPUs of both", || {
        let status = run.status();
        let gpus = status["gpus"].as_array().into_iter().flatten();
        let of = |node: &str| {
            gpus.clone().filter(|gpu| gpu["node"] == node && gpu["name"] == "NVIDIA H100").count()
        };
        of("gpu1") == 2 && of("gpu2") == 2
    });
    let scraped = place.sweepdeck(&["metrics"]).stdout;
    assert!(scraped.contains("sweepdeck_node_up{") && scraped.contains(",node=\"gpu2\"} 1"), "{scraped}");
    place.write("go", "");
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    let table = place.read("r/results/combined_results.csv").expect("results");
    assert!(table.lines().next().is_some_and(|head| head.ends_with(",node")), "{table}");
    assert!(table.lines().skip(1).all(|row| row.ends_with(",gpu1") || row.ends_with(",gpu2")), "{table}");
    let summary = place.read("r/results/summary.json").expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(&summary).expect("JSON");
    for node in summary["nodes"].as_array().expect("nodes") {
        let hours = |key: &str| node[key].as_f64().filter(|hours| *hours > 0.0);
        assert!(hours("gpu_hours_used").is_some() && hours("gpu_hours_idle").is_some(), "{node}");
    }
    let page = place.read("r/results/report.html").expect("a report");
    assert!(page.contains("GPU-hours idle") && page.contains("gpu2 0"), "{page}");
}

#[test]
fn a_start_of_a_node_that_was_cut_off_is_made_good() {
    let place = Place::new();
    place.write("gpu1-is-down", "");
    place.write("go", "");
    let run = start(&place);
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    place.write("r/nodes/gpu1/journal.jsonl", "half a li");
    let begun = Ended::of(&mut with_hosts(&place, &["begin-node", run.word(), "gpu1"]));
    assert_eq!(begun.code, Some(0), "{begun:?}");
    run.does("status", &[]);
    assert_eq!(place.sweepdeck(&["status", "r/nodes/gpu1"]).code, Some(0));
}

#[test]
fn facts_beside_a_line_that_reads_wrong_for_a_moment_are_not_lost() {
    let place = Place::new();
    let run = start(&place);
    until("both nodes are at work", || run.count("running") == 4);
    let node = run.dir.join("nodes/gpu1");
    let stopped = processes::of(&node);
    stopped.iter().for_each(|pid| processes::signal(*pid, Signal::STOP));
    // What a server shows of a file while another machine writes to it.
    let journal = node.join("journal.jsonl");
    let length = std::fs::metadata(&journal).expect("its journal").len();
    let mut text = std::fs::read(&journal).expect("its journal");
    text.extend([0, b'\n']);
    std::fs::write(&journal, text).expect("a longer journal");
    until("it is noticed", || {
        place.read("r/supervisor.log").unwrap_or_default().contains("journal.jsonl line")
    });
    let file = std::fs::OpenOptions::new().write(true).open(&journal).expect("its journal");
    file.set_len(length).expect("as it was");
    place.write("go", "");
    stopped.iter().for_each(|pid| processes::signal(*pid, Signal::CONT));
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!((run.count("succeeded"), run.count("failed")), (7, 1));
    assert_eq!(starts(&place), ["1 "; 8]);
}

#[test]
fn check_asks_each_node_what_it_sees_of_the_folder() {
    let place = Place::new();
    place.write("sweep.toml", SWEEP);
    place.write("gpu2-is-down", "");
    let checked = Ended::of(&mut with_hosts(&place, &["check", "sweep.toml"]));
    assert_eq!(checked.code, Some(0), "{checked:?}");
    assert!(checked.stdout.contains("node gpu1: sees a new file after 0."), "{checked:?}");
    assert!(checked.stdout.contains("locks hold between machines, clock "), "{checked:?}");
    assert!(checked.stderr.contains("gpu2: ssh: connect to host gpu2 port 22"), "{checked:?}");
    let checked = Ended::of(&mut with_hosts(&place, &["check", "sweep.toml", "--json"]));
    let document: serde_json::Value = serde_json::from_str(&checked.stdout).expect("JSON");
    assert_eq!(document["nodes"][0]["locks_hold"], true, "{document}");
    assert_eq!(document["nodes"][0]["problem"], serde_json::Value::Null, "{document}");
    assert_eq!(document["nodes"][1]["locks_hold"], serde_json::Value::Null, "{document}");
    let left: Vec<_> = std::fs::read_dir(place.path())
        .expect("its folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with(".sweepdeck"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn what_the_machine_of_the_run_lacks_is_not_said_of_its_nodes() {
    let place = Place::new();
    place.write("gpu1-is-down", "");
    place.write("gpu2-is-down", "");
    place.write("sweep.toml", &format!("{SWEEP}[resources]\nvram = '2 GiB'\n"));
    let mut command = with_hosts(&place, &["run", "sweep.toml", "--detach", "--out", "r"]);
    let started = Ended::of(command.env("SWEEPDECK_NVML", "/nowhere/libnvidia-ml.so.1"));
    assert_eq!(started.code, Some(0), "{started:?}");
    let run = place.run("r");
    until("a host is named", || run.status()["run"]["nodes"][0]["standing"] == "unreachable");
    until("the machine has been looked at", || place.path().join("r/telemetry/gpus.json").exists());
    let waiting = run.shard("n1")["waiting"].clone();
    assert!(waiting.as_str().is_some_and(|text| !text.contains("VRAM")), "{waiting}");
}

#[test]
#[ignore = "needs sshd"]
fn nodes_are_begun_through_a_real_server() {
    let place = Place::new();
    let server = Server::start(place.path());
    let folder = place.path().display();
    let hosts = format!(
        "Host gpu1 gpu2\n HostName 127.0.0.1\n Port {}\n IdentityFile {folder}/id\n IdentitiesOnly yes\n \
         StrictHostKeyChecking no\n UserKnownHostsFile {folder}/known\n LogLevel ERROR\n",
        server.port
    );
    let config = place.write("ssh_config", &hosts);
    // The configuration of the user who runs the tests stays as it is.
    let ssh = format!("#!/bin/sh\nexec /usr/bin/ssh -F {} \"$@\"\n", config.display());
    let mut command = with_program(&place, "ssh", &ssh, &["run", "sweep.toml", "--detach", "--out", "r"]);
    place.write("sweep.toml", &SWEEP.replace("'gpu2'", "'gpu2', 'nowhere'"));
    let started = Ended::of(&mut command);
    assert_eq!(started.code, Some(0), "{started:?}");
    let run = place.run("r");
    until("both nodes are at work", || run.count("running") == 4);
    until("the third is named", || run.status()["run"]["nodes"][2]["standing"] == "unreachable");
    place.write("go", "");
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!((run.count("succeeded"), run.count("failed")), (7, 1));
    assert_eq!(starts(&place), ["1 "; 8]);
    let checked = Ended::of(&mut with_program(&place, "ssh", &ssh, &["check", "sweep.toml"]));
    assert!(checked.stderr.contains("nowhere: ssh: ") && !checked.stderr.contains("gpu1:"), "{checked:?}");
}

//! A websocket server of openpi's protocol with three clients for each policy, as `configs/` has it.

use std::fs;
use std::time::Duration;

use rustix::process::Signal;

use crate::harness::place::{Place, Run};
use crate::harness::processes;
use crate::harness::wait::until_within;
use crate::services::pid;

/// The sweep of `configs/` with fewer episodes and less patience, as its file would be beside the worker's folder.
fn policy_sweep(envs: &str, episodes: u32) -> String {
    let configs = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("configs");
    let sweep = fs::read_to_string(configs.join("policy_server.toml")).expect("the sweep");
    let cwd = format!("{:?}", configs.join("policy_server"));
    let replaced = sweep
        .replace("\"policy_server\"\ncommand", &format!("{cwd}\ncommand"))
        .replace("--episodes 20", &format!("--episodes {episodes}"))
        .replace("\"30m\"", "\"2m\"")
        .replace("\"5m\"", "\"1m\"")
        .replace("[\"Hopper-v5\", \"Walker2d-v5\", \"HalfCheetah-v5\"]", envs);
    assert!(replaced.matches(&cwd).count() == 2 && replaced.contains(envs), "{replaced}");
    replaced
}

fn expect_two_servers_with_three_clients_each(run: &Run<'_>) {
    assert_eq!(run.count("succeeded"), 6, "{}", run.status());
    let status = run.status();
    let ids: Vec<&str> =
        status["services"].as_array().into_iter().flatten().filter_map(|one| one["id"].as_str()).collect();
    assert_eq!(ids, ["server@damped", "server@random"]);
    for policy in ["damped", "random"] {
        let log = run.log(&format!("server@{policy}"), 1);
        assert_eq!(log.matches("opened").count(), 3, "three clients: {log}");
        assert!(log.contains("ended after"), "it ended politely: {log}");
    }
    let csv = fs::read_to_string(run.dir.join("results/combined_results.csv")).expect("results");
    assert_eq!(csv.lines().count(), 7, "{csv}");
}

/// Run with `SWEEPDECK_PYTHON` naming a Python that has websockets, msgpack and numpy.
#[test]
#[ignore = "needs python with websockets, msgpack and numpy"]
fn a_websocket_policy_server_serves_three_clients() {
    let place = Place::new();
    let envs = "[\"stand-in\", \"stand-in-b\", \"stand-in-c\"]";
    let sweep = policy_sweep(envs, 5).replace("--env {{ env }}", "--env stand-in");
    let (ended, run) = place.run_headless(&sweep);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    expect_two_servers_with_three_clients_each(&run);
}

/// Run with `SWEEPDECK_PYTHON` naming a Python that has gymnasium[mujoco], websockets and msgpack.
#[test]
#[ignore = "needs python with gymnasium[mujoco], websockets and msgpack"]
fn mujoco_clients_ask_a_websocket_policy_server_and_outlive_its_death() {
    let place = Place::new();
    place.write("sweep.toml", &policy_sweep("[\"Hopper-v5\", \"Walker2d-v5\", \"HalfCheetah-v5\"]", 3));
    let run = place.start_with(&["run", "sweep.toml", "--detach", "--out", "r"]);
    // Each of them imports MuJoCo first, and a server waits for a core that no other run of this machine has.
    let are_connected = || run.log("server@damped", 1).matches("opened").count() == 3;
    until_within(Duration::from_mins(5), "its clients are connected", are_connected, String::new);
    processes::signal(pid(&run, "server@damped"), Signal::KILL);
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(run.count("succeeded"), 6, "{}", run.status());
    let again = run.status()["services"].as_array().into_iter().flatten().any(|one| one["attempt"] == 2);
    assert!(again, "the server was started again: {}", run.status());
}

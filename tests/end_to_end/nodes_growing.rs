//! Runs on nodes whose plan grows, and whose shards need a service of the machine that runs them.

use crate::harness::place::{Ended, Place, Run};
use crate::harness::wait::until;
use crate::nodes::{begin, start, starts, with_hosts};

/// The number of lines of each file that shards write to, by the file's name.
fn witnesses(place: &Place, names: &[&str]) -> Vec<usize> {
    names.iter().map(|name| place.read(name).unwrap_or_default().lines().count()).collect()
}

fn rows(place: &Place) -> usize {
    place.read("r/results/combined_results.csv").expect("results").lines().count() - 1
}

/// The nodes at which shards ended, without repetition.
fn nodes_at_work(run: &Run<'_>) -> usize {
    let status = run.status();
    let shards = status["shards"].as_array().expect("shards");
    let nodes: std::collections::BTreeSet<&str> =
        shards.iter().filter_map(|shard| shard["node"].as_str()).collect();
    nodes.len()
}

#[test]
fn values_that_are_added_run_once_at_some_node() {
    let place = Place::new();
    let run = start(&place);
    until("both nodes are at work", || run.count("running") == 4);
    assert_eq!(run.does("add", &["n=9,10,11"]).code, Some(0));
    place.write("go", "");
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!((run.count("succeeded"), run.count("failed")), (10, 1));
    // A run that is over goes on with what is added, also where all its nodes were given back.
    let added = Ended::of(&mut with_hosts(&place, &["add", "r", "n=12"]));
    assert_eq!(added.code, Some(0), "{added:?}");
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!(starts(&place), ["1 "; 8]);
    assert_eq!(witnesses(&place, &["starts-9", "starts-10", "starts-11", "starts-12"]), [1; 4]);
    assert_eq!(rows(&place), 12);
}

#[test]
fn a_file_that_comes_is_run_once_and_not_by_each_node() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("ckpts")).expect("a folder");
    place.write("ckpts/step_1.pt", "weights");
    place.write(
        "sweep.toml",
        "name = 'watched'\n[[nodes]]\nkind = 'ssh'\nhosts = ['gpu1', 'gpu2']\n[matrix]\n\
         ckpt = { glob = 'ckpts/*.pt', watch = { until = 'ckpts/done', settle = '0.3s' } }\nseed = [0, 1]\n\
         [shard]\ncommand = 'echo $SWEEPDECK_ATTEMPT >> starts-{{ seed }}-$(basename {{ ckpt }})'\n",
    );
    let run = begin(&place);
    until("the first is evaluated", || run.count("succeeded") == 2);
    place.write("ckpts/step_2.pt", "weights");
    until("the second is evaluated", || run.count("succeeded") == 4);
    place.write("ckpts/done", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    let names: Vec<String> =
        (1..=2).flat_map(|step| (0..=1).map(move |seed| format!("starts-{seed}-step_{step}.pt"))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(witnesses(&place, &names), [1; 4]);
}

#[test]
fn each_node_has_the_service_that_its_shards_need() {
    let place = Place::new();
    place.write(
        "sweep.toml",
        "[[nodes]]\nkind = 'ssh'\nhosts = ['gpu1', 'gpu2']\n[matrix]\nn = [1, 2, 3, 4]\n[shard]\nid = 'n{{ n }}'\n\
         command = 'exec 3<>/dev/tcp/127.0.0.1/{{ service.server.port }} || exit 5; read -r line <&3; echo \"$line\"; \
         until [ -e go ]; do sleep 0.05; done'\n\
         [[service]]\nname = 'server'\nready = { port = true }\n\
         command = ['perl', '-e', 'use IO::Socket::INET; my $s = IO::Socket::INET->new(LocalAddr => \"127.0.0.1\", \
         LocalPort => {{ port }}, Listen => 16, ReuseAddr => 1) or die $!; while (my $c = $s->accept) { print $c \"hello\\n\" }']\n\
         [schedule]\nparallel = 2\n",
    );
    let run = begin(&place);
    until("both nodes are at work", || run.count("running") == 4);
    assert_eq!(nodes_at_work(&run), 2, "{}", run.status());
    let restarted = run.does("restart", &["server"]);
    assert_eq!(restarted.code, Some(0), "{restarted:?}");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(run.count("succeeded"), 4);
    assert_eq!(rows(&place), 4);
}

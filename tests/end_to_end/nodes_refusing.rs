//! What a node cannot run goes back to its run, which deals it to another one, or waits for somebody to see to it.

use crate::harness::place::{Ended, Place};
use crate::harness::wait::until;
use crate::nodes::{begin, with_hosts};

/// A service that begins where `works-NODE` is there, and a shard that needs it.
fn served(hosts: &str) -> String {
    format!(
        "[[nodes]]\nkind = 'ssh'\nhosts = [{hosts}]\n[shard]\nid = 'client'\ncommand = 'true'\n\
         env = {{ SERVER = '{{{{ service.server.id }}}}' }}\n\
         [[service]]\nname = 'server'\nrestarts = 0\nready = {{ log = 'listening' }}\n\
         command = 'test -e works-$(basename $SWEEPDECK_RUN) && echo listening && sleep 600'\n"
    )
}

#[test]
fn a_service_that_fails_at_the_only_node_ends_the_run_until_it_is_started_again() {
    let place = Place::new();
    place.write("sweep.toml", &served("'gpu1'"));
    let run = begin(&place);
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    assert_eq!(run.count("queued"), 1);
    let waiting = run.shard("client")["waiting"].to_string();
    assert!(waiting.contains("the run was stopped"), "{waiting}");
    let services = run.does("status", &[]).stdout;
    assert!(services.contains("server") && services.contains("failed"), "{services}");
    let journal = place.read("r/journal.jsonl").expect("a journal");
    assert!(journal.contains(r#""shard":"client","refused":{"node":"gpu1""#), "{journal}");
    place.write("works-gpu1", "");
    let asked = Ended::of(&mut with_hosts(&place, &["restart", "--run", "r", "server"]));
    assert_eq!(asked.code, Some(0), "{asked:?}");
    assert_eq!(run.wait(), Some(0), "{}", run.status());
}

#[test]
fn a_shard_whose_service_fails_at_one_node_runs_at_another() {
    let place = Place::new();
    place.write("works-gpu2", "");
    place.write("sweep.toml", &served("'gpu1', 'gpu2'"));
    let run = begin(&place);
    assert_eq!(run.wait(), Some(0), "{}", run.status());
    assert_eq!(run.shard("client")["node"], "gpu2", "{}", run.status());
}

#[test]
fn what_fails_again_and_again_at_a_node_goes_back_and_is_held() {
    let place = Place::new();
    place.write(
        "sweep.toml",
        "[[nodes]]\nkind = 'ssh'\nhosts = ['gpu1']\n[matrix]\npolicy = ['bad', 'good']\n\
         [episodes]\ntotal = 10\nshards = 5\n[shard]\ncommand = '[ {{ policy }} = good ]'\n\
         [schedule]\nparallel = 1\nretries = 9\n",
    );
    let run = begin(&place);
    until("the run is over", || run.wait() == Some(1));
    assert_eq!((run.count("succeeded"), run.count("queued"), run.count("failed")), (5, 5, 0));
    let reason = run.shard("bad_3of5")["waiting"].to_string();
    assert!(reason.contains("3 times the same failure of this combo within a minute"), "{reason}");
}

#[test]
fn packs_that_are_known_to_be_too_large_are_split_at_the_node_that_gets_them() {
    let place = Place::with_gpus("gpu 0\n total 40 GiB\n");
    let sweep = "name = 'sizes'\n[[nodes]]\nkind = 'ssh'\nhosts = ['gpu1']\n[matrix]\nobs = ['a', 'b', 'c', 'd']\n\
         reward = '0..8'\n[shard]\nid = '{{ obs }}'\ncommand = '''\n\
         if [ {{ pack.count }} -gt 2 ]; then echo 'torch.OutOfMemoryError: CUDA out of memory.'; exit 1; fi\n\
         for value in {{ pack.values | join(\" \") | safe }}; do echo {{ obs }} $value >> ran; done'''\n\
         [pack]\naxis = 'reward'\nsize = 8\n[resources]\nvram = '2 GiB'\n[schedule]\nparallel = 2\n";
    place.write("sweep.toml", sweep);
    for folder in ["r1", "r2"] {
        let words = ["run", "sweep.toml", "--detach", "--out", folder];
        let started = Ended::of(&mut with_hosts(&place, &words));
        assert_eq!(started.code, Some(0), "{started:?}");
        let run = place.run(folder);
        assert_eq!(run.wait(), Some(0), "{folder}: {}", run.status());
    }
    assert_eq!(place.read("ran").map(|ran| ran.lines().count()), Some(64), "each value once in each run");
}

#[test]
fn a_node_that_lacks_the_program_refuses_before_anything_starts() {
    let place = Place::new();
    place.write(
        "sweep.toml",
        "[[nodes]]\nkind = 'ssh'\nhosts = ['gpu1']\n[shard]\ncommand = ['no-such-program-xyz']\n",
    );
    for words in [&["check", "sweep.toml"][..], &["run", "sweep.toml", "--headless", "--out", "r"]] {
        let refused = Ended::of(&mut with_hosts(&place, words));
        assert_eq!(refused.code, Some(3), "{refused:?}");
        assert!(refused.stderr.contains("no-such-program-xyz"), "{refused:?}");
        assert!(refused.stderr.contains("(at gpu1)"), "{refused:?}");
    }
    assert!(!place.path().join("r").exists());
}

//! Shards that run at nodes with values that a user has changed.

use crate::harness::place::{Ended, Place};
use crate::nodes::{begin, with_hosts};

#[test]
fn a_shard_that_is_requeued_with_other_values_has_them_at_its_node() {
    let place = Place::new();
    place.write(
        "sweep.toml",
        "[[nodes]]\nkind = 'ssh'\nhosts = ['gpu1']\n[matrix]\nenvs = [4]\n[shard]\nid = 's'\n\
         command = 'echo envs={{ envs }}; [ {{ envs }} = 8 ]'\n",
    );
    let run = begin(&place);
    assert_eq!(run.wait(), Some(1), "{}", run.status());
    for (words, log, code) in [(&["s", "--set", "envs=8"][..], "envs=8", 0), (&["s"], "envs=4", 1)] {
        let asked = Ended::of(&mut with_hosts(&place, &[&["requeue", "--run", "r"], words].concat()));
        assert_eq!(asked.code, Some(0), "{asked:?}");
        assert_eq!(run.wait(), Some(code), "{}", run.status());
        let shown = run.does("logs", &["s"]).stdout;
        assert!(shown.contains(log), "{words:?}: {shown}");
    }
}

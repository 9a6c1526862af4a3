//! With `SWEEPDECK_TEST_NODE` every sweep of these tests runs on one node, which a stand-in for `ssh` reaches on this
//! machine, but for tests that look at the machine of the run itself.

use std::borrow::Cow;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::local_tests;
use super::wait::until;

/// What each sweep gets that names no nodes. At the end of the file no line of it moves.
const NODES: &str = "\n[[nodes]]\nkind = \"ssh\"\nhosts = [\"gpu1\"]\n";

/// Runs the line that is for the host here.
const SSH: &str = "#!/bin/bash\nexec bash -c \"${@: -1}\"\n";

/// The sweeps of the test of this thread run on a node.
pub fn is_meant() -> bool {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or_default();
    std::env::var_os("SWEEPDECK_TEST_NODE").is_some() && local_tests::reason_to_stay(test).is_none()
}

/// Waits until the nodes have done what they were asked for: elsewhere it is done before the answer.
pub fn wait_for_orders(run: &Path) {
    let is_done = || {
        let journal = fs::read_to_string(run.join("journal.jsonl")).unwrap_or_default();
        journal.matches("\"what\":\"order-given\"").count()
            <= journal.matches("\"what\":\"order-done\"").count()
    };
    until("the nodes have done what they were asked for", is_done);
}

/// The text of a file of that name, where a sweep gets its node.
pub fn put_elsewhere<'t>(name: &str, text: &'t str) -> Cow<'t, str> {
    // A line of its own, as no piece of shell has it.
    let is_sweep = name.ends_with(".toml") && text.lines().any(|line| line.trim() == "[shard]");
    match is_sweep && !text.contains("[[nodes]]") {
        true => Cow::Owned(format!("{text}{NODES}")),
        false => Cow::Borrowed(text),
    }
}

/// The folder of that place with the stand-in, to be looked into before others.
pub fn programs(place: &Path) -> PathBuf {
    let folder = place.join(".one-node");
    let program = folder.join("ssh");
    if !program.exists() {
        fs::create_dir_all(&folder).expect("a folder");
        // Written elsewhere first: a test may start several programs at once.
        let new = folder.join(format!("ssh.{:?}", std::thread::current().id()));
        fs::write(&new, SSH).expect("a file");
        fs::set_permissions(&new, fs::Permissions::from_mode(0o755)).expect("it may be run");
        fs::rename(&new, &program).expect("it gets its name");
    }
    folder
}

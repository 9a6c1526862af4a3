//! With `SWEEPDECK_TEST_NODE` every sweep of these tests runs on one node, which a stand-in for `ssh` reaches on this
//! machine. Tests that look into the folder, the processes or the GPUs of the run itself fail then.

use std::borrow::Cow;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// What each sweep gets that names no nodes. At the end of the file no line of it moves.
const NODES: &str = "\n[[nodes]]\nkind = \"ssh\"\nhosts = [\"gpu1\"]\n";

/// Runs the line that is for the host here.
const SSH: &str = "#!/bin/bash\nexec bash -c \"${@: -1}\"\n";

fn is_meant() -> bool {
    std::env::var_os("SWEEPDECK_TEST_NODE").is_some()
}

/// The text of a file of that name, where a sweep gets its node.
pub fn put_elsewhere<'t>(name: &str, text: &'t str) -> Cow<'t, str> {
    // A line of its own, as no piece of shell has it.
    let is_sweep = name.ends_with(".toml") && text.lines().any(|line| line.trim() == "[shard]");
    match is_meant() && is_sweep && !text.contains("[[nodes]]") {
        true => Cow::Owned(format!("{text}{NODES}")),
        false => Cow::Borrowed(text),
    }
}

/// The environment of programs in that place, in addition to that of the tests.
pub fn environment(place: &Path) -> Vec<(&'static str, OsString)> {
    if !is_meant() {
        return Vec::new();
    }
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
    let mut path = folder.into_os_string();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    vec![("PATH", path)]
}

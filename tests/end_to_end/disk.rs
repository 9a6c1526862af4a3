//! A disk that is full: the run says so while it is, wherever it is looked at, and forgets it when there is room again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::harness::place::{Place, Run};
use crate::harness::wait::until;

/// A small file system of its own; it goes with the test.
struct Mount(PathBuf);

impl Mount {
    fn new(at: &Path, options: &str) -> Self {
        fs::create_dir(at).expect("a folder");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(at).status();
        assert!(mounted.expect("mount is there").success());
        Self(at.to_owned())
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Takes all the room there is.
fn fill(mount: &Path, kind: &str) {
    let folder = mount.join("filler");
    fs::create_dir(&folder).expect("a folder");
    match kind {
        "bytes" => {
            let fed =
                Command::new("sh").args(["-c", "cat /dev/zero > filler/zeros"]).current_dir(mount).output();
            assert!(!fed.expect("sh is there").status.success(), "the disk takes everything");
        }
        _ => (0..).take_while(|number| fs::write(folder.join(number.to_string()), "").is_ok()).for_each(drop),
    }
}

#[test]
#[ignore = "needs root"]
fn a_full_disk_is_shown_while_it_is_full() {
    for (kind, options) in [("bytes", "size=128m"), ("inodes", "size=128m,nr_inodes=400")] {
        let place = Place::new();
        let mount = Mount::new(&place.path().join("m"), options);
        place.write(
            "sweep.toml",
            "name = \"disk\"\n[matrix]\nn = [1, 2]\n[shard]\nid = \"n{{ n }}\"\n\
             command = \"until [ -e go ]; do echo line; sleep 0.05; done\"\n[schedule]\nparallel = 1\n",
        );
        let started = place.sweepdeck(&["run", "sweep.toml", "--detach", "--out", "m/r"]);
        assert_eq!(started.code, Some(0), "{started:?}");
        let run = Run { place: &place, dir: mount.0.join("r") };
        run.until_phase("n1", "running");
        assert_eq!(run.status()["run"]["troubles"], serde_json::json!([]));
        fill(&mount.0, kind);
        until("the status says so", || run.does("status", &[]).stdout.contains("warning: disk full"));
        let screen = run.does("attach", &["--once"]).stdout;
        assert!(screen.contains("disk full") && !screen.contains("nothing is wrong"), "{kind}: {screen}");
        fs::remove_dir_all(mount.0.join("filler")).expect("room again");
        until("it is over", || run.status()["run"]["troubles"] == serde_json::json!([]));
        assert!(!run.does("attach", &["--once"]).stdout.contains("disk full"));
        place.write("go", "");
        assert_eq!(run.wait(), Some(0), "{kind}");
    }
}

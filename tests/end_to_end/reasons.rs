//! Every way to fail is told by its true reason.

use std::path::{Path, PathBuf};

use crate::harness::place::Place;

#[test]
fn five_ways_to_end_have_five_true_reasons() {
    let place = Place::new();
    let program = place.write("bad.bin", "\x7fELF-not-really");
    std::fs::set_permissions(&program, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("a mode");
    let (ended, run) = place.run_headless(
        r#"
name = "reasons"
[matrix]
case = ["ok", "exit3", "sig9", "short", "badexec"]
[shard]
command = """case {{ case }} in
ok) for i in 1 2 3; do echo "Episode $i/3"; done;;
exit3) exit 3;;
sig9) kill -9 $$;;
short) for i in $(seq 1 87); do echo "Episode $i/100"; done;;
badexec) exec ./bad.bin;;
esac"""
[schedule]
parallel = 2
[progress]
done = 'Episode (?<done>\d+)/(?<total>\d+)'
"#,
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let told = |id: &str| {
        let shard = run.shard(id);
        let exit = &shard["exit"];
        format!("{} {} {} {}", shard["phase"], shard["reason"], exit["code"], exit["signal"]).replace('"', "")
    };
    assert_eq!(told("ok"), "succeeded null 0 null");
    assert_eq!(told("exit3"), "failed exit-code 3 null");
    assert_eq!(told("sig9"), "failed signal null 9");
    assert_eq!(told("short"), "failed incomplete 0 null");
    assert_eq!(told("badexec"), "failed exit-code 126 null");
    assert_eq!(run.shard("short")["progress"]["done"], 87);
}

#[test]
fn a_failed_setup_step_is_no_failure_of_the_command() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "name = \"setup\"\n[shard]\nid = \"only\"\nsetup = [\"true\", \"exit 4\"]\ncommand = \"touch ran\"\n",
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let shard = run.shard("only");
    assert_eq!(shard["reason"], "launch-error");
    assert!(shard["message"].as_str().is_some_and(|message| message.contains("setup step 2")), "{shard}");
    assert_eq!(place.read("ran"), None);
}

#[test]
fn a_missing_artifact_a_timeout_and_a_traceback_fail_a_shard_that_exits_with_0() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        r#"
name = "late"
[matrix]
case = ["artifact", "timeout", "traceback"]
[shard]
command = """case {{ case }} in
artifact) true;;
timeout) echo x > {{ out }}/x; sleep 600;;
traceback) echo x > {{ out }}/x; printf 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nValueError: no\n';;
esac"""
artifacts = ["{{ out }}/x"]
[schedule]
parallel = 3
timeout = "2s"
"#,
    );
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(run.shard("artifact")["reason"], "missing-artifact");
    assert_eq!(run.shard("timeout")["reason"], "timeout");
    assert_eq!(run.shard("traceback")["reason"], "exception");
}

#[test]
fn a_failed_shard_is_tried_again_as_often_as_the_sweep_says() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "name = \"again\"\n[shard]\nid = \"only\"\n\
         command = \"echo x >> tries; [ $(wc -l < tries) = 3 ]\"\n[schedule]\nretries = 2\n",
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(run.shard("only")["attempt"], 3);
    assert_eq!(place.read("tries").as_deref(), Some("x\nx\nx\n"));
}

/// A group of processes with 32 MiB of memory, of either version of control groups.
struct SmallMemory(PathBuf);

impl SmallMemory {
    fn new() -> Self {
        let name = format!("sweepdeck-test-{}", std::process::id());
        let (first, second) = (Path::new("/sys/fs/cgroup/memory"), Path::new("/sys/fs/cgroup"));
        let (parent, limit) =
            if first.is_dir() { (first, "memory.limit_in_bytes") } else { (second, "memory.max") };
        let group = Self(parent.join(name));
        std::fs::create_dir(&group.0).expect("root may make control groups");
        std::fs::write(group.0.join(limit), (32 << 20).to_string()).expect("the memory controller is on");
        group
    }
}

impl Drop for SmallMemory {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir(&self.0);
    }
}

#[test]
#[ignore = "needs root and memory control groups"]
fn a_shard_that_the_kernel_kills_for_memory_is_told_from_a_killed_one() {
    let (place, group) = (Place::new(), SmallMemory::new());
    let sweep = format!(
        "name = \"memory\"\n[shard]\nid = \"only\"\n\
         command = \"echo $$ > {}/cgroup.procs; sleep 1; exec tail /dev/zero\"\n",
        group.0.display()
    );
    let (ended, run) = place.run_headless(&sweep);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let shard = run.shard("only");
    assert_eq!((&shard["reason"], &shard["exit"]["signal"]), (&"host-oom".into(), &9.into()), "{shard}");
}

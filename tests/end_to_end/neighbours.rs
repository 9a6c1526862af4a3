//! Beside other users: a run makes way for those who have just come, and lets them know what it claims.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command};

use serde_json::json;

use crate::harness::place::{Place, Run};
use crate::harness::wait::{until, until_some};

/// Nobody's number on most machines.
const OTHER: u32 = 65_534;

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A process of another user, ended with the test: as root a new one, else the first of the machine.
struct Other(Option<Child>);

impl Other {
    fn new() -> Self {
        let child =
            is_root().then(|| Command::new("sleep").arg("600").uid(OTHER).spawn().expect("sleep starts"));
        Self(child)
    }

    fn pid(&self) -> u32 {
        self.0.as_ref().map_or(1, Child::id)
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        if let Some(child) = &mut self.0 {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn sweep(shards: usize, schedule: &str) -> String {
    let numbers: Vec<String> = (1..=shards).map(|number| number.to_string()).collect();
    format!(
        "name = 'private_name'\n[matrix]\nn = [{}]\n[shard]\nid = 'private_{{{{ n }}}}'\n\
         command = 'until [ -e go ]; do sleep 0.05; done'\n\
         [resources]\ngpus = 1\nvram = '2 GiB'\nram = '1 MiB'\n[schedule]\nparallel = {shards}\n{schedule}\n",
        numbers.join(", ")
    )
}

fn waiting(run: &Run<'_>, shard: &str) -> String {
    run.shard(shard)["waiting"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn nothing_starts_on_a_gpu_to_which_another_user_has_just_come() {
    let other = Other::new();
    let pid = other.pid();
    let with_other = format!("gpu 0\n total 48 GiB\n compute {pid} 4 GiB\n");
    let place = Place::with_gpus(&with_other);
    // The first process of a machine has been there for as long as the machine is up.
    let run = place.start(&sweep(1, "yield = '100000h'"));
    until("it makes way, and says for whom", || {
        let reason = waiting(&run, "private_1");
        reason.starts_with("needs 1 GPU, 0 can be used; GPU 0: yields to ")
            && reason.contains(&format!("(pid {pid}) of "))
    });
    let check = place.sweepdeck(&["check", "sweep.toml"]);
    assert!(check.stdout.contains("GPU 0 (48.0 GiB): no shards, yields to "), "{check:?}");
    place.gpus("gpu 0\n total 48 GiB\n");
    run.until_phase("private_1", "running");
    place.gpus(&with_other);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0), "what runs there already runs on");
}

#[test]
fn without_the_wish_nothing_makes_way() {
    let other = Other::new();
    let place = Place::with_gpus(&format!("gpu 0\n total 48 GiB\n compute {} 4 GiB\n", other.pid()));
    let run = place.start(&sweep(1, ""));
    run.until_phase("private_1", "running");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

/// The folder in which a user announces.
fn folder(uid: u32) -> PathBuf {
    PathBuf::from(format!("/tmp/sweepdeck-claims-{uid}"))
}

#[test]
fn claims_are_announced_as_amounts_and_withdrawn_at_the_end() {
    let place = Place::with_gpus("gpu 0\n total 48 GiB\n");
    let run = place.start(&sweep(2, "announce = true"));
    until("both run", || run.count("running") == 2);
    let gpu = format!("GPU-{}-0", place.path().file_name().expect("a name").to_string_lossy());
    let own = folder(rustix::process::geteuid().as_raw());
    let (file, text) = until_some("the claims are announced", || {
        let files = fs::read_dir(&own).ok()?.flatten().map(|entry| entry.path());
        let mut read = files.filter_map(|path| Some((path.clone(), fs::read_to_string(path).ok()?)));
        read.find(|(_, text)| text.contains(&gpu) && text.contains("\"shards\": 2"))
    });
    let found = fs::metadata(&file).expect("it is there");
    assert_eq!(found.mode() & 0o777, 0o644, "everybody may read it");
    let announced: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(announced["gpus"][0]["vram_bytes"], 4_u64 << 30);
    assert_eq!(announced["ram_bytes"], 2 << 20);
    assert!(!text.contains("private"), "amounts alone: {text}");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    until("it is withdrawn", || !file.exists());
}

#[test]
fn what_other_users_claim_is_shown_and_counts_where_the_run_makes_way() {
    if !is_root() {
        // Nobody else can make another user's folder.
        return;
    }
    let other = Other::new();
    let place = Place::with_gpus("gpu 0\n total 48 GiB\n");
    let name = place.path().file_name().expect("a name").to_string_lossy().into_owned();
    let stat = fs::read_to_string(format!("/proc/{}/stat", other.pid())).expect("it lives");
    let fields = &stat[stat.rfind(')').expect("a name") + 2..];
    let ticks: u64 = fields.split(' ').nth(19).and_then(|field| field.parse().ok()).expect("a start");
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").expect("a boot");
    let announcement = json!({
        "version": 1,
        "owner": { "pid": other.pid(), "start_ticks": ticks, "boot_id": boot.trim(), "pid_namespace": null },
        "shards": 2,
        "gpus": [{ "gpu": format!("GPU-{name}-0"), "shards": 2, "vram_bytes": 40_u64 << 30 }],
        "cpus": 0,
        "ram_bytes": 0,
    });
    let theirs = folder(OTHER);
    if fs::create_dir(&theirs).is_ok() {
        fs::set_permissions(&theirs, fs::Permissions::from_mode(0o755)).expect("a mode");
        chown(&theirs, Some(OTHER), None).expect("root gives it away");
    }
    let file = theirs.join(format!("{name}.json"));
    fs::write(&file, announcement.to_string()).expect("a file");
    chown(&file, Some(OTHER), None).expect("root gives it away");
    place.write("sweep.toml", &sweep(6, "yield = true"));
    let check = place.sweepdeck(&["check", "sweep.toml"]);
    fs::remove_file(&file).expect("it was there");
    assert!(check.stdout.contains("claims for 2 shards: 40.0 GiB on GPU 0\n"), "{check:?}");
    assert!(
        check.stdout.contains(
            "GPU 0 (48.0 GiB): 0.0 in use, 40.0 promised to other runs, 4 x 2.0 claimed, 0.0 left\n"
        ),
        "{check:?}"
    );
    let check = place.sweepdeck(&["check", "sweep.toml"]);
    assert!(check.stdout.contains("6 x 2.0 claimed, 36.0 left\n"), "{check:?}");
}

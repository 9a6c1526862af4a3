//! A look at real folders, programs and settings finds what would make a run fail, and nothing else.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use jiff::Timestamp;
use sweepdeck::config::plan::{PlanOrigin, read_plan};
use sweepdeck::model::ids::GpuIndex;
use sweepdeck::model::machine::gpu_health::{GpuFault, GpuFaultKind, GpuHealth};
use sweepdeck::model::machine::sample::{GpuCard, GpuInventory, GpuProcess, GpuSample};
use sweepdeck::model::sweep::plan::Plan;
use sweepdeck::model::units::Bytes;
use sweepdeck::preflight::finding::FindingSeverity;
use sweepdeck::preflight::inspect::inspect_machine;
use sweepdeck::preflight::surroundings::{MachineTelemetry, Surroundings};
use sweepdeck::telemetry::gpu_source::GpuReadings;
use tempfile::TempDir;

/// A folder that is the sweep's folder, the home, and the root of the system's settings.
struct Machine {
    folder: TempDir,
    env: BTreeMap<String, String>,
    inventory: GpuInventory,
    gpus: GpuReadings,
}

impl Machine {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().to_str().unwrap().to_owned();
        let path = std::env::var("PATH").unwrap();
        Self {
            folder,
            env: BTreeMap::from([("HOME".to_owned(), home), ("PATH".to_owned(), path)]),
            inventory: GpuInventory::Absent { reason: "no driver".to_owned() },
            gpus: GpuReadings::default(),
        }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn file(&self, name: &str, text: &str, mode: u32) {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    }

    fn plan(&self, sweep: &str) -> Plan {
        let home = Some(self.path().to_owned());
        let file = self.path().join("sweep.toml");
        let origin = PlanOrigin { file, home, cores: 2, ..PlanOrigin::default() };
        read_plan(sweep, &origin).unwrap_or_else(|problems| panic!("{problems}"))
    }

    /// Every finding as `severity: what: message`, less remarks about the disk and absent GPUs.
    fn found(&self, sweep: &str) -> Vec<String> {
        let around = Surroundings {
            env: self.env.clone(),
            user: Some((1000, "robot".to_owned())),
            root: self.path().to_owned(),
        };
        let readings = MachineTelemetry { inventory: &self.inventory, gpus: &self.gpus };
        let report = inspect_machine(&self.plan(sweep), &self.path().join("results/run"), readings, &around);
        assert_eq!(
            report.refuses(),
            report.findings.iter().any(|finding| finding.severity == FindingSeverity::Refuse)
        );
        let shown = report.findings.iter().map(ToString::to_string);
        let boring = |line: &String| line.starts_with("note: gpu: no GPU") || line.contains(": disk: ");
        let home = self.path().to_str().unwrap();
        shown.filter(|line| !boring(line)).map(|line| line.replace(home, "HOME")).collect()
    }

    fn command(&self, command: &str) -> Vec<String> {
        self.found(&format!("[shard]\ncommand = '''{command}'''"))
    }
}

#[test]
fn a_missing_program_and_a_missing_folder_are_both_told() {
    let found = Machine::new().found("[shard]\ncwd = 'nowhere'\ncommand = ['no-such-program-xyz']");
    assert_eq!(found.len(), 2, "{found:#?}");
    assert!(found[0].starts_with("error: cwd: the working directory HOME/nowhere does not exist"));
    assert!(
        found[1].starts_with("error: program: the program `no-such-program-xyz` is not on the search path")
    );
}

#[test]
fn a_sound_sweep_finds_nothing() {
    let machine = Machine::new();
    machine.file("run.sh", "#!/bin/sh\n", 0o755);
    for command in ["'./run.sh {{ out }}'", "['./run.sh']", "['~/run.sh']", "['sh', 'run.sh']", "'cd /; ./x'"]
    {
        let found = machine.found(&format!("[shard]\ncommand = {command}"));
        assert!(found.is_empty(), "{command}: {found:#?}");
    }
}

#[test]
fn programs_are_looked_up_where_they_will_run() {
    let machine = Machine::new();
    machine.file("sim/go.sh", "#!/bin/sh\n", 0o644);
    let in_sim = |command: &str| machine.found(&format!("[shard]\ncwd = 'sim'\ncommand = '{command}'"));
    assert!(
        in_sim("./stop.sh -p x")[0]
            .starts_with("error: program: the program `./stop.sh` (HOME/sim/./stop.sh)")
    );
    assert!(in_sim("./go.sh")[0].contains("may not be run\n  help: chmod +x"));
    assert!(machine.command("./sim")[0].contains("is a folder"));
}

#[test]
fn what_a_shell_may_know_is_never_refused() {
    let mut machine = Machine::new();
    for command in
        ["if true; then x-y; fi", "f() { :; }; f", "A=1 no-such-x", "$X y", "shopt -s globstar", "[[ 1 ]]"]
    {
        assert!(machine.command(command).is_empty(), "{command}");
    }
    assert!(machine.command("no-such-x || true")[0].starts_with("warning: program"));
    assert!(machine.command("no-such-x | tee log")[0].starts_with("warning: program"));
    machine.env.insert("BASH_FUNC_no-such-x%%".to_owned(), "() { :; }".to_owned());
    assert!(machine.command("no-such-x").is_empty());
    assert!(machine.found("[shard]\nsetup = ['PATH=$PATH:/x']\ncommand = 'no-such-y'").is_empty());
    assert!(machine.found("[shard]\nsetup = ['cd sub && :']\ncommand = './y'").is_empty());
    assert!(machine.found("[shard]\ncwd = '{{ out }}'\ncommand = './y'").is_empty());
}

#[test]
fn the_path_of_the_sweep_is_the_one_that_counts() {
    let machine = Machine::new();
    machine.file("bin/only-here", "#!/bin/sh\n", 0o755);
    let path = machine.path().join("bin");
    let sweep =
        format!("[shard]\nenv = {{ PATH = '{}:/bin:/usr/bin' }}\ncommand = ['only-here']", path.display());
    assert!(machine.found(&sweep).is_empty());
    assert_eq!(machine.found("[shard]\ncommand = ['only-here']").len(), 1);
}

#[test]
fn scripts_with_windows_line_ends_are_found() {
    let machine = Machine::new();
    machine.file("run.sh", "#!/bin/bash\r\necho x\r\n", 0o755);
    let run = machine.command("./run.sh --policy flat");
    assert!(run[0].starts_with("error: script: the script HOME/run.sh has Windows line ends"), "{run:#?}");
    assert!(run[0].ends_with("help: sed -i 's/\\r$//' HOME/run.sh"));
    assert!(machine.command("bash run.sh")[0].starts_with("warning: script"));
    assert!(machine.found("[shard]\ncommand = ['./run.sh']")[0].starts_with("error: script"));
}

#[test]
fn setup_that_cannot_work_is_found() {
    let machine = Machine::new();
    machine.file("miniforge3/etc/profile.d/conda.sh", "", 0o644);
    let setup = |steps: &str| machine.found(&format!("[shard]\nsetup = [{steps}]\ncommand = 'python x'"));
    let missing = setup("'source ~/miniconda3/etc/profile.d/conda.sh', 'conda activate e'");
    assert_eq!(missing.len(), 1, "{missing:#?}");
    assert!(missing[0].starts_with(
        "error: setup: the setup step `source ~/miniconda3/etc/profile.d/conda.sh` has no file"
    ));
    assert!(missing[0].ends_with("conda is here: source HOME/miniforge3/etc/profile.d/conda.sh"));
    assert!(setup("'conda activate e'")[0].starts_with("warning: setup: `conda activate`"));
    assert!(setup("'source ~/miniforge3/etc/profile.d/conda.sh', 'conda activate e'").is_empty());
    assert!(setup("'source ~/missing.sh || true'").is_empty());
}

#[test]
fn a_secret_that_is_not_exported_is_told() {
    let mut machine = Machine::new();
    let sweep = "[shard]\ncommand = 'true'\nsecret = ['HF_TOKEN_X']";
    assert!(machine.found(sweep)[0].starts_with("warning: secret: the secret `HF_TOKEN_X` is not set"));
    machine.env.insert("HF_TOKEN_X".to_owned(), "x".to_owned());
    assert!(machine.found(sweep).is_empty());
}

#[test]
fn gpus_are_compared_with_what_a_shard_needs() {
    let mut machine = Machine::new();
    let sweep = |resources: &str| format!("[shard]\ncommand = 'true'\n[resources]\n{resources}");
    assert!(
        machine.found(&sweep("gpus = 1"))[0]
            .starts_with("error: gpu: a shard needs 1 GPU(s), and there is none: no driver")
    );
    assert!(machine.found(&sweep("vram = '2 GiB'"))[0].starts_with("warning: gpu"));
    assert!(machine.found(&sweep("gpus = 0")).is_empty());

    let card = GpuCard {
        uuid: "GPU-a".into(),
        name: "H100".into(),
        vram_total: Some(Bytes(80 << 30)),
        ..GpuCard::unknown(GpuIndex(0))
    };
    machine.inventory = GpuInventory::Present { driver: "580.1".into(), cards: vec![card] };
    machine.gpus.processes = vec![GpuProcess { gpu: GpuIndex(0), pid: 77, vram: Some(Bytes(39 << 30)) }];
    assert!(
        machine.found(&sweep("gpus = 2"))[0].starts_with("error: gpu: a shard needs 2 GPUs, and there are 1")
    );
    assert!(
        machine.found(&sweep("vram = '90 GiB'"))[0]
            .starts_with("error: vram: a shard needs 90.0 GiB on a GPU")
    );
    let tenant = "note: gpu: GPU 0 is in use already: 39.0 GiB of 80.0 GiB, by process 77";
    assert_eq!(machine.found(&sweep("gpus = 1\nvram = '2 GiB'")), [tenant]);
}

/// A machine whose GPUs have these faults.
fn with_faults(faults: &[Option<GpuFaultKind>]) -> Machine {
    let mut machine = Machine::new();
    let index = |number: usize| GpuIndex(number as u32);
    let cards = (0..faults.len()).map(|number| GpuCard::unknown(index(number))).collect();
    machine.inventory = GpuInventory::Present { driver: "580.1".into(), cards };
    let at = Timestamp::UNIX_EPOCH;
    let fault = |kind: &GpuFaultKind| GpuFault { kind: kind.clone(), since: at, last: at, count: 1 };
    let health = |(number, kind): (usize, &Option<GpuFaultKind>)| GpuHealth {
        gpu: index(number),
        faults: kind.iter().map(fault).collect(),
    };
    machine.gpus.health = faults.iter().enumerate().map(health).collect();
    machine
}

#[test]
fn a_gpu_in_mig_mode_is_refused_clearly() {
    let sweep = "[shard]\ncommand = 'true'";
    let found = with_faults(&[Some(GpuFaultKind::Mig)]).found(sweep);
    let refusal = "error: gpu: GPU 0 is in MIG mode, which sweepdeck cannot schedule\n  help: make it whole with \
                   `sudo nvidia-smi -i 0 -mig 0`";
    assert_eq!(found, [refusal]);
    assert!(
        with_faults(&[Some(GpuFaultKind::Mig)]).found(&format!("{sweep}\n[resources]\ngpus = 0")).is_empty()
    );
}

#[test]
fn gpus_that_do_not_work_are_told_and_refused_only_where_too_few_are_left() {
    let machine = with_faults(&[None, Some(GpuFaultKind::Lost), Some(GpuFaultKind::Xid { code: 31 })]);
    let sweep = |gpus: u32| format!("[shard]\ncommand = 'true'\n[resources]\ngpus = {gpus}");
    let found = machine.found(&sweep(2));
    assert!(found[0].starts_with("warning: gpu: GPU 1 is lost: it fell off the bus"), "{found:#?}");
    assert!(found[0].contains("help: shards go to the other GPUs"), "{found:#?}");
    assert!(found[1].starts_with("warning: gpu: GPU 2: Xid 31: a program touched"), "{found:#?}");
    assert!(machine.found(&sweep(3))[0].starts_with("error: gpu: GPU 1 is lost"));
}

#[test]
fn tenants_are_named_where_they_can_be() {
    let mut machine = with_faults(&[None]);
    let sweep = "[shard]\ncommand = 'true'";
    let unknown = GpuSample::unknown(GpuIndex(0), Timestamp::UNIX_EPOCH);
    let used = Some(Bytes(40 << 30));
    machine.gpus.samples = vec![GpuSample { vram_used_bytes: used, ecc_uncorrected: Some(2), ..unknown }];
    let found = machine.found(sweep);
    assert!(found[0].starts_with("warning: gpu: GPU 0 has had 2 memory errors that ECC could not correct"));
    assert_eq!(
        found[1],
        "note: gpu: GPU 0 is in use already: 40.0 GiB, by processes that the driver does not list here"
    );
    machine.gpus.processes = vec![GpuProcess { gpu: GpuIndex(0), pid: 77, vram: None }];
    machine.gpus.samples[0].outside_processes = Some(1);
    assert_eq!(
        machine.found(sweep)[1],
        "note: gpu: GPU 0 is in use already: 40.0 GiB, by a process outside this container"
    );
}

#[test]
fn a_logout_that_would_kill_the_run_is_told_unless_the_user_lingers() {
    let machine = Machine::new();
    machine.file("etc/systemd/logind.conf", "[Login]\n#KillUserProcesses=no\nKillUserProcesses=no\n", 0o644);
    assert!(machine.command("true").is_empty());
    machine.file("etc/systemd/logind.conf.d/50-site.conf", "[Login]\nKillUserProcesses = yes\n", 0o644);
    let found = machine.command("true");
    assert!(
        found[0].starts_with("warning: logout") && found[0].contains("loginctl enable-linger robot"),
        "{found:#?}"
    );
    machine.file("var/lib/systemd/linger/robot", "", 0o644);
    assert!(machine.command("true").is_empty());
}

#[test]
fn a_run_needs_a_folder_to_live_in() {
    let machine = Machine::new();
    machine.file("results", "", 0o644);
    let found = machine.command("true");
    assert!(found[0].starts_with("error: output: HOME/results is not a folder"), "{found:#?}");
}

//! What becomes of templates when an attempt starts.

use super::*;
use crate::config::plan::{PlanOrigin, read_plan};

fn plan(source: &str) -> Plan {
    let origin = PlanOrigin {
        file: "/sweeps/eval.toml".into(),
        home: Some("/home/robot".into()),
        cores: 2,
        ..PlanOrigin::default()
    };
    read_plan(source, &origin).unwrap_or_else(|problems| panic!("{problems}"))
}

fn start() -> StartValues {
    StartValues {
        run_dir: "/runs/my run".into(),
        attempt_dir: "/runs/my run/shards/a/attempt-02".into(),
        out: "/runs/my run/shards/a/attempt-02/out".into(),
        attempt: AttemptNumber(2),
        gpus: vec![GpuIndex(3), GpuIndex(5)],
        gpu_uuids: Vec::new(),
        port: Some(4444),
        previous: None,
        home: Some("/home/robot".into()),
        services: BTreeMap::new(),
    }
}

fn rendered(source: &str) -> Rendered {
    let plan = plan(source);
    render_attempt(&plan, &plan.shards[0], &start()).unwrap()
}

#[test]
fn a_text_becomes_a_script_and_a_list_stays_a_list() {
    let text = rendered("[shard]\ncommand = 'x --out {{ out }} --gpus {{ gpus }} --port {{ port }}'");
    assert_eq!(text.argv, ["bash", "/runs/my run/shards/a/attempt-02/command.sh"]);
    let script =
        "#!/usr/bin/env bash\nx --out '/runs/my run/shards/a/attempt-02/out' --gpus 3,5 --port 4444\n";
    assert_eq!(text.script.as_deref(), Some(script));

    let list = rendered("[shard]\ncwd = '~/sim'\ncommand = ['~/bin/py', '--out={{ out }}', '{{ attempt }}']");
    let argv = ["/home/robot/bin/py", "--out=/runs/my run/shards/a/attempt-02/out", "2"];
    assert_eq!((list.argv.as_slice(), list.script), (argv.map(str::to_owned).as_slice(), None));
    assert_eq!(list.cwd, PathBuf::from("/home/robot/sim"));
}

#[test]
fn the_environment_holds_the_contract_unless_the_sweep_sets_it() {
    let env = rendered(
        "[shard]\ncommand = 'true'\nenv = { PYTHONUNBUFFERED = '', OUT = '{{ out }}' }\n[resources]\ncpus = 3",
    )
    .env;
    let expected = [
        ("CUDA_DEVICE_ORDER", "PCI_BUS_ID"),
        ("CUDA_VISIBLE_DEVICES", "3,5"),
        ("MUJOCO_EGL_DEVICE_ID", "3"),
        ("OMP_NUM_THREADS", "3"),
        ("OUT", "/runs/my run/shards/a/attempt-02/out"),
        ("PYTHONUNBUFFERED", ""),
        ("SWEEPDECK_ATTEMPT", "2"),
        ("SWEEPDECK_RUN", "/runs/my run"),
        ("SWEEPDECK_SHARD", "eval"),
    ];
    let shown: Vec<(&str, &str)> = env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(shown, expected);
}

#[test]
fn gpus_are_named_by_uuid_where_known_and_not_at_all_without_any() {
    let plan = plan("[shard]\ncommand = 'true'");
    let uuids = StartValues { gpu_uuids: vec!["GPU-a".into(), "GPU-b".into()], ..start() };
    let env = render_attempt(&plan, &plan.shards[0], &uuids).unwrap().env;
    assert_eq!(env["CUDA_VISIBLE_DEVICES"], "GPU-a,GPU-b");
    let none = StartValues { gpus: Vec::new(), ..start() };
    assert!(!render_attempt(&plan, &plan.shards[0], &none).unwrap().env.contains_key("CUDA_VISIBLE_DEVICES"));
}

#[test]
fn components_take_the_gpus_in_turn() {
    let source = "[resources]\ngpus = { env = { gpus = 1 }, rollout = { gpus = 1 } }\n[shard]\n\
                  command = ['x', '{{ gpus.env }}', '{{ gpus.rollout | first }}', '{{ gpus }}']";
    assert_eq!(rendered(source).argv, ["x", "3", "5", "3,5"]);
}

#[test]
fn components_print_their_gpus_in_the_grammar_of_rlinf() {
    let gpus = |parts: &str| {
        let source = format!(
            "[resources]\ngpus = {{ {parts} }}\n[shard]\n\
             command = ['{{{{ gpus.env }}}}', '{{{{ gpus.rollout }}}}', '{{{{ gpus }}}}']"
        );
        let plan = plan(&source);
        let gpus = (0..plan.resources.gpus.as_ref().unwrap().gpu_count()).map(GpuIndex).collect();
        render_attempt(&plan, &plan.shards[0], &StartValues { gpus, ..start() }).unwrap().argv
    };
    assert_eq!(gpus("env = { gpus = 2 }, rollout = { gpus = 2 }"), ["0-1", "2-3", "0,1,2,3"]);
    assert_eq!(gpus("env = { gpus = 4 }, rollout = { gpus = 4 }")[..2], ["0-3", "4-7"]);
    let shared = |gpus| format!("{{ gpus = {gpus}, shared = true }}");
    let both = |gpus| format!("env = {}, rollout = {}", shared(gpus), shared(gpus));
    assert_eq!(gpus(&both(2)), ["0-1", "0-1", "0,1"]);
    assert_eq!(gpus(&both(1)), ["0", "0", "0"]);
    let apart = StartValues { gpus: vec![GpuIndex(0), GpuIndex(1), GpuIndex(3)], ..start() };
    let plan = plan("[resources]\ngpus = { env = { gpus = 3 } }\n[shard]\ncommand = ['{{ gpus.env }}']");
    assert_eq!(render_attempt(&plan, &plan.shards[0], &apart).unwrap().argv, ["0-1,3"]);
}

#[test]
fn artifacts_are_absolute() {
    let source = "[shard]\ncwd = 'sub'\ncommand = 'true'\nartifacts = ['{{ out }}/*.json', 'r.csv', '~/x']";
    let expected = ["/runs/my run/shards/a/attempt-02/out/*.json", "/sweeps/sub/r.csv", "/home/robot/x"];
    assert_eq!(rendered(source).artifacts, expected);
}

#[test]
fn a_result_file_is_named_once_with_all_that_is_read_from_it() {
    let metric =
        |name: &str, file: &str| format!("[[metric]]\nname = '{name}'\nfile = '{file}'\nkey = 'k'\n");
    let source = format!(
        "[shard]\ncommand = 'true'\n[results]\nfile = '{{{{ out }}}}/e.json'\n{}{}{}",
        metric("a", "{{ out }}/e.json"),
        metric("b", "*.csv"),
        metric("c", "./*.csv"),
    );
    let file = |pattern: &str, known, metrics: &[&str]| ResultFile {
        merged: false,
        earlier: Vec::new(),
        pattern: pattern.to_owned(),
        known,
        metrics: metrics.iter().map(|name| (*name).to_owned()).collect(),
    };
    let expected = [
        file("/runs/my run/shards/a/attempt-02/out/e.json", true, &["a"]),
        file("/sweeps/*.csv", false, &["b", "c"]),
    ];
    assert_eq!(rendered(&source).result_files, expected);
}

#[test]
fn a_port_is_wanted_only_by_those_who_print_it() {
    assert!(wants_port(&plan("[shard]\ncommand = ['x', '{{ port }}']")));
    assert!(!wants_port(&plan("[shard]\ncommand = 'echo port'")));
}

//! Shipped sweeps can be read, and rendered commands do in bash what they say.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;

use std::process::{Command, Output};

use sweepdeck::config::plan::{PlanOrigin, read_plan};
use sweepdeck::config::templates::render::{SCRIPT_FILE, SETUP_STEP_FILE, StartValues, render_attempt};
use sweepdeck::model::ids::AttemptNumber;
use tempfile::TempDir;

#[test]
fn every_shipped_sweep_is_a_plan() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("configs");
    let mut read_sweeps = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().path();
        // Folders hold what sweeps run.
        if file.is_dir() {
            continue;
        }
        let source = std::fs::read_to_string(&file).unwrap();
        let origin = PlanOrigin { file, home: Some("/home/robot".into()), cores: 4, ..PlanOrigin::default() };
        match read_plan(&source, &origin) {
            Ok(plan) => assert!(!plan.shards.is_empty()),
            Err(problems) => panic!("{problems}"),
        }
        read_sweeps += 1;
    }
    assert!(read_sweeps > 0);
}

#[test]
fn the_isaac_sweep_is_the_eight_combos_of_the_evaluation() {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("configs/isaac_4env.toml");
    let source = std::fs::read_to_string(&file).unwrap();
    let plan = read_plan(
        &source,
        &PlanOrigin { file, home: Some("/home/robot".into()), cores: 4, ..PlanOrigin::default() },
    )
    .unwrap();
    let ids: Vec<&str> = plan.shards.iter().map(|shard| shard.id.as_str()).collect();
    let environments = ["friction", "grass", "boulder", "stairs"];
    let expected: Vec<String> = ["flat", "rough"]
        .iter()
        .flat_map(|policy| environments.map(|env| format!("{env}_{policy}")))
        .collect();
    assert_eq!(ids, expected);
    assert_eq!(plan.shards[0].cwd, PathBuf::from("/home/robot/IsaacLab"));
    assert!(plan.shards[0].command.contains("--policy flat --env friction --output_dir {{ out }}"));
}

/// Renders the only shard of a sweep, writes its script and runs it as the holder would.
fn run(sweep: &str) -> (Output, TempDir) {
    let folder = tempfile::Builder::new().prefix("a folder ").tempdir().unwrap();
    let origin =
        PlanOrigin { file: folder.path().join("sweep.toml"), home: None, cores: 2, ..PlanOrigin::default() };
    let plan = read_plan(sweep, &origin).unwrap_or_else(|problems| panic!("{problems}"));
    let start = StartValues {
        run_dir: folder.path().into(),
        attempt_dir: folder.path().into(),
        out: folder.path().join("out"),
        attempt: AttemptNumber::FIRST,
        gpus: Vec::new(),
        gpu_uuids: Vec::new(),
        port: None,
        previous: None,
        home: None,
        services: Default::default(),
    };
    let rendered = render_attempt(&plan, &plan.shards[0], &start).unwrap();
    if let Some(script) = rendered.script {
        std::fs::write(folder.path().join(SCRIPT_FILE), script).unwrap();
    }
    let mut command = Command::new(&rendered.argv[0]);
    command.args(&rendered.argv[1..]).envs(rendered.env).current_dir(rendered.cwd);
    (command.output().unwrap(), folder)
}

fn text(output: &Output) -> String {
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// The number of the setup step that failed.
fn failed_step(folder: &TempDir) -> Option<String> {
    std::fs::read_to_string(folder.path().join(SETUP_STEP_FILE)).ok().map(|step| step.trim().to_owned())
}

#[test]
fn shell_text_means_to_bash_what_it_says() {
    let (output, folder) = run(r#"[shard]
command = '''
a=(1 2 3); echo ${#a[@]} ${0##*/} $#
f=x.tar.gz; echo ${f%.gz} | awk '{print $1}' 
echo '{"k": {"n": 1}}' ; false; echo $? {{ out }} "{{ out }}"'''
"#);
    let out = folder.path().join("out").display().to_string();
    assert_eq!(text(&output), format!("3 command.sh 0\nx.tar\n{{\"k\": {{\"n\": 1}}}}\n1 {out} {out}\n"));
}

#[test]
fn setup_steps_reach_the_command_and_leave_no_trace() {
    let sweep =
        "[shard]\nsetup = ['export A=1 # note', 'set -euC', 'b=(2 3)']\ncommand = 'echo $A ${b[1]} $#'\n";
    let (output, folder) = run(sweep);
    assert_eq!(text(&output), "1 3 0\n");
    assert_eq!(failed_step(&folder), None);
}

#[test]
fn a_setup_step_that_fails_or_exits_ends_the_attempt_and_is_named() {
    for (step, status) in
        [("(exit 7)", 7), ("exit 9", 9), ("no-such-program-xyz 2>&1", 127), ("set -e\nfalse", 1)]
    {
        let sweep = format!("[shard]\nsetup = ['true', '''{step}''', 'true']\ncommand = 'echo never'\n");
        let (output, folder) = run(&sweep);
        assert_eq!(output.status.code(), Some(status), "{step}");
        assert!(!String::from_utf8_lossy(&output.stdout).contains("never"));
        assert_eq!(failed_step(&folder).as_deref(), Some("2"), "{step}");
    }
}

#[test]
fn a_command_that_fails_after_its_setup_is_no_failed_setup() {
    let (output, folder) = run("[shard]\nsetup = ['true']\ncommand = 'false; exit 3'\n");
    assert_eq!((output.status.code(), failed_step(&folder)), (Some(3), None));
}

#[test]
fn a_list_command_keeps_its_arguments_through_the_setup() {
    let sweep = "[shard]\nsetup = ['echo setup sees $#', 'set -- other', 'export A=1']\n\
                 command = ['sh', '-c', 'echo $A \"$1\"', 'sh', 'a  b; $(c)']\n";
    let (output, folder) = run(sweep);
    assert_eq!(text(&output), "setup sees 0\n1 a  b; $(c)\n");
    assert_eq!(failed_step(&folder), None);
}

#[test]
fn windows_line_ends_of_a_sweep_do_not_reach_bash() {
    let (output, _folder) = run("[shard]\r\ncommand = \"\"\"\r\necho one\r\necho two\r\n\"\"\"\r\n");
    assert_eq!(text(&output), "one\ntwo\n");
}

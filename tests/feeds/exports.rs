//! `export` and the Python package: what the real readers find, once and after a second time.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::place::{Ended, Place, Run};
use crate::tools::python_with;

/// Two shards with a line for each episode; one fails at its first attempt.
const SWEEP: &str = r#"
name = "tracked"
[matrix]
policy = ["flat", "rough"]
rate = [0.5]
[shard]
id = "{{ policy }}"
command = """
for i in 1 2 3; do echo "Episode $i/3 success=1"; sleep 0.3; done
test {{ policy }} = flat || test -e {{ policy }}.again || { touch {{ policy }}.again; exit 7; }
"""
[schedule]
parallel = 2
"#;

fn ended(place: &Place) -> Run<'_> {
    let (ended, run) = place.run_headless(SWEEP);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    run
}

fn python(place: &Place, program: &str, words: &[&str]) -> Command {
    let mut command = place.command(&[]);
    let mut python = Command::new(program);
    python.args(words).current_dir(place.path());
    python.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env_clear();
    python
        .env("PYTHONPATH", Path::new(env!("CARGO_MANIFEST_DIR")).join("python"))
        .env("SWEEPDECK_PROGRAM", crate::harness::place::PROGRAM)
        .env("MLFLOW_TRACKING_URI", format!("sqlite:///{}/mlflow.db", place.path().display()))
        .env("TRACKIO_DIR", place.path().join("trackio"));
    python
}

/// What a reader beside this file prints.
fn read_back(place: &Place, program: &str, reader: &str, words: &[&str]) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/feeds/readers").join(reader);
    let all: Vec<&str> =
        [file.to_str().expect("a plain path")].into_iter().chain(words.iter().copied()).collect();
    let ended = Ended::of(&mut python(place, program, &all));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    serde_json::from_str(ended.stdout.trim().lines().last().expect("a line")).expect("JSON")
}

/// The line of the export among those of the tracker.
fn send(place: &Place, program: &str, run: &Run<'_>, words: &[&str]) -> String {
    let all: Vec<&str> =
        ["-m", "sweepdeck.sync", run.word()].into_iter().chain(words.iter().copied()).collect();
    let ended = Ended::of(&mut python(place, program, &all));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let mut lines = ended.stdout.lines();
    let own = lines.find(|line| line.contains(" sent to ") || line.starts_with("nothing new"));
    own.unwrap_or_else(|| panic!("{ended:?}")).to_owned()
}

/// What was sent is forgotten here, so that all of it is sent again.
fn forget(place: &Place) {
    fs::remove_dir_all(place.path().join("state/sweepdeck/sync")).expect("what was sent");
}

#[test]
fn event_files_are_written_and_written_again_in_their_place() {
    let place = Place::new();
    let run = ended(&place);
    run.does("export", &["--to", "tensorboard"]);
    let folder = run.dir.join("results/tensorboard/flat");
    let names = || {
        let entries = fs::read_dir(&folder).expect("a folder").flatten();
        entries.map(|entry| fs::read(entry.path()).expect("a file")).collect::<Vec<_>>()
    };
    let first = names();
    assert_eq!(first.len(), 1);
    run.does("export", &["--to", "tensorboard"]);
    assert!(names() == first, "the same run is the same file");
    run.does("export", &["--to", "tensorboard", "--out", "elsewhere"]);
    assert!(place.path().join("elsewhere/rough").is_dir());
    let refused = run.sweepdeck("export", &["--to", "tensorboard", "--offline"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

#[test]
fn a_python_without_the_package_is_explained() {
    let place = Place::new();
    let run = ended(&place);
    let mut command = place.command(&["export", run.word(), "--to", "mlflow"]);
    let none = Ended::of(command.env("SWEEPDECK_PYTHON", "/nowhere/python"));
    assert_eq!(none.code, Some(5), "{none:?}");
    assert!(none.stderr.contains("SWEEPDECK_PYTHON"), "{none:?}");
}

#[test]
#[ignore = "needs Python with tensorboard"]
fn the_reader_of_tensorboard_finds_every_point() {
    let program = python_with("tensorboard");
    let place = Place::new();
    let run = ended(&place);
    run.does("export", &["--to", "tensorboard", "--out", "board"]);
    let runs = read_back(&place, &program, "tensorboard_runs.py", &["board"]);
    let done = runs["flat"]["scalars"]["done"].as_array().expect("progress").clone();
    assert_eq!(done.last().expect("a point")[1], 3.0, "{runs}");
    assert_eq!(runs["flat"]["scalars"]["result/success_rate"][0][1], 1.0, "{runs}");
    assert_eq!(runs["rough"]["plugins"], json!(["_hparams_/session_start_info"]), "{runs}");
}

#[test]
#[ignore = "needs Python with wandb"]
fn offline_runs_of_wandb_hold_every_row_under_a_fixed_id() {
    let program = python_with("wandb");
    let place = Place::new();
    let run = ended(&place);
    assert_eq!(send(&place, &program, &run, &["--to", "wandb", "--offline"]), "2 attempts sent to wandb");
    assert_eq!(send(&place, &program, &run, &["--to", "wandb", "--offline"]), "nothing new for wandb");
    let first = read_back(&place, &program, "wandb_runs.py", &["."]);
    let of = |runs: &Value, tag: &str| {
        let all = runs.as_array().expect("runs").clone();
        all.into_iter().filter(|run| run["tags"] == json!([tag])).collect::<Vec<_>>()
    };
    assert_eq!((of(&first, "succeeded").len(), of(&first, "failed").len()), (1, 1), "{first}");
    assert_eq!(of(&first, "succeeded")[0]["result"]["result/success_rate"], 1.0, "{first}");
    forget(&place);
    send(&place, &program, &run, &["--to", "wandb", "--offline"]);
    let again = of(&read_back(&place, &program, "wandb_runs.py", &["."]), "succeeded");
    assert_eq!(again.len(), 2, "another folder with the same run, which the service keeps once");
    assert_eq!(again[0], again[1]);
}

#[test]
#[ignore = "needs Python with mlflow and sqlalchemy"]
fn mlflow_holds_each_attempt_once_whatever_is_sent_again() {
    let program = python_with("mlflow, sqlalchemy");
    let place = Place::new();
    let run = ended(&place);
    assert_eq!(send(&place, &program, &run, &["--to", "mlflow"]), "2 attempts sent to mlflow");
    let first = read_back(&place, &program, "mlflow_runs.py", &["tracked"]);
    forget(&place);
    assert_eq!(send(&place, &program, &run, &["--to", "mlflow"]), "2 attempts sent to mlflow");
    assert_eq!(read_back(&place, &program, "mlflow_runs.py", &["tracked"]), first);
    run.does("requeue", &["rough"]);
    assert_eq!(run.wait(), Some(0));
    assert_eq!(send(&place, &program, &run, &["--to", "mlflow"]), "2 attempts sent to mlflow");
    let runs = read_back(&place, &program, "mlflow_runs.py", &["tracked"]);
    let phases: Vec<&str> =
        runs.as_array().expect("runs").iter().filter_map(|run| run["phase"].as_str()).collect();
    assert_eq!(phases, ["succeeded", "succeeded", "superseded"], "{runs}");
    assert_eq!(runs[0]["params"], json!({"policy": "flat", "rate": "0.5", "attempt": "1"}));
}

#[test]
#[ignore = "needs Python with trackio"]
fn trackio_gets_each_attempt_once() {
    let program = python_with("trackio");
    let place = Place::new();
    let run = ended(&place);
    assert_eq!(send(&place, &program, &run, &["--to", "trackio"]), "2 attempts sent to trackio");
    let first = read_back(&place, &program, "trackio_runs.py", &["tracked"]);
    assert_eq!(send(&place, &program, &run, &["--to", "trackio"]), "nothing new for trackio");
    assert_eq!(read_back(&place, &program, "trackio_runs.py", &["tracked"]), first);
    assert_eq!(first.as_array().map(Vec::len), Some(2), "{first}");
}

#[test]
#[ignore = "needs Python with pandas and polars"]
fn frames_have_the_same_types_in_every_run() {
    let frozen = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/frozen/v1-sealed");
    for frames in ["pandas", "polars"] {
        let program = python_with(frames);
        let place = Place::new();
        let run = ended(&place);
        let tables = read_back(&place, &program, "frames.py", &[frames, run.word(), frozen]);
        for table in ["attempts", "episodes", "gpu", "host", "shard"] {
            let types = |run: usize| tables[run][table]["types"].as_object().expect("columns").clone();
            let other = types(1);
            let both =
                types(0).into_iter().filter_map(|(name, kind)| Some((kind, other.get(&name)?.clone(), name)));
            let both: Vec<_> = both.collect();
            assert!(both.len() >= 5, "{frames} {table}: {both:?}");
            both.iter().for_each(|(kind, other, name)| assert_eq!(kind, other, "{frames} {table} {name}"));
        }
        assert_eq!(tables[0]["shards"]["rows"], 2);
        assert_eq!(tables[0]["episodes"]["rows"], 6, "{tables}");
        let kind = tables[0]["shards"]["types"]["rate"].as_str().expect("a type");
        assert!(kind.to_lowercase().starts_with("float64"), "{kind}");
    }
}

#[test]
#[ignore = "needs Python with nbclient, ipykernel and pandas"]
fn the_notebook_runs() {
    let program = python_with("nbclient, ipykernel, pandas");
    let place = Place::new();
    ended(&place);
    let notebook = concat!(env!("CARGO_MANIFEST_DIR"), "/configs/notebooks/results.ipynb");
    let execute = format!(
        "import nbformat, nbclient\nn = nbformat.read({notebook:?}, 4)\nnbclient.NotebookClient(n, timeout=300).execute()\n\
         print(len([c for c in n.cells if c.cell_type == 'code' and c.outputs]))"
    );
    let ended = Ended::of(&mut python(&place, &program, &["-c", &execute]));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_ne!(ended.stdout.trim(), "0");
}

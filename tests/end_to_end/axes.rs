//! Axes that are described instead of listed, and templates that miss them.

use serde_json::Value;

use crate::harness::place::Place;

#[test]
fn ranges_files_lines_and_output_become_shards() {
    let place = Place::new();
    for name in ["step_9", "step_10", "step_100"] {
        place.write(&format!("ckpts/{name}.pt"), "weights");
    }
    place.write("tasks.txt", "# the easy ones\npick\n\nplace\n");
    let (ended, run) = place.run_headless(
        "[matrix]\nckpt = { glob = 'ckpts/*.pt' }\nseed = '0..2'\ntask = { lines = 'tasks.txt' }\n\
         robot = { command = 'echo arm' }\n\
         [shard]\ncommand = 'test -s {{ ckpt }} && echo {{ seed }} {{ task }} {{ robot }}'\n",
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let status = run.status();
    let ids: Vec<&str> =
        status["shards"].as_array().into_iter().flatten().filter_map(|s| s["id"].as_str()).collect();
    assert_eq!(ids.len(), 12);
    assert_eq!((ids[0], ids[11]), ("step_9_0_pick_arm", "step_100_1_place_arm"));
    assert!(run.log("step_10_1_place_arm", 1).contains("1 place arm"));
}

#[test]
fn files_have_whole_paths_where_shards_run_elsewhere() {
    let place = Place::new();
    place.write("runs/a/model.pt", "weights");
    place.write("runs/b/model.pt", "weights");
    let (ended, run) = place.run_headless(
        "[matrix]\nckpt = { glob = 'runs/*/model.pt' }\n[shard]\ncwd = '/'\ncommand = 'test -s {{ ckpt | q }}'\n",
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(run.shard("b")["phase"], "succeeded");
}

#[test]
fn check_shows_what_axes_came_to_and_why_one_came_to_nothing() {
    let place = Place::new();
    place.write("ckpts/a.pt", "weights");
    let sweep = |glob: &str, command: &str| {
        format!(
            "[matrix]\nckpt = {{ glob = '{glob}' }}\nseed = {{ range = [0, 250] }}\ntask = {{ command = '{command}' }}\n\
             [shard]\ncommand = 'echo {{{{ ckpt }}}} {{{{ seed }}}} {{{{ task }}}}'\n"
        )
    };
    place.write("good.toml", &sweep("ckpts/*.pt", "echo pick"));
    let ended = place.sweepdeck(&["check", "good.toml"]);
    for line in [
        "ckpt: 1 value from files `ckpts/*.pt`: ckpts/a.pt\n",
        "seed: 250 values from { range = [0, 250] }: 0, 1, 2, 3, 4, … 249\n",
        "task: 1 value from lines that `echo pick` prints: pick\n",
    ] {
        assert!(ended.stdout.contains(line), "{line}: {ended:?}");
    }
    let ended = place.sweepdeck(&["check", "good.toml", "--json"]);
    let document: Value = serde_json::from_str(&ended.stdout).expect("a document");
    assert_eq!(document["axes"][1]["values"].as_array().map(Vec::len), Some(250));
    place.write("bad.toml", &sweep("none/*.pt", "echo no such suite >&2; exit 4"));
    let ended = place.sweepdeck(&["check", "bad.toml"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("the axis `ckpt` has no values: no file matches `none/*.pt`"), "{ended:?}");
    assert!(ended.stderr.contains("failed with exit code 4: no such suite"), "{ended:?}");
}

#[test]
fn a_list_of_sweeps_runs_no_command() {
    let place = Place::new();
    place.write(
        "sweep.toml",
        "[matrix]\nn = { command = 'touch was-run; echo 1' }\n[shard]\ncommand = 'echo {{ n }}'\n",
    );
    let ended = place.sweepdeck(&[]);
    assert!(ended.stdout.contains("sweep.toml"), "{ended:?}");
    assert!(place.read("was-run").is_none(), "a command ran only to list the sweeps");
    assert_eq!(place.sweepdeck(&["check", "sweep.toml"]).code, Some(0));
    assert!(place.read("was-run").is_some());
}

#[test]
fn an_axis_that_no_template_uses_is_warned_of() {
    let place = Place::new();
    place.write("sweep.toml", "[matrix]\np = ['a']\nq = [1]\n[shard]\ncommand = 'echo --policy {p}'\n");
    let ended = place.sweepdeck(&["check"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for line in [
        "warning: axis: `{p}` is no template, and stays as it is in `echo --policy {p}`",
        "warning: axis: no template uses the axis `q`",
    ] {
        assert!(ended.stderr.contains(line), "{line}: {ended:?}");
    }
}

//! What a person meets on the way: no sweep named, a pause between shards, a setup step that fails.

use crate::harness::place::Place;
use crate::harness::wait::until;

const SWEEP: &str = "[shard]\ncommand = 'echo hello'\n";

#[test]
fn the_one_sweep_of_a_folder_needs_no_name() {
    let place = Place::new();
    let ended = place.sweepdeck(&["check"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("no sweep file here"), "{ended:?}");
    place.write("configs/other.toml", SWEEP);
    place.write("eval.toml", SWEEP);
    place.write("pyproject.toml", "[project]\nname = 'x'\n");
    let ended = place.sweepdeck(&["run", "--headless"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    place.write("second.toml", SWEEP);
    let ended = place.sweepdeck(&["run", "--headless"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.stderr.contains("2 sweep files are here:\n  eval.toml\n  second.toml"), "{ended:?}");
}

#[test]
fn shards_that_wait_for_a_cool_down_say_so() {
    let place = Place::new();
    let run = place.start(
        "[matrix]\nn = [1, 2]\n[shard]\nid = 'n{{ n }}'\ncommand = 'echo {{ n }}'\n\
         [schedule]\nparallel = 1\ncooldown = '1h'\n",
    );
    until("the first has ended", || run.count("succeeded") == 1);
    until("the second says why it waits", || {
        let waiting = run.shard("n2")["waiting"].as_str().unwrap_or_default().to_owned();
        waiting.starts_with("cooling down, ") && waiting.ends_with(" left")
    });
    run.does("kill", &["--all"]);
}

#[test]
fn a_setup_step_that_fails_is_told_with_its_last_line() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "[shard]\nid = 'one'\nsetup = ['true', 'no-such-conda activate env_isaaclab']\ncommand = 'echo hello'\n",
    );
    assert_ne!(ended.code, Some(0), "{ended:?}");
    let shard = run.shard("one");
    assert_eq!(
        shard["message"], "setup step 2 failed: no-such-conda: command not found (exit code 127)",
        "{shard}"
    );
}

#[test]
fn a_table_holds_no_formulas() {
    let place = Place::new();
    let (ended, _) = place.run_headless(
        "name = \"cells\"\n[matrix]\nvalue = [\"=1+1\", \"-2.5\", \"@sum\", \"plain\"]\nrate = [-0.5]\n\
         [shard]\nid = \"n{{ value | replace('=', '') | replace('@', '') }}\"\ncommand = [\"true\"]\n",
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let table = place.read("r/results/combined_results.csv").expect("a table");
    for cell in [",'=1+1,", ",-2.5,", ",'@sum,", ",plain,", ",-0.5,"] {
        assert!(table.contains(cell), "{cell} in {table}");
    }
}

#[test]
fn a_run_whose_id_leads_out_of_its_folder_is_refused() {
    let place = Place::new();
    let (_, run) = place.run_headless("name = \"id\"\n[shard]\nid = \"only\"\ncommand = [\"true\"]\n");
    let record = place.read("r/run.json").expect("a record");
    let id = serde_json::from_str::<serde_json::Value>(&record).expect("JSON")["id"].to_string();
    place.write("r/run.json", &record.replace(&id, "\"../../outside\""));
    for verb in ["status", "requeue", "report"] {
        let refused = run.sweepdeck(verb, if verb == "requeue" { &["--all"] } else { &[] });
        assert!(
            refused.code == Some(5) && refused.stderr.contains("the id of the run contains `/`"),
            "{refused:?}"
        );
    }
}

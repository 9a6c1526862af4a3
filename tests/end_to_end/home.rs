//! `sweepdeck` alone on a real terminal: from home to a run and back.

use crate::harness::place::{Place, Run};
use crate::harness::screen::Screen;

/// Two combos that last until they are told to end.
fn sweep(place: &Place) {
    place.write(
        "sweep.toml",
        "name = \"pair\"\n[matrix]\nkind = [\"one\", \"two\"]\n[shard]\n\
         command = \"until [ -e go ]; do sleep 0.05; done; echo {{ kind }}\"\n[schedule]\nparallel = 2\n",
    );
}

/// The only run below `results/`.
fn only_run(place: &Place) -> Run<'_> {
    let mut runs = std::fs::read_dir(place.path().join("results")).expect("a run was made");
    let dir = runs.next().expect("a run").expect("it reads").path();
    assert!(runs.next().is_none(), "one run was started");
    Run { place, dir }
}

#[test]
fn a_sweep_is_started_from_home_and_home_leads_back_to_it() {
    let place = Place::new();
    sweep(&place);
    let mut screen = Screen::open(&place, &[]);
    screen.until("the sweep is found", |text| text.contains("sweep.toml") && text.contains("2 shards"));
    screen.press("\r");
    screen.until("its plan is shown", |text| text.contains("Plan of pair") && text.contains("kind=two"));
    // The first combo is left out, and the limit is lowered.
    screen.press(" -");
    screen.until("the choice is shown", |text| text.contains("1 of 2 combos: 1 shard, 1 side by side"));
    screen.press("s");
    screen
        .until("the dashboard shows the shard", |text| text.contains("Shards 1") && text.contains("running"));
    let run = only_run(&place);
    assert_eq!(run.status()["shards"].as_array().expect("shards").len(), 1);
    screen.press("H");
    screen.until("home lists the run", |text| text.contains("1 of 1 going on") && text.contains("1 running"));
    screen.press("\r");
    screen.until("the dashboard is back", |text| text.contains("Shards 1") && text.contains("running"));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    screen.press("H");
    screen.until("home says that it is over", |text| {
        text.contains("0 of 1 going on") && text.contains("1 succeeded")
    });
    screen.press("q");
    assert_eq!(screen.code(), 0);
    assert!(!screen.look(|screen| screen.alternate_screen()), "the terminal is given back");
}

#[test]
fn keys_that_are_typed_ahead_reach_the_screen_that_they_are_meant_for() {
    let place = Place::new();
    place.run_headless("name = \"past\"\n[shard]\ncommand = \"true\"\n");
    let mut screen = Screen::open(&place, &[]);
    screen.until("the run is found", |text| text.contains("1 succeeded"));
    screen.press("\rHq");
    assert_eq!(screen.code(), 0, "into the dashboard, home again, and out");
}

#[test]
fn a_sweep_with_mistakes_tells_them_and_home_stays() {
    let place = Place::new();
    place.write("bad.toml", "name = \"bad\"\n[shard]\ncommand = \"echo {{ nothing }}\"\n");
    let mut screen = Screen::open(&place, &[]);
    screen.until_shown("has mistakes");
    screen.press("\r");
    screen.until("the mistake is told", |text| text.contains("has no plan") && text.contains("nothing"));
    screen.press("\x1b");
    screen.until_shown("no runs yet");
    screen.press("q");
    assert_eq!(screen.code(), 0);
}

#[test]
fn a_further_value_is_run_and_the_journal_says_so_while_the_sweep_stays_as_given() {
    let place = Place::new();
    sweep(&place);
    let mut screen = Screen::open(&place, &[]);
    screen.until_shown("2 shards");
    screen.press("\r");
    screen.until_shown("Plan of pair");
    screen.press("ithree\r");
    screen.until("the value is there", |text| text.contains("three  new") && text.contains("3 of 3 combos"));
    screen.press("k ");
    screen.until("the first is left out", |text| text.contains("2 of 3 combos: 2 shards"));
    screen.press("s");
    screen.until("the dashboard shows it", |text| text.contains("Shards 2") && text.contains("three"));
    let run = only_run(&place);
    let sweep = std::fs::read_to_string(run.dir.join("sweep.toml")).expect("it was kept");
    assert!(!sweep.contains("three"), "{sweep}");
    let journal = std::fs::read_to_string(run.dir.join("journal.jsonl")).expect("there is one");
    let remark = "differs from its sweep: kind = one, two, three instead of one, two; without kind=one";
    assert!(journal.contains(remark), "{journal}");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_run_whose_folder_is_gone_is_told_and_can_be_taken_from_the_list() {
    let place = Place::new();
    let run = place.start("name = \"short\"\n[shard]\nid = \"only\"\ncommand = \"true\"\n");
    assert_eq!(run.wait(), Some(0));
    let mut screen = Screen::open(&place, &[]);
    screen.until("the run is read", |text| text.contains("finished") && text.contains("1 succeeded"));
    std::fs::remove_dir_all(&run.dir).expect("the run is mine");
    screen.until("it is told", |text| text.contains("its folder is gone"));
    screen.press("\x7f");
    screen.until_shown("no runs yet");
    screen.press("q");
    assert_eq!(screen.code(), 0);
}

#[test]
fn read_only_stays_read_only_at_home() {
    let place = Place::new();
    let run = place.start(
        "name = \"lasts\"\n[shard]\nid = \"only\"\ncommand = \"until [ -e go ]; do sleep 0.05; done\"\n",
    );
    run.until_phase("only", "running");
    let mut screen = Screen::open(&place, &["attach", "--read-only", run.word()]);
    screen.until_shown("read-only");
    screen.press("H");
    screen.until_shown("sweep.toml");
    screen.press("G\r");
    screen.until_shown("Plan of");
    screen.press("s");
    screen.press("\x1b");
    screen.until_shown("1 of 1 going on");
    screen.press("q");
    assert_eq!(screen.code(), 0);
    place.write("go", "");
}

//! The past of a run on a real terminal: played, stopped, moved in, and left as it was.

use std::fs;

use crate::harness::place::{Place, Run};
use crate::harness::screen::Screen;

/// One shard after the other: each is told apart from the rest of the run by time.
const SWEEP: &str = "name = \"past\"\n[matrix]\nn = [\"first\", \"second\"]\n[shard]\n\
    command = \"echo Episode 1/1 of {{ n }}; sleep 1.2; [ {{ n }} = first ]\"\n[schedule]\nparallel = 1\n";

#[test]
fn a_run_is_played_to_its_end_and_every_moment_can_be_gone_back_to() {
    let place = Place::new();
    let (ended, run): (_, Run<'_>) = place.run_headless(SWEEP);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    let journal = fs::read(run.dir.join("journal.jsonl")).expect("a journal");
    let mut screen = Screen::open(&place, &["replay", run.word()]);
    screen.until("it plays from the begin on", |text| text.contains("replay") && text.contains("playing x1"));
    screen.until("the second waits", |text| text.contains("1 queued") && text.contains("1 running"));
    screen.until("it stops at the end", |text| text.contains("paused x1") && text.contains("1 failed"));
    // What failed is on top, what succeeded below.
    screen.press("G");
    screen.until_shown("Episode 1/1 of first");
    screen.press("<");
    screen.until("nothing has begun", |text| text.contains("0 succeeded") && text.contains("0 failed"));
    screen.press("++");
    screen.until("it would be faster", |text| text.contains("paused x5"));
    screen.press("..");
    screen.until("one of them runs", |text| text.contains("1 running"));
    screen.press(">");
    screen.until("the second has failed", |text| text.contains("1 failed"));
    screen.press("xrR");
    screen.press("?");
    screen.until("the help has the keys", |text| text.contains("a twentieth of the run back"));
    assert!(!screen.text().contains("asks first"), "no key acts: {}", screen.text());
    screen.press("q");
    screen.press("q");
    assert_eq!(screen.code(), 0);
    assert_eq!(fs::read(run.dir.join("journal.jsonl")).expect("a journal"), journal, "it changed nothing");
}

#[test]
fn a_replay_needs_a_terminal_and_a_run() {
    let place = Place::new();
    let (_, run) = place.run_headless("name = \"past\"\n[shard]\nid = \"a\"\ncommand = \"true\"\n");
    let refused = place.sweepdeck(&["replay", run.word()]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert_eq!(place.sweepdeck(&["replay", "nowhere"]).code, Some(4));
}

#[test]
fn the_log_of_the_past_is_scrolled_and_searched_and_home_from_it_acts_on_nothing() {
    let place = Place::new();
    let (ended, run) = place.run_headless(
        "name = \"past\"\n[shard]\nid = \"a\"\ncommand = \"seq -f 'row %.0f' 1 40000; echo Episode 1/1; sleep 1.2\"\n",
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let mut screen = Screen::open(&place, &["replay", run.word()]);
    screen.until("it is at its end", |text| text.contains("paused x1") && text.contains("1 succeeded"));
    screen.until_shown("row 40000");
    screen.press("\tz/row 12345\r");
    screen.until("a line far above is found", |text| text.contains("row 12345"));
    screen.press("/row 777\r");
    screen.until("and one above that", |text| text.contains("row 7779"));
    screen.press("ggg");
    screen.until("the first lines", |text| text.lines().any(|line| line.contains("row 1 ")));
    screen.press("H");
    screen.until_shown("sweep.toml");
    screen.press("G\r");
    screen.until_shown("Plan of past");
    screen.press("s");
    screen.press("\x1b");
    screen.until_shown("0 of 1 going on");
    screen.press("g\r");
    screen.until("a dashboard that acts on nothing", |text| {
        text.contains("read-only") && text.contains("1 Shards")
    });
    screen.press("q");
    assert_eq!(screen.code(), 0);
}

#[test]
fn the_whole_course_of_a_run_is_one_animated_picture() {
    let place = Place::new();
    let (_, run) = place.run_headless(SWEEP);
    let film = run.does("screenshot", &["--frames", "4", "--size", "100x30"]).stdout;
    let rows: Vec<&str> = film.split("<g ").collect();
    let in_row = |class: &str, text: &str| rows.iter().any(|row| row.contains(class) && row.contains(text));
    assert!(in_row("class=\"f f0-", "running"), "its first picture shows a shard at work: {film}");
    assert!(in_row(" last\"", "failed"), "its last one shows how the run ended: {film}");
    assert!(film.ends_with("</svg>\n"));
}

//! The dashboard on a real terminal.

use rustix::process::Signal;

use crate::harness::place::{PROGRAM, Place, Run};
use crate::harness::processes::{signal, with_command};
use crate::harness::screen::Screen;
use crate::harness::wait::until;

/// One shard fails at first, one runs until it is told to end.
fn two(place: &Place) -> Run<'_> {
    let run = place.start(
        "name = \"two\"\n[matrix]\nkind = [\"fails\", \"lasts\"]\n[shard]\n\
         command = \"echo I am {{ kind }}; case {{ kind }} in fails) [ -e mended ];; \
         *) until [ -e go ]; do sleep 0.05; done;; esac\"\n\
         [schedule]\nparallel = 2\ngrace = { interrupt = \"300ms\", terminate = \"300ms\" }\n",
    );
    run.until_phase("fails", "failed");
    run.until_phase("lasts", "running");
    run
}

#[test]
fn it_opens_on_a_new_run_and_leaving_it_leaves_the_run_running() {
    let place = Place::new();
    place.write(
        "sweep.toml",
        "name = \"open\"\n[shard]\nid = \"only\"\ncommand = \"until [ -e go ]; do sleep 0.05; done\"\n",
    );
    let mut screen = Screen::open(&place, &["run", "sweep.toml", "--out", "r"]);
    screen.until("the dashboard shows the shard", |text| text.contains("only") && text.contains("running"));
    screen.press("q");
    assert_eq!(screen.code(), 0);
    assert!(screen.text().contains("sweepdeck attach"), "it says how to come back: {}", screen.text());
    assert!(!screen.look(|screen| screen.alternate_screen()), "the terminal is given back");
    assert!(!screen.look(|screen| screen.hide_cursor()));
    let run = Run { place: &place, dir: place.path().join("r") };
    run.until_phase("only", "running");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_failed_shard_is_requeued_from_the_keyboard() {
    let place = Place::new();
    let run = two(&place);
    place.write("mended", "");
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.until("the failed shard is shown", |text| text.contains("fails") && text.contains("failed"));
    screen.press("g");
    screen.press("r");
    screen.until_shown("Requeue fails?");
    screen.press("y");
    run.until_phase("fails", "succeeded");
    screen.press("q");
    assert_eq!(screen.code(), 0);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn kill_asks_first_and_the_default_is_no() {
    let place = Place::new();
    let run = two(&place);
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.until_shown("lasts");
    screen.press("G");
    screen.press("x");
    screen.until("it asks first", |text| text.to_lowercase().contains("kill") && text.contains("lasts"));
    screen.press("\r");
    screen.press("x");
    screen.press("n");
    assert_eq!(run.shard("lasts")["phase"], "running");
    screen.press("x");
    screen.press("y");
    run.until_phase("lasts", "failed");
    assert_eq!(run.shard("lasts")["reason"], "killed");
    screen.press("q");
    assert_eq!(screen.code(), 0);
}

#[test]
fn it_survives_a_storm_of_sizes() {
    let place = Place::new();
    let run = two(&place);
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.until_shown("lasts");
    for (columns, rows) in (1..120).step_by(7).zip((1..60).step_by(3)) {
        screen.resize(columns, rows);
    }
    screen.resize(120, 40);
    screen.until_shown("lasts");
    screen.press("q");
    assert_eq!(screen.code(), 0);
    place.write("go", "");
}

#[test]
fn it_is_gone_soon_after_its_terminal() {
    let place = Place::new();
    let run = two(&place);
    // The terminal is that of `script`, and it goes with it as it goes with a lost connection.
    let line = format!("exec script -qc '{PROGRAM} attach {}' /dev/null", run.word());
    let screen = Screen::shell(&place, &line);
    screen.until_shown("lasts");
    let dashboard = || {
        with_command(&format!("{PROGRAM} attach {}", run.word()))
            .into_iter()
            .filter(|pid| *pid != screen.pid())
    };
    assert!(dashboard().count() > 0);
    signal(screen.pid(), Signal::KILL);
    until("the dashboard is gone", || dashboard().count() == 0);
    assert_eq!(run.shard("lasts")["phase"], "running", "the run does not notice");
    place.write("go", "");
}

#[test]
fn a_signal_ends_it_with_the_terminal_given_back() {
    let place = Place::new();
    let run = two(&place);
    let line = format!(
        "{PROGRAM} attach {}; echo code $?; stty -a | tr ' ' '\\n' | grep -x -- -*icanon",
        run.word()
    );
    let screen = Screen::shell(&place, &line);
    screen.until_shown("lasts");
    let dashboards = with_command(&format!("{PROGRAM} attach {}", run.word()));
    for pid in dashboards.into_iter().filter(|pid| *pid != screen.pid()) {
        signal(pid, Signal::TERM);
    }
    screen.until("it ended by the signal", |text| text.contains("code 143"));
    screen.until("the terminal is as it was", |text| text.lines().any(|line| line.trim() == "icanon"));
    place.write("go", "");
}

#[test]
fn read_only_has_no_key_that_acts() {
    let place = Place::new();
    let run = two(&place);
    let mut screen = Screen::open(&place, &["attach", "--read-only", run.word()]);
    screen.until_shown("lasts");
    screen.press("Gxy");
    screen.press("q");
    assert_eq!(screen.code(), 0);
    assert_eq!(run.shard("lasts")["phase"], "running");
    place.write("go", "");
}

#[test]
fn once_prints_one_frame_and_plain_prints_lines() {
    let place = Place::new();
    let run = two(&place);
    let frame = place.sweepdeck(&["attach", run.word(), "--once"]);
    assert_eq!(frame.code, Some(0), "{frame:?}");
    assert!(frame.stdout.contains("lasts") && frame.stdout.contains("failed"), "{frame:?}");
    place.write("go", "");
    let lines = place.sweepdeck(&["attach", run.word(), "--plain"]);
    assert!(lines.stdout.contains("lasts"), "{lines:?}");
    assert!(!lines.stdout.contains('\x1b'), "plain lines hold no escape sequence");
}

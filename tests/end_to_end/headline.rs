//! The title of the terminal, and what somebody hears who looks elsewhere.

use std::os::unix::fs::PermissionsExt;

use crate::harness::place::{PROGRAM, Place, Run};
use crate::harness::screen::Screen;
use crate::harness::wait::until;

/// Both last until they are told to end; the first fails then.
const SWEEP: &str = "name = \"heard\"\n[matrix]\nn = [1, 2]\n[shard]\nid = \"n{{ n }}\"\n\
    command = \"until [ -e go{{ n }} ]; do sleep 0.05; done; test {{ n }} = 2\"\n[schedule]\nparallel = 2\n";

fn both_run(place: &Place) -> Run<'_> {
    let run = place.start(SWEEP);
    run.until_phase("n1", "running");
    run.until_phase("n2", "running");
    run
}

fn count(screen: &Screen, wanted: &str) -> usize {
    String::from_utf8_lossy(&screen.sent()).matches(wanted).count()
}

/// Bells, and not the ends of titles and notifications.
fn bells(screen: &Screen) -> usize {
    let sent = String::from_utf8_lossy(&screen.sent()).into_owned();
    sent.matches('\x07').count() - sent.matches("\x1b]").count()
}

#[test]
fn the_title_follows_the_run_and_is_given_back() {
    let place = Place::new();
    place.write("config/sweepdeck/config.toml", "[notify]\nalarm = \"osc9\"\n");
    let run = both_run(&place);
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    until("the title is set", || count(&screen, "\x1b]2;sweepdeck heard 0/2\x07") == 1);
    assert_eq!(count(&screen, "\x1b[22;0t"), 1, "the one before is kept");
    place.write("go1", "");
    until("the failure is in it", || count(&screen, "\x1b]2;sweepdeck heard 1/2 ✗1\x07") == 1);
    until("and told", || count(&screen, "\x1b]9;sweepdeck: n1 of heard has failed: exit-code\x07") == 1);
    place.write("go2", "");
    until("the end is in it", || count(&screen, "\x1b]2;sweepdeck heard 2/2 ✗1 done\x07") == 1);
    let over = "\x1b]9;sweepdeck: heard is over: 1 of 2 succeeded, 1 failed\x07";
    until("and told", || count(&screen, over) == 1);
    screen.press("q");
    assert_eq!(screen.code(), 0);
    assert_eq!(count(&screen, "\x1b]2;\x07\x1b[23;0t"), 1, "the title is given back");
    assert_eq!(count(&screen, "\x1b]9;"), 2, "each is told once");
}

#[test]
fn nothing_of_it_happens_where_it_is_not_wanted_and_what_was_before_is_no_news() {
    let place = Place::new();
    let run = both_run(&place);
    place.write("go1", "");
    run.until_phase("n1", "failed");
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.until_shown("1 failed");
    screen.press("q");
    assert_eq!(screen.code(), 0);
    assert_eq!(bells(&screen), 0, "that it failed before is no news");
    place.write("config/sweepdeck/config.toml", "[notify]\ntitle = false\nalarm = \"off\"\n");
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.until_shown("1 failed");
    place.write("go2", "");
    screen.until_shown("finished");
    screen.press("q");
    assert_eq!(screen.code(), 0);
    assert_eq!((count(&screen, "\x1b]"), count(&screen, "\x1b[22;0t"), bells(&screen)), (0, 0, 0));
}

#[test]
fn a_tmux_that_does_not_answer_holds_up_nobody() {
    let place = Place::new();
    place.write("config/sweepdeck/config.toml", "[notify]\nalarm = \"osc9\"\n");
    let tmux = place.write("bin/tmux", "#!/bin/sh\ntouch asked\nuntil [ -e answer ]; do sleep 0.05; done\n");
    std::fs::set_permissions(&tmux, std::fs::Permissions::from_mode(0o755)).expect("its own file");
    let run = both_run(&place);
    let line = format!("export TMUX=/nowhere,1,0 PATH=$PWD/bin:$PATH; exec {PROGRAM} attach {}", run.word());
    let mut screen = Screen::shell(&place, &line);
    screen.until_shown("2 running");
    place.write("go1", "");
    screen.until_shown("1 failed");
    until("tmux is asked", || place.read("asked").is_some());
    until("the bell tells it", || bells(&screen) == 1);
    screen.press("q");
    assert_eq!(screen.code(), 0);
    place.write("answer", "");
}

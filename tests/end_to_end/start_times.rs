//! Runs that wait for their time: `--at`, windows, and what users say to both.

use jiff::{SignedDuration, ToSpan, Zoned};

use crate::harness::place::{Place, Run};
use crate::harness::processes;
use crate::harness::wait::{until, until_or};

/// Two shards, one after the other, that end when they may.
fn sweep(schedule: &str) -> String {
    format!(
        "name = 'night'\n[matrix]\nn = [1, 2]\n[shard]\nid = 'n{{{{ n }}}}'\n\
         command = 'until [ -e go-$SWEEPDECK_SHARD ] || [ -e go-all ]; do sleep 0.05; done'\n\
         [resources]\ngpus = 0\n[schedule]\nparallel = 1\n{schedule}\n"
    )
}

fn waiting(run: &Run<'_>, shard: &str) -> String {
    run.shard(shard)["waiting"].as_str().unwrap_or_default().to_owned()
}

/// The time of day in so many hours, by the clock of this machine.
fn in_hours(hours: i64) -> String {
    let at = Zoned::now().checked_add(hours.hours()).expect("a time");
    at.strftime("%H:%M").to_string()
}

fn start_at<'p>(place: &'p Place, at: &str) -> Run<'p> {
    place.write("sweep.toml", &sweep(""));
    place.start_with(&["run", "sweep.toml", "--detach", "--out", "r", "--at", at])
}

#[test]
fn a_run_waits_for_its_time_and_everything_says_so() {
    let place = Place::new();
    let at = in_hours(5);
    let run = start_at(&place, &at);
    until("it says when", || {
        waiting(&run, "n1").starts_with("starts at ") && waiting(&run, "n1").ends_with(&at)
    });
    assert_eq!(run.count("queued"), 2);
    assert!(run.status()["run"]["opens"].is_string(), "{}", run.status());
    let listed = place.sweepdeck(&["ls"]);
    assert!(listed.stdout.contains(&at), "{listed:?}");
    let dashboard = run.does("attach", &["--once"]);
    assert!(dashboard.stdout.contains(&at), "{dashboard:?}");
    // The supervisor that was told of it is not needed.
    let supervisor = run.supervisor().expect("it lives");
    processes::signal(supervisor, rustix::process::Signal::KILL);
    until("another one supervises", || run.supervisor().is_some_and(|pid| pid != supervisor));
    assert_eq!(run.count("queued"), 2);
    let started = run.does("start", &[]);
    assert!(started.stderr.contains("shards start as there is room"), "{started:?}");
    run.until_phase("n1", "running");
    assert!(run.status()["run"]["opens"].is_null());
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
    assert_eq!(run.sweepdeck("start", &[]).code, Some(2));
}

#[test]
fn a_run_that_waits_can_be_put_off_and_cancelled() {
    let place = Place::new();
    let run = start_at(&place, &in_hours(5));
    let later = in_hours(7);
    run.does("set", &["--at", &later]);
    until("it says when", || waiting(&run, "n1").ends_with(&later));
    run.does("stop", &[]);
    assert_eq!(run.wait(), Some(1));
    assert_eq!(run.status()["run"]["state"], "stopped");
    assert_eq!(run.count("queued"), 2);
    let refused = place.sweepdeck(&["run", "sweep.toml", "--at", "25:00"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    let past = place.sweepdeck(&["run", "sweep.toml", "--at", "2020-01-01 10:00"]);
    assert!(past.code == Some(2) && past.stderr.contains("has passed"), "{past:?}");
}

#[test]
fn a_run_starts_when_the_wall_clock_comes_to_its_time() {
    let mut place = Place::new();
    let clock = place.with_clock();
    let run = start_at(&place, &in_hours(2));
    until("it waits", || waiting(&run, "n1").starts_with("starts at "));
    clock.is_ahead_by(3 * 3600);
    // Clocks are looked at with each decision, at the latest after a minute.
    run.does("set", &["--parallel", "2"]);
    until_or("it has begun", || run.count("running") == 2, || run.status().to_string());
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_window_closes_pauses_and_opens_again() {
    let mut place = Place::new();
    let clock = place.with_clock();
    let window = format!("window = ['{}-{}']\non_close = 'pause'", in_hours(-3), in_hours(3));
    let run = place.start(&sweep(&window));
    let check = place.sweepdeck(&["check", "sweep.toml"]);
    assert!(check.stdout.contains(": open until "), "{check:?}");
    run.until_phase("n1", "running");
    let far = SignedDuration::from_hours(6).as_secs();
    clock.is_ahead_by(far);
    run.does("set", &["--parallel", "2"]);
    run.until_phase("n1", "paused");
    until("the other one says what it waits for", || {
        waiting(&run, "n2").starts_with("outside of its window, starts at ")
    });
    until("the paused one says it too", || {
        waiting(&run, "n1").starts_with("outside of its window, starts at ")
    });
    let pid = run.shard("n1")["pid"].as_u64().expect("it lives") as u32;
    until("its processes stand still", || processes::state(pid) == Some('T'));
    clock.is_ahead_by(SignedDuration::from_hours(24).as_secs());
    run.does("set", &["--parallel", "1"]);
    run.until_phase("n1", "running");
    until("its processes run", || processes::state(pid).is_some_and(|state| state != 'T'));
    assert_eq!(run.count("queued"), 1);
    // Started early, the other one runs outside of the window, and what is paused goes on.
    clock.is_ahead_by(24 * 3600 + far);
    run.does("set", &["--parallel", "2"]);
    run.until_phase("n1", "paused");
    run.does("start", &[]);
    until("both run", || run.count("running") == 2);
    place.write("go-all", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_window_that_cannot_be_is_refused_with_an_example() {
    let place = Place::new();
    for (schedule, words) in [
        ("window = '20-08'", "`window`: `20-08` is no window: its hours look like 20:00-08:00"),
        ("window = ['Mon-Foo 20:00-08:00']", "days are Mon to Sun"),
        ("window = '08:00-08:00'", "it has no length; a whole day is 00:00-24:00"),
        ("on_close = 'pause'", "`on_close` needs `window`"),
    ] {
        place.write("sweep.toml", &sweep(schedule));
        let refused = place.sweepdeck(&["check", "sweep.toml"]);
        assert_eq!(refused.code, Some(2), "{refused:?}");
        assert!(refused.stderr.contains(words), "{words}: {refused:?}");
    }
}

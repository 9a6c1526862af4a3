//! Somebody who never saw the dashboard: every key is one that the screen names at that moment.

use crate::harness::place::{Place, Run};
use crate::harness::screen::Screen;
use crate::harness::wait::until;

/// Four combos side by side, of which `stairs` fails with a traceback until it is mended; the others last.
const SWEEP: &str = "name = \"walk\"\n[matrix]\nenv = [\"grass\", \"stairs\", \"boulder\", \"ice\"]\n[shard]\n\
    command = '''\n\
    if [ {{ env }} = stairs ] && ! [ -e mended ]; then\n\
    echo 'Traceback (most recent call last):'\n\
    echo '  File \"eval.py\", line 42, in <module>'\n\
    echo 'KeyError: \"stairs_height\"'\n\
    exit 1\n\
    fi\n\
    n=0\n\
    until [ -e go ]; do n=$((n + 1)); echo \"episode $n of {{ env }}\"; sleep 0.1; done\n\
    '''\n\
    [schedule]\nparallel = 4\ngrace = { interrupt = \"300ms\", terminate = \"300ms\" }\n";

/// The sweep as a run in which all has happened that will happen by itself.
fn walk(place: &Place) -> Run<'_> {
    let run = place.start(SWEEP);
    run.until_phase("stairs", "failed");
    for lasting in ["grass", "boulder", "ice"] {
        run.until_phase(lasting, "running");
    }
    run
}

fn attach(place: &Place, run: &Run<'_>, (columns, rows): (u16, u16)) -> Screen {
    let screen = Screen::open(place, &["attach", run.word()]);
    screen.resize(columns, rows);
    screen.until("the dashboard is shown", |text| text.contains("1 failed") && text.contains("q detach"));
    screen
}

/// Presses a key as soon as the screen names it; the hint is the key and its word, as in `f failed`.
fn choose(screen: &mut Screen, hint: &str) {
    screen.until_shown(hint);
    let key = match hint.split(' ').next().expect("a key and a word") {
        "Enter" => "\r",
        "Esc" => "\x1b",
        "Space" => " ",
        "Tab" => "\t",
        "Ctrl-U" => "\x15",
        letter => letter,
    };
    screen.press(key);
}

/// Leaves one shard in sight by the key that narrows the table.
fn select(screen: &mut Screen, shard: &str) {
    choose(screen, "/ filter");
    screen.until_shown("Enter keep");
    screen.press(shard);
    choose(screen, "Enter keep");
    screen.until("it alone is shown", |text| text.contains("1 of 4") && text.contains("q detach"));
}

/// The run ends well, so that nothing is left behind.
fn end(place: &Place, run: &Run<'_>) {
    place.write("go", "");
    run.wait();
}

/// From the first look to the log of the new attempt; at the end the screen is left by the key it names.
fn requeue_what_failed(size: (u16, u16)) {
    let place = Place::new();
    let run = walk(&place);
    let mut screen = attach(&place, &run, size);
    choose(&mut screen, "f failed");
    screen.until_shown("1 of 4 failed only");
    choose(&mut screen, "Enter details");
    screen.until("the reason is told", |text| {
        text.contains("reason")
            && text.contains("exit code 1")
            && text.contains("KeyError: \"stairs_height\"")
    });
    place.write("mended", "");
    choose(&mut screen, "r requeue");
    screen.until("the question names the shard and what is kept", |text| {
        text.contains("Requeue stairs?")
            && text.contains("1 earlier attempt kept")
            && text.contains("any other key no")
    });
    choose(&mut screen, "y yes");
    screen.until_shown("no shard has failed; f shows all");
    // All shards are seen again by the key that hid them, with the cursor where it was.
    choose(&mut screen, "f failed");
    screen.until("all are shown", |text| text.contains("Shards 4") && text.contains("boulder"));
    screen.until("the log of the new attempt grows in sight", |text| {
        text.contains("Log stairs") && text.contains("episode 3 of stairs")
    });
    assert_eq!(run.shard("stairs")["attempt"], 2);
    choose(&mut screen, "q detach");
    assert_eq!(screen.code(), 0);
    end(&place, &run);
}

#[test]
fn the_failed_shard_is_found_with_its_reason_requeued_and_watched() {
    requeue_what_failed((120, 40));
}

#[test]
fn the_same_on_the_screen_of_a_laptop() {
    requeue_what_failed((80, 24));
}

#[test]
fn everything_is_paused_and_goes_on() {
    let place = Place::new();
    let run = walk(&place);
    let mut screen = attach(&place, &run, (120, 40));
    choose(&mut screen, "S pause all");
    screen.until_shown("3 paused");
    assert_eq!((run.count("running"), run.count("paused")), (0, 3));
    choose(&mut screen, "S all go on");
    screen.until("they go on", |text| text.contains("3 running") && !text.contains("3 paused"));
    // One alone, and the same key lets it go on.
    select(&mut screen, "grass");
    choose(&mut screen, "p pause");
    screen.until_shown("1 paused");
    choose(&mut screen, "p go on");
    screen.until("it goes on", |text| text.contains("3 running") && !text.contains("1 paused"));
    choose(&mut screen, "q detach");
    assert_eq!(screen.code(), 0);
    end(&place, &run);
}

#[test]
fn detaching_and_coming_back_finds_everything_as_it_was() {
    let place = Place::new();
    place.write("sweep.toml", SWEEP);
    let mut screen = Screen::open(&place, &["run", "sweep.toml", "--out", "r"]);
    screen.until("it runs", |text| text.contains("3 running") && text.contains("1 failed"));
    choose(&mut screen, "S pause all");
    screen.until_shown("3 paused");
    choose(&mut screen, "q detach");
    assert_eq!(screen.code(), 0);
    let words = screen.text();
    // The way back is told, and it is the one that works.
    let line = words.lines().find_map(|line| Some(line.split_once("sweepdeck attach")?.1.trim().to_owned()));
    let told = line.unwrap_or_else(|| panic!("no way back is told: {words}"));
    let back: Vec<&str> = ["attach"].into_iter().chain(told.split_whitespace()).collect();
    let mut screen = Screen::open(&place, &back);
    screen.until("everything is as it was", |text| {
        text.contains("3 paused") && text.contains("1 failed") && text.contains("KeyError")
    });
    choose(&mut screen, "S all go on");
    screen.until_shown("3 running");
    choose(&mut screen, "q detach");
    assert_eq!(screen.code(), 0);
    let run = Run { place: &place, dir: place.path().join("r") };
    end(&place, &run);
}

#[test]
fn a_reader_is_offered_no_key_that_acts() {
    let place = Place::new();
    let run = walk(&place);
    let mut screen = Screen::open(&place, &["attach", "--read-only", run.word()]);
    screen.until_shown("read-only");
    screen.until_shown("q detach");
    let acting = ["p pause", "x kill", "r requeue", "e enter", "S pause all"];
    let offered = |text: &str| acting.iter().any(|hint| text.contains(hint));
    assert!(!offered(&screen.text()), "{}", screen.text());
    choose(&mut screen, "Enter details");
    screen.until_shown("Esc close");
    assert!(!offered(&screen.text()), "{}", screen.text());
    choose(&mut screen, "Esc close");
    choose(&mut screen, ": actions");
    screen.until_shown("Enter do it");
    screen.press("kill");
    screen.until_shown("nothing fits");
    choose(&mut screen, "Esc close");
    choose(&mut screen, "q detach");
    assert_eq!(screen.code(), 0);
    assert_eq!(run.count("running"), 3);
    end(&place, &run);
}

#[test]
fn a_filter_narrows_while_it_is_typed_and_is_taken_back() {
    let place = Place::new();
    let run = walk(&place);
    let mut screen = attach(&place, &run, (120, 40));
    choose(&mut screen, "/ filter");
    screen.until_shown("Enter keep");
    screen.press("env=ice");
    screen.until("one is left", |text| text.contains("1 of 4 /env=ice") && text.contains("Log ice"));
    choose(&mut screen, "Enter keep");
    screen.until("it is kept", |text| text.contains("1 of 4 /env=ice") && text.contains("q detach"));
    choose(&mut screen, "/ filter");
    choose(&mut screen, "Ctrl-U clear");
    choose(&mut screen, "Enter keep");
    screen.until("all are shown", |text| text.contains("Shards 4") && text.contains("q detach"));
    end(&place, &run);
}

#[test]
fn killing_asks_and_enter_means_no() {
    let place = Place::new();
    let run = walk(&place);
    let mut screen = attach(&place, &run, (120, 40));
    select(&mut screen, "grass");
    choose(&mut screen, "x kill");
    screen.until("the question names the shard, the loss and the default", |text| {
        text.contains("Kill grass?") && text.contains("progress is lost") && text.contains("any other key no")
    });
    screen.press("\r");
    screen.until("nothing is asked any more", |text| !text.contains("Kill grass?"));
    choose(&mut screen, "x kill");
    screen.until_shown("Kill grass?");
    assert_eq!(run.shard("grass")["phase"], "running");
    choose(&mut screen, "y yes");
    screen.until("it is killed, and it says so", |text| text.contains("killed") && text.contains("2 failed"));
    assert_eq!(run.shard("grass")["reason"], "killed");
    end(&place, &run);
}

#[test]
fn the_palette_finds_what_the_footer_has_no_room_for() {
    let place = Place::new();
    let run = walk(&place);
    let mut screen = attach(&place, &run, (80, 24));
    assert!(!screen.text().contains("S pause all"), "there is no room for it: {}", screen.text());
    choose(&mut screen, ": actions");
    screen.until_shown("Enter do it");
    screen.press("pause all");
    screen.until("the action and its key are found", |text| {
        text.lines().any(|line| line.contains("> S") && line.contains("pause all"))
    });
    choose(&mut screen, "Enter do it");
    screen.until_shown("3 paused");
    assert_eq!(run.count("paused"), 3);
    choose(&mut screen, ": actions");
    screen.until_shown("Enter do it");
    screen.press("pause all\r");
    screen.until_shown("3 running");
    end(&place, &run);
}

#[test]
fn another_theme_is_seen_at_once_and_kept() {
    let place = Place::new();
    let run = walk(&place);
    let mut screen = attach(&place, &run, (120, 40));
    choose(&mut screen, ": actions");
    screen.until_shown("Enter do it");
    screen.press("theme");
    screen.until_shown("choose a theme");
    choose(&mut screen, "Enter do it");
    screen.until("the list says which one is shown", |text| text.contains("> dark"));
    screen.press("\x1b[B");
    screen.until_shown("> light");
    choose(&mut screen, "Enter keep");
    screen.until_shown("theme light, kept in");
    choose(&mut screen, "q detach");
    assert_eq!(screen.code(), 0);
    let mut screen = attach(&place, &run, (120, 40));
    screen.press("?");
    screen.until_shown("Esc close");
    // What it says of the theme stands behind the keys.
    screen.press("G");
    screen.until("it is the theme of the next time", |text| text.contains("Theme: light"));
    end(&place, &run);
}

#[test]
fn from_home_through_the_plan_to_a_run_that_was_started() {
    let place = Place::new();
    place.write("sweep.toml", SWEEP);
    let mut screen = Screen::open(&place, &[]);
    screen.until("the sweep is found", |text| text.contains("sweep.toml") && text.contains("4 shards"));
    choose(&mut screen, "Enter ");
    screen.until("the plan is shown", |text| text.contains("Plan of walk") && text.contains("env=stairs"));
    choose(&mut screen, "Space ");
    screen.until_shown("3 of 4 combos");
    choose(&mut screen, "s start");
    screen.until("its dashboard is shown", |text| text.contains("Shards 3") && text.contains("2 running"));
    place.write("go", "");
    screen.until("the shards that last end", |text| text.contains("2 succeeded"));
    choose(&mut screen, "q detach");
    assert_eq!(screen.code(), 0);
}

#[test]
fn keys_that_do_nothing_say_why() {
    let place = Place::new();
    let run = walk(&place);
    let mut screen = attach(&place, &run, (120, 40));
    select(&mut screen, "grass");
    screen.press("5x");
    screen.until_shown("no shard is chosen in this view");
    screen.press("1r");
    screen.until_shown("only shards that are over can be requeued");
    until("nothing was changed", || run.count("running") == 3);
    end(&place, &run);
}

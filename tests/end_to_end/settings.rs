//! The user's `config.toml`: what it changes, and that no mistake in it keeps a run from being shown.

use crate::harness::place::Place;
use crate::harness::screen::Screen;
use crate::harness::wait::until;

const LASTS: &str =
    "name = \"lasts\"\n[shard]\nid = \"only\"\ncommand = \"until [ -e go ]; do sleep 0.05; done\"\n";

#[test]
fn keys_lists_what_holds_and_all_mistakes_with_their_places() {
    let place = Place::new();
    let usual = place.sweepdeck(&["keys"]);
    assert_eq!((usual.code, usual.stderr.as_str()), (Some(0), ""));
    assert!(usual.stdout.contains("  kill            x  "), "{}", usual.stdout);

    place.write(
        "config/sweepdeck/config.toml",
        "theme = \"nihgt\"\n\n[keys]\nkill = \"B\"\nzoom = \"P\"\nreqeue = \"b\"\n",
    );
    let keys = place.sweepdeck(&["keys"]);
    assert_eq!(keys.code, Some(2));
    assert!(keys.stdout.contains("  kill            B  "), "{}", keys.stdout);
    assert!(keys.stdout.contains("  zoom            z  "), "{}", keys.stdout);
    for told in [
        "there is no theme `nihgt`",
        "config.toml:1:9",
        "did you mean `night`?",
        "in the dashboard `P` is the key of `proof`, and cannot be that of `zoom` too",
        "config.toml:5:8",
        "there is no action `reqeue`",
        "did you mean `requeue`?",
    ] {
        assert!(keys.stderr.contains(told), "{told}: {}", keys.stderr);
    }
}

#[test]
fn chosen_keys_work_and_the_screen_names_them() {
    let place = Place::new();
    let run = place.start(LASTS);
    run.until_phase("only", "running");
    place.write("config/sweepdeck/config.toml", "ascii = true\n[keys]\nkill = \"B\"\ndetach = \"Q\"\n");
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.until("the footer names them", |text| text.contains("B kill") && text.contains("Q detach"));
    assert!(screen.text().is_ascii(), "{}", screen.text());
    screen.press("B");
    screen.until_shown("Kill only?");
    screen.press("n");
    screen.press("Q");
    assert_eq!(screen.code(), 0);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn mistakes_are_told_and_the_run_is_shown() {
    let place = Place::new();
    let run = place.start(LASTS);
    run.until_phase("only", "running");
    for (settings, told) in [
        ("[keys]\nkill = \"x\"\nrequeue = \"x\"\n", "config.toml has a mistake"),
        ("them = 1\nslow = \"yes\"\n", "config.toml has 2 mistakes"),
        ("= = =\n", "config.toml has"),
    ] {
        place.write("config/sweepdeck/config.toml", settings);
        let mut screen = Screen::open(&place, &["attach", run.word()]);
        screen.until(told, |text| text.contains(told) && text.contains("running"));
        screen.press("q");
        assert_eq!(screen.code(), 0);
        let sent = String::from_utf8_lossy(&screen.sent()).into_owned();
        assert!(sent.contains("config.toml:"), "the terminal has the places when the screen is gone");
    }
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_theme_is_tried_on_kept_and_there_again_at_the_next_start() {
    let place = Place::new();
    let run = place.start(LASTS);
    run.until_phase("only", "running");
    let mine = "# what I like\nslow = false\n\n[keys]\nkill = \"B\" # big\n";
    let file = place.write("config/sweepdeck/config.toml", mine);
    place.write("config/sweepdeck/themes/broken.toml", "[roles]\ntxt = \"red\"\n");
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.until_shown("B kill");
    let ground = |screen: &Screen| screen.look(|shown| shown.cell(0, 0).map(vt100::Cell::bgcolor));
    let before = ground(&screen);
    screen.press("t");
    screen.until("all themes are listed", |text| {
        text.contains("> dark ") && text.contains("night") && text.contains("yours, has a mistake")
    });
    screen.press("jj");
    screen.until_shown("> night ");
    until("the whole screen has the ground of the theme", || ground(&screen) != before);
    let tried = ground(&screen);
    screen.press("q");
    until("the screen is as it was", || ground(&screen) == before);
    screen.press("tjj");
    screen.until_shown("> night ");
    screen.press("\r");
    screen.until_shown("theme night, kept in");
    screen.press("q");
    assert_eq!(screen.code(), 0);
    let kept = std::fs::read_to_string(&file).expect("the settings");
    assert_eq!(kept, mine.replace("\n\n", "\ntheme = \"night\"\n\n"));

    let mut again = Screen::open(&place, &["attach", run.word()]);
    again.until_shown("B kill");
    until("it has the theme", || ground(&again) == tried);
    // Home has the same one.
    again.press("H");
    again.until_shown("1 of 1 going on");
    until("home has the theme", || ground(&again) == tried);
    again.press("t");
    again.until_shown("> night ");
    again.press("\x1b");
    again.until("the list is closed", |text| !text.contains("> night "));
    again.press("q");
    assert_eq!(again.code(), 0);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

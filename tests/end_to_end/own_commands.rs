//! Commands of the user's own on a real terminal: they get it, give it back, or tell their end from the background.

use crate::harness::place::Place;
use crate::harness::screen::Screen;

const LASTS: &str =
    "name = \"lasts\"\n[shard]\nid = \"only\"\ncommand = \"until [ -e go ]; do sleep 0.05; done\"\n";

#[test]
fn a_foreground_command_has_the_terminal_and_the_dashboard_comes_back_whole() {
    let place = Place::new();
    let run = place.start(LASTS);
    run.until_phase("only", "running");
    // It sees a terminal as a shell has it, waits for a line, and leaves the terminal without echo and in a mess.
    let seen = "stty -a | tr ' ' '\\n' | grep -xc -- 'icanon\\|echo' > modes; [ -t 0 ] && [ -t 1 ] && stty size > size; \
                read -p 'line? ' line; echo \"$line {{ id }} {{ pid }}\" > got; stty -echo -icanon; printf '\\033[?1000h\\033[31m'";
    place.write(
        "config/sweepdeck/config.toml",
        &format!("[commands.look]\nkey = \"f2\"\ncommand = '''{seen}'''\n"),
    );
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.until_shown("running");
    screen.press("\x1bOQ");
    screen.until("it asks on the normal screen", |text| text.contains("line?") && !text.contains("Shards"));
    assert!(!screen.look(|shown| shown.alternate_screen()));
    // The terminal gets another size meanwhile, and Ctrl-Z and Ctrl-C are no business of the dashboard.
    screen.resize(100, 30);
    screen.press("hello there\r");
    screen.until("the dashboard is back", |text| text.contains("Shards") && text.contains("running"));
    assert!(screen.look(|shown| shown.alternate_screen() && shown.hide_cursor()));
    let width = |text: &str| text.lines().map(|line| line.trim_end().chars().count()).max();
    screen.until("it has the new size", |text| width(text) <= Some(100) && text.contains("detach"));
    assert_eq!(place.read("modes").as_deref().map(str::trim), Some("2"), "cooked, with echo");
    assert_eq!(place.read("size").as_deref().map(str::trim), Some("40 120"));
    let pid = run.shard("only")["pid"].as_u64().expect("it runs");
    assert_eq!(place.read("got").as_deref().map(str::trim), Some(format!("hello there only {pid}").as_str()));
    // Keys are keys again: no echo, no Enter.
    screen.press("?");
    screen.until("the help has it", |text| text.contains("Keys"));
    screen.press("q");
    screen.press(":look");
    screen.until("the palette has it", |text| text.contains("look: stty -a"));
    screen.press("\x1b");
    screen.until("the palette is closed", |text| !text.contains(": look"));
    screen.press("q");
    assert_eq!(screen.code(), 0);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn what_a_failed_command_says_stays_until_enter() {
    let place = Place::new();
    let run = place.start(LASTS);
    run.until_phase("only", "running");
    place.write(
        "config/sweepdeck/config.toml",
        "[commands]\nbad = { key = \"f2\", command = \"echo the reason; exit 7\" }\n\
         none = { key = \"f3\", command = [\"/no/such/program\"] }\n\
         stay = { key = \"f4\", command = \"echo all is well\", mode = \"wait\" }\n",
    );
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.until_shown("running");
    for (key, told, notice) in [
        ("\x1bOQ", "the reason", "bad on only: exit code 7"),
        ("\x1bOR", "cannot start /no/such/program", "none on only: cannot start"),
        ("\x1bOS", "all is well", "running"),
    ] {
        screen.press(key);
        screen.until(told, |text| text.contains(told) && text.contains("Enter leads back"));
        screen.press("\r");
        screen.until(notice, |text| text.contains(notice) && text.contains("Shards"));
    }
    screen.press("q");
    assert_eq!(screen.code(), 0);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_background_command_asks_and_tells_its_end_in_the_dashboard() {
    let place = Place::new();
    let run = place.start(LASTS);
    run.until_phase("only", "running");
    place.write(
        "config/sweepdeck/config.toml",
        "[commands.copy]\nkey = \"f2\"\nmode = \"background\"\nconfirm = true\n\
         command = \"touch begun; until [ -e end ]; do sleep 0.05; done; cp -r {{ out }} copied; echo no room left; exit 4\"\n",
    );
    let mut screen = Screen::open(&place, &["attach", run.word()]);
    screen.until_shown("running");
    screen.press("\x1bOQ");
    screen.until("it asks", |text| text.contains("Run copy on only?") && text.contains("attempt-01/out"));
    screen.press("n");
    screen.until("no is no", |text| !text.contains("Run copy"));
    screen.press("\x1bOQ");
    screen.until_shown("Run copy on only?");
    screen.press("y");
    screen.until_shown("copy on only runs in the background");
    crate::harness::wait::until("it has begun", || place.read("begun").is_some());
    place.write("end", "");
    screen.until_shown("copy on only: exit code 4: no room left");
    assert!(place.path().join("copied").is_dir());
    screen.press("q");
    assert_eq!(screen.code(), 0);
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn commands_of_a_sweep_are_for_the_owner_of_the_run_who_may_act() {
    let place = Place::new();
    let run = place.start(&format!(
        "{LASTS}[commands.video]\nkey = \"f2\"\ncommand = \"echo hello from {{{{ id }}}}\"\nmode = \"wait\"\n"
    ));
    run.until_phase("only", "running");
    let offers = |words: &[&str]| {
        let mut screen = Screen::open(&place, words);
        screen.until_shown("running");
        screen.press(":video");
        screen.until("the palette is open", |text| text.contains(": video"));
        let offered = screen.text().contains("video: echo hello");
        screen.press("\x1b");
        screen.until("it is closed", |text| !text.contains(": video"));
        if offered {
            screen.press("\x1bOQ");
            screen.until_shown("hello from only");
            screen.press("\r");
            screen.until_shown("running");
        }
        screen.press("q");
        assert_eq!(screen.code(), 0);
        offered
    };
    assert!(offers(&["attach", run.word()]));
    assert!(!offers(&["attach", "--read-only", run.word()]));
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn mistakes_are_told_at_check_and_at_the_start_with_place_and_hint() {
    let place = Place::new();
    let sweep = |commands: &str| format!("{LASTS}[commands]\n{commands}\n");
    for (commands, told) in [
        ("a = { key = \"hyper\", command = \"ls\" }", ["there is no key `hyper`", "sweep.toml:6"]),
        (
            "a = { key = \"x\", command = \"ls\" }",
            ["`x` is the key of `kill`, and cannot be that of `a` too", "f2"],
        ),
        ("a = { command = \"ls {{ ot }}\" }", ["the variable `ot` is not defined", "did you mean `out`"]),
    ] {
        place.write("sweep.toml", &sweep(commands));
        for words in [&["check", "sweep.toml"][..], &["run", "sweep.toml", "--detach"]] {
            let ended = place.sweepdeck(words);
            assert_eq!(ended.code, Some(2), "{ended:?}");
            told.iter().for_each(|told| assert!(ended.stderr.contains(told), "{told}: {}", ended.stderr));
        }
    }
    place.write(
        "config/sweepdeck/config.toml",
        "[commands]\na = { key = \"x\", command = \"ls\" }\nb = { key = \"f2\", command = \"nvtop\" }\n",
    );
    let keys = place.sweepdeck(&["keys"]);
    assert_eq!(keys.code, Some(2));
    assert!(keys.stderr.contains("config.toml:2"), "{}", keys.stderr);
    assert!(keys.stdout.contains("F2") && keys.stdout.contains("nvtop"), "{}", keys.stdout);
}

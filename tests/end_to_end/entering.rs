//! `enter`: typing into a shard's terminal.

use crate::harness::place::Place;
use crate::harness::screen::Screen;

#[test]
fn what_is_typed_reaches_the_shard_and_the_key_leaves_it_running() {
    let place = Place::new();
    let run = place.start(
        "name = \"ask\"\n[shard]\nid = \"only\"\n\
         command = \"read -p 'name? ' name; echo hello $name; until [ -e go ]; do sleep 0.05; done\"\n",
    );
    run.until_phase("only", "running");
    let line = format!(
        "{} enter {} only; stty -a | tr ' ' '\\n' | grep -x -- -*echo",
        crate::harness::place::PROGRAM,
        run.word()
    );
    let mut screen = Screen::shell(&place, &line);
    screen.until_shown("name?");
    screen.press("deck\r");
    screen.until_shown("hello deck");
    screen.press("\x1c");
    screen.until_shown("it goes on");
    // The terminal echoes again, so it was given back as it was.
    screen.until("the terminal is as it was", |text| text.lines().any(|line| line.trim() == "echo"));
    assert_eq!(run.shard("only")["phase"], "running");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn the_shard_sees_the_size_of_the_terminal_it_is_entered_from() {
    let place = Place::new();
    let run = place.start(
        "name = \"size\"\n[shard]\nid = \"only\"\n\
         command = \"until [ -e go ]; do stty size > size.new; mv size.new size; sleep 0.05; done\"\n",
    );
    run.until_phase("only", "running");
    let screen = Screen::open(&place, &["enter", run.word(), "only"]);
    let size = |wanted: &str| {
        crate::harness::wait::until(&format!("the shard sees {wanted}"), || {
            place.read("size").is_some_and(|size| size.trim() == wanted)
        });
    };
    size("40 120");
    screen.resize(90, 30);
    size("30 90");
    place.write("go", "");
    screen.until_shown("`only` has ended");
    assert_eq!(run.wait(), Some(0));
}

//! Every way out of every face that takes the terminal over leaves it as it was.

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::Signal;

use crate::harness::place::{PROGRAM, Place, Run};
use crate::harness::processes::{children, signal, state};
use crate::harness::screen::Screen;
use crate::harness::wait::{until, until_some};

/// One shard that lasts until it is told to end.
fn lasting(place: &Place) -> Run<'_> {
    let run = place.start(
        "name = \"out\"\n[shard]\nid = \"only\"\ncommand = \"echo here I am; until [ -e go ]; do sleep 0.05; done\"\n",
    );
    run.until_phase("only", "running");
    run
}

/// The program with these words on a terminal whose settings are told before and afterwards.
fn begin(place: &Place, words: &str) -> Screen {
    let line = format!(
        "b=$(stty -g); {PROGRAM} {words}; echo code $?; [ \"$b\" = \"$(stty -g)\" ] && echo as before"
    );
    Screen::shell(place, &line)
}

/// The program itself, which the shell on the terminal has started.
fn program(screen: &Screen) -> u32 {
    until_some("the program runs", || children(screen.pid()).into_iter().next())
}

fn assert_as_it_was(screen: &Screen, code: i32) {
    screen.until("it ended, and the settings are those of before", |text| {
        text.contains(&format!("code {code}")) && text.contains("as before")
    });
    screen.look(|screen| {
        assert!(!screen.alternate_screen(), "the second screen is still shown");
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert!(!screen.bracketed_paste(), "pastes are still marked");
        assert_eq!(screen.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    });
}

/// A face: its words, what it shows when it is up, and the keys that leave it.
fn faces(run: &Run<'_>) -> [(String, &'static str, &'static str); 4] {
    let word = run.word();
    [
        (String::new(), "sweep.toml", "q"),
        (format!("attach {word}"), "q detach", "q"),
        (format!("attach --read-only {word}"), "q detach", "q"),
        (format!("enter {word} only"), "here I am", "\x1c"),
    ]
}

#[test]
fn the_key_that_leaves() {
    let place = Place::new();
    let run = lasting(&place);
    for (words, shown, keys) in faces(&run) {
        let mut screen = begin(&place, &words);
        screen.until_shown(shown);
        screen.press(keys);
        assert_as_it_was(&screen, 0);
    }
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    // A run that is over can be played again.
    let mut screen = begin(&place, &format!("replay {}", run.word()));
    screen.until_shown("q detach");
    screen.press("q");
    assert_as_it_was(&screen, 0);
}

#[test]
fn signals_that_end() {
    let place = Place::new();
    let run = lasting(&place);
    for (words, shown, _) in faces(&run) {
        for (number, code) in
            [(Signal::TERM, 143), (Signal::INT, 130), (Signal::HUP, 129), (Signal::QUIT, 131)]
        {
            let screen = begin(&place, &words);
            screen.until_shown(shown);
            signal(program(&screen), number);
            assert_as_it_was(&screen, code);
        }
    }
    assert_eq!(run.shard("only")["phase"], "running");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_signal_while_the_supervisor_does_not_answer() {
    let place = Place::new();
    let run = lasting(&place);
    let supervisor = run.supervisor().expect("a supervisor");
    let mut screen = begin(&place, &format!("attach {}", run.word()));
    screen.until_shown("p pause");
    let pid = program(&screen);
    signal(supervisor, Signal::STOP);
    until("the supervisor stands still", || state(supervisor) == Some('T'));
    let before = sockets(pid);
    screen.press("p");
    until("the supervisor is asked", || sockets(pid) > before);
    signal(pid, Signal::TERM);
    assert_as_it_was(&screen, 143);
    signal(supervisor, Signal::CONT);
}

/// How many sockets a process has.
fn sockets(pid: u32) -> usize {
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).expect("it lives");
    let target = |file: std::fs::DirEntry| std::fs::read_link(file.path()).ok();
    open.flatten().filter_map(target).filter(|path| path.to_string_lossy().starts_with("socket:")).count()
}

#[test]
fn sleep_and_what_comes_after_it() {
    let place = Place::new();
    let run = lasting(&place);
    for (words, shown, keys) in faces(&run).into_iter().take(3) {
        let mut screen = begin(&place, &words);
        screen.until_shown(shown);
        let pid = program(&screen);
        signal(pid, Signal::TSTP);
        until("it sleeps", || state(pid) == Some('T'));
        screen.until("the usual screen", |_| screen.look(|screen| !screen.alternate_screen()));
        assert!(!screen.look(|screen| screen.hide_cursor()), "the cursor is hidden");
        signal(pid, Signal::CONT);
        screen.until_shown(shown);
        screen.press(keys);
        assert_as_it_was(&screen, 0);
    }
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

#[test]
fn a_shard_or_a_pager_in_front_of_the_dashboard() {
    let place = Place::new();
    let run = lasting(&place);
    let words = format!("attach {}", run.word());
    place
        .write("pager", "#!/bin/sh\ntrap 'echo interrupted' INT\necho paging; while :; do sleep 0.1; done\n");
    for in_front in ["shard", "pager"] {
        let pager = format!("PAGER='sh {}' ", place.path().join("pager").display());
        let line = format!(
            "export {pager}; b=$(stty -g); {PROGRAM} {words}; echo code $?; [ \"$b\" = \"$(stty -g)\" ] && echo as before"
        );
        let mut screen = Screen::shell(&place, &line);
        screen.until_shown("q detach");
        if in_front == "shard" {
            screen.press("e");
            screen.until_shown("in the terminal of");
        } else {
            screen.press("\to");
            screen.until_shown("paging");
            // The key is the pager's, and the dashboard behind it stays.
            screen.press("\x03");
            screen.until_shown("interrupted");
        }
        signal(program(&screen), Signal::TERM);
        assert_as_it_was(&screen, 143);
    }
    assert_eq!(run.shard("only")["phase"], "running");
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

/// A dashboard on a terminal that nobody reads, so full that the dashboard waits for room in it.
fn stalled(place: &Place, run: &Run<'_>) -> (Box<dyn MasterPty + Send>, Box<dyn Child + Send + Sync>) {
    let size = |rows| PtySize { rows, cols: 120, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size(40)).expect("a terminal");
    let mut command = CommandBuilder::new(PROGRAM);
    command.args(["attach", run.word()]);
    command.cwd(place.path());
    command.env("XDG_STATE_HOME", place.path().join("state"));
    command.env("TERM", "xterm-256color");
    let child = pair.slave.spawn_command(command).expect("the program starts");
    let pid = child.process_id().expect("it was started");
    let (mut before, mut looks) = (0, 0);
    until("no more is written, whatever there is to draw", || {
        looks += 1;
        pair.master.resize(size(if looks % 2 == 0 { 40 } else { 39 })).expect("a new size");
        let written = written(pid);
        // A frame may take a tenth of a second, a look takes a hundredth.
        looks = if written == before { looks } else { 0 };
        before = written;
        written > 0 && looks > 100
    });
    (pair.master, child)
}

/// Bytes that a process has written to whatever it was.
fn written(pid: u32) -> u64 {
    let told = std::fs::read_to_string(format!("/proc/{pid}/io")).unwrap_or_default();
    let line = told.lines().find_map(|line| line.strip_prefix("wchar: "));
    line.and_then(|bytes| bytes.parse().ok()).unwrap_or(0)
}

#[test]
fn a_terminal_that_nobody_reads_holds_up_nobody_else_and_can_be_left() {
    let place = Place::new();
    let run = lasting(&place);
    for how in ["signal", "hangup"] {
        let (master, mut child) = stalled(&place, &run);
        // The supervisor answers, and another viewer sees and acts.
        let mut screen = Screen::open(&place, &["attach", run.word()]);
        screen.until_shown("p pause");
        screen.press("p");
        screen.until_shown("1 paused");
        screen.press("p");
        run.until_phase("only", "running");
        screen.press("q");
        assert_eq!(screen.code(), 0);
        let master = if how == "signal" {
            signal(child.process_id().expect("it was started"), Signal::TERM);
            Some(master)
        } else {
            drop(master);
            None
        };
        until("the stalled one ends", || child.try_wait().expect("its own child").is_some());
        drop(master);
    }
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
}

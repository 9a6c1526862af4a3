//! The machine alone on a real terminal, beside GPUs of a stand-in driver and real processes.

use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::harness::place::{Ended, PROGRAM, Place};
use crate::harness::processes::{signal, with_command};
use crate::harness::screen::Screen;
use crate::harness::wait::until;

const ONE: &str = "driver 570.86.10\ngpu 0\n name NVIDIA H100 80GB HBM3\n total 80 GiB\n used 1 GiB\n utilization 34\n \
    power 310\n power-cap 700\n temperature 61\n slowdown 87\n clock-sm 1755\n clock-memory 2619\n throttle\n";

#[test]
fn a_shard_and_a_stranger_are_told_apart_and_come_and_go() {
    let place = Place::with_gpus(&format!("{ONE}shards 2 GiB\n"));
    let mut screen = Screen::open(&place, &["monitor"]);
    screen.until("the card is read", |text| text.contains("61/87 °C") && text.contains("310/700 W"));
    screen.until("there is no process yet", |text| text.contains("the driver lists no process on any GPU"));
    let mut stranger = std::process::Command::new("sleep").arg("600").spawn().expect("a process");
    let machine = format!("{ONE} compute {} 39 GiB\n graphics 4194303 n/a\nshards 2 GiB\n", stranger.id());
    place.gpus(&machine);
    screen.until("a stranger is told by its command", |text| {
        text.lines().any(|line| line.contains("39.0 GiB") && line.contains("sleep 600"))
    });
    screen.until("what is outside is told as such", |text| text.contains("not seen from here"));
    let run = place.start(
        "name = \"beside\"\n[shard]\nid = \"lasts\"\ncommand = \"until [ -e go ]; do sleep 0.05; done\"\n",
    );
    screen.until("the shard is known by its holder", |text| {
        text.lines()
            .any(|line| line.contains("lasts") && line.contains("2.0 GiB") && line.contains("r: bash"))
    });
    screen.until("it is counted", |text| text.contains("1 of sweepdeck"));
    screen.press("4");
    screen.until("the card in full", |text| {
        text.contains("SM 1755 MHz, memory 2619 MHz")
            && text.contains("not throttled")
            && text.contains("lasts")
    });
    place.write("go", "");
    assert_eq!(run.wait(), Some(0));
    screen.until("it is gone", |text| !text.contains("lasts"));
    stranger.kill().and_then(|()| stranger.wait()).expect("the stranger ends");
    screen.press("q");
    assert_eq!(screen.code(), 0);
    assert!(!screen.look(|screen| screen.alternate_screen()), "the terminal is given back");
}

#[test]
fn a_gpu_that_is_lost_and_one_that_hangs_are_told_beside_six_that_answer() {
    let machine = |second: &str, third: &str| {
        let line = |gpu: u32| {
            let trouble = if gpu == 2 {
                second
            } else if gpu == 3 {
                third
            } else {
                ""
            };
            format!("gpu {gpu}\n power {}\n utilization 10\n{trouble}", 100 + gpu)
        };
        (0..8).map(line).collect::<String>()
    };
    let place = Place::with_gpus(&machine("", ""));
    let mut screen = Screen::open(&place, &["monitor"]);
    screen.until("all are read", |text| (100..108).all(|power| text.contains(&format!("{power} W"))));
    place.gpus(&machine(" answer lost\n", " power hang\n"));
    screen.until("the lost one says so", |text| text.contains("LOST"));
    let begun = Instant::now();
    screen.press("2");
    screen.until("keys work while a call hangs", |text| text.contains("[2 Host]"));
    assert!(begun.elapsed() < Duration::from_secs(10), "a call that hangs holds up the screen");
    screen.press("1");
    screen.until("the silent one says so", |text| text.contains("SILENT"));
    screen.until("the others go on", |text| text.contains("107 W"));
    place.gpus(&machine("", ""));
    screen.until("the silent one is back", |text| text.contains("103 W") && !text.contains("SILENT"));
    screen.press("q");
    assert_eq!(screen.code(), 0);
}

#[test]
fn without_a_driver_it_says_so_and_shows_the_host() {
    let place = Place::new();
    let frame = Ended::of(place.command(&["monitor", "--once"]).env("SWEEPDECK_NVML", "/nowhere.so"));
    let text = &frame.stdout;
    assert_eq!(frame.code, Some(0), "{frame:?}");
    assert!(text.contains("/nowhere.so") && text.contains("Host") && text.contains("load"), "{text}");
    assert!(!text.contains("GPU 0") && !text.contains('\x1b'), "{text}");
    assert!(
        text.lines().any(|line| line.trim_start_matches(['│', '|', ' ']).starts_with("0 ")),
        "each core: {text}"
    );
}

#[test]
fn one_frame_waits_for_the_driver_and_every_core() {
    let place = Place::with_gpus(ONE);
    let frame = place.sweepdeck(&["monitor", "--once", "--ascii"]);
    assert_eq!(frame.code, Some(0), "{frame:?}");
    assert!(frame.stdout.is_ascii(), "{}", frame.stdout);
    assert!(
        frame.stdout.contains("NVIDIA H100 80GB HBM3") && frame.stdout.contains("310/700 W"),
        "{frame:?}"
    );
    assert!(!frame.stdout.contains("CPU -"), "the load of the cores is known: {}", frame.stdout);
}

#[test]
fn a_signal_ends_it_with_the_terminal_given_back() {
    let place = Place::new();
    let line = format!("{PROGRAM} monitor; echo code $?; stty -a | tr ' ' '\\n' | grep -x -- -*icanon");
    let screen = Screen::shell(&place, &line);
    screen.until_shown("Overview");
    let own = || with_command(&format!("{PROGRAM} monitor")).into_iter().filter(|pid| *pid != screen.pid());
    // Other tests have monitors of their own: this one is the child of the shell.
    let child = || own().find(|pid| parent(*pid) == Some(screen.pid()));
    until("the monitor runs", || child().is_some());
    signal(child().expect("it runs"), Signal::TERM);
    screen.until("it ended by the signal", |text| text.contains("code 143"));
    screen.until("the terminal is as it was", |text| text.lines().any(|line| line.trim() == "icanon"));
}

fn parent(pid: u32) -> Option<u32> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    stat[stat.rfind(')')? + 2..].split(' ').nth(1)?.parse().ok()
}

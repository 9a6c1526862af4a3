//! The machine recorded to a file, without a terminal.

use std::process::Stdio;

use rustix::process::Signal;

use crate::harness::place::Place;
use crate::harness::processes::signal;
use crate::harness::wait::until;

const TWO: &str = "gpu 0\n total 80 GiB\n used 1 GiB\n power 310\n temperature 61\ngpu 1\n answer lost\n";

/// Records until there are so many whole lines and a signal ends it.
fn record(place: &Place, lines: usize, end: Signal) {
    let mut command = place.command(&["monitor", "--csv", "machine.csv"]);
    let mut recorder =
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("the program starts");
    let count = || place.read("machine.csv").unwrap_or_default().lines().count();
    until("rows come", || count() >= lines);
    signal(recorder.id(), end);
    assert_eq!(recorder.wait().expect("it ends").code(), Some(0));
}

#[test]
fn a_recording_has_one_header_and_whole_rows_however_often_it_is_ended() {
    let place = Place::with_gpus(TWO);
    record(&place, 4, Signal::TERM);
    // A machine that was switched off leaves half a row.
    let torn = format!("{}2026-01-01T00:00:00Z,gpu0,", place.read("machine.csv").expect("a recording"));
    let before = torn.lines().count() - 1;
    place.write("machine.csv", &torn);
    record(&place, before + 3, Signal::INT);
    let text = place.read("machine.csv").expect("a recording");
    assert!(text.ends_with('\n'), "{text}");
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(&rows[0][..5], ["timestamp", "device", "uuid", "utilization_percent", "memory_used_bytes"]);
    assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{text}");
    for (round, row) in rows[1..].iter().enumerate() {
        assert_eq!(row[1], ["host", "gpu0", "gpu1"][round % 3], "{text}");
    }
    let column = |name: &str| rows[0].iter().position(|column| *column == name).expect("a column");
    assert_eq!((rows[2][column("power_w")], rows[2][column("temperature_c")]), ("310.0", "61.0"));
    assert_eq!(rows[2][column("memory_used_bytes")], (1_u64 << 30).to_string());
    assert_eq!(rows[3][column("power_w")], "", "a lost GPU has a row of unknowns");
}

#[test]
fn a_file_of_something_else_is_not_touched() {
    let place = Place::new();
    place.write("notes.csv", "a,b\n1,2\n");
    let refused = place.sweepdeck(&["monitor", "--csv", "notes.csv"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(refused.stderr.contains("has other columns"), "{refused:?}");
    assert_eq!(place.read("notes.csv").as_deref(), Some("a,b\n1,2\n"));
    let refused = place.sweepdeck(&["monitor", "--csv", "m.csv", "--interval", "10ms"]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}

//! Logs that nobody would wish for: cut anywhere, mixed with anything, without end. Reading them gives one answer, no
//! panic, and takes little memory.

mod any_cut;
mod bounds;
#[path = "../../benches/logs/mod.rs"]
#[allow(dead_code, reason = "what is missing in LOGS is told by a test, by its name")]
mod logs;
mod parsers;
mod records;
mod result_files;

use logs::LOGS;
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use sweepdeck::progress::formats::presets::table::ALL;

const TRACEBACK: &[u8] =
    b"Traceback (most recent call last):\n  File \"e.py\", line 3, in f\n    f()\nKeyError: 'x'\n";

#[test]
fn every_preset_has_a_log_of_its_kind_here() {
    for preset in ALL.iter() {
        let (_, piece) = LOGS
            .iter()
            .find(|(name, _)| *name == preset.name)
            .unwrap_or_else(|| panic!("{} has no row in LOGS", preset.name));
        let mut log = String::new();
        (0..50).for_each(|number| piece(&mut log, number));
        assert_eq!(any_cut::read(log.as_bytes(), &[97]).preset, Some(preset.name));
    }
}

/// A piece of a real log, or what terminals, crashes and other programs put in between.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let real = (0..LOGS.len(), 0_u64..2000).prop_map(|(log, number)| {
        let mut text = String::new();
        LOGS[log].1(&mut text, number);
        // Some write whole episodes as one piece; a few lines are enough.
        text.into_bytes().into_iter().take(600).collect()
    });
    let between = prop_oneof![
        Just(b"\r".to_vec()),
        Just(b"\r\n".to_vec()),
        Just(b"\n".to_vec()),
        Just(b"\x1b[A\x1b[2K".to_vec()),
        Just(b"\x1b[1;31m".to_vec()),
        Just(b"\x1b]0;title".to_vec()),
        Just(b"\x1b".to_vec()),
        Just("█".as_bytes()[..2].to_vec()),
        Just(TRACEBACK.to_vec()),
        Just(b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n".to_vec()),
        Just(b"Patch buffer overflow detected, please increase its size to at least 9\n".to_vec()),
        vec(any::<u8>(), 0..40),
    ];
    prop_oneof![real, between]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_cut_of_any_mixture_is_read_the_same(pieces in vec(piece(), 1..12), lengths in vec(any::<u8>(), 1..6)) {
        any_cut::read(&pieces.concat(), &lengths);
    }

    #[test]
    fn no_bytes_break_the_reader(log in vec(any::<u8>(), 0..4000), lengths in vec(any::<u8>(), 1..6)) {
        any_cut::read(&log, &lengths);
    }

    #[test]
    fn no_text_breaks_a_parser(
        words in vec(prop_oneof![Just("{"), Just("["), Just("("), Just("'a': "), Just("1e9"), Just("'x"), Just("array("), Just("]}"), Just(", "), Just("nan"), Just("\\"), Just("é")], 0..200),
        noise in vec(any::<u8>(), 0..20),
    ) {
        parsers::read(&[words.concat().as_bytes(), &noise].concat());
        parsers::read(words.concat().repeat(50).as_bytes());
    }
}

/// Lines of a journal as they are written, and a mark.
const RECORDS: &[&str] = &[
    r#"{"at":"2026-11-23T04:52:05Z","fact":"run-created","version":1,"run":"r","shards":["a"],"parallel":1}"#,
    r#"{"at":"2026-11-23T04:52:05Z","fact":"attempt-starting","shard":"a","attempt":1}"#,
    r#"{"at":"2026-11-23T04:52:06Z","fact":"run-ended","finished":true}"#,
    r#"{"offset":3,"mark":"progress","done":1,"total":2}"#,
    "{",
    "}",
    "\n",
    "\0",
    "name = \"n\"\n[shard]\nid = \"{{ a }}\"\ncommand = \"true\"\n",
    "[matrix]\na = [1, 2]\n",
    "i\0\0\0\u{3}abc",
    "s\0\0\0\u{1}{",
    "{% for a in range(30) %}{% if loop.first %}{{ a }}{% endif %}{% endfor %}",
    "{{ a }} {{ out }} {{ missing }} {{ a * 'x' }}",
    r#"{"version":1,"command":{"kill":{"shards":"all"}}}"#,
];

/// Pieces of result files.
const RESULTS: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\n",
    "\"success_rate\":",
    "\"success\":",
    "\"episodes\":",
    "\"pc_success\":",
    "\"n_episodes\":",
    "\"aggregated\":",
    "\"overall\":",
    "\"eval_info\":",
    "1",
    "0",
    "true",
    "false",
    "null",
    "NaN",
    "-1",
    "1e308",
    "1e999",
    "87.5",
    "\"yes\"",
    "episode,success,return\n",
    "1,true,0.5\n",
    "2,,\n",
    "\"",
    "\\",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn records_frames_and_sweeps_are_read_or_refused(
        words in vec(proptest::sample::select(RECORDS.to_vec()), 0..8), noise in vec(any::<u8>(), 0..40)
    ) {
        for text in [words.join("\n").into_bytes(), [words.join("\n").as_bytes(), &noise].concat()] {
            records::read_journal(&text);
            records::read_marks(&text);
            records::read_sweep(&text);
            records::read_frames(&text);
            records::read_records(&text);
            records::read_template(&text);
        }
    }

    #[test]
    fn result_files_hold_what_is_possible_or_nothing(
        words in vec(proptest::sample::select(RESULTS.to_vec()), 0..30), noise in vec(any::<u8>(), 0..10)
    ) {
        for text in [words.concat().into_bytes(), words.join("\n").into_bytes(), [words.concat().as_bytes(), &noise].concat()] {
            result_files::read(&text);
        }
    }
}

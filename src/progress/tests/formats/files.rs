//! The formats that are files: those of the program, and those that a user writes.

use std::sync::Arc;

use crate::progress::formats::file::FormatFile;
use crate::progress::formats::plain::plain_format::PlainFormat;
use crate::progress::formats::plain::sighting::{Sighting, Sightings};
use crate::progress::formats::presets::table;
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::scan::examples::{check_example, check_examples};
use crate::progress::text::line_shapes::LineShapes;
use crate::progress::text::places::Places;

#[test]
fn every_file_of_the_program_reads_its_examples_also_where_none_is_named() {
    let auto = Arc::new(LogRules::preset("auto").unwrap());
    for (name, text) in table::files() {
        let file = FormatFile::parse(text).unwrap_or_else(|error| panic!("formats/{name}.toml, {error}"));
        assert!(!file.examples.is_empty(), "formats/{name}.toml has no [[example]]");
        assert_eq!(file.format.lines.unit, table::unit(name).unwrap());
        let format = &file.format;
        assert!(format.done.is_none() && format.finished.is_none() && format.metrics.is_empty(), "{name}");
        check_examples(name, &file).unwrap_or_else(|error| panic!("formats/{name}.toml, {error}"));
        for example in &file.examples {
            check_example(example, Arc::clone(&auto))
                .unwrap_or_else(|error| panic!("formats/{name}.toml, found by itself, {error}"));
            let mut reader = LogReader::new(Arc::clone(&auto));
            reader.feed(example.expected.log.as_bytes(), &mut Vec::new());
            assert_eq!(reader.reading().preset, Some(name), "line {}", example.line);
        }
    }
}

fn mistake(text: &str) -> String {
    let file = FormatFile::parse(text).and_then(|file| check_examples("own", &file));
    file.unwrap_err().to_string()
}

#[test]
fn mistakes_in_a_file_are_answered_with_their_line_and_what_to_do() {
    for (text, expected) in [
        (
            "unit = \"picks\"\n[[done]]\nbefor = \"Pick \"\n",
            "line 3: unknown field `befor`, expected one of `before`, `after`, `each`, `with`, `then`, `success`",
        ),
        ("[[done]]\nwith = 3\n", "line 2: a text, or a list of texts"),
        (
            "\n[[done]]\nbefore = \"a\"\nafter = \"b\"\n",
            "line 2: a line counts in one way: by `before`, `after` or `each`",
        ),
        ("[[done]]\neach = \"a\"\nthen = \"b\"\n", "line 1: `then` follows the text of `before`"),
        (
            "[[done]]\neach = \"\"\n",
            "line 1: an empty text is on every line: write one that the program prints",
        ),
        (
            "[progress]\ndone = 'Pick \\d+'\n",
            "line 2: [progress] done: `Pick \\d+` has no group `done`; put `(?<done>…)` around the number",
        ),
        (
            "[progress]\ndone = '(?<done>a)'\n[[done]]\neach = \"b\"\n",
            "line 3: `[progress] done` and `[[done]]` both count: keep one of them",
        ),
        (
            "[[metric]]\nname = \"a\"\nbefore = \"b\"\nreduce = \"mean\"\n",
            "line 1: [[metric]] a: `reduce`, `unit` and `scale` are of a metric with a `pattern`",
        ),
        (
            "[[metric]]\nname = \"a\"\n",
            "line 1: [[metric]] a: it needs the text `before` the value, or a `pattern` with a group `(?<value>…)`",
        ),
        (
            "[[done]]\nbefore = \"Pick \"\n[[example]]\nlog = '''\nPick 3\n'''\nprogress = \"4\"\n",
            "line 3: this example says progress 4, but the format reads 3",
        ),
    ] {
        assert_eq!(mistake(text), expected, "{text}");
    }
}

/// What is on the line, without anything that was remembered.
fn looked(line: &[u8], format: &PlainFormat) -> Sighting {
    Sightings::default().on(line, &Places::default(), format).clone()
}

#[test]
fn what_is_remembered_is_what_a_look_finds() {
    for (name, text) in table::files() {
        let file = FormatFile::parse(text).unwrap();
        let format = PlainFormat::new(&file.format.lines, &[], false);
        let (mut shapes, mut sightings) = (LineShapes::default(), Sightings::default());
        for line in file.examples.iter().flat_map(|example| example.expected.log.lines()) {
            for digit in ["0", "1", "2", "9", "1", "0"] {
                let line = line.replace(|letter: char| letter.is_ascii_digit(), digit);
                let mut places = Places::default();
                places.set_shape(shapes.number_of(line.as_bytes()));
                for line in [line.as_bytes(), &line.as_bytes()[..line.len().saturating_sub(1)]] {
                    let sighting = sightings.on(line, &places, &format);
                    assert_eq!(*sighting, looked(line, &format), "{name}: {}", line.escape_ascii());
                }
            }
        }
    }
}

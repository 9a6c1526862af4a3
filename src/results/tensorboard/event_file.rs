//! The event file of one shard: its axes as hyperparameters, its marks as scalars, and its results at the end.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::protobuf::Message;
use super::record::append_record;
use crate::model::logs::mark::{Mark, MarkKind};
use crate::model::outcome::Metrics;
use crate::model::value::{Value, Variables};

/// What a shard's file is made of.
#[derive(Debug, Clone, Copy)]
pub struct ShardEvents<'a> {
    /// Run that the shard belongs to: the group of its hyperparameters.
    pub run: &'a str,
    /// When the file begins: the start of the run, so that its bytes are the same each time.
    pub begun: Timestamp,
    /// Values of the axes.
    pub vars: &'a Variables,
    /// Marks of its newest attempt, in their order.
    pub marks: &'a [Mark],
    /// Metrics of its result, once it has ended.
    pub result: Option<&'a Metrics>,
}

/// Values that one line of the log brought.
#[derive(Debug, Clone, PartialEq)]
struct Row {
    at: Timestamp,
    values: BTreeMap<String, f64>,
}

/// Encodes the file.
pub fn encode_event_file(shard: &ShardEvents<'_>) -> Vec<u8> {
    let mut file = Vec::new();
    let version = event(shard.begun).text(3, "brain.Event:2");
    append_record(&mut file, version.bytes());
    let summary = Message::default().message(1, &hyperparameters(shard));
    append_record(&mut file, event(shard.begun).integer(2, 0).message(5, &summary).bytes());
    let mut rows = collect_rows(shard.marks);
    if let Some(result) = shard.result {
        let at = rows.last().map_or(shard.begun, |row| row.at);
        let named = result.iter().map(|(name, value)| (format!("result/{name}"), *value));
        rows.push(Row { at, values: named.filter(|(_, value)| value.is_finite()).collect() });
    }
    for (step, row) in rows.iter().enumerate() {
        let scalar = |summary: Message, (name, value): (&String, &f64)| {
            summary.message(1, &Message::default().text(1, name).float(2, *value as f32))
        };
        let summary = row.values.iter().fold(Message::default(), scalar);
        let step = i64::try_from(step).unwrap_or(i64::MAX);
        append_record(&mut file, event(row.at).integer(2, step).message(5, &summary).bytes());
    }
    file
}

fn event(at: Timestamp) -> Message {
    Message::default().double(1, at.as_microsecond() as f64 / 1e6)
}

/// Marks of one line are one row. Numbers only: what is no number has no chart.
fn collect_rows(marks: &[Mark]) -> Vec<Row> {
    let mut rows: Vec<(u64, Row)> = Vec::new();
    for mark in marks {
        let (name, value) = match &mark.kind {
            MarkKind::Progress(progress) => ("done".to_owned(), progress.done as f64),
            MarkKind::Metric { name, value: Some(value) } if value.is_finite() => (name.to_string(), *value),
            MarkKind::Metric { .. }
            | MarkKind::Part(_)
            | MarkKind::Value { .. }
            | MarkKind::Alert(_)
            | MarkKind::Stage(_)
            | MarkKind::Finished
            | MarkKind::Unit { .. }
            | MarkKind::Preset { .. } => continue,
        };
        match rows.last_mut() {
            Some((offset, row)) if *offset == mark.offset => _ = row.values.insert(name, value),
            Some(_) | None => {
                rows.push((mark.offset, Row { at: mark.at, values: BTreeMap::from([(name, value)]) }));
            }
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

/// The record from which the table of hyperparameters takes a shard, with the axes as columns.
fn hyperparameters(shard: &ShardEvents<'_>) -> Message {
    // SessionStartInfo: 1 map of values, 4 group, 5 start. A value of it: 2 number, 3 string, 4 bool.
    let entry = |info: Message, (name, value): &(String, Value)| {
        let value = match value {
            Value::Integer(number) => Message::default().double(2, *number as f64),
            Value::Float(number) => Message::default().double(2, *number),
            Value::Boolean(is_so) => Message::default().integer(4, i64::from(*is_so)),
            Value::String(text) => Message::default().text(3, text),
        };
        info.message(1, &Message::default().text(1, name).message(2, &value))
    };
    let info = shard.vars.0.iter().fold(Message::default(), entry).text(4, shard.run);
    let data = Message::default().integer(1, 0).message(3, &info);
    let plugin = Message::default().text(1, "hparams").message(2, &data);
    // The reader wants a tensor: an empty shape with one zero.
    let tensor = Message::default().integer(1, 1).message(2, &Message::default()).zeros(5, 4);
    Message::default()
        .text(1, "_hparams_/session_start_info")
        .message(9, &Message::default().message(1, &plugin))
        .message(8, &tensor)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::outcome::Progress;

    fn mark(second: i64, offset: u64, kind: MarkKind) -> Mark {
        Mark { at: Timestamp::from_second(second).unwrap(), offset, kind }
    }

    #[test]
    fn marks_of_one_line_are_one_row_and_what_is_no_number_is_left_out() {
        let metric = |name: &str, value| MarkKind::Metric { name: name.to_owned().into(), value };
        let done = |done| MarkKind::Progress(Progress { done, total: None });
        let rows = collect_rows(&[
            mark(1, 0, done(1)),
            mark(1, 0, metric("reward", Some(2.5))),
            mark(2, 9, metric("reward", None)),
            mark(3, 20, done(2)),
            mark(4, 30, MarkKind::Finished),
        ]);
        let values: Vec<_> =
            rows.iter().map(|row| row.values.clone().into_iter().collect::<Vec<_>>()).collect();
        let (done, reward) = (|n| ("done".to_owned(), n), ("reward".to_owned(), 2.5));
        assert_eq!(values, [vec![done(1.0), reward], vec![done(2.0)]]);
    }

    #[test]
    fn a_file_begins_with_its_version_and_is_the_same_each_time() {
        let shard = ShardEvents {
            run: "demo-1",
            begun: Timestamp::from_millisecond(1500).unwrap(),
            vars: &Variables(vec![("policy".into(), Value::String("flat".into()))]),
            marks: &[],
            result: None,
        };
        let file = encode_event_file(&shard);
        assert_eq!(file, encode_event_file(&shard));
        let first =
            [0x18, 0, 0, 0, 0, 0, 0, 0, 0xA3, 0x7F, 0x4B, 0x22, 9, 0, 0, 0, 0, 0, 0, 0xF8, 0x3F, 0x1A, 0x0D];
        assert_eq!(file[..first.len()], first);
        assert_eq!(&file[first.len()..first.len() + 17], b"brain.Event:2\x2a\x28\x64\x6c");
    }
}

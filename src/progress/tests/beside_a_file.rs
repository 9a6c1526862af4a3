//! What a log says beside a file in which the program tells its progress.

use std::sync::Arc;

use crate::model::logs::mark::MarkKind;
use crate::model::outcome::Progress;
use crate::model::sweep::plan::ProgressSpec;
use crate::progress::reader::log_reader::LogReader;
use crate::progress::reader::rules::LogRules;
use crate::progress::scan::reading::ScanVerdict;

fn reader(total: Option<u64>) -> LogReader {
    let progress = ProgressSpec {
        total,
        file: Some("{{ out }}/eval.progress".into()),
        ..ProgressSpec::of_preset("auto")
    };
    LogReader::new(Arc::new(LogRules::compile(&progress, &[], &[]).unwrap()))
}

/// The marks of progress that the file makes.
fn told(reader: &mut LogReader, done: u64, total: Option<u64>) -> Vec<Progress> {
    let mut marks = Vec::new();
    reader.tell(Progress { done, total }, &mut marks);
    let progress = |mark| if let MarkKind::Progress(progress) = mark { Some(progress) } else { None };
    marks.into_iter().filter_map(|(_, mark)| progress(mark)).collect()
}

fn seen(reader: &LogReader) -> Option<(u64, Option<u64>)> {
    reader.reading().progress.map(|progress| (progress.done, progress.total))
}

#[test]
fn a_bar_that_nobody_declared_does_not_count_beside_a_file() {
    let mut reader = reader(None);
    assert_eq!(told(&mut reader, 1, Some(4)), [Progress { done: 1, total: Some(4) }]);
    assert_eq!(told(&mut reader, 1, Some(4)), []);
    reader.feed("\rRollout:  50%|██  | 140/280 [00:02<00:02, 61it/s]\r".as_bytes(), &mut Vec::new());
    assert_eq!(seen(&reader), Some((1, Some(4))));
    assert_eq!(reader.reading().progress_text().unwrap(), "1 of 4 done");
    assert_eq!(ScanVerdict::of(reader.reading()).as_str(), "incomplete");
}

#[test]
fn a_log_that_counts_too_is_not_set_back_by_its_file() {
    let mut reader = reader(None);
    reader.feed(b"Episode 3/9 success=1\n", &mut Vec::new());
    assert_eq!(told(&mut reader, 2, Some(9)), []);
    assert_eq!(told(&mut reader, 4, Some(9)).len(), 1);
    reader.feed(b"Episode 5/9 success=1\n", &mut Vec::new());
    assert_eq!(seen(&reader), Some((5, Some(9))));
}

#[test]
fn the_total_of_the_sweep_stands_in_for_that_of_the_file() {
    let mut reader = reader(Some(4));
    told(&mut reader, 4, None);
    assert_eq!(seen(&reader), Some((4, Some(4))));
    assert!(reader.reading().complete() && reader.reading().progress_line.is_none());
}

#[test]
fn a_file_that_went_away_proves_nothing() {
    let mut reader = reader(None);
    told(&mut reader, 2, Some(4));
    reader.file_is_gone();
    assert!(!reader.reading().falls_short());
    let mut counted = self::reader(None);
    counted.feed(b"Episode 3/9 success=1\n", &mut Vec::new());
    counted.file_is_gone();
    assert!(counted.reading().falls_short(), "the log itself counts");
}

//! The readers of result files: whatever a file holds, what they take from it is possible.

use sweepdeck::model::results::result_file::ResultFile;
use sweepdeck::progress::files::reader::ResultReader;

/// Reads bytes as a file of each layout; panics where a rate or a value is none.
pub fn read(bytes: &[u8]) {
    for name in ["results.json", "results.jsonl", "results.csv", "results.tsv"] {
        let wanted = ResultFile {
            pattern: format!("/out/{name}"),
            earlier: Vec::new(),
            known: true,
            metrics: Vec::new(),
            merged: true,
        };
        let mut reader = ResultReader::new(&[]);
        reader.take(name, bytes, &wanted);
        reader.take_episodes(name, bytes, &wanted);
        let reading = reader.finish();
        for (metric, figure) in &reading.metrics {
            assert!(figure.value.is_finite(), "{metric} of {name} is {}", figure.value);
            if metric == "success_rate" {
                assert!((0.0..=1.0).contains(&figure.value), "a rate of {}", figure.value);
            }
        }
    }
}

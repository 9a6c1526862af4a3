//! Files of rows: lines of JSON and tables with a header, whole or cut off in their last row.

use serde_json::{Map, Value};

use super::tolerant_json;

/// The faults found in a file of rows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowFaults {
    /// The file ends within a row: its writer was interrupted, or is still at work.
    pub torn: bool,
    /// Rows that could not be read.
    pub unreadable: u64,
    /// The 1-based line of the first of them, and why.
    pub first: Option<(u64, String)>,
}

impl RowFaults {
    fn add(&mut self, line: u64, why: String) {
        self.unreadable += 1;
        self.first.get_or_insert((line, why));
    }

    /// Describes the faults, one line each.
    pub fn told(&self) -> Vec<String> {
        let torn = self.torn.then(|| "its last row is torn and was left out".to_owned());
        let bad = self.first.as_ref().map(|(line, why)| match self.unreadable {
            1 => format!("line {line} cannot be read: {why}"),
            count => format!("{count} lines cannot be read, first line {line}: {why}"),
        });
        torn.into_iter().chain(bad).collect()
    }
}

/// Calls `each` for every line of JSON.
pub fn json_lines(bytes: &[u8], mut each: impl FnMut(&Value)) -> RowFaults {
    let mut faults = RowFaults::default();
    let ends_whole = bytes.ends_with(b"\n");
    let mut lines = bytes.split(|byte| *byte == b'\n').zip(1..).peekable();
    while let Some((line, number)) = lines.next() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match tolerant_json::parse(line) {
            Ok(row) => each(&row),
            Err(_) if lines.peek().is_none() && !ends_whole => faults.torn = true,
            Err(error) => faults.add(number, error.to_string()),
        }
    }
    faults
}

/// Calls `each` for every row of a table, as a map from columns to texts.
pub fn table(bytes: &[u8], delimiter: u8, mut each: impl FnMut(&Value)) -> RowFaults {
    let mut faults = RowFaults::default();
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let ends_whole = text.ends_with('\n');
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(error) => {
            faults.add(1, error.to_string());
            return faults;
        }
    };
    let mut records = reader.records().peekable();
    while let Some(record) = records.next() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                faults.add(error.position().map_or(0, csv::Position::line), error.to_string());
                continue;
            }
        };
        if records.peek().is_none() && !ends_whole && record.len() < header.len() {
            faults.torn = true;
            continue;
        }
        let cells = header.iter().zip(record.iter());
        let row: Map<String, Value> =
            cells.map(|(column, cell)| (column.to_owned(), Value::from(cell))).collect();
        each(&Value::Object(row));
    }
    faults
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read_lines(text: &str) -> (Vec<Value>, Vec<String>) {
        let mut rows = Vec::new();
        let faults = json_lines(text.as_bytes(), |row| rows.push(row.clone()));
        (rows, faults.told())
    }

    fn read_table(text: &str) -> (Vec<Value>, Vec<String>) {
        let mut rows = Vec::new();
        let faults = table(text.as_bytes(), b',', |row| rows.push(row.clone()));
        (rows, faults.told())
    }

    #[test]
    fn lines_of_json_are_read_and_a_torn_end_is_told() {
        let (rows, told) = read_lines("{\"a\": 1}\r\n\n{\"a\": NaN}");
        assert_eq!((rows, told), (vec![json!({"a": 1}), json!({"a": "NaN"})], vec![]));
        let (rows, told) = read_lines("{\"a\": 1}\n{\"a\": 2, \"b");
        assert_eq!((rows.len(), told), (1, vec!["its last row is torn and was left out".to_owned()]));
        let (rows, told) = read_lines("{\"a\": 1}\nnonsense\n{\"a\":\n{\"a\": 2}\n");
        assert_eq!(rows.len(), 2);
        assert!(told[0].starts_with("2 lines cannot be read, first line 2: expected"), "{told:?}");
    }

    #[test]
    fn a_table_is_read_by_its_header() {
        let (rows, told) = read_table("\u{feff}step, reward,note\n1,2.5,\"a, b\"\n2,nan,\n");
        let first = json!({"step": "1", "reward": "2.5", "note": "a, b"});
        assert_eq!((rows[0].clone(), rows.len(), told), (first, 2, vec![]));
        let (rows, told) = read_table("a,b\n1,2\n3");
        assert_eq!((rows.len(), told), (1, vec!["its last row is torn and was left out".to_owned()]));
        assert_eq!(read_table("").0.len(), 0);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_and_any_cut_are_read_without_panic(bytes: Vec<u8>, text in "[{}\\[\\]\",:a-c0-9\n\r]{0,80}") {
            for input in [bytes.as_slice(), text.as_bytes()] {
                json_lines(input, |_| {}).told();
                table(input, b',', |_| {}).told();
            }
        }

        #[test]
        fn a_cut_costs_no_row_before_it(cut in 0_usize..60) {
            let text = "{\"n\": 1}\n{\"n\": 2}\n{\"n\": 3}\n{\"n\": 4}\n";
            let cut = cut.min(text.len());
            let (rows, told) = read_lines(&text[..cut]);
            let whole = text[..cut].lines().filter(|line| line.ends_with('}')).count();
            proptest::prop_assert_eq!(rows.len(), whole);
            proptest::prop_assert_eq!(told.is_empty(), text[..cut].lines().count() == whole);
        }
    }
}

//! One file of rows, each row with its text as it was written.

use super::json::{Json, Style, quote_text, strip_quotes};
use super::piece::{Piece, PieceFault, PieceRefusal, text_of};

/// The format of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFormat {
    /// A JSON document on each line.
    Jsonl,
    /// A table under a header.
    Csv,
}

/// The rows of one piece.
pub struct Sheet<'a> {
    /// Piece that the rows were read from.
    pub piece: &'a Piece,
    /// The header of a table with its end of line.
    pub header: String,
    /// The rows in their order.
    pub rows: Vec<SheetRow>,
}

/// A row of the table.
pub struct SheetRow {
    /// With its end of line, where it has one.
    pub text: String,
    cells: Cells,
}

enum Cells {
    Document(Json),
    /// Columns and cells of a record of a table.
    Record(Vec<(String, String)>),
}

impl SheetRow {
    /// The whole number in a column.
    pub fn integer_at(&self, column: &str) -> Option<i64> {
        match &self.cells {
            Cells::Document(document) => document.get(column)?.as_integer(),
            Cells::Record(cells) => {
                let (_, cell) = cells.iter().find(|(name, _)| name == column)?;
                cell.trim().parse().ok()
            }
        }
    }

    /// All columns with their values; cells of a table that are numbers or outcomes are such.
    pub fn column_values(&self) -> Vec<(String, Json)> {
        let of_cell = |cell: &str| match cell.trim() {
            "True" | "true" => Json::Word("true".to_owned()),
            "False" | "false" => Json::Word("false".to_owned()),
            text => match Json::parse(text) {
                Ok(word @ Json::Word(_)) => word,
                Ok(Json::Text(_) | Json::List(_) | Json::Map(_)) | Err(_) => Json::quoted_string(text),
            },
        };
        match &self.cells {
            Cells::Document(document) => {
                let members = document.members().unwrap_or_default().iter();
                members.map(|(key, value)| (strip_quotes(key).to_owned(), value.clone())).collect()
            }
            Cells::Record(cells) => cells.iter().map(|(name, cell)| (name.clone(), of_cell(cell))).collect(),
        }
    }

    /// The row as a document, the cells of a table as [`SheetRow::column_values`] gives them.
    pub fn to_json(&self) -> Json {
        match &self.cells {
            Cells::Document(document) => document.clone(),
            Cells::Record(_) => {
                let members = self.column_values().into_iter();
                Json::Map(members.map(|(name, value)| (quote_text(&name), value)).collect())
            }
        }
    }

    /// Puts another number into a column.
    pub fn set_integer(&mut self, column: &str, number: i64) {
        if self.integer_at(column) == Some(number) {
            return;
        }
        let line = self.text.trim_end_matches(['\r', '\n']);
        let end = self.text[line.len()..].to_owned();
        let line = match &mut self.cells {
            Cells::Document(document) => {
                document.set_member(column, Json::from_integer(number));
                Style::from_text(line).write(document)
            }
            Cells::Record(cells) => {
                for (_, cell) in cells.iter_mut().filter(|(name, _)| name == column) {
                    *cell = number.to_string();
                }
                format_csv_line(cells)
            }
        };
        self.text = line + &end;
    }
}

/// The cells as one line, quoted where they must be.
fn format_csv_line(cells: &[(String, String)]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let written = writer.write_record(cells.iter().map(|(_, cell)| cell));
    let bytes = written.ok().and_then(|()| writer.into_inner().ok()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned()
}

/// Reads the rows of a piece.
pub fn read_sheet(piece: &Piece, format: RowFormat) -> Result<Sheet<'_>, PieceRefusal> {
    let text = text_of(&piece.bytes);
    let unreadable = |why: String| PieceRefusal::new(&piece.shard, PieceFault::Unreadable, why);
    match format {
        RowFormat::Jsonl => json_lines(piece, &text).map_err(unreadable),
        RowFormat::Csv => parse_csv(piece, &text).map_err(unreadable),
    }
}

fn json_lines<'a>(piece: &'a Piece, text: &str) -> Result<Sheet<'a>, String> {
    let mut rows = Vec::new();
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        if line.trim().is_empty() {
            continue;
        }
        let document = Json::parse(line.trim()).map_err(|_| torn_or_wrong(line, number))?;
        rows.push(SheetRow { text: line.to_owned(), cells: Cells::Document(document) });
    }
    Ok(Sheet { piece, header: String::new(), rows })
}

fn torn_or_wrong(line: &str, number: u64) -> String {
    match line.ends_with('\n') {
        true => format!("line {number} is no JSON"),
        false => format!("its last line, {number}, is torn"),
    }
}

fn parse_csv<'a>(piece: &'a Piece, text: &str) -> Result<Sheet<'a>, String> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_reader(text.as_bytes());
    let mut records = Vec::new();
    for record in reader.records() {
        records.push(record.map_err(|error| format!("it is no table: {error}"))?);
    }
    let start = |record: &csv::StringRecord| record.position().map_or(0, |place| place.byte() as usize);
    let starts: Vec<usize> = records.iter().map(start).chain([text.len()]).collect();
    let mut header = String::new();
    let mut names: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for (position, record) in records.iter().enumerate() {
        let row = text.get(starts[position]..starts[position + 1]).unwrap_or_default();
        // The reader puts the start of a record before the end of the line above.
        let row = row.trim_start_matches(['\r', '\n']).to_owned();
        if position == 0 {
            names = record.iter().map(|cell| cell.trim().to_owned()).collect();
            header = row;
            continue;
        }
        if record.len() != names.len() {
            return Err(format!("row {position} has {} of {} columns", record.len(), names.len()));
        }
        let cells = names.iter().cloned().zip(record.iter().map(str::to_owned)).collect();
        rows.push(SheetRow { text: row, cells: Cells::Record(cells) });
    }
    Ok(Sheet { piece, header, rows })
}

//! One table with a name, and how it is written: numbers whole in CSV, rounded for people in LaTeX and Markdown.

use crate::model::logs::printable::{to_cell, to_printable};
use crate::model::units::UNKNOWN;
use crate::results::scale::format_short;

/// A table for a paper.
#[derive(Debug, Clone, PartialEq)]
pub struct PaperTable {
    /// Name of its files, without their ending.
    pub name: String,
    /// Title: what the table shows.
    pub title: String,
    /// Heads of the columns.
    pub header: Vec<String>,
    /// Rows, each as long as the header.
    pub rows: Vec<Vec<PaperCell>>,
}

/// A cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub enum PaperCell {
    /// Words, printed as they are.
    Text(String),
    /// A number, with so many decimals where people read it.
    Number(f64, Decimals),
    /// A value that is not known.
    Unknown,
}

/// How people read a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decimals {
    /// With a fixed number of decimals.
    Fixed(usize),
    /// With about three significant digits.
    Short,
}

impl PaperCell {
    /// Makes a cell of words.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// A number that may be unknown.
    pub fn number(number: Option<f64>, decimals: Decimals) -> Self {
        number.map_or(Self::Unknown, |number| Self::Number(number, decimals))
    }

    /// Makes a cell of a whole number.
    pub fn count(count: usize) -> Self {
        Self::Number(count as f64, Decimals::Fixed(0))
    }

    /// For programs: every digit, and nothing for what is unknown.
    fn raw_text(&self) -> String {
        match self {
            Self::Text(text) => to_printable(text).into_owned(),
            Self::Number(number, _) => number.to_string(),
            Self::Unknown => String::new(),
        }
    }

    /// Prints the cell for people.
    fn display_text(&self) -> String {
        match self {
            Self::Text(text) => to_printable(text).into_owned(),
            Self::Number(number, Decimals::Fixed(digits)) => format!("{number:.digits$}"),
            Self::Number(number, Decimals::Short) => format_short(*number),
            Self::Unknown => UNKNOWN.to_owned(),
        }
    }

    fn is_text(&self) -> bool {
        matches!(self, Self::Text(_))
    }
}

impl PaperTable {
    /// Makes a table; the heads of its columns are separated by ` | `.
    pub fn new(name: &str, title: &str, heads: &str, rows: Vec<Vec<PaperCell>>) -> Self {
        let header = heads.split(" | ").map(str::to_owned).collect();
        Self { name: name.to_owned(), title: title.to_owned(), header, rows }
    }

    /// As CSV, with quotes where a text needs them.
    pub fn to_csv(&self) -> String {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let rows = self.rows.iter().map(|row| row.iter().map(PaperCell::raw_text).collect::<Vec<_>>());
        for row in std::iter::once(self.header.clone()).chain(rows) {
            writer
                .write_record(row.iter().map(|cell| to_cell(cell).into_owned()))
                .expect("memory takes everything, and all rows are as long as the header");
        }
        let bytes = writer.into_inner().expect("memory takes everything");
        String::from_utf8(bytes).expect("only texts were written")
    }

    /// As a `table` of LaTeX with `booktabs`.
    pub fn to_latex(&self) -> String {
        let columns: String = (0..self.header.len())
            .map(|column| match self.rows.first().and_then(|row| row.get(column)) {
                Some(cell) if cell.is_text() => 'l',
                Some(_) | None => 'r',
            })
            .collect();
        let line = |cells: Vec<String>| format!("{} \\\\\n", cells.join(" & "));
        let header = line(self.header.iter().map(|head| escape_latex(head)).collect());
        let rows: String = self
            .rows
            .iter()
            .map(|row| line(row.iter().map(|cell| escape_latex(&cell.display_text())).collect()))
            .collect();
        format!(
            "% needs \\usepackage{{booktabs}}\n\\begin{{table}}\n\\centering\n\\caption{{{}}}\n\\label{{tab:{}}}\n\
             \\begin{{tabular}}{{{columns}}}\n\\toprule\n{header}\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n\\end{{table}}\n",
            escape_latex(&self.title),
            self.name
        )
    }

    /// As a section of a Markdown document, with `escape` for what would be markup.
    pub fn to_markdown(&self, escape: impl Fn(&str) -> String) -> String {
        let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
        let header = line(self.header.iter().map(|head| escape(head)).collect());
        let rows: String = self
            .rows
            .iter()
            .map(|row| line(row.iter().map(|cell| escape(&cell.display_text())).collect()))
            .collect();
        format!("\n## {}\n\n{header}|{}\n{rows}", escape(&self.title), "---|".repeat(self.header.len()))
    }
}

/// Text in LaTeX: no sign in it is a command.
fn escape_latex(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' | '%' | '$' | '#' | '_' | '{' | '}' => escaped.extend(['\\', c]),
            '\\' => escaped.push_str("\\textbackslash{}"),
            '~' => escaped.push_str("\\textasciitilde{}"),
            '^' => escaped.push_str("\\textasciicircum{}"),
            '<' => escaped.push_str("\\textless{}"),
            '>' => escaped.push_str("\\textgreater{}"),
            '−' => escaped.push_str("$-$"),
            '±' => escaped.push_str("$\\pm$"),
            '×' => escaped.push_str("$\\times$"),
            '—' => escaped.push_str("---"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> PaperTable {
        PaperTable {
            name: "success".to_owned(),
            title: "Success & more".to_owned(),
            header: vec!["policy".to_owned(), "rate, %".to_owned(), "low".to_owned()],
            rows: vec![vec![
                PaperCell::text("flat_1, \"new\""),
                PaperCell::number(Some(200.0 / 3.0), Decimals::Fixed(1)),
                PaperCell::number(None, Decimals::Short),
            ]],
        }
    }

    #[test]
    fn programs_get_every_digit_and_people_few() {
        let csv = table().to_csv();
        assert_eq!(csv, "policy,\"rate, %\",low\n\"flat_1, \"\"new\"\"\",66.66666666666667,\n");
        let latex = table().to_latex();
        assert!(latex.contains("\\caption{Success \\& more}"), "{latex}");
        assert!(latex.contains("\\begin{tabular}{lrr}"), "{latex}");
        assert!(latex.contains("flat\\_1, \"new\" & 66.7 & --- \\\\"), "{latex}");
        let markdown = table().to_markdown(str::to_owned);
        assert!(markdown.ends_with("| flat_1, \"new\" | 66.7 | — |\n"), "{markdown}");
    }

    #[test]
    fn no_sign_is_a_command() {
        assert_eq!(
            escape_latex("a\\b{c}~^_"),
            "a\\textbackslash{}b\\{c\\}\\textasciitilde{}\\textasciicircum{}\\_"
        );
    }
}

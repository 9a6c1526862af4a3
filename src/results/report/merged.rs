//! The merged files: where they are, what they are made of, and what is not in them.

use std::fmt::Write;

use super::escape::{escape_markup, percent_encode};
use crate::results::findings::Findings;
use crate::results::merge::merging::Completeness;

/// So many reasons are named for each file.
const NAMED: usize = 6;

/// The section; empty if nothing is merged.
pub fn render_section(findings: &Findings<'_>) -> String {
    if findings.merged.is_empty() {
        return String::new();
    }
    let mut html = String::from("<section><h2>Merged files</h2>\n<ul>\n");
    for file in &findings.merged {
        let name = escape_markup(&file.file);
        let _ = match file.completeness {
            Completeness::Whole => {
                write!(
                    html,
                    "<li><a href=\"{}\">{name}</a>: {}",
                    percent_encode(&file.file),
                    format_piece_count(file.pieces.len())
                )
            }
            Completeness::Partial => {
                let pieces = format_piece_count(file.pieces.len());
                write!(
                    html,
                    "<li><a href=\"{}\">{name}</a>: <b>partial</b>, {pieces}",
                    percent_encode(&file.file)
                )
            }
            Completeness::Refused => write!(html, "<li>{name}: not merged"),
        };
        let reasons = file.refused.iter().map(ToString::to_string);
        for line in reasons.take(NAMED).chain(file.notes.iter().cloned()) {
            let _ = write!(html, "<p class=\"warn\">{}</p>", escape_markup(&line));
        }
        if file.refused.len() > NAMED {
            let _ = write!(html, "<p class=\"warn\">and {} more</p>", file.refused.len() - NAMED);
        }
        html.push_str("</li>\n");
    }
    html.push_str("</ul></section>\n");
    html
}

fn format_piece_count(pieces: usize) -> String {
    if pieces == 1 { "the file of 1 shard".to_owned() } else { format!("of {pieces} shards") }
}

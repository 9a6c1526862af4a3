//! The merged files: where they are, what they are made of, and what is not in them.

use super::template::{Section, values};
use crate::results::findings::Findings;
use crate::results::merge::merging::Completeness;
use crate::results::merge::record::MergedFile;

/// So many reasons are named for each file.
const NAMED: usize = 6;

/// Returns the section; `None` if nothing is merged.
pub fn render_section(findings: &Findings<'_>) -> Option<Section> {
    let describe = |file: &MergedFile| {
        let (is_partial, is_merged) = match file.completeness {
            Completeness::Whole => (false, true),
            Completeness::Partial => (true, true),
            Completeness::Refused => (false, false),
        };
        let reasons = file.refused.iter().map(ToString::to_string).take(NAMED);
        values! {
            name => file.file, is_partial, pieces => is_merged.then(|| format_piece_count(file.pieces.len())),
            warnings => reasons.chain(file.notes.iter().cloned()).collect::<Vec<_>>(),
            more => file.refused.len().saturating_sub(NAMED),
        }
    };
    let files: Vec<_> = findings.merged.iter().map(describe).collect();
    (!files.is_empty()).then(|| Section::new("Merged files", "merged", values! { files }))
}

fn format_piece_count(pieces: usize) -> String {
    if pieces == 1 { "the file of 1 shard".to_owned() } else { format!("of {pieces} shards") }
}

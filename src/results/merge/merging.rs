//! The pieces of one combo become one file, all of them or, where that is asked for, those that are sound.

use serde::Serialize;

use super::json::{Json, Style};
use super::lerobot::eval_info;
use super::made::Made;
use super::piece::{Piece, PieceRefusal, text_of};
use super::sheet::RowFormat;
use super::{by_rule, rows};
use crate::model::results::results_spec::{Merge, ResultsSpec};

/// Whether a file with gaps is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gaps {
    /// Nothing is made where a piece cannot be taken.
    Refused,
    /// The sound pieces are merged, and the file is marked as partial.
    Told,
}

/// Result of merging the pieces of one combo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merged {
    /// A file of all.
    Whole(Made),
    /// A file of some.
    Partial {
        /// The merged file without these pieces.
        made: Made,
        /// The pieces that are not in it.
        without: Vec<PieceRefusal>,
    },
    /// No file, because these pieces were refused.
    Refused(Vec<PieceRefusal>),
}

/// How complete a merged file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Completeness {
    /// All pieces are in it.
    Whole,
    /// Some pieces are not in it.
    Partial,
    /// There is no file.
    Refused,
}

/// Merges pieces in any order. `refused` are pieces that could not even be read.
pub fn merge_pieces(
    spec: &ResultsSpec,
    pieces: Vec<Piece>,
    refused: Vec<PieceRefusal>,
    gaps: Gaps,
) -> Merged {
    let mut pieces = pieces;
    // Stable: what has no first episode keeps the order of the plan.
    pieces.sort_by_key(|piece| piece.work.first_id());
    let mut refusals = refused;
    loop {
        let made = if pieces.is_empty() { None } else { Some(try_merge(spec, &pieces)) };
        match made {
            None => break,
            Some(Ok(made)) if refusals.is_empty() => return Merged::Whole(made),
            Some(Ok(made)) => {
                if gaps == Gaps::Refused {
                    break;
                }
                return partial_result(spec.merge, made, sort_refusals(refusals));
            }
            Some(Err(more)) => {
                let more: Vec<PieceRefusal> =
                    more.into_iter().map(|refusal| with_file(refusal, &pieces)).collect();
                let named = |piece: &Piece| more.iter().any(|refusal| refusal.shard == piece.shard);
                pieces.retain(|piece| !named(piece));
                refusals.extend(more);
                // Everything that is wrong is reported at once, also where nothing can be made of the rest.
            }
        }
    }
    Merged::Refused(sort_refusals(refusals))
}

fn with_file(refusal: PieceRefusal, pieces: &[Piece]) -> PieceRefusal {
    let file = pieces.iter().find(|piece| piece.shard == refusal.shard).map(|piece| piece.file.as_str());
    file.map_or(refusal.clone(), |file| refusal.with_file(file))
}

fn sort_refusals(mut refusals: Vec<PieceRefusal>) -> Vec<PieceRefusal> {
    refusals.sort();
    refusals.dedup();
    refusals
}

fn try_merge(spec: &ResultsSpec, pieces: &[Piece]) -> Result<Made, Vec<PieceRefusal>> {
    // A combo that is one shard has its file already, to the last byte.
    if let ([only], Merge::Jsonl | Merge::Csv | Merge::Lerobot | Merge::Json) = (pieces, spec.merge)
        && only.work.episode_ids().is_none()
    {
        return Ok(Made { text: text_of(&only.bytes), notes: Vec::new() });
    }
    match spec.merge {
        Merge::None => Ok(Made::default()),
        Merge::Lerobot => eval_info::merge_eval_info(pieces),
        Merge::Jsonl => rows::merge_rows(pieces, RowFormat::Jsonl, spec.rows),
        Merge::Csv => rows::merge_rows(pieces, RowFormat::Csv, spec.rows),
        Merge::Json => by_rule::merge_by_rule(pieces, &spec.rules),
    }
}

/// A document is marked as partial inside; rows are by the name of their file.
fn partial_result(merge: Merge, made: Made, without: Vec<PieceRefusal>) -> Merged {
    let made = match merge {
        Merge::Lerobot | Merge::Json => mark_partial(made, &without),
        Merge::Jsonl | Merge::Csv | Merge::None => made,
    };
    Merged::Partial { made, without }
}

fn mark_partial(made: Made, without: &[PieceRefusal]) -> Made {
    let Ok(mut document) = Json::parse(&made.text) else { return made };
    let mut shards: Vec<&str> = without.iter().map(|refusal| refusal.shard.as_str()).collect();
    shards.dedup();
    document.set_member("partial", Json::Word("true".to_owned()));
    document.set_member("missing", Json::List(shards.into_iter().map(Json::quoted_string).collect()));
    Made { text: Style::from_text(&made.text).write(&document), ..made }
}

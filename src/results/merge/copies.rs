//! Pieces that hold the same episodes, value by value: a file that was copied, or a program that ignores its seed.

use std::collections::{BTreeMap, BTreeSet};

use super::episode_numbers::{NUMBERS, SEEDS};
use super::json::{Json, strip_quotes};
use super::piece::{Piece, PieceFault, PieceRefusal};

/// So many digits that differ from episode to episode are never the same by chance in two pieces.
const TELLING: usize = 8;

/// So many digits of an average are never the same by chance in two pieces.
const TELLING_AVERAGE: usize = 6;

/// The numbers of one element with the paths to them.
pub type Element<'a> = Vec<(String, &'a str)>;

/// The measurements of a piece, episode by episode.
pub struct PieceContent<'a> {
    piece: &'a Piece,
    elements: Vec<Element<'a>>,
}

impl<'a> PieceContent<'a> {
    /// The content of a piece; numbers and seeds of episodes are no part of it.
    pub fn from_elements(piece: &'a Piece, elements: impl IntoIterator<Item = &'a Json>) -> Self {
        let element = |json| {
            let mut numbers = Vec::new();
            collect_numbers(json, "", &mut numbers);
            numbers
        };
        Self { piece, elements: elements.into_iter().map(element).collect() }
    }

    /// Whether it has as many elements as its shard has episodes, as far as that is known.
    fn has_expected_size(&self) -> bool {
        self.piece.work.size().is_none_or(|(size, _)| self.elements.len() == size)
    }

    fn is_copy_of(&self, other: &Self) -> bool {
        let common = self.elements.len().min(other.elements.len());
        self.elements[..common] == other.elements[..common] && is_telling(&self.elements[..common])
    }

    fn refuse_copy(&self, place: &str, other: &Self) -> PieceRefusal {
        let (unit, hint) = match self.piece.work.size() {
            Some((_, "episode")) => {
                ("episodes", "; does the command use `{{ shard.seed }}` or `{{ shard.ids }}`?")
            }
            Some(_) | None => ("entries", ""),
        };
        let (found, twin) = (self.elements.len(), &other.piece.shard);
        let why = format!("its {found} {unit}{place} are those of {twin}, value by value{hint}");
        PieceRefusal::new(&self.piece.shard, PieceFault::Duplicate, why)
    }
}

fn collect_numbers<'a>(json: &'a Json, path: &str, into: &mut Element<'a>) {
    match json {
        Json::Word(word) => into.push((path.to_owned(), word)),
        Json::Text(_) => {}
        Json::List(items) => items.iter().for_each(|item| collect_numbers(item, path, into)),
        Json::Map(members) => {
            for (key, value) in members.iter().map(|(key, value)| (strip_quotes(key), value)) {
                if !NUMBERS.contains(&key) && !SEEDS.contains(&key) {
                    collect_numbers(value, &format!("{path}.{key}"), into);
                }
            }
        }
    }
}

/// Whether chance does not repeat it: outcomes and round figures are often the same, many digits are not.
pub fn is_telling(elements: &[Element<'_>]) -> bool {
    let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (path, word) in elements.iter().flatten() {
        values.entry(path).or_default().insert(word);
    }
    // What is the same in every episode is a setting.
    let varying = values.values().filter(|values| values.len() > 1);
    varying.flatten().map(|word| significant_digits(word)).sum::<usize>() >= TELLING
}

/// Significant digits of a number.
fn significant_digits(word: &str) -> usize {
    let mantissa = word.split(['e', 'E']).next().unwrap_or(word);
    if !mantissa.contains(|c: char| c.is_ascii_digit()) {
        return 0;
    }
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').len()
}

/// The numbers of one element; those of episodes and seeds are no part of it.
pub fn numbers_of(element: &Json) -> Element<'_> {
    let mut numbers = Vec::new();
    collect_numbers(element, "", &mut numbers);
    numbers
}

/// Whether all of them together are more than chance.
pub fn are_telling<'a>(elements: impl IntoIterator<Item = &'a Json>) -> bool {
    let mut numbers = Vec::new();
    elements.into_iter().for_each(|json| collect_numbers(json, "", &mut numbers));
    is_telling(&[numbers])
}

/// The pieces that hold what another one holds, too. One that has as many episodes as it should, of two of which the
/// other has not, is the original.
pub fn find_copies(place: &str, contents: &[PieceContent<'_>]) -> Vec<PieceRefusal> {
    let copy = |(at, content): (usize, &PieceContent<'_>)| {
        let mut others =
            contents.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, other)| other);
        let twin = others.find(|other| {
            (!content.has_expected_size() || other.has_expected_size()) && content.is_copy_of(other)
        })?;
        Some(content.refuse_copy(place, twin))
    };
    contents.iter().enumerate().filter_map(copy).collect()
}

/// The pieces whose average is that of another one to the last of many digits.
pub fn copied_averages(path: &str, values: &[(&Piece, &Json)]) -> Vec<PieceRefusal> {
    let copy = |(at, (piece, value)): (usize, &(&Piece, &Json))| {
        let mut others = values.iter().enumerate().filter(|(other, _)| *other != at);
        let (_, (twin, _)) = others.find(|(_, (_, other))| is_average(value) && other == value)?;
        let why = format!(
            "`{path}` is {} as in {}, to the last digit: both are of the same episodes; does the command use \
             `{{{{ shard.seed }}}}` or `{{{{ shard.ids }}}}`?",
            value.display_text(),
            twin.shard
        );
        Some(PieceRefusal::new(&piece.shard, PieceFault::Duplicate, why))
    };
    values.iter().enumerate().filter_map(copy).collect()
}

/// Rates of few episodes are often equal; what is larger than 1 and has many digits is not.
fn is_average(value: &Json) -> bool {
    let is_fraction = value.as_number().is_some_and(|number| number.abs() > 1.0 && number.fract() != 0.0);
    is_fraction && matches!(value, Json::Word(word) if significant_digits(word) >= TELLING_AVERAGE)
}

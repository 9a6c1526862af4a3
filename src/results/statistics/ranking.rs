//! The values of an axis, best first, with letters for those that cannot be distinguished.

use std::collections::{BTreeMap, BTreeSet};

use super::contrast::Contrast;
use super::group::ShardGroup;
use super::letters;

/// Returns the letters of the values of one axis, by value. Values share a letter exactly where their contrast does not
/// distinguish them. None where fewer than two values have a rate, or where a pair of them was never compared.
pub fn letters_of(
    axis: &str,
    groups: &[ShardGroup],
    contrasts: &[Contrast],
) -> Option<BTreeMap<String, String>> {
    let mut ranked: Vec<(String, f64)> = groups
        .iter()
        .filter_map(|group| Some((group.values.concat(), group.totals.success_rate()?)))
        .collect();
    ranked.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let place = |value: &str| ranked.iter().position(|(ranked, _)| ranked == value);
    let mut compared = 0;
    let mut different = BTreeSet::new();
    for contrast in contrasts.iter().filter(|contrast| contrast.axis == axis) {
        let (one, other) = (place(&contrast.first)?, place(&contrast.second)?);
        compared += 1;
        if contrast.tested.is_told_apart() {
            different.insert((one.min(other), one.max(other)));
        }
    }
    let pairs = ranked.len() * ranked.len().saturating_sub(1) / 2;
    if pairs == 0 || compared < pairs {
        return None;
    }
    let letters = letters::assign_letters(ranked.len(), &different)?;
    Some(ranked.into_iter().map(|(value, _)| value).zip(letters).collect())
}

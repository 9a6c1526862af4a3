//! Letters for groups that cannot be distinguished: two items share a letter exactly where no difference was found.

use std::collections::BTreeSet;

/// Above this there are no letters to give.
const MOST: usize = 26;

/// Assigns the letters of items that come best first; `different` holds the pairs that were found to differ, the
/// smaller place first. None where more letters are needed than there are.
///
/// Insert and absorb (Piepho, Journal of Computational and Graphical Statistics 13, 456-466, 2004): a letter is a
/// column of items; a pair that differs splits each column that holds both, and a column within another adds
/// nothing of its own.
pub fn assign_letters(items: usize, different: &BTreeSet<(usize, usize)>) -> Option<Vec<String>> {
    let mut columns: Vec<BTreeSet<usize>> = vec![(0..items).collect()];
    for (one, other) in different {
        let (split, mut kept): (Vec<_>, Vec<_>) =
            columns.into_iter().partition(|column| column.contains(one) && column.contains(other));
        for column in split {
            for left_out in [one, other] {
                let mut part = column.clone();
                part.remove(left_out);
                kept.push(part);
            }
        }
        columns = absorb_subsets(kept);
    }
    columns.sort();
    (columns.len() <= MOST).then(|| {
        let letters = |item| {
            let holds = columns.iter().zip('a'..='z').filter(move |(column, _)| column.contains(&item));
            holds.map(|(_, letter)| letter).collect()
        };
        (0..items).map(letters).collect()
    })
}

/// Leaves out what lies within another.
fn absorb_subsets(columns: Vec<BTreeSet<usize>>) -> Vec<BTreeSet<usize>> {
    let mut kept: Vec<BTreeSet<usize>> = Vec::new();
    for column in columns {
        if !kept.iter().any(|other| column.is_subset(other)) {
            kept.retain(|other| !other.is_subset(&column));
            kept.push(column);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::collection::btree_set;
    use proptest::prelude::{Strategy, prop_assert_eq, proptest};

    use super::*;

    #[test]
    fn the_letters_are_those_of_the_published_way() {
        let different = [(0, 2), (0, 3), (0, 4), (1, 4), (2, 4)].into_iter().collect();
        assert_eq!(assign_letters(5, &different).unwrap(), ["a", "ab", "b", "bc", "c"]);
        // A gap: the first and the third share a letter that the second has not.
        let gap = [(0, 1), (0, 3), (1, 4), (2, 4)].into_iter().collect();
        assert_eq!(assign_letters(5, &gap).unwrap(), ["ab", "c", "ac", "cd", "bd"]);
    }

    #[test]
    fn where_nothing_differs_all_share_one_letter() {
        assert_eq!(assign_letters(3, &BTreeSet::new()).unwrap(), ["a", "a", "a"]);
        let all: BTreeSet<_> = (0..30).flat_map(|i| (i + 1..30).map(move |j| (i, j))).collect();
        assert_eq!(assign_letters(30, &all), None, "there are not so many letters");
    }

    fn pairs() -> impl Strategy<Value = BTreeSet<(usize, usize)>> {
        btree_set((0_usize..6, 0_usize..6), 0..15)
            .prop_map(|pairs| pairs.into_iter().filter(|(i, j)| i < j).collect())
    }

    proptest! {
        #[test]
        fn a_letter_is_shared_exactly_where_nothing_was_told_apart(different in pairs()) {
            let told = assign_letters(6, &different).unwrap();
            for i in 0..6 {
                for j in i + 1..6 {
                    let shared = told[i].chars().any(|letter| told[j].contains(letter));
                    prop_assert_eq!(shared, !different.contains(&(i, j)), "{:?} {:?}", told, different);
                }
            }
        }
    }
}

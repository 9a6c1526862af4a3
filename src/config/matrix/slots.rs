//! Into how many slices a combo is cut when the sweep leaves it to the machine.

/// A cut that takes up to 10 % longer than the best counts as good: each slice loads everything again, so
/// fewer are better.
const AS_GOOD: f64 = 1.1;

/// The fewest slices of each of `combos` combos of `episodes` episodes that keep `slots` shards side by side busy to
/// about the end, if all episodes are of one length.
pub fn auto_slice_count(combos: usize, slots: u32, episodes: u64) -> u32 {
    let most = u32::try_from(episodes).unwrap_or(u32::MAX).min(slots).max(1);
    // In rounds of `slots` shards, each of which is `1 / slices` of a combo long.
    let length = |slices: u32| {
        let shards = combos.saturating_mul(slices as usize);
        shards.div_ceil(slots.max(1) as usize) as f64 / f64::from(slices)
    };
    let best = (1..=most).map(length).fold(f64::INFINITY, f64::min);
    (1..=most).find(|slices| length(*slices) <= best * AS_GOOD).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_combo_is_cut_for_every_slot_and_many_combos_are_left_whole() {
        assert_eq!(auto_slice_count(1, 8, 100), 8);
        assert_eq!(auto_slice_count(1, 8, 3), 3);
        assert_eq!(auto_slice_count(8, 8, 100), 1);
        assert_eq!(auto_slice_count(100, 8, 100), 1);
        assert_eq!(auto_slice_count(3, 4, 100), 4);
        assert_eq!(auto_slice_count(1, 0, 0), 1);
    }

    proptest! {
        #[test]
        fn a_cut_is_possible_and_leaves_hardly_any_slot_idle(
            combos in 1_usize..40,
            slots in 1_u32..64,
            episodes in 1_u64..1000,
        ) {
            let slices = auto_slice_count(combos, slots, episodes);
            prop_assert!(slices >= 1 && u64::from(slices) <= episodes && slices <= slots);
            // Cut into as many as there are slots, every round is full.
            if episodes >= u64::from(slots) {
                let rounds = (combos * slices as usize).div_ceil(slots as usize) as f64 / f64::from(slices);
                prop_assert!(rounds <= combos as f64 / f64::from(slots) * 1.11);
            }
        }
    }
}

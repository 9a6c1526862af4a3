//! Many comparisons at once: p-values that account for how many there are.

/// Holm's step-down adjustment, in the order of the p-values: to call those of at most 0.05 different is wrong anywhere
/// among all of them in at most 5 of 100 tables (Scandinavian Journal of Statistics 6, 65-70, 1979).
pub fn adjust_p_values(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, position) in order.into_iter().enumerate() {
        let left = (p_values.len() - rank) as f64;
        largest = largest.max((left * p_values[position]).min(1.0));
        adjusted[position] = largest;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, proptest};

    use super::*;

    #[test]
    fn the_adjusted_values_are_those_of_statsmodels() {
        // statsmodels 0.14, `multipletests(…, method="holm")`.
        let adjusted = adjust_p_values(&[0.01, 0.04, 0.03, 0.005, 0.5]);
        let expected = [0.04, 0.09, 0.09, 0.025, 0.5];
        assert!(
            adjusted.iter().zip(expected).all(|(is, should)| (is - should).abs() < 1e-15),
            "{adjusted:?}"
        );
        assert_eq!(adjust_p_values(&[]), Vec::<f64>::new());
        assert_eq!(adjust_p_values(&[0.2]), [0.2]);
    }

    proptest! {
        #[test]
        fn none_becomes_smaller_and_their_order_stays(p in proptest::collection::vec(0.0..=1.0, 0..20)) {
            let adjusted = adjust_p_values(&p);
            for (i, one) in p.iter().enumerate() {
                prop_assert!(adjusted[i] >= *one && adjusted[i] <= 1.0);
                for (j, other) in p.iter().enumerate() {
                    prop_assert!(one > other || adjusted[i] <= adjusted[j]);
                }
            }
        }
    }
}

//! Several values of one metric made one.

use crate::model::sweep::plan::Reduce;

/// The values of one metric so far, reduced.
#[derive(Debug, Clone, Copy)]
pub struct Reduction {
    reduce: Reduce,
    count: u64,
    value: f64,
}

impl Reduction {
    /// Creates a reduction that has taken no value yet.
    pub fn new(reduce: Reduce) -> Self {
        let value = match reduce {
            Reduce::Min => f64::INFINITY,
            Reduce::Max => f64::NEG_INFINITY,
            Reduce::Last | Reduce::First | Reduce::Mean | Reduce::Sum | Reduce::Count => 0.0,
        };
        Self { reduce, count: 0, value }
    }

    /// Takes one more value and gives the new result.
    pub fn take(&mut self, value: f64) -> f64 {
        self.count += 1;
        self.value = match self.reduce {
            Reduce::First if self.count > 1 => self.value,
            Reduce::First | Reduce::Last => value,
            Reduce::Mean => self.value + (value - self.value) / self.count as f64,
            Reduce::Min => self.value.min(value),
            Reduce::Max => self.value.max(value),
            Reduce::Sum => self.value + value,
            Reduce::Count => self.count as f64,
        };
        self.value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reduction_does_what_its_name_says() {
        let result = |reduce| {
            let mut reduction = Reduction::new(reduce);
            [3.0, 1.0, 8.0].map(|value| reduction.take(value))[2]
        };
        assert_eq!(result(Reduce::Last), 8.0);
        assert_eq!(result(Reduce::First), 3.0);
        assert_eq!(result(Reduce::Mean), 4.0);
        assert_eq!(result(Reduce::Min), 1.0);
        assert_eq!(result(Reduce::Max), 8.0);
        assert_eq!(result(Reduce::Sum), 12.0);
        assert_eq!(result(Reduce::Count), 3.0);
    }
}

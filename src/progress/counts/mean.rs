//! The mean of values that come one by one.

/// The mean of what was added so far.
#[derive(Debug, Default, Clone, Copy)]
pub struct Mean {
    /// Sum of all values added so far.
    pub sum: f64,
    /// How many there are.
    pub count: u64,
}

impl Mean {
    /// Adds one more value to the mean.
    pub fn add(&mut self, value: f64) {
        self.sum += value;
        self.count += 1;
    }

    /// Takes back one that was added.
    pub fn take_back(&mut self, value: f64) {
        self.sum -= value;
        self.count -= 1;
    }

    /// The mean, where there is anything.
    pub fn value(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum / self.count as f64)
    }
}

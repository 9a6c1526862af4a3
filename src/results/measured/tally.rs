//! The largest and the mean of many readings.

/// Readings in sum; one that was never made is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct ReadingStats {
    count: u64,
    sum: f64,
    least: f64,
    most: f64,
}

impl ReadingStats {
    /// Takes a reading into account, where there was one.
    pub fn add_reading(&mut self, reading: Option<f64>) {
        let Some(reading) = reading.filter(|reading| reading.is_finite()) else { return };
        (self.least, self.most) = match self.count {
            0 => (reading, reading),
            _ => (self.least.min(reading), self.most.max(reading)),
        };
        self.count += 1;
        self.sum += reading;
    }

    /// Returns the number of readings so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the smallest reading, if any.
    pub fn least(&self) -> Option<f64> {
        self.known_value(self.least)
    }

    /// Returns the largest reading, if any.
    pub fn peak(&self) -> Option<f64> {
        self.known_value(self.most)
    }

    /// The mean; readings come at an even pace, so it is one over time.
    pub fn mean(&self) -> Option<f64> {
        self.known_value(self.sum / self.count as f64)
    }

    fn known_value(&self, number: f64) -> Option<f64> {
        (self.count > 0).then_some(number)
    }
}

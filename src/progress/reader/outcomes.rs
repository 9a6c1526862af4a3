//! What is known of how the counted items ended, where nobody declared that they are the work.

use crate::model::logs::metric_name::MetricName;
use crate::progress::counts::printed::rate::rate_on_counted;
use crate::progress::text::find::find;

/// Keeps what is known of the outcomes of a count that was only followed: a rate that the program prints is one whatever
/// it counts, and so is the share of successes where each one said how it ended; other means are none.
pub fn keep_outcomes(metrics: &mut Vec<(MetricName, f64)>, text: &[u8]) {
    let told_each = metrics.iter().any(|(name, _)| **name == *"successes");
    metrics.retain(|(name, _)| match &**name {
        "success_rate" => told_each || holds_rate(text),
        "successes" | "episodes" => told_each,
        _ => false,
    });
}

/// The program itself says how many succeeded.
fn holds_rate(text: &[u8]) -> bool {
    find(text, b"ate").is_some() && find(text, b"uccess").is_some()
        || find(text, b"SUCCESS RATE").is_some()
        || rate_on_counted(text).is_some()
}

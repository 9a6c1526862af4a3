//! Numbers as people read them.

/// The number with six decimals at most: more are noise of the sums.
pub fn figure(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    // Very small numbers would become 0, and very large ones endless.
    if value != 0.0 && (value.abs() < 1e-3 || value.abs() >= 1e15) {
        format!("{value:e}")
    } else {
        text.to_owned()
    }
}

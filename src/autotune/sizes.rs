//! Sizes as people write them into a sweep: rounded up to few digits, so that nothing is promised too little.

use crate::model::units::Bytes;

/// Below a gibibyte sizes go in steps of this.
const SMALL: u64 = 64 << 20;

/// Rounded up to what [`format_size`] can print.
pub fn round_up(bytes: Bytes) -> Bytes {
    if bytes < Bytes::GIB {
        return Bytes(bytes.0.div_ceil(SMALL) * SMALL);
    }
    let tenths = (bytes.0 as f64 / Bytes::GIB.0 as f64 * 10.0).ceil();
    Bytes((tenths / 10.0 * Bytes::GIB.0 as f64).round() as u64)
}

/// `2.4 GiB` or `512 MiB`.
pub fn format_size(bytes: Bytes) -> String {
    if bytes < Bytes::GIB {
        return format!("{} MiB", bytes.0.div_ceil(1 << 20));
    }
    format!("{:.1} GiB", bytes.0 as f64 / Bytes::GIB.0 as f64)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_written_reads_back_as_what_was_meant_and_is_never_less(bytes in 1_u64..1 << 44) {
            let rounded = round_up(Bytes(bytes));
            prop_assert_eq!(format_size(rounded).parse::<Bytes>().unwrap(), rounded);
            prop_assert!(rounded.0 + 1 >= bytes);
            prop_assert!(rounded.0 - bytes.min(rounded.0) <= (1 << 30) / 10 + 1);
        }
    }
}

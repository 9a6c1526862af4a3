//! What a recorder last noted of an alert.

use crate::progress::text::kept_line::KeptLine;

/// The newest mark of an alert; parallel to the reading's alerts.
#[derive(Debug, Default)]
pub(super) struct AlertMark {
    pub(super) count: u64,
    /// Offset at which its newest line begins.
    pub(super) newest: u64,
    /// The newest line, stored as soon as another one has come.
    pub(super) line: KeptLine,
}

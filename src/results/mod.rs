//! What a run came to: rows, summary and merged values, all pure.

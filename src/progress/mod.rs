//! What a log says: lines, presets, marks and the verdict on an attempt, all pure.

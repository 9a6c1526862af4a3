//! Drawing in SVG: shapes, the axis of time, lanes, and lines of differences.

pub mod difference_plot;
pub mod lanes;
pub mod svg;
pub mod time_axis;

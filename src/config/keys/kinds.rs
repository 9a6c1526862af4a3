//! Kinds of values that several keys take.

use super::shape::{Key, Kind, Section};
use crate::model::outcome::FailureReason;

pub(super) const STRING: Kind = Kind::Text("string", "strings");
pub(super) const TEMPLATE: Kind = Kind::Text("template", "templates");
pub(super) const PATH: Kind = Kind::Text("path", "paths");
pub(super) const TEMPLATE_PATH: Kind = Kind::Text("template, path", "templates, paths");
pub(super) const PATTERN: Kind = Kind::Text("pattern", "patterns");
pub(super) const PATTERN_OF_VALUE: Kind =
    Kind::Text("pattern with a group `value`", "patterns with a group `value`");
pub(super) const DURATION: Kind = Kind::Text("duration", "durations");
pub(super) const SIZE: Kind = Kind::Text("size", "sizes");
pub(super) const SIZE_OR_SHARE: Kind = Kind::Text("size or share", "sizes and shares");
pub(super) const AXIS: Kind = Kind::Text("name of an axis", "names of axes");
pub(super) const AUTO: Kind = Kind::Words(&["auto"]);
pub(super) const INTEGER: Kind = Kind::Integer(i64::MIN, i64::MAX);
pub(super) const COUNT: Kind = Kind::Integer(1, i64::MAX);
pub(super) const COUNT_FROM_0: Kind = Kind::Integer(0, i64::MAX);
pub(super) const NUMBER: Kind = Kind::Number(f64::NEG_INFINITY, f64::INFINITY);
pub(super) const TEMPLATES: Kind = Kind::Array(&TEMPLATE);
pub(super) const COMMAND: Kind = Kind::Either(&[TEMPLATE, TEMPLATES]);
pub(super) const COUNT_OR_AUTO: Kind = Kind::Either(&[COUNT, AUTO]);
pub(super) const REASON: Kind = Kind::WordsOf(reason_words, "[reason](results.md#reasons)", "reasons");

/// A single value of TOML as templates know it.
pub(super) const SCALAR: Kind = Kind::Either(&[STRING, NUMBER, Kind::Boolean]);

/// Table of environment variables.
pub(super) const ENVIRONMENT: Kind = Kind::Table(&ENVIRONMENT_TABLE);

static ENVIRONMENT_TABLE: Section = Section::of_named(
    "`env`",
    &Key::new(
        "NAME",
        Kind::Either(&[TEMPLATE, NUMBER, Kind::Boolean]),
        "",
        "the value of this environment variable",
        "\"YES\"",
    ),
);

fn reason_words() -> Vec<&'static str> {
    FailureReason::ALL.map(FailureReason::as_str).to_vec()
}

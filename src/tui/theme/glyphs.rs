//! The characters everything is drawn with: one set for Unicode terminals, one for plain ASCII.

use ratatui::symbols::border;

use crate::model::state::fact::Condition;
use crate::model::state::phase::PhaseKind;

/// A set of characters. None of them has an emoji form, because terminals disagree on the width of those.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glyphs {
    /// Lines and corners of the frames of panes.
    pub border: border::Set<'static>,
    /// The filled part of a progress bar.
    pub bar: &'static str,
    /// Half a cell of it; `None` if the set has no such character.
    pub bar_half: Option<&'static str>,
    /// The empty part of a progress bar.
    pub track: &'static str,
    /// The filled part of a bar that has a line for itself, and half a cell of it.
    pub thick: (&'static str, Option<&'static str>),
    /// Eight heights for histories, lowest first.
    pub levels: [&'static str; 8],
    /// Grounds without colour, from the thinnest to the densest.
    pub textures: [&'static str; 5],
    /// Memory of shards; neighbours alternate, so that they differ without colour, and none reaches the row above.
    pub memory: [&'static str; 2],
    /// Memory of processes that are no shards.
    pub memory_other: &'static str,
    /// Free memory in a memory bar.
    pub memory_free: &'static str,
    /// The chart is drawn in dots of a quarter by half a cell.
    pub braille: bool,
    /// A cut text ends with this.
    pub ellipsis: &'static str,
    /// Mark in front of a marked row.
    pub mark: &'static str,
    /// Sign that shows which series of chart and memory a row is.
    pub series: &'static str,
    /// Separator between things on a line.
    pub dot: &'static str,
    /// Sign of a state that is not known.
    pub unknown: &'static str,
    /// Unit of temperatures, degrees Celsius.
    pub celsius: &'static str,
    /// Keys that move up and down.
    pub up_down: &'static str,
    /// There is more below.
    pub more_below: &'static str,
    states: [&'static str; 8],
    conditions: [&'static str; 3],
}

/// For terminals with Unicode.
pub const UNICODE: Glyphs = Glyphs {
    border: border::ROUNDED,
    bar: "━",
    bar_half: Some("╸"),
    track: "─",
    thick: ("█", Some("▌")),
    levels: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    textures: [" ", "·", "░", "▒", "▓"],
    memory: ["▆", "▅"],
    memory_other: "▄",
    memory_free: "·",
    braille: true,
    ellipsis: "…",
    mark: "●",
    series: "▎",
    dot: "·",
    unknown: "—",
    celsius: "°C",
    up_down: "↑↓",
    more_below: "↓",
    states: ["○", "◔", "►", "‖", "▽", "✓", "✗", "⊘"],
    conditions: ["!", "?", "◇"],
};

/// Characters for all other terminals, all of them ASCII.
pub const ASCII: Glyphs = Glyphs {
    border: border::Set {
        top_left: "+",
        top_right: "+",
        bottom_left: "+",
        bottom_right: "+",
        vertical_left: "|",
        vertical_right: "|",
        horizontal_top: "-",
        horizontal_bottom: "-",
    },
    bar: "#",
    bar_half: None,
    track: "-",
    thick: ("#", None),
    levels: ["_", ".", ",", "-", "=", "+", "*", "#"],
    textures: [" ", ".", ":", "+", "#"],
    memory: ["#", "%"],
    memory_other: "o",
    memory_free: ".",
    braille: false,
    ellipsis: "~",
    mark: "*",
    series: "|",
    dot: "-",
    unknown: "-",
    celsius: "C",
    up_down: "up/down",
    more_below: "v",
    states: [".", ":", ">", "=", "~", "+", "x", "/"],
    conditions: ["!", "?", "%"],
};

impl Glyphs {
    /// The sign of a phase.
    pub fn for_phase(&self, kind: PhaseKind) -> &'static str {
        self.states[kind as usize]
    }

    /// The sign of a condition on top of a phase.
    pub fn for_condition(&self, condition: Condition) -> &'static str {
        self.conditions[condition as usize]
    }
}

//! A column of the shard table, and which of them the user wants to see.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// A column of the shard table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ShardColumn {
    /// Glyph and word of the phase or of the condition on top of it.
    State,
    /// The id of the shard.
    Shard,
    /// Its value on an axis, by name.
    Axis(String),
    /// The node that has it, or had it last.
    Node,
    /// A bar and `63/100`.
    Progress,
    /// Episodes or other units done per second.
    Rate,
    /// How long it ran.
    Elapsed,
    /// How long the rest takes.
    Left,
    /// A metric, by name.
    Metric(String),
    /// VRAM now, or the most of an ended attempt.
    Vram,
    /// Resident memory of its processes.
    Ram,
    /// CPU in percent of a core.
    Cpu,
    /// The GPUs it is on or was on.
    Gpus,
    /// Energy that its GPUs used for it.
    Energy,
    /// The number of the attempt.
    Attempt,
    /// When the attempt started.
    Started,
    /// The remark on what is odd about it, or why the attempt before failed.
    Remark,
}

/// Facts of a column that are the same for every run.
struct ColumnFacts<'a> {
    title: &'a str,
    /// Place in the order of the screen.
    rank: u8,
    /// Least cells, where they do not depend on the run.
    width: u16,
    is_number: bool,
    begins_with_largest: bool,
}

impl ShardColumn {
    fn facts(&self) -> ColumnFacts<'_> {
        let of = |title, rank, width, is_number, begins_with_largest| ColumnFacts {
            title,
            rank,
            width,
            is_number,
            begins_with_largest,
        };
        match self {
            Self::State => of("state", 0, 13, false, true),
            Self::Shard => of("shard", 1, 24, false, false),
            Self::Axis(name) => of(name, 2, 4, false, false),
            Self::Node => of("node", 3, 4, false, false),
            Self::Progress => of("progress", 4, 14, false, true),
            Self::Rate => of("rate", 5, 9, true, true),
            Self::Elapsed => of("time", 6, 7, true, true),
            Self::Left => of("left", 7, 7, true, true),
            // A share is shown as a percentage, which shows by itself that it is a rate.
            Self::Metric(name) => of(name.strip_suffix("_rate").unwrap_or(name), 8, 7, true, true),
            Self::Vram => of("VRAM", 9, 6, true, true),
            Self::Ram => of("RAM", 10, 6, true, true),
            Self::Cpu => of("CPU", 11, 5, true, true),
            Self::Gpus => of("GPU", 12, 4, true, false),
            Self::Energy => of("energy", 13, 8, true, true),
            Self::Attempt => of("try", 14, 3, true, true),
            Self::Started => of("started", 15, 7, true, true),
            Self::Remark => of("remark", 16, 24, false, false),
        }
    }

    /// Returns the heading of the column.
    pub fn title(&self) -> &str {
        self.facts().title
    }

    /// Returns the place of the column in the order of the screen.
    pub fn rank(&self) -> u8 {
        self.facts().rank
    }

    /// Returns the least width in cells, where it does not depend on the run.
    pub fn least_width(&self) -> u16 {
        self.facts().width
    }

    /// Reports whether the column holds numbers, which are aligned on the right.
    pub fn is_number(&self) -> bool {
        self.facts().is_number
    }

    /// Reports whether sorting by the column begins with the largest; words begin with A, an axis with its smallest
    /// value.
    pub fn begins_with_largest(&self) -> bool {
        self.facts().begins_with_largest
    }

    /// Returns the name of the column in the screen's own file and in the palette.
    pub fn name(&self) -> String {
        match self {
            Self::Axis(name) => format!("axis {name}"),
            Self::Metric(name) => format!("metric {name}"),
            plain => plain.title().to_owned(),
        }
    }
}

/// The columns that the user asked for or put away, by [`ShardColumn::name`]; all others are shown where there is room.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ColumnChoice {
    /// Names of columns that are never shown.
    pub hidden: BTreeSet<String>,
    /// Shown before those that were not asked for.
    pub wanted: BTreeSet<String>,
}

impl ColumnChoice {
    /// Puts a column away that is shown, or asks for one that is not.
    pub fn toggle(&mut self, column: &ShardColumn, is_shown: bool) {
        let name = column.name();
        if is_shown {
            self.wanted.remove(&name);
            self.hidden.insert(name);
        } else {
            self.hidden.remove(&name);
            self.wanted.insert(name);
        }
    }
}

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

impl ShardColumn {
    /// Returns the heading of the column.
    pub fn title(&self) -> &str {
        // A share is shown as a percentage, which shows by itself that it is a rate.
        match self {
            Self::State => "state",
            Self::Shard => "shard",
            Self::Axis(name) => name,
            Self::Progress => "progress",
            Self::Rate => "rate",
            Self::Elapsed => "time",
            Self::Left => "left",
            Self::Metric(name) => name.strip_suffix("_rate").unwrap_or(name),
            Self::Vram => "VRAM",
            Self::Ram => "RAM",
            Self::Cpu => "CPU",
            Self::Gpus => "GPU",
            Self::Energy => "energy",
            Self::Attempt => "try",
            Self::Started => "started",
            Self::Remark => "remark",
        }
    }

    /// Reports whether the column holds numbers, which are aligned on the right.
    pub fn is_number(&self) -> bool {
        match self {
            Self::State | Self::Shard | Self::Axis(_) | Self::Progress | Self::Remark => false,
            Self::Rate
            | Self::Elapsed
            | Self::Left
            | Self::Metric(_)
            | Self::Vram
            | Self::Ram
            | Self::Cpu
            | Self::Gpus
            | Self::Energy
            | Self::Attempt
            | Self::Started => true,
        }
    }

    /// Reports whether sorting by the column begins with the largest; words begin with A, an axis with its smallest
    /// value.
    pub fn begins_with_largest(&self) -> bool {
        match self {
            Self::Shard | Self::Axis(_) | Self::Gpus | Self::Remark => false,
            Self::State
            | Self::Progress
            | Self::Rate
            | Self::Elapsed
            | Self::Left
            | Self::Metric(_)
            | Self::Vram
            | Self::Ram
            | Self::Cpu
            | Self::Energy
            | Self::Attempt
            | Self::Started => true,
        }
    }

    /// Returns the name of the column in the screen's own file and in the palette.
    pub fn name(&self) -> String {
        match self {
            Self::Axis(name) => format!("axis {name}"),
            Self::Metric(name) => format!("metric {name}"),
            Self::State
            | Self::Shard
            | Self::Progress
            | Self::Rate
            | Self::Elapsed
            | Self::Left
            | Self::Vram
            | Self::Ram
            | Self::Cpu
            | Self::Gpus
            | Self::Energy
            | Self::Attempt
            | Self::Started
            | Self::Remark => self.title().to_owned(),
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

//! The design of a comparison: what is compared with what, and the words for it.

use serde_json::{Value, json};

use super::paired::paired_rate::Pairs;

/// The way in which both sides of a comparison are compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Design {
    /// Each episode with the same one of the other side.
    Paired {
        /// Counts of how the pairs ended.
        pairs: Pairs,
        /// Episodes of either side without a partner.
        left_out: u64,
    },
    /// The rates of the clusters of one side with those of the other.
    Clustered {
        /// Clusters of the first side.
        first: usize,
        /// Clusters of the second.
        second: usize,
        /// Each is compared with the same one of the other side, by Student's t; else all against all, by
        /// Welch's.
        one_by_one: bool,
    },
    /// All episodes of one side with all of the other.
    Unpaired(Why),
}

/// How the two sides of a comparison belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// Two methods on the same tasks: their trainings have nothing in common.
    Methods,
    /// The same method on two tasks: its trainings are the same, no episode is.
    Tasks,
    /// The same work in two runs.
    Runs,
}

/// Why episodes are not compared pair by pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Why {
    /// Neither a file nor a log gives how single episodes ended.
    NotTold,
    /// The reports on single episodes do not add up to the counts.
    Contradiction,
    /// No source gives their seeds.
    SeedUnknown,
    /// Most had other seeds than those of the other side.
    SeedsDiffer,
    /// The episodes are those of other tasks.
    OtherTasks,
    /// The sweep does not want it.
    Unwanted,
}

impl Why {
    /// All reasons, in the order of the enum.
    pub const ALL: [Self; 6] = [
        Self::NotTold,
        Self::Contradiction,
        Self::SeedUnknown,
        Self::SeedsDiffer,
        Self::OtherTasks,
        Self::Unwanted,
    ];

    /// Returns the key for programs.
    pub fn key(self) -> &'static str {
        match self {
            Self::NotTold => "episodes-not-told",
            Self::Contradiction => "episodes-contradict-counts",
            Self::SeedUnknown => "seeds-unknown",
            Self::SeedsDiffer => "seeds-differ",
            Self::OtherTasks => "other-tasks",
            Self::Unwanted => "unwanted",
        }
    }

    /// Text for people, after `unpaired: `.
    pub fn reason_text(self) -> &'static str {
        match self {
            Self::NotTold => "neither files nor logs tell how single episodes ended",
            Self::Contradiction => "what is told of single episodes does not add up to the counts",
            Self::SeedUnknown => {
                "nothing tells which seeds the episodes had; where their number decides how they begin, \
                 `[analysis] paired = \"by-number\"` says so"
            }
            Self::SeedsDiffer => "the episodes had other seeds",
            Self::OtherTasks => "no episode of one task is the same as one of another",
            Self::Unwanted => "the sweep says `paired = \"never\"`",
        }
    }
}

impl Design {
    /// In a few words for a cell: `paired, 37 : 5 of 500`.
    pub fn brief_text(&self) -> String {
        match self {
            Self::Paired { pairs, .. } => {
                format!("paired, {} : {} of {}", pairs.first_only, pairs.second_only, pairs.count())
            }
            Self::Clustered { first, one_by_one: true, .. } => format!("{first} clusters"),
            Self::Clustered { first, second, one_by_one: false } => format!("{first} and {second} clusters"),
            Self::Unpaired(_) => "unpaired".to_owned(),
        }
    }

    /// The full text, `first` and `second` being what both sides are called.
    pub fn full_text(&self, first: &str, second: &str) -> String {
        match self {
            Self::Paired { pairs, left_out } => {
                let rest = match left_out {
                    0 => String::new(),
                    1 => "; 1 episode has no partner and is left out".to_owned(),
                    more => format!("; {more} episodes have no partner and are left out"),
                };
                format!(
                    "paired by {} episodes: {first} only {}, {second} only {}, both {}, neither {}{rest}",
                    pairs.count(),
                    pairs.first_only,
                    pairs.second_only,
                    pairs.both,
                    pairs.neither
                )
            }
            Self::Clustered { first: count, one_by_one: true, .. } => {
                format!("by clusters: each of {count} of {first} with the same one of {second}")
            }
            Self::Clustered { first: count, second: other, one_by_one: false } => format!(
                "by clusters: {first} has {count} and {second} {other}; trained anew they would differ as much as these do, \
                 and they do not pair"
            ),
            Self::Unpaired(why) => format!("unpaired: {}", why.reason_text()),
        }
    }

    /// As a part of a document.
    pub fn to_json(&self) -> Value {
        match self {
            Self::Paired { pairs, left_out } => json!({
                "kind": "paired",
                "pairs": pairs.count(),
                "both": pairs.both,
                "first_only": pairs.first_only,
                "second_only": pairs.second_only,
                "neither": pairs.neither,
                "left_out": left_out,
                "exact_p": pairs.exact_p(),
                "interval": "tango",
                "test": "mcnemar-mid-p",
            }),
            Self::Clustered { first, second, one_by_one } => json!({
                "kind": "clustered",
                "first_clusters": first,
                "second_clusters": second,
                "interval": if *one_by_one { "paired-t" } else { "welch" },
                "test": if *one_by_one { "paired-t" } else { "welch" },
            }),
            Self::Unpaired(why) => json!({
                "kind": "unpaired",
                "why": why.key(),
                "interval": "newcombe",
                "test": "cochran-mantel-haenszel",
            }),
        }
    }
}

//! The pieces of one combo, and why one of them cannot be taken.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Serialize, Serializer};

use crate::model::ids::ShardId;
use crate::model::sweep::plan::{ShardSpec, SliceUnit};

/// Results file of one shard.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// Shard that wrote the piece.
    pub shard: ShardId,
    /// Part of the combo's work that it holds.
    pub work: PieceWork,
    /// The path of its file, below the run directory where it is there.
    pub file: String,
    /// The bytes of its file.
    pub bytes: Vec<u8>,
}

/// Part of the combo's work that a piece holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PieceWork {
    /// All of it, or work that has no numbers.
    Whole,
    /// These episodes of each task, 0-based, ascending.
    Episodes(Vec<u64>),
    /// These tasks with all of their episodes.
    Tasks(Vec<u64>),
    /// So many values of a packed axis, each with all of its episodes.
    Values(usize),
}

impl PieceWork {
    /// The work of a shard.
    pub fn from_spec(spec: &ShardSpec) -> Self {
        match (&spec.slice, &spec.pack) {
            (Some(slice), _) if slice.unit == SliceUnit::Tasks => Self::Tasks(slice.ids.clone()),
            (Some(slice), _) => Self::Episodes(slice.ids.clone()),
            (None, Some(pack)) => Self::Values(pack.values.len()),
            (None, None) => Self::Whole,
        }
    }

    /// How many episodes, tasks or values it is, and the word for them.
    pub fn size(&self) -> Option<(usize, &'static str)> {
        match self {
            Self::Whole => None,
            Self::Episodes(ids) => Some((ids.len(), "episode")),
            Self::Tasks(ids) => Some((ids.len(), "task")),
            Self::Values(count) => Some((*count, "value")),
        }
    }

    /// Its episodes, where it is made of some.
    pub fn episode_ids(&self) -> Option<&[u64]> {
        match self {
            Self::Episodes(ids) => Some(ids),
            Self::Whole | Self::Tasks(_) | Self::Values(_) => None,
        }
    }

    /// Pieces in this order are in that of the serial run.
    pub fn first_id(&self) -> u64 {
        match self {
            Self::Whole | Self::Values(_) => 0,
            Self::Episodes(ids) | Self::Tasks(ids) => ids.first().copied().unwrap_or(0),
        }
    }
}

/// Reason why a piece cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum PieceFault {
    /// There is no such file.
    Missing,
    /// Its file is also that of another piece.
    Duplicate,
    /// The piece holds work of another piece.
    Overlapping,
    /// The file was written before the attempt whose result it should be.
    Stale,
    /// The piece lacks some of its work.
    Incomplete,
    /// The file cannot be read as what it should be.
    Unreadable,
    /// The piece does not fit the others.
    Different,
}

impl PieceFault {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

impl Serialize for PieceFault {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// A piece that cannot be taken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct PieceRefusal {
    /// Shard whose piece is refused.
    pub shard: ShardId,
    /// The word for what is wrong.
    pub fault: PieceFault,
    /// Reason for it in one line.
    pub why: String,
    /// The path of its file, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl PieceRefusal {
    /// Reports why a piece cannot be taken.
    pub fn new(shard: &ShardId, fault: PieceFault, why: impl Into<String>) -> Self {
        Self { shard: shard.clone(), fault, why: why.into(), file: None }
    }

    /// Adds the path of the piece's file.
    pub fn with_file(mut self, file: &str) -> Self {
        self.file = Some(file.to_owned());
        self
    }
}

impl fmt::Display for PieceRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}: {}", self.shard, self.fault.as_str(), self.why)?;
        match &self.file {
            // A reason that names the file is more precise.
            Some(file) if !self.why.contains(file) => write!(f, " ({file})"),
            Some(_) | None => Ok(()),
        }
    }
}

/// All of the results, or all that is wrong.
pub fn collect_results<T>(
    results: impl Iterator<Item = Result<T, PieceRefusal>>,
) -> Result<Vec<T>, Vec<PieceRefusal>> {
    let mut good = Vec::new();
    let mut bad = Vec::new();
    for result in results {
        match result {
            Ok(value) => good.push(value),
            Err(refusal) => bad.push(refusal),
        }
    }
    if bad.is_empty() { Ok(good) } else { Err(bad) }
}

/// The text of a file, without a byte order mark.
pub fn text_of(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).into_owned()
}

/// How the files number their episodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbering {
    /// As the serial run does, from this number on.
    Serial(i64),
    /// Each piece from this number on.
    Own(i64),
}

impl Numbering {
    /// All numberings, in the order of preference where several fit.
    const ALL: [Self; 4] = [Self::Serial(0), Self::Serial(1), Self::Own(0), Self::Own(1)];

    /// The numbers that a piece of these episodes should have.
    fn expected_numbers(self, ids: &[u64]) -> BTreeSet<i64> {
        match self {
            Self::Serial(base) => ids.iter().map(|id| episode_number(*id) + base).collect(),
            Self::Own(base) => (0..).take(ids.len()).map(|place: i64| place + base).collect(),
        }
    }

    /// The 0-based episode of the serial run that a number of the piece means; `None` if it is not the
    /// piece's.
    pub fn resolve_episode(self, ids: &[u64], found: i64) -> Option<u64> {
        match self {
            Self::Serial(base) => {
                let episode = u64::try_from(found.checked_sub(base)?).ok()?;
                ids.binary_search(&episode).is_ok().then_some(episode)
            }
            Self::Own(base) => ids.get(usize::try_from(found.checked_sub(base)?).ok()?).copied(),
        }
    }

    /// The number that the serial run would have written.
    pub fn serial_number(self, episode: u64) -> i64 {
        episode_number(episode) + self.base()
    }

    fn base(self) -> i64 {
        let (Self::Serial(base) | Self::Own(base)) = self;
        base
    }
}

fn episode_number(episode: u64) -> i64 {
    i64::try_from(episode).unwrap_or(i64::MAX)
}

/// The episode numbers that a piece holds.
pub struct PieceNumbers<'a> {
    /// Shard whose numbers they are.
    pub shard: &'a ShardId,
    /// The episodes it should hold.
    pub ids: &'a [u64],
    /// The numbers it has.
    pub found: BTreeSet<i64>,
}

/// The pieces that hold other tasks than they should.
pub fn wrong_tasks(pieces: &[PieceNumbers<'_>]) -> Vec<PieceRefusal> {
    pieces.iter().filter_map(|piece| find_fault("task", Numbering::Serial(0), piece, pieces)).collect()
}

/// How the pieces number their episodes, or which of them hold others than they should.
pub fn detect_numbering(pieces: &[PieceNumbers<'_>]) -> Result<Numbering, Vec<PieceRefusal>> {
    let faults = |numbering: Numbering| -> Vec<PieceRefusal> {
        pieces.iter().filter_map(|piece| find_fault("episode", numbering, piece, pieces)).collect()
    };
    let lowest = pieces.iter().filter_map(|piece| piece.found.first().copied()).min();
    let rated = Numbering::ALL.map(|numbering| {
        let wrong = |piece: &PieceNumbers<'_>| {
            numbering.expected_numbers(piece.ids).symmetric_difference(&piece.found).count()
        };
        // Of equals the one that begins where the numbers do, and of these the first: `min_by_key` keeps it.
        ((pieces.iter().map(wrong).sum::<usize>(), lowest != Some(numbering.base())), numbering)
    });
    let best = rated.into_iter().min_by_key(|(rating, _)| *rating);
    let ((wrong, _), numbering) = best.unwrap_or(((0, false), Numbering::Serial(0)));
    if wrong == 0 { Ok(numbering) } else { Err(faults(numbering)) }
}

fn find_fault(
    what: &str,
    numbering: Numbering,
    piece: &PieceNumbers<'_>,
    all: &[PieceNumbers<'_>],
) -> Option<PieceRefusal> {
    let expected = numbering.expected_numbers(piece.ids);
    let foreign: Vec<i64> = piece.found.difference(&expected).copied().collect();
    let owner = |found: &i64| {
        let others = all.iter().filter(|other| other.shard != piece.shard);
        let mut owners = others.filter(|other| {
            matches!(numbering, Numbering::Serial(_)) && numbering.expected_numbers(other.ids).contains(found)
        });
        owners.next().map(|other| other.shard)
    };
    if let Some(other) = foreign.iter().find_map(owner) {
        let why = format!("it has {} of {other}", format_numbers(what, &foreign));
        return Some(PieceRefusal::new(piece.shard, PieceFault::Overlapping, why));
    }
    if !foreign.is_empty() {
        let why = format!("it has {}, which nobody asked for", format_numbers(what, &foreign));
        return Some(PieceRefusal::new(piece.shard, PieceFault::Different, why));
    }
    let missing: Vec<i64> = expected.difference(&piece.found).copied().collect();
    let why = format!("it lacks {}", format_numbers(what, &missing));
    (!missing.is_empty()).then(|| PieceRefusal::new(piece.shard, PieceFault::Incomplete, why))
}

/// `episode 3`, `episodes 3, 4, 5 and 12 more`.
pub fn format_numbers(what: &str, numbers: &[i64]) -> String {
    const SHOWN: usize = 5;
    let shown: Vec<String> = numbers.iter().take(SHOWN).map(i64::to_string).collect();
    let plural = if numbers.len() == 1 { "" } else { "s" };
    match numbers.len().saturating_sub(SHOWN) {
        0 => format!("{what}{plural} {}", shown.join(", ")),
        more => format!("{what}{plural} {} and {more} more", shown.join(", ")),
    }
}

/// Files that name the same thing twice: for each such thing the pieces in their order.
pub fn find_shared<'a>(
    things: impl IntoIterator<Item = (String, &'a ShardId)>,
) -> BTreeMap<String, Vec<&'a ShardId>> {
    let mut owners: BTreeMap<String, Vec<&ShardId>> = BTreeMap::new();
    for (thing, shard) in things {
        let owners = owners.entry(thing).or_default();
        if !owners.contains(&shard) {
            owners.push(shard);
        }
    }
    owners.retain(|_, owners| owners.len() > 1);
    owners
}

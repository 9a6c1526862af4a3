//! Where on a line the needles of the format that reads are: the search for all literals has seen it already.

use crate::progress::text::line_shapes::ShapeNumber;

/// A format with more needles has to search for the others itself.
pub const MOST_PLACES: usize = 16;

/// The first places of a format's needles on one line.
#[derive(Debug, Clone, Default)]
pub struct Places {
    /// The place of the format among the presets.
    reader: Option<usize>,
    searched: NeedleSet,
    found: NeedleSet,
    /// Needles that are on the line more than once.
    repeated: NeedleSet,
    first: [u16; MOST_PLACES],
    /// The needles that the format that looks may rely on: none where it is not the one that reads.
    shown: NeedleSet,
    /// How many bytes at the start of the line it does not see.
    left_out: usize,
    /// The shape of the whole line, where it came before.
    shape: Option<ShapeNumber>,
}

/// The place of a needle that is not known to lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Nothing has searched for it.
    Unknown,
    /// It begins here.
    Only(usize),
    /// It begins here, and again further behind.
    First(usize),
}

/// A set of needles, by their positions in the preset.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NeedleSet(u16);

impl NeedleSet {
    /// Returns the set of all these.
    pub fn of(needles: impl Iterator<Item = usize>) -> Self {
        needles.fold(Self::default(), |set, needle| set.with(needle))
    }

    fn with(self, needle: usize) -> Self {
        Self(self.0 | 1 << needle)
    }

    #[inline]
    fn holds(self, needle: usize) -> bool {
        needle < MOST_PLACES && self.0 >> needle & 1 == 1
    }
}

impl Places {
    /// Begins a line that is searched for these needles of the preset at this place.
    pub fn begin(&mut self, reader: usize, searched: NeedleSet) {
        (self.reader, self.searched) = (Some(reader), searched);
        (self.found, self.repeated) = (NeedleSet::default(), NeedleSet::default());
        self.shape = None;
    }

    /// Forgets all: no single format reads the line.
    pub fn forget(&mut self) {
        (self.reader, self.shape) = (None, None);
    }

    /// The whole line has this shape, where it came before.
    pub fn set_shape(&mut self, shape: Option<ShapeNumber>) {
        self.shape = shape;
    }

    /// Returns the shape of the line, where the format that looks sees its start.
    #[inline]
    pub fn shape(&self) -> Option<ShapeNumber> {
        self.shape.filter(|_| self.left_out == 0)
    }

    /// Adds a needle that begins here.
    pub fn add(&mut self, needle: usize, at: usize) {
        // No line is so long that one does not fit.
        let at = u16::try_from(at).unwrap_or(u16::MAX);
        if self.found.holds(needle) {
            self.repeated = self.repeated.with(needle);
            self.first[needle] = self.first[needle].min(at);
        } else {
            self.found = self.found.with(needle);
            self.first[needle] = at;
        }
    }

    /// The preset at this place looks next, at the line without so many bytes at its start.
    pub fn show(&mut self, reader: usize, left_out: usize) {
        self.shown = if self.reader == Some(reader) { self.searched } else { NeedleSet::default() };
        self.left_out = left_out;
    }

    /// The needle, given by its position in the preset, is known not to be on the line.
    #[inline]
    pub fn lack(&self, needle: usize) -> bool {
        self.shown.holds(needle) && !self.found.holds(needle)
    }

    /// Returns the place of a needle that is not known to lack.
    pub fn of(&self, needle: usize) -> Place {
        match usize::from(self.first[needle.min(MOST_PLACES - 1)]).checked_sub(self.left_out) {
            Some(_) if !self.shown.holds(needle) || !self.found.holds(needle) => Place::Unknown,
            Some(at) if self.repeated.holds(needle) => Place::First(at),
            Some(at) => Place::Only(at),
            None => Place::Unknown,
        }
    }
}

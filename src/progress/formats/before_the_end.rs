//! What decides, of the log before its last lines, what these say.

/// The log before its last lines, as far as it decides what they say.
#[derive(Debug, Clone, Copy, Default)]
pub struct BeforeTheEnd<'a> {
    /// Whether any work was counted. Where nothing was, words that may be said of a part prove nothing: they may come
    /// before the work.
    pub has_counted: bool,
    /// Less is done than there was to do: the exit code of a pipeline says nothing of the program in it.
    pub falls_short: bool,
    /// The last line is not ended: its words may lack an end.
    pub is_torn: bool,
    /// The very first line of the log, without the prefix of a logger: printed again, another run begins with it.
    pub first_line: &'a [u8],
    /// How many shares of successes were printed in words that no format knows, the last lines included.
    pub shares: u64,
    /// The same of accuracies.
    pub accuracies: u64,
}

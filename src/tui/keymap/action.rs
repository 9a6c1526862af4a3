//! What keys do.

use crate::tui::model::playback::Turn;
use crate::tui::model::views::View;

/// What a key does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// One line up.
    Up,
    /// One line down.
    Down,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// To the first line.
    First,
    /// To the last line; a log follows again.
    Last,
    /// A long log line: its left part.
    Left,
    /// A long log line: its right part.
    Right,
    /// Another view of the run.
    Show(View),
    /// The view behind this one.
    NextView,
    /// The view before this one.
    PreviousView,
    /// The pane takes all the room, or gives it back.
    Zoom,
    /// Another axis as rows, another metric.
    Another,
    /// Another axis as columns.
    AnotherColumn,
    /// The matrix shaded by success, or by progress.
    Shade,
    /// To the next pane.
    NextPane,
    /// To the pane before.
    PreviousPane,
    /// All about the selected shard.
    Details,
    /// One level back.
    Back,
    /// Narrow the table.
    Filter,
    /// Only failed shards.
    FailedOnly,
    /// Only shards that have not succeeded.
    Unfinished,
    /// The columns of the table, to be chosen and sorted by.
    Columns,
    /// Sort by the next column that is shown.
    SortNext,
    /// Sort the other way round.
    SortReverse,
    /// What needs the user first, again.
    SortUsual,
    /// Mark a shard.
    Mark,
    /// Mark from the last mark to the cursor.
    MarkRange,
    /// Mark all that is shown.
    MarkShown,
    /// Mark the others.
    InvertMarks,
    /// Mark none.
    ClearMarks,
    /// The log follows its end.
    Follow,
    /// The next match, which is below.
    NextMatch,
    /// The match before, which is above.
    PreviousMatch,
    /// Only lines with a match.
    OnlyMatches,
    /// Long lines go on in the next row.
    Wrap,
    /// When lines were written.
    Times,
    /// To the line that proves the verdict.
    Proof,
    /// What is seen of the log goes to the clipboard.
    Copy,
    /// What is held of the log goes to a file.
    Save,
    /// The log in the user's pager.
    Page,
    /// Pause, or go on.
    Pause,
    /// Pause all that runs, or let all go on.
    PauseAll,
    /// End.
    Kill,
    /// Once more.
    Requeue,
    /// All failed ones once more.
    RequeueFailed,
    /// Once more, with other values.
    Edit,
    /// Add values to an axis.
    AddValues,
    /// Take the newest requeue back.
    Undo,
    /// Start before others.
    Raise,
    /// Start behind others.
    Lower,
    /// Change the VRAM that is left free.
    Reserve,
    /// Start nothing more.
    Drain,
    /// End everything.
    EndAll,
    /// Go on after a stop.
    Continue,
    /// Use the shard's terminal.
    Enter,
    /// One more side by side.
    MoreParallel,
    /// One fewer side by side.
    FewerParallel,
    /// Move in the time of a replay.
    Play(Turn),
    /// All actions, to be found by name.
    Palette,
    /// The next theme.
    Theme,
    /// Use the mouse, or leave it to the terminal.
    Mouse,
    /// Draw everything anew.
    Redraw,
    /// This help.
    Help,
    /// Put the program to sleep.
    Suspend,
    /// To runs and sweeps; the run goes on.
    Home,
    /// Leave; the run goes on.
    Detach,
}

impl Action {
    /// It changes what is marked and nothing else.
    pub fn marks(self) -> bool {
        matches!(self, Self::Mark | Self::MarkRange | Self::MarkShown | Self::InvertMarks | Self::ClearMarks)
    }
}

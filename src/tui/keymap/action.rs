//! What keys do.

use crate::tui::model::playback::PlaybackCommand;
use crate::tui::model::views::View;

/// The effect of a key on the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Move one line up.
    Up,
    /// Move one line down.
    Down,
    /// Move one page up.
    PageUp,
    /// Move one page down.
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
    /// Go one level back.
    Back,
    /// Narrow the table by a text.
    Filter,
    /// Show failed shards only, or all again.
    FailedOnly,
    /// Only shards that have not succeeded.
    Unfinished,
    /// The columns of the table, to be chosen and sorted by.
    Columns,
    /// Sort by the next column that is shown.
    SortNext,
    /// Sort the other way round.
    SortReverse,
    /// Sort what needs the user first again.
    SortUsual,
    /// Mark or unmark the selected shard.
    Mark,
    /// Mark from the last mark to the cursor.
    MarkRange,
    /// Mark all that is shown.
    MarkShown,
    /// Mark the shown shards that are not, and unmark the others.
    InvertMarks,
    /// Take the marks off all shards.
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
    /// Copy the lines of the log that are on the screen to the clipboard.
    Copy,
    /// Write the lines of the log that are held to a file.
    Save,
    /// The log in the user's pager.
    Page,
    /// Pause, or go on.
    Pause,
    /// Pause all that runs, or let all go on.
    PauseAll,
    /// End the marked or selected shards.
    Kill,
    /// Run the marked or selected shards once more.
    Requeue,
    /// All failed ones once more.
    RequeueFailed,
    /// Once more, with other values.
    Edit,
    /// Add values to an axis.
    AddValues,
    /// Take the newest requeue back.
    Undo,
    /// Start the shards before others.
    Raise,
    /// Start the shards after others.
    Lower,
    /// Change the VRAM that is left free.
    Reserve,
    /// Start no more shards in this run.
    Drain,
    /// End all shards of the run.
    EndAll,
    /// Go on after a stop.
    Continue,
    /// Use the shard's terminal.
    Enter,
    /// Run one more shard side by side.
    MoreParallel,
    /// Run one shard fewer side by side.
    FewerParallel,
    /// Move in the time of a replay.
    Play(PlaybackCommand),
    /// All actions, to be found by name.
    Palette,
    /// Choose a theme from the list.
    Theme,
    /// Use the mouse, or leave it to the terminal.
    Mouse,
    /// Draw the whole screen from scratch.
    Redraw,
    /// Show the help of the dashboard.
    Help,
    /// Put the program to sleep.
    Suspend,
    /// To runs and sweeps; the run goes on.
    Home,
    /// Leave; the run goes on.
    Detach,
}

impl Action {
    /// Reports whether the action changes what is marked and nothing else.
    pub fn changes_marks(self) -> bool {
        matches!(self, Self::Mark | Self::MarkRange | Self::MarkShown | Self::InvertMarks | Self::ClearMarks)
    }
}

//! What keys do.

use crate::tui::model::playback::PlaybackCommand;
use crate::tui::model::views::View;

/// The effect of a key on the dashboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Move in the pane that has the keys.
    Move(Distance),
    /// A long log line: its left part.
    Left,
    /// A long log line: its right part.
    Right,
    /// Another view of the run.
    Show(View),
    /// The view after this one.
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
    /// Sort by the next column that is shown.
    SortNext,
    /// Sort the other way round.
    SortReverse,
    /// Sort what needs the user first again.
    SortUsual,
    /// Change what is marked and nothing else.
    Mark(MarkAction),
    /// Read the log in another way.
    Log(LogAction),
    /// Change the run.
    Run(RunAction),
    /// Move in the time of a replay.
    Play(PlaybackCommand),
    /// Open a list to choose from.
    Open(List),
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

/// How far a move goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Distance {
    /// So many lines, positive is down.
    Lines(isize),
    /// So many pages, positive is down.
    Pages(isize),
    /// To the first line.
    First,
    /// To the last line; a log follows its end again.
    Last,
}

/// A change of what is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MarkAction {
    /// Mark or unmark the selected shard.
    One,
    /// Mark from the last mark to the cursor.
    Range,
    /// Mark all that is shown.
    Shown,
    /// Mark the shown shards that are not, and unmark the others.
    Invert,
    /// Take the marks off all shards.
    Clear,
}

/// A way to read the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LogAction {
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
}

/// A change of the run, or of what is queued in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunAction {
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
    /// Change the VRAM that is left free.
    Reserve,
    /// Take the newest requeue back.
    Undo,
    /// Start the shards before others.
    Raise,
    /// Start the shards after others.
    Lower,
    /// Start no more shards in this run.
    Drain,
    /// End all shards of the run.
    EndAll,
    /// Go on after a stop.
    Continue,
    /// Run one more shard side by side.
    MoreParallel,
    /// Run one shard fewer side by side.
    FewerParallel,
    /// Use the shard's terminal.
    Enter,
}

/// A list to choose from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum List {
    /// All actions, to be found by name.
    Palette,
    /// Choose a theme from the list.
    Theme,
    /// The columns of the table, to be chosen and sorted by.
    Columns,
}

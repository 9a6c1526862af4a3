//! All actions of the dashboard with their usual keys; the bindings, the footer, the palette and the help come from
//! here.

use ratatui::crossterm::event::KeyCode;

use super::action::{
    Action, Action as A, Distance as D, List, LogAction as L, MarkAction as M, RunAction as R,
};
use super::binding::Binding;
use super::binding::HelpGroup::{self, Act, Log, Look, Move, Replay, Screen};
use crate::tui::model::keys::key::{Key, char, control, key};
use crate::tui::model::playback::PlaybackCommand;
use crate::tui::model::views::View;

const fn bind(
    name: &'static str,
    keys: &'static [Key],
    action: Action,
    short: Option<&'static str>,
    group: HelpGroup,
    help: &'static str,
) -> Binding {
    Binding { name, keys, action, short, help, group }
}

/// A key that changes the run.
const fn run(
    name: &'static str,
    keys: &'static [Key],
    change: R,
    short: Option<&'static str>,
    help: &'static str,
) -> Binding {
    bind(name, keys, A::Run(change), short, Act, help)
}

/// A key of the log.
const fn log(
    name: &'static str,
    keys: &'static [Key],
    way: L,
    short: Option<&'static str>,
    help: &'static str,
) -> Binding {
    bind(name, keys, A::Log(way), short, Log, help)
}

/// A key that moves within a pane.
const fn go(
    name: &'static str,
    keys: &'static [Key],
    distance: D,
    short: Option<&'static str>,
    help: &'static str,
) -> Binding {
    bind(name, keys, A::Move(distance), short, Move, help)
}

/// A key that changes what is marked.
const fn mark(
    name: &'static str,
    keys: &'static [Key],
    marks: M,
    short: Option<&'static str>,
    help: &'static str,
) -> Binding {
    bind(name, keys, A::Mark(marks), short, Look, help)
}

/// All bindings; the footer keeps this order.
pub const BINDINGS: &[Binding] = &[
    bind(
        "play",
        &[char(' '), char('p')],
        A::Play(PlaybackCommand::Toggle),
        Some("play"),
        Replay,
        "play, or pause; at the end begin again",
    ),
    bind("slower", &[char('-')], A::Play(PlaybackCommand::Slower), Some("slower"), Replay, "slower"),
    bind(
        "faster",
        &[char('+'), char('=')],
        A::Play(PlaybackCommand::Faster),
        Some("faster"),
        Replay,
        "faster",
    ),
    bind(
        "replay-back",
        &[char(',')],
        A::Play(PlaybackCommand::Back),
        Some("back"),
        Replay,
        "a twentieth of the run back",
    ),
    bind(
        "replay-forward",
        &[char('.')],
        A::Play(PlaybackCommand::Forward),
        Some("forward"),
        Replay,
        "a twentieth of the run forward",
    ),
    bind(
        "replay-begin",
        &[char('<')],
        A::Play(PlaybackCommand::ToBegin),
        None,
        Replay,
        "to the begin of the run",
    ),
    bind("replay-end", &[char('>')], A::Play(PlaybackCommand::ToEnd), None, Replay, "to its end"),
    bind(
        "details",
        &[key(KeyCode::Enter)],
        A::Details,
        Some("details"),
        Look,
        "all about the selected shard",
    ),
    bind(
        "filter",
        &[char('/')],
        A::Filter,
        Some("filter"),
        Look,
        "narrow the list in view by id, state, reason, name=value, !word; in the log: search",
    ),
    bind(
        "failed-only",
        &[char('f')],
        A::FailedOnly,
        Some("failed"),
        Look,
        "only failed shards, or all again",
    ),
    run("pause", &[char('p')], R::Pause, Some("pause"), "pause, or go on; VRAM stays held meanwhile"),
    run("kill", &[char('x')], R::Kill, Some("kill"), "end; asks first"),
    run("requeue", &[char('r')], R::Requeue, Some("requeue"), "run once more; asks first"),
    run("requeue-failed", &[char('R')], R::RequeueFailed, None, "requeue all failed shards; asks first"),
    run("edit", &[char('E')], R::Edit, None, "requeue the one shard with other values; asks first"),
    run("add", &[char('i')], R::AddValues, None, "add values to an axis, with the shards that they bring"),
    run(
        "undo",
        &[char('u')],
        R::Undo,
        Some("undo"),
        "take the newest requeue back as a whole, as far as it has not started; with marks, theirs",
    ),
    run("raise", &[char('K')], R::Raise, None, "a queued shard starts before the others"),
    run("lower", &[char('J')], R::Lower, None, "a queued shard starts behind the others"),
    run("enter", &[char('e')], R::Enter, Some("enter"), "use the shard's terminal; Ctrl-\\ leaves it"),
    run(
        "pause-all",
        &[char('S')],
        R::PauseAll,
        Some("pause all"),
        "everything that runs stands still, or goes on; VRAM stays held meanwhile",
    ),
    run(
        "more-parallel",
        &[char('+'), char('=')],
        R::MoreParallel,
        None,
        "raise the parallel limit: one more shard side by side",
    ),
    run(
        "fewer-parallel",
        &[char('-')],
        R::FewerParallel,
        None,
        "lower the parallel limit; no shard is stopped",
    ),
    run(
        "vram-reserve",
        &[char('v')],
        R::Reserve,
        None,
        "change how much VRAM is left free on every GPU; no shard is stopped",
    ),
    run(
        "drain",
        &[char('D')],
        R::Drain,
        None,
        "stop when what runs has ended: nothing new starts; asks first",
    ),
    run("end-all", &[char('X')], R::EndAll, None, "end the whole sweep now; its name must be typed"),
    run(
        "continue",
        &[char('C')],
        R::Continue,
        Some("continue"),
        "go on after a stop, before the time a run waits for, and with what is held",
    ),
    mark("mark", &[char(' ')], M::One, Some("mark"), "mark the shard and go to the next"),
    bind(
        "unfinished",
        &[char('d')],
        A::Unfinished,
        Some("unfinished"),
        Look,
        "only shards that have not succeeded, or all again",
    ),
    mark(
        "invert-marks",
        &[char('*')],
        M::Invert,
        None,
        "mark what is shown and not marked, and the other way round",
    ),
    mark("mark-range", &[char('V')], M::Range, None, "mark all from the last mark to here"),
    mark("mark-shown", &[char('M')], M::Shown, None, "mark all that is shown; the filter chooses"),
    mark("clear-marks", &[char('U')], M::Clear, None, "no marks, also where the filter hides them"),
    log("proof", &[char('P')], L::Proof, Some("proof"), "to the line that proves the verdict"),
    log("follow", &[char('F')], L::Follow, Some("follow"), "follow its end again"),
    log(
        "next-match",
        &[char('n')],
        L::NextMatch,
        Some("next"),
        "the next match, below, in the whole file; behind the last the first",
    ),
    log(
        "previous-match",
        &[char('N')],
        L::PreviousMatch,
        Some("previous"),
        "the match before, above; before the first the last",
    ),
    log("only-matches", &[char('&')], L::OnlyMatches, None, "only lines that match, or all again"),
    log("wrap", &[char('w')], L::Wrap, None, "long lines go on in the next row"),
    log("times", &[char('T')], L::Times, None, "when lines were written, where that is known"),
    log("copy", &[char('y')], L::Copy, Some("copy"), "copy what is seen (OSC 52, also through tmux)"),
    log("save", &[char('W')], L::Save, Some("save"), "write what is held of it to a file; asks where"),
    log("pager", &[char('o')], L::Page, Some("pager"), "open the whole file in $PAGER"),
    bind(
        "shards",
        &[char('1')],
        A::Show(View::Shards),
        None,
        Look,
        "Shards: the table, and what goes on around it",
    ),
    bind(
        "matrix",
        &[char('2')],
        A::Show(View::Matrix),
        None,
        Look,
        "Matrix: two axes of the sweep, success by cell",
    ),
    bind(
        "charts",
        &[char('3')],
        A::Show(View::Charts),
        None,
        Look,
        "Charts: everything over time, with marks",
    ),
    bind("gpus", &[char('4')], A::Show(View::Gpus), None, Look, "GPUs: each card in full, and the host"),
    bind(
        "events",
        &[char('5')],
        A::Show(View::Events),
        None,
        Look,
        "Events: what happened, what was done, by whom",
    ),
    bind(
        "results",
        &[char('6')],
        A::Show(View::Results),
        None,
        Look,
        "Results: the table so far, and totals by value",
    ),
    bind(
        "columns",
        &[char('c')],
        A::Open(List::Columns),
        None,
        Look,
        "choose the columns of the table, and sort by one of them",
    ),
    bind("sort", &[char('O')], A::SortNext, None, Look, "sort by the next column; behind the last as usual"),
    bind("sort-reverse", &[char('I')], A::SortReverse, None, Look, "sort the other way round"),
    bind("sort-usual", &[], A::SortUsual, None, Look, "the usual order: what needs you first"),
    bind("next-view", &[char(']')], A::NextView, None, Look, "the next view"),
    bind("previous-view", &[char('[')], A::PreviousView, None, Look, "the view before"),
    bind("zoom", &[char('z')], A::Zoom, Some("zoom"), Look, "the pane takes all the room, or gives it back"),
    bind(
        "another",
        &[char('a')],
        A::Another,
        Some("another"),
        Look,
        "Matrix: another axis as rows; Charts: another metric; Results: another axis first",
    ),
    bind("another-column", &[char('A')], A::AnotherColumn, None, Look, "Matrix: another axis as columns"),
    bind("shade", &[char('%')], A::Shade, None, Look, "Matrix: shade the cells by success, or by progress"),
    bind(
        "next-pane",
        &[key(KeyCode::Tab)],
        A::NextPane,
        Some("panes"),
        Move,
        "to the next pane; where there is one only, to the next view",
    ),
    bind(
        "previous-pane",
        &[key(KeyCode::BackTab)],
        A::PreviousPane,
        None,
        Move,
        "to the pane or view before",
    ),
    go("up", &[key(KeyCode::Up), char('k')], D::Lines(-1), None, "up"),
    go("down", &[key(KeyCode::Down), char('j')], D::Lines(1), None, "down"),
    go("page-up", &[key(KeyCode::PageUp), control('u')], D::Pages(-1), None, "a page up"),
    go("page-down", &[key(KeyCode::PageDown), control('d')], D::Pages(1), None, "a page down"),
    go("first", &[key(KeyCode::Home), char('g')], D::First, None, "to the first line"),
    go("last", &[key(KeyCode::End), char('G')], D::Last, None, "to the last line; a log follows again"),
    bind(
        "left",
        &[key(KeyCode::Left), char('h')],
        A::Left,
        None,
        Move,
        "left: in long log lines, in the matrix",
    ),
    bind("right", &[key(KeyCode::Right), char('l')], A::Right, None, Move, "right"),
    bind(
        "back",
        &[key(KeyCode::Esc)],
        A::Back,
        None,
        Move,
        "one level back: overlay, pane, marks, filter, view",
    ),
    bind(
        "palette",
        &[char(':'), control('p')],
        A::Open(List::Palette),
        Some("actions"),
        Screen,
        "find an action by a few letters; Enter does it",
    ),
    bind(
        "theme",
        &[char('t')],
        A::Open(List::Theme),
        None,
        Screen,
        "choose a theme; the screen shows it at once",
    ),
    bind(
        "mouse",
        &[char('m')],
        A::Mouse,
        None,
        Screen,
        "use the mouse here, or leave it to the terminal, which then selects text",
    ),
    bind("redraw", &[control('l')], A::Redraw, None, Screen, "draw everything anew"),
    bind("suspend", &[control('z')], A::Suspend, None, Screen, "put this screen to sleep"),
    bind(
        "help",
        &[char('?')],
        A::Help,
        Some("help"),
        Screen,
        "this help, and what the screen costs the line",
    ),
    bind("home", &[char('H')], A::Home, None, Screen, "home: all runs and sweeps; this run goes on"),
    bind("detach", &[char('q'), control('c')], A::Detach, Some("detach"), Screen, "leave; the run goes on"),
];

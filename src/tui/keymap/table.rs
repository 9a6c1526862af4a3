//! All actions of the dashboard with their usual keys; the bindings, the footer, the palette and the help come from
//! here.

use ratatui::crossterm::event::KeyCode;

use super::action::{
    Action, Action as A, Distance as D, List, LogAction as L, MarkAction as M, RunAction as R,
};
use super::binding::HelpGroup::{self, Act, Log, Look, Move, Replay, Screen};
use super::binding::{Binding, key_table};
use crate::tui::model::keys::key::{char, control, key};
use crate::tui::model::playback::PlaybackCommand;
use crate::tui::model::views::View;

/// A row of the dashboard's table; keys of [`HelpGroup::Act`] do not exist for readers.
pub type RunBinding = Binding<Action, HelpGroup>;

/// All bindings; the footer keeps this order.
pub const BINDINGS: &[RunBinding] = key_table! {
    Replay, "play", [char(' '), char('p')], A::Play(PlaybackCommand::Toggle), Some("play"),
        "play, or pause; at the end begin again";
    Replay, "slower", [char('-')], A::Play(PlaybackCommand::Slower), Some("slower"), "slower";
    Replay, "faster", [char('+'), char('=')], A::Play(PlaybackCommand::Faster), Some("faster"), "faster";
    Replay, "replay-back", [char(',')], A::Play(PlaybackCommand::Back), Some("back"),
        "a twentieth of the run back";
    Replay, "replay-forward", [char('.')], A::Play(PlaybackCommand::Forward), Some("forward"),
        "a twentieth of the run forward";
    Replay, "replay-begin", [char('<')], A::Play(PlaybackCommand::ToBegin), None, "to the begin of the run";
    Replay, "replay-end", [char('>')], A::Play(PlaybackCommand::ToEnd), None, "to its end";
    Look, "details", [key(KeyCode::Enter)], A::Details, Some("details"), "all about the selected shard";
    Look, "filter", [char('/')], A::Filter, Some("filter"),
        "narrow the list in view by id, state, reason, name=value, !word; in the log: search";
    Look, "failed-only", [char('f')], A::FailedOnly, Some("failed"), "only failed shards, or all again";
    Act, "pause", [char('p')], A::Run(R::Pause), Some("pause"),
        "pause, or go on; VRAM stays held meanwhile";
    Act, "kill", [char('x')], A::Run(R::Kill), Some("kill"), "end; asks first";
    Act, "requeue", [char('r')], A::Run(R::Requeue), Some("requeue"), "run once more; asks first";
    Act, "requeue-failed", [char('R')], A::Run(R::RequeueFailed), None,
        "requeue all failed shards; asks first";
    Act, "edit", [char('E')], A::Run(R::Edit), None, "requeue the one shard with other values; asks first";
    Act, "add", [char('i')], A::Run(R::AddValues), None,
        "add values to an axis, with the shards that they bring";
    Act, "undo", [char('u')], A::Run(R::Undo), Some("undo"),
        "take the newest requeue back as a whole, as far as it has not started; with marks, theirs";
    Act, "raise", [char('K')], A::Run(R::Raise), None, "a queued shard starts before the others";
    Act, "lower", [char('J')], A::Run(R::Lower), None, "a queued shard starts behind the others";
    Act, "enter", [char('e')], A::Run(R::Enter), Some("enter"),
        "use the shard's terminal; Ctrl-\\ leaves it";
    Act, "pause-all", [char('S')], A::Run(R::PauseAll), Some("pause all"),
        "everything that runs stands still, or goes on; VRAM stays held meanwhile";
    Act, "more-parallel", [char('+'), char('=')], A::Run(R::MoreParallel), None,
        "raise the parallel limit: one more shard side by side";
    Act, "fewer-parallel", [char('-')], A::Run(R::FewerParallel), None,
        "lower the parallel limit; no shard is stopped";
    Act, "vram-reserve", [char('v')], A::Run(R::Reserve), None,
        "change how much VRAM is left free on every GPU; no shard is stopped";
    Act, "drain", [char('D')], A::Run(R::Drain), None,
        "stop when what runs has ended: nothing new starts; asks first";
    Act, "end-all", [char('X')], A::Run(R::EndAll), None, "end the whole sweep now; its name must be typed";
    Act, "continue", [char('C')], A::Run(R::Continue), Some("continue"),
        "go on after a stop, before the time a run waits for, and with what is held";
    Look, "mark", [char(' ')], A::Mark(M::One), Some("mark"), "mark the shard and go to the next";
    Look, "unfinished", [char('d')], A::Unfinished, Some("unfinished"),
        "only shards that have not succeeded, or all again";
    Look, "invert-marks", [char('*')], A::Mark(M::Invert), None,
        "mark what is shown and not marked, and the other way round";
    Look, "mark-range", [char('V')], A::Mark(M::Range), None, "mark all from the last mark to here";
    Look, "mark-shown", [char('M')], A::Mark(M::Shown), None, "mark all that is shown; the filter chooses";
    Look, "clear-marks", [char('U')], A::Mark(M::Clear), None, "no marks, also where the filter hides them";
    Log, "proof", [char('P')], A::Log(L::Proof), Some("proof"), "to the line that proves the verdict";
    Log, "follow", [char('F')], A::Log(L::Follow), Some("follow"), "follow its end again";
    Log, "next-match", [char('n')], A::Log(L::NextMatch), Some("next"),
        "the next match, below, in the whole file; behind the last the first";
    Log, "previous-match", [char('N')], A::Log(L::PreviousMatch), Some("previous"),
        "the match before, above; before the first the last";
    Log, "only-matches", [char('&')], A::Log(L::OnlyMatches), None, "only lines that match, or all again";
    Log, "wrap", [char('w')], A::Log(L::Wrap), None, "long lines go on in the next row";
    Log, "times", [char('T')], A::Log(L::Times), None, "when lines were written, where that is known";
    Log, "copy", [char('y')], A::Log(L::Copy), Some("copy"),
        "copy what is seen (OSC 52, also through tmux)";
    Log, "save", [char('W')], A::Log(L::Save), Some("save"),
        "write what is held of it to a file; asks where";
    Log, "pager", [char('o')], A::Log(L::Page), Some("pager"), "open the whole file in $PAGER";
    Look, "shards", [char('1')], A::Show(View::Shards), None,
        "Shards: the table, and what goes on around it";
    Look, "matrix", [char('2')], A::Show(View::Matrix), None,
        "Matrix: two axes of the sweep, success by cell";
    Look, "charts", [char('3')], A::Show(View::Charts), None, "Charts: everything over time, with marks";
    Look, "gpus", [char('4')], A::Show(View::Gpus), None, "GPUs: each card in full, and the host";
    Look, "events", [char('5')], A::Show(View::Events), None,
        "Events: what happened, what was done, by whom";
    Look, "results", [char('6')], A::Show(View::Results), None,
        "Results: the table so far, and totals by value";
    Look, "nodes", [char('7')], A::Show(View::Nodes), None,
        "Nodes: the machines that take the shards, with their GPUs";
    Look, "columns", [char('c')], A::Open(List::Columns), None,
        "choose the columns of the table, and sort by one of them";
    Look, "sort", [char('O')], A::SortNext, None, "sort by the next column; behind the last as usual";
    Look, "sort-reverse", [char('I')], A::SortReverse, None, "sort the other way round";
    Look, "sort-usual", [], A::SortUsual, None, "the usual order: what needs you first";
    Look, "next-view", [char(']')], A::NextView, None, "the next view";
    Look, "previous-view", [char('[')], A::PreviousView, None, "the view before";
    Look, "zoom", [char('z')], A::Zoom, Some("zoom"), "the pane takes all the room, or gives it back";
    Look, "another", [char('a')], A::Another, Some("another"),
        "Matrix: another axis as rows; Charts: another metric; Results: another axis first";
    Look, "another-column", [char('A')], A::AnotherColumn, None, "Matrix: another axis as columns";
    Look, "shade", [char('%')], A::Shade, None, "Matrix: shade the cells by success, or by progress";
    Move, "next-pane", [key(KeyCode::Tab)], A::NextPane, Some("panes"),
        "to the next pane; where there is one only, to the next view";
    Move, "previous-pane", [key(KeyCode::BackTab)], A::PreviousPane, None, "to the pane or view before";
    Move, "up", [key(KeyCode::Up), char('k')], A::Move(D::Lines(-1)), None, "up";
    Move, "down", [key(KeyCode::Down), char('j')], A::Move(D::Lines(1)), None, "down";
    Move, "page-up", [key(KeyCode::PageUp), control('u')], A::Move(D::Pages(-1)), None, "a page up";
    Move, "page-down", [key(KeyCode::PageDown), control('d')], A::Move(D::Pages(1)), None, "a page down";
    Move, "first", [key(KeyCode::Home), char('g')], A::Move(D::First), None, "to the first line";
    Move, "last", [key(KeyCode::End), char('G')], A::Move(D::Last), None,
        "to the last line; a log follows again";
    Move, "left", [key(KeyCode::Left), char('h')], A::Left, None, "left: in long log lines, in the matrix";
    Move, "right", [key(KeyCode::Right), char('l')], A::Right, None, "right";
    Move, "back", [key(KeyCode::Esc)], A::Back, None, "one level back: overlay, pane, marks, filter, view";
    Screen, "palette", [char(':'), control('p')], A::Open(List::Palette), Some("actions"),
        "find an action by a few letters; Enter does it";
    Screen, "theme", [char('t')], A::Open(List::Theme), None, "choose a theme; the screen shows it at once";
    Screen, "mouse", [char('m')], A::Mouse, None,
        "use the mouse here, or leave it to the terminal, which then selects text";
    Screen, "redraw", [control('l')], A::Redraw, None, "draw everything anew";
    Screen, "suspend", [control('z')], A::Suspend, None, "put this screen to sleep";
    Screen, "help", [char('?')], A::Help, Some("help"), "this help, and what the screen costs the line";
    Screen, "home", [char('H')], A::Home, None, "home: all runs and sweeps; this run goes on";
    Screen, "detach", [char('q'), control('c')], A::Detach, Some("detach"), "leave; the run goes on";
};

//! Which key does what: one table makes the bindings, the footer and the help.

pub mod home;
pub mod search;

use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::model::playback::Turn;
use super::model::screen::Access;
use super::model::views::View;

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
    /// The match above.
    Older,
    /// The match below.
    Newer,
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
    /// End.
    Kill,
    /// Once more.
    Requeue,
    /// All failed ones once more.
    RequeueFailed,
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

/// A heading of the help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Getting around.
    Move,
    /// Choosing what is shown.
    Look,
    /// Reading the log of the selected shard.
    Log,
    /// Changing the run.
    Act,
    /// Moving in the time of a run that is over.
    Replay,
    /// The program itself.
    Screen,
}

impl Group {
    /// All groups, in the order of the help.
    pub const ALL: [Self; 6] = [Self::Replay, Self::Move, Self::Look, Self::Log, Self::Act, Self::Screen];

    /// The heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Move => "Move",
            Self::Look => "Look",
            Self::Log => "The log of the selected shard",
            Self::Act => "Act on the marked shards, else on the selected one",
            Self::Replay => "Replay",
            Self::Screen => "Screen",
        }
    }
}

/// A key without the noise of key events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    code: KeyCode,
    control: bool,
}

/// One line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    /// Keys that do it.
    pub keys: &'static [Key],
    /// How the keys are shown.
    pub shown: &'static str,
    /// What they do.
    pub action: Action,
    /// The word of the footer; none for keys that everybody tries anyway.
    pub short: Option<&'static str>,
    /// The sentence of the help.
    pub help: &'static str,
    /// The heading it stands under; keys of [`Group::Act`] do not exist for readers.
    pub group: Group,
}

const fn key(code: KeyCode) -> Key {
    Key { code, control: false }
}

const fn char(c: char) -> Key {
    key(KeyCode::Char(c))
}

const fn control(c: char) -> Key {
    Key { code: KeyCode::Char(c), control: true }
}

const fn bind(
    shown: &'static str,
    keys: &'static [Key],
    action: Action,
    short: Option<&'static str>,
    group: Group,
    help: &'static str,
) -> Binding {
    Binding { keys, shown, action, short, help, group }
}

use Action as A;
use Group::{Act, Log, Look, Move, Replay, Screen};

/// All bindings; the footer keeps this order.
pub const BINDINGS: &[Binding] = &[
    bind(
        "p",
        &[char('p')],
        A::Play(Turn::Toggle),
        Some("play, stop"),
        Replay,
        "go on, or stop; at the end begin anew",
    ),
    bind("-", &[char('-')], A::Play(Turn::Slower), Some("slower"), Replay, "slower"),
    bind("+", &[char('+'), char('=')], A::Play(Turn::Faster), Some("faster"), Replay, "faster"),
    bind(",", &[char(',')], A::Play(Turn::Back), Some("back"), Replay, "a twentieth of the run back"),
    bind(
        ".",
        &[char('.')],
        A::Play(Turn::Forward),
        Some("forward"),
        Replay,
        "a twentieth of the run forward",
    ),
    bind("<", &[char('<')], A::Play(Turn::ToBegin), None, Replay, "to the begin of the run"),
    bind(">", &[char('>')], A::Play(Turn::ToEnd), None, Replay, "to its end"),
    bind("Enter", &[key(KeyCode::Enter)], A::Details, Some("details"), Look, "all about the selected shard"),
    bind(
        "/",
        &[char('/')],
        A::Filter,
        Some("filter"),
        Look,
        "narrow the table by id, state, reason, name=value, !word; in the log: search",
    ),
    bind("f", &[char('f')], A::FailedOnly, Some("failed"), Look, "only failed shards, or all again"),
    bind("p", &[char('p')], A::Pause, Some("pause"), Act, "pause, or go on; VRAM stays held meanwhile"),
    bind("x", &[char('x')], A::Kill, Some("kill"), Act, "end; asks first"),
    bind("r", &[char('r')], A::Requeue, Some("requeue"), Act, "run once more; asks first"),
    bind("R", &[char('R')], A::RequeueFailed, None, Act, "requeue all failed shards; asks first"),
    bind("e", &[char('e')], A::Enter, Some("enter"), Act, "use the shard's terminal; Ctrl-\\ leaves it"),
    bind(
        "+",
        &[char('+'), char('=')],
        A::MoreParallel,
        None,
        Act,
        "raise the parallel limit: one more shard side by side",
    ),
    bind("-", &[char('-')], A::FewerParallel, None, Act, "lower the parallel limit; no shard is stopped"),
    bind("Space", &[char(' ')], A::Mark, Some("mark"), Look, "mark the shard and go to the next"),
    bind(
        "*",
        &[char('*')],
        A::InvertMarks,
        None,
        Look,
        "mark what is shown and not marked, and the other way round",
    ),
    bind("V", &[char('V')], A::MarkRange, None, Look, "mark all from the last mark to here"),
    bind("M", &[char('M')], A::MarkShown, None, Look, "mark all that is shown; the filter chooses"),
    bind("U", &[char('U')], A::ClearMarks, None, Look, "no marks, also where the filter hides them"),
    bind("P", &[char('P')], A::Proof, Some("proof"), Log, "to the line that proves the verdict"),
    bind("F", &[char('F')], A::Follow, Some("follow"), Log, "follow its end again"),
    bind("n", &[char('n')], A::Older, Some("older"), Log, "the match above, in the whole file"),
    bind("N", &[char('N')], A::Newer, Some("newer"), Log, "the match below"),
    bind("&", &[char('&')], A::OnlyMatches, None, Log, "only lines that match, or all again"),
    bind("w", &[char('w')], A::Wrap, None, Log, "long lines go on in the next row"),
    bind("T", &[char('T')], A::Times, None, Log, "when lines were written, where that is known"),
    bind("y", &[char('y')], A::Copy, Some("copy"), Log, "copy what is seen (OSC 52, also through tmux)"),
    bind("s", &[char('s')], A::Save, Some("save"), Log, "write what is held of it to a file"),
    bind("o", &[char('o')], A::Page, Some("pager"), Log, "open the whole file in $PAGER"),
    bind(
        "1",
        &[char('1')],
        A::Show(View::Shards),
        None,
        Look,
        "Shards: the table, and what goes on around it",
    ),
    bind(
        "2",
        &[char('2')],
        A::Show(View::Matrix),
        None,
        Look,
        "Matrix: two axes of the sweep, success by cell",
    ),
    bind("3", &[char('3')], A::Show(View::Charts), None, Look, "Charts: everything over time, with marks"),
    bind("4", &[char('4')], A::Show(View::Gpus), None, Look, "GPUs: each card in full, and the host"),
    bind(
        "5",
        &[char('5')],
        A::Show(View::Events),
        None,
        Look,
        "Events: what happened, what was done, by whom",
    ),
    bind("6", &[char('6')], A::Show(View::Results), None, Look, "Results: the table of results so far"),
    bind("]", &[char(']')], A::NextView, None, Look, "the next view"),
    bind("[", &[char('[')], A::PreviousView, None, Look, "the view before"),
    bind("z", &[char('z')], A::Zoom, None, Look, "the pane takes all the room, or gives it back"),
    bind(
        "a",
        &[char('a')],
        A::Another,
        Some("another"),
        Look,
        "Matrix: another axis as rows; Charts: another metric",
    ),
    bind("A", &[char('A')], A::AnotherColumn, None, Look, "Matrix: another axis as columns"),
    bind(
        "Tab",
        &[key(KeyCode::Tab)],
        A::NextPane,
        Some("panes"),
        Move,
        "to the next pane; where there is one only, to the next view",
    ),
    bind("Shift-Tab", &[key(KeyCode::BackTab)], A::PreviousPane, None, Move, "to the pane or view before"),
    bind("↑ k", &[key(KeyCode::Up), char('k')], A::Up, None, Move, "up"),
    bind("↓ j", &[key(KeyCode::Down), char('j')], A::Down, None, Move, "down"),
    bind("PgUp Ctrl-U", &[key(KeyCode::PageUp), control('u')], A::PageUp, None, Move, "a page up"),
    bind("PgDn Ctrl-D", &[key(KeyCode::PageDown), control('d')], A::PageDown, None, Move, "a page down"),
    bind("Home g", &[key(KeyCode::Home), char('g')], A::First, None, Move, "to the first line"),
    bind(
        "End G",
        &[key(KeyCode::End), char('G')],
        A::Last,
        None,
        Move,
        "to the last line; a log follows again",
    ),
    bind(
        "← h",
        &[key(KeyCode::Left), char('h')],
        A::Left,
        None,
        Move,
        "left: in long log lines, in the matrix",
    ),
    bind("→ l", &[key(KeyCode::Right), char('l')], A::Right, None, Move, "right"),
    bind(
        "Esc",
        &[key(KeyCode::Esc)],
        A::Back,
        None,
        Move,
        "one level back: overlay, pane, marks, filter, view",
    ),
    bind(
        ": Ctrl-P",
        &[char(':'), control('p')],
        A::Palette,
        None,
        Screen,
        "find an action by a few letters; Enter does it",
    ),
    bind("t", &[char('t')], A::Theme, None, Screen, "the next theme"),
    bind("Ctrl-L", &[control('l')], A::Redraw, None, Screen, "draw everything anew"),
    bind("Ctrl-Z", &[control('z')], A::Suspend, None, Screen, "put this screen to sleep"),
    bind("?", &[char('?')], A::Help, Some("help"), Screen, "this help, and what the screen costs the line"),
    bind("H", &[char('H')], A::Home, None, Screen, "home: all runs and sweeps; this run goes on"),
    bind("q Ctrl-C", &[char('q'), control('c')], A::Detach, Some("detach"), Screen, "leave; the run goes on"),
];

/// The bindings that exist for somebody with this access.
pub fn bindings(access: Access) -> impl Iterator<Item = &'static Binding> {
    BINDINGS.iter().filter(move |binding| match binding.group {
        Act => access == Access::Acting,
        Replay => access == Access::Replaying,
        Move | Look | Log | Screen => true,
    })
}

/// What a key does.
pub fn action(event: KeyEvent, access: Access) -> Option<Action> {
    let pressed = Key { code: event.code, control: event.modifiers.contains(KeyModifiers::CONTROL) };
    if event.modifiers.contains(KeyModifiers::ALT) {
        // Over a slow line Esc and the next key arrive as one; nothing may act on that.
        return None;
    }
    bindings(access).find(|binding| binding.keys.contains(&pressed)).map(|binding| binding.action)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn no_key_has_two_meanings_and_no_action_two_lines() {
        let mut actions = HashSet::new();
        for access in [Access::Acting, Access::ReadOnly, Access::Replaying] {
            let keys: Vec<Key> = bindings(access).flat_map(|binding| binding.keys).copied().collect();
            let once: HashSet<Key> = keys.iter().copied().collect();
            assert_eq!(keys.len(), once.len(), "a key is bound twice for {access:?}");
        }
        for binding in BINDINGS {
            assert!(actions.insert(binding.action), "{} has two lines", binding.help);
        }
    }

    #[test]
    fn readers_have_no_key_that_acts() {
        for c in ['p', 'x', 'r', 'R', 'e', '+', '-'] {
            let event = KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE);
            assert!(action(event, Access::Acting).is_some(), "{c}");
            assert_eq!(action(event, Access::ReadOnly), None, "{c}");
        }
    }
}

//! Keys of the log: searching, jumping, and taking text out of it.

use crate::tui::format::plural;
use crate::tui::keymap::action::{Action, LogAction};
use crate::tui::keymap::lookup;
use crate::tui::layout::layout_areas;
use crate::tui::message::{LogFound, LogPiece, Request};
use crate::tui::model::logs::log::NeededPiece;
use crate::tui::model::overlays::overlay::{Notice, Overlay};
use crate::tui::model::screen::{Model, Pane};
use crate::tui::model::search::LogSearch;

/// The request for a piece of the file that a movement needs.
pub fn request_piece(wanted: Option<NeededPiece>) -> Vec<Request> {
    let piece = match wanted {
        Some(NeededPiece::Before(offset)) => LogPiece::Before(offset),
        Some(NeededPiece::After(offset)) => LogPiece::After(offset),
        Some(NeededPiece::End) => LogPiece::End,
        None => return Vec::new(),
    };
    vec![Request::ReadLog(piece)]
}

/// Begins to type what is looked for.
pub fn begin_search(model: &mut Model) {
    let before = model.log.wishes.search.text().to_owned();
    model.log.wishes.search = LogSearch::default();
    model.overlay = Overlay::Search { before };
}

/// The typing is over: to the nearest match above what is shown.
pub fn finish_search(model: &mut Model) -> Vec<Request> {
    model.log.target = None;
    step_match(model, true)
}

/// To the next match above or below: among the lines that are held, else in the file.
pub fn step_match(model: &mut Model, up: bool) -> Vec<Request> {
    let search = model.log.wishes.search.clone();
    if search.is_empty() {
        model.notice = Some(Notice::bad("nothing is looked for yet; / in the log begins a search"));
        return Vec::new();
    }
    let page = layout_areas(model).log_page();
    if let Some(number) = model.log.find_match(up) {
        model.log.jump_to_line(number, page);
        return Vec::new();
    }
    match model.log.next_search_offset(up) {
        Some(from) => vec![Request::FindInLog { from, up, search }],
        None => {
            wrap_search(model, up, page);
            Vec::new()
        }
    }
}

/// After the last match comes the first, and the other way round, where the whole log is held.
fn wrap_search(model: &mut Model, up: bool, page: usize) {
    let is_whole = model.log.next_search_offset(!up).is_none();
    let other =
        model.log.hits.edge_match(up).filter(|_| is_whole).and_then(|offset| model.log.number_at(offset));
    let Some(number) = other else { return report_no_match(model) };
    model.log.jump_to_line(number, page);
    let text = if up { "above the first match: the last one" } else { "below the last match: the first one" };
    model.notice = Some(Notice::good(text));
}

fn report_no_match(model: &mut Model) {
    let text = format!("no further match for {}", model.log.wishes.search.text());
    model.notice = Some(Notice::bad(text));
}

/// Shows the result of a search in the file, or searches on.
pub fn handle_found(model: &mut Model, found: LogFound) -> Vec<Request> {
    match found {
        LogFound::At(offset) => vec![Request::ReadLog(LogPiece::Around(offset))],
        LogFound::NotUpTo { offset, up } => {
            // The next step begins where this one stopped.
            let action =
                if up { Action::Log(LogAction::PreviousMatch) } else { Action::Log(LogAction::NextMatch) };
            let key = lookup::key_of(action, &model.keymap);
            model.notice =
                Some(Notice::good(format!("no match so far, the file is long; {key} searches on")));
            vec![Request::ReadLog(LogPiece::Around(offset))]
        }
        LogFound::Nowhere => {
            report_no_match(model);
            Vec::new()
        }
    }
}

/// To the line that proves the verdict of the attempt whose log is shown, or that warns of one that runs.
pub fn jump_to_proof(model: &mut Model) -> Vec<Request> {
    let Some(reading) = model.selected_shard() else { return Vec::new() };
    let ended = reading.state.phase.ended();
    let Some(offset) = ended.and_then(|ended| ended.outcome.proof.as_ref()).map(|proof| proof.offset) else {
        let why = if ended.is_some() { "no line of the log proves this verdict" } else { "no verdict yet" };
        model.notice = Some(Notice::bad(why));
        return Vec::new();
    };
    if layout_areas(model).focusable_panes().contains(&Pane::Log) {
        model.focus = Pane::Log;
    }
    let page = layout_areas(model).log_page();
    let is_held = model.log.lines.front().is_some_and(|first| first.offset <= offset)
        && model.log.lines.back().is_some_and(|last| offset < last.end);
    match model.log.number_at(offset).filter(|_| is_held) {
        Some(number) => {
            model.log.jump_to_line(number, page);
            Vec::new()
        }
        None => vec![Request::ReadLog(LogPiece::Around(offset))],
    }
}

/// Copies the lines of the log that are on the screen to the clipboard.
pub fn copy_lines(model: &mut Model) -> Vec<Request> {
    let page = layout_areas(model).log_page();
    let Some(bottom) = model.log.last_shown_line() else { return report_no_log(model) };
    let mut numbers: Vec<usize> = model.log.numbers_upwards(bottom).take(page).collect();
    numbers.reverse();
    let text = join_lines(model, numbers.into_iter());
    let of = model.log.key.as_ref().map(|key| format!(" of {}", key.shard)).unwrap_or_default();
    let lines = plural(text.lines().count(), "line");
    model.notice = Some(Notice::good(format!("copied what is seen of the log{of}: {lines}")));
    vec![Request::Copy(text)]
}

/// All lines that are held, without those that are hidden, to a new file.
pub fn save_lines(model: &mut Model, path: String) -> Vec<Request> {
    let text = join_lines(model, model.log.numbers_downwards(0));
    if text.is_empty() { report_no_log(model) } else { vec![Request::Save { path, text }] }
}

fn join_lines(model: &Model, numbers: impl Iterator<Item = usize>) -> String {
    let mut text = String::new();
    for line in numbers.filter_map(|number| model.log.line(number)) {
        text.push_str(&line.text);
        text.push('\n');
    }
    text
}

fn report_no_log(model: &mut Model) -> Vec<Request> {
    model.notice = Some(Notice::bad("there is no log to take"));
    Vec::new()
}

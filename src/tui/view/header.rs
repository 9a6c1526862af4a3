//! The lines on top: which run this is and when it is done; how many shards are in each state; what is wrong.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::panes::bar;
use super::panes::text::{TextWriter, cut_left, text_width};
use super::shards::sentence;
use crate::model::machine::allocation::Allocation;
use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunStage;
use crate::model::units::duration_between;
use crate::results::time_left::estimate::Estimate;
use crate::results::time_left::forecast::Forecast;
use crate::tui::format;
use crate::tui::keymap::action::{Action, RunAction};
use crate::tui::model::alarm;
use crate::tui::model::screen::{Model, ScreenAccess};
use crate::tui::model::shards::diagnosis::Diagnosis;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws the title, the counts and the sentence, one row each.
pub fn draw_header(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let diagnosis = Diagnosis::from_model(model);
    draw_title(model, &diagnosis, theme, area, buffer);
    let below = Rect { y: area.y.saturating_add(1), height: area.height.saturating_sub(1), ..area };
    draw_counts(model, &diagnosis, theme, below, buffer);
    let last = Rect { y: area.y.saturating_add(2), height: area.height.saturating_sub(2), ..area };
    sentence::draw_sentence(model, &diagnosis, theme, last, buffer);
}

fn draw_title(model: &Model, diagnosis: &Diagnosis, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let dim = theme.style(Role::Dim);
    let mut writer = TextWriter::new(buffer, area, 0);
    writer.skip(1).put(&model.info.name, theme.style(Role::Name)).put(" on ", dim);
    writer.put(&model.info.host, theme.style(Role::Text)).skip(1);
    for (text, role) in list_badges(model, theme) {
        writer.skip(1).put(&format!(" {text} "), theme.style(role));
    }
    let length = |pieces: &[(String, Role)]| pieces.iter().map(|(text, _)| text_width(text)).sum::<u16>();
    let room = writer.room();
    let Some(times) =
        time_variants(model, diagnosis, theme).into_iter().find(|times| length(times) + 2 < room)
    else {
        return;
    };
    writer.skip(room - length(&times) - 1);
    for (text, role) in times {
        writer.put(&text, theme.style(role));
    }
}

/// Returns the badges: what must be known before anything else is read.
pub(super) fn list_badges(model: &Model, theme: &Theme) -> Vec<(Cow<'static, str>, Role)> {
    let mut badges: Vec<(Cow<'static, str>, Role)> = Vec::new();
    match model.state.stage {
        RunStage::Active if model.state.run.is_none() => {
            badges.push(("reading the journal".into(), Role::Badge))
        }
        RunStage::Active => {}
        RunStage::Draining => badges.push(("draining: nothing new starts".into(), Role::Warning)),
        RunStage::Stopping => badges.push(("stopping".into(), Role::Alarm)),
        RunStage::Ended { finished: true, .. } => badges.push(("finished".into(), Role::Badge)),
        RunStage::Ended { finished: false, .. } => badges.push(("stopped".into(), Role::Alarm)),
    }
    badges.extend(start_time_text(model, theme).map(|text| (text.into(), Role::Warning)));
    badges.extend(allocation_text(model).map(|text| (text.into(), Role::Badge)));
    if model.is_unsupervised() {
        badges.push(("UNSUPERVISED: nothing new starts".into(), Role::Alarm));
    }
    if model.plan.open_watches(&model.state).next().is_some() {
        badges.push(("watching for files".into(), Role::Badge));
    }
    badges.extend(decisions_text(model).map(|text| (text.into(), Role::Badge)));
    match model.access {
        ScreenAccess::Acting => {}
        ScreenAccess::ReadOnly => badges.push(("read-only".into(), Role::Badge)),
        ScreenAccess::Replaying => badges.push(("replay".into(), Role::Badge)),
    }
    badges
}

/// The Slurm job in which the run lives, and its end.
fn allocation_text(model: &Model) -> Option<String> {
    let Allocation { job, ends } = model.state.allocation.as_ref()?;
    if model.state.stage.is_over() {
        return None;
    }
    Some(format::job_text(job, ends.map(|ends| duration_between(model.now, ends))))
}

/// Summarises the comparisons that were decided before all of their episodes were run.
fn decisions_text(model: &Model) -> Option<String> {
    let mut decisions = model.state.decisions.iter();
    let first = decisions.next()?;
    Some(match decisions.count() {
        0 => format!("decided: {} {} beats {}", first.axis, first.better, first.worse),
        more => format!("{} comparisons decided", more + 1),
    })
}

/// When a run starts that may not start anything now, and the key that starts it at once.
fn start_time_text(model: &Model, theme: &Theme) -> Option<String> {
    let opens =
        model.state.opens_at().and_then(|_| model.state.opening.closed_text(model.now, &model.zone))?;
    let key = sentence::action_key(model, Action::Run(RunAction::Continue), theme)
        .filter(|_| model.access == ScreenAccess::Acting);
    Some(key.map_or_else(|| opens.clone(), |key| format!("{opens}; {key} starts it now")))
}

/// Pieces of a line, each with its colour.
type Pieces = Vec<(String, Role)>;

/// How long it ran and how much longer it will: as much as is known, and less in less room.
fn time_variants(model: &Model, diagnosis: &Diagnosis, theme: &Theme) -> Vec<Pieces> {
    let dot = (format!(" {} ", theme.glyphs.dot), Role::Dim);
    let strong = |text: String| (text, Role::Strong);
    let dim = |text: &str| (text.to_owned(), Role::Dim);
    let elapsed = strong(format::duration_text(model.elapsed()));
    if let RunStage::Ended { at, .. } = model.state.stage {
        let ended = vec![dim("ended "), strong(format::moment_text(at, model.now, &model.zone))];
        let whole = [vec![elapsed, dim(" in all"), dot], ended.clone()].concat();
        return vec![whole, ended];
    }
    let elapsed = vec![elapsed, dim(" elapsed")];
    let joined = |parts: &[&Pieces]| parts.iter().copied().cloned().collect::<Vec<_>>().join(&dot);
    let Some(left) = model.left else {
        let awaited = model.forecast.as_ref().and_then(Forecast::awaited);
        let unknown = match awaited {
            Some(awaited) => vec![(awaited.to_owned(), Role::Warning)],
            None => vec![dim(&format!("{} left", theme.glyphs.unknown))],
        };
        let is_known = model.state.all_final() || model.state.shards.is_empty();
        return if is_known { vec![elapsed] } else { vec![joined(&[&elapsed, &unknown]), elapsed] };
    };
    let rest = time_left_pieces(model, diagnosis, left, None);
    let ranged = left.range_text().map(|range| time_left_pieces(model, diagnosis, left, Some(&range)));
    let end = model.now.checked_add(left.time).ok();
    let ends = end.map(|end| vec![dim("ends "), strong(format::moment_text(end, model.now, &model.zone))]);
    let of_rest = |rest: &Pieces| match &ends {
        Some(ends) => vec![joined(&[&elapsed, rest, ends]), joined(&[rest, ends])],
        None => vec![joined(&[&elapsed, rest])],
    };
    let mut variants: Vec<Pieces> = ranged.iter().map(|rest| of_rest(rest).swap_remove(0)).collect();
    variants.extend(of_rest(&rest));
    variants.push(rest);
    variants
}

/// How much longer it takes, within which range, and which shards must go on for it.
fn time_left_pieces(model: &Model, diagnosis: &Diagnosis, left: Estimate, range: Option<&str>) -> Pieces {
    let dim = |text: &str| (text.to_owned(), Role::Dim);
    let mut pieces = vec![(format::duration_text(left.time), Role::Strong), dim(" left")];
    pieces.extend(range.map(|range| dim(&format!(" ({range})"))));
    let still = diagnosis.still_ones(model);
    if let Some(names) = alarm::names_or_count(model, &still) {
        let resume = if still.len() == 1 { " resumes" } else { " resume" };
        pieces.extend([dim(" if "), (names, Role::Warning), dim(resume)]);
    }
    pieces
}

/// Least width of a bar.
const SHORTEST: u16 = 8;

/// The line of counts, with a bar where there is room; of a run that is over where its report is.
pub fn draw_counts(model: &Model, diagnosis: &Diagnosis, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = TextWriter::new(buffer, area, 0);
    writer.skip(1);
    let is_over = model.state.stage.is_over();
    let silent = (!diagnosis.stuck.is_empty()).then(|| format!("! {} silent", diagnosis.stuck.len()));
    let beside = silent.as_ref().map_or(0, |silent| text_width(silent) + 2) + SHORTEST + PERCENT;
    let (kinds, in_words) = counted_phases(model, is_over, writer.room().saturating_sub(beside));
    for kind in kinds {
        let count = model.count_in_phase(kind);
        let style = theme.style(if count == 0 { Role::Dim } else { Role::of_phase(kind) });
        let text = if in_words { count_in_words(model, kind) } else { count.to_string() };
        writer.put(theme.glyphs.for_phase(kind), style).skip(1).put(&text, style).skip(2);
    }
    if let Some(silent) = silent.filter(|_| beside <= writer.room()) {
        writer.put(&silent, theme.style(Role::Warning)).skip(2);
    }
    if is_over && model.report.is_some() {
        draw_report(model, theme, &mut writer);
    } else {
        draw_share(model, theme, &mut writer);
    }
}

/// The phases whose count is shown, and whether there is room for their words.
fn counted_phases(model: &Model, is_over: bool, room: u16) -> (Vec<PhaseKind>, bool) {
    // A number that may never become another one is worth no place, one that matters always is.
    let always = [PhaseKind::Queued, PhaseKind::Running, PhaseKind::Succeeded, PhaseKind::Failed];
    let is_present = |kind: &PhaseKind| model.count_in_phase(*kind) > 0;
    let is_shown = |kind: &PhaseKind| is_present(kind) || (always.contains(kind) && !is_over);
    let fits = |kinds: &[PhaseKind]| {
        let words = kinds.iter().map(|kind| text_width(&count_in_words(model, *kind)) + 4);
        words.sum::<u16>() <= room
    };
    let all: Vec<PhaseKind> = PhaseKind::ALL.into_iter().filter(is_shown).collect();
    if fits(&all) {
        return (all, true);
    }
    // Where there is less room, what is there keeps its word before what is not there keeps its nought.
    let present: Vec<PhaseKind> = PhaseKind::ALL.into_iter().filter(is_present).collect();
    if fits(&present) { (present, true) } else { (all, false) }
}

/// Cells of the counts without their words, of the shortest bar and of how far all is.
pub(super) fn least_counts(model: &Model) -> u16 {
    let is_over = model.state.stage.is_over();
    let (kinds, _) = counted_phases(model, is_over, 0);
    let counts = kinds.into_iter().map(|kind| text_width(&model.count_in_phase(kind).to_string()) + 4);
    1 + counts.sum::<u16>() + SHORTEST + PERCENT
}

fn count_in_words(model: &Model, kind: PhaseKind) -> String {
    format!("{} {}", model.count_in_phase(kind), kind.as_str())
}

/// Width of ` 100% ` in cells.
const PERCENT: u16 = 6;

/// How many run side by side, and how far all is.
fn draw_share(model: &Model, theme: &Theme, writer: &mut TextWriter<'_>) {
    let parallel = format!("parallel {}", model.state.parallel);
    let (room, beside) = (writer.room(), text_width(&parallel) + 2);
    let is_wide = room >= beside + 20 + PERCENT;
    let bar_width = room.saturating_sub(PERCENT + if is_wide { beside } else { 0 }).min(32);
    if bar_width < SHORTEST {
        return;
    }
    let share = model.standing.share;
    writer.skip(room - bar_width - PERCENT - if is_wide { beside } else { 0 });
    if is_wide {
        writer.put(&parallel, theme.style(Role::Dim)).skip(2);
    }
    let parts = [
        (share.succeeded, theme.style(Role::Succeeded)),
        (share.lost, theme.style(Role::Failed)),
        (share.under_way, theme.style(Role::Running)),
    ];
    bar::draw_thick(writer, bar_width, &parts, theme);
    let whole = (share.succeeded + share.lost + share.under_way) * 100.0;
    // 99.6 % is not all: only what is over is 100.
    let whole = if model.state.all_final() { whole } else { whole.min(99.0) };
    writer.put_right(&format::format_percent(whole.floor()), PERCENT - 1, theme.style(Role::Strong));
}

/// A path that is cut to fewer cells leads nowhere.
const LEAST_PATH: u16 = 20;

/// Draws where the report of an ended run is, and what can be done next.
fn draw_report(model: &Model, theme: &Theme, writer: &mut TextWriter<'_>) {
    let Some(path) = &model.report else { return };
    let next = sentence::action_key(model, Action::Run(RunAction::RequeueFailed), theme)
        .filter(|_| model.count_in_phase(PhaseKind::Failed) > 0);
    let next_width = next.as_ref().map_or(0, |key| text_width(key) + text_width(" requeue failed") + 3);
    let room = writer.room().saturating_sub(next_width + 1);
    if room < LEAST_PATH {
        return;
    }
    let text = format!("report: {path}");
    let shown = text_width(&text).min(room);
    let gap = room - shown;
    // The end of a long path is its most useful part.
    let hidden = usize::from(text_width(&text).saturating_sub(room));
    let text =
        if hidden == 0 { text } else { format!("{}{}", theme.glyphs.ellipsis, cut_left(&text, hidden + 1)) };
    writer.skip(gap).put_field(&text, shown, theme.style(Role::Strong), theme.glyphs.ellipsis);
    if let Some(key) = next {
        writer.skip(3).put(&key, theme.style(Role::Key)).put(" requeue failed", theme.style(Role::Dim));
    }
}

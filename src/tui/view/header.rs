//! The two lines on top: which run this is and when it is done; how many shards are in each state.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::bar;
use super::text::{Writer, width};
use crate::model::phase::PhaseKind;
use crate::model::run_state::RunStage;
use crate::tui::format;
use crate::tui::model::screen::{Access, Model};
use crate::tui::model::success::Success;
use crate::tui::model::troubles::troubles;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws it.
pub fn draw(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    title(model, theme, area, buffer);
    let below = Rect { y: area.y.saturating_add(1), height: area.height.saturating_sub(1), ..area };
    counts(model, theme, below, buffer);
    state(model, theme, area, buffer);
}

/// Whether it is going well: what is wrong, the gravest first, and the success so far.
fn state(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = Writer::new(buffer, area, 2);
    writer.skip(1);
    let success = Success::of(model.readings()).map(|success| {
        // On narrow screens the troubles need the room.
        let is_wide = area.width >= 100;
        let episodes = if is_wide { format!("of {:.0} episodes", success.episodes) } else { String::new() };
        (format!("success {}", format::success(&success)), episodes)
    });
    let told = success.as_ref().map_or(0, |(rate, episodes)| width(rate) + width(episodes) + 2);
    let room = writer.room().saturating_sub(told + 2);
    let troubles = troubles(model);
    let right = writer.x() + room;
    if troubles.is_empty() && !model.state.shards.is_empty() {
        let glyph = theme.glyphs.state(PhaseKind::Succeeded);
        writer.put(&format!("{glyph} nothing is wrong"), theme.style(Role::Succeeded));
    }
    for (number, trouble) in troubles.iter().enumerate() {
        let left = right.saturating_sub(writer.x());
        let more = format!("and {} more", troubles.len() - number);
        let is_last = number + 1 == troubles.len();
        // The gravest is cut rather than left out; of the others as many as fit whole.
        let wanted = width(&trouble.text) + 3 + if is_last { 0 } else { width(&more) };
        if number > 0 && wanted > left {
            writer.put(&more, theme.style(Role::Dim));
            break;
        }
        let room = width(&trouble.text).min(left);
        writer.field(&trouble.text, room, theme.style(trouble.role), theme.glyphs.ellipsis);
        if !is_last {
            writer.put(&format!(" {} ", theme.glyphs.dot), theme.style(Role::Dim));
        }
    }
    if let Some((rate, episodes)) = success {
        let gap = right.saturating_sub(writer.x()) + 1;
        writer.skip(gap).put(&rate, theme.style(Role::Strong)).skip(1).put(&episodes, theme.style(Role::Dim));
    }
}

fn title(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let dim = theme.style(Role::Dim);
    let mut writer = Writer::new(buffer, area, 0);
    writer.skip(1).put(&model.info.name, theme.style(Role::Name)).put(" on ", dim);
    writer.put(&model.info.host, theme.style(Role::Text)).skip(1);
    for (text, role) in badges(model) {
        writer.skip(1).put(&format!(" {text} "), theme.style(role));
    }
    let (mut times, in_all) = (times(model, theme), in_all(model, theme));
    let length = |pieces: &[(String, Role)]| pieces.iter().map(|(text, _)| width(text)).sum::<u16>();
    let room = writer.room();
    if length(&times) + length(&in_all) + 2 < room {
        times.extend(in_all);
    }
    let length = length(&times);
    if length + 2 < room {
        writer.skip(room - length - 1);
        for (text, role) in times {
            writer.put(&text, theme.style(role));
        }
    }
}

/// What must be known before anything else is read.
fn badges(model: &Model) -> Vec<(&'static str, Role)> {
    let mut badges = Vec::new();
    match model.state.stage {
        RunStage::Active if model.state.run.is_none() => badges.push(("reading the journal", Role::Badge)),
        RunStage::Active => {}
        RunStage::Draining => badges.push(("draining: nothing new starts", Role::Warning)),
        RunStage::Stopping => badges.push(("stopping", Role::Alarm)),
        RunStage::Ended { finished: true, .. } => badges.push(("finished", Role::Badge)),
        RunStage::Ended { finished: false, .. } => badges.push(("stopped", Role::Alarm)),
    }
    if model.unsupervised() {
        badges.push(("UNSUPERVISED: nothing new starts", Role::Alarm));
    }
    match model.access {
        Access::Acting => {}
        Access::ReadOnly => badges.push(("read-only", Role::Badge)),
        Access::Replaying => badges.push(("replay", Role::Badge)),
    }
    badges
}

fn times(model: &Model, theme: &Theme) -> Vec<(String, Role)> {
    let mut pieces =
        vec![(format::duration(model.elapsed()), Role::Strong), (" elapsed".to_owned(), Role::Dim)];
    let over = matches!(model.state.stage, RunStage::Ended { .. }) || model.state.all_final();
    let dot = format!(" {} ", theme.glyphs.dot);
    if let Some(left) = model.left {
        pieces.push((dot.clone(), Role::Dim));
        pieces.push((format::duration(left), Role::Strong));
        pieces.push((" left".to_owned(), Role::Dim));
        if let Ok(end) = model.now.checked_add(left) {
            pieces.push((dot, Role::Dim));
            pieces.push(("done about ".to_owned(), Role::Dim));
            pieces.push((format::moment(end, model.now, &model.zone), Role::Strong));
        }
    } else if !over && !model.state.shards.is_empty() {
        pieces.push((format!("{dot}{} left", theme.glyphs.unknown), Role::Dim));
    }
    pieces
}

/// How long the whole run takes, beside the least it could take, or how much of that nobody knows.
fn in_all(model: &Model, theme: &Theme) -> Vec<(String, Role)> {
    let Some(forecast) = model.forecast.filter(|_| !model.state.shards.is_empty()) else { return Vec::new() };
    let piece = |text: String| vec![(format!(" {} {text}", theme.glyphs.dot), Role::Dim)];
    let is_over = matches!(model.state.stage, RunStage::Ended { .. });
    match (forecast.makespan, forecast.lower_bound) {
        (Some(_), Some(bound)) if is_over => piece(format!("{} at best", format::duration(bound))),
        (Some(makespan), Some(bound)) => {
            let (makespan, bound) = (format::duration(makespan), format::duration(bound));
            piece(format!("{makespan} in all, {bound} at best"))
        }
        (None, _) => forecast.unsure().map_or_else(Vec::new, piece),
        (Some(_), None) => Vec::new(),
    }
}

/// The line of counts, with a bar where there is room.
pub fn counts(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = Writer::new(buffer, area, 0);
    writer.skip(1);
    // A number that may never become another one is worth no place, one that matters always is.
    let always = [PhaseKind::Queued, PhaseKind::Running, PhaseKind::Succeeded, PhaseKind::Failed];
    let shown = PhaseKind::ALL.into_iter().filter(|kind| model.count(*kind) > 0 || always.contains(kind));
    let words: Vec<(PhaseKind, String)> =
        shown.map(|kind| (kind, format!("{} {}", model.count(kind), kind.as_str()))).collect();
    let is_wide = words.iter().map(|(_, words)| width(words) + 4).sum::<u16>() <= writer.room() + 2;
    for (kind, words) in words {
        let count = model.count(kind);
        let style = theme.style(if count == 0 { Role::Dim } else { Role::of_phase(kind) });
        writer.put(theme.glyphs.state(kind), style).skip(1);
        writer.put(if is_wide { &words } else { words.split(' ').next().unwrap_or_default() }, style).skip(2);
    }
    let parallel = format!("parallel {}", model.state.parallel);
    let bar_width = writer.room().saturating_sub(width(&parallel) + 9).min(32);
    if bar_width < 8 {
        return;
    }
    let share = model.share();
    let room = writer.room();
    writer.skip(room - bar_width - width(&parallel) - 8);
    writer.put(&parallel, theme.style(Role::Dim)).skip(2);
    let parts = [
        (share.succeeded, theme.style(Role::Succeeded)),
        (share.lost, theme.style(Role::Failed)),
        (share.under_way, theme.style(Role::Running)),
    ];
    bar::segments(&mut writer, bar_width, &parts, theme);
    let whole = (share.succeeded + share.lost + share.under_way) * 100.0;
    // 99.6 % is not all: only what is over is 100.
    let whole = if model.state.all_final() { whole } else { whole.min(99.0) };
    writer.right(&format::percent(whole.floor()), 5, theme.style(Role::Strong));
}

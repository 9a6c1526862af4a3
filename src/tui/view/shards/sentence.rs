//! The line under the header: the worst shard with its cause and the keys for it, what else is wrong, and the success.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::model::state::phase::PhaseKind;
use crate::model::state::run_state::RunStage;
use crate::tui::keymap::action::{Action, LogAction, RunAction};
use crate::tui::keymap::lookup;
use crate::tui::model::alarm::{Alarm, NeededAction, Others};
use crate::tui::model::hardware::gpu_remarks::GpuRemark;
use crate::tui::model::results::overall::RunSuccess;
use crate::tui::model::screen::Model;
use crate::tui::model::shards::diagnosis::Diagnosis;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::overlays::overlay::key_names;
use crate::tui::view::panes::text::{TextWriter, text_width};

/// From this width on there is room for the counts after the success.
const WIDE: u16 = 100;

/// So many cells of a sentence are left before its keys are left out.
const LEAST: u16 = 30;

/// Draws the success so far, and then what is wrong.
pub fn draw_sentence(model: &Model, diagnosis: &Diagnosis, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = TextWriter::new(buffer, area, 0);
    writer.skip(1);
    let label = success_label(model, theme);
    let counted = model.standing.overall.told.map(|told| {
        let room = writer.room().saturating_sub(text_width(&label) + 3);
        in_words(told, area.width, room, wanted_width(model, diagnosis, theme))
    });
    let said = counted.as_ref().map_or(0, |counted| text_width(&label) + text_width(counted) + 2);
    let right = writer.x() + writer.room().saturating_sub(said + 1);
    draw_troubles(model, diagnosis, theme, right, &mut writer);
    if let Some(counted) = counted {
        let gap = (right + 2).saturating_sub(writer.x());
        writer.skip(gap).put(&label, theme.style(Role::Dim)).put(&counted, theme.style(Role::Strong));
    }
}

/// Returns the label of the success, such as `success without ✗ ` where failed shards had episodes.
pub(in crate::tui::view) fn success_label(model: &Model, theme: &Theme) -> String {
    let label = model.standing.overall.told.map_or("success", RunSuccess::label);
    let without: String =
        model.standing.overall.left_out.iter().map(|kind| theme.glyphs.for_phase(*kind)).collect();
    if without.is_empty() { format!("{label} ") } else { format!("{label} without {without} ") }
}

/// Cells that the worst shard and the others that need their user take.
struct SentenceWidths {
    /// With the full text on the worst.
    whole: u16,
    /// With the start of its sentence.
    least: u16,
}

fn wanted_width(model: &Model, diagnosis: &Diagnosis, theme: &Theme) -> SentenceWidths {
    let Some(worst) = &diagnosis.worst else { return SentenceWidths { whole: 0, least: 0 } };
    let others = diagnosis.others.iter().map(|others| text_width(&others.named) + 3);
    let beside = keys_width(&alarm_keys(model, worst, theme)) + others.sum::<u16>();
    SentenceWidths {
        whole: beside + text_width(&worst.text),
        least: beside + text_width(&worst.text).min(LEAST),
    }
}

/// Words the success in the room after its label: what is wrong comes before its counts and its interval.
fn in_words(told: RunSuccess, columns: u16, room: u16, wanted: SentenceWidths) -> String {
    let (full, usual, brief) = (told.text(), told.rate_text(), told.brief_text());
    if columns >= WIDE && text_width(&full) + wanted.whole <= room {
        full
    } else if text_width(&usual) + wanted.least <= room {
        usual
    } else if text_width(&brief) + wanted.least <= room {
        brief
    } else {
        told.percentage()
    }
}

/// Draws what is wrong, up to the column `right`: what stops the whole run, the worst shard, the others that need their
/// user, and then as much as fits.
fn draw_troubles(
    model: &Model,
    diagnosis: &Diagnosis,
    theme: &Theme,
    right: u16,
    writer: &mut TextWriter<'_>,
) {
    if diagnosis.is_well() {
        draw_all_well(model, theme, writer);
    }
    let Diagnosis { of_run, worst, others, lesser, .. } = diagnosis;
    let mut list = TroubleList { theme, right, is_empty: writer.x() <= 1, writer };
    of_run
        .iter()
        .enumerate()
        .for_each(|(number, trouble)| _ = list.put_remark(trouble, of_run.len() - number));
    if let Some(worst) = worst {
        list.put_dot();
        let left = right.saturating_sub(list.writer.x());
        let reserved = reserved_widths(others, left);
        draw_worst(model, worst, theme, right - reserved.iter().sum::<u16>(), list.writer);
        for (number, others) in others.iter().enumerate() {
            list.put_shards(others, reserved.iter().skip(number + 1).sum());
        }
    }
    for (number, trouble) in lesser.iter().enumerate() {
        if !list.put_remark(trouble, lesser.len() - number) {
            return;
        }
    }
}

/// The cells that are kept for each kind of others after the worst shard: for who it is, else for how many
/// they are.
fn reserved_widths(others: &[Others], left: u16) -> Vec<u16> {
    let words: [fn(&Others) -> &str; 2] = [|others| &others.named, |others| &others.counted];
    let cells =
        words.map(|words| others.iter().map(|others| text_width(words(others)) + 3).collect::<Vec<u16>>());
    cells.into_iter().find(|cells| LEAST + cells.iter().sum::<u16>() <= left).unwrap_or_default()
}

/// The troubles that are drawn one after the other.
struct TroubleList<'a, 'b> {
    theme: &'a Theme,
    right: u16,
    is_empty: bool,
    writer: &'a mut TextWriter<'b>,
}

impl TroubleList<'_, '_> {
    fn put_dot(&mut self) {
        if !self.is_empty {
            let dot = format!(" {} ", self.theme.glyphs.dot);
            self.writer.put(&dot, self.theme.style(Role::Dim));
        }
        self.is_empty = false;
    }

    /// Writes as much about these shards as fits where so many cells are kept for others.
    fn put_shards(&mut self, others: &Others, kept: u16) {
        let room = self.right.saturating_sub(self.writer.x() + kept + 3);
        let words = [&others.full, &others.named, &others.counted];
        if let Some(words) = words.into_iter().find(|words| text_width(words) <= room) {
            self.put_dot();
            self.writer.put(words, self.theme.style(others.role));
        }
    }

    /// Writes one of which there are so many with it; the first is cut, of the others only how many they are where they
    /// do not fit. False when that was the last word.
    fn put_remark(&mut self, trouble: &GpuRemark, left: usize) -> bool {
        let room = self.right.saturating_sub(self.writer.x() + if self.is_empty { 0 } else { 3 });
        let more = format!("{left} more");
        let after = if left > 1 { text_width(&more) + 3 } else { 0 };
        if text_width(&trouble.text) + after > room && !self.is_empty {
            if text_width(&more) <= room {
                self.put_dot();
                self.writer.put(&more, self.theme.style(Role::Dim));
            }
            return false;
        }
        self.put_dot();
        let (style, ellipsis) = (self.theme.style(trouble.role), self.theme.glyphs.ellipsis);
        self.writer.put_field(&trouble.text, text_width(&trouble.text).min(room), style, ellipsis);
        true
    }
}

/// Nothing asks for anything.
fn draw_all_well(model: &Model, theme: &Theme, writer: &mut TextWriter<'_>) {
    if model.state.shards.is_empty() {
        return;
    }
    let words = match model.state.stage {
        RunStage::Ended { .. } => match model.count_in_phase(PhaseKind::Succeeded) {
            1 => "it succeeded".to_owned(),
            count => format!("all {count} succeeded"),
        },
        RunStage::Active | RunStage::Draining | RunStage::Stopping => "all is well".to_owned(),
    };
    let glyph = theme.glyphs.for_phase(PhaseKind::Succeeded);
    writer.put(&format!("{glyph} {words}"), theme.style(Role::Succeeded));
}

/// The worst shard and its keys; the sentence is cut before the keys are.
fn draw_worst(model: &Model, worst: &Alarm, theme: &Theme, right: u16, writer: &mut TextWriter<'_>) {
    let keys = alarm_keys(model, worst, theme);
    let keys_width = keys_width(&keys);
    let left = right.saturating_sub(writer.x());
    let with_keys = left >= LEAST + keys_width;
    let room = if with_keys { left - keys_width } else { left };
    let room = room.min(text_width(&worst.text));
    writer.put_field(&worst.text, room, theme.style(worst.role), theme.glyphs.ellipsis);
    for (number, (key, word)) in keys.iter().enumerate().filter(|_| with_keys) {
        let gap = if number == 0 { 2 } else { 1 };
        writer.skip(gap + 1).put(key, theme.style(Role::Key)).skip(1).put(word, theme.style(Role::Dim));
    }
}

fn keys_width(keys: &[(String, &'static str)]) -> u16 {
    keys.iter().map(|(key, word)| text_width(key) + text_width(word) + 3).sum::<u16>() + 1
}

/// Only keys that do now what their word promises: those of the shard itself while the cursor is on it.
fn alarm_keys(model: &Model, worst: &Alarm, theme: &Theme) -> Vec<(String, &'static str)> {
    let is_chosen = model.table.selected_position() == Some(worst.position)
        && model.table.marked.is_empty()
        && model.views.shown.shows_cursor();
    let is_over = model.state.stage.is_over() && model.report.is_some();
    let wanted: Vec<(Action, &'static str)> = match (worst.need, is_chosen) {
        (NeededAction::Answer, true) => vec![(Action::Run(RunAction::Enter), "enter")],
        (NeededAction::Requeue { has_proof: true }, true) => {
            vec![(Action::Run(RunAction::Requeue), "requeue"), (Action::Log(LogAction::Proof), "proof")]
        }
        (NeededAction::Requeue { has_proof: false }, true) => {
            vec![(Action::Run(RunAction::Requeue), "requeue")]
        }
        // The line above says so already.
        (NeededAction::Requeue { .. }, false) if is_over => Vec::new(),
        (NeededAction::Requeue { .. }, false) => {
            vec![(Action::Run(RunAction::RequeueFailed), "requeue failed")]
        }
        (NeededAction::Look, true) => {
            vec![(Action::Details, "details"), (Action::Run(RunAction::Kill), "kill")]
        }
        (NeededAction::Answer | NeededAction::Look, false) => Vec::new(),
    };
    wanted.into_iter().filter_map(|(action, word)| Some((action_key(model, action, theme)?, word))).collect()
}

/// The key of an action, where it exists for this user.
pub(in crate::tui::view) fn action_key(model: &Model, action: Action, theme: &Theme) -> Option<String> {
    let binding = lookup::available_bindings(model.access).find(|binding| binding.action == action)?;
    binding.first_key(&model.keymap).map(|first| key_names(&first, theme))
}

//! The plan of a sweep before its start: which combos, how many side by side, and what the machine says to it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::pane;
use super::rows::{line_of, window};
use super::text::{Writer, width, wrap};
use crate::tui::format;
use crate::tui::model::home::{Gravity, SweepPlan};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// Draws it: the combos above, what the preflight found below.
pub fn draw(plan: &SweepPlan, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let room = usize::from(area.width.saturating_sub(4));
    let remarks: Vec<(Role, String)> = plan
        .preflight
        .iter()
        .flat_map(|remark| {
            let role = match remark.gravity {
                Gravity::Refusal => Role::Failed,
                Gravity::Warning => Role::Warning,
                Gravity::Note => Role::Text,
            };
            wrap(&remark.text, room).into_iter().map(move |line| (role, line))
        })
        .collect();
    let wanted = u16::try_from(remarks.len().max(1)).unwrap_or(u16::MAX).saturating_add(2);
    let below = wanted.min(area.height * 2 / 5);
    let above = Rect { height: area.height - below, ..area };
    let below = Rect { y: above.bottom(), height: below, ..area };
    combos(plan, theme, above, buffer);
    let inner = pane::draw("Preflight of the whole sweep", Vec::new(), false, theme, below, buffer);
    if remarks.is_empty() {
        Writer::new(buffer, inner, 0).put("nothing stands in the way", theme.style(Role::Succeeded));
    }
    for (row, (role, text)) in (0..inner.height).zip(&remarks) {
        Writer::new(buffer, inner, row).put(text, theme.style(*role));
    }
}

fn combos(plan: &SweepPlan, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let title = format!("Plan of {}", plan.name);
    let inner = pane::draw(&title, Vec::new(), true, theme, area, buffer);
    let ticked = plan.combos.iter().filter(|combo| combo.ticked);
    let (count, shards) = (ticked.clone().count(), plan.ticked().len());
    let mut writer = Writer::new(buffer, inner, 0);
    let chosen = format!(
        "{count} of {}: {}",
        format::plural(plan.combos.len(), "combo"),
        format::plural(shards, "shard")
    );
    writer.put(&chosen, theme.style(Role::Strong));
    writer.put(&format!(", {} side by side", plan.parallel), theme.style(Role::Strong));
    if let Some(work) = ticked.map(|combo| combo.foreseen).sum::<Option<std::time::Duration>>()
        && count > 0
    {
        writer.put(&format!(", {} of work expected", format::duration(work)), theme.style(Role::Dim));
    }
    if let Some(because) = &plan.because {
        Writer::new(buffer, inner, 1).put(because, theme.style(Role::Dim));
    }
    let skipped = inner.height.min(if plan.because.is_some() { 2 } else { 1 });
    let list = Rect { y: inner.y + skipped, height: inner.height - skipped, ..inner };
    let names = plan.combos.iter().map(|combo| width(&combo.name)).max().unwrap_or(0);
    let names = names.min(list.width.saturating_sub(30));
    for (row, position) in window(plan.cursor, plan.combos.len(), list.height) {
        let (combo, line) = (&plan.combos[position], line_of(list, row));
        let style = theme.style(if combo.ticked { Role::Text } else { Role::Dim });
        let mut writer = Writer::new(buffer, line, 0);
        writer.put(if combo.ticked { "[x] " } else { "[ ] " }, style);
        writer.field(&combo.name, names, style, theme.glyphs.ellipsis).skip(2);
        writer.field(&format::plural(combo.shards.len(), "shard"), 10, theme.style(Role::Dim), "").skip(1);
        if let Some(time) = combo.foreseen {
            writer.put(&format::duration(time), theme.style(Role::Dim));
        }
        if position == plan.cursor {
            buffer.set_style(line, theme.style(Role::Cursor));
        }
    }
}

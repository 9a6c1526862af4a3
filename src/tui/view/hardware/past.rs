//! The machine of a run that is over: of its time, and nothing of now.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use crate::model::state::run_state::RunStage;
use crate::model::units::{UNKNOWN, or_unknown};
use crate::tui::format;
use crate::tui::model::hardware::machine::MachineHistory;
use crate::tui::model::screen::Model;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::text::TextWriter;

/// Returns, for a run that is over, the moment up to which the readings go. Nothing is read any more, and nothing is
/// late.
pub fn until_note<'a>(model: &Model, theme: &Theme) -> Option<Vec<Span<'a>>> {
    match model.state.stage {
        RunStage::Ended { at, .. } => {
            let moment = format::moment_text(at, model.now, &model.zone);
            Some(vec![Span::styled(format!("until {moment}"), theme.style(Role::Dim))])
        }
        RunStage::Active | RunStage::Draining | RunStage::Stopping => None,
    }
}

/// Draws how much CPU and memory the whole run took: a figure of its last second would be no summary.
pub fn draw_host_summary(machine: &MachineHistory, theme: &Theme, inner: Rect, buffer: &mut Buffer) {
    let cpu: Vec<f64> = machine.host_course.iter().filter_map(|(_, sample)| sample.cpu_percent).collect();
    let mean = (!cpu.is_empty()).then(|| cpu.iter().sum::<f64>() / cpu.len() as f64);
    let most = cpu.into_iter().reduce(f64::max);
    let used = machine.host_course.iter().filter_map(|(_, sample)| sample.ram_used_bytes).max();
    let total = machine.host.back().and_then(|sample| sample.ram_total_bytes);
    let cpu = match mean.zip(most) {
        Some((mean, most)) => {
            format!("{} on average, {} at most", format::format_percent(mean), format::format_percent(most))
        }
        None => UNKNOWN.to_owned(),
    };
    let ram = or_unknown(used, |used| format!("{} at most", format::memory_of(Some(used), total)));
    for (line, (label, text)) in [("CPU   ", cpu), ("RAM   ", ram)].iter().enumerate() {
        let mut writer = TextWriter::new(buffer, inner, line as u16);
        writer.put(label, theme.style(Role::Dim)).put(text, theme.style(Role::Text));
    }
}

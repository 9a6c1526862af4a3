//! The plan of a sweep before its start: which combos, which values, how many side by side, and the findings
//! on the machine.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::table;
use crate::results::time_left::forecast::Forecast;
use crate::tui::format;
use crate::tui::model::overlays::sweep_plan::{
    Gravity, PlanForecast, PlanList, SweepPlan, Typing, ValueLine,
};
use crate::tui::model::shards::rows::{line_of, visible_lines};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::panes::pane;
use crate::tui::view::panes::text::{TextWriter, text_width, wrap_text};

/// Draws the sum on top, the axes next to the combos, and what the preflight found below.
pub fn draw_plan(plan: &SweepPlan, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let remarks = remark_lines(plan, usize::from(area.width.saturating_sub(4)));
    let wanted = u16::try_from(remarks.len().max(1)).unwrap_or(u16::MAX).saturating_add(2);
    let (sum, below) = (area.height.min(5), wanted.min(area.height * 2 / 5));
    let lists = Rect { y: area.y + sum, height: area.height.saturating_sub(sum + below), ..area };
    let below = Rect { y: lists.bottom(), height: below.min(area.height - sum), ..area };
    draw_sum(plan, theme, Rect { height: sum, ..area }, buffer);
    // Next to one another where both can be read, else the one that has the keys.
    let beside = if plan.axes.is_empty() { 0 } else { axes_width(plan).min(lists.width / 2) };
    let (left, right) = if lists.width >= 70 {
        (Rect { width: beside, ..lists }, Rect { x: lists.x + beside, width: lists.width - beside, ..lists })
    } else {
        match plan.list {
            PlanList::Axes => (lists, Rect::ZERO),
            PlanList::Combos => (Rect::ZERO, lists),
        }
    };
    if left.width > 0 {
        draw_axes(plan, theme, left, buffer);
    }
    if right.width > 0 {
        draw_combos(plan, theme, right, buffer);
    }
    draw_remarks(plan, &remarks, theme, below, buffer);
}

fn remark_lines(plan: &SweepPlan, room: usize) -> Vec<(Role, String)> {
    let lines: Vec<(Role, &str)> = match &plan.outlook {
        PlanForecast::NoPlan(lines) => lines.iter().map(|line| (Role::Failed, line.as_str())).collect(),
        PlanForecast::Told { preflight, .. } => {
            let role = |gravity| match gravity {
                Gravity::Refusal => Role::Failed,
                Gravity::Warning => Role::Warning,
                Gravity::Note => Role::Text,
            };
            preflight.iter().map(|remark| (role(remark.gravity), remark.text.as_str())).collect()
        }
    };
    lines
        .into_iter()
        .flat_map(|(role, text)| wrap_text(text, room).into_iter().map(move |line| (role, line)))
        .collect()
}

/// Draws what is started, how long it takes, and how it differs from the file.
fn draw_sum(plan: &SweepPlan, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let inner = pane::draw_pane(&format!("Plan of {}", plan.name), Vec::new(), false, theme, area, buffer);
    let (strong, dim) = (theme.style(Role::Strong), theme.style(Role::Dim));
    let shards: usize = plan.ticked_combos().map(|combo| combo.shards.len()).sum();
    let mut first = TextWriter::new(buffer, inner, 0);
    let (ticked, all) = (plan.ticked_combos().count(), format::plural(plan.combos.len(), "combo"));
    let chosen = format!("{ticked} of {all}: {}", format::plural(shards, "shard"));
    first.put(&chosen, strong).put(&format!(", {} side by side", plan.side_by_side()), strong);
    if let Some(because) = plan.because.as_ref().filter(|_| plan.wish.parallel.is_none()) {
        let room = first.room();
        first.put_field(&format!(", because {because}"), room, dim, theme.glyphs.ellipsis);
    }
    let mut second = TextWriter::new(buffer, inner, 1);
    match &plan.outlook {
        _ if plan.asked => _ = second.put("looking at the machine again", dim),
        PlanForecast::NoPlan(_) => {
            _ = second.put("there is no plan for this choice", theme.style(Role::Failed))
        }
        PlanForecast::Told { forecast, .. } if ticked > 0 => {
            draw_forecast(plan, forecast, theme, &mut second)
        }
        PlanForecast::Told { .. } => _ = second.put("nothing to do", dim),
    }
    let changes = plan.list_changes();
    let text = if changes.is_empty() { "as its file says".to_owned() } else { changes.join("; ") };
    let role = if changes.is_empty() { Role::Dim } else { Role::Warning };
    let mut third = TextWriter::new(buffer, inner, 2);
    let room = third.room();
    third.put_field(&text, room, theme.style(role), theme.glyphs.ellipsis);
}

fn draw_forecast(plan: &SweepPlan, forecast: &Forecast, theme: &Theme, writer: &mut TextWriter<'_>) {
    let (strong, dim) = (theme.style(Role::Strong), theme.style(Role::Dim));
    match (forecast.makespan, forecast.lower_bound) {
        (Some(makespan), bound) => {
            writer.put(&format::duration_text(makespan), strong).put(" in all", dim);
            if let Some(bound) = bound {
                writer.put(&format!(", {} at best", format::duration_text(bound)), dim);
            }
        }
        (None, Some(bound)) => _ = writer.put(&format!("at least {}", format::duration_text(bound)), strong),
        (None, None) => _ = writer.put(&format!("{} in all", theme.glyphs.unknown), dim),
    }
    if let Some(unsure) = forecast.unsure() {
        writer.put(&format!("; {unsure}"), dim);
    } else if let Some(work) =
        plan.ticked_combos().map(|combo| combo.foreseen).sum::<Option<std::time::Duration>>()
    {
        writer.put(&format!(", {} of work", format::duration_text(work)), dim);
    }
}

/// Returns the width that the axes take with their values and the counts next to them.
fn axes_width(plan: &SweepPlan) -> u16 {
    let names = plan.axes.iter().map(|axis| text_width(&axis.given.name)).max().unwrap_or(0);
    let values = plan.value_lines().iter().map(|line| text_width(&line.value.to_string())).max().unwrap_or(0);
    let typed = plan.typing.as_ref().map_or(0, |typing| text_width(&typing.text) + 1);
    names + values.max(typed).max(6) + 4 + 4 + 10
}

fn draw_axes(plan: &SweepPlan, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let inner = pane::draw_pane("Axes", Vec::new(), plan.list == PlanList::Axes, theme, area, buffer);
    let lines = plan.value_lines();
    let names = plan.axes.iter().map(|axis| text_width(&axis.given.name)).max().unwrap_or(0);
    // The line being typed comes below the others, which are one row fewer then.
    let typed = u16::from(plan.typing.is_some());
    let room = inner.height.saturating_sub(typed);
    let mut last = "";
    let mut rows = 0;
    for (row, position) in visible_lines(plan.value, lines.len(), room) {
        let line = &lines[position];
        let name = line.axis.given.name.as_str();
        draw_value(line, if name == last { "" } else { name }, names, theme, line_of(inner, row), buffer);
        last = name;
        rows = row + 1;
        if position == plan.value && plan.list == PlanList::Axes {
            table::draw_cursor(theme, line_of(inner, row), buffer);
        }
    }
    if let Some(typing) = &plan.typing
        && rows < inner.height
    {
        draw_typing(typing, theme, line_of(inner, rows), buffer);
    }
}

/// `policy   [x] flat   4 of 4`
fn draw_value(line: &ValueLine<'_>, name: &str, names: u16, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let is_out = line.axis.is_out(line.value);
    let (sign, role) = match (line.ticked, line.combos) {
        _ if is_out => ("[ ] ", Role::Dim),
        (0, _) => ("[ ] ", Role::Dim),
        (ticked, combos) if ticked < combos => ("[-] ", Role::Text),
        _ => ("[x] ", Role::Text),
    };
    let mut writer = TextWriter::new(buffer, area, 0);
    writer.put_field(name, names, theme.style(Role::Name), theme.glyphs.ellipsis).skip(1);
    writer.put(sign, theme.style(role)).put(&line.value.to_string(), theme.style(role)).skip(2);
    if line.axis.is_added(line.value) {
        writer.put("new ", theme.style(Role::Warning));
    }
    if !is_out && line.combos > 0 {
        writer.put(&format!("{}/{}", line.ticked, line.combos), theme.style(Role::Dim));
    }
}

fn draw_typing(typing: &Typing, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let what = match &typing.instead_of {
        Some(old) => format!("{} instead of {old}: ", typing.axis),
        None => format!("{}, a further value: ", typing.axis),
    };
    let mut writer = TextWriter::new(buffer, area, 0);
    writer.put(&what, theme.style(Role::Dim)).put(&typing.text, theme.style(Role::Key));
    writer.put(" ", Style::new().add_modifier(Modifier::REVERSED));
}

fn draw_combos(plan: &SweepPlan, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let inner = pane::draw_pane("Combos", Vec::new(), plan.list == PlanList::Combos, theme, area, buffer);
    let names = plan.combos.iter().map(|combo| text_width(&combo.name)).max().unwrap_or(0);
    let names = names.min(inner.width.saturating_sub(4));
    // Names first, then how long, then how many.
    let room = inner.width.saturating_sub(4 + names);
    for (row, position) in visible_lines(plan.cursor, plan.combos.len(), inner.height) {
        let (combo, line) = (&plan.combos[position], line_of(inner, row));
        let is_ticked = plan.is_ticked(combo);
        let style = theme.style(if is_ticked { Role::Text } else { Role::Dim });
        let mut writer = TextWriter::new(buffer, line, 0);
        writer.put(if is_ticked { "[x] " } else { "[ ] " }, style);
        writer.put_field(&combo.name, names, style, theme.glyphs.ellipsis).skip(2);
        if room >= 22 {
            let shards = format::plural(combo.shards.len(), "shard");
            writer.put_field(&shards, 10, theme.style(Role::Dim), "").skip(1);
        }
        if let Some(time) = combo.foreseen.filter(|_| room >= 10) {
            writer.put(&format::duration_text(time), theme.style(Role::Dim));
        }
        if position == plan.cursor && plan.list == PlanList::Combos {
            table::draw_cursor(theme, line, buffer);
        }
    }
}

fn draw_remarks(
    plan: &SweepPlan,
    remarks: &[(Role, String)],
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let title = if plan.asked { "Preflight of the choice before" } else { "Preflight" };
    let inner = pane::draw_pane(title, Vec::new(), false, theme, area, buffer);
    if remarks.is_empty() {
        TextWriter::new(buffer, inner, 0).put("nothing stands in the way", theme.style(Role::Succeeded));
    }
    for (row, (role, text)) in (0..inner.height).zip(remarks) {
        let role = if plan.asked { Role::Dim } else { *role };
        TextWriter::new(buffer, inner, row).put(text, theme.style(role));
    }
}

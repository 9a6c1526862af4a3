//! The home screen: runs, sweeps, what is known of the chosen line, and what lies over them.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Span;

use super::run_row::{self, RunColumns};
use super::{home_help, home_preview};
use crate::tui::format;
use crate::tui::keymap::home::{OPEN_WORD, footer_keys, palette_entries};
use crate::tui::model::home_screen::home::{HomeLine, HomeModel, HomePage, SweepLine};
use crate::tui::model::home_screen::home_areas::{self, HomeAreas};
use crate::tui::model::home_screen::run_line::RunLine;
use crate::tui::model::screen::ScreenAccess;
use crate::tui::model::shards::rows::{line_of, visible_lines};
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::footer::fitting_keys;
use crate::tui::view::overlays::{overlay, palette, themes};
use crate::tui::view::panes::text::TextWriter;
use crate::tui::view::panes::{ascii, pane};
use crate::tui::view::shards::{sweep_plan, table};

/// Draws the whole screen.
pub fn draw_home(home: &HomeModel, theme: &Theme, buffer: &mut Buffer) {
    let screen = buffer.area;
    buffer.set_style(screen, theme.style(Role::Text));
    let foot = Rect { y: screen.bottom().saturating_sub(1), height: screen.height.min(1), ..screen };
    let body = Rect { height: screen.height.saturating_sub(1), ..screen };
    match &home.page {
        HomePage::Lists => {
            let areas = home_areas::layout_home(home, body);
            if areas.framed {
                draw_lists(home, &areas, theme, buffer);
            } else {
                draw_bare(home, theme, body, buffer);
            }
        }
        HomePage::Planning(wish) => {
            let inner = pane::draw_pane("Plan", Vec::new(), true, theme, body, buffer);
            let text = format!("reading {} and looking at the machine", wish.path.display());
            TextWriter::new(buffer, inner, 0).put(&text, theme.style(Role::Dim));
        }
        HomePage::Plan(plan) => sweep_plan::draw_plan(plan, theme, body, buffer),
        HomePage::Problems { title, lines, scrolled } => {
            let inner = pane::draw_pane(title, Vec::new(), true, theme, body, buffer);
            for (row, line) in (0..inner.height).zip(lines.iter().skip(*scrolled)) {
                TextWriter::new(buffer, inner, row).put(line, theme.style(Role::Text));
            }
        }
    }
    draw_footer(home, theme, foot, buffer);
    if let Some(scrolled) = home.help {
        home_help::draw_help(home, scrolled, theme, screen, buffer);
    }
    if let Some(open) = &home.palette {
        let entries = palette_entries(&home.page, home.access, &home.keymap);
        palette::draw_palette(open, entries, theme, screen, buffer);
    }
    if let Some(chooser) = &home.themes {
        themes::draw_themes(chooser, theme, screen, buffer);
    }
    ascii::replace_non_ascii(theme, buffer);
}

/// Runs and sweeps as one list without anything around it.
fn draw_bare(home: &HomeModel, theme: &Theme, body: Rect, buffer: &mut Buffer) {
    let lines = home.lines();
    if lines.is_empty() {
        let text = if starts_demo(home) {
            "no runs and no sweeps here: Enter starts the demo"
        } else {
            "no runs and no sweeps here"
        };
        TextWriter::new(buffer, body, 0).put(text, theme.style(Role::Dim));
    }
    let shown: Vec<(u16, usize)> = visible_lines(home.cursor, lines.len(), body.height).collect();
    let run_of = |(_, position): &(u16, usize)| match lines[*position] {
        HomeLine::Run(run) => Some(run),
        HomeLine::Sweep(_) => None,
    };
    let columns = RunColumns::for_runs(shown.iter().filter_map(run_of), body.width, theme);
    for (row, position) in shown {
        let line = line_of(body, row);
        match lines[position] {
            HomeLine::Run(run) => run_row::draw_run(home, run, columns, theme, line, buffer),
            HomeLine::Sweep(sweep) => draw_sweep(sweep, theme, line, buffer),
        }
        if position == home.cursor {
            table::draw_cursor(theme, line, buffer);
        }
    }
}

/// Both lists, and what is known of the chosen line where there is room.
fn draw_lists(home: &HomeModel, areas: &HomeAreas, theme: &Theme, buffer: &mut Buffer) {
    let runs: Vec<&RunLine> = home.shown_runs().collect();
    let sweeps: Vec<&SweepLine> = home.shown_sweeps().collect();
    draw_runs(home, &runs, theme, areas.runs, buffer);
    draw_sweeps(home, &sweeps, runs.len(), theme, areas.sweeps, buffer);
    if areas.about.height > 0 {
        home_preview::draw_about(home, theme, areas.about, buffer);
    }
    if let Some(beside) = areas.beside {
        home_preview::draw_preview(home, theme, beside, buffer);
    }
}

fn draw_runs(home: &HomeModel, runs: &[&RunLine], theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let all = home.runs.as_ref().map_or(0, Vec::len);
    let live = home.runs.iter().flatten().filter(|run| run.goes_on()).count();
    let title = format!("Runs: {live} of {all} going on");
    let is_chosen = home.cursor < runs.len();
    let inner =
        pane::draw_pane(&title, title_notes(home, runs.len(), all, theme), is_chosen, theme, area, buffer);
    if runs.is_empty() {
        let text = match &home.runs {
            None => "looking for runs",
            Some(runs) if runs.is_empty() => "no runs yet",
            Some(_) => "no run passes the filter",
        };
        TextWriter::new(buffer, inner, 0).put(text, theme.style(Role::Dim));
        if starts_demo(home) {
            let mut writer = TextWriter::new(buffer, inner, 2);
            writer.put("Enter", theme.style(Role::Key)).put(" starts the demo:", theme.style(Role::Strong));
            writer.put(" a small sweep that needs no GPU, in results/", theme.style(Role::Dim));
        }
    }
    let list = home_areas::run_rows(inner, runs.len());
    let shown: Vec<(u16, usize)> =
        visible_lines(home.cursor.min(runs.len()), runs.len(), list.height).collect();
    let columns = RunColumns::for_runs(shown.iter().map(|(_, position)| runs[*position]), inner.width, theme);
    if list.y > inner.y {
        run_row::draw_headings(columns, theme, line_of(inner, 0), buffer);
    }
    for (row, position) in shown {
        let line = line_of(list, row);
        run_row::draw_run(home, runs[position], columns, theme, line, buffer);
        if position == home.cursor {
            table::draw_cursor(theme, line, buffer);
        }
    }
}

/// Enter starts the demo: there is nothing else that it could do.
fn starts_demo(home: &HomeModel) -> bool {
    home.is_empty() && home.access == ScreenAccess::Acting
}

/// Returns what narrows the lists, for their title.
fn title_notes(home: &HomeModel, shown: usize, all: usize, theme: &Theme) -> Vec<Span<'static>> {
    let mut notes = Vec::new();
    if !home.filter.is_empty() {
        notes.push(Span::styled(format!("{shown} of {all} shown"), theme.style(Role::Strong)));
    }
    let text = format!(" /{}", home.filter.text());
    if home.typing.is_some() {
        notes.push(Span::styled(text, theme.style(Role::Key)));
        notes.push(Span::styled(" ", Style::new().add_modifier(Modifier::REVERSED)));
    } else if !home.filter.is_empty() {
        notes.push(Span::styled(text, theme.style(Role::Warning)));
    }
    notes
}

fn draw_sweeps(
    home: &HomeModel,
    sweeps: &[&SweepLine],
    runs: usize,
    theme: &Theme,
    area: Rect,
    buffer: &mut Buffer,
) {
    let is_chosen = home.cursor >= runs && !sweeps.is_empty();
    let inner = pane::draw_pane("Sweeps here and in configs/", Vec::new(), is_chosen, theme, area, buffer);
    if sweeps.is_empty() {
        let text = if home.filter.is_empty() {
            "no sweep files here or in configs/"
        } else {
            "no sweep passes the filter"
        };
        TextWriter::new(buffer, inner, 0).put(text, theme.style(Role::Dim));
    }
    for (row, position) in visible_lines(home.cursor.saturating_sub(runs), sweeps.len(), inner.height) {
        let line = line_of(inner, row);
        draw_sweep(sweeps[position], theme, line, buffer);
        if runs + position == home.cursor {
            table::draw_cursor(theme, line, buffer);
        }
    }
}

fn draw_sweep(sweep: &SweepLine, theme: &Theme, line: Rect, buffer: &mut Buffer) {
    let mut writer = TextWriter::new(buffer, line, 0);
    writer.put(&sweep.path.display().to_string(), theme.style(Role::Name)).skip(2);
    match sweep.shards {
        Some(shards) => writer.put(&format::plural(shards, "shard"), theme.style(Role::Dim)),
        None => writer.put("has mistakes; Enter lists them", theme.style(Role::Warning)),
    };
}

fn draw_footer(home: &HomeModel, theme: &Theme, line: Rect, buffer: &mut Buffer) {
    let mut writer = TextWriter::new(buffer, line, 0);
    writer.skip(1);
    if let Some(notice) = home.notice.as_ref().filter(|_| home.palette.is_none()) {
        writer.put(&notice.text, theme.style(if notice.bad { Role::Warning } else { Role::Strong }));
        return;
    }
    let typed: &[(&str, &'static str)] = if home.help.is_some() {
        &[(theme.glyphs.up_down, "scroll"), ("Esc", "close")]
    } else if home.palette.is_some() {
        &[("Enter", "do it"), (theme.glyphs.up_down, "choose"), ("Esc", "close")]
    } else if home.typing.is_some() {
        &[("Enter", "keep"), ("Esc", "as before"), ("Ctrl-U", "clear")]
    } else if matches!(&home.page, HomePage::Plan(plan) if plan.typing.is_some()) {
        &[("Enter", "take the value"), ("Esc", "leave it"), ("Ctrl-U", "clear")]
    } else {
        &[]
    };
    let keys: Vec<(String, &'static str)> = if typed.is_empty() {
        footer_keys(&home.page, home.access, &home.keymap)
            .map(|(key, word)| {
                (key, if word == OPEN_WORD && starts_demo(home) { "start the demo" } else { word })
            })
            .map(|(key, word)| (overlay::key_names(&key, theme), word))
            .collect()
    } else {
        typed.iter().map(|(key, word)| ((*key).to_owned(), *word)).collect()
    };
    for (key, word) in fitting_keys(keys, writer.room()) {
        writer.put(&key, theme.style(Role::Key)).skip(1).put(word, theme.style(Role::Dim)).skip(2);
    }
}

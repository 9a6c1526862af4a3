//! What is left of the screen on small terminals: the machine in a line or two, a line about the selected shard, or one
//! line about everything.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::header;
use super::panes::text::{TextWriter, text_width};
use super::shards::{sentence, table_title};
use crate::model::machine::sample::{GpuCard, GpuSample};
use crate::model::state::phase::PhaseKind;
use crate::model::units::or_unknown;
use crate::tui::format;
use crate::tui::model::alarm::Others;
use crate::tui::model::hardware::gpu_sums::GpuSums;
use crate::tui::model::hardware::machine::Freshness;
use crate::tui::model::screen::Model;
use crate::tui::model::shards::diagnosis::Diagnosis;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// The selected shard in one line: why it failed, else the last line of its log; and which rows of the table are seen.
pub fn draw_selected(model: &Model, page: usize, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let Some(reading) = model.selected_shard() else { return };
    let mut writer = TextWriter::new(buffer, area, 0);
    writer.skip(1);
    let position = table_title::seen_rows(&model.table, page).unwrap_or_default();
    let beside = if position.is_empty() { 0 } else { text_width(&position) + 2 };
    let room = writer.room().saturating_sub(beside);
    let (text, role) = match reading.state.phase.failure() {
        Some(failure) => (failure.brief_text(), Role::Failed),
        None => (model.log.last_text().to_owned(), Role::Dim),
    };
    writer.put_field(&text, room, theme.style(role), theme.glyphs.ellipsis);
    writer.skip(2).put(&position, theme.style(Role::Strong));
}

/// The counts with the overall bar and how much longer it takes; below them how well it goes and what is wrong.
pub fn draw_header(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let diagnosis = Diagnosis::from_model(model);
    let left = model.left.map(|left| {
        // Where one is stuck, it takes at least so long.
        let at_least = if diagnosis.still_ones(model).is_empty() { "" } else { "+" };
        format!("{}{at_least}", format::rough_duration(left.time))
    });
    let words = left.as_ref().map_or(0, |left| text_width(left) + text_width(LEFT) + 1);
    let beside = words + header::least_counts(model);
    let taken = draw_identity(model, theme, area.width.saturating_sub(beside), area, buffer);
    let counts = Rect {
        x: area.x + taken,
        width: area.width.saturating_sub(words + taken),
        height: area.height.min(1),
        ..area
    };
    header::draw_counts(model, &diagnosis, theme, counts, buffer);
    if let Some(left) = left {
        let place = Rect { x: counts.right(), width: area.width - counts.width, ..area };
        let mut writer = TextWriter::new(buffer, place, 0);
        writer.put(&left, theme.style(Role::Strong)).put(LEFT, theme.style(Role::Dim));
    }
    let below = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
    if below.height > 0 {
        draw_state(model, &diagnosis, theme, below, buffer);
    }
}

/// Least cells of a name that is cut.
const SHORTEST_NAME: u16 = 6;

/// Draws what must be known before anything else is read, and which run this is, in so many cells; returns how many of
/// them are taken.
fn draw_identity(model: &Model, theme: &Theme, room: u16, area: Rect, buffer: &mut Buffer) -> u16 {
    let mut writer = TextWriter::new(buffer, Rect { width: room, ..area }, 0);
    for (text, role) in header::list_badges(model, theme) {
        // Its meaning is shown where there is more room.
        let word = text.split(": ").next().unwrap_or_default().split("; ").next().unwrap_or_default();
        if text_width(word) + 3 <= writer.room() {
            writer.skip(1).put(&format!(" {word} "), theme.style(role));
        }
    }
    let name = text_width(&model.info.name).min(writer.room().saturating_sub(1));
    if name >= SHORTEST_NAME.min(text_width(&model.info.name)) && name > 0 {
        writer.skip(1).put_field(&model.info.name, name, theme.style(Role::Name), theme.glyphs.ellipsis);
    }
    room - writer.room()
}

/// Follows the time that is left.
const LEFT: &str = " left";

fn draw_state(model: &Model, diagnosis: &Diagnosis, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = TextWriter::new(buffer, area, 0);
    writer.skip(1);
    let dim = theme.style(Role::Dim);
    let gravest = diagnosis.gravest_remark();
    let others = if gravest.is_some() { others_text(diagnosis, theme, writer.room()) } else { String::new() };
    if let Some(told) = model.standing.overall.told {
        let label = sentence::success_label(model, theme);
        let is_roomy = text_width(&label) + text_width(&others) + RATE + LEAST <= writer.room();
        let rate = told.percentage();
        writer.put(if is_roomy { &label } else { "success " }, dim).put(&rate, theme.style(Role::Strong));
        writer.put(&format!(" {} ", theme.glyphs.dot), dim);
    }
    match gravest {
        Some(trouble) => {
            let room = writer.room().saturating_sub(text_width(&others)).min(text_width(&trouble.text));
            writer.put_field(&trouble.text, room, theme.style(trouble.role), theme.glyphs.ellipsis);
            writer.put(&others, theme.style(Role::Warning));
        }
        None => _ = writer.put("all is well", theme.style(Role::Succeeded)),
    }
}

/// `100 % · `
const RATE: u16 = 8;

/// So many cells at least are left for the gravest thing.
const LEAST: u16 = 20;

/// The other shards that need their user, after the gravest thing: their names, or else how many they are.
fn others_text(diagnosis: &Diagnosis, theme: &Theme, room: u16) -> String {
    let join = |words: fn(&Others) -> &str| -> String {
        let words = diagnosis.others.iter().map(|others| format!(" {} {}", theme.glyphs.dot, words(others)));
        words.collect()
    };
    let named = join(|others| &others.named);
    let fits = text_width("success ") + RATE + LEAST + text_width(&named) <= room;
    if fits { named } else { join(|others| &others.counted) }
}

/// CPU and memory of the host in one line, the GPUs in another.
pub fn draw_machine(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    draw_host(model, theme, TextWriter::new(buffer, area, 0));
    draw_gpus(model, theme, TextWriter::new(buffer, area, 1));
}

fn draw_host(model: &Model, theme: &Theme, mut writer: TextWriter<'_>) {
    let freshness = model.machine.host_freshness(model.now);
    let sample = model.machine.host.back();
    let cpu = or_unknown(sample.and_then(|sample| sample.cpu_percent), format::format_percent);
    let cores = sample.map(|sample| format!(" of {}", format::plural(sample.cores as usize, "core")));
    let ram = or_unknown(sample, |sample| format::memory_of(sample.ram_used_bytes, sample.ram_total_bytes));
    let (dim, style) = (theme.style(Role::Dim), theme.style(age_role(freshness)));
    writer.skip(1).put("CPU ", dim).put(&cpu, style).put(&cores.unwrap_or_default(), dim);
    writer.put("   RAM ", dim).put(&ram, style);
    if let Freshness::Stale(age) = freshness {
        writer.put(&format!("   {} old", format::duration_text(age)), theme.style(Role::Warning));
    }
}

/// Each card in a few figures; where they are too many for that, all of them together.
fn draw_gpus(model: &Model, theme: &Theme, mut writer: TextWriter<'_>) {
    let cards = model.machine.cards();
    if cards.is_empty() {
        return;
    }
    let each: Vec<String> = cards.iter().map(|card| one_card(model, card, theme)).collect();
    let dot = format!(" {} ", theme.glyphs.dot);
    let label = if cards.len() == 1 { "GPU " } else { "GPUs " };
    let line = each.join(&dot);
    let line = if text_width(&line) + text_width(label) < writer.room() {
        line
    } else {
        format!("{}, {}", cards.len(), gpu_summary(&GpuSums::from_machines([&model.machine]), theme))
    };
    let is_fresh = model.machine.gpu_freshness(model.now) == Freshness::Fresh;
    let role = if is_fresh { Role::Text } else { Role::Dim };
    writer.skip(1).put(label, theme.style(Role::Dim)).put(&line, theme.style(role));
}

/// `0 91% 46.8G 502W 54 °C`
fn one_card(model: &Model, card: &GpuCard, theme: &Theme) -> String {
    let sample = newest_sample(model, card);
    let figure = |value: fn(&GpuSample) -> Option<f64>, unit: &str| {
        or_unknown(sample.and_then(value), |value| format!("{value:.0}{unit}"))
    };
    let vram = or_unknown(sample.and_then(|sample| sample.vram_used_bytes), format::format_memory);
    format!(
        "{} {} {vram} {} {} {}",
        card.index,
        figure(|sample| sample.utilization_percent, "%"),
        figure(|sample| sample.power_w, "W"),
        figure(|sample| sample.temperature_c, ""),
        theme.glyphs.celsius
    )
}

/// `12-91%, 371 of 640 GiB, 4.1 kW, hottest 71 °C`
pub(super) fn gpu_summary(sums: &GpuSums, theme: &Theme) -> String {
    let busy = or_unknown(sums.utilization, |(least, most)| format!("{least:.0}-{most:.0}%"));
    let vram = format::memory_of(sums.vram_used, sums.vram_total);
    let power = or_unknown(sums.power_w, |watts| format!("{:.1} kW", watts / 1000.0));
    let heat = or_unknown(sums.hottest_c, |heat| format!("{heat:.0}"));
    format!("{busy}, {vram}, {power}, hottest {heat} {}", theme.glyphs.celsius)
}

fn newest_sample<'a>(model: &'a Model, card: &GpuCard) -> Option<&'a GpuSample> {
    model.machine.gpus.get(&card.index)?.back()
}

fn age_role(freshness: Freshness) -> Role {
    match freshness {
        Freshness::Fresh => Role::Text,
        Freshness::Stale(_) | Freshness::Never => Role::Dim,
    }
}

/// Everything in one line.
pub fn draw_line(model: &Model, theme: &Theme, area: Rect, buffer: &mut Buffer) {
    let mut writer = TextWriter::new(buffer, area, 0);
    // The alarm first: of a very narrow screen only the beginning is seen.
    if model.is_unsupervised() {
        writer.put("UNSUPERVISED", theme.style(Role::Alarm)).skip(1);
    }
    for kind in PhaseKind::ALL.into_iter().rev().filter(|kind| model.count_in_phase(*kind) > 0) {
        let text = format!("{} {}", theme.glyphs.for_phase(kind), model.count_in_phase(kind));
        writer.put(&text, theme.style(Role::of_phase(kind))).skip(1);
    }
    if let Some(left) = model.left {
        writer
            .put(&format::duration_text(left.time), theme.style(Role::Strong))
            .put(" left ", theme.style(Role::Dim));
    }
    writer.put(&model.info.name, theme.style(Role::Dim));
}

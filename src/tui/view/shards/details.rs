//! All about one shard: variables, command, attempts, numbers, and what went wrong.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::service;
use crate::model::outcome::{ExitStatus, signal_name};
use crate::model::state::phase::Ended;
use crate::model::state::service_state::{ServicePhase, ServiceState};
use crate::model::sweep::plan::ShardSpec;
use crate::model::units::{UNKNOWN, duration_between, or_unknown};
use crate::rundir::layout::RunDir;
use crate::tui::format;
use crate::tui::model::screen::Model;
use crate::tui::model::shards::shard_row::{MemoryUse, ShardRow};
use crate::tui::model::words;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;
use crate::tui::view::overlays::overlay::{self, Pieces};
use crate::tui::view::panes::text::wrap_text;

/// Draws it for the shard under the cursor.
pub fn draw_details(model: &Model, scrolled: usize, theme: &Theme, screen: Rect, buffer: &mut Buffer) {
    let Some(position) = model.table.selected_position() else { return };
    let Some(reading) = model.reading(position) else { return };
    let room = usize::from(screen.width.saturating_sub(6)).min(110);
    let mut page = DetailsPage { theme, room, lines: Vec::new() };
    page.add_state(model, reading);
    page.add_numbers(model, reading);
    page.add_plan(model, position);
    page.add_attempts(reading);
    page.add_trouble(reading);
    page.whole_run(model);
    overlay::draw_overlay(reading.state.id.as_str(), &page.lines, scrolled, theme, screen, buffer);
}

/// Cells of the names on the left.
const NAMES: usize = 12;

struct DetailsPage<'a> {
    theme: &'a Theme,
    room: usize,
    lines: Vec<Pieces>,
}

/// Shown for a running attempt whose log counts nothing.
const UNCOUNTED: &str = "no line of its log counts the work yet; where none will, `preset` or `done` under [progress] says what does";

impl DetailsPage<'_> {
    /// A name and its value, wrapped.
    fn add_entry(&mut self, name: &str, value: &str, role: Role) {
        let dim = self.theme.style(Role::Dim);
        let room = self.room.saturating_sub(NAMES);
        for (number, line) in value.lines().flat_map(|line| wrap_text(line, room)).enumerate() {
            let name = if number == 0 { name } else { "" };
            self.lines.push(vec![(format!("{name:<NAMES$}"), dim), (line, self.theme.style(role))]);
        }
    }

    fn add_state(&mut self, model: &Model, reading: ShardRow<'_>) {
        let kind = reading.state.phase.kind();
        let service = model.table.selected_position().and_then(|position| model.service_at(position));
        let (glyph, phase, role) = match service {
            Some(service) => service::phase_label(service, self.theme),
            None => (self.theme.glyphs.for_phase(kind), kind.as_str(), Role::of_phase(kind)),
        };
        let mut word = format!("{glyph} {phase}");
        if let Some(condition) = reading.state.condition() {
            word.push_str(&format!(", {}", condition.as_str()));
        }
        self.add_entry("state", &word, role);
        service.into_iter().for_each(|service| self.add_service(model, service));
        self.last_output(model, reading);
        if let Some(sentence) = reading.explain_silence(model.machine_of(reading.state)) {
            self.add_entry("silence", &sentence, Role::Warning);
        }
        if let Some(failure) = reading.state.phase.failure() {
            self.add_entry("reason", &failure.to_sentence(), Role::Failed);
        }
        if let Some(reason) =
            model.table.selected_position().and_then(|position| model.waiting_reason(position))
        {
            self.add_entry("waiting", &reason, Role::Text);
        }
        if let Some(stage) = reading.stage() {
            self.add_entry("stage", &stage.to_string(), Role::of_stage(stage));
        }
        if let Some(live) = reading.state.phase.live() {
            let pid = or_unknown(live.pid, |pid| pid.to_string());
            self.add_entry(
                "process",
                &format!("pid {pid}, since {}", format::format_time(live.started, &model.zone)),
                Role::Text,
            );
        }
        self.add_continuation(reading);
        let gpus: Vec<String> = reading.state.phase.gpus().iter().map(ToString::to_string).collect();
        if !gpus.is_empty() {
            self.add_entry("GPUs", &gpus.join(", "), Role::Text);
        }
        if reading.state.phase.kind().is_active() {
            self.gpu_faults(model, reading);
        }
    }

    /// The attempt whose work the present one continues, or the next one would.
    fn add_continuation(&mut self, reading: ShardRow<'_>) {
        let state = reading.state;
        let previous = state.previous.filter(|_| state.phase.kind().is_active());
        let (Some(previous), Some(attempt)) = (previous, state.attempt) else { return };
        let done =
            state.grants_of(attempt).done.map(|done| format!(", {} done", format::format_progress(done)));
        self.add_entry("continues", &format!("attempt {previous}{}", done.unwrap_or_default()), Role::Text);
    }

    /// Adds the service's name, the port where it listens, and its users.
    fn add_service(&mut self, model: &Model, service: &ServiceState) {
        let spec = model.plan.service(&service.instance.service);
        let per = spec.map_or("", |spec| spec.per.as_str());
        self.add_entry("service", &format!("{}, one per {per}", service.instance.service), Role::Text);
        if let ServicePhase::Ready { port: Some(port), since, .. } = service.phase() {
            let since = format::format_time(since, &model.zone);
            self.add_entry("port", &format!("{port}, ready since {since}"), Role::Text);
        }
        let users: Vec<&str> = model.state.users_of(service).map(|shard| shard.id.as_str()).collect();
        let used = service::use_of(model, service);
        let names = if users.is_empty() { String::new() } else { format!(": {}", users.join(", ")) };
        self.add_entry("serves", &format!("{used}{names}"), Role::Text);
        if let Some(failure) = service.last_failure().filter(|_| service.life.phase.failure().is_none()) {
            self.add_entry("failed before", failure, Role::Warning);
        }
        if let Some(spec) = spec {
            self.add_entry("ready when", &spec.ready.to_text(), Role::Text);
            self.add_entry("command", &spec.template.command.to_line(), Role::Text);
        }
    }

    /// When the log was written last, and when it reported work last.
    fn last_output(&mut self, model: &Model, reading: ShardRow<'_>) {
        if !reading.state.phase.kind().is_active() {
            return;
        }
        let Some(at) = reading.track.last_output else { return };
        let age = format::duration_text(duration_between(at, model.now));
        self.add_entry(
            "last output",
            &format!("{}, {age} ago", format::format_time(at, &model.zone)),
            Role::Text,
        );
    }

    /// Adds the current faults of its GPUs in full; the pane has room for a few words only.
    fn gpu_faults(&mut self, model: &Model, reading: ShardRow<'_>) {
        for gpu in reading.state.phase.gpus() {
            for fault in model.machine_of(reading.state).health.get(gpu).into_iter().flatten() {
                let role = if fault.kind.makes_unusable() { Role::Failed } else { Role::Warning };
                let since = format::format_time(fault.last, &model.zone);
                self.add_entry("", &format!("{since} {}", fault.kind.to_sentence(*gpu)), role);
            }
        }
    }

    fn add_numbers(&mut self, model: &Model, reading: ShardRow<'_>) {
        if let Some(progress) = reading.progress() {
            let part = reading
                .partial_progress()
                .map(|part| format!(" and {} of the next", format::format_progress(part)));
            let rate = reading.rate().map(|rate| format!(", {}", format::format_rate(rate)));
            let (part, rate) = (part.unwrap_or_default(), rate.unwrap_or_default());
            self.add_entry(
                "progress",
                &format!("{}{part}{rate}", format::format_progress(progress)),
                Role::Text,
            );
        } else if reading.state.phase.live().is_some() && model.state.position(&reading.state.id).is_some() {
            self.add_entry("progress", UNCOUNTED, Role::Text);
        }
        let mut times = vec![format!("ran {}", or_unknown(reading.elapsed(), format::duration_text))];
        if reading.state.phase.kind().is_active() {
            times.push(format!("{} left", or_unknown(reading.time_left(), format::duration_text)));
        }
        self.add_entry("time", &times.join(", "), Role::Text);
        let memory = |memory: Option<MemoryUse>| match memory {
            Some(MemoryUse::Now(bytes)) => format::format_memory(bytes),
            Some(MemoryUse::Peak(bytes)) => format!("{} peak", format::format_memory(bytes)),
            None => UNKNOWN.to_owned(),
        };
        let cpu = or_unknown(reading.cpu(), format::format_percent);
        let uses = format!("VRAM {}, RAM {}, CPU {cpu}", memory(reading.vram()), memory(reading.rss()));
        self.add_entry("uses", &uses, Role::Text);
        self.add_energy(reading);
        for (number, (name, value)) in reading.metrics().into_iter().flatten().enumerate() {
            let value = format!("{name} = {}", format::format_metric(name, *value, model.metric_unit(name)));
            self.add_entry(if number == 0 { "metrics" } else { "" }, &value, Role::Text);
        }
    }

    fn add_energy(&mut self, reading: ShardRow<'_>) {
        let energy = reading.energy().map(|energy| {
            let shared = if energy.shared { ", an equal part of a shared GPU's" } else { "" };
            format!("{}{shared}", format::format_energy(energy.joules))
        });
        let held_back = reading
            .throttled_percent()
            .filter(|percent| *percent > 0.0)
            .map(|percent| format!("clocks held back for {} of the time", format::format_percent(percent)));
        let told: Vec<String> = energy.into_iter().chain(held_back).collect();
        if !told.is_empty() {
            self.add_entry("energy", &told.join("; "), Role::Text);
        }
    }

    fn add_plan(&mut self, model: &Model, position: usize) {
        let Some(spec) = model.spec(position) else { return };
        self.lines.push(Vec::new());
        let vars: Vec<String> = spec.vars.iter().map(|(name, value)| format!("{name}={value}")).collect();
        self.add_entry("variables", &vars.join("  "), Role::Text);
        for (number, change) in spec.edit.to_lines().iter().enumerate() {
            let name = if number == 0 { "edited" } else { "" };
            self.add_entry(
                name,
                &format!("{change} (the lines around are the sweep as given)"),
                Role::Warning,
            );
        }
        if let Some(node) = model.state.shard(&spec.id).and_then(|shard| shard.node.as_ref()) {
            self.add_entry("node", node.as_str(), Role::Text);
        }
        self.add_forecast(model, spec);
        self.add_entry("command", &spec.command, Role::Text);
        self.add_entry("folder", &spec.cwd.display().to_string(), Role::Text);
        if let Some(work) = model.plan.foreign.get(&spec.id) {
            self.add_entry("watches", &work.log.display().to_string(), Role::Text);
        }
        if let Some(key) = model.selected_attempt() {
            let folder = RunDir::at("").attempt_dir(&key);
            self.add_entry(
                "files",
                &format!("{}/ in the run directory", folder.path().display()),
                Role::Text,
            );
        }
    }

    /// Adds how much time and memory it should take, and where that comes from.
    fn add_forecast(&mut self, model: &Model, spec: &ShardSpec) {
        if let Some(time) = spec.expected_duration() {
            let source = spec.learned.time.as_ref().map(|time| format!("learned from {}", time.run));
            let source = source.unwrap_or_else(|| "as the sweep says".to_owned());
            self.add_entry("should take", &format!("{}, {source}", format::duration_text(time)), Role::Text);
        }
        if let Some(vram) =
            spec.learned.vram.as_ref().filter(|_| model.plan.resources_of(spec).measures_vram())
        {
            let peaks: Vec<String> = vram.peaks.iter().map(|peak| format::format_memory(*peak)).collect();
            let words = format!("VRAM {}, learned from {}", peaks.join(" + "), vram.run);
            self.add_entry("should use", &words, Role::Text);
        }
    }

    /// Adds how long the whole run takes, next to the least it could take, or how much of that is not known.
    fn whole_run(&mut self, model: &Model) {
        let Some(forecast) = model.forecast.filter(|_| !model.state.shards.is_empty()) else { return };
        self.lines.push(Vec::new());
        self.add_entry("whole run", &forecast.in_words(), Role::Text);
        let Some(told) = model.standing.overall.told else { return };
        let (rate, so_far) = (told.text(), told.label().trim_start_matches("success"));
        self.add_entry("success", &format!("{rate}{so_far}"), Role::Text);
        let power = model.standing.overall.headline().and_then(|headline| headline.power_line());
        power.into_iter().for_each(|line| self.add_entry("", &line, Role::Text));
    }

    fn add_attempts(&mut self, reading: ShardRow<'_>) {
        let present = reading.state.phase.ended();
        let all: Vec<&Ended> = reading.state.history.iter().chain(present).collect();
        if all.is_empty() {
            return;
        }
        self.lines.push(Vec::new());
        for ended in all {
            let outcome = &ended.outcome;
            let verdict = match words::outcome_failure(outcome) {
                Some(failure) => failure.brief_text(),
                None => words::verdict_word(outcome).to_owned(),
            };
            let after = or_unknown(outcome.elapsed, format::duration_text);
            // A verdict that names the code needs it no second time.
            let exit = Some(exit_text(outcome.exit)).filter(|exit| !verdict.contains(exit.as_str()));
            let exit = exit.map(|exit| format!(", {exit}")).unwrap_or_default();
            let text = format!("{verdict}{exit} after {after}");
            self.add_entry(&format!("attempt {}", ended.attempt), &text, Role::Text);
            if let Some(proof) = &outcome.proof {
                self.add_entry("", &format!("line {}: {}", proof.line, proof.text), Role::Dim);
            }
            if let Some(previous) = ended.previous {
                self.add_entry("", &format!("continued attempt {previous}"), Role::Dim);
            }
            if !ended.edit.is_empty() {
                self.add_entry("", &format!("edited: {}", ended.edit), Role::Warning);
            }
            for warning in &outcome.warnings {
                self.add_entry("", warning, Role::Warning);
            }
        }
    }

    fn add_trouble(&mut self, reading: ShardRow<'_>) {
        for warning in &reading.state.warnings.0 {
            self.add_entry("warning", warning, Role::Warning);
        }
        for (number, alert) in reading.track.alerts.iter().enumerate() {
            self.add_entry(if number == 0 { "log says" } else { "" }, &alert.to_text(), Role::Warning);
        }
    }
}

fn exit_text(status: Option<ExitStatus>) -> String {
    match status.map(|status| (status.code(), status.signal())) {
        Some((Some(code), _)) => format!("exit code {code}"),
        Some((None, Some(signal))) => signal_name(signal),
        Some((None, None)) | None => "no exit status".to_owned(),
    }
}

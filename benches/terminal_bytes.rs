//! What each view sends to its terminal: the first picture, an idle second and a busy second, at 120x40.
//!
//! The same buffers and the same backend as on the screen, with a counter in place of the terminal.

#![allow(clippy::print_stdout, reason = "a measurement is printed")]

#[path = "../tests/scene/mod.rs"]
mod scene;

use std::time::Duration;

use jiff::tz::TimeZone;
use ratatui::backend::{Backend, CrosstermBackend};
use ratatui::buffer::Buffer;
use sweepdeck::model::ids::{AttemptKey, AttemptNumber, GpuIndex, ShardId};
use sweepdeck::model::logs::mark::{Mark, MarkKind};
use sweepdeck::model::machine::sample::{GpuSample, HostSample};
use sweepdeck::model::outcome::Progress;
use sweepdeck::model::units::Bytes;
use sweepdeck::tui::message::{MachineNews, Message};
use sweepdeck::tui::model::logs::log::LogChange;
use sweepdeck::tui::model::logs::log_line::LogLine;
use sweepdeck::tui::model::screen::Model;
use sweepdeck::tui::model::views::View;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::file::Theme;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::message::update;
use sweepdeck::tui::{once, view};

/// Seconds that are averaged.
const SECONDS: u64 = 60;

fn main() {
    let (theme, _) = store::load_or_default(None, Depth::Ansi256, false);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = scene::busy(folder.path());
    println!("bytes at 120x40          first picture   idle second   busy second");
    println!("budget                          30,000         2,000        10,000");
    for view in View::ALL {
        let mut model =
            once::read_model(&scene.run, (120, 40), scene::now(), TimeZone::UTC).expect("the scene reads");
        model.views.shown = view;
        let mut screen = Screen { shown: Buffer::empty(ratatui::layout::Rect::new(0, 0, 120, 40)) };
        let first = screen.draw(&model, &theme);
        let idle = idle(&mut model, &theme, &mut screen);
        let busy = busy(&mut model, &theme, &mut screen);
        println!("{:<20} {first:>17} {idle:>13} {busy:>13}", view.title());
    }
}

/// The mean of seconds in which only telemetry comes, once in each.
fn idle(model: &mut Model, theme: &Theme, screen: &mut Screen) -> usize {
    let mut bytes = 0;
    for second in 0..SECONDS {
        tick(model, second, 0.0);
        bytes += screen.draw(model, theme);
    }
    bytes / SECONDS as usize
}

/// The mean of seconds with ten frames, each with new log lines, and new progress of every running shard.
fn busy(model: &mut Model, theme: &Theme, screen: &mut Screen) -> usize {
    let mut bytes = 0;
    for second in SECONDS..2 * SECONDS {
        for frame in 0..10 {
            log(model, second * 10 + frame);
            bytes += screen.draw(model, theme);
        }
        work(model, second);
        tick(model, second, 1.0);
        bytes += screen.draw(model, theme);
    }
    bytes / SECONDS as usize
}

struct Screen {
    shown: Buffer,
}

impl Screen {
    /// Draws a frame and counts its bytes.
    fn draw(&mut self, model: &Model, theme: &Theme) -> usize {
        let mut next = Buffer::empty(self.shown.area);
        view::frame::draw_frame(model, theme, &mut next);
        let mut bytes = Vec::new();
        CrosstermBackend::new(&mut bytes)
            .draw(self.shown.diff(&next).into_iter())
            .expect("a vector takes all");
        self.shown = next;
        bytes.len()
    }
}

/// A second passes on a machine whose readings wander.
fn tick(model: &mut Model, second: u64, load: f64) {
    let now = scene::now() + Duration::from_secs(second + 1);
    let wave = |speed: f64| (second as f64 * speed).sin();
    let gpu = |index: u32| GpuSample {
        vram_used_bytes: Some(Bytes((40_000 + (wave(0.1) * 30.0) as u64) << 20)),
        vram_total_bytes: Some(Bytes(81_559 << 20)),
        utilization_percent: Some(60.0 + 25.0 * load * wave(1.3) + 5.0 * wave(0.7)),
        power_w: Some(350.0 + 120.0 * load * wave(1.1) + 8.0 * wave(0.9)),
        power_cap_w: Some(700.0),
        temperature_c: Some(60.0 + wave(0.05)),
        ..GpuSample::unknown(GpuIndex(index), now)
    };
    let host = HostSample {
        timestamp: now,
        cpu_percent: Some(40.0 + 10.0 * wave(0.8)),
        cores: 64,
        ram_used_bytes: Some(Bytes(150 << 30)),
        ram_total_bytes: Some(Bytes(503 << 30)),
        load_1m: None,
        ..HostSample::unknown(jiff::Timestamp::UNIX_EPOCH)
    };
    update(model, MachineNews::Gpus(vec![gpu(0), gpu(1)]).of_own_machine());
    update(model, MachineNews::Host(vec![host]).of_own_machine());
    update(model, Message::Tick { now, bytes: 0 });
}

fn log(model: &mut Model, number: u64) {
    let Some(key) = model.log.key.clone() else { return };
    let text =
        format!("Episode {number}/9000 reward={}.{} length=431 success=1", number * 7 % 300, number % 10);
    let lines = vec![LogLine::plain((1 << 30) + number * 100, &text)];
    update(model, Message::Log { key, change: LogChange::Grew { lines, open: None } });
}

fn work(model: &mut Model, second: u64) {
    let at = scene::now() + Duration::from_secs(second);
    for (shard, attempt) in [("friction_rough", 2), ("grass_rough", 1), ("friction_teacher", 1)] {
        let shard = ShardId::new(shard).expect("a shard of the scene");
        let key = AttemptKey { shard, attempt: AttemptNumber(attempt) };
        let progress = Progress { done: 40 + second / 2, total: Some(200) };
        let marks = vec![Mark { at, offset: 0, kind: MarkKind::Progress(progress) }];
        update(model, Message::Marks { key, restarted: false, marks });
    }
}

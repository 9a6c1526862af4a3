//! How long a frame of each view takes with 1,000 and 10,000 shards, and how long a run of 10,000 shards and 100,000 facts takes to open.

#![allow(clippy::print_stdout, reason = "a measurement is printed")]

#[path = "../tests/scene/mod.rs"]
mod scene;

use std::hint::black_box;
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use sweepdeck::tui::message::Message;
use sweepdeck::tui::model::screen::Model;
use sweepdeck::tui::model::views::View;
use sweepdeck::tui::once;
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::store;
use sweepdeck::tui::update::message::update;
use sweepdeck::tui::view::frame;

const SIZE: (u16, u16) = (120, 60);

fn main() {
    for shards in [1_000, 10_000] {
        frames_of_many(shards);
    }
    frames_of_nodes();
    open_large();
}

/// Each view, and the work of a second: counting all shards and filtering them anew.
fn frames_of_many(shards: usize) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = scene::large(folder.path(), shards, 1);
    let model = once::read_model(&scene.run, SIZE, scene::now(), TimeZone::UTC).expect("the scene reads");
    frames_of_views(model, &format!("{shards:>6} shards"), "budget 2 ms at 1,000");
}

/// The same on 64 machines with four GPUs each, and three minutes of their readings.
fn frames_of_nodes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let scene = scene::nodes::many(folder.path(), 10_000, 64);
    let mut model = once::read_model(&scene.run, SIZE, scene::now(), TimeZone::UTC).expect("the scene reads");
    for machine in 0..64 {
        scene::nodes::read_machine(&mut model, &format!("gpu{}", machine + 1), machine, 4, 0..180);
    }
    frames_of_views(model, "10,000 shards, 64 nodes", "budget 50 ms");
}

fn frames_of_views(mut model: Model, what: &str, budget: &str) {
    let (theme, _) = store::load_or_default(None, Depth::Ansi16, false);
    let mut buffer = Buffer::empty(Rect::new(0, 0, SIZE.0, SIZE.1));
    for view in View::ALL {
        model.views.shown = view;
        let times = repeat(200, || frame::draw_frame(black_box(&model), &theme, &mut buffer));
        println!(
            "one frame of {:<8} {what} at 120x60: {:>8.2?} median, {:>8.2?} worst ({budget})",
            view.title(),
            times.0,
            times.1
        );
    }
    let now = model.now;
    let times = repeat(50, || _ = update(&mut model, Message::Tick { now, bytes: 0 }));
    println!("one tick          {what}: {:>8.2?} median, {:>8.2?} worst", times.0, times.1);
}

fn open_large() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    // Three facts an attempt and one between attempts make ten facts a shard and one more for 2.5 attempts.
    let scene = scene::large(folder.path(), 10_000, 3);
    let (theme, _) = store::load_or_default(None, Depth::Ansi16, false);
    let times = repeat(5, || {
        let model =
            once::read_model(&scene.run, (120, 40), scene::now(), TimeZone::UTC).expect("the scene reads");
        black_box(once::draw_model(&model, &theme));
    });
    println!(
        "first picture, 10,000 shards, 110,001 facts: {:.0?} median, {:.0?} worst (budget 300 ms)",
        times.0, times.1
    );
}

/// The median and the longest of so many runs.
fn repeat(count: usize, mut work: impl FnMut()) -> (Duration, Duration) {
    let mut times: Vec<Duration> = (0..count)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    (times[count / 2], times[count - 1])
}

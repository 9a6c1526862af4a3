//! When which shard ran where: one lane a slot, one bar an attempt.

use super::pictures::lanes::{Lane, lane_name};
use super::pictures::svg::{Anchor, Area, Picture, WIDTH, fit_text};
use super::pictures::time_axis::{BELOW, LEFT, draw_moments, label_time, x_of};
use super::template::{Section, values};
use crate::model::outcome::Verdict;
use crate::model::state::phase::PhaseKind;
use crate::model::units::format_duration;
use crate::results::findings::Findings;
use crate::results::measured::attempts::{Attempt, AttemptStatus};

/// Lanes become thinner where there are many, so that the picture stays on a screen.
const MOST_HEIGHT: f64 = 640.0;

/// Returns the section, with its picture.
pub fn render_section(findings: &Findings<'_>, lanes: &[Lane]) -> Section {
    let picture = (!lanes.is_empty()).then(|| draw_timeline(findings, lanes));
    Section::new("Timeline", "timeline", values! { picture })
}

fn draw_timeline(findings: &Findings<'_>, lanes: &[Lane]) -> String {
    let grid = findings.records.time_grid();
    let step = (MOST_HEIGHT / lanes.len() as f64).clamp(2.0, 24.0);
    let bottom = 8.0 + step * lanes.len() as f64;
    let mut picture = Picture::new(bottom + BELOW);
    draw_moments(&mut picture, &grid, 8.0, bottom);
    label_time(&mut picture, &grid, bottom);
    for (number, lane) in lanes.iter().enumerate() {
        let y = 8.0 + step * number as f64;
        let first_of_gpu = number == 0 || !lanes[number - 1].is_beside(lane);
        if first_of_gpu {
            picture.line("axis", (0.0, y), (WIDTH - 14.0, y));
            picture.text(
                "label",
                (LEFT - 8.0, y + 13.0_f64.max(step * 0.65)),
                Anchor::End,
                &lane_name(lane.node.as_ref(), &lane.gpus),
            );
        }
        for position in &lane.attempts {
            draw_bar(&mut picture, findings, &findings.attempts[*position], (y + step * 0.08, step * 0.84));
        }
    }
    picture.line("axis", (0.0, bottom), (WIDTH - 14.0, bottom));
    picture.finish("Bars of attempts over time, one lane for each slot of each GPU")
}

fn draw_bar(picture: &mut Picture, findings: &Findings<'_>, attempt: &Attempt<'_>, (y, height): (f64, f64)) {
    let grid = findings.records.time_grid();
    let outcome = &findings.outcomes[attempt.shard];
    let (from, to) =
        (x_of(&grid, grid.offset_seconds(attempt.from)), x_of(&grid, grid.offset_seconds(attempt.to)));
    let area = Area { x: from, y, width: (to - from).max(1.0), height };
    let (class, word) = describe_attempt(attempt);
    let length = std::time::Duration::from_secs_f64(attempt.seconds());
    let told = format!(
        "{}, attempt {}: {word}, {} on {}",
        outcome.id(),
        attempt.number,
        format_duration(length),
        lane_name(attempt.node, attempt.gpus)
    );
    picture.link(&format!("shard-{}", attempt.shard));
    picture.rect(&format!("bar {class}"), area, &told);
    let failed = class == "bad" && height >= 8.0;
    let room = area.width - if failed { 16.0 } else { 6.0 };
    if height >= 12.0
        && let Some(label) = fit_text(&name_of(attempt, findings), room)
    {
        picture.text("on-bar", (from + 4.0, y + height / 2.0 + 4.0), Anchor::Start, &label);
    }
    if failed && area.width > 10.0 {
        picture.text("on-bar", (to - 3.0, y + height / 2.0 + 4.0), Anchor::End, "×");
    }
    picture.end_link();
}

/// The shard, and which try it was where it was not the first.
pub fn name_of(attempt: &Attempt<'_>, findings: &Findings<'_>) -> String {
    let id = findings.outcomes[attempt.shard].id();
    match attempt.number.0 {
        1 => id.to_string(),
        number => format!("{id} #{number}"),
    }
}

/// Returns the class that colours an attempt, and the word for its state.
pub fn describe_attempt(attempt: &Attempt<'_>) -> (&'static str, String) {
    match attempt.standing {
        AttemptStatus::Ended(outcome) => match &outcome.verdict {
            Verdict::Succeeded => ("ok", "succeeded".to_owned()),
            Verdict::Failed(failure) => ("bad", failure.to_sentence()),
            Verdict::Cancelled => ("off", "cancelled".to_owned()),
        },
        AttemptStatus::Open(phase) => ("run", phase.as_str().to_owned()),
    }
}

/// The class that colours the verdict of a shard.
pub fn badge_class(phase: PhaseKind) -> &'static str {
    match phase {
        PhaseKind::Succeeded => "ok",
        PhaseKind::Failed => "bad",
        PhaseKind::Cancelled | PhaseKind::Queued => "off",
        PhaseKind::Starting | PhaseKind::Running | PhaseKind::Paused | PhaseKind::Stopping => "run",
    }
}

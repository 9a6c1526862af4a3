//! The course of a run as one animated SVG picture: for a README, or a message to a reader who was not there.

use std::fmt::Write;
use std::ops::Range;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::buffer::Buffer;

use super::message::Message;
use super::model::screen::{Model, ScreenAccess, Supervision};
use super::options::TuiError;
use super::sources::load::load_model;
use super::sources::player::Player;
use super::theme::color::Depth;
use super::theme::file::{Theme, ThemeGround};
use super::theme::store;
use super::update::message::{learn_before_tick, update};
use super::{once, svg};
use crate::model::state::run_state::RunStage;
use crate::rundir::layout::RunDir;

/// How long each picture is shown, in seconds, and how much longer the last one: it is the result.
const EACH: f64 = 1.0;
const LAST: f64 = 4.0;

/// Draws so many pictures of a run, evenly apart in its time, as one SVG that plays them again and again.
///
/// A row is written once for as long as it stays the same. Where animations are not wanted or not understood, the last
/// picture is shown.
pub fn render_film(
    run: &RunDir,
    size: (u16, u16),
    theme: Option<&str>,
    frames: u16,
) -> Result<String, TuiError> {
    let (theme, _) = store::load_or_default(theme, Depth::True, false);
    Ok(render_animation(&draw_pictures(run, size, &theme, frames)?, theme.ground))
}

fn draw_pictures(
    run: &RunDir,
    size: (u16, u16),
    theme: &Theme,
    frames: u16,
) -> Result<Vec<Buffer>, TuiError> {
    let mut model = load_model(run, ScreenAccess::Acting, Timestamp::UNIX_EPOCH, TimeZone::system())?;
    let mut player = Player::open(run, &model.plan.nodes)?;
    update(&mut model, Message::Resized(size.0, size.1));
    let from = model.info.created;
    let to = player.last_moment().unwrap_or(from).max(from);
    let course = to.duration_since(from);
    let moments = (1..=i32::from(frames)).map(|frame| from + course * frame / i32::from(frames));
    Ok(moments.map(|moment| picture_at(&mut player, &mut model, moment, theme)).collect())
}

fn picture_at(player: &mut Player, model: &mut Model, moment: Timestamp, theme: &Theme) -> Buffer {
    learn_before_tick(model, player.play_to(moment));
    learn_before_tick(model, player.read_marks(model, moment));
    // The supervisor of that time is gone now, so whether there was one follows from the state of the run.
    model.supervision = match model.state.stage {
        RunStage::Active | RunStage::Draining | RunStage::Stopping => {
            Supervision::Alive { pid: std::process::id() }
        }
        RunStage::Ended { .. } => Supervision::Missing { looks: 2 },
    };
    once::see_at(model, moment);
    if let Some(message) = player.read_log(model) {
        update(model, message);
    }
    once::draw_model(model, theme)
}

/// Returns one SVG of all the pictures, which are of one size.
fn render_animation(pictures: &[Buffer], ground: ThemeGround) -> String {
    let Some(last) = pictures.last() else { return String::new() };
    let mut shown = Vec::new();
    let mut rows = String::new();
    for y in 0..last.area.height {
        let texts: Vec<String> = pictures.iter().map(|picture| svg::render_row(picture, y, ground)).collect();
        let mut begin = 0;
        for same in texts.chunk_by(|one, other| one == other) {
            let span = begin..begin + same.len();
            begin = span.end;
            if span == (0..pictures.len()) {
                rows.push_str(&same[0]);
            } else if !same[0].is_empty() {
                let class = if span.end == pictures.len() { " last" } else { "" };
                let _ = writeln!(rows, "<g class=\"f {}{class}\">\n{}</g>", animation_name(&span), same[0]);
                if !shown.contains(&span) {
                    shown.push(span);
                }
            }
        }
    }
    let whole = pictures.len() as f64 * EACH + LAST;
    let mut style = format!(
        ".f {{ visibility: hidden; animation: {whole}s step-end infinite }}\n.last {{ visibility: visible }}\n\
         @media (prefers-reduced-motion) {{ .f {{ animation: none }} }}\n"
    );
    for span in shown {
        style.push_str(&render_keyframes(&span, pictures.len(), whole));
    }
    format!("{}{rows}</svg>\n", svg::svg_header(last, ground, &style))
}

fn animation_name(span: &Range<usize>) -> String {
    format!("f{}-{}", span.start, span.end)
}

/// Returns the CSS that shows a part of the picture from one of `all` pictures to another, and hides it at all other
/// times.
fn render_keyframes(span: &Range<usize>, all: usize, whole: f64) -> String {
    let percent = |frame: usize| frame as f64 * EACH / whole * 100.0;
    let name = animation_name(span);
    let before = if span.start == 0 { "" } else { "0% { visibility: hidden } " };
    let after = if span.end == all {
        String::new()
    } else {
        format!(" {:.3}% {{ visibility: hidden }}", percent(span.end))
    };
    let from = percent(span.start);
    format!(
        ".{name} {{ animation-name: {name} }}\n@keyframes {name} {{ {before}{from:.3}% {{ visibility: visible }}{after} }}\n"
    )
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Rect;

    use super::*;

    fn picture(lines: [&str; 2]) -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 2));
        for (y, line) in (0..).zip(lines) {
            buffer.set_string(0, y, line, ratatui::style::Style::new());
        }
        buffer
    }

    #[test]
    fn a_row_is_written_once_for_as_long_as_it_stays_the_same() {
        let film = render_animation(
            &[
                picture(["head", "one"]),
                picture(["head", "two"]),
                picture(["head", "two"]),
                picture(["head", "end"]),
            ],
            ThemeGround::Dark,
        );
        for (text, times) in
            [(">head<", 1), (">one<", 1), (">two<", 1), (">end<", 1), ("<g ", 3), (" last\"", 1)]
        {
            assert_eq!(film.matches(text).count(), times, "{text}: {film}");
        }
        assert!(
            film.contains(
                "@keyframes f1-3 { 0% { visibility: hidden } 12.500% { visibility: visible } 37.500%"
            )
        );
        assert!(
            film.contains("@keyframes f3-4 { 0% { visibility: hidden } 37.500% { visibility: visible } }")
        );
    }
}

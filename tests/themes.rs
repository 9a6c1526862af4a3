//! Every theme that comes with the program: what it looks like, and whether it can be read.

#![allow(clippy::unwrap_used, reason = "tests say by panicking what is wrong")]

mod scene;

use std::fmt::Write;

use jiff::tz::TimeZone;
use ratatui::buffer::{Buffer, Cell};
use sweepdeck::tui::message::Message;
use sweepdeck::tui::model::overlays::theme_chooser::{ThemeChooser, ThemeKind, ThemeLine};
use sweepdeck::tui::theme::color::Depth;
use sweepdeck::tui::theme::file::Theme;
use sweepdeck::tui::theme::role::Role;
use sweepdeck::tui::theme::store::{self, SHIPPED};
use sweepdeck::tui::update::message::update;
use sweepdeck::tui::{once, svg};

/// What only decorates; it needs to be seen, not read.
const DECORATION: [Role; 4] = [Role::Track, Role::Border, Role::ChartEnded, Role::MemoryOther];

/// What may be overlooked, and may therefore be fainter.
const FAINT: [Role; 3] = [Role::Dim, Role::Queued, Role::Cancelled];

fn load(name: &str) -> Theme {
    store::load_theme(name, Depth::True, false).unwrap()
}

/// The relative luminance of WCAG 2.
fn luminance((r, g, b): svg::Rgb) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b)
}

/// The contrast ratio of WCAG 2, 1 to 21.
fn contrast(a: svg::Rgb, b: svg::Rgb) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The contrast of a role on the theme's own ground, or on that of the pretended terminal.
fn contrast_of(theme: &Theme, role: Role) -> f64 {
    let mut cell = Cell::default();
    cell.set_style(theme.style(Role::Text)).set_style(theme.style(role));
    let (text, ground) = svg::cell_colors(&cell, theme.ground);
    contrast(text, ground)
}

#[test]
fn black_on_white_has_the_contrast_of_the_standard() {
    assert!((contrast((0, 0, 0), (255, 255, 255)) - 21.0).abs() < 1e-9);
    assert!((contrast((118, 118, 118), (255, 255, 255)) - 4.54).abs() < 0.01);
}

#[test]
fn every_theme_can_be_read() {
    let mut poor = String::new();
    for (name, _) in SHIPPED {
        let theme = load(name);
        let strong = name.starts_with("contrast");
        for role in Role::ALL {
            // AA and AAA of WCAG for text; 3 is what it asks of what is no text.
            let least = match (DECORATION.contains(role), FAINT.contains(role)) {
                (true, _) => 1.3,
                (_, true) => {
                    if strong {
                        7.0
                    } else {
                        3.0
                    }
                }
                (false, false) => {
                    if strong {
                        7.0
                    } else {
                        4.5
                    }
                }
            };
            let ratio = contrast_of(&theme, *role);
            if ratio < least {
                let _ = writeln!(poor, "{name}: {} has {ratio:.1}, less than {least}", role.name());
            }
        }
    }
    assert!(poor.is_empty(), "{poor}");
}

#[test]
fn texts_can_be_read_on_every_ground_of_the_heat_map() {
    let mut poor = String::new();
    let roles = [Role::Text, Role::Strong, Role::Succeeded, Role::Running, Role::Failed, Role::Paused];
    for (name, _) in SHIPPED {
        let theme = load(name);
        let grounds =
            (0..5).filter_map(|grade| theme.heat_style(grade)).chain(theme.tint_style(Role::Filled));
        let grounds: Vec<_> = grounds.collect();
        assert_eq!(grounds.len(), 6, "{name} has all grounds");
        for (number, ground) in grounds.into_iter().enumerate() {
            for role in roles {
                let mut cell = Cell::default();
                cell.set_style(theme.style(Role::Text)).set_style(theme.style(role)).set_style(ground);
                let (text, ground) = svg::cell_colors(&cell, theme.ground);
                let ratio = contrast(text, ground);
                if ratio < 3.5 {
                    let _ = writeln!(poor, "{name}: {} on ground {number} has {ratio:.1}", role.name());
                }
            }
        }
    }
    assert!(poor.is_empty(), "{poor}");
}

#[test]
fn success_and_failure_differ_in_brightness_too_where_hues_may_not_be_told_apart() {
    for name in ["colorblind", "colorblind-light", "contrast", "contrast-light"] {
        let theme = load(name);
        let color = |role| svg::cell_colors(Cell::default().set_style(theme.style(role)), theme.ground).0;
        // What a red-green blind eye is left with is blue against the rest.
        let (good, bad) = (color(Role::Succeeded), color(Role::Failed));
        assert!(good.2.abs_diff(bad.2) > 80, "{name}: {good:?} and {bad:?}");
    }
}

/// The characters of a frame, under each line the letters of its styles, and at the end what they stand for.
fn styled(buffer: &Buffer) -> String {
    let mut looks = Vec::new();
    let mut shown = String::new();
    for y in 0..buffer.area.height {
        let (mut line, mut under) = (String::new(), String::new());
        for x in 0..buffer.area.width {
            let cell = &buffer[(x, y)];
            let look = (cell.fg, cell.bg, cell.modifier);
            let at = looks.iter().position(|known| *known == look).unwrap_or_else(|| {
                looks.push(look);
                looks.len() - 1
            });
            line.push_str(cell.symbol());
            under.push(if at == 0 { ' ' } else { char::from(b"abcdefghijklmnopqrstuvwxyz"[at - 1]) });
        }
        for text in [line.trim_end(), under.trim_end()] {
            let _ = writeln!(shown, "{text}");
        }
    }
    for (at, (fg, bg, modifier)) in looks.iter().enumerate() {
        let letter = if at == 0 { ' ' } else { char::from(b"abcdefghijklmnopqrstuvwxyz"[at - 1]) };
        let _ = writeln!(shown, "{letter}: {fg} on {bg} {modifier:?}");
    }
    shown
}

#[test]
fn every_theme_looks_as_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene::busy(folder.path());
    let model = once::read_model(&scene.run, (80, 15), scene::now(), TimeZone::UTC).unwrap();
    for (name, _) in SHIPPED {
        insta::assert_snapshot!(format!("theme_{name}"), styled(&once::draw_model(&model, &load(name))));
    }
}

/// A screen on which themes are chosen, drawn with the chosen one.
fn choosing(size: (u16, u16), chosen: &str, ascii: bool, depth: Depth) -> Buffer {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene::busy(folder.path());
    let mut model = once::read_model(&scene.run, size, scene::now(), TimeZone::UTC).unwrap();
    let mut lines: Vec<ThemeLine> = SHIPPED
        .iter()
        .map(|(name, _)| {
            let theme = load(name);
            let kind = Ok(ThemeKind { ground: theme.ground, pair: theme.pair });
            ThemeLine { name: (*name).to_owned(), is_own: false, kind }
        })
        .collect();
    let wrong = Err("theme `mine`: there is no role `txt`".to_owned());
    lines.push(ThemeLine { name: "mine".to_owned(), is_own: true, kind: wrong });
    update(&mut model, Message::Themes(ThemeChooser::new(lines, chosen)));
    let drawn = if chosen == "mine" { "dark" } else { chosen };
    once::draw_model(&model, &store::load_theme(drawn, depth, ascii).unwrap())
}

#[test]
fn the_list_of_themes_fits_every_screen() {
    for (columns, rows, chosen) in [(120, 40, "night"), (80, 24, "mine"), (60, 15, "day")] {
        let text = once::buffer_to_text(&choosing((columns, rows), chosen, false, Depth::True));
        insta::assert_snapshot!(format!("list_{columns}x{rows}"), text);
    }
}

#[test]
fn the_chosen_theme_is_seen_with_any_colours_and_characters() {
    for depth in [Depth::None, Depth::Ansi16, Depth::Ansi256, Depth::True] {
        let buffer = choosing((80, 24), "contrast", true, depth);
        let text = once::buffer_to_text(&buffer);
        assert!(text.is_ascii(), "{text}");
        let row = text.lines().position(|line| line.contains("> contrast ")).unwrap() as u16;
        let column = text.lines().nth(row.into()).unwrap().find("> contrast").unwrap() as u16;
        let (chosen, other) = (&buffer[(column + 2, row)], &buffer[(column + 2, row + 1)]);
        let look = |cell: &Cell| (cell.fg, cell.bg, cell.modifier);
        assert_ne!(look(chosen), look(other), "{depth:?}");
    }
}

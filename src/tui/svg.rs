//! A frame as an SVG picture, for the documentation.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};

use super::once;
use super::options::TuiError;
use super::theme::color::{self, Depth};
use super::theme::file::ThemeGround;
use super::theme::store;
use super::view::panes::text::text_width;
use crate::rundir::layout::RunDir;

/// The size of a cell in pixels: advance and height of DejaVu Sans Mono at 14, so that lines join into frames.
const CELL: (f64, f64) = (8.428, 16.3);

/// Room around the cells.
const MARGIN: f64 = 14.0;

/// The colours of the pretended terminal: its ground, its text, and its 16.
struct Scheme {
    ground: Rgb,
    text: Rgb,
    ansi: [Rgb; 16],
}

/// Red, green and blue.
pub type Rgb = (u8, u8, u8);

const DARK: Scheme = Scheme {
    ground: (0x16, 0x18, 0x1f),
    text: (0xd5, 0xd8, 0xe0),
    ansi: [
        (0x23, 0x26, 0x30),
        (0xf0, 0x71, 0x78),
        (0x9e, 0xce, 0x6a),
        (0xe5, 0xc0, 0x7b),
        (0x6c, 0x9e, 0xf8),
        (0xc0, 0x8e, 0xf0),
        (0x63, 0xc7, 0xd8),
        (0xb4, 0xb9, 0xc6),
        (0x5c, 0x63, 0x70),
        (0xff, 0x8f, 0x95),
        (0xb5, 0xe0, 0x86),
        (0xf2, 0xd4, 0x9b),
        (0x8f, 0xb8, 0xff),
        (0xd6, 0xae, 0xff),
        (0x8b, 0xdf, 0xec),
        (0xff, 0xff, 0xff),
    ],
};

const LIGHT: Scheme = Scheme { ground: (0xfc, 0xfc, 0xfa), text: (0x2a, 0x2e, 0x37), ansi: color::BASE16 };

/// Draws one frame of a run as SVG.
pub fn render_svg(run: &RunDir, size: (u16, u16), theme: Option<&str>) -> Result<String, TuiError> {
    let model = once::read_now(run, size)?;
    let (theme, _) = store::load_or_default(theme, Depth::True, false);
    Ok(buffer_to_svg(&once::draw_model(&model, &theme), theme.ground))
}

impl Scheme {
    fn for_ground(ground: ThemeGround) -> Self {
        match ground {
            ThemeGround::Dark => DARK,
            ThemeGround::Light => LIGHT,
        }
    }
}

/// Text and ground of a cell in red, green and blue, as the picture has them.
pub fn cell_colors(cell: &Cell, ground: ThemeGround) -> (Rgb, Rgb) {
    let look = CellStyle::from_cell(cell, &Scheme::for_ground(ground));
    (look.text, look.ground)
}

/// The cells of a buffer as SVG, on a terminal of that ground.
pub fn buffer_to_svg(buffer: &Buffer, ground: ThemeGround) -> String {
    let mut svg = svg_header(buffer, ground, "");
    for y in 0..buffer.area.height {
        svg.push_str(&render_row(buffer, y, ground));
    }
    svg.push_str("</svg>\n");
    svg
}

/// The start of a picture of a buffer's size: its style sheet and the empty terminal.
pub(super) fn svg_header(buffer: &Buffer, ground: ThemeGround, style: &str) -> String {
    let (columns, rows) = (f64::from(buffer.area.width), f64::from(buffer.area.height));
    let (w, h) = (columns * CELL.0 + 2.0 * MARGIN, rows * CELL.1 + 2.0 * MARGIN);
    let style = if style.is_empty() { String::new() } else { format!("<style>\n{style}</style>\n") };
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" viewBox=\"0 0 {w:.0} {h:.0}\" \
         font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\" font-size=\"14\">\n{style}\
         <rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"{}\"/>\n",
        to_hex(Scheme::for_ground(ground).ground)
    )
}

/// Draws a row of a buffer at its place, as SVG.
pub(super) fn render_row(buffer: &Buffer, y: u16, ground: ThemeGround) -> String {
    let scheme = Scheme::for_ground(ground);
    let mut svg = String::new();
    let mut x = 0;
    while x < buffer.area.width {
        let look = CellStyle::from_cell(&buffer[(x, y)], &scheme);
        let mut text = String::new();
        let from = x;
        while x < buffer.area.width && CellStyle::from_cell(&buffer[(x, y)], &scheme) == look {
            let symbol = buffer[(x, y)].symbol();
            text.push_str(symbol);
            // The cell after a wide character belongs to it.
            x += text_width(symbol).max(1);
        }
        look.write(&mut svg, &text, (from, y), x - from, &scheme);
    }
    svg
}

/// How a run of cells looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CellStyle {
    text: Rgb,
    ground: Rgb,
    bold: bool,
    underlined: bool,
}

impl CellStyle {
    fn from_cell(cell: &Cell, scheme: &Scheme) -> Self {
        let (mut text, mut ground) =
            (resolve_color(cell.fg, scheme, scheme.text), resolve_color(cell.bg, scheme, scheme.ground));
        if cell.modifier.contains(Modifier::DIM) {
            text = mix_colors(text, ground);
        }
        if cell.modifier.contains(Modifier::REVERSED) {
            std::mem::swap(&mut text, &mut ground);
        }
        let bold = cell.modifier.contains(Modifier::BOLD);
        Self { text, ground, bold, underlined: cell.modifier.contains(Modifier::UNDERLINED) }
    }

    fn write(&self, svg: &mut String, text: &str, (column, row): (u16, u16), cells: u16, scheme: &Scheme) {
        let (x, y) = (MARGIN + f64::from(column) * CELL.0, MARGIN + f64::from(row) * CELL.1);
        let long = f64::from(cells) * CELL.0;
        if self.ground != scheme.ground {
            let ground = to_hex(self.ground);
            let _ = writeln!(
                svg,
                "<rect x=\"{x:.2}\" y=\"{y:.1}\" width=\"{long:.2}\" height=\"{:.1}\" fill=\"{ground}\"/>",
                CELL.1
            );
        }
        let shapes = render_shapes(text, (x, y));
        if !shapes.is_empty() {
            let _ = writeln!(svg, "<path d=\"{shapes}\" fill=\"{}\"/>", to_hex(self.text));
        }
        let text = text.replace(is_shape, " ");
        let shown = text.trim_end();
        if shown.is_empty() {
            return;
        }
        let blanks = shown.chars().take_while(|c| *c == ' ').count();
        let length = (f64::from(text_width(shown)) - blanks as f64) * CELL.0;
        let style = match (self.bold, self.underlined) {
            (true, true) => " font-weight=\"bold\" text-decoration=\"underline\"",
            (true, false) => " font-weight=\"bold\"",
            (false, true) => " text-decoration=\"underline\"",
            (false, false) => "",
        };
        let escaped = shown.trim_start().replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        let _ = writeln!(
            svg,
            "<text x=\"{:.2}\" y=\"{:.1}\" textLength=\"{length:.2}\" xml:space=\"preserve\" fill=\"{}\"{style}>{escaped}</text>",
            x + blanks as f64 * CELL.0,
            y + CELL.1 * 0.76,
            to_hex(self.text)
        );
    }
}

/// Dots and blocks are drawn as shapes: fonts differ most in these, and many lack them.
fn is_shape(c: char) -> bool {
    matches!(c, '\u{2800}'..='\u{28ff}' | '▁'..='█' | '░'..='▓')
}

fn render_shapes(text: &str, (x, y): (f64, f64)) -> String {
    let mut path = String::new();
    let mut block = |x: f64, y: f64, width: f64, height: f64| {
        let _ = write!(path, "M{x:.2} {y:.2}h{width:.2}v{height:.2}h-{width:.2}z");
    };
    for (at, c) in text.char_indices() {
        let x = x + f64::from(text_width(&text[..at])) * CELL.0;
        match c {
            '\u{2800}'..='\u{28ff}' => {
                for dot in (0..8_u32).filter(|dot| (c as u32 - 0x2800) >> dot & 1 == 1) {
                    // The bits run down the left column, then the right one; the lowest row came later to the standard.
                    let (across, down) = if dot < 6 { (dot / 3, dot % 3) } else { (dot - 6, 3) };
                    let left = x + CELL.0 * (f64::from(across) + 0.5) / 2.0;
                    let top = y + CELL.1 * (f64::from(down) + 0.5) / 4.0;
                    block(left - 1.0, top - 1.0, 2.0, 2.0);
                }
            }
            '▁'..='█' => {
                let height = CELL.1 * f64::from(c as u32 - '▁' as u32 + 1) / 8.0;
                block(x, y + CELL.1 - height, CELL.0, height);
            }
            '░'..='▓' => {
                let thick = [0.3, 0.5, 0.75][(c as u32 - '░' as u32) as usize] * CELL.1 / 4.0;
                (0..4).for_each(|line| block(x, y + f64::from(line) * CELL.1 / 4.0, CELL.0, thick));
            }
            _ => {}
        }
    }
    path
}

fn resolve_color(color: Color, scheme: &Scheme, default: Rgb) -> Rgb {
    match color {
        Color::Rgb(r, g, b) => (r, g, b),
        Color::Indexed(index) if index >= 16 => color::indexed_rgb(index),
        Color::Indexed(index) => scheme.ansi[usize::from(index)],
        named => {
            let at = color::ANSI16.iter().position(|known| *known == named);
            at.map_or(default, |at| scheme.ansi[at])
        }
    }
}

fn mix_colors(a: Rgb, b: Rgb) -> Rgb {
    let half = |a: u8, b: u8| ((u16::from(a) * 11 + u16::from(b) * 9) / 20) as u8;
    (half(a.0, b.0), half(a.1, b.1), half(a.2, b.2))
}

fn to_hex((r, g, b): Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

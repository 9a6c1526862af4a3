//! A picture in SVG: shapes with classes, whose colours the page's style gives, and text that cannot become markup.

use std::fmt::Write;

use crate::results::report::escape::escape_markup;

/// The width of all pictures; the page scales them to its own.
pub const WIDTH: f64 = 960.0;

/// How wide a letter is at the usual size, about.
pub const LETTER: f64 = 6.6;

/// A picture that is being drawn.
#[derive(Debug)]
pub struct Picture {
    height: f64,
    body: String,
}

/// A rectangle in a picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Area {
    /// The x of the left edge.
    pub x: f64,
    /// The y of the upper edge.
    pub y: f64,
    /// Extent to the right of `x`.
    pub width: f64,
    /// Extent downwards from `y`.
    pub height: f64,
}

/// Part of a text that lies at the given point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// The left end of the text.
    Start,
    /// The middle of the text.
    Middle,
    /// The right end of the text.
    End,
}

impl Anchor {
    fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

impl Picture {
    /// Creates an empty picture of that height.
    pub fn new(height: f64) -> Self {
        Self { height, body: String::new() }
    }

    /// A rectangle; what it is comes up under the pointer, if a text is given.
    pub fn rect(&mut self, class: &str, area: Area, told: &str) {
        let Area { x, y, width, height } = area;
        let _ = write!(
            self.body,
            "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\""
        );
        self.close_tag("rect", told);
    }

    /// Draws a straight line between two points.
    pub fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let _ = writeln!(
            self.body,
            "<path class=\"{class}\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
            from.0, from.1, to.0, to.1
        );
    }

    /// A line or the edge of an area through these points.
    pub fn path(&mut self, class: &str, points: &[(f64, f64)], told: &str) {
        let _ = write!(self.body, "<path class=\"{class}\" d=\"");
        for (number, (x, y)) in points.iter().enumerate() {
            let _ = write!(self.body, "{}{x:.1} {y:.1}", if number == 0 { 'M' } else { 'L' });
        }
        self.body.push('"');
        self.close_tag("path", told);
    }

    /// Draws a dot with a tooltip.
    pub fn dot(&mut self, class: &str, (x, y): (f64, f64), radius: f64, told: &str) {
        let _ = write!(self.body, "<circle class=\"{class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"");
        self.close_tag("circle", told);
    }

    /// A text on its base line.
    pub fn text(&mut self, class: &str, (x, y): (f64, f64), anchor: Anchor, text: &str) {
        let _ = writeln!(
            self.body,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{}\">{}</text>",
            anchor.as_str(),
            escape_markup(text)
        );
    }

    /// Begins a link: what is drawn until [`Self::end_link`] leads to that place of the page.
    pub fn link(&mut self, place: &str) {
        let _ = write!(self.body, "<a href=\"#{}\">", escape_markup(place));
    }

    /// Ends what [`Self::link`] began.
    pub fn end_link(&mut self) {
        self.body.push_str("</a>");
    }

    fn close_tag(&mut self, tag: &str, told: &str) {
        let _ = if told.is_empty() {
            writeln!(self.body, "/>")
        } else {
            writeln!(self.body, "><title>{}</title></{tag}>", escape_markup(told))
        };
    }

    /// The picture as a part of a page, with what it shows for those who do not see it.
    pub fn finish(self, shows: &str) -> String {
        // What is read as one image hides the links in it.
        let role = if self.body.contains("<a ") { "group" } else { "img" };
        format!(
            "<div class=\"picture\" tabindex=\"0\"><svg viewBox=\"0 0 {WIDTH:.0} {:.0}\" role=\"{role}\" aria-label=\"{}\">\n{}</svg></div>\n",
            self.height,
            escape_markup(shows),
            self.body
        )
    }
}

/// A text that fits into so many pixels at the usual size, cut where it is longer; `None` if hardly a letter
/// fits.
pub fn fit_text(text: &str, pixels: f64) -> Option<String> {
    let room = (pixels / LETTER) as usize;
    let length = text.chars().count();
    match room {
        0..=2 => None,
        room if length <= room => Some(text.to_owned()),
        room => Some(text.chars().take(room - 1).chain(['…']).collect()),
    }
}

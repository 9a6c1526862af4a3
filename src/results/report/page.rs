//! The page as a whole: its sections in their order, its style, and nothing that is loaded from elsewhere.

use super::curves::Curve;
use super::escape::escape_markup;
use super::{
    by_value, curves, differences, failures, head, improvements, lanes, machine, matrix, merged, packs,
    paired_metrics, posteriors, scaling, sequential, shards, timeline, vram,
};
use crate::model::machine::sample::GpuInventory;
use crate::results::findings::Findings;

/// Colours for light and dark, and for paper.
const STYLE: &str = include_str!("style.css");

const HEADER_END: &str = "</header>\n";

/// Sorts and filters tables; the page is whole without it.
pub const SCRIPT: &str = include_str!("table.js");

/// Hash that a browser checks the script by: nothing else on the page runs, whatever a text brings.
pub const SCRIPT_HASH: &str = "sha256-ZEGSVZriSReL029SVf3nh+8Bg++ZYsSCPMqvpD0lLZA=";

/// Colours and script of a page that a server shows, for the addresses [`LIVE_STYLE_PATH`] and [`LIVE_SCRIPT_PATH`].
pub const LIVE_STYLE: &str = STYLE;

/// The script of a page that a server shows: it follows the run, and sorts and filters each new state.
pub const LIVE_SCRIPT: &str =
    concat!("const prepareTables = () => {\n", include_str!("table.js"), "};\n", include_str!("live.js"));

/// Where a page that a server shows finds its colours.
pub const LIVE_STYLE_PATH: &str = "/report.css";

/// Where a page that a server shows finds its script.
pub const LIVE_SCRIPT_PATH: &str = "/report.js";

/// The page as one file that loads nothing. `curves` are those of the attempts, in their order.
pub fn render_report(findings: &Findings<'_>, inventory: Option<&GpuInventory>, curves: &[Curve]) -> String {
    let (contents, body) = render_sections(findings, inventory, curves);
    let footer = "<footer><p>Numbers: <a href=\"combined_results.csv\">combined_results.csv</a>, \
         <a href=\"summary.json\">summary.json</a>, <a href=\"junit.xml\">junit.xml</a>. \
         — stands for what is not known.</p></footer>\n";
    wrap_page(&findings.records.info.name, &contents, &body, footer)
}

/// The same page for a server, which sends style and script as files of their own, and the policy as a header.
pub fn render_live_report(
    findings: &Findings<'_>,
    inventory: Option<&GpuInventory>,
    curves: &[Curve],
) -> String {
    let (contents, body) = render_sections(findings, inventory, curves);
    let (header, main) = split_header(&body);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"/icon.svg\">\n\
         <link rel=\"stylesheet\" href=\"{LIVE_STYLE_PATH}\">\n<title>{}</title>\n</head>\n\
         <body>\n{header}{HEADER_END}{contents}<main>\n{main}</main>\n\
         <footer><p role=\"status\"></p></footer>\n<script src=\"{LIVE_SCRIPT_PATH}\"></script>\n</body>\n</html>\n",
        escape_markup(&findings.records.info.name)
    )
}

/// The contents, and the sections of the body in their order.
fn render_sections(
    findings: &Findings<'_>,
    inventory: Option<&GpuInventory>,
    curves: &[Curve],
) -> (String, String) {
    let lanes = lanes::assign_lanes(&findings.attempts);
    let sections = [
        head::render_header(findings),
        failures::render_section(findings),
        matrix::render_section(findings),
        by_value::render_section(findings),
        sequential::render_section(findings),
        differences::render_section(findings),
        paired_metrics::render_section(findings),
        improvements::render_section(findings),
        posteriors::render_section(findings),
        packs::render_section(findings),
        scaling::render_section(findings),
        timeline::render_section(findings, &lanes),
        vram::render_section(findings, &lanes, inventory),
        machine::render_section(findings, inventory),
        curves::render_section(findings, curves),
        merged::render_section(findings),
        shards::render_section(findings),
    ];
    let named: Vec<Named> = sections.into_iter().map(Named::from_html).collect();
    let contents: String = named.iter().filter_map(Named::contents_entry).collect();
    let body: String = named.into_iter().map(|section| section.html).collect();
    (format!("<nav aria-label=\"Contents\"><ul>\n{contents}</ul></nav>\n"), body)
}

/// The header that begins a body, without its end, and the rest.
fn split_header(body: &str) -> (&str, &str) {
    body.split_once(HEADER_END).unwrap_or(("<header>", body))
}

/// A section with the place that the contents lead to.
struct Named {
    html: String,
    /// Place and title, where it has one.
    place: Option<(String, String)>,
}

impl Named {
    fn from_html(html: String) -> Self {
        const BEGIN: &str = "<section><h2>";
        let title = html.strip_prefix(BEGIN).and_then(|rest| rest.split_once("</h2>"));
        let Some(title) = title.map(|(title, _)| title.to_owned()) else { return Self { html, place: None } };
        let letters =
            title.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' });
        let place: String = letters.collect();
        let begin = format!("<section id=\"{place}\" aria-label=\"{title}\"><h2>");
        Self { html: html.replacen(BEGIN, &begin, 1), place: Some((place, title)) }
    }

    fn contents_entry(&self) -> Option<String> {
        let (place, title) = self.place.as_ref()?;
        Some(format!("<li><a href=\"#{place}\">{title}</a></li>\n"))
    }
}

/// A page of that name, in the style of all pages: the header that begins the body, then the contents, then all the
/// rest as the main part.
pub fn wrap_page(name: &str, contents: &str, body: &str, footer: &str) -> String {
    let (header, main) = split_header(body);
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; script-src '{SCRIPT_HASH}'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{header}{HEADER_END}{contents}<main>\n{main}</main>\n\
         {footer}<script>{SCRIPT}</script>\n</body>\n</html>\n",
        escape_markup(name)
    )
}

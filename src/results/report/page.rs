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

/// Sorts and filters tables; the page is whole without it.
pub const SCRIPT: &str = include_str!("table.js");

/// Hash that a browser checks the script by: nothing else on the page runs, whatever a text brings.
pub const SCRIPT_HASH: &str = "sha256-ZEGSVZriSReL029SVf3nh+8Bg++ZYsSCPMqvpD0lLZA=";

/// The page. `curves` are those of the attempts, in their order.
pub fn render_report(findings: &Findings<'_>, inventory: Option<&GpuInventory>, curves: &[Curve]) -> String {
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
    let footer = "<footer><p>Numbers: <a href=\"combined_results.csv\">combined_results.csv</a>, \
         <a href=\"summary.json\">summary.json</a>, <a href=\"junit.xml\">junit.xml</a>. \
         — stands for what is not known.</p></footer>\n";
    let named: Vec<Named> = sections.into_iter().map(Named::from_html).collect();
    let contents: String = named.iter().filter_map(Named::contents_entry).collect();
    let body: String = named.into_iter().map(|section| section.html).collect();
    let contents = format!("<nav aria-label=\"Contents\"><ul>\n{contents}</ul></nav>\n");
    wrap_page(&findings.records.info.name, &contents, &body, footer)
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
    const HEADER_END: &str = "</header>\n";
    let (header, main) = body.split_once(HEADER_END).unwrap_or(("<header>", body));
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

//! The page as a whole: its sections in their order, its style, and nothing that is loaded from elsewhere.

use minijinja::context;

use super::curves::Curve;
use super::pictures::lanes;
use super::template::{Section, render_template, values};
use super::{
    by_value, curves, differences, failures, head, improvements, machine, matrix, merged, nodes, packs,
    paired_metrics, posteriors, scaling, sequential, shards, timeline, vram,
};
use crate::results::findings::Findings;

/// Colours for light and dark, and for paper.
const STYLE: &str = include_str!("templates/style.css");

/// Sorts and filters tables; the page is whole without it.
pub const SCRIPT: &str = include_str!("templates/table.js");

/// Hash that a browser checks the script by: nothing else on the page runs, whatever a text brings.
pub const SCRIPT_HASH: &str = "sha256-ZEGSVZriSReL029SVf3nh+8Bg++ZYsSCPMqvpD0lLZA=";

/// Colours and script of a page that a server shows, for the addresses [`LIVE_STYLE_PATH`] and [`LIVE_SCRIPT_PATH`].
pub const LIVE_STYLE: &str = STYLE;

/// The script of a page that a server shows: it follows the run, and sorts and filters each new state.
pub const LIVE_SCRIPT: &str = concat!(
    "const prepareTables = () => {\n",
    include_str!("templates/table.js"),
    "};\n",
    include_str!("templates/live.js")
);

/// Where a page that a server shows finds its colours.
pub const LIVE_STYLE_PATH: &str = "/report.css";

/// Where a page that a server shows finds its script.
pub const LIVE_SCRIPT_PATH: &str = "/report.js";

const FOOTER: &str = "Numbers: <a href=\"combined_results.csv\">combined_results.csv</a>, \
     <a href=\"summary.json\">summary.json</a>, <a href=\"junit.xml\">junit.xml</a>. \
     — stands for what is not known.";

/// The page as one file that loads nothing. `curves` are those of the attempts, in their order.
pub fn render_report(findings: &Findings<'_>, curves: &[Curve]) -> String {
    render_template(
        "page",
        context! {
            live => false, contents => true, style => STYLE, script => SCRIPT, script_hash => SCRIPT_HASH, footer => FOOTER,
            ..render_parts(findings, curves)
        },
    )
}

/// The same page for a server, which sends style and script as files of their own, and the policy as a header.
pub fn render_live_report(findings: &Findings<'_>, curves: &[Curve]) -> String {
    render_template(
        "page",
        context! {
            live => true, contents => true, style => LIVE_STYLE_PATH, script => LIVE_SCRIPT_PATH, footer => "",
            ..render_parts(findings, curves)
        },
    )
}

/// Renders a page of that name, in the style of all pages, which stands alone and has no contents.
pub fn render_plain_page(name: &str, header: &str, sections: &[Section], footer: &str) -> String {
    render_template(
        "page",
        values! {
            live => false, contents => false, style => STYLE, script => SCRIPT, script_hash => SCRIPT_HASH, lead => "",
            name, header, sections, footer,
        },
    )
}

/// What both faces of a report have in common: the name, the head, and the sections of the body in their order.
fn render_parts(findings: &Findings<'_>, curves: &[Curve]) -> minijinja::Value {
    let lanes = lanes::assign_lanes(&findings.attempts);
    let sections = [
        failures::render_section(findings),
        Some(matrix::render_section(findings)),
        by_value::render_section(findings),
        sequential::render_section(findings),
        differences::render_section(findings),
        paired_metrics::render_section(findings),
        improvements::render_section(findings),
        posteriors::render_section(findings),
        packs::render_section(findings),
        scaling::render_section(findings),
        Some(timeline::render_section(findings, &lanes)),
        Some(vram::render_section(findings, &lanes)),
        nodes::render_section(findings),
        Some(machine::render_section(findings)),
        Some(curves::render_section(findings, curves)),
        merged::render_section(findings),
        Some(shards::render_section(findings)),
    ];
    values! {
        name => findings.records.info.name,
        header => head::render_header(findings),
        lead => head::render_lead(findings),
        sections => sections.into_iter().flatten().collect::<Vec<_>>(),
    }
}

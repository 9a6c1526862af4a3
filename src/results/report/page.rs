//! The page as a whole: its sections in their order, its style, and nothing that is loaded from elsewhere.

use super::curves::Curve;
use super::escape::escape;
use super::{
    by_value, curves, differences, failures, head, lanes, machine, matrix, merged, packs, scaling, shards,
    timeline, vram,
};
use crate::model::sample::GpuInventory;
use crate::results::findings::Findings;

/// Colours for light and dark, and for paper.
const STYLE: &str = include_str!("style.css");

/// The page. `curves` are those of the attempts, in their order.
pub fn page(findings: &Findings<'_>, inventory: Option<&GpuInventory>, curves: &[Curve]) -> String {
    let lanes = lanes::lanes(&findings.attempts);
    let sections = [
        head::header(findings),
        failures::section(findings),
        matrix::section(findings),
        by_value::section(findings),
        differences::section(findings),
        packs::section(findings),
        scaling::section(findings),
        timeline::section(findings, &lanes),
        vram::section(findings, &lanes, inventory),
        machine::section(findings, inventory),
        curves::section(findings, curves),
        merged::section(findings),
        shards::section(findings),
    ];
    let footer = "<footer><p>Numbers: <a href=\"combined_results.csv\">combined_results.csv</a>, \
         <a href=\"summary.json\">summary.json</a>, <a href=\"junit.xml\">junit.xml</a>. \
         — stands for what is not known.</p></footer>\n";
    whole(&findings.records.info.name, &(sections.concat() + footer))
}

/// A page of that name around a body, in the style of all pages.
pub fn whole(name: &str, body: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n{body}</body>\n</html>\n",
        escape(name)
    )
}

//! `man`: writes the man pages, one for the program and one for each verb.

use std::io;
use std::path::Path;

use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use super::man_args::ManArgs;
use crate::cli::error::CliError;
use crate::cli::exit_code::{CliExit, EXIT_CODES};
use crate::cli::output;
use crate::cli::visible_command::visible_command;

const SOURCE: &str = concat!("sweepdeck ", env!("CARGO_PKG_VERSION"));
const MANUAL: &str = "sweepdeck manual";

/// A page has no date, so that it is the same in each build. An empty one would be written without quotes, and what
/// follows would take its place.
const NO_DATE: &str = " ";

/// Name of a page without its section, and its text.
type Page = (String, Vec<u8>);

/// Writes all pages into the folder and reports how many.
pub fn run(args: &ManArgs) -> Result<CliExit, CliError> {
    let pages = render_pages().map_err(CliError::system("write a man page"))?;
    std::fs::create_dir_all(&args.folder).map_err(CliError::for_file("create", &args.folder))?;
    for (name, text) in &pages {
        write_page(&args.folder.join(format!("{name}.1")), text)?;
    }
    output::print_message(&format!("{} man pages are in {}", pages.len(), args.folder.display()));
    Ok(CliExit::Done)
}

fn write_page(path: &Path, text: &[u8]) -> Result<(), CliError> {
    std::fs::write(path, text).map_err(CliError::for_file("write", path))
}

/// Renders the page of the program, of each verb, and of each action of a verb that has some.
fn render_pages() -> io::Result<Vec<Page>> {
    let mut command = visible_command();
    command.build();
    let mut pages = Vec::new();
    render_with_verbs(&command, &mut pages)?;
    Ok(pages)
}

fn render_with_verbs(command: &Command, pages: &mut Vec<Page>) -> io::Result<()> {
    pages.push(render_page(command)?);
    command.get_subcommands().try_for_each(|verb| render_with_verbs(verb, pages))
}

fn render_page(command: &Command) -> io::Result<Page> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let man = Man::new(command.clone()).date(NO_DATE).source(SOURCE).manual(MANUAL);
    let mut text = Vec::new();
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    man.render_description_section(&mut text)?;
    if command.get_arguments().next().is_some() {
        man.render_options_section(&mut text)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(&mut text)?;
    }
    render_closing_sections(&name, &mut text)?;
    Ok((name, text))
}

fn render_closing_sections(name: &str, text: &mut Vec<u8>) -> io::Result<()> {
    let mut roff = Roff::new();
    roff.control("SH", ["EXIT STATUS"]);
    for (exit, meaning) in EXIT_CODES {
        roff.control("TP", []);
        roff.text([bold(exit.to_code().to_string())]);
        roff.text([roman(*meaning)]);
    }
    if name != "sweepdeck" {
        roff.control("SH", ["SEE ALSO"]);
        roff.text([bold("sweepdeck"), roman("(1)")]);
    }
    roff.to_writer(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_visible_verb_has_a_page() {
        let verbs = visible_command();
        let mut expected: Vec<String> =
            verbs.get_subcommands().map(|verb| format!("sweepdeck-{}", verb.get_name())).collect();
        expected.push("sweepdeck".to_owned());
        let pages: Vec<String> =
            render_pages().expect("memory can be written").into_iter().map(|(name, _)| name).collect();
        let missing: Vec<_> = expected.iter().filter(|name| !pages.contains(name)).collect();
        assert!(missing.is_empty(), "without a page: {missing:?}");
        let is_of_a_verb = |page: &&String| {
            expected.contains(page) || expected.iter().any(|verb| page.starts_with(&format!("{verb}-")))
        };
        let foreign: Vec<_> = pages.iter().filter(|page| !is_of_a_verb(page)).collect();
        assert!(foreign.is_empty(), "pages of no verb: {foreign:?}");
    }

    #[test]
    fn a_page_has_its_synopsis_options_and_exit_codes() {
        let pages = render_pages().expect("memory can be written");
        let (_, text) = pages.iter().find(|(name, _)| name == "sweepdeck-run").expect("a page for `run`");
        let text = String::from_utf8_lossy(text);
        for part in [
            ".TH sweepdeck-run 1 \" \" \"sweepdeck ",
            "Start a sweep",
            ".SH SYNOPSIS",
            "\\-\\-parallel",
            ".SH \"EXIT STATUS\"",
        ] {
            assert!(text.contains(part), "{part} is missing in:\n{text}");
        }
    }
}

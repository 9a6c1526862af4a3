//! `demo`: the sweep that is embedded in the program, with the program itself as the evaluator.

use super::args::DemoArgs;
use super::browse;
use super::error::CliError;
use super::exit_code::Exit;
use super::launch::{self, Stay};
use super::sweep::Sweep;
use crate::demo::sweep::SWEEP;

/// How the embedded sweep names the evaluator.
const EVALUATOR: &str = r#""sweepdeck", "demo-worker""#;

/// Starts it.
pub fn run(args: &DemoArgs) -> Result<Exit, CliError> {
    let stay = Stay::of(false, args.headless, &args.screen);
    let program = std::env::current_exe().map_err(CliError::system("find this program"))?;
    let paced = std::env::var_os("SWEEPDECK_DEMO_PACE").is_some();
    let sweep = Sweep::embedded("demo.toml", text(&program.to_string_lossy(), stay, paced))?;
    let run = launch::create(&sweep, args.out.as_deref())?;
    let seen = launch::start(&run, &sweep.plan, stay, &args.screen)?;
    browse::after(seen, false, &args.screen)
}

/// The sweep with this program as its evaluator; where nobody watches, no time is spent on being watched.
fn text(program: &str, stay: Stay, paced: bool) -> String {
    let mut command = format!("{}, \"demo-worker\"", toml::Value::String(program.to_owned()));
    if stay == Stay::Headless && !paced {
        command.push_str(", \"--pace\", \"0\"");
    }
    SWEEP.replace(EVALUATOR, &command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_sweep_runs_this_program_whatever_its_path() {
        let text = text(r#"/opt/a "b"/sweepdeck"#, Stay::Headless, false);
        let sweep: toml::Table = text.parse().unwrap();
        let command = sweep["shard"]["command"].as_array().unwrap();
        assert_eq!(command[0].as_str(), Some(r#"/opt/a "b"/sweepdeck"#));
        assert_eq!(command[2].as_str(), Some("--pace"));
    }
}

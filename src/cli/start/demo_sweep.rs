//! The embedded sweep of the demo, with this program in it, and its start from home.

use crate::cli::error::CliError;
use crate::cli::start::launch::{self, Stay};
use crate::cli::start::sweep::Sweep;
use crate::demo::sweep::SWEEP;
use crate::rundir::layout::RunDir;
use crate::supervisor::lifetime::start;

/// How the embedded sweep names the evaluator.
const EVALUATOR: &str = r#""sweepdeck", "demo-worker""#;

/// Returns the sweep for a user who stays like this.
pub fn build_sweep(stay: Stay) -> Result<Sweep, CliError> {
    let program = std::env::current_exe().map_err(CliError::system("find this program"))?;
    let paced = std::env::var_os("SWEEPDECK_DEMO_PACE").is_some();
    Sweep::from_text("demo.toml", render_sweep(&program.to_string_lossy(), stay, paced))
}

/// Starts it from home, in a new folder below `results/`.
pub fn start_demo() -> Result<RunDir, CliError> {
    let sweep = build_sweep(Stay::Dashboard)?;
    let run = launch::create_run(&sweep, None)?;
    start::ensure_supervisor(&run)?;
    Ok(run)
}

/// Returns the text of the sweep with this program as its evaluator; without a viewer, no time is spent on being
/// watched.
fn render_sweep(program: &str, stay: Stay, paced: bool) -> String {
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
        let text = render_sweep(r#"/opt/a "b"/sweepdeck"#, Stay::Headless, false);
        let sweep: toml::Table = text.parse().unwrap();
        let command = sweep["shard"]["command"].as_array().unwrap();
        assert_eq!(command[0].as_str(), Some(r#"/opt/a "b"/sweepdeck"#));
        assert_eq!(command[2].as_str(), Some("--pace"));
    }
}

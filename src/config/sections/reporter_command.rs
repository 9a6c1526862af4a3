//! The reporter of a run, rendered: what is run, where, and how it is run by hand.

use std::path::{Path, PathBuf};

use crate::config::templates::paths::absolute_path;
use crate::config::templates::program_path::ProgramPath;
use crate::config::templates::render::RenderError;
use crate::config::templates::script::{Body, build_script};
use crate::config::templates::template::{Context, RenderTarget, render_template, template_environment};
use crate::model::sweep::plan::Plan;

/// The name that its templates know.
const RUN_DIR: &str = "run_dir";

/// Command of a reporter, ready to be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedReporter {
    /// Script to be passed to `bash -c`.
    pub script: String,
    /// The steps and the command in one line, to be run by hand.
    pub by_hand: String,
    /// The working directory, absolute.
    pub cwd: PathBuf,
}

/// Renders the reporter of a run; `mark` is the file that holds the number of the setup step at work.
pub fn render_reporter(
    plan: &Plan,
    run_dir: &Path,
    mark: &Path,
    home: Option<&Path>,
) -> Result<Option<RenderedReporter>, RenderError> {
    let Some(reporter) = &plan.results.reporter else { return Ok(None) };
    let path = run_dir.to_str().ok_or_else(|| RenderError::NotText(run_dir.to_owned()))?;
    let path = minijinja::Value::from_object(ProgramPath(path.to_owned()));
    let context = Context::from([(RUN_DIR.to_owned(), path)]);
    let text = |reader, template: &String| {
        render_template(&template_environment(reader), template, &context)
            .map_err(|fault| RenderError::Template { what: "reporter", message: fault.message })
    };
    let cwd = absolute_path(&text(RenderTarget::Direct, &reporter.cwd)?, &plan.sweep_dir, home)
        .map_err(|source| RenderError::Path { what: "reporter", source })?;
    let setup =
        reporter.setup.iter().map(|step| text(RenderTarget::Shell, step)).collect::<Result<Vec<_>, _>>()?;
    let command = text(RenderTarget::Shell, &reporter.command)?;
    let by_hand = setup.iter().chain([&command]).map(|step| step.trim()).collect::<Vec<_>>().join(" && ");
    Ok(Some(RenderedReporter { script: build_script(&setup, &Body::Command(&command), mark), by_hand, cwd }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::plan::{PlanOrigin, read_plan};

    fn origin() -> PlanOrigin {
        PlanOrigin {
            file: "/sweeps/eval.toml".into(),
            home: Some("/home/me".into()),
            cores: 2,
            ..PlanOrigin::default()
        }
    }

    fn reporter(shard: &str, results: &str) -> RenderedReporter {
        let source = format!(
            "[matrix]\nenv = ['a']\n[shard]\ncommand = 'run {{{{ env }}}}'\n{shard}\n[results]\n{results}"
        );
        let plan = read_plan(&source, &origin()).unwrap_or_else(|problems| panic!("{problems}"));
        render_reporter(&plan, Path::new("/a b"), Path::new("/mark"), origin().home.as_deref())
            .unwrap()
            .unwrap()
    }

    fn problem(shard: &str, results: &str) -> String {
        let source = format!(
            "[matrix]\nenv = ['a']\n[shard]\ncommand = 'run {{{{ env }}}}'\n{shard}\n[results]\n{results}"
        );
        read_plan(&source, &origin()).expect_err("it is refused").to_string()
    }

    #[test]
    fn it_runs_as_the_shards_do() {
        let found = reporter(
            "setup = ['source ~/conda.sh', 'conda activate isaac']\ncwd = '~/IsaacLab'",
            "reporter = 'python r.py {{ run_dir }}'",
        );
        assert_eq!(found.by_hand, "source ~/conda.sh && conda activate isaac && python r.py '/a b'");
        assert_eq!(found.cwd, Path::new("/home/me/IsaacLab"));
        assert!(found.script.contains("echo 2 >| /mark\nconda activate isaac\n"), "{}", found.script);
        assert!(found.script.ends_with("command rm -f /mark\npython r.py '/a b'\n"), "{}", found.script);
    }

    #[test]
    fn it_may_have_a_folder_and_steps_of_its_own() {
        let found = reporter(
            "setup = ['use {{ env }}']\ncwd = '{{ env }}'",
            "reporter = { command = 'true', cwd = 'tools', setup = ['module load python'] }",
        );
        assert_eq!(
            (found.by_hand.as_str(), found.cwd.as_path()),
            ("module load python && true", Path::new("/sweeps/tools"))
        );
        let found = reporter("cwd = '{{ env }}'", "reporter = 'true'");
        assert_eq!((found.by_hand.as_str(), found.cwd.as_path()), ("true", Path::new("/sweeps")));
    }

    #[test]
    fn steps_of_a_combo_are_not_its_own() {
        let told = problem("setup = ['use {{ env }}']", "reporter = 'true'");
        assert!(told.contains("the reporter has no combo, and the setup step `use {{ env }}`"), "{told}");
        let told = problem("", "reporter = { cwd = 'x' }");
        assert!(told.contains("`command`"), "{told}");
        let told = problem("", "reporter = 'python {{ env }}'");
        assert!(told.contains("`env` is not defined"), "{told}");
    }
}

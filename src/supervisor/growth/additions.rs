//! Values that are added to an axis of the run, as asked or because a watched file came: what they bring is rendered
//! from the sweep that the run was given, before it reaches the scheduler.

use std::path::PathBuf;

use crate::config::growth::{self, SweepSource};
use crate::model::state::run_info::RunInfo;
use crate::model::sweep::growth::Growth;
use crate::model::sweep::plan::Plan;
use crate::model::value::Value;
use crate::rundir::layout::RunDir;
use crate::rundir::records;

/// The source from which additions to the plan are rendered.
pub(in crate::supervisor) struct Additions {
    run: RunDir,
    file_name: PathBuf,
    home: Option<PathBuf>,
}

impl Additions {
    pub(in crate::supervisor) fn for_run(run: &RunDir, info: &RunInfo) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let file_name = info.sweep.file_name().map_or_else(|| PathBuf::from("sweep.toml"), PathBuf::from);
        Self { run: run.clone(), file_name, home }
    }

    /// Returns the shards that a user asks for, or why they cannot be added, in words.
    pub(in crate::supervisor) fn as_asked(
        &self,
        plan: &Plan,
        axis: &str,
        texts: &[String],
    ) -> Result<Growth, String> {
        let source = self.source()?;
        let given = self.given(&source);
        let values = growth::typed_values(plan, given, axis, texts).map_err(|error| error.to_string())?;
        growth::grow_for_user(plan, given, axis, &values).map_err(|error| error.to_string())
    }

    /// Returns the shards that new files bring to a watched axis; nothing where it has them already.
    pub(in crate::supervisor) fn of_files(
        &self,
        plan: &Plan,
        axis: &str,
        files: &[String],
    ) -> Result<Option<Growth>, String> {
        let known = plan.expansion.as_ref().and_then(|expansion| expansion.axis(axis));
        let is_new = |value: &Value| known.is_some_and(|axis| !axis.values.contains(value));
        let values: Vec<Value> = files.iter().cloned().map(Value::String).filter(is_new).collect();
        if values.is_empty() {
            return Ok(None);
        }
        let source = self.source()?;
        growth::grow_axis(plan, self.given(&source), axis, &values)
            .map(Some)
            .map_err(|error| error.to_string())
    }

    fn source(&self) -> Result<String, String> {
        records::read_text(&self.run.sweep_toml()).map_err(|error| error.to_string())
    }

    fn given<'a>(&'a self, source: &'a str) -> SweepSource<'a> {
        SweepSource { source, file_name: &self.file_name, home: self.home.as_deref() }
    }
}

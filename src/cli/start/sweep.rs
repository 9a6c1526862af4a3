//! A sweep file on its way to becoming a run.

use std::path::{Path, PathBuf};

use crate::cli::error::CliError;
use crate::cli::output;
use crate::cli::start::own_formats;
use crate::config::document::problem::{Problems, did_you_mean};
use crate::config::matrix::axis_source::parse_outside_axes;
use crate::config::plan::{self, AxisOverrides, PlanOrigin as SweepOrigin};
use crate::config::sections::commands;
use crate::model::machine::gpu_permit::InheritedGpus;
use crate::model::sweep::axis::{AxisValues, FoundAxis};
use crate::model::sweep::plan::Plan;
use crate::preflight::axis_values::{self, Commands};
use crate::telemetry::host::count_cores;
use crate::tui::keymap::own;
use crate::tui::model::keys::chosen::Keymap;
use crate::tui::model::keys::keyed::CommandOrigin;

/// A sweep that was read.
#[derive(Debug)]
pub struct Sweep {
    /// Its file, absolute; none for the one that is embedded in the program.
    pub file: Option<PathBuf>,
    /// Text of the sweep file, as it was read.
    pub source: String,
    /// Plan that the text comes to.
    pub plan: Plan,
    origin: SweepOrigin,
    /// Axes with other values than the file gives them.
    axes: Vec<AxisValues>,
    /// Values found for the axes that take theirs from outside of the file.
    pub found: Vec<FoundAxis>,
}

impl Sweep {
    /// Reads a file; all its problems are reported at once.
    pub fn open(path: &Path) -> Result<Self, CliError> {
        Self::read_as(path, output::is_colour_allowed(), &[], Commands::Run)
    }

    /// Reads a file that the user has not asked to start yet: commands in it are not run. Its problems are reported
    /// with or without colours.
    pub fn read(path: &Path, colour: bool) -> Result<Self, CliError> {
        Self::read_with(path, colour, &[])
    }

    /// The same with other values for some axes than the file gives them.
    pub fn read_with(path: &Path, colour: bool, axes: &[AxisValues]) -> Result<Self, CliError> {
        Self::read_as(path, colour, axes, Commands::Leave)
    }

    fn read_as(path: &Path, colour: bool, axes: &[AxisValues], commands: Commands) -> Result<Self, CliError> {
        let bytes = std::fs::read(path).map_err(|error| {
            let is_missing = error.kind() == std::io::ErrorKind::NotFound;
            let error = CliError::for_file("read", path)(error);
            if is_missing { error.with_hint(hint_for_missing(path)) } else { error }
        })?;
        let source = decode(bytes, path)?;
        let file = path.canonicalize().map_err(CliError::for_file("find", path))?;
        let origin = build_origin(file.clone());
        let folder = origin.file.parent().unwrap_or(Path::new("/"));
        let found =
            axis_values::find_values(&parse_outside_axes(&source), folder, origin.home.as_deref(), commands);
        let plan = parse_plan(
            &source,
            &origin,
            (origin.cores, AxisOverrides { others: axes, found: &found, added: None }),
            colour,
        )?;
        Ok(Self { file: Some(file), source, plan, origin, axes: axes.to_vec(), found })
    }

    /// Takes a text that is not in a file; its paths start at the current folder.
    pub fn from_text(name: &str, source: String) -> Result<Self, CliError> {
        let folder = std::env::current_dir().map_err(CliError::system("find the current folder"))?;
        let origin = build_origin(folder.join(name));
        let plan = parse_plan(
            &source,
            &origin,
            (origin.cores, AxisOverrides::default()),
            output::is_colour_allowed(),
        )?;
        Ok(Self { file: None, source, plan, origin, axes: Vec::new(), found: Vec::new() })
    }

    /// Cuts combos for so many shards side by side, where the sweep leaves that to the machine; what this came to, in
    /// one line.
    pub fn slice_for(&mut self, slots: u32) -> Result<Option<String>, CliError> {
        if !plan::slices_by_machine(&self.source) {
            return Ok(None);
        }
        let axes = AxisOverrides { others: &self.axes, found: &self.found, added: None };
        self.plan = Plan {
            schedule: self.plan.schedule.clone(),
            resources: self.plan.resources.clone(),
            ..parse_plan(&self.source, &self.origin, (slots, axes), output::is_colour_allowed())?
        };
        let slices = self.plan.shards.first().and_then(|shard| shard.slice.as_ref()).map(|slice| slice.count);
        Ok(slices.map(|slices| match slices {
            1 => format!("combos stay whole, for {slots} side by side"),
            _ => format!("each combo is cut into {slices}, for {slots} side by side"),
        }))
    }
}

/// A sweep beside it with a similar name, or how to get one.
fn hint_for_missing(path: &Path) -> String {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).into_iter().flatten().flatten();
    let names: Vec<String> = entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let sweeps = names.iter().map(String::as_str).filter(|name| name.ends_with(".toml"));
    let written = path.file_name().unwrap_or_default().to_string_lossy();
    match did_you_mean(&written, sweeps) {
        Some(name) => format!("did you mean `{}`?", path.with_file_name(name).display()),
        None => "`sweepdeck init` writes a first sweep".to_owned(),
    }
}

/// The text of a file, which has to be UTF-8.
fn decode(bytes: Vec<u8>, path: &Path) -> Result<String, CliError> {
    let name = path.display();
    if bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff") {
        let hint = format!("save it as UTF-8, or: iconv -f UTF-16 -t UTF-8 {name} > utf8.toml");
        return Err(CliError::usage(format!("{name} is UTF-16, and a sweep is UTF-8")).with_hint(hint));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..valid].iter().filter(|byte| **byte == b'\n').count() + 1;
        CliError::usage(format!("{name}:{line} is not UTF-8")).with_hint("save the file as UTF-8")
    })
}

fn build_origin(file: PathBuf) -> SweepOrigin {
    let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    SweepOrigin { file, home, cores: count_cores(), formats: own_formats::read_formats() }
}

fn parse_plan(
    source: &str,
    origin: &SweepOrigin,
    (slots, axes): (u32, AxisOverrides<'_>),
    colour: bool,
) -> Result<Plan, CliError> {
    let mut plan = plan::read_with(source, origin, slots, axes)
        .map_err(|problems| CliError::drawn(&problems.render(colour)))?;
    let keys = own::assign_keys(&commands::of_sweep(source), &Keymap::default(), CommandOrigin::Sweep).1;
    if !keys.is_empty() {
        let problems = Problems::new(origin.file.clone(), source.to_owned(), keys);
        return Err(CliError::drawn(&problems.render(colour)));
    }
    plan.resources.inherited = InheritedGpus::from_env(|name| std::env::var(name).ok());
    Ok(plan)
}

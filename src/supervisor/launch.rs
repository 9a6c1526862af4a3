//! An attempt is made ready: its folder, its script and the order for its holder.

use std::collections::HashMap;
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use super::container_clients;
use super::ended_attempt;
use super::error::SupervisorError;
use crate::config::render::{self, Rendered, StartValues};
use crate::model::attempt::{Order, TerminalSize};
use crate::model::edit::Edit;
use crate::model::growth::PlanChange;
use crate::model::ids::{AttemptKey, GpuIndex, RunId, ShardId};
use crate::model::outcome::Progress;
use crate::model::plan::{MetricSource, MetricSpec, Plan, ShardSpec, SliceUnit};
use crate::model::resources::GpuNeed;
use crate::model::result_file::ResultFile;
use crate::model::resume::Grants;
use crate::model::run_info::RUN_VERSION;
use crate::model::sample::GpuInventory;
use crate::model::split::PackSplit;
use crate::rundir::clock;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::{AttemptDir, RunDir};
use crate::rundir::records::{self, Access};
use crate::socket::address;
use crate::telemetry::component_memory::Component;

/// What all attempts of a run share.
#[derive(Clone)]
pub(super) struct Launcher {
    /// The run's folder.
    pub(super) run: RunDir,
    /// The run's id.
    pub(super) id: RunId,
    /// The plan.
    pub(super) plan: Plan,
    home: Option<PathBuf>,
    positions: HashMap<ShardId, usize>,
    wants_port: bool,
    wants_files: bool,
    /// Where engines for containers are found first, on a machine that has any.
    engines: Option<PathBuf>,
}

/// The files of an attempt that its end is judged by.
#[derive(Debug, Clone, Default)]
pub(super) struct AttemptFiles {
    /// Patterns of files it had to write.
    pub(super) artifacts: Vec<String>,
    /// Files that its results are read from.
    pub(super) results: Vec<ResultFile>,
}

impl Launcher {
    /// For the run at a folder.
    pub(super) fn new(run: RunDir, id: RunId, plan: Plan) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let positions =
            plan.shards.iter().enumerate().map(|(position, shard)| (shard.id.clone(), position)).collect();
        let wants_port = render::wants_port(&plan);
        let is_file = |metric: &MetricSpec| matches!(metric.source, MetricSource::File { .. });
        let wants_files = !plan.template.artifacts.is_empty()
            || plan.results.file.is_some()
            || plan.metrics.iter().any(is_file);
        let engines = if plan.only_watches() { None } else { container_clients::put_in_front(&run) };
        Self { run, id, plan, home, positions, wants_port, wants_files, engines }
    }

    /// The components of a shard, with those of its GPUs that each was given.
    pub(super) fn components(&self, shard: &ShardId, gpus: &[GpuIndex]) -> Vec<Component> {
        let Some(spec) = self.positions.get(shard).and_then(|position| self.plan.shards.get(*position))
        else {
            return Vec::new();
        };
        let resources = self.plan.resources_of(spec);
        let parts = resources.gpus.iter().flat_map(GpuNeed::parts);
        let own = |range: std::ops::Range<usize>| gpus.get(range).unwrap_or_default().to_vec();
        parts.map(|(name, range)| Component { name: name.to_owned(), gpus: own(range) }).collect()
    }

    /// The user's home folder.
    pub(super) fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// A pack was split.
    pub(super) fn split(&mut self, split: &PackSplit) {
        self.plan.follow(std::slice::from_ref(split));
        self.positions.entry(split.other.clone()).or_insert(self.plan.shards.len() - 1);
    }

    /// An axis got more values.
    pub(super) fn grow(&mut self, growth: &PlanChange) {
        let known = self.plan.shards.len();
        self.plan.follow_changes(std::slice::from_ref(growth));
        for (position, spec) in self.plan.shards.iter().enumerate().skip(known) {
            self.positions.insert(spec.id.clone(), position);
        }
    }

    /// The shard runs with these values from its next attempt on.
    pub(super) fn edit(&mut self, shard: &ShardId, edit: &Edit) {
        if let Some(position) = self.positions.get(shard) {
            self.plan.shards[*position].edit.clone_from(edit);
        }
    }

    /// The named shard of the plan.
    pub(super) fn shard(&self, key: &AttemptKey) -> Option<&ShardSpec> {
        self.spec(&key.shard)
    }

    /// The same by its name.
    pub(super) fn spec(&self, shard: &ShardId) -> Option<&ShardSpec> {
        self.positions.get(shard).map(|position| &self.plan.shards[*position])
    }

    /// Writes everything the holder needs and gives the attempt's folder.
    pub(super) fn prepare(
        &self,
        key: &AttemptKey,
        grants: &Grants,
        cores: &[u32],
        inventory: &GpuInventory,
    ) -> Result<AttemptDir, SupervisorError> {
        let shard = self.shard(key).ok_or_else(|| SupervisorError::NotPlanned(key.shard.clone()))?;
        let dir = self.run.attempt(key);
        // One that continues in the folder of another has none of its own.
        let is_own = grants.folder_of(key.attempt, self.plan.template.resume) == key.attempt;
        let folder = if is_own { dir.out() } else { dir.folder().clone() };
        folder.create_dir_all().map_err(RunDirError::io("create", &folder))?;
        let port = self.wants_port.then(free_port).flatten();
        let rendered = self.render(shard, (key, grants), inventory, port)?;
        if let Some(script) = &rendered.script {
            let write = dir.script().create().and_then(|mut file| file.write_all(script.as_bytes()));
            write.map_err(RunDirError::io("write", &dir.script()))?;
        }
        records::write_new(
            &dir.order(),
            &self.order((key, shard), (grants, cores), rendered)?,
            Access::Owner,
        )?;
        // `logs/ID.log` shows the newest attempt; an older link is replaced in one step.
        let link = self.run.log_link(&key.shard);
        link.link_to(&RunDir::log_link_target(key)).map_err(RunDirError::io("link", &link))?;
        Ok(dir)
    }

    /// The files the attempt has to write, and those that are read in its end.
    pub(super) fn files(&self, key: &AttemptKey, grants: &Grants, inventory: &GpuInventory) -> AttemptFiles {
        let nothing = AttemptFiles::default();
        if !self.wants_files {
            return nothing;
        }
        let Some(shard) = self.shard(key) else { return nothing };
        // The port is not known any more; a file named after it cannot be looked for.
        match self.render(shard, (key, grants), inventory, Some(0)) {
            Ok(Rendered { artifacts, result_files, .. }) => {
                let results = self.with_earlier(shard, (key, grants), result_files);
                AttemptFiles { artifacts, results }
            }
            Err(_) => AttemptFiles { artifacts: self.plan.template.artifacts.clone(), ..nothing },
        }
    }

    /// The same files as they are called in the folders of the attempts whose work is continued.
    fn with_earlier(
        &self,
        shard: &ShardSpec,
        (key, grants): (&AttemptKey, &Grants),
        files: Vec<ResultFile>,
    ) -> Vec<ResultFile> {
        let mut files = files;
        let mut starts = ended_attempt::starts_of_parts(&self.run, self.plan.template.resume, key, grants);
        starts.pop();
        for start in starts {
            let rendered = render::attempt(&self.plan, shard, &start);
            for (file, earlier) in
                files.iter_mut().zip(rendered.into_iter().flat_map(|part| part.result_files))
            {
                // A file outside of the folders of attempts is one file.
                if earlier.pattern != file.pattern {
                    file.earlier.push(earlier.pattern);
                }
            }
        }
        files
    }

    fn render(
        &self,
        shard: &ShardSpec,
        (key, grants): (&AttemptKey, &Grants),
        inventory: &GpuInventory,
        port: Option<u16>,
    ) -> Result<Rendered, SupervisorError> {
        let uuid = |gpu: &GpuIndex| {
            let card = inventory.cards().iter().find(|card| card.index == *gpu)?;
            card.cuda_name().map(str::to_owned)
        };
        let start = StartValues {
            gpu_uuids: grants.gpus.iter().filter_map(uuid).collect(),
            port,
            home: self.home.clone(),
            ..ended_attempt::start_of(&self.run, self.plan.template.resume, key, grants)
        };
        Ok(render::attempt(&self.plan, shard, &start)?)
    }

    /// What the earlier attempts of one had done of all that there is to do.
    fn earlier(&self, shard: &ShardSpec, grants: &Grants) -> Option<Progress> {
        let before = grants.done.filter(|_| !self.plan.template.resume.is_never())?;
        let slice = shard.slice.as_ref().filter(|slice| slice.unit == SliceUnit::Episodes);
        let whole = slice.map(|slice| slice.episodes).or(before.total);
        Some(Progress { total: whole.or(self.plan.progress.total), ..before })
    }

    fn order(
        &self,
        (key, shard): (&AttemptKey, &ShardSpec),
        (grants, cores): (&Grants, &[u32]),
        rendered: Rendered,
    ) -> Result<Order, SupervisorError> {
        let schedule = &self.plan.schedule;
        let mut env = rendered.env;
        if let Some(engines) = &self.engines {
            container_clients::lead_path(&mut env, engines);
        }
        Ok(Order {
            version: RUN_VERSION,
            run: self.id.clone(),
            run_dir: self.run.path().to_owned(),
            key: key.clone(),
            argv: rendered.argv,
            cwd: rendered.cwd,
            env,
            socket: address::of_attempt(&self.id, key)?,
            size: TerminalSize::default(),
            grace: schedule.grace,
            linger: schedule.linger,
            cores: cores.to_vec(),
            // The sweep allows no more than 19.
            nice: self.plan.resources.nice.cast_signed(),
            progress_file: rendered.progress_file,
            earlier: self.earlier(shard, grants),
            clock: clock::served().cloned(),
        })
    }
}

/// A port that is free now; nobody can promise that it stays so.
fn free_port() -> Option<u16> {
    TcpListener::bind(("127.0.0.1", 0)).ok()?.local_addr().ok().map(|address| address.port())
}

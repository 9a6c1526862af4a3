//! An attempt is made ready: its folder, its script and the order for its holder.

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::net::TcpListener;
use std::path::{Path, PathBuf};

use super::{container_clients, newest_log};
use crate::config::templates::render::{self, RenderError, Rendered, StartValues};
use crate::config::templates::render_service;
use crate::config::templates::service_values::ServiceAddress;
use crate::model::attempt::{HolderOrder, ServiceOrder, TerminalSize};
use crate::model::ids::{AttemptKey, GpuIndex, RunId, ShardId};
use crate::model::machine::sample::GpuInventory;
use crate::model::needs::resources::GpuNeed;
use crate::model::outcome::Progress;
use crate::model::results::result_file::ResultFile;
use crate::model::results::results_spec::Merge;
use crate::model::state::run_info::RUN_VERSION;
use crate::model::sweep::edit::Edit;
use crate::model::sweep::growth::PlanChange;
use crate::model::sweep::plan::{MetricSource, MetricSpec, Plan, ShardSpec, SliceUnit};
use crate::model::sweep::resume::{Grants, Resume};
use crate::model::sweep::service::ServiceInstance;
use crate::model::sweep::split::PackSplit;
use crate::rundir::beneath::PathBeneath;
use crate::rundir::clock;
use crate::rundir::error::RunDirError;
use crate::rundir::layout::{AttemptDir, RunDir};
use crate::rundir::records::{self, FileAccess};
use crate::socket::address;
use crate::supervisor::error::SupervisorError;
use crate::supervisor::results::ended_attempt;
use crate::telemetry::component_memory::Component;

/// The data that all attempts of a run share.
#[derive(Clone)]
pub(in crate::supervisor) struct AttemptLauncher {
    /// Folder of the run on disk.
    pub(in crate::supervisor) run: RunDir,
    /// Id by which the run is known.
    pub(in crate::supervisor) id: RunId,
    /// Plan with all shards and services of the run.
    pub(in crate::supervisor) plan: Plan,
    home: Option<PathBuf>,
    positions: HashMap<ShardId, usize>,
    wants_port: bool,
    wants_files: bool,
    /// Folder where engines for containers are searched for first, on a machine that has any.
    engines: Option<PathBuf>,
}

/// The files of an attempt that its end is judged by.
#[derive(Debug, Clone, Default)]
pub(in crate::supervisor) struct AttemptFiles {
    /// Patterns of files it had to write.
    pub(in crate::supervisor) artifacts: Vec<String>,
    /// Files that its results are read from.
    pub(in crate::supervisor) results: Vec<ResultFile>,
}

/// The kind of work that an attempt is for.
#[derive(Debug, Clone)]
pub(in crate::supervisor) enum LaunchTarget {
    /// A shard's, which uses these services by their names.
    Shard(BTreeMap<String, ServiceAddress>),
    /// An instance of a service, which other shards use.
    Service(ServiceInstance),
}

impl AttemptLauncher {
    /// For the run at a folder.
    pub(in crate::supervisor) fn new(run: RunDir, id: RunId, plan: Plan) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        let positions =
            plan.shards.iter().enumerate().map(|(position, shard)| (shard.id.clone(), position)).collect();
        let wants_port = render::wants_port(&plan);
        let is_file = |metric: &MetricSpec| matches!(metric.source, MetricSource::File { .. });
        let wants_files = !plan.template.artifacts.is_empty()
            || plan.results.file.is_some()
            || plan.results.merge != Merge::None
            || plan.metrics.iter().any(is_file);
        let engines = if plan.only_watches() { None } else { container_clients::put_in_front(&run) };
        Self { run, id, plan, home, positions, wants_port, wants_files, engines }
    }

    /// The components of a shard, with those of its GPUs that each was given.
    pub(in crate::supervisor) fn shard_components(
        &self,
        shard: &ShardId,
        gpus: &[GpuIndex],
    ) -> Vec<Component> {
        let Some(spec) = self.positions.get(shard).and_then(|position| self.plan.shards.get(*position))
        else {
            return Vec::new();
        };
        let resources = self.plan.resources_of(spec);
        let parts = resources.gpus.iter().flat_map(GpuNeed::component_ranges);
        let own = |range: std::ops::Range<usize>| gpus.get(range).unwrap_or_default().to_vec();
        parts.map(|(name, range)| Component { name: name.to_owned(), gpus: own(range) }).collect()
    }

    /// The user's home folder.
    pub(in crate::supervisor) fn home_dir(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// A pack was split.
    pub(in crate::supervisor) fn apply_split(&mut self, split: &PackSplit) {
        self.plan.apply_splits(std::slice::from_ref(split));
        self.positions.entry(split.other.clone()).or_insert(self.plan.shards.len() - 1);
    }

    /// An axis got more values.
    pub(in crate::supervisor) fn apply_growth(&mut self, growth: &PlanChange) {
        let known = self.plan.shards.len();
        self.plan.follow_changes(std::slice::from_ref(growth));
        for (position, spec) in self.plan.shards.iter().enumerate().skip(known) {
            self.positions.insert(spec.id.clone(), position);
        }
    }

    /// The shard runs with these values from its next attempt on.
    pub(in crate::supervisor) fn apply_edit(&mut self, shard: &ShardId, edit: &Edit) {
        if let Some(position) = self.positions.get(shard) {
            self.plan.shards[*position].edit.clone_from(edit);
        }
    }

    /// The named shard of the plan.
    pub(in crate::supervisor) fn find_shard(&self, key: &AttemptKey) -> Option<&ShardSpec> {
        self.find_spec(&key.shard)
    }

    /// The same by its name.
    pub(in crate::supervisor) fn find_spec(&self, shard: &ShardId) -> Option<&ShardSpec> {
        self.positions.get(shard).map(|position| &self.plan.shards[*position])
    }

    /// Writes everything the holder needs and gives the attempt's folder.
    pub(in crate::supervisor) fn prepare_attempt(
        &self,
        (key, part): (&AttemptKey, &LaunchTarget),
        grants: &Grants,
        cores: &[u32],
        inventory: &GpuInventory,
    ) -> Result<AttemptDir, SupervisorError> {
        let dir = self.run.attempt_dir(key);
        let (rendered, order) = match part {
            LaunchTarget::Shard(services) => {
                let shard =
                    self.find_shard(key).ok_or_else(|| SupervisorError::NotPlanned(key.shard.clone()))?;
                // One that continues in the folder of another has none of its own.
                let is_own = grants.folder_of(key.attempt, self.plan.template.resume) == key.attempt;
                create_folder(if is_own { dir.out_folder() } else { dir.folder().clone() })?;
                let port = self.wants_port.then(free_port).flatten();
                let rendered =
                    self.render_attempt(shard, (key, grants), inventory, (port, services.clone()))?;
                let order = self.build_order(key, cores, &rendered)?;
                (rendered, HolderOrder { earlier: self.earlier_progress(shard, grants), ..order })
            }
            LaunchTarget::Service(instance) => {
                create_folder(dir.out_folder())?;
                let (rendered, service) = self.render_service(instance, (key, grants), inventory)?;
                let order = self.build_order(key, cores, &rendered)?;
                (rendered, HolderOrder { service: Some(service), ..order })
            }
        };
        if let Some(script) = &rendered.script {
            let write = dir.command_script().create().and_then(|mut file| file.write_all(script.as_bytes()));
            write.map_err(RunDirError::io("write", &dir.command_script()))?;
        }
        records::write_new(&dir.order_json(), &order, FileAccess::Owner)?;
        newest_log::link_newest_log(&self.run, key);
        Ok(dir)
    }

    /// The files the attempt has to write, and those that are read in its end.
    pub(in crate::supervisor) fn attempt_files(
        &self,
        key: &AttemptKey,
        grants: &Grants,
        inventory: &GpuInventory,
    ) -> AttemptFiles {
        let nothing = AttemptFiles::default();
        if !self.wants_files {
            return nothing;
        }
        let Some(shard) = self.find_shard(key) else { return nothing };
        // The port is not known any more; a file named after it cannot be looked for.
        match self.render_attempt(shard, (key, grants), inventory, (Some(0), BTreeMap::new())) {
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
            let rendered = render::render_attempt(&self.plan, shard, &start);
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

    fn render_attempt(
        &self,
        shard: &ShardSpec,
        key: (&AttemptKey, &Grants),
        inventory: &GpuInventory,
        (port, services): (Option<u16>, BTreeMap<String, ServiceAddress>),
    ) -> Result<Rendered, RenderError> {
        let start = self.start_values(key, self.plan.template.resume, inventory, port);
        render::render_attempt(&self.plan, shard, &StartValues { services, ..start })
    }

    fn render_service(
        &self,
        instance: &ServiceInstance,
        (key, grants): (&AttemptKey, &Grants),
        inventory: &GpuInventory,
    ) -> Result<(Rendered, ServiceOrder), SupervisorError> {
        let spec = self.plan.service(&instance.service);
        let spec = spec.ok_or_else(|| SupervisorError::NotPlanned(key.shard.clone()))?;
        let wants_port = spec.port.is_none() && render_service::wants_port(&self.plan, spec);
        let port = if wants_port { free_port() } else { spec.port };
        // A service starts from scratch each time.
        let start = self.start_values((key, grants), Resume::Never, inventory, port);
        let (rendered, ready_file) =
            render_service::render_service(&self.plan, spec, &key.shard, &instance.vars, &start)?;
        Ok((rendered, ServiceOrder { port, ready_file }))
    }

    fn start_values(
        &self,
        (key, grants): (&AttemptKey, &Grants),
        resume: Resume,
        inventory: &GpuInventory,
        port: Option<u16>,
    ) -> StartValues {
        let uuid = |gpu: &GpuIndex| {
            let card = inventory.cards().iter().find(|card| card.index == *gpu)?;
            card.cuda_name().map(str::to_owned)
        };
        StartValues {
            gpu_uuids: grants.gpus.iter().filter_map(uuid).collect(),
            port,
            home: self.home.clone(),
            ..ended_attempt::start_of(&self.run, resume, key, grants)
        }
    }

    /// Returns how much of the whole work the earlier attempts of a shard had done.
    fn earlier_progress(&self, shard: &ShardSpec, grants: &Grants) -> Option<Progress> {
        let before = grants.done.filter(|_| !self.plan.template.resume.is_never())?;
        let slice = shard.slice.as_ref().filter(|slice| slice.unit == SliceUnit::Episodes);
        let whole = slice.map(|slice| slice.episodes).or(before.total);
        Some(Progress { total: whole.or(self.plan.progress.total), ..before })
    }

    fn build_order(
        &self,
        key: &AttemptKey,
        cores: &[u32],
        rendered: &Rendered,
    ) -> Result<HolderOrder, SupervisorError> {
        let schedule = &self.plan.schedule;
        let mut env = rendered.env.clone();
        if let Some(engines) = &self.engines {
            container_clients::lead_path(&mut env, engines);
        }
        Ok(HolderOrder {
            version: RUN_VERSION,
            run: self.id.clone(),
            run_dir: self.run.path().to_owned(),
            key: key.clone(),
            argv: rendered.argv.clone(),
            cwd: rendered.cwd.clone(),
            env,
            socket: address::of_attempt(&self.id, key)?,
            size: TerminalSize::default(),
            grace: schedule.grace,
            linger: schedule.linger,
            cores: cores.to_vec(),
            // The sweep allows no more than 19.
            nice: self.plan.resources.nice.cast_signed(),
            progress_file: rendered.progress_file.clone(),
            earlier: None,
            clock: clock::served_clock().cloned(),
            service: None,
        })
    }
}

fn create_folder(folder: PathBeneath) -> Result<(), SupervisorError> {
    Ok(folder.create_dir_all().map_err(RunDirError::io("create", &folder))?)
}

/// Returns a port that is free now; there is no guarantee that it stays so.
fn free_port() -> Option<u16> {
    TcpListener::bind(("127.0.0.1", 0)).ok()?.local_addr().ok().map(|address| address.port())
}

//! The plan of one trial: real shards of the sweep side by side, without what only a whole run needs.

use std::time::Duration;

use crate::model::ids::ShardId;
use crate::model::logs::work::is_batch_axis;
use crate::model::needs::own_needs::OwnNeeds;
use crate::model::needs::resources::VramNeed;
use crate::model::results::results_spec::Merge;
use crate::model::sweep::plan::{OnOom, OnStall, PackSizing, Parallel, Plan, QueueOrder, ShardSpec};
use crate::model::units::Bytes;

/// Should the tuner die, the trial is ended by its own supervisor so long after it should have been.
const AFTER_LIMIT: Duration = Duration::from_secs(60);

/// Shards to let run side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Company {
    /// The same shard several times: its output goes into the attempt's own folder, so that copies do not meet.
    Copies,
    /// Different shards of the sweep, which are made to run side by side.
    Others,
}

impl Company {
    /// Returns the company that is safe for this sweep.
    pub fn for_plan(plan: &Plan) -> Self {
        if names_own_folder(plan) { Self::Copies } else { Self::Others }
    }

    /// Returns how many can run side by side with the shard at that position, which counts too.
    pub fn max_parallel(self, plan: &Plan, shard: usize) -> u32 {
        match self {
            Self::Copies => u32::MAX,
            Self::Others => u32::try_from(comparable_shards(plan, shard).count()).unwrap_or(u32::MAX),
        }
    }
}

/// The shards from that position on, without those of other batch sizes: they count and hold something else.
fn comparable_shards(plan: &Plan, shard: usize) -> impl Iterator<Item = &ShardSpec> {
    let count = plan.shards.len();
    let alike = move |other: &&ShardSpec| {
        let axes = plan.axes.iter().filter(|axis| is_batch_axis(axis));
        axes.into_iter().all(|axis| other.vars.get(axis) == plan.shards[shard % count].vars.get(axis))
    };
    (0..count).map(move |number| &plan.shards[(shard + number) % count]).filter(alike)
}

/// Any template writes to where only this attempt writes.
fn names_own_folder(plan: &Plan) -> bool {
    let template = &plan.template;
    let command = template.command.texts();
    let texts = command.iter().chain(&template.setup).chain(template.env.values()).chain([&template.cwd]);
    texts.into_iter().any(|text| names_it(text))
}

/// Contains `{{ out }}` and the like, or one of the variables that only this attempt has.
fn names_it(text: &str) -> bool {
    let says = |text: &str, words: &[&str]| {
        text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').any(|word| words.contains(&word))
    };
    let expressions = text.split("{{").skip(1).map(|rest| rest.split("}}").next().unwrap_or(rest));
    expressions.into_iter().any(|expression| says(expression, &["out", "run_dir", "attempt"]))
        || says(text, &["SWEEPDECK_RUN", "SWEEPDECK_SHARD", "SWEEPDECK_ATTEMPT"])
}

/// Trial of a shard, alone or with others.
#[derive(Debug, Clone, Copy)]
pub struct Trial {
    /// The position of the shard to try.
    pub shard: usize,
    /// So many run side by side.
    pub count: u32,
    /// After so long it is over.
    pub limit: Duration,
    /// VRAM that each is promised on a GPU, once it was measured.
    pub vram: Option<Bytes>,
}

impl Trial {
    /// The plan that a run of the trial follows.
    pub fn build_plan(&self, sweep: &Plan, company: Company) -> Plan {
        let mut plan = sweep.clone();
        plan.shards = (0..self.count).filter_map(|number| self.pick_shard(sweep, company, number)).collect();
        if let Some(shard) = sweep.shards.get(self.shard) {
            plan.resources = sweep.resources_of(shard).into_owned();
            plan.schedule.timeout = sweep.timeout_of(shard);
        }
        // Those that are tried together get the room of the one that is tried.
        plan.template.needs.clear();
        for shard in &mut plan.shards {
            shard.needs = OwnNeeds::default();
            // All values of a pack are tried at once; the run finds out how many fit.
            shard.pack.iter_mut().for_each(|pack| pack.sizing = PackSizing::Given);
        }
        plan.results.reporter = None;
        plan.results.merge = Merge::None;
        if let Some(vram) = self.vram {
            plan.resources.vram = Some(VramNeed::Fixed(vram));
        } else if plan.resources.vram == Some(VramNeed::Auto) {
            // It is alone, and this is the measuring.
            plan.resources.vram = None;
        }
        let schedule = &mut plan.schedule;
        schedule.parallel = Parallel::Fixed(self.count);
        schedule.order = QueueOrder::AsListed;
        schedule.warmup = false;
        schedule.cooldown = Duration::ZERO;
        schedule.retries = 0;
        schedule.on_stall = OnStall::Show;
        schedule.on_oom = OnOom::Fail;
        schedule.ladder.clear();
        let limit = self.limit.saturating_add(AFTER_LIMIT);
        schedule.timeout = Some(schedule.timeout.map_or(limit, |timeout| timeout.min(limit)));
        plan
    }

    fn pick_shard(&self, sweep: &Plan, company: Company, number: u32) -> Option<ShardSpec> {
        match company {
            Company::Copies => {
                let shard = sweep.shards.get(self.shard)?.clone();
                let id = if number == 0 { shard.id } else { copy_id(&shard.id, number + 1) };
                Some(ShardSpec { id, ..shard })
            }
            Company::Others => comparable_shards(sweep, self.shard).nth(number as usize).cloned(),
        }
    }
}

/// A name for a copy; one that would be too long for a file is shortened to its number.
fn copy_id(id: &ShardId, number: u32) -> ShardId {
    ShardId::new(format!("{id}.copy{number}"))
        .or_else(|_| ShardId::new(format!("copy{number}")))
        .unwrap_or_else(|_| id.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::plan::{PlanOrigin, read_plan};

    fn plan(source: &str) -> Plan {
        let origin =
            PlanOrigin { file: "/sweeps/eval.toml".into(), home: None, cores: 2, ..PlanOrigin::default() };
        read_plan(source, &origin).unwrap_or_else(|problems| panic!("{problems}"))
    }

    fn ids(sweep: &Plan, count: u32) -> Vec<String> {
        let trial = Trial { shard: 1, count, limit: Duration::from_secs(5), vram: None };
        let trial = trial.build_plan(sweep, Company::for_plan(sweep));
        trial.shards.iter().map(|shard| shard.id.to_string()).collect()
    }

    #[test]
    fn a_shard_is_copied_only_where_copies_cannot_meet() {
        let matrix = "[matrix]\nn = [1, 2, 3]\n[shard]\nid = 'n{{ n }}'\n";
        let own = plan(&format!("{matrix}command = 'x --out {{{{ out }}}} {{{{ n }}}}'"));
        assert_eq!(ids(&own, 3), ["n2", "n2.copy2", "n2.copy3"]);
        let fixed = plan(&format!("{matrix}command = 'x > out/{{{{ n }}}}.log'\ncwd = '/data'"));
        assert_eq!(ids(&fixed, 2), ["n2", "n3"]);
        assert_eq!(Company::for_plan(&fixed).max_parallel(&fixed, 1), 3);
        let batches = matrix
            .replace("n = [1, 2, 3]", "n = [1, 2]\nbatch_size = [4, 8]")
            .replace("n{{ n }}", "n{{ n }}x{{ batch_size }}");
        let batches = plan(&format!("{batches}command = 'x > out/{{{{ n }}}}.log'\ncwd = '/data'"));
        assert_eq!(
            (ids(&batches, 2), Company::Others.max_parallel(&batches, 1)),
            (vec!["n1x8".to_owned(), "n2x8".to_owned()], 2)
        );
        let by_variable = plan(&format!("{matrix}command = 'x --to $SWEEPDECK_RUN/{{{{ n }}}}'"));
        assert_eq!(Company::for_plan(&by_variable), Company::Copies);
    }

    #[test]
    fn a_trial_does_nothing_that_only_a_run_does_and_ends_by_itself() {
        let sweep = plan(
            "[shard]\ncommand = 'true'\n[schedule]\nretries = 3\nwarmup = true\nparallel = 9\ntimeout = '6h'\n\
             [results]\nreporter = 'x'\n[resources]\nvram = 'auto'",
        );
        let trial = Trial { shard: 0, count: 1, limit: Duration::from_secs(30), vram: None };
        let plan = trial.build_plan(&sweep, Company::Copies);
        assert_eq!((plan.results.reporter, plan.schedule.retries, plan.schedule.warmup), (None, 0, false));
        assert_eq!(plan.schedule.timeout, Some(Duration::from_secs(90)));
        assert_eq!((plan.schedule.parallel, plan.resources.vram), (Parallel::Fixed(1), None));
    }
}

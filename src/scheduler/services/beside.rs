//! Services that are one on each GPU: a shard that has a GPU is put on that of its services, others use those of any.

use crate::model::claims::claim::Tenancy;
use crate::model::ids::{AttemptKey, AttemptNumber, GpuIndex};
use crate::model::needs::resources::VramSlot;
use crate::model::shortage::{ServiceWait, Shortage};
use crate::model::units::Bytes;
use crate::model::value::Variables;
use crate::scheduler::admission::class::NeedClass;
use crate::scheduler::admission::grant::Grant;
use crate::scheduler::admission::need::ShardNeed;
use crate::scheduler::admission::queue::Queue;
use crate::scheduler::admission::room::find_room;
use crate::scheduler::admission::survey_age;
use crate::scheduler::decision_builder::DecisionBuilder;
use crate::scheduler::services::instances::{InstanceRequest, Instances, blocked_shortage};
use crate::scheduler::services::roster::InstanceAvailability;
use crate::scheduler::services::rule::ServiceRule;
use crate::scheduler::volatile_state::VolatileState;

/// The services that a shard uses on each GPU, with its values.
type Rules<'r> = [(&'r ServiceRule, Variables)];

/// A service that lacks on a GPU: its number where it was there before.
type MissingService<'r> = (&'r ServiceRule, &'r Variables, Option<usize>);

/// Result of the search for a place for a shard.
pub enum PlacementResult {
    /// Its place, and the instances that it uses there.
    Place(Grant, Vec<usize>),
    /// Its instances will be ready by and by.
    ByAndBy(Vec<usize>),
    /// No place was found, for lack of this.
    Nothing(Shortage),
    /// The machine must be read once more before anything is promised.
    LooksFirst,
}

/// State of the services of one GPU, in the order of the rules.
struct OnGpu {
    gpu: GpuIndex,
    standings: Vec<InstanceAvailability>,
}

impl OnGpu {
    fn all_match(&self, is_meant: impl Fn(&InstanceAvailability) -> bool) -> bool {
        self.standings.iter().all(is_meant)
    }

    /// The numbers of the instances that are there.
    fn instance_numbers(&self) -> Vec<usize> {
        let number = |standing: &InstanceAvailability| match standing {
            InstanceAvailability::Ready(at) | InstanceAvailability::Starting(at) => Some(*at),
            InstanceAvailability::Startable(_) | InstanceAvailability::Blocked(_) => None,
        };
        self.standings.iter().filter_map(number).collect()
    }

    fn lacking_services<'r>(&self, rules: &'r Rules<'r>) -> Vec<MissingService<'r>> {
        let lacks =
            |(standing, (rule, values)): (&InstanceAvailability, &'r (&'r ServiceRule, Variables))| {
                match standing {
                    InstanceAvailability::Startable(known) => Some((*rule, values, *known)),
                    InstanceAvailability::Ready(_)
                    | InstanceAvailability::Starting(_)
                    | InstanceAvailability::Blocked(_) => None,
                }
            };
        self.standings.iter().zip(rules).filter_map(lacks).collect()
    }
}

fn is_ready(standing: &InstanceAvailability) -> bool {
    matches!(standing, InstanceAvailability::Ready(_))
}

fn is_there(standing: &InstanceAvailability) -> bool {
    matches!(standing, InstanceAvailability::Ready(_) | InstanceAvailability::Starting(_))
}

fn is_startable(standing: &InstanceAvailability) -> bool {
    matches!(standing, InstanceAvailability::Startable(_))
}

fn is_blocked(standing: &InstanceAvailability) -> bool {
    matches!(standing, InstanceAvailability::Blocked(_))
}

/// Finds a place next to services that are ready; else one next to services that are being started; else starts them on
/// the GPU that has room for them and the shard. `may_start` is false where something else of it is not ready.
pub fn find_place(
    instances: &mut Instances,
    builder: &mut DecisionBuilder,
    volatile: &mut VolatileState,
    queue: &mut Queue,
    (position, rules, may_start): (usize, &Rules<'_>, bool),
) -> PlacementResult {
    let shard = builder.shard(position);
    let class = NeedClass::for_shard(builder.policy, &volatile.knowledge, position, shard);
    let need = class.need(builder.policy, &volatile.knowledge, shard);
    let on_gpus = look_at_gpus(instances, builder, volatile, rules);
    let ready: Vec<&OnGpu> = on_gpus.iter().filter(|one| may_start && one.all_match(is_ready)).collect();
    let mut short_of = None;
    match choose_gpu(instances, builder, queue, &ready, &need) {
        Ok((one, grant)) => return PlacementResult::Place(grant, one.instance_numbers()),
        Err(short) => short_of = short_of.or(short),
    }
    let begun: Vec<&OnGpu> = on_gpus
        .iter()
        .filter(|one| one.all_match(is_there) && !(may_start && one.all_match(is_ready)))
        .collect();
    match choose_gpu(instances, builder, queue, &begun, &need) {
        Ok((one, grant)) => {
            hold_room(builder, queue, position, &grant);
            return PlacementResult::ByAndBy(one.instance_numbers());
        }
        Err(short) => short_of = short_of.or(short),
    }
    match start_somewhere(instances, builder, volatile, queue, (rules, &on_gpus, &need)) {
        ServiceStart::On(gpu, numbers) => {
            let how = builder.policy.schedule.placement;
            let own = find_room(&queue.ledger.of_gpus(&[gpu]), &need, how, None);
            if let (Ok(grant), 1) = (own, need.slots.len()) {
                hold_room(builder, queue, position, &grant);
            }
            PlacementResult::ByAndBy(numbers)
        }
        ServiceStart::LooksFirst => PlacementResult::LooksFirst,
        ServiceStart::Nowhere(short) => PlacementResult::Nothing(
            short_of.or(short).unwrap_or_else(|| why_blocked(builder, rules, &on_gpus)),
        ),
    }
}

/// Looks up the state of the services on each GPU that shards may get.
fn look_at_gpus(
    instances: &Instances,
    builder: &DecisionBuilder,
    volatile: &VolatileState,
    rules: &Rules<'_>,
) -> Vec<OnGpu> {
    let on_gpu = |gpu: GpuIndex| {
        let standing = |(rule, values): &(&ServiceRule, Variables)| {
            instances.roster.check_availability(builder, volatile, rule, (Some(gpu), values))
        };
        OnGpu { gpu, standings: rules.iter().map(standing).collect() }
    };
    let is_avoided = |gpu: &GpuIndex| builder.run_holds().avoid_reason(*gpu).is_some();
    builder.chosen_gpus().into_iter().filter(|gpu| !is_avoided(gpu)).map(on_gpu).collect()
}

/// The best of these GPUs for the shard; what is short where there is room on none, nothing where there are none.
fn choose_gpu<'s>(
    instances: &Instances,
    builder: &DecisionBuilder,
    queue: &Queue,
    on_gpus: &[&'s OnGpu],
    need: &ShardNeed,
) -> Result<(&'s OnGpu, Grant), Option<Shortage>> {
    let served = |one: &&&'s OnGpu| {
        one.instance_numbers().iter().map(|at| instances.roster.served_count(*at)).sum::<u32>()
    };
    let Some(first) = on_gpus.iter().min_by_key(served) else { return Err(None) };
    let (how, kept) = (builder.policy.schedule.placement, queue.kept.as_ref());
    if need.slots.len() != 1 {
        return find_room(&queue.ledger, need, how, kept).map(|grant| (*first, grant)).map_err(Some);
    }
    let gpus: Vec<GpuIndex> = on_gpus.iter().map(|one| one.gpu).collect();
    let grant = find_room(&queue.ledger.of_gpus(&gpus), need, how, kept).map_err(Some)?;
    let chosen = on_gpus.iter().find(|one| grant.gpus.first() == Some(&one.gpu));
    Ok((*chosen.unwrap_or(first), grant))
}

/// Result of starting services on a GPU.
enum ServiceStart {
    On(GpuIndex, Vec<usize>),
    Nowhere(Option<Shortage>),
    LooksFirst,
}

/// Starts the services that lack on the GPU with room for them and for the shard.
fn start_somewhere(
    instances: &mut Instances,
    builder: &mut DecisionBuilder,
    volatile: &mut VolatileState,
    queue: &mut Queue,
    (rules, on_gpus, need): (&Rules<'_>, &[OnGpu], &ShardNeed),
) -> ServiceStart {
    let open = on_gpus.iter().filter(|one| !one.all_match(is_there) && !one.standings.iter().any(is_blocked));
    let (empty, partly): (Vec<&OnGpu>, Vec<&OnGpu>) = open.partition(|one| one.all_match(is_startable));
    // Those that lack all of them lack the same, so that one look finds the best.
    let groups = partly.into_iter().map(|one| vec![one]).chain([empty]);
    let mut short_of = None;
    for group in groups.filter(|group| !group.is_empty()) {
        let lacking = group[0].lacking_services(rules);
        let gpus: Vec<GpuIndex> = group.iter().map(|one| one.gpu).collect();
        let (how, kept) = (builder.policy.schedule.placement, queue.kept.as_ref());
        match find_room(&queue.ledger.of_gpus(&gpus), &combine_needs(need, &lacking), how, kept) {
            Ok(grant) if !survey_age::is_fresh(builder, volatile, &grant) => return ServiceStart::LooksFirst,
            Ok(grant) => {
                if let Some(one) = group.iter().find(|one| grant.gpus.first() == Some(&one.gpu)) {
                    return start_on(instances, builder, queue, rules, one);
                }
            }
            Err(short) => short_of = short_of.or(Some(no_room(&lacking, short))),
        }
    }
    ServiceStart::Nowhere(short_of)
}

fn start_on(
    instances: &mut Instances,
    builder: &mut DecisionBuilder,
    queue: &mut Queue,
    rules: &Rules<'_>,
    one: &OnGpu,
) -> ServiceStart {
    let mut numbers = Vec::new();
    for (rule, values, known) in one.lacking_services(rules) {
        let how = builder.policy.schedule.placement;
        match find_room(&queue.ledger.of_gpus(&[one.gpu]), &ShardNeed::declared(&rule.kind), how, None) {
            Ok(grant) => {
                let wanted = InstanceRequest { rule, gpu: Some(one.gpu), values: values.clone() };
                numbers.push(instances.start_instance(builder, queue, &wanted, known, grant));
            }
            Err(short) => return ServiceStart::Nowhere(Some(short)),
        }
    }
    // Instances that exist come last: the text names one that is being started.
    numbers.extend(one.instance_numbers());
    ServiceStart::On(one.gpu, numbers)
}

/// Why no GPU has services for the shard, by the first one.
fn why_blocked(builder: &mut DecisionBuilder, rules: &Rules<'_>, on_gpus: &[OnGpu]) -> Shortage {
    let mut first = None;
    for one in on_gpus {
        for (standing, (rule, values)) in one.standings.iter().zip(rules) {
            if let InstanceAvailability::Blocked(why) = standing {
                let wanted = InstanceRequest { rule, gpu: Some(one.gpu), values: values.clone() };
                let short_of = blocked_shortage(builder, &wanted, why.clone());
                first.get_or_insert(short_of);
            }
        }
    }
    first.unwrap_or_else(|| Shortage::Gpus { needs: 1, usable: on_gpus.len(), shut: Vec::new() })
}

/// Room that the shard will need is not given away while its services start.
fn hold_room(builder: &DecisionBuilder, queue: &mut Queue, position: usize, grant: &Grant) {
    let shard = builder.shard(position);
    let attempt = shard.attempt.map_or(AttemptNumber::FIRST, AttemptNumber::next);
    queue.ledger.enter_grant(&AttemptKey { shard: shard.id.clone(), attempt }, grant);
}

fn no_room(lacking: &[MissingService<'_>], short_of: Shortage) -> Shortage {
    let service = lacking.first().map_or_else(String::new, |(rule, _, _)| rule.name.clone());
    Shortage::Service { service, why: ServiceWait::Room { short_of: Box::new(short_of) } }
}

/// Adds up what the services and a shard with one GPU need on the same GPU; one with none or several finds its own.
fn combine_needs(need: &ShardNeed, lacking: &[MissingService<'_>]) -> ShardNeed {
    let is_here = need.slots.len() == 1;
    let mut slot = need.slots.first().copied().flatten().filter(|_| is_here);
    let (mut cpus, mut ram) = (need.cpus, need.ram);
    for (rule, _, _) in lacking {
        let more = &rule.kind;
        slot = add_options(slot, more.slots.first().copied().flatten(), add_slots);
        cpus = add_options(cpus, more.cpus, u32::saturating_add);
        ram = add_options(ram, more.ram, |a: Bytes, b: Bytes| Bytes(a.0.saturating_add(b.0)));
    }
    let tenancy = if is_here { need.tenancy } else { Tenancy::Shared };
    ShardNeed { slots: vec![slot], tenancy, cpus, ram }
}

fn add_slots(a: VramSlot, b: VramSlot) -> VramSlot {
    VramSlot {
        fixed: Bytes(a.fixed.0.saturating_add(b.fixed.0)),
        percent: a.percent + b.percent,
        measured: a.measured || b.measured,
    }
}

fn add_options<T>(one: Option<T>, other: Option<T>, add: impl Fn(T, T) -> T) -> Option<T> {
    match (one, other) {
        (Some(a), Some(b)) => Some(add(a, b)),
        (one, other) => one.or(other),
    }
}

//! The declaration of a service in the sweep, and the values that decide which instance a shard uses.

use std::borrow::Cow;
use std::time::Duration;

use crate::model::ids::GpuIndex;
use crate::model::state::service_state::{ServicePhase, ServiceState};
use crate::model::sweep::edit::Edit;
use crate::model::sweep::plan::{Plan, ShardSpec};
use crate::model::sweep::service::{ServiceInstance, ServicePer, ServiceSpec};
use crate::model::value::Variables;
use crate::scheduler::admission::kind::DeclaredNeeds;

/// Declaration of a service in the sweep.
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceRule {
    /// Name of the service in the sweep.
    pub name: String,
    /// There is one on each GPU.
    pub is_on_each_gpu: bool,
    /// How many shards one instance serves at the same time.
    pub serves: Option<u32>,
    /// Resources that an instance needs.
    pub kind: DeclaredNeeds,
    /// How often in a row it is started again.
    pub restarts: u32,
    /// Longest time from its start until it must be ready.
    pub ready_timeout: Duration,
    /// The values by which each shard's instance is chosen, by the shard's position.
    values: Vec<Variables>,
    by: Vec<String>,
}

impl ServiceRule {
    /// The rules of the services of a plan on a machine with so many GPUs.
    pub fn of_plan(plan: &Plan, gpus: usize) -> Vec<Self> {
        plan.services.iter().map(|spec| Self::from_spec(spec, &plan.shards, gpus)).collect()
    }

    fn from_spec(spec: &ServiceSpec, shards: &[ShardSpec], gpus: usize) -> Self {
        Self {
            name: spec.name.clone(),
            is_on_each_gpu: spec.per == ServicePer::Gpu && gpus > 0,
            serves: spec.serves,
            kind: DeclaredNeeds::from_resources(&spec.resources, None, gpus),
            restarts: spec.restarts,
            ready_timeout: spec.ready_timeout,
            values: shards.iter().map(|shard| spec.values_of(&shard.vars)).collect(),
            by: spec.by.clone(),
        }
    }

    /// Shards have joined the plan.
    pub fn add_shards(&mut self, shards: &[ShardSpec]) {
        let by = &self.by;
        let new = shards.iter().skip(self.values.len()).map(|shard| {
            let one = |axis: &String| shard.vars.get(axis).map(|value| (axis.clone(), value.clone()));
            Variables(by.iter().filter_map(one).collect())
        });
        self.values.extend(new);
    }

    /// The values of the instance that the shard uses; an edit may have changed them.
    pub fn instance_values(&self, position: usize, edit: &Edit) -> Cow<'_, Variables> {
        let Some(values) = self.values.get(position) else { return Cow::Owned(Variables::default()) };
        if edit.variables.is_empty() || self.by.is_empty() {
            return Cow::Borrowed(values);
        }
        let mut values = values.clone();
        for (name, value) in &mut values.0 {
            if let Some(edit) = edit.variables.iter().find(|edit| edit.name == *name) {
                value.clone_from(&edit.new);
            }
        }
        Cow::Owned(values)
    }

    /// The instance is one of this service with those values.
    pub fn matches_instance(&self, instance: &ServiceInstance, values: &Variables) -> bool {
        instance.service == self.name && instance.vars == *values
    }

    /// So many shards more can use an instance that serves that many.
    pub fn has_place(&self, served: u32) -> bool {
        self.serves.is_none_or(|serves| served < serves)
    }

    /// Every instance that the shard could use has failed for good, or no GPU is left for one.
    pub fn is_barred(
        &self,
        services: &[ServiceState],
        chosen: &[GpuIndex],
        position: usize,
        edit: &Edit,
    ) -> bool {
        let values = self.instance_values(position, edit);
        let has_failed = |gpu: Option<GpuIndex>| {
            services.iter().any(|service| {
                service.instance.gpu == gpu
                    && self.matches_instance(&service.instance, &values)
                    && service.phase() == ServicePhase::Failed
            })
        };
        if self.is_on_each_gpu { chosen.iter().all(|gpu| has_failed(Some(*gpu))) } else { has_failed(None) }
    }
}

//! A look at the GPUs of this machine, and at those of them that a sweep may use.

use std::time::Duration;

use serde_json::{Value, json};

use crate::model::machine::gpu_permit::GpuPermit;
use crate::model::machine::sample::{GpuCard, GpuInventory};
use crate::model::sweep::plan::Plan;
use crate::telemetry::gpu;
use crate::telemetry::gpu_source::GpuReadings;

/// How long the GPUs may take to answer before a run starts without having seen them.
const PATIENCE: Duration = Duration::from_secs(5);

/// GPUs of the machine, their readings and which of them may be used.
pub struct GpuSurvey {
    /// All GPUs of the machine.
    pub inventory: GpuInventory,
    /// Readings of the GPUs at this moment.
    pub readings: GpuReadings,
    /// GPUs that the run may use.
    pub permit: GpuPermit,
}

impl GpuSurvey {
    /// Looks for a plan. A sweep without GPUs does not wake them.
    pub fn for_plan(plan: &Plan) -> Self {
        let (inventory, readings) = if plan.needs_no_gpu() {
            let reason = "the sweep uses no GPU".to_owned();
            (GpuInventory::Absent { reason }, GpuReadings::default())
        } else {
            gpu::inspect_once(PATIENCE)
        };
        let permit = plan.resources.inherited.build_permit(inventory.cards());
        Self { inventory, readings, permit }
    }

    /// The GPUs that the start permits.
    pub fn permitted_gpus(&self) -> GpuInventory {
        self.permit.limit_inventory(&self.inventory, &[])
    }

    /// The GPUs that the sweep chooses among them.
    pub fn chosen_gpus(&self, plan: &Plan) -> GpuInventory {
        self.permit.limit_inventory(&self.inventory, &plan.resources.devices)
    }

    /// Writes down what lists come to: the number of a card may be that of another one after a reboot.
    pub fn resolve_devices(&self, plan: &mut Plan) {
        let names = |cards: Vec<&GpuCard>| cards.into_iter().map(GpuCard::own_name).collect::<Vec<_>>();
        if self.inventory.cards().is_empty() {
            return;
        }
        let resources = &mut plan.resources;
        if !self.permit.because.is_empty() {
            resources.inherited.resolved = Some(names(self.permit.cards.iter().collect()));
        }
        if let (false, Ok(chosen)) =
            (resources.devices.is_empty(), self.permit.choose_cards(&resources.devices))
        {
            resources.devices = names(chosen);
        }
    }

    /// Returns the GPUs in force and the reasons for the withheld ones, for `check --json`.
    pub fn to_json(&self, plan: &Plan) -> Value {
        let used: Vec<_> = self.chosen_gpus(plan).cards().iter().map(|card| card.index).collect();
        let withheld = |card: &GpuCard| {
            let reason = self.permit.withheld_reason(card.index, &used)?;
            Some(json!({ "index": card.index, "reason": reason }))
        };
        let withheld: Vec<Value> = self.inventory.cards().iter().filter_map(withheld).collect();
        let reasons = self.permit.restriction_reasons(&plan.resources.devices);
        json!({ "used": used, "withheld": withheld, "because": reasons })
    }
}

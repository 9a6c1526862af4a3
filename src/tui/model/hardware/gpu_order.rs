//! Which GPUs are shown one by one, the fullest first, and which are idle and need no more than a line together.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use jiff::Timestamp;

use super::gpu_tags::collect_tags;
use super::machine::{Freshness, MachineHistory};
use crate::model::ids::GpuIndex;
use crate::model::machine::sample::{GpuCard, GpuSample};
use crate::model::sweep::node_spec::NodeId;
use crate::tui::model::monitor::{GpuTenant, Monitor};
use crate::tui::model::screen::Model;
use crate::tui::theme::role::Role;

/// A card that does no more than this, in percent, does nothing.
const IDLE_PERCENT: f64 = 1.0;

/// Highest part of a card's memory, 0 to 1, that the driver may hold for itself on an idle card.
const IDLE_MEMORY: f64 = 0.04;

/// By so many of the newest readings cards are judged, so that screens that were opened at different times agree.
const RECENT: usize = 10;

/// Cards are as full as the nearest of so many steps: a card must not change its place with every reading.
const STEPS: f64 = 4.0;

/// More cards have their figures in columns.
pub const MOST_TALL: usize = 2;

/// Fewer idle cards are not worth a line of their own.
const WORTH_FOLDING: usize = 2;

/// The cards of a machine in the order in which they are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuOrder<'a> {
    /// Cards that are shown with figures of their own.
    pub shown: Vec<&'a GpuCard>,
    /// Cards that do nothing.
    pub idle: Vec<GpuIndex>,
}

/// How much of each card a list shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CardSize {
    /// Its name, and a line for each measure but the temperature.
    Tall,
    /// A row of figures, and their recent past below it.
    Middle,
    /// A row of figures.
    Row,
}

impl CardSize {
    /// Lines of a card.
    pub fn line_count(self) -> u16 {
        match self {
            Self::Tall => 4,
            Self::Middle => 2,
            Self::Row => 1,
        }
    }
}

impl<'a> GpuOrder<'a> {
    /// The same with the idle cards after the others: where there are several machines, numbers alone name no card.
    #[must_use]
    pub fn unfolded(mut self, machine: &'a MachineHistory) -> Self {
        let is_idle = |card: &&GpuCard| self.idle.contains(&card.index);
        self.shown.extend(machine.cards().iter().filter(is_idle));
        Self { shown: self.shown, idle: Vec::new() }
    }

    /// The largest size in which all cards fit into so many lines; many are compared more easily in columns.
    pub fn size_in(&self, most: u16) -> CardSize {
        let fits = |size: CardSize| self.line_count(size) <= most;
        if self.shown.len() <= MOST_TALL && fits(CardSize::Tall) {
            CardSize::Tall
        } else if fits(CardSize::Middle) {
            CardSize::Middle
        } else {
            CardSize::Row
        }
    }

    /// Lines of a list of all cards in this size.
    pub fn line_count(&self, size: CardSize) -> u16 {
        let cards = u16::try_from(self.shown.len()).unwrap_or(u16::MAX);
        cards.saturating_mul(size.line_count()).saturating_add(u16::from(!self.idle.is_empty()))
    }
}

/// The cards of a machine of a run.
pub fn of_machine<'a>(model: &Model, (node, machine): (Option<&NodeId>, &'a MachineHistory)) -> GpuOrder<'a> {
    let taken = model.shards_at_work(node).flat_map(|(_, shard)| shard.phase.gpus()).copied().collect();
    order_gpus(machine, &taken, model.now)
}

/// The cards of the monitor's machine.
pub fn of_monitor(monitor: &Monitor) -> GpuOrder<'_> {
    // As on the screen of a run, what is no shard only counts by what it does to the card.
    let is_shard =
        |tenant: &&GpuTenant| tenant.process.as_ref().is_some_and(|process| process.shard.is_some());
    let taken = monitor.tenants.iter().filter(is_shard).map(|tenant| tenant.gpu).collect();
    order_gpus(&monitor.machine, &taken, monitor.now)
}

fn order_gpus<'a>(machine: &'a MachineHistory, taken: &BTreeSet<GpuIndex>, now: Timestamp) -> GpuOrder<'a> {
    let cards = machine.cards();
    let is_idle = |card: &GpuCard| !taken.contains(&card.index) && is_idle(machine, card, now);
    let (idle, mut shown): (Vec<&GpuCard>, Vec<&GpuCard>) = cards.iter().partition(|card| is_idle(card));
    shown.sort_by_key(|card| {
        let is_of_use = !is_unusable(machine, card.index);
        (card.withheld.is_some(), is_of_use, Reverse(memory_fullness(machine, card)), card.index)
    });
    if idle.len() < WORTH_FOLDING || shown.is_empty() {
        shown.extend(idle);
        return GpuOrder { shown, idle: Vec::new() };
    }
    GpuOrder { shown, idle: idle.into_iter().map(|card| card.index).collect() }
}

/// Nothing can run there, which is to be seen first.
fn is_unusable(machine: &MachineHistory, gpu: GpuIndex) -> bool {
    machine.health.get(&gpu).is_some_and(|faults| faults.iter().any(|fault| fault.kind.makes_unusable()))
}

/// Reports whether the card is known to do nothing and nothing is wrong with it.
fn is_idle(machine: &MachineHistory, card: &GpuCard, now: Timestamp) -> bool {
    let does_nothing = |sample: &GpuSample| {
        let is_calm = sample.utilization_percent.is_some_and(|percent| percent <= IDLE_PERCENT);
        is_calm && sample.vram_part(card).is_some_and(|part| part <= IDLE_MEMORY)
    };
    machine.gpu_freshness_of(card.index, now) == Freshness::Fresh
        && machine
            .gpus
            .get(&card.index)
            .is_some_and(|history| history.iter().rev().take(RECENT).all(does_nothing))
        && collect_tags(machine, card.index, now).iter().all(|tag| tag.role == Role::Dim)
}

/// The most of its memory that was held lately, in steps; what is unknown is no step.
fn memory_fullness(machine: &MachineHistory, card: &GpuCard) -> Option<u64> {
    let newest = machine.gpus.get(&card.index)?.iter().rev().take(RECENT);
    let parts = newest.filter_map(|sample| sample.vram_part(card));
    parts.reduce(f64::max).map(|part| (part * STEPS).round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::machine::sample::GpuInventory;
    use crate::model::units::Bytes;

    fn machine(readings: &[(Option<f64>, Option<u64>)]) -> MachineHistory {
        let cards = (0..readings.len() as u32)
            .map(|index| GpuCard { vram_total: Some(Bytes(80 << 30)), ..GpuCard::unknown(GpuIndex(index)) });
        let inventory = GpuInventory::Present { driver: String::new(), cards: cards.collect() };
        let mut machine = MachineHistory { inventory: Some(inventory), ..MachineHistory::default() };
        let sample = |(index, (busy, gib)): (usize, &(Option<f64>, Option<u64>))| GpuSample {
            utilization_percent: *busy,
            vram_used_bytes: gib.map(|gib| Bytes(gib << 30)),
            ..GpuSample::unknown(GpuIndex(index as u32), Timestamp::UNIX_EPOCH)
        };
        machine.take_gpus(readings.iter().enumerate().map(sample).collect());
        machine
    }

    fn numbers(machine: &MachineHistory, taken: &[u32]) -> (Vec<u32>, Vec<u32>) {
        let taken = taken.iter().copied().map(GpuIndex).collect();
        let order = order_gpus(machine, &taken, Timestamp::UNIX_EPOCH);
        (order.shown.iter().map(|card| card.index.0).collect(), order.idle.iter().map(|gpu| gpu.0).collect())
    }

    #[test]
    fn the_fullest_come_first_and_idle_ones_are_folded() {
        let machine = machine(&[
            (Some(0.0), Some(1)),
            (Some(50.0), Some(30)),
            (Some(90.0), Some(70)),
            (Some(0.0), Some(1)),
        ]);
        assert_eq!(numbers(&machine, &[]), (vec![2, 1], vec![0, 3]));
        assert_eq!(numbers(&machine, &[3]), (vec![2, 1, 3, 0], vec![]), "one idle card is no fold");
    }

    #[test]
    fn what_is_unknown_is_not_idle_and_all_idle_cards_are_shown() {
        let machine =
            machine(&[(None, Some(1)), (Some(0.0), None), (Some(0.0), Some(1)), (Some(0.0), Some(1))]);
        assert_eq!(numbers(&machine, &[]), (vec![0, 1], vec![2, 3]));
        let machine = self::machine(&[(Some(0.0), Some(1)), (Some(0.0), Some(2))]);
        assert_eq!(numbers(&machine, &[]), (vec![0, 1], vec![]));
    }

    #[test]
    fn cards_about_as_full_keep_the_order_of_their_numbers() {
        let machine = machine(&[(Some(9.0), Some(58)), (Some(9.0), Some(61)), (Some(9.0), Some(60))]);
        assert_eq!(numbers(&machine, &[]).0, [0, 1, 2]);
    }
}

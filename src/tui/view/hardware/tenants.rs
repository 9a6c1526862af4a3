//! Who holds the memory of a GPU, as its card shows it: the shards of a run, or processes.

use ratatui::style::Style;

use crate::model::ids::GpuIndex;
use crate::model::machine::vram_parts::VramPart;
use crate::model::shortage::{Shortage, Stranger};
use crate::model::units::Bytes;
use crate::tui::format;
use crate::tui::model::hardware::machine::MachineHistory;
use crate::tui::model::monitor::{GpuTenant, Monitor};
use crate::tui::model::screen::Model;
use crate::tui::theme::file::Theme;
use crate::tui::theme::role::Role;

/// All who hold memory of one GPU.
pub(in crate::tui::view) struct CardTenants {
    /// The tenants that are known.
    pub(in crate::tui::view) each: Vec<Tenant>,
    /// How the rest of what is used is called.
    pub(in crate::tui::view) others: &'static str,
    /// Remark about that rest, empty if there is none.
    pub(in crate::tui::view) of_others: String,
}

/// A shard or process that holds memory of a GPU.
pub(in crate::tui::view) struct Tenant {
    pub(in crate::tui::view) name: String,
    pub(in crate::tui::view) style: Style,
    /// On this GPU, where it is on no other one, else on all of its GPUs.
    pub(in crate::tui::view) held: Option<Bytes>,
    /// Whether it is on this GPU only: memory held on several GPUs is known only in sum and is not in the bar of one.
    pub(in crate::tui::view) is_here_only: bool,
    /// Remarks shown after its name and memory.
    pub(in crate::tui::view) more: String,
}

impl Tenant {
    pub(in crate::tui::view) fn is_in_bar(&self) -> bool {
        self.is_here_only && self.held.is_some_and(|held| held.0 > 0)
    }
}

impl CardTenants {
    /// Returns the memory and style of each tenant that has a part of the bar.
    pub(in crate::tui::view) fn in_bar(&self) -> impl Iterator<Item = (Bytes, Style)> {
        let there = self.each.iter().filter(|tenant| tenant.is_in_bar());
        there.filter_map(|tenant| Some((tenant.held?, tenant.style)))
    }

    /// The processes that the driver lists on a GPU; beyond `most` lines the smallest ones share the last.
    pub(in crate::tui::view) fn from_processes(
        monitor: &Monitor,
        gpu: GpuIndex,
        most: usize,
        theme: &Theme,
    ) -> Self {
        let here: Vec<&GpuTenant> = monitor.tenants.iter().filter(|tenant| tenant.gpu == gpu).collect();
        // A colour stays with a process while others grow past it.
        let mut pids: Vec<u32> = here.iter().map(|tenant| tenant.pid).collect();
        pids.sort_unstable();
        let own_lines = if here.len() > most { most.saturating_sub(1) } else { here.len() };
        let (first, rest) = here.split_at(own_lines);
        let place = |tenant: &GpuTenant| pids.iter().position(|pid| *pid == tenant.pid).unwrap_or(0);
        let mut each: Vec<Tenant> = first
            .iter()
            .map(|tenant| process_tenant(monitor, tenant, theme.series_style(place(tenant))))
            .collect();
        if !rest.is_empty() && most > 0 {
            each.push(Tenant {
                name: format!("{} more", rest.len()),
                style: theme.style(Role::Dim),
                held: rest
                    .iter()
                    .map(|tenant| tenant.held.map(|held| held.0))
                    .sum::<Option<u64>>()
                    .map(Bytes),
                is_here_only: true,
                more: String::new(),
            });
        }
        Self { each, others: "not listed", of_others: String::new() }
    }

    /// Those of the shards at work on a machine that are on one of its GPUs.
    pub(in crate::tui::view) fn from_shards(
        model: &Model,
        at_work: &[usize],
        machine: &MachineHistory,
        gpu: GpuIndex,
        theme: &Theme,
    ) -> Self {
        let mut each = Vec::new();
        for position in at_work.iter().copied() {
            let Some(reading) = model.reading(position) else { continue };
            let phase = &reading.state.phase;
            if !phase.gpus().contains(&gpu) {
                continue;
            }
            let sample = reading.fresh_sample();
            let mut more: Vec<String> = Vec::new();
            more.extend(phase.live().and_then(|live| live.pid).map(|pid| format!("pid {pid}")));
            more.extend(
                sample.map(|sample| format::plural_with(sample.processes as usize, "process", "processes")),
            );
            more.extend(reading.cpu().map(|cpu| format!("CPU {}", format::format_percent(cpu))));
            let tenant = |held, is_here_only, more: Vec<String>| Tenant {
                name: reading.state.id.to_string(),
                style: theme.series_style(position),
                held,
                is_here_only,
                more: more.join(", "),
            };
            if phase.gpus().len() > 1 {
                more.push(format!("on {} GPUs", phase.gpus().len()));
            }
            let parts: Vec<&VramPart> = sample
                .and_then(|sample| sample.vram_parts.as_ref())
                .map(|parts| parts.parts_on(gpu).collect())
                .unwrap_or_default();
            if parts.is_empty() {
                let held = sample.and_then(|sample| sample.vram_bytes);
                each.push(tenant(held, phase.gpus().len() == 1, more));
                continue;
            }
            // Remarks about the shard as a whole follow the first of its parts.
            for (number, part) in parts.into_iter().enumerate() {
                let about = if number == 0 { more.clone() } else { Vec::new() };
                let about = part.component.iter().cloned().chain(about).collect();
                each.push(tenant(part.bytes, true, about));
            }
        }
        let of_others = largest_stranger(machine, gpu).map_or_else(String::new, |stranger| {
            let name = stranger.name.as_deref().unwrap_or("a process");
            format!("{name}, pid {}, {}", stranger.pid, stranger.vram)
        });
        Self { each, others: "others", of_others }
    }
}

fn process_tenant(monitor: &Monitor, tenant: &GpuTenant, style: Style) -> Tenant {
    let mut more = vec![format!("pid {}", tenant.pid)];
    match &tenant.process {
        Some(process) => {
            more.push(monitor.user_name(process.user));
            more.extend(process.shard.as_ref().map(|shard| shard.run.clone()));
            more.push(process.command.clone());
        }
        None => more.push("not seen from here".to_owned()),
    }
    Tenant { name: tenant.name(), style, held: tenant.held, is_here_only: true, more: more.join(", ") }
}

/// Returns the largest process of others, if the supervisor has reported one.
fn largest_stranger(machine: &MachineHistory, gpu: GpuIndex) -> Option<&Stranger> {
    let groups = machine.waiting.iter().flat_map(|waiting| &waiting.shortages);
    let rooms =
        groups.filter_map(
            |group| {
                if let Shortage::Vram { gpus, .. } = &group.short_of { Some(gpus) } else { None }
            },
        );
    rooms.flatten().find(|room| room.gpu == gpu)?.stranger.as_ref()
}

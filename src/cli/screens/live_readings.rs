//! State of this machine now, read for the monitor: GPUs, the processes on them, the host.

use std::collections::HashMap;
use std::time::Duration;

use jiff::Timestamp;

use crate::model::ids::GpuIndex;
use crate::model::machine::gpu_permit::InheritedGpus;
use crate::model::machine::sample::{GpuInventory, GpuProcess};
use crate::process::description::{self, Description};
use crate::process::stat;
use crate::rundir::clock;
use crate::telemetry::gpu::GpuMonitor;
use crate::telemetry::gpu_source::GpuReadings;
use crate::telemetry::host::{HostMonitor, load_averages};
use crate::tui::model::monitor::{GpuTenant, MachineLook, Process, ShardOfRun};
use crate::tui::options::MachineSource;

/// How long the driver may take where one look is all there is.
const FIRST_FIGURES: Duration = Duration::from_secs(5);

/// Least time between two readings of the cores that are compared.
const APART: Duration = Duration::from_millis(300);

/// Monitors of this machine's GPUs and host.
pub struct LiveReadings {
    gpus: GpuMonitor,
    host: HostMonitor,
    /// Processes on GPUs by pid, with the ticks of their start: a pid may be reused.
    known: HashMap<u32, (u64, Process)>,
}

impl LiveReadings {
    /// Starts to watch; GPUs answer a little later.
    pub fn start() -> Self {
        Self { gpus: GpuMonitor::start(clock::now), host: HostMonitor::new(), known: HashMap::new() }
    }

    /// Takes one look in which everything is known that can be: waits for GPUs, and long enough to see how busy the
    /// cores are.
    pub fn read_settled(&mut self) -> MachineLook {
        self.host.read_sample(clock::now());
        std::thread::sleep(APART);
        let renewed = self.gpus.renew_readings(FIRST_FIGURES);
        self.build_look(renewed.unwrap_or_default(), clock::now())
    }

    fn build_look(&mut self, readings: GpuReadings, now: Timestamp) -> MachineLook {
        let mut before = std::mem::take(&mut self.known);
        let tenants = readings.processes.iter().map(|listed| self.find_tenant(listed, &mut before)).collect();
        MachineLook {
            inventory: self.gpus.inventory().map(mark_withheld),
            gpus: readings.samples,
            health: readings.health,
            tenants,
            host: self.host.read_sample(now),
            cores: self.host.core_usage(),
            load: load_averages(),
        }
    }

    /// Returns the owner of a listed process. It is described once, when it is first seen.
    fn find_tenant(&mut self, listed: &GpuProcess, before: &mut HashMap<u32, (u64, Process)>) -> GpuTenant {
        let pid = listed.pid;
        if let Some(start_ticks) = stat::read_stat(pid).map(|stat| stat.start_ticks)
            && !self.known.contains_key(&pid)
        {
            let same = before.remove(&pid).filter(|(start, _)| *start == start_ticks);
            let known = same
                .map(|(_, process)| process)
                .or_else(|| description::describe_process(pid).map(to_process));
            self.known.extend(known.map(|process| (pid, (start_ticks, process))));
        }
        let process = self.known.get(&pid).map(|(_, process)| process.clone());
        GpuTenant { gpu: listed.gpu, pid, held: listed.vram, process }
    }
}

impl MachineSource for LiveReadings {
    fn read_machine(&mut self, now: Timestamp) -> MachineLook {
        let readings = self.gpus.latest_readings().unwrap_or_default();
        self.build_look(readings, now)
    }
}

/// The inventory with those cards marked that this shell may not use.
fn mark_withheld(mut inventory: GpuInventory) -> GpuInventory {
    let permit = InheritedGpus::from_env(|name| std::env::var(name).ok()).build_permit(inventory.cards());
    let permitted: Vec<GpuIndex> = permit.cards.iter().map(|card| card.index).collect();
    inventory.withhold_cards(|gpu| permit.withheld_reason(gpu, &permitted));
    inventory
}

fn to_process(Description { user, command, attempt }: Description) -> Process {
    let shard = attempt.as_deref().and_then(|attempt| {
        let (run, shard) = description::run_and_shard(attempt)?;
        Some(ShardOfRun { run: run.file_name()?.to_string_lossy().into_owned(), shard: shard.to_owned() })
    });
    Process { user, command, shard }
}

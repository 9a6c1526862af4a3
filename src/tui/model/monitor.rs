//! The model of the monitor: one machine, without any run.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::hardware::machine::MachineHistory;
use super::overlays::overlay::Notice;
use super::overlays::palette::Palette;
use super::overlays::theme_chooser::ThemeChooser;
use crate::model::ids::GpuIndex;
use crate::model::machine::gpu_health::GpuHealth;
use crate::model::machine::sample::{GpuInventory, GpuSample, HostSample};
use crate::model::units::Bytes;
use crate::tui::model::keys::chosen::Keymap;

/// Everything the monitor may show.
#[derive(Debug, Clone)]
pub struct Monitor {
    /// The name of the machine.
    pub host: String,
    /// Readings of GPUs and host.
    pub machine: MachineHistory,
    /// The processes that the GPUs list, by GPU and then by memory, the largest first.
    pub tenants: Vec<GpuTenant>,
    /// How busy each core is, 0 to 100; empty before that is known.
    pub cores: Vec<f64>,
    /// Load averages over one, five and fifteen minutes.
    pub load: Option<[f64; 3]>,
    /// Names of the users of this machine, by number.
    pub users: BTreeMap<u32, String>,
    /// The keys and the actions that they are bound to.
    pub keymap: Keymap,
    /// The view that is shown.
    pub view: MonitorView,
    /// How many lines or GPUs are hidden on top in each view.
    pub hidden: [usize; MonitorView::ALL.len()],
    /// The actions to choose from lie on top.
    pub palette: Option<Palette>,
    /// The themes to choose from lie on top.
    pub themes: Option<ThemeChooser>,
    /// The help lies on top, with so many lines hidden.
    pub help: Option<usize>,
    /// A line about what was just done.
    pub notice: Option<Notice>,
    /// Rate at which the screen sends bytes to the terminal, once known.
    pub bytes_per_second: Option<u64>,
    /// The same since the screen was opened.
    pub bytes_sent: u64,
    /// Size of the screen in columns and rows.
    pub size: (u16, u16),
    /// The moment that is shown.
    pub now: Timestamp,
    /// Time zone in which times are shown.
    pub zone: TimeZone,
}

/// Columns and rows; on less there is room for one line of text, and for nothing on top of it.
const LEAST: (u16, u16) = (36, 7);

/// Whether one line is all that a screen of this size shows.
pub fn is_one_line((columns, rows): (u16, u16)) -> bool {
    columns < LEAST.0 || rows < LEAST.1
}

/// A way to look at the machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum MonitorView {
    /// All GPUs in short, their processes, and the host.
    #[default]
    Overview,
    /// Cores, memory and load.
    Host,
    /// Load of GPUs and host over time.
    Charts,
    /// Each GPU in full.
    Gpus,
}

impl MonitorView {
    /// All of them, in the order of the number keys; charts and GPUs have the numbers that they have on a run's screen.
    pub const ALL: [Self; 4] = [Self::Overview, Self::Host, Self::Charts, Self::Gpus];

    /// The name on the line of views.
    pub fn title(self) -> &'static str {
        match self {
            Self::Overview => "Overview",
            Self::Gpus => "GPUs",
            Self::Host => "Host",
            Self::Charts => "Charts",
        }
    }

    /// Moves that many views further; after the last comes the first.
    #[must_use]
    pub fn cycle_by(self, steps: isize) -> Self {
        let count = Self::ALL.len() as isize;
        Self::ALL[(self as isize + steps).rem_euclid(count) as usize]
    }
}

/// A process on a GPU; one that is on two GPUs is there twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GpuTenant {
    /// Index of the GPU that the process is on.
    pub gpu: GpuIndex,
    /// Its pid, as the driver reports it.
    pub pid: u32,
    /// GPU memory that the process holds there.
    pub held: Option<Bytes>,
    /// The process itself; `None` if no such process is seen here, as outside of a container.
    pub process: Option<Process>,
}

/// A process of this machine that uses a GPU.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Process {
    /// The number of its user.
    pub user: u32,
    /// Its program and the arguments, separated by blanks.
    pub command: String,
    /// The shard that it belongs to.
    pub shard: Option<ShardOfRun>,
}

/// A shard of some run of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardOfRun {
    /// The name of the run's folder.
    pub run: String,
    /// Id of the shard in its sweep.
    pub shard: String,
}

/// The state of the machine at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct MachineLook {
    /// The GPUs of the machine; nothing before the driver has answered.
    pub inventory: Option<GpuInventory>,
    /// The newest figures of each GPU, which may be those of the look before.
    pub gpus: Vec<GpuSample>,
    /// Faults of the GPUs that have any.
    pub health: Vec<GpuHealth>,
    /// The processes on them, in any order.
    pub tenants: Vec<GpuTenant>,
    /// The newest figures of the host.
    pub host: HostSample,
    /// How busy each core is, 0 to 100; empty before that is known.
    pub cores: Vec<f64>,
    /// Load averages over one, five and fifteen minutes.
    pub load: Option<[f64; 3]>,
}

impl Monitor {
    /// A machine of which nothing was read yet.
    pub fn new(host: String, users: BTreeMap<u32, String>, now: Timestamp, zone: TimeZone) -> Self {
        Self {
            host,
            machine: MachineHistory::default(),
            tenants: Vec::new(),
            cores: Vec::new(),
            load: None,
            users,
            keymap: Keymap::default(),
            view: MonitorView::default(),
            hidden: [0; MonitorView::ALL.len()],
            palette: None,
            themes: None,
            help: None,
            notice: None,
            bytes_per_second: None,
            bytes_sent: 0,
            size: (0, 0),
            now,
            zone,
        }
    }

    /// Takes new readings of the machine.
    pub fn update_machine(&mut self, mut look: MachineLook) {
        self.machine.inventory = look.inventory;
        self.machine.take_health(look.health);
        // A GPU that has not answered since is not read a second time.
        let known = &self.machine.gpus;
        let last = |gpu: GpuIndex| known.get(&gpu).and_then(|samples| samples.back());
        look.gpus.retain(|sample| last(sample.gpu).is_none_or(|last| last.timestamp < sample.timestamp));
        self.machine.take_gpus(look.gpus);
        // It may have been on its way for a while, and no clock goes back for it.
        self.now = self.now.max(look.host.timestamp);
        self.machine.take_host(vec![look.host]);
        self.cores = look.cores;
        self.load = look.load;
        look.tenants
            .sort_by(|one, other| (one.gpu, other.held, one.pid).cmp(&(other.gpu, one.held, other.pid)));
        self.tenants = look.tenants;
    }

    /// How many GPUs there are.
    pub fn gpu_count(&self) -> usize {
        self.machine.inventory.as_ref().map_or(0, |inventory| inventory.cards().len())
    }

    /// The name of a user, or the number where it has none.
    pub fn user_name(&self, number: u32) -> String {
        self.users.get(&number).cloned().unwrap_or_else(|| number.to_string())
    }

    /// How much of the present view is hidden on top.
    pub fn hidden_count(&self) -> usize {
        self.hidden[self.view as usize]
    }
}

impl GpuTenant {
    /// Returns its name in a narrow column: its shard, else its program.
    pub fn name(&self) -> String {
        match &self.process {
            Some(Process { shard: Some(of), .. }) => of.shard.clone(),
            Some(process) => program_name(&process.command).to_owned(),
            None => "unknown process".to_owned(),
        }
    }
}

/// The name of the program in a command line; of a script that an interpreter runs, the script's.
fn program_name(command: &str) -> &str {
    let base = |word: &'_ str| word.rfind('/').map_or(0, |slash| slash + 1);
    let mut words = command.split(' ').filter(|word| !word.is_empty());
    let Some(first) = words.next() else { return command };
    let name = &first[base(first)..];
    let interprets = ["python", "bash", "sh", "perl", "ruby", "node", "isaac-sim"];
    if !interprets.iter().any(|interpreter| name.starts_with(interpreter)) {
        return name;
    }
    // Options may have values of their own, so a script is what looks like one; a module comes after `-m`.
    let mut before = "";
    for word in words {
        if before == "-m" {
            return word;
        }
        let file = &word[base(word)..];
        let is_script =
            file.rsplit_once('.').is_some_and(|(_, ending)| ["py", "sh", "pl", "rb", "js"].contains(&ending));
        if is_script && !word.starts_with('-') {
            return file;
        }
        before = word;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_called_by_its_script_where_it_runs_one() {
        let calls = [
            ("/usr/bin/python3.11 -u /home/ada/train.py --lr 3e-4", "train.py"),
            ("python -m lerobot.train --steps 5", "lerobot.train"),
            ("python", "python"),
            ("/opt/ros/bin/gzserver world.sdf", "gzserver"),
            ("bash ./run.sh a.py", "run.sh"),
            ("/usr/lib/xorg/Xorg :0", "Xorg"),
            ("", ""),
        ];
        for (command, name) in calls {
            assert_eq!(program_name(command), name, "{command}");
        }
    }

    fn look(second: i64, gpu_second: i64) -> MachineLook {
        let at = |second| Timestamp::from_second(second).unwrap();
        let tenant = |gpu, pid, held| GpuTenant { gpu: GpuIndex(gpu), pid, held, process: None };
        MachineLook {
            inventory: None,
            gpus: vec![GpuSample::unknown(GpuIndex(0), at(gpu_second))],
            health: Vec::new(),
            tenants: vec![
                tenant(1, 7, None),
                tenant(0, 9, Some(Bytes(5))),
                tenant(0, 8, Some(Bytes(50))),
                tenant(0, 3, None),
            ],
            host: HostSample {
                timestamp: at(second),
                cpu_percent: None,
                cores: 2,
                ram_used_bytes: None,
                ram_total_bytes: None,
                load_1m: None,
                ..HostSample::unknown(Timestamp::UNIX_EPOCH)
            },
            cores: Vec::new(),
            load: None,
        }
    }

    #[test]
    fn a_reading_that_was_not_renewed_counts_once_and_the_largest_process_stands_first() {
        let mut monitor =
            Monitor::new("lab".to_owned(), BTreeMap::new(), Timestamp::UNIX_EPOCH, TimeZone::UTC);
        for (second, gpu_second) in [(1, 1), (2, 1), (3, 3)] {
            monitor.update_machine(look(second, gpu_second));
        }
        assert_eq!(monitor.machine.gpus[&GpuIndex(0)].len(), 2);
        assert_eq!(monitor.machine.host.len(), 3);
        assert_eq!(monitor.tenants.iter().map(|tenant| tenant.pid).collect::<Vec<_>>(), [8, 9, 3, 7]);
        assert_eq!(monitor.now, Timestamp::from_second(3).unwrap());
    }
}

//! An attempt in a temporary folder and the holder that runs it.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sweepdeck::model::attempt::{AttemptEnd, ExitRecord, HolderOrder, StartRecord, TerminalSize};
use sweepdeck::model::command::{HolderReply, HolderRequest};
use sweepdeck::model::ids::{AttemptKey, AttemptNumber, RunId, ShardId};
use sweepdeck::model::outcome::ExitStatus;
use sweepdeck::model::sweep::plan::Grace;
use sweepdeck::process::containers::Containers;
use sweepdeck::process::{reap, stat};
use sweepdeck::rundir::layout::{AttemptDir, RunDir};
use sweepdeck::rundir::records::{self, FileAccess};
use sweepdeck::socket::holder_client;
use tempfile::TempDir;

/// Far beyond what anything takes, also on a busy machine.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// An attempt and its holder; both are ended with the value.
pub struct Attempt {
    folder: TempDir,
    pub order: HolderOrder,
    pub dir: AttemptDir,
    holder: Option<Child>,
}

impl Attempt {
    /// An attempt at this command that was not started yet.
    pub fn of(argv: &[&str]) -> Self {
        // Whatever the umask: a holder carries out no order that others could have written.
        let private = Permissions::from_mode(0o700);
        let folder = tempfile::Builder::new().permissions(private).tempdir().unwrap();
        let key = AttemptKey { shard: ShardId::new("shard").unwrap(), attempt: AttemptNumber::FIRST };
        let dir = RunDir::at(folder.path()).attempt_dir(&key);
        dir.folder().create_dir_all().unwrap();
        let order = HolderOrder {
            version: 1,
            run: RunId("test".to_owned()),
            run_dir: folder.path().to_owned(),
            key,
            argv: argv.iter().map(|&word| word.to_owned()).collect(),
            cwd: folder.path().to_owned(),
            env: BTreeMap::new(),
            socket: folder.path().join("s/socket"),
            size: TerminalSize::default(),
            grace: grace(20, 20),
            linger: Duration::from_millis(50),
            cores: Vec::new(),
            nice: 0,
            progress_file: None,
            earlier: None,
            clock: None,
            service: None,
        };
        Self { folder, order, dir, holder: None }
    }

    /// An attempt at a shell script.
    pub fn script(text: &str) -> Self {
        Self::of(&["sh", "-c", text])
    }

    /// Starts a holder.
    pub fn start(mut self) -> Self {
        records::write_new(&self.dir.order_json(), &self.order, FileAccess::Owner).unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_sweepdeck"));
        command.arg("hold").arg(self.dir.path());
        self.holder = Some(spawn(command));
        self
    }

    /// Starts a holder by way of a shell, where `exec "$@"` is the holder.
    pub fn start_after(mut self, shell: &str) -> Self {
        records::write_new(&self.dir.order_json(), &self.order, FileAccess::Owner).unwrap();
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{shell}\nexec \"$@\""), "sh", env!("CARGO_BIN_EXE_sweepdeck"), "hold"]);
        command.arg(self.dir.path());
        self.holder = Some(spawn(command));
        self
    }

    /// The run's folder, which is also the working directory.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The holder's process.
    pub fn holder(&mut self) -> &mut Child {
        self.holder.as_mut().expect("it was started")
    }

    /// The record that the program runs, once it does.
    pub fn started(&self) -> StartRecord {
        wait_until("started.json", || records::read_if_there(&self.dir.started_json()).unwrap())
    }

    /// The record of the end, once it is there.
    pub fn exit(&self) -> ExitRecord {
        wait_until("exit.json", || records::read_if_there(&self.dir.exit_json()).unwrap())
    }

    /// The log as text.
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.dir.output_log().full_path()).unwrap_or_default()).into_owned()
    }

    /// Waits until the log contains a text.
    pub fn wait_for_log(&self, text: &str) {
        wait_until(text, || self.log().contains(text).then_some(()));
    }

    /// The number that the program has written into a file of its folder.
    pub fn pid_in(&self, name: &str) -> u32 {
        let path = self.folder().join(name);
        wait_until(name, || fs::read_to_string(&path).ok()?.strip_suffix('\n')?.parse().ok())
    }

    /// Asks the holder for something. Its program runs a little before it listens.
    pub fn ask(&self, request: HolderRequest) -> HolderReply {
        self.started();
        holder_client::send_request(&self.order.socket, request, PATIENCE).unwrap_or_else(|error| {
            let ended = records::read_if_there::<ExitRecord>(&self.dir.exit_json());
            panic!("{error:?}; its end: {ended:?}; its log: {}", self.log())
        })
    }
}

impl Drop for Attempt {
    fn drop(&mut self) {
        if let Some(holder) = &mut self.holder {
            let _ = holder.kill();
            let _ = holder.wait();
        }
        let containers = Containers::in_folder(self.dir.containers_folder().full_path());
        reap::end_attempt(&self.order.run_dir, &self.order.key, None, &containers);
    }
}

fn spawn(mut command: Command) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Graces in seconds.
pub fn grace(interrupt: u64, terminate: u64) -> Grace {
    Grace { interrupt: Duration::from_secs(interrupt), terminate: Duration::from_secs(terminate) }
}

/// The status of a record, which must be that of a program that ran.
pub fn status(record: &ExitRecord) -> ExitStatus {
    match &record.end {
        AttemptEnd::Exited { status } => *status,
        other => panic!("it did not exit: {other:?}"),
    }
}

/// Waits until there is a value.
pub fn wait_until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < deadline, "waited too long for {what}");
        std::thread::yield_now();
    }
}

/// Waits until there is no such process, or only its zombie.
pub fn wait_until_gone(pid: u32) {
    wait_until(&format!("the end of process {pid}"), || (!lives(pid)).then_some(()));
}

/// The process is there and no zombie.
pub fn lives(pid: u32) -> bool {
    stat::read_stat(pid).is_some_and(|stat| stat.state != stat::ProcessState::Dead)
}

/// Kills a process.
pub fn kill(pid: u32) {
    let pid = rustix::process::Pid::from_raw(pid as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// A path inside an attempt's folder, as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Makes an executable file.
pub fn program(path: PathBuf, content: &[u8], mode: u32) -> PathBuf {
    fs::write(&path, content).unwrap();
    fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
    path
}

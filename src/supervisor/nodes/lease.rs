//! At a node: how long it may go on without the folder of its run. Once that time is over, its shards may be running
//! elsewhere, so that it ends those that it has.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tracing::warn;

use crate::process::run_processes::{self, RunProcesses};
use crate::rundir::layout::RunDir;

/// How often is looked whether the time is over.
const LOOK: Duration = Duration::from_secs(1);

/// How often those that wait for it look at it.
const PAUSE: Duration = Duration::from_millis(50);

/// Killed processes go within that time, or hang in the kernel; then they are looked for again.
const PATIENCE: Duration = Duration::from_secs(5);

/// When the orders of a node were last read.
#[derive(Debug, Clone)]
pub(in crate::supervisor) struct Lease {
    renewed: Arc<AtomicU64>,
    lasts: Duration,
    /// Attempts are being ended.
    is_ending: Arc<AtomicBool>,
}

impl Lease {
    /// A lease that begins now.
    pub(in crate::supervisor) fn begin(lasts: Duration) -> Self {
        Self { renewed: Arc::new(AtomicU64::new(seconds_since_boot())), lasts, is_ending: Arc::default() }
    }

    /// The orders were read: what the run knows of this node holds on.
    pub(in crate::supervisor) fn renew(&self) {
        self.renewed.store(seconds_since_boot(), Ordering::Relaxed);
    }

    /// Waits as long as the lease is over or attempts are ended because it was: what starts meanwhile would be ended with
    /// them, again and again.
    pub(in crate::supervisor) async fn wait_until_valid(&self) {
        while self.is_over() || self.is_ending.load(Ordering::SeqCst) {
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn is_over(&self) -> bool {
        let since = seconds_since_boot().saturating_sub(self.renewed.load(Ordering::Relaxed));
        Duration::from_secs(since) > self.lasts
    }

    /// Ends the attempts of the node whenever the lease is over, without a look at the folder, which may not answer. Their
    /// supervisor finds them lost.
    pub(in crate::supervisor) fn guard(self, run: RunDir) -> std::io::Result<()> {
        let look = move || {
            let mut was_over = false;
            loop {
                thread::sleep(LOOK);
                self.is_ending.store(true, Ordering::SeqCst);
                let is_over = self.is_over();
                if is_over {
                    run_processes::end_processes(run.path(), RunProcesses::Attempts, PATIENCE);
                    if !was_over {
                        warn!(
                            "the folder of the run has not answered for longer than the lease: all attempts are ended"
                        );
                    }
                }
                self.is_ending.store(false, Ordering::SeqCst);
                was_over = is_over;
            }
        };
        thread::Builder::new().name("lease".to_owned()).spawn(look).map(drop)
    }
}

/// Time that passes also while the machine sleeps.
fn seconds_since_boot() -> u64 {
    u64::try_from(clock_gettime(ClockId::Boottime).tv_sec).unwrap_or(0)
}

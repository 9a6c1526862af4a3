//! Measurements of attempts while they run: which attempts telemetry follows, and the results.

use super::roots::Roots;
use crate::model::attempt::StartRecord;
use crate::model::ids::{AttemptKey, GpuIndex};
use crate::model::sweep::service::ReadyCheck;
use crate::process::containers::Containers;
use crate::supervisor::executor::Executor;
use crate::supervisor::ready;

impl Executor {
    /// Measures a running attempt from now on.
    pub(in crate::supervisor) fn start_measuring(
        &self,
        key: &AttemptKey,
        started: &StartRecord,
        gpus: Vec<GpuIndex>,
    ) {
        let roots = match self.plan().foreign.get(&key.shard) {
            Some(work) => Roots::Foreign(work.processes.clone()),
            None => Roots::Holder {
                pid: started.holder.pid,
                containers: Containers::in_folder(self.attempt_dir(key).containers_folder().full_path()),
            },
        };
        let components = self.launcher.shard_components(&key.shard, &gpus);
        self.telemetry.track_attempt(key.clone(), roots, gpus, components);
    }

    /// Reports when a service is ready, and when its main process has ended.
    pub(in crate::supervisor) fn watch_service(
        &self,
        key: &AttemptKey,
        started: &StartRecord,
        check: &ReadyCheck,
    ) {
        ready::watch_service(&self.event_tx, &self.launcher.run, key, started, check);
    }
}

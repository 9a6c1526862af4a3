//! The engine as a source of the event loop: a task reports when there are events, and the loop reads them.

use std::os::fd::OwnedFd;

use tokio::sync::mpsc::UnboundedSender;

use crate::engine::event::Engine;
use crate::process::readable;
use crate::supervisor::error::SupervisorError;
use crate::supervisor::event::SupervisorEvent;

/// Sends [`SupervisorEvent::EngineReady`] whenever the engine has events.
pub(in crate::supervisor) fn listen_to_engine(
    engine: &dyn Engine,
    event_tx: &UnboundedSender<SupervisorEvent>,
) -> Result<(), SupervisorError> {
    let failed = || SupervisorError::system("listen to the spawner");
    let events: OwnedFd = engine.events_fd().try_clone_to_owned().map_err(failed())?;
    let events = readable::register_descriptor(events).map_err(failed())?;
    let event_tx = event_tx.clone();
    tokio::spawn(async move {
        while let Ok(mut ready) = events.readable().await {
            let has_ended = ready.ready().is_read_closed();
            // Cleared before the loop reads, so that what comes after its reading is reported again.
            ready.clear_ready();
            let is_heard = event_tx.send(SupervisorEvent::EngineReady).is_ok();
            if has_ended {
                // A pipe without writers stays readable for ever. The first reading took what was left in it, and
                // this one finds the end.
                let _ = event_tx.send(SupervisorEvent::EngineReady);
            }
            if has_ended || !is_heard {
                return;
            }
        }
    });
    Ok(())
}

//! The control socket: what clients ask becomes events of the loop.

use jiff::Timestamp;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::time::MissedTickBehavior;

use super::error::SupervisorError;
use super::event::SupervisorEvent;
use crate::model::attempt::ProcessIdentity;
use crate::model::ids::RunId;
use crate::model::state::fact::Actor;
use crate::model::state::run_info::SupervisorInfo;
use crate::model::units::duration_between;
use crate::process::identity;
use crate::rundir::layout::RunDir;
use crate::rundir::{beat, clock, records, residence};
use crate::socket::address;
use crate::socket::control_server::{ControlCall, ControlServer};

/// Requests that wait for the loop; more clients than this wait in their own sockets.
const WAITING: usize = 64;

/// Records this process in `supervisor.json` as one that does not listen yet: holders that end now start no other.
pub(super) fn announce_supervisor(run: &RunDir) -> Result<SupervisorInfo, SupervisorError> {
    let process = identity::identify_self()?;
    let place = Some(residence::identify_place(run.path())?);
    let info = SupervisorInfo { process, socket: None, place };
    records::write_atomic(&run.supervisor_json(), &info)?;
    Ok(info)
}

/// Binds the socket, records it and hands on what is asked.
pub(super) fn listen_for_commands(
    run: &RunDir,
    id: &RunId,
    announced: SupervisorInfo,
    event_tx: &UnboundedSender<SupervisorEvent>,
) -> Result<(), SupervisorError> {
    let socket = address::of_run(id)?;
    let server = ControlServer::bind(&socket)?;
    let (calls, called) = mpsc::channel(WAITING);
    tokio::spawn(server.serve(calls));
    tokio::spawn(hand_on(called, event_tx.clone()));
    let info = SupervisorInfo { socket: Some(socket), ..announced };
    records::write_atomic(&run.supervisor_json(), &info)?;
    tokio::spawn(renew_beats(run.clone(), info, event_tx.clone()));
    Ok(())
}

/// Returns an error where another supervisor is named in place of this one. What cannot be read now is looked at the next
/// time.
fn refuse_replaced(run: &RunDir, own: &ProcessIdentity) -> Result<(), SupervisorError> {
    // No two processes of one boot have the same number and start, whatever container sees them.
    let key = |process: &ProcessIdentity| (process.pid, process.start_ticks, process.boot_id.clone());
    match records::read_if_there::<SupervisorInfo>(&run.supervisor_json()) {
        Ok(Some(now)) if key(&now.process) != key(own) => Err(SupervisorError::Replaced),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// The time at which a thread of a supervisor last did something. One that was stopped for longer than a beat may be
/// silent asks whether another supervisor was named meanwhile, before it writes anything.
pub(in crate::supervisor) struct WakeWatch {
    run: RunDir,
    own: ProcessIdentity,
    active: Timestamp,
}

impl WakeWatch {
    /// Begins now.
    pub(in crate::supervisor) fn begin(run: &RunDir, own: ProcessIdentity) -> Self {
        Self { run: run.clone(), own, active: clock::now() }
    }

    /// Returns an error where the run was taken over while this process was stopped.
    pub(in crate::supervisor) fn refuse_replaced(&mut self) -> Result<(), SupervisorError> {
        let last = std::mem::replace(&mut self.active, clock::now());
        // Others wait for the whole silence; half of it leaves room for what is seen late.
        if duration_between(last, self.active) < beat::SILENCE / 2 {
            return Ok(());
        }
        refuse_replaced(&self.run, &self.own)
    }
}

/// Shows other machines and containers that this supervisor lives, until another one is named in its place.
async fn renew_beats(run: RunDir, own: SupervisorInfo, event_tx: UnboundedSender<SupervisorEvent>) {
    let mut next = tokio::time::interval(beat::EVERY);
    next.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        next.tick().await;
        if let Err(error) = refuse_replaced(&run, &own.process) {
            return drop(event_tx.send(SupervisorEvent::Fatal(error)));
        }
        // Without a beat nothing is lost but what is seen from elsewhere.
        let _ = beat::renew_beat(&run);
    }
}

async fn hand_on(mut called: mpsc::Receiver<ControlCall>, event_tx: UnboundedSender<SupervisorEvent>) {
    while let Some(ControlCall { request, peer, reply }) = called.recv().await {
        let by = Actor { uid: peer.uid, pid: peer.pid };
        if event_tx.send(SupervisorEvent::Command { command: request.command, by, reply }).is_err() {
            return;
        }
    }
}

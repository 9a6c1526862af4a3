//! The control socket: what clients ask becomes events of the loop.

use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::time::MissedTickBehavior;

use super::error::SupervisorError;
use super::heard::SupervisorEvent;
use crate::model::ids::RunId;
use crate::model::state::fact::Actor;
use crate::model::state::run_info::SupervisorInfo;
use crate::process::identity;
use crate::rundir::layout::RunDir;
use crate::rundir::{beat, records, residence};
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
    hear: &UnboundedSender<SupervisorEvent>,
) -> Result<(), SupervisorError> {
    let socket = address::of_run(id)?;
    let server = ControlServer::bind(&socket)?;
    let (calls, called) = mpsc::channel(WAITING);
    tokio::spawn(server.serve(calls));
    tokio::spawn(hand_on(called, hear.clone()));
    let info = SupervisorInfo { socket: Some(socket), ..announced };
    records::write_atomic(&run.supervisor_json(), &info)?;
    tokio::spawn(renew_beats(run.clone(), info, hear.clone()));
    Ok(())
}

/// Shows other machines and containers that this supervisor lives, until another one is named in its place.
async fn renew_beats(run: RunDir, own: SupervisorInfo, hear: UnboundedSender<SupervisorEvent>) {
    let mut next = tokio::time::interval(beat::EVERY);
    next.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        next.tick().await;
        match records::read_if_there::<SupervisorInfo>(&run.supervisor_json()) {
            Ok(Some(now))
                if now.process.pid != own.process.pid || now.process.boot_id != own.process.boot_id =>
            {
                return drop(hear.send(SupervisorEvent::Fatal(SupervisorError::Replaced)));
            }
            // What cannot be read now is looked at the next time.
            Ok(_) | Err(_) => {}
        }
        // Without a beat nothing is lost but what is seen from elsewhere.
        let _ = beat::renew_beat(&run);
    }
}

async fn hand_on(mut called: mpsc::Receiver<ControlCall>, hear: UnboundedSender<SupervisorEvent>) {
    while let Some(ControlCall { request, peer, reply }) = called.recv().await {
        let by = Actor { uid: peer.uid, pid: peer.pid };
        if hear.send(SupervisorEvent::Command { command: request.command, by, reply }).is_err() {
            return;
        }
    }
}

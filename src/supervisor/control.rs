//! The control socket: what clients ask becomes events of the loop.

use tokio::sync::mpsc::{self, UnboundedSender};

use super::error::SupervisorError;
use super::heard::Heard;
use crate::model::fact::Actor;
use crate::model::ids::RunId;
use crate::model::run_info::SupervisorInfo;
use crate::process::identity;
use crate::rundir::layout::RunDir;
use crate::rundir::records;
use crate::socket::address;
use crate::socket::control_server::{ControlCall, ControlServer};

/// Requests that wait for the loop; more clients than this wait in their own sockets.
const WAITING: usize = 64;

/// Binds the socket, says so in `supervisor.json` and hands on what is asked.
pub(super) fn listen(run: &RunDir, id: &RunId, hear: &UnboundedSender<Heard>) -> Result<(), SupervisorError> {
    let socket = address::of_run(id)?;
    let server = ControlServer::bind(&socket)?;
    let (calls, called) = mpsc::channel(WAITING);
    tokio::spawn(server.serve(calls));
    tokio::spawn(hand_on(called, hear.clone()));
    records::write_atomic(&run.supervisor_json(), &SupervisorInfo { process: identity::own()?, socket })?;
    Ok(())
}

async fn hand_on(mut called: mpsc::Receiver<ControlCall>, hear: UnboundedSender<Heard>) {
    while let Some(ControlCall { request, peer, reply }) = called.recv().await {
        let by = Actor { uid: peer.uid, pid: peer.pid };
        if hear.send(Heard::Command { command: request.command, by, reply }).is_err() {
            return;
        }
    }
}

//! What the holders of attempts are asked for: each of them in the order in which it was decided, and none waits for
//! another.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::JoinHandle;

use crate::model::command::{HolderReply, HolderRequest};
use crate::model::ids::AttemptKey;
use crate::rundir::layout::AttemptDir;
use crate::socket::holder_client;
use crate::supervisor::event::SupervisorEvent;

/// How long a holder may take to answer; it has one thread that seldom blocks.
const ANSWER: Duration = Duration::from_secs(2);

/// How long a holder that was just announced may take to listen, on a machine that is busy starting others.
const LISTENS: Duration = Duration::from_secs(10);

/// The pause before an attempt that is to end is asked again.
const REPEAT: Duration = Duration::from_secs(5);

/// Requests that are under way.
#[derive(Debug)]
pub(in crate::supervisor) struct HolderRequests {
    event_tx: UnboundedSender<SupervisorEvent>,
    /// The last one of each attempt.
    last: Mutex<HashMap<AttemptKey, JoinHandle<()>>>,
}

impl HolderRequests {
    /// No requests yet; what fails is reported there.
    pub(in crate::supervisor) fn reporting_to(event_tx: &UnboundedSender<SupervisorEvent>) -> Self {
        Self { event_tx: event_tx.clone(), last: Mutex::default() }
    }

    /// Asks a holder for something; a failure comes back as [`SupervisorEvent::Trouble`]. A stop is asked for until the
    /// attempt is over: without it a shard that was killed, or ran out of time, would run on.
    pub(in crate::supervisor) fn send(
        &self,
        key: &AttemptKey,
        (dir, socket): (AttemptDir, PathBuf),
        request: HolderRequest,
    ) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.retain(|_, task| !task.is_finished());
        let before = last.remove(key);
        let (event_tx, owner) = (self.event_tx.clone(), key.clone());
        let task = tokio::spawn(async move {
            // A shard that is resumed after a pause must not be paused after that.
            if let Some(before) = before {
                let _ = before.await;
            }
            send_until_taken(&event_tx, &owner, (dir, socket), request).await;
        });
        last.insert(key.clone(), task);
    }
}

async fn send_until_taken(
    event_tx: &UnboundedSender<SupervisorEvent>,
    key: &AttemptKey,
    (dir, socket): (AttemptDir, PathBuf),
    request: HolderRequest,
) {
    let mut is_reported = false;
    loop {
        let (their_dir, their_socket) = (dir.clone(), socket.clone());
        let asked = tokio::task::spawn_blocking(move || send_now(&their_dir, &their_socket, request));
        let Err(text) = asked.await.unwrap_or_else(|error| Err(error.to_string())) else { return };
        if !is_reported {
            is_reported = true;
            let _ = event_tx.send(SupervisorEvent::Trouble { about: Some(key.clone()), text });
        }
        match request {
            HolderRequest::Stop(_) => tokio::time::sleep(REPEAT).await,
            HolderRequest::Pause | HolderRequest::Resume => return,
        }
    }
}

fn send_now(dir: &AttemptDir, socket: &Path, request: HolderRequest) -> Result<(), String> {
    let deadline = Instant::now() + LISTENS;
    loop {
        let error = match holder_client::send_request(socket, request, ANSWER) {
            Ok(HolderReply::Accepted) => return Ok(()),
            Ok(HolderReply::Refused { message }) => return Err(message),
            Err(error) => error,
        };
        // An attempt that is over needs no request any more.
        if dir.exit_json().exists() {
            return Ok(());
        }
        if Instant::now() >= deadline {
            return Err(format!("its holder does not answer: {error}"));
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader, Read, Write};
    use std::os::unix::net::UnixListener;

    use super::*;
    use crate::model::ids::{AttemptNumber, ShardId};
    use crate::rundir::layout::RunDir;
    use crate::socket::frame::{ClientFrame, FrameReader, HolderFrame};

    /// Takes one request as a holder does.
    fn take_request(listener: &UnixListener) -> HolderRequest {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(&stream);
        reader.read_line(&mut String::new()).unwrap();
        let mut frames = FrameReader::default();
        let mut byte = [0];
        let request = loop {
            reader.read_exact(&mut byte).unwrap();
            frames.push(&byte);
            if let Some(ClientFrame::Request(request)) = frames.client_frame().unwrap() {
                break request;
            }
        };
        (&stream).write_all(&HolderFrame::Reply(HolderReply::Accepted).encode()).unwrap();
        request
    }

    #[tokio::test]
    async fn requests_reach_a_holder_in_their_order() {
        let folder = tempfile::tempdir().unwrap();
        let key = AttemptKey { shard: ShardId::new("one").unwrap(), attempt: AttemptNumber(1) };
        let dir = RunDir::at(folder.path()).attempt_dir(&key);
        let (event_tx, _heard) = tokio::sync::mpsc::unbounded_channel();
        let requests = HolderRequests::reporting_to(&event_tx);
        let socket = folder.path().join("socket");
        let asked: Vec<HolderRequest> =
            (0..8).flat_map(|_| [HolderRequest::Pause, HolderRequest::Resume]).collect();
        for request in &asked {
            requests.send(&key, (dir.clone(), socket.clone()), *request);
        }
        let listener = UnixListener::bind(&socket).unwrap();
        let taken = tokio::task::spawn_blocking(move || {
            // The first one has to be sent again.
            drop(listener.accept().unwrap());
            (0..16).map(|_| take_request(&listener)).collect::<Vec<_>>()
        });
        assert_eq!(taken.await.unwrap(), asked);
    }
}

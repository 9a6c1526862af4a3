//! The control socket of a supervisor: one JSON line asks, one JSON line answers.

use std::path::Path;
use std::time::Duration;

use rustix::net::RecvFlags;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::OwnedReadHalf;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{MissedTickBehavior, interval, timeout};

use super::error::SocketError;
use super::listen::{LOOK_EVERY, Listening};
use super::peer::{self, Peer};
use crate::model::command::{ControlReply, ControlRequest, PROTOCOL_VERSION, RefusalKind};

/// A request names at most every shard of a run: 10,000 ids of 100 bytes.
const MAX_REQUEST: u64 = 1024 * 1024;

/// A client that connects and sends nothing is dropped, so that forgotten ones do not add up.
const PATIENCE: Duration = Duration::from_secs(10);

/// A request of a process that may act, and where its answer goes.
#[derive(Debug)]
pub struct ControlCall {
    /// Action that is requested.
    pub request: ControlRequest,
    /// Process that asks for it.
    pub peer: Peer,
    /// Send the answer here when the facts are in the journal.
    pub reply: oneshot::Sender<ControlReply>,
}

/// The listening side of the control socket.
#[derive(Debug)]
pub struct ControlServer {
    bound: Listening,
    listener: UnixListener,
}

impl ControlServer {
    /// Binds the socket; must be called inside a runtime.
    pub fn bind(path: &Path) -> Result<Self, SocketError> {
        let bound = Listening::bind(path)?;
        let failed = || SocketError::io("listen at", path);
        let listener = bound.listener().try_clone().map_err(failed())?;
        let listener = UnixListener::from_std(listener).map_err(failed())?;
        Ok(Self { bound, listener })
    }

    /// Hands every request on, each connection in its own task, until the receiver is gone. A socket that was cleaned
    /// away is bound again.
    pub async fn serve(mut self, calls: mpsc::Sender<ControlCall>) {
        let mut look = interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                accepted = self.listener.accept() => match accepted {
                    Ok((stream, _)) => drop(tokio::spawn(serve_connection(stream, calls.clone()))),
                    // Out of descriptors: the next moment may be better, and the client waits in the queue.
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                },
                _ = look.tick() => self.rebind_if_gone(),
                () = calls.closed() => return,
            }
        }
    }

    fn rebind_if_gone(&mut self) {
        if self.bound.is_cut_off() {
            // If it fails, the next look tries again.
            if let Ok(again) = Self::bind(self.bound.path()) {
                *self = again;
            }
        }
    }
}

async fn serve_connection(stream: UnixStream, calls: mpsc::Sender<ControlCall>) {
    let Ok(peer) = peer::peer_of(&stream) else { return };
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    loop {
        let mut line = Vec::new();
        let mut limited = (&mut reader).take(MAX_REQUEST);
        match timeout(PATIENCE, limited.read_until(b'\n', &mut line)).await {
            Ok(Ok(read)) if read > 0 => {}
            _ => return,
        }
        // A client that gave up hears of no answer, so that nothing may come of its request either.
        if has_hung_up(&reader) {
            return;
        }
        let answer = answer_request(&line, peer, &calls);
        let reply = tokio::select! {
            biased;
            () = wait_for_hangup(&mut reader) => return,
            reply = answer => reply,
        };
        let Some(reply) = reply else { return };
        let mut bytes = serde_json::to_vec(&reply).expect("words and numbers always serialise");
        bytes.push(b'\n');
        if writer.write_all(&bytes).await.is_err() {
            return;
        }
    }
}

/// The client closed its end before the request was taken up. The runtime may not have seen it yet, so the kernel is
/// asked.
fn has_hung_up(reader: &BufReader<OwnedReadHalf>) -> bool {
    let flags = RecvFlags::PEEK | RecvFlags::DONTWAIT;
    reader.buffer().is_empty()
        && matches!(rustix::net::recv(reader.get_ref().as_ref(), &mut [0_u8; 1], flags), Ok((0, _)))
}

/// Ends when the client has closed its end; one that has sent more is still there.
async fn wait_for_hangup(reader: &mut BufReader<OwnedReadHalf>) {
    if reader.fill_buf().await.is_ok_and(|more| !more.is_empty()) {
        std::future::pending::<()>().await;
    }
}

/// `None` when the supervisor ends before it has an answer: the client sees a closed connection.
async fn answer_request(line: &[u8], peer: Peer, calls: &mpsc::Sender<ControlCall>) -> Option<ControlReply> {
    let request = match check_request(line, peer) {
        Ok(request) => request,
        Err(refusal) => return Some(refusal),
    };
    let (reply, answered) = oneshot::channel();
    calls.send(ControlCall { request, peer, reply }).await.ok()?;
    answered.await.ok()
}

fn check_request(line: &[u8], peer: Peer) -> Result<ControlRequest, ControlReply> {
    let refused = |kind, message| ControlReply::Refused { kind, message };
    if !peer.may_act() {
        let message = format!("user {} may watch this run but not act on it", peer.uid);
        return Err(refused(RefusalKind::NotPermitted, message));
    }
    let request: ControlRequest = serde_json::from_slice(line)
        .map_err(|error| refused(RefusalKind::Unusable, format!("the request does not read: {error}")))?;
    if request.version != PROTOCOL_VERSION {
        let message = format!(
            "the client speaks version {} of the protocol and this supervisor {PROTOCOL_VERSION}; use the same sweepdeck",
            request.version
        );
        return Err(refused(RefusalKind::Unusable, message));
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};

    use super::*;
    use crate::model::command::{Command, Selection};
    use crate::socket::control_client;

    const TIMEOUT: Duration = Duration::from_secs(20);

    /// Runs a server that answers every call, together with a client.
    fn with_server<T: Send>(client: impl FnOnce(&Path) -> T + Send) -> T {
        let folder = tempfile::Builder::new()
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700))
            .tempdir()
            .unwrap();
        let path = folder.path().join("control");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let (calls, mut called) = mpsc::channel(8);
        let server = runtime.block_on(async { ControlServer::bind(&path) }).unwrap();
        std::thread::scope(|scope| {
            let path = &path;
            let client = scope.spawn(move || client(path));
            runtime.block_on(async {
                let serving = tokio::spawn(server.serve(calls));
                while !client.is_finished() {
                    if let Ok(Some(call)) = timeout(Duration::from_millis(5), called.recv()).await {
                        let notes = vec![format!("{:?}", call.request.command)];
                        call.reply.send(ControlReply::Done { shards: 1, notes }).unwrap();
                    }
                }
                serving.abort();
            });
            client.join().unwrap()
        })
    }

    #[test]
    fn a_command_comes_through_and_its_answer_comes_back() {
        let command = Command::Pause { shards: Selection::All };
        let reply = with_server(|path| control_client::send_command(path, command.clone(), TIMEOUT));
        let notes = vec![format!("{command:?}")];
        assert_eq!(reply.unwrap(), ControlReply::Done { shards: 1, notes });
    }

    #[test]
    fn nonsense_and_other_versions_are_refused_in_words() {
        let (nonsense, version) = with_server(|path| {
            let mut stream = super::super::connect::connect_within(path, TIMEOUT).unwrap();
            let mut ask = |text: &str| {
                stream.write_all(text.as_bytes()).unwrap();
                let mut reply = Vec::new();
                let mut byte = [0];
                while byte != *b"\n" {
                    stream.read_exact(&mut byte).unwrap();
                    reply.push(byte[0]);
                }
                serde_json::from_slice::<ControlReply>(&reply).unwrap()
            };
            (ask("hello\n"), ask("{\"version\":99,\"command\":\"ping\"}\n"))
        });
        assert!(matches!(nonsense, ControlReply::Refused { kind: RefusalKind::Unusable, .. }));
        assert!(matches!(version, ControlReply::Refused { message, .. } if message.contains("99")));
    }

    #[test]
    fn a_stranger_may_not_act() {
        let stranger = Peer { uid: rustix::process::geteuid().as_raw() + 1, pid: 1 };
        let refused = check_request(b"{\"version\":1,\"command\":\"ping\"}", stranger);
        assert!(matches!(refused, Err(ControlReply::Refused { kind: RefusalKind::NotPermitted, .. })));
    }
}

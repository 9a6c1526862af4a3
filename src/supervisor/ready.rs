//! Whether a service is ready: a program listens on its port, its log has a line, a request succeeds, or a
//! file is there.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::thread;
use std::time::Duration;

use regex::bytes::Regex;
use tokio::sync::mpsc::UnboundedSender;

use super::attempts::holders;
use super::event::SupervisorEvent;
use crate::model::attempt::{HolderOrder, ServiceOrder, StartRecord};
use crate::model::ids::AttemptKey;
use crate::model::sweep::service::ReadyCheck;
use crate::process::listener;
use crate::rundir::layout::{AttemptDir, RunDir};
use crate::rundir::{life, records};
use crate::scheduler::input::SchedulerInput;
use crate::tail::follower::Follower;

/// The pause between two looks.
const LOOK: Duration = Duration::from_millis(100);

/// How long a server may take to answer a request before it is asked again.
const ANSWER: Duration = Duration::from_secs(5);

/// A line that is longer is no message of a server.
const LONGEST_LINE: usize = 64 << 10;

/// So much of an answer is read.
const LONGEST_HEAD: u64 = 4 << 10;

/// So much of a log is read at once.
const CHUNK: usize = 64 << 10;

/// Reports by [`SchedulerInput::ServiceReady`] when it is ready, and by [`SchedulerInput::ServiceDied`] when its main
/// process has ended. A new supervisor starts from scratch with services that its predecessor had found ready: that is
/// no news then.
pub(super) fn watch_service(
    event_tx: &UnboundedSender<SupervisorEvent>,
    run: &RunDir,
    key: &AttemptKey,
    started: &StartRecord,
    check: &ReadyCheck,
) {
    let (dir, child) = (run.attempt_dir(key), started.child.clone());
    let (died, process, whose) = (event_tx.clone(), child.clone(), key.clone());
    tokio::spawn(async move {
        holders::wait_for_end(&process).await;
        let _ = died.send(SupervisorEvent::Input(SchedulerInput::ServiceDied { key: whose }));
    });
    let (event_tx, key, check) = (event_tx.clone(), key.clone(), check.clone());
    let look = move || {
        let Some(mut probe) = Probe::for_check(&dir, check) else { return };
        while !event_tx.is_closed() && life::is_alive(&child) {
            if probe.is_ready() {
                let _ = event_tx.send(SupervisorEvent::Input(SchedulerInput::ServiceReady {
                    key,
                    port: probe.order.port,
                }));
                return;
            }
            thread::sleep(LOOK);
        }
    };
    // Without a thread it never becomes ready, and fails by its time-out.
    let _ = thread::Builder::new().name("ready".to_owned()).spawn(look);
}

/// A service that is being looked at.
struct Probe {
    check: Check,
    order: ServiceOrder,
}

/// The way to know it, with what was seen so far.
enum Check {
    Port,
    Http(String),
    File,
    Log {
        pattern: Regex,
        dir: AttemptDir,
        log: Option<Follower>,
        line: Vec<u8>,
    },
    /// A pattern that the sweep's check let pass cannot be read: it never becomes ready.
    Never,
}

impl Probe {
    fn for_check(dir: &AttemptDir, check: ReadyCheck) -> Option<Self> {
        let order: HolderOrder = records::read_if_there(&dir.order_json()).ok().flatten()?;
        let check = match check {
            ReadyCheck::Port => Check::Port,
            ReadyCheck::Http(path) => Check::Http(path),
            ReadyCheck::File(_) => Check::File,
            ReadyCheck::Log(pattern) => match Regex::new(&pattern) {
                Ok(pattern) => Check::Log { pattern, dir: dir.clone(), log: None, line: Vec::new() },
                Err(_) => Check::Never,
            },
        };
        Some(Self { check, order: order.service.unwrap_or_default() })
    }

    fn is_ready(&mut self) -> bool {
        let port = self.order.port;
        match &mut self.check {
            Check::Port => port.is_some_and(is_port_open),
            Check::Http(path) => port.is_some_and(|port| is_port_open(port) && is_http_ready(port, path)),
            Check::File => self.order.ready_file.as_ref().is_some_and(|file| Path::new(file).exists()),
            Check::Log { pattern, dir, log, line } => {
                if log.is_none() {
                    *log = Follower::open(&dir.output_log()).ok();
                }
                log.as_mut().is_some_and(|log| log_matches(log, line, pattern))
            }
            Check::Never => false,
        }
    }
}

/// Some process of this machine listens on the port. The kernel is asked and not the server: one that is greeted and
/// left at once prints a traceback.
fn is_port_open(port: u16) -> bool {
    let is_reached = || TcpStream::connect_timeout(&local_address(port), ANSWER).is_ok();
    listener::is_open(port).unwrap_or_else(is_reached)
}

fn local_address(port: u16) -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, port))
}

/// A GET is answered with a status of success, or sent elsewhere.
fn is_http_ready(port: u16, path: &str) -> bool {
    let ask = || -> std::io::Result<Vec<u8>> {
        let mut stream = TcpStream::connect_timeout(&local_address(port), ANSWER)?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.set_write_timeout(Some(ANSWER))?;
        let request = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes())?;
        // The first line is enough: not every server closes what it was asked to close.
        let mut answer = BufReader::new(stream.take(LONGEST_HEAD));
        let mut line = Vec::new();
        answer.read_until(b'\n', &mut line)?;
        // One that is left while it writes prints a traceback.
        answer.get_ref().get_ref().set_read_timeout(Some(LOOK))?;
        let _ = answer.read_to_end(&mut Vec::new());
        Ok(line)
    };
    ask().is_ok_and(|line| is_success(&line))
}

/// Reports whether a status line, such as `HTTP/1.1 200 OK`, means success.
fn is_success(line: &[u8]) -> bool {
    let line = String::from_utf8_lossy(line);
    let mut words = line.split_whitespace();
    words.next().is_some_and(|version| version.starts_with("HTTP/"))
        && words
            .next()
            .and_then(|status| status.parse::<u16>().ok())
            .is_some_and(|status| (200..400).contains(&status))
}

/// A line of what is new in the log matches; one that has not ended yet counts too, a prompt has no end.
fn log_matches(log: &mut Follower, line: &mut Vec<u8>, pattern: &Regex) -> bool {
    let mut buffer = vec![0; CHUNK];
    loop {
        let read = log.read_more(&mut buffer).unwrap_or(0);
        if read == 0 {
            return false;
        }
        for part in buffer[..read].split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
            line.extend_from_slice(part);
            let plain = without_escapes(line);
            if pattern.is_match(&plain) {
                return true;
            }
            if part.ends_with(b"\n") || part.ends_with(b"\r") || line.len() > LONGEST_LINE {
                line.clear();
            }
        }
    }
}

/// The line without colours and without its end.
fn without_escapes(line: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(line.len());
    let mut bytes = line.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            0x1b if bytes.next() == Some(b'[') => {
                // The parameters of a sequence end with a letter.
                let _ = bytes.find(|byte| (0x40..=0x7e).contains(byte));
            }
            0x1b | b'\r' | b'\n' => {}
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn an_answer_counts_when_its_status_is_one_of_success() {
        assert!(is_success(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK\n"));
        assert!(is_success(b"HTTP/1.0 302 Found\r\n"));
        assert!(!is_success(b"HTTP/1.1 503 Service Unavailable\r\n"));
        assert!(!is_success(b"") && !is_success(b"SSH-2.0-OpenSSH_9.6\r\n"));
    }

    #[test]
    fn an_answer_counts_though_the_connection_stays_open() {
        let server = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = server.local_addr().expect("its address").port();
        let kept = thread::spawn(move || {
            let (mut client, _) = server.accept().expect("a client");
            client.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK\n").expect("it listens");
            client
        });
        assert!(is_http_ready(port, "/healthz"));
        drop(kept.join());
    }

    #[test]
    fn colours_do_not_hide_a_line() {
        assert_eq!(without_escapes(b"\x1b[32mserver \x1b[1mlistening\x1b[0m\r\n"), b"server listening");
    }
}

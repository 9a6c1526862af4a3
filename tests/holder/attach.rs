//! Clients that see and drive the terminal of an attempt.

use std::fs;
use std::io::Write;
use std::os::unix::net::UnixStream;

use sweepdeck::model::attempt::TerminalSize;
use sweepdeck::model::command::HolderRequest;
use sweepdeck::socket::connect;
use sweepdeck::socket::error::SocketError;
use sweepdeck::socket::frame::HolderFrame;
use sweepdeck::socket::holder_client::Session;

use crate::attempt::{Attempt, PATIENCE, status, wait_until};

const SIZE: TerminalSize = TerminalSize { rows: 30, columns: 100 };

fn drive(attempt: &Attempt) -> Session {
    attempt.started();
    Session::drive(&attempt.order.socket, SIZE, PATIENCE).unwrap()
}

/// Reads until the output contains a text.
fn read_until(session: &mut Session, text: &str) {
    let mut seen = Vec::new();
    wait_until(text, || {
        for frame in session.receive_frames().unwrap() {
            if let HolderFrame::Output(bytes) = frame {
                seen.extend(bytes);
            }
        }
        String::from_utf8_lossy(&seen).contains(text).then_some(())
    });
}

#[test]
fn what_is_typed_reaches_the_program_and_what_it_says_comes_back() {
    let attempt = Attempt::of(&["cat"]).start();
    let mut session = drive(&attempt);
    session.send_input(b"good morning\n").unwrap();
    read_until(&mut session, "good morning\r\ngood morning\r\n");
    session.send_input(b"\x04").unwrap();
    wait_until("the word that it is over", || {
        session.receive_frames().unwrap().contains(&HolderFrame::Ended).then_some(())
    });
    assert_eq!(status(&attempt.exit()).code(), Some(0));
}

#[test]
fn leaving_types_nothing() {
    let attempt = Attempt::script("cat > typed").start();
    let mut first = drive(&attempt);
    first.send_input(b"abc\n").unwrap();
    read_until(&mut first, "abc");
    drop(first);
    let mut second = drive(&attempt);
    second.send_input(b"def\n\x04").unwrap();
    attempt.exit();
    assert_eq!(fs::read_to_string(attempt.folder().join("typed")).unwrap(), "abc\ndef\n");
}

#[test]
fn a_newcomer_sees_what_was_said_before() {
    let attempt = Attempt::script("echo earlier; exec cat").start();
    attempt.wait_for_log("earlier");
    read_until(&mut drive(&attempt), "earlier");
}

#[test]
fn the_size_is_that_of_the_last_one_to_drive() {
    let attempt = Attempt::script("trap 'stty size' WINCH; echo ready; while :; do sleep 0.1; done").start();
    attempt.wait_for_log("ready");
    let mut first = drive(&attempt);
    read_until(&mut first, "30 100");
    first.send_size(TerminalSize { rows: 31, columns: 101 }).unwrap();
    read_until(&mut first, "31 101");
    first.send_size(TerminalSize { rows: 0, columns: 0 }).unwrap();
    let mut second = drive(&attempt);
    read_until(&mut second, "30 100");
    assert!(!attempt.log().contains("0 0\r"));
}

#[test]
fn a_client_that_does_not_read_delays_nobody() {
    let attempt = Attempt::script("read go; seq 1 1000000").start();
    let mut deaf = drive(&attempt);
    deaf.send_input(b"go\n").unwrap();
    assert_eq!(status(&attempt.exit()).code(), Some(0));
    assert!(attempt.log().ends_with("\r\n1000000\r\n"));
}

#[test]
fn nonsense_is_turned_away_and_the_attempt_goes_on() {
    let attempt = Attempt::of(&["cat"]).start();
    attempt.started();
    for nonsense in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        b"{\"version\":1,\"purpose\":\"control\"}\nx\xff\xff\xff\xff",
        &[0; 2000],
    ] {
        let mut stream = connect::connect_within(&attempt.order.socket, PATIENCE).unwrap();
        stream.write_all(nonsense).unwrap();
        let mut answer = Vec::new();
        // The rest of what was sent may be unread when the holder closes, which resets the connection.
        let _ = std::io::Read::read_to_end(&mut stream, &mut answer);
        assert_eq!(answer.first(), Some(&b'a'), "a refusal in words");
    }
    let mut session = drive(&attempt);
    session.send_input(b"still here\n").unwrap();
    read_until(&mut session, "still here");
}

#[test]
fn a_socket_that_was_cleaned_away_comes_back() {
    let attempt = Attempt::script("while :; do sleep 0.1; done").start();
    attempt.started();
    fs::remove_dir_all(attempt.order.socket.parent().unwrap()).unwrap();
    let gone = Session::drive(&attempt.order.socket, SIZE, PATIENCE);
    assert!(matches!(gone, Err(SocketError::Absent { .. })));
    // It is there a moment before it listens.
    wait_until("the socket", || UnixStream::connect(&attempt.order.socket).ok());
    attempt.ask(HolderRequest::Pause);
}

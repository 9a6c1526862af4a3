//! The plainest client there is, and a server under test.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use crate::harness::place::Place;

/// A program that serves until the test ends.
pub struct Served {
    child: Child,
    /// The first line it printed: its address.
    pub address: String,
}

impl Served {
    pub fn start(place: &Place, words: &[&str]) -> Self {
        let mut child = place.command(words).stdout(Stdio::piped()).spawn().expect("the program");
        let mut address = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut address).expect("its address");
        Self { child, address: address.trim().to_owned() }
    }

    /// `127.0.0.1:PORT`.
    pub fn host(&self) -> &str {
        let rest = self.address.strip_prefix("http://").unwrap_or_else(|| panic!("{}", self.address));
        rest.split('/').next().expect("a host")
    }

    /// Asks with these lines beside the request line and `Host`.
    pub fn ask(&self, method: &str, path: &str, more: &[(&str, &str)]) -> Answer {
        let mut stream = TcpStream::connect(self.host()).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        let has_host = more.iter().any(|(name, _)| *name == "Host");
        let host = if has_host { String::new() } else { format!("Host: {}\r\n", self.host()) };
        let lines: String = more.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let request = format!("{method} {path} HTTP/1.1\r\n{host}{lines}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("a request");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("an answer");
        Answer::parse(&String::from_utf8_lossy(&bytes))
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[])
    }

    /// Opens a stream of events; lines come as they are sent.
    pub fn stream(&self, path: &str, more: &[(&str, &str)]) -> BufReader<TcpStream> {
        let mut stream = TcpStream::connect(self.host()).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        let lines: String = more.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n{lines}\r\n", self.host());
        stream.write_all(request.as_bytes()).expect("a request");
        BufReader::new(stream)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Debug)]
pub struct Answer {
    pub code: u16,
    /// All lines of the head, with names in small letters.
    pub head: String,
    pub body: String,
}

impl Answer {
    fn parse(text: &str) -> Self {
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head: {text}"));
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        Self { code: code.expect("a status"), head: head.to_lowercase(), body: body.to_owned() }
    }
}

//! Whether a process listens on a port, according to the kernel.

use std::fs;

/// The state of a socket that listens, in `/proc/net/tcp`.
const LISTENS: &str = "0A";

/// Reports whether some process listens on the TCP port; `None` where the kernel does not report it.
pub fn is_open(port: u16) -> Option<bool> {
    let tables = ["/proc/net/tcp", "/proc/net/tcp6"].map(fs::read_to_string);
    if tables.iter().all(Result::is_err) {
        return None;
    }
    Some(tables.iter().flatten().flat_map(|table| table.lines()).any(|line| is_listener(line, port)))
}

/// `0: 0100007F:1F90 00000000:0000 0A …`
fn is_listener(line: &str, port: u16) -> bool {
    let mut words = line.split_whitespace().skip(1);
    let local = words.next().and_then(|local| local.rsplit_once(':')).map(|(_, port)| port);
    let state = words.nth(1);
    local.and_then(|local| u16::from_str_radix(local, 16).ok()) == Some(port) && state == Some(LISTENS)
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, TcpListener};

    use super::*;

    #[test]
    fn a_port_counts_when_somebody_listens_there() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        assert_eq!(is_open(port), Some(true));
        let of = |line: &str| is_listener(line, 8080);
        assert!(of("  0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000"));
        assert!(of("  1: 00000000000000000000000000000000:1F90 00000000000000000000000000000000:0000 0A 0"));
        assert!(!of("  2: 0100007F:1F90 0100007F:C1E2 01 00000000:00000000 00:00000000"), "a connection");
        assert!(!of("  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt"));
    }
}

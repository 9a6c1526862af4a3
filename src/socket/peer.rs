//! Who is at the other end of a connection, as the kernel reports it.

use std::io;
use std::os::fd::AsFd;

/// The process that connected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// User id of the process.
    pub uid: u32,
    /// Number of the process (pid).
    pub pid: u32,
}

/// Asks the kernel (SO_PEERCRED): the answer cannot be forged.
pub fn peer_of(connection: impl AsFd) -> io::Result<Peer> {
    let credentials = rustix::net::sockopt::socket_peercred(connection)?;
    Ok(Peer { uid: credentials.uid.as_raw(), pid: credentials.pid.as_raw_nonzero().get().unsigned_abs() })
}

impl Peer {
    /// May act on processes of this user: the user and root, who could anyway.
    pub fn may_act(self) -> bool {
        self.may_act_for(rustix::process::geteuid().as_raw())
    }

    fn may_act_for(self, owner: u32) -> bool {
        self.uid == owner || self.uid == 0
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn the_kernel_names_this_process_at_both_ends() {
        let (one, other) = UnixStream::pair().unwrap();
        let me = Peer { uid: rustix::process::geteuid().as_raw(), pid: std::process::id() };
        assert_eq!(peer_of(&one).unwrap(), me);
        assert_eq!(peer_of(&other).unwrap(), me);
        assert!(me.may_act());
    }

    #[test]
    fn only_the_owner_and_root_may_act() {
        let peer = |uid| Peer { uid, pid: 1 };
        assert!(peer(1000).may_act_for(1000));
        assert!(peer(0).may_act_for(1000));
        assert!(!peer(1001).may_act_for(1000));
        assert!(!peer(1000).may_act_for(0));
    }
}

//! Sockets between the processes: framing, peers, servers and clients.

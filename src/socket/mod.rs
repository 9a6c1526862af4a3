//! Sockets between the processes: framing, peers, servers and clients.

pub mod address;
pub mod connect;
pub mod control_client;
pub mod control_server;
pub mod error;
pub mod frame;
pub mod holder_client;
pub mod listen;
pub mod peer;

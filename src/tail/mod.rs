//! Growing files: reading on from where one stopped, and being notified when to.

pub mod error;
pub mod filesystem;
pub mod follower;
pub mod lines;
pub mod matching;
pub mod poller;
pub mod renames;
pub mod settling;
pub mod watcher;

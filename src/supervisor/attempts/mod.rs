//! One attempt from its launch to its judged end.

pub(super) mod container_clients;
pub(super) mod engine;
pub(super) mod foreign_work;
pub(super) mod holder_requests;
pub(super) mod holders;
pub(super) mod judgement;
pub(super) mod last_sign;
pub(super) mod launch;
pub(super) mod newest_log;

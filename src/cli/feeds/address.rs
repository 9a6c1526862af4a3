//! Where a server listens, and the remark on one that others can reach.

use std::convert::Infallible;
use std::future::Future;
use std::net::SocketAddr;

use tokio::net::TcpListener;

use crate::cli::error::CliError;
use crate::cli::output;
use crate::web::server;

/// Listens at an address; one that other machines reach is remarked on.
pub async fn bind(wanted: SocketAddr) -> Result<(TcpListener, SocketAddr), CliError> {
    let bound = server::listen(wanted).await.map_err(|error| {
        CliError::unreachable(format!("cannot listen at {wanted}: {error}"))
            .with_hint("another port may be free: port 0 is any free one")
    })?;
    if !bound.1.ip().is_loopback() {
        output::print_message(&format!(
            "warning: {} can be reached from other machines, and nothing is encrypted",
            bound.1
        ));
    }
    Ok(bound)
}

/// Waits for a server, which ends only when it cannot go on.
pub async fn wait_for(
    server: impl Future<Output = std::io::Result<Infallible>>,
) -> Result<Infallible, CliError> {
    server.await.map_err(CliError::system("serve"))
}

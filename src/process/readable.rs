//! A descriptor of this process that an event loop can wait for.

use std::io;
use std::os::fd::OwnedFd;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// Registers a descriptor with the running event loop; pidfds and pipes are waited for in this way.
pub fn register_descriptor(descriptor: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    // SAFETY: the descriptor is owned, so it stays open and the same until the AsyncFd that owns it is dropped.
    #[expect(unsafe_code, reason = "the loop cannot know that a descriptor stays open; an owned one does")]
    let registered = unsafe { AsyncFd::register_with_interest(descriptor, Interest::READABLE) };
    registered.map_err(|refused| refused.into_parts().1)
}

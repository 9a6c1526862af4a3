//! Connecting to a socket without waiting for ever on a process that is stopped or swamped.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use super::error::SocketError;

/// A blocking stream with this time-out for each read and write.
pub fn connect_within(path: &Path, timeout: Duration) -> Result<UnixStream, SocketError> {
    let failed = |source: io::Error| SocketError::io("connect to", path)(source);
    let refused = |errno: Errno| failed(errno.into());
    let address = SocketAddrUnix::new(path).map_err(refused)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).map_err(refused)?;
    let deadline = Instant::now() + timeout;
    loop {
        match connect(&socket, &address) {
            Ok(()) => break,
            // The queue of the listener is full; the kernel offers no way to be notified when it is not.
            Err(Errno::AGAIN) if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
            Err(Errno::AGAIN) => return Err(timed_out(path, timeout)),
            Err(errno) => return Err(refused(errno)),
        }
    }
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false).map_err(failed)?;
    // A time-out of zero would mean to wait for ever.
    let timeout = Some(timeout.max(Duration::from_millis(1)));
    stream.set_read_timeout(timeout).and_then(|()| stream.set_write_timeout(timeout)).map_err(failed)?;
    Ok(stream)
}

/// An error of a read or write on a stream from [`connect_within`].
pub fn stream_error(path: &Path, timeout: Duration, error: io::Error) -> SocketError {
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => timed_out(path, timeout),
        _ => SocketError::io("talk to", path)(error),
    }
}

fn timed_out(path: &Path, timeout: Duration) -> SocketError {
    SocketError::TimedOut { path: path.to_owned(), seconds: timeout.as_secs_f64() }
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixListener;

    use super::*;

    #[test]
    fn nobody_listening_and_a_full_queue_are_told_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let timeout = Duration::from_millis(30);
        assert!(matches!(connect_within(&path, timeout), Err(SocketError::Absent { .. })));
        let listener = UnixListener::bind(&path).unwrap();
        rustix::net::listen(&listener, 0).unwrap();
        let first = connect_within(&path, timeout).unwrap();
        assert!(matches!(connect_within(&path, timeout), Err(SocketError::TimedOut { .. })));
        drop((first, listener));
        assert!(matches!(connect_within(&path, timeout), Err(SocketError::Absent { .. })));
    }
}

#!/usr/bin/env python3
"""A folder as a file server shows it: late_share.py SOURCE TARGET SECONDS CONTROL mounts SOURCE at TARGET, once for each machine.

Locks are local to a mount, because this file system has no calls for them. Names, sizes and times that other machines
changed are seen up to SECONDS later; what was opened is read as it is. While the file CONTROL/hang is there every call blocks;
while CONTROL/full is, nothing can be written. Needs fusepy and libfuse."""

import errno
import os
import sys
import threading
import time

import fuse

FIELDS = ("st_atime", "st_blocks", "st_ctime", "st_gid", "st_ino", "st_mode", "st_mtime", "st_nlink", "st_rdev", "st_size", "st_uid")
WRITES = {"create", "mkdir", "rename", "symlink", "truncate", "write"}


class LateShare(fuse.Operations):
    def __init__(self, source, seconds, control):
        # The mount may hide the path later.
        self.root = f"/proc/self/fd/{os.open(source, os.O_PATH | os.O_DIRECTORY)}"
        self.seconds, self.control = seconds, control
        self.listings, self.lock = {}, threading.Lock()

    def __call__(self, operation, path, *arguments):
        while os.path.exists(f"{self.control}/hang"):
            time.sleep(0.05)
        if operation in WRITES and os.path.exists(f"{self.control}/full"):
            raise fuse.FuseOSError(errno.ENOSPC)
        if not hasattr(self, operation):
            raise fuse.FuseOSError(errno.ENOSYS)
        try:
            return getattr(self, operation)(path, *arguments)
        except OSError as error:
            raise fuse.FuseOSError(error.errno) from error

    def real(self, path):
        return self.root + path

    def forget(self, *paths):
        """What this machine changed itself it sees at once."""
        with self.lock:
            for path in paths:
                self.listings.pop(os.path.dirname(path), None)

    def readdir(self, path, handle):
        now = time.monotonic()
        with self.lock:
            read, names = self.listings.get(path, (0.0, None))
        if names is None or now - read > self.seconds:
            names = [".", "..", *os.listdir(self.real(path))]
            with self.lock:
                self.listings[path] = (now, names)
        return names

    def getattr(self, path, handle=None):
        found = os.lstat(self.real(path))
        return {field: getattr(found, field) for field in FIELDS}

    def statfs(self, path):
        found = os.statvfs(self.real(path))
        return {field: getattr(found, field) for field in dir(found) if field.startswith("f_") and field != "f_fsid"}

    def access(self, path, mode):
        if not os.access(self.real(path), mode):
            raise OSError(errno.EACCES, path)

    def readlink(self, path):
        return os.readlink(self.real(path))

    def mkdir(self, path, mode):
        os.mkdir(self.real(path), mode)
        self.forget(path)

    def rmdir(self, path):
        os.rmdir(self.real(path))
        self.forget(path)

    def unlink(self, path):
        os.unlink(self.real(path))
        self.forget(path)

    def symlink(self, path, target):
        os.symlink(target, self.real(path))
        self.forget(path)

    def link(self, path, target):
        os.link(self.real(target), self.real(path))
        self.forget(path)

    def rename(self, old, new):
        os.rename(self.real(old), self.real(new))
        self.forget(old, new)

    def chmod(self, path, mode):
        os.chmod(self.real(path), mode)

    def chown(self, path, user, group):
        os.chown(self.real(path), user, group, follow_symlinks=False)

    def utimens(self, path, times=None):
        os.utime(self.real(path), times, follow_symlinks=False)

    def truncate(self, path, length, handle=None):
        os.truncate(self.real(path), length)

    def create(self, path, mode, info=None):
        opened = os.open(self.real(path), os.O_RDWR | os.O_CREAT, mode)
        self.forget(path)
        return opened

    def open(self, path, flags):
        # Where to append is decided by each machine's own idea of the length, as on NFS.
        return os.open(self.real(path), flags & ~(os.O_APPEND | os.O_CREAT | os.O_EXCL))

    def read(self, path, size, offset, handle):
        return os.pread(handle, size, offset)

    def write(self, path, data, offset, handle):
        return os.pwrite(handle, data, offset)

    def flush(self, path, handle):
        return 0

    def fsync(self, path, only_data, handle):
        (os.fdatasync if only_data else os.fsync)(handle)
        return 0

    def release(self, path, handle):
        os.close(handle)
        return 0


if __name__ == "__main__":
    source, target, seconds, control = sys.argv[1], sys.argv[2], float(sys.argv[3]), sys.argv[4]
    fuse.FUSE(
        LateShare(source, seconds, control),
        target,
        foreground=True,
        allow_other=True,
        default_permissions=True,
        use_ino=True,
        fsname="late",
        entry_timeout=seconds,
        attr_timeout=seconds,
        negative_timeout=seconds,
    )

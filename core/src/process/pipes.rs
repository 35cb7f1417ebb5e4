//! Pipes between this process and a command, all closed on exec, none on descriptors 0 to 2.

use rustix::fd::OwnedFd;
use rustix::fs::OFlags;
use rustix::io::Errno;
use std::os::fd::AsRawFd;

/// A pipe: its reading and its writing end.
pub(super) fn pipe() -> Result<(OwnedFd, OwnedFd), Errno> {
    #[cfg(not(target_vendor = "apple"))]
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    #[cfg(target_vendor = "apple")]
    let (read, write) = {
        let (read, write) = rustix::pipe::pipe()?;
        rustix::io::fcntl_setfd(&read, rustix::io::FdFlags::CLOEXEC)?;
        rustix::io::fcntl_setfd(&write, rustix::io::FdFlags::CLOEXEC)?;
        (read, write)
    };
    Ok((lift(read, 3)?, lift(write, 3)?))
}

/// Moves a descriptor to `least` or above. A host that closed its standard streams would otherwise write into
/// our pipes, and the child's standard streams could overwrite them.
pub(super) fn lift(fd: OwnedFd, least: i32) -> Result<OwnedFd, Errno> {
    if fd.as_raw_fd() >= least { Ok(fd) } else { rustix::io::fcntl_dupfd_cloexec(&fd, least) }
}

/// Makes reading and writing return at once. Belongs to this end of the pipe alone: the other end keeps
/// blocking.
pub(super) fn nonblocking(fd: &OwnedFd) -> Result<(), Errno> {
    rustix::fs::fcntl_setfl(fd, OFlags::NONBLOCK)
}

/// Occupies the standard descriptors that are closed, for as long as the result lives, so that nothing else
/// lands on them.
pub(crate) fn occupy_standard() -> Vec<OwnedFd> {
    let mut places = Vec::new();
    while let Ok(fd) =
        rustix::fs::open("/dev/null", OFlags::RDWR | OFlags::CLOEXEC, rustix::fs::Mode::empty())
    {
        if fd.as_raw_fd() > 2 {
            break;
        }
        places.push(fd);
    }
    places
}

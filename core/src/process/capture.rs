//! Reading what a command writes.

use super::{Captured, pipes};
use rustix::buffer::spare_capacity;
use rustix::fd::OwnedFd;
use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use std::mem::MaybeUninit;
use std::sync::Arc;

const FIRST: usize = 4 << 10;
const CHUNK: usize = 64 << 10;
/// How much one call reads at most, so that a command that writes without end does not keep the thread from
/// its deadlines.
const BUDGET: usize = 2 << 20;

/// One output of a command: the pipe, until it ends, and what came out of it.
pub(super) struct Stream {
    fd: Option<Arc<OwnedFd>>,
    captured: Captured,
    limit: usize,
}

impl Stream {
    /// A new pipe: the stream that reads it, and the end for the command.
    pub(super) fn pipe(limit: usize) -> Result<(Self, OwnedFd), Errno> {
        let (read, write) = pipes::pipe()?;
        pipes::nonblocking(&read)?;
        Ok((Self { fd: Some(Arc::new(read)), captured: Captured::default(), limit }, write))
    }

    /// Output that goes nowhere: a stream that has ended, and the end for the command.
    pub(super) fn discard() -> Result<(Self, OwnedFd), Errno> {
        let nowhere = rustix::fs::open("/dev/null", OFlags::WRONLY | OFlags::CLOEXEC, Mode::empty())?;
        Ok((Self { fd: None, captured: Captured::default(), limit: 0 }, pipes::lift(nowhere, 3)?))
    }

    /// The reading end; `None` once everybody has closed the other end.
    pub(super) fn fd(&self) -> Option<&Arc<OwnedFd>> {
        self.fd.as_ref()
    }

    /// Reads what is there. True if there may be more at once.
    pub(super) fn read(&mut self) -> bool {
        let mut budget = BUDGET;
        while let Some(fd) = &self.fd {
            match read_some(fd, &mut self.captured.bytes, self.limit) {
                Ok(0) => self.fd = None,
                Ok(count) => {
                    self.captured.total = self.captured.total.saturating_add(count as u64);
                    budget = budget.saturating_sub(count);
                    if budget == 0 {
                        return true;
                    }
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return false,
                Err(_) => self.fd = None,
            }
        }
        false
    }

    /// Adds what a shell would have written here.
    pub(super) fn append(&mut self, text: &[u8]) {
        let room = self.limit.saturating_sub(self.captured.bytes.len());
        self.captured.bytes.extend(text.iter().take(room));
        self.captured.total = self.captured.total.saturating_add(text.len() as u64);
    }

    /// Takes out what was read until now and goes on.
    pub(super) fn take_so_far(&mut self) -> Captured {
        std::mem::take(&mut self.captured)
    }

    /// Closes the pipe and takes out what was read.
    pub(super) fn take_captured(&mut self) -> Captured {
        self.fd = None;
        std::mem::take(&mut self.captured)
    }
}

/// One read: into `bytes` up to `limit`, else into nowhere.
pub(super) fn read_some(fd: &OwnedFd, bytes: &mut Vec<u8>, limit: usize) -> Result<usize, Errno> {
    let room = limit.saturating_sub(bytes.len());
    if room == 0 {
        let mut nowhere = [MaybeUninit::<u8>::uninit(); CHUNK / 2];
        return rustix::io::read(fd, &mut nowhere).map(|(read, _)| read.len());
    }
    if bytes.capacity() == 0 {
        bytes.reserve_exact(FIRST.min(room));
    } else if bytes.capacity() == bytes.len() {
        bytes.reserve(CHUNK.min(room));
    }
    let count = rustix::io::read(fd, spare_capacity(bytes))?;
    bytes.truncate(limit);
    Ok(count)
}

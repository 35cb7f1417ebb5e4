//! Writing the payload into a command's standard input.

#[cfg(any(target_os = "linux", target_os = "android"))]
use super::payload::Next;
use super::payload::{Payload, Position};
use super::pipes;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use std::io::IoSlice;
use std::sync::Arc;

/// What a pipe holds by default. A longer payload is written by the engine's thread while the command runs.
pub(super) const PIPE_CAPACITY: usize = 64 << 10;
/// What a new pipe holds in any case, so that a write of this size need not be told not to block.
const LEAST_CAPACITY: usize = 4 << 10;
/// From here on a larger pipe pays: the payload's length, and the pipe's.
#[cfg(any(target_os = "linux", target_os = "android"))]
const LARGE: (usize, usize) = (2 << 20, 1 << 20);

/// The writing end of a command's standard input, and what is still to be written.
pub(super) struct Feed {
    fd: Arc<OwnedFd>,
    payload: Payload,
    at: Position,
    written: usize,
    /// The payload's pages go into the pipe as they are.
    lends: bool,
}

/// A filled pipe: the end the command reads from, and what is left to write, if anything.
pub(super) struct Filled {
    pub(super) read: OwnedFd,
    pub(super) rest: Option<Feed>,
}

/// Makes the pipe and writes as much as it takes. We hold the reading end meanwhile, so the write cannot
/// raise SIGPIPE.
pub(super) fn fill(payload: &Payload) -> Result<Filled, Errno> {
    let (read, write) = pipes::pipe()?;
    if payload.is_empty() {
        return Ok(Filled { read, rest: None });
    }
    if payload.len() > LEAST_CAPACITY {
        pipes::nonblocking(&write)?;
    }
    // Refused when the user's pipes hold too much already; then the default has to do.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let lends = payload.len() > LARGE.0 && rustix::pipe::fcntl_setpipe_size(&write, LARGE.1).is_ok();
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let lends = false;
    let mut feed =
        Feed { fd: Arc::new(write), payload: payload.clone(), at: Position::default(), written: 0, lends };
    let done = feed.write();
    Ok(Filled { read, rest: (!done).then_some(feed) })
}

impl Feed {
    /// Input for a pipe that exists already, and that does not block.
    pub(super) fn on(fd: Arc<OwnedFd>, payload: Payload) -> Self {
        Self { fd, payload, at: Position::default(), written: 0, lends: false }
    }

    /// The writing end.
    pub(super) fn fd(&self) -> &Arc<OwnedFd> {
        &self.fd
    }

    /// So many bytes are in the pipe, or were read already.
    pub(super) fn written(&self) -> usize {
        self.written
    }

    /// Writes what fits. True when nothing is left to do: all written, or nobody reads any more.
    ///
    /// Where the reading end is not ours, SIGPIPE must be blocked in the calling thread.
    pub(super) fn write(&mut self) -> bool {
        while !self.payload.is_end(self.at) {
            match self.write_some() {
                Ok(written) => {
                    self.at = self.payload.forward(self.at, written);
                    self.written = self.written.saturating_add(written);
                }
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return false,
                Err(Errno::PIPE) => return true,
                // A kernel or a sandbox that does not lend; copying always works.
                Err(_) if self.lends => self.lends = false,
                Err(_) => return true,
            }
        }
        true
    }

    fn write_some(&self) -> Result<usize, Errno> {
        #[cfg(any(target_os = "linux", target_os = "android"))]
        if self.lends {
            match self.payload.next(self.at) {
                Some(Next::Edge(bytes)) => return rustix::io::write(&self.fd, bytes),
                Some(Next::Pages(chunk, bytes)) => return chunk.splice(bytes, &self.fd),
                None => {}
            }
        }
        let mut slices = [IoSlice::new(&[]); 8];
        let filled = self.payload.gather(self.at, &mut slices);
        rustix::io::writev(&self.fd, slices.get(..filled).unwrap_or_default())
    }
}

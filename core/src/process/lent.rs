//! Memory whose pages may lie in a pipe, so that a large payload reaches its reader without being copied.
//!
//! `vmsplice` puts the pages themselves into the pipe, and nobody can tell when the last reader is done with them: a
//! grandchild may read late, and `splice` and `tee` carry them on into other pipes. So the memory is never waited for.
//! Instead, before it goes back to the allocator, its pages are taken out of the address space: the pipes keep them, as
//! they are, and what the allocator puts at these addresses later lies in other pages. No hook reads another's memory.

#![allow(unsafe_code, reason = "`vmsplice` and `madvise`")]

use std::fmt;
use std::ops::Deref;
#[cfg(any(target_os = "linux", target_os = "android"))]
use std::ops::Range;
use std::sync::atomic::AtomicBool;

/// What can be lent: bytes on the heap that nobody changes.
pub trait Buffer {
    /// The bytes.
    fn bytes(&self) -> &[u8];
    /// Takes the memory out.
    fn take(&mut self) -> Vec<u8>;
}

impl Buffer for String {
    fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }

    fn take(&mut self) -> Vec<u8> {
        std::mem::take(self).into_bytes()
    }
}

impl Buffer for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }

    fn take(&mut self) -> Vec<u8> {
        std::mem::take(self)
    }
}

/// A buffer that can no longer be changed, and whose pages may be lent to pipes. Safe to share between threads.
pub struct Lent<T: Buffer> {
    value: T,
    /// Some page of it is, or was, in a pipe.
    lent: AtomicBool,
}

impl<T: Buffer> Lent<T> {
    /// Takes the buffer over.
    pub fn new(value: T) -> Self {
        Self { value, lent: AtomicBool::new(false) }
    }
}

impl<T: Buffer> Deref for Lent<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Buffer + fmt::Debug> fmt::Debug for Lent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl<T: Buffer> Drop for Lent<T> {
    fn drop(&mut self) {
        if std::mem::take(self.lent.get_mut()) {
            let mut bytes = self.value.take();
            if !detach(&mut bytes) {
                // Lost for good rather than read by a stranger.
                std::mem::forget(bytes);
            }
        }
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
mod system {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::process::simulate;
    use rustix::fd::{AsRawFd, OwnedFd};
    use rustix::io::Errno;

    impl<T: Buffer> Lent<T> {
        /// Puts the whole pages that `bytes`, a part of this buffer, starts with into the pipe `fd`. Does not wait for
        /// room. Returns how many bytes went in.
        pub(in crate::process) fn splice(&self, bytes: &[u8], fd: &OwnedFd) -> Result<usize, Errno> {
            let pages = bytes.get(whole_pages(bytes)).unwrap_or_default();
            if pages.is_empty() || pages.as_ptr() != bytes.as_ptr() {
                return Err(Errno::INVAL);
            }
            if simulate::is(simulate::NO_LENDING) {
                return Err(Errno::NOSYS);
            }
            self.lent.store(true, Ordering::Release);
            let slice = libc::iovec { iov_base: pages.as_ptr().cast_mut().cast(), iov_len: pages.len() };
            // SAFETY: the pages are valid for reads, and the call does not write to them. They are whole pages of
            // memory that is not changed until `detach` has taken them away.
            let count = unsafe { libc::vmsplice(fd.as_raw_fd(), &slice, 1, libc::SPLICE_F_NONBLOCK) };
            usize::try_from(count)
                .map_err(|_| Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO))
        }
    }

    /// The bytes of a memory page.
    fn page_size() -> usize {
        use std::sync::atomic::AtomicUsize;
        static SIZE: AtomicUsize = AtomicUsize::new(0);
        match SIZE.load(Ordering::Relaxed) {
            0 => {
                // SAFETY: takes and returns plain numbers.
                let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
                // A size that no buffer reaches: nothing is lent.
                let size =
                    usize::try_from(size).ok().filter(|size| size.is_power_of_two()).unwrap_or(1 << 30);
                SIZE.store(size, Ordering::Relaxed);
                size
            }
            known => known,
        }
    }

    /// Where in `bytes` its whole pages lie.
    pub(in crate::process) fn whole_pages(bytes: &[u8]) -> Range<usize> {
        let page = page_size();
        let address = bytes.as_ptr() as usize;
        let start = address.wrapping_neg() & (page - 1);
        let end = bytes.len().saturating_sub(address.wrapping_add(bytes.len()) & (page - 1));
        start.min(end)..end
    }

    /// Takes the whole pages of `bytes` out of the address space; the bytes are zero afterwards. False if it cannot be
    /// told that they are gone.
    pub(super) fn detach(bytes: &mut [u8]) -> bool {
        let range = whole_pages(bytes);
        let Some(pages) = bytes.get_mut(range).filter(|pages| !pages.is_empty()) else { return true };
        // Pages of a file or of shared memory would come back the same, and be seen through the pipe for ever.
        let Some(probe) = pages.iter().position(|&byte| byte != 0) else { return false };
        // SAFETY: the memory is exclusively ours, and the call does nothing but set its bytes to zero.
        let code = unsafe { libc::madvise(pages.as_mut_ptr().cast(), pages.len(), libc::MADV_DONTNEED) };
        code == 0 && pages.get(probe) == Some(&0)
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
use system::detach;
#[cfg(any(target_os = "linux", target_os = "android"))]
pub(super) use system::whole_pages;

/// Nothing is lent.
#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn detach(_: &mut [u8]) -> bool {
    true
}

#[cfg(all(test, any(target_os = "linux", target_os = "android")))]
mod tests {
    use super::*;

    #[test]
    fn a_page_in_a_pipe_keeps_its_bytes_whatever_becomes_of_the_memory() {
        let (read, write) = rustix::pipe::pipe().unwrap();
        let buffer = Lent::new(vec![b'x'; 64 << 10]);
        let range = whole_pages(&buffer);
        assert!(range.len() >= 32 << 10, "{range:?}");
        let count = buffer.splice(&buffer[range.start..range.start + (32 << 10)], &write).unwrap();
        assert!(count >= 4096, "{count}");
        drop(buffer);
        // The allocator hands the same memory out again.
        let others = vec![vec![b's'; 64 << 10]; 8];
        let mut bytes = vec![0; count];
        let mut got = 0;
        while got < count {
            got += rustix::io::read(&read, &mut bytes[got..]).unwrap();
        }
        assert!(bytes.iter().all(|&byte| byte == b'x'));
        assert!(others.iter().flatten().all(|&byte| byte == b's'));
    }

    #[test]
    fn detached_memory_is_zero_between_its_edges() {
        let mut bytes = vec![b'x'; 40 << 10];
        let range = whole_pages(&bytes);
        assert!(detach(&mut bytes));
        assert!(bytes[range.clone()].iter().all(|&byte| byte == 0));
        assert!(bytes[..range.start].iter().chain(&bytes[range.end..]).all(|&byte| byte == b'x'));
        assert!(detach(&mut [b'x'; 100]), "no whole page, nothing to do");
        assert!(!detach(&mut vec![0; 40 << 10]), "cannot be told");
    }
}

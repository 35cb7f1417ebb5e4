//! What the kernel offers beyond `waitid` for a process held by descriptor. Linux only; elsewhere everything
//! is "not available".

#![allow(unsafe_code, reason = "system calls that no safe wrapper offers")]

use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::process::Pid;

/// A wait status as the system encodes it.
pub(super) type RawStatus = i32;

#[cfg(target_os = "linux")]
mod system {
    use super::*;
    use crate::process::simulate;
    use rustix::fd::AsRawFd;
    use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

    /// `PIDFD_GET_INFO`, `_IOWR(0xFF, 11, struct pidfd_info)` with the structure's first version of 64 bytes.
    const GET_INFO: libc::c_ulong = 0xC040_FF0B;
    const INFO_EXIT: u64 = 1 << 3;
    const SIGNAL_PROCESS_GROUP: libc::c_uint = 1 << 2;

    /// `struct pidfd_info` of `linux/pidfd.h`, version 0.
    #[repr(C)]
    #[derive(Default)]
    struct Info {
        mask: u64,
        cgroup: u64,
        ids: [u32; 11],
        exit_code: i32,
    }

    /// A descriptor for the process; it becomes readable when the process has exited.
    pub(in crate::process) fn open(pid: Pid) -> Result<OwnedFd, Errno> {
        /// The answer of a kernel that does not know the call does not change.
        static UNKNOWN: AtomicBool = AtomicBool::new(false);
        if UNKNOWN.load(Ordering::Relaxed) || simulate::is(simulate::NO_PIDFD) {
            return Err(Errno::NOSYS);
        }
        match rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()) {
            Ok(fd) => crate::process::pipes::lift(fd, 3),
            Err(errno) => {
                UNKNOWN.fetch_or(errno == Errno::NOSYS, Ordering::Relaxed);
                Err(errno)
            }
        }
    }

    fn info(fd: &OwnedFd) -> Result<Info, Errno> {
        let mut info = Info { mask: INFO_EXIT, ..Info::default() };
        // SAFETY: the request number tells the kernel the size of `info`, which it reads and fills.
        let code = unsafe { libc::ioctl(fd.as_raw_fd(), GET_INFO as _, &mut info) };
        if code == 0 { Ok(info) } else { Err(last_error()) }
    }

    /// The status of a process that has exited and was reaped by anyone.
    pub(in crate::process) fn exit_status(fd: &OwnedFd) -> Option<RawStatus> {
        if simulate::is(simulate::NO_PIDFD_INFO) {
            return None;
        }
        // The record is made when the process is reaped, which may be a moment after the pidfd became
        // readable.
        for round in 0..300 {
            match info(fd) {
                Ok(info) if info.mask & INFO_EXIT != 0 => return Some(info.exit_code),
                Err(Errno::NOTTY | Errno::INVAL) => return None,
                _ if !keeps_exit_status() => return None,
                _ if round < 200 => std::thread::yield_now(),
                _ => std::thread::sleep(std::time::Duration::from_micros(100)),
            }
        }
        None
    }

    /// Whether [`exit_status`] can work here.
    fn keeps_exit_status() -> bool {
        static KNOWN: AtomicU8 = AtomicU8::new(0);
        if simulate::is(simulate::NO_PIDFD_INFO) || simulate::is(simulate::NO_PIDFD) {
            return false;
        }
        match KNOWN.load(Ordering::Relaxed) {
            0 => {
                // Kernel 6.13 has the call and ignores the bit it does not know; 6.15 knows it. A sandbox may
                // refuse the call.
                let answers = Pid::from_raw(std::process::id() as i32)
                    .and_then(|pid| open(pid).ok())
                    .is_some_and(|fd| {
                        !matches!(info(&fd), Err(Errno::NOTTY | Errno::INVAL | Errno::NOSYS | Errno::PERM))
                    });
                let keeps = answers && release() >= (6, 15);
                KNOWN.store(if keeps { 1 } else { 2 }, Ordering::Relaxed);
                keeps
            }
            known => known == 1,
        }
    }

    fn release() -> (u32, u32) {
        let mut name = std::mem::MaybeUninit::<libc::utsname>::zeroed();
        // SAFETY: the structure is valid for writes; all bytes zero is a valid value if the call should fail.
        let name = unsafe {
            libc::uname(name.as_mut_ptr());
            name.assume_init()
        };
        let text = name.release.iter().map(|&byte| byte as u8 as char).collect::<String>();
        let mut numbers = text.split(|c: char| !c.is_ascii_digit()).map(|number| number.parse().unwrap_or(0));
        (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
    }

    /// Sends a signal (0: none, only asks) to the process group that the process leads or led. Cannot hit
    /// another group, however often ids were reused. Kernel 6.9.
    pub(in crate::process) fn signal_group(fd: &OwnedFd, signal: libc::c_int) -> Result<(), Errno> {
        if simulate::is(simulate::NO_PIDFD_GROUP) {
            return Err(Errno::INVAL);
        }
        let no_info = std::ptr::null::<libc::siginfo_t>();
        // SAFETY: the call takes a descriptor, a number, an optional structure that is left out, and flags.
        let code = unsafe {
            libc::syscall(libc::SYS_pidfd_send_signal, fd.as_raw_fd(), signal, no_info, SIGNAL_PROCESS_GROUP)
        };
        if code == 0 { Ok(()) } else { Err(last_error()) }
    }

    fn last_error() -> Errno {
        Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::*;

    pub(in crate::process) fn open(_: Pid) -> Result<OwnedFd, Errno> {
        Err(Errno::NOSYS)
    }
    pub(in crate::process) fn exit_status(_: &OwnedFd) -> Option<RawStatus> {
        None
    }
    pub(in crate::process) fn signal_group(_: &OwnedFd, _: libc::c_int) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }
}

pub(super) use system::{exit_status, open, signal_group};

//! Starting a process by `clone` itself, as `vfork` does: the child borrows our memory until it is another program.
//!
//! Does what [`spawn_raw`](super::spawn_raw) asks of `posix_spawn`, in fewer system calls: the C library asks for
//! the disposition of each signal before it resets it, and maps a stack for each child. With the child comes its
//! pidfd, so that not even a thread that waits for all children can take the status away before we hold it.
//!
//! Only for systems where it was tested; elsewhere nothing is available.

#![allow(unsafe_code, reason = "a system call that returns twice")]

use super::spawn::{Image, Process};
use rustix::io::Errno;

#[cfg(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64"))]
mod system {
    use super::*;
    use crate::process::{pipes, simulate, terminal};
    use rustix::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
    use rustix::process::{Pid, WaitId, WaitIdOptions};
    use std::arch::asm;
    use std::ffi::{c_char, c_int, c_long};
    use std::ptr::{null, null_mut};
    use std::sync::atomic::{AtomicI32, Ordering};

    /// `clone` knows no more flags than fit in here.
    const VFORK: c_int = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
    /// How many signals the kernel knows, and the size of a set of them.
    const SIGNALS: usize = 64;
    const SET_BYTES: usize = 8;
    /// What a shell says when it cannot start a program; nobody sees it.
    const FAILED: usize = 127;

    pub(in crate::process) fn is_available() -> bool {
        !simulate::is(simulate::NO_VFORK | simulate::NO_CHDIR)
    }

    /// What the child needs to know. It allocates nothing, for another thread may hold the allocator's lock.
    struct Birth<'a> {
        file: *const c_char,
        argv: *const *const c_char,
        envp: *const *const c_char,
        directory: *const c_char,
        descriptors: &'a [Option<(BorrowedFd<'a>, i32)>],
        /// A session of its own instead of only a process group.
        session: bool,
        no_signals: u64,
        by_default: KernelAction,
        /// The child's word to the parent, if it fails: the number of an error.
        failure: AtomicI32,
    }

    /// `struct sigaction` as the kernel has it; all zero is the default.
    #[repr(C)]
    #[derive(Default)]
    struct KernelAction {
        handler: usize,
        flags: usize,
        restorer: usize,
        mask: u64,
    }

    /// Starts the process. Returns when it has successfully passed exec.
    pub(in crate::process) fn start(image: &Image<'_>) -> Result<Process, Errno> {
        let birth = Birth {
            file: image.file.as_ptr(),
            argv: image.argv.as_ptr().cast(),
            envp: image.envp.as_ptr().cast(),
            directory: image.directory.map_or(null(), |directory| directory.as_ptr()),
            descriptors: &image.descriptors,
            session: terminal::is_controlled(),
            no_signals: 0,
            by_default: KernelAction::default(),
            failure: AtomicI32::new(0),
        };
        let wants_pidfd = !simulate::is(simulate::NO_PIDFD);
        // A signal that arrived in the child before its handlers are gone would run one of the host, in the host's
        // memory.
        let before = block_signals();
        let born = match bear(&birth, wants_pidfd) {
            // A sandbox that does not know the flag, or no descriptor is free.
            Err(_) if wants_pidfd => bear(&birth, false),
            born => born,
        };
        restore_signals(before);
        let process = born?;
        match birth.failure.load(Ordering::Relaxed) {
            0 => Ok(process),
            failure => {
                let exited = WaitIdOptions::EXITED;
                while let Err(Errno::INTR) = rustix::process::waitid(WaitId::Pid(process.pid), exited) {}
                Err(Errno::from_raw_os_error(failure))
            }
        }
    }

    /// The call that returns twice. Asynchronous signals must be blocked.
    fn bear(birth: &Birth<'_>, wants_pidfd: bool) -> Result<Process, Errno> {
        let mut pidfd: c_int = -1;
        let flags = if wants_pidfd { VFORK | libc::CLONE_PIDFD } else { VFORK };
        let result: isize;
        // SAFETY: without a stack of its own the child goes on below ours while this thread stands still
        // (CLONE_VFORK), until it has become another program or exited; so it may overwrite nothing but what lies
        // below the stack pointer, and that is nobody's: this block is not `nostack`, so there is no red zone in
        // use and the stack is aligned for a call. It never returns from `child`. Our registers are the
        // kernel's to keep; it changes only rax, rcx and r11. `birth` lives and does not move meanwhile, and the
        // kernel writes the pidfd into a variable of the size it wants.
        unsafe {
            asm!(
                "syscall",
                "test rax, rax",
                "jnz 2f",
                "mov rdi, r12",
                "call r13",
                "ud2",
                "2:",
                inlateout("rax") libc::SYS_clone as isize => result,
                in("rdi") flags as isize,
                in("rsi") 0,
                in("rdx") &mut pidfd,
                in("r10") 0,
                in("r8") 0,
                in("r12") birth,
                in("r13") child as extern "C" fn(&Birth<'_>) -> !,
                lateout("rcx") _,
                lateout("r11") _,
            );
        }
        let number = i32::try_from(result).unwrap_or(-libc::EIO);
        if number <= 0 {
            return Err(Errno::from_raw_os_error(-number));
        }
        let pid = Pid::from_raw(number).ok_or(Errno::SRCH)?;
        // SAFETY: the kernel has just opened this descriptor for us, and nobody else knows of it.
        let pidfd = (pidfd >= 0).then(|| unsafe { OwnedFd::from_raw_fd(pidfd) });
        Ok(Process { pid, pidfd: pidfd.and_then(|pidfd| pipes::lift(pidfd, 3).ok()) })
    }

    /// The child's life before exec. Only calls of the system: nothing that locks, allocates or panics.
    extern "C" fn child(birth: &Birth<'_>) -> ! {
        // SAFETY: plain system calls on numbers, and on texts and lists that `birth` keeps. The last one ends this
        // process, as one of its own, without a look at anything that belongs to the parent.
        unsafe {
            if !become_program(birth) {
                birth.failure.store(*libc::__errno_location(), Ordering::Relaxed);
            }
            loop {
                call(libc::SYS_exit_group, [FAILED, 0, 0, 0]);
            }
        }
    }

    /// Returns, with false, if something failed; `errno` says what.
    ///
    /// # Safety
    ///
    /// Only in a child with its own descriptors, signal handlers and directory, and as [`Birth`] promises.
    unsafe fn become_program(birth: &Birth<'_>) -> bool {
        let by_default = std::ptr::from_ref(&birth.by_default) as usize;
        // SAFETY: as promised by the caller; the dispositions are those of this process alone.
        unsafe {
            for signal in 1..=SIGNALS {
                // Fails for SIGKILL and SIGSTOP, which are always by default.
                call(libc::SYS_rt_sigaction, [signal, by_default, 0, SET_BYTES]);
            }
            let grouped = if birth.session { libc::SYS_setsid } else { libc::SYS_setpgid };
            if !call(grouped, [0; 4]) {
                return false;
            }
            for (fd, target) in birth.descriptors.iter().flatten() {
                if !call(libc::SYS_dup2, [fd.as_raw_fd() as usize, *target as usize, 0, 0]) {
                    return false;
                }
            }
            if !birth.directory.is_null() && !call(libc::SYS_chdir, [birth.directory as usize, 0, 0, 0]) {
                return false;
            }
            set_mask(&birth.no_signals, null_mut());
            call(libc::SYS_execve, [birth.file as usize, birth.argv as usize, birth.envp as usize, 0])
        }
    }

    /// A call of the system, past what a host may have put over the C library's functions (`LD_PRELOAD`). False, and
    /// `errno`, if it failed.
    ///
    /// # Safety
    ///
    /// As the call asks.
    unsafe fn call(number: c_long, [a, b, c, d]: [usize; 4]) -> bool {
        // SAFETY: as promised by the caller.
        unsafe { libc::syscall(number, a, b, c, d) >= 0 }
    }

    /// Blocks all signals, also those that the C library keeps for itself. Returns what was blocked before.
    fn block_signals() -> u64 {
        let (all, mut before) = (u64::MAX, 0);
        // SAFETY: both sets have the size that the call is told.
        unsafe { set_mask(&all, &mut before) };
        before
    }

    fn restore_signals(before: u64) {
        // SAFETY: the set has the size that the call is told.
        unsafe { set_mask(&before, null_mut()) };
    }

    /// # Safety
    ///
    /// Both are sets of [`SIGNALS`]; `before` may be null.
    unsafe fn set_mask(mask: &u64, before: *mut u64) -> c_long {
        // SAFETY: as promised by the caller. The kernel's own call, since the C library's leaves signals out.
        unsafe { libc::syscall(libc::SYS_rt_sigprocmask, libc::SIG_SETMASK, mask, before, SET_BYTES) }
    }
}

#[cfg(not(all(target_os = "linux", target_arch = "x86_64", target_pointer_width = "64")))]
mod system {
    use super::*;

    pub(in crate::process) fn is_available() -> bool {
        false
    }
    pub(in crate::process) fn start(_: &Image<'_>) -> Result<Process, Errno> {
        Err(Errno::NOSYS)
    }
}

pub(super) use system::{is_available, start};

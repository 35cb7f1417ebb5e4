//! Starting a process by the `posix_spawn` of the C library.

#![allow(unsafe_code, reason = "`posix_spawn`")]

use super::spawn::{Image, Process};
use super::{simulate, terminal};
use rustix::fd::{AsRawFd, BorrowedFd};
use rustix::io::Errno;
use rustix::process::Pid;
use std::ffi::CStr;
use std::mem::MaybeUninit;
#[cfg(not(target_env = "musl"))]
use std::sync::atomic::{AtomicPtr, Ordering};

fn check(code: libc::c_int) -> Result<(), Errno> {
    if code == 0 { Ok(()) } else { Err(Errno::from_raw_os_error(code)) }
}

/// Starts the process. Returns when it has successfully passed exec.
pub(super) fn start(image: &Image<'_>) -> Result<Process, Errno> {
    let mut actions = Actions::new()?;
    for (fd, target) in image.descriptors.iter().flatten() {
        actions.dup2(*fd, *target)?;
    }
    if let Some(directory) = image.directory {
        actions.chdir(directory)?;
    }
    let attributes = Attributes::new()?;
    let mut pid = 0;
    // SAFETY: both lists end with a null pointer and point to texts that end with NUL and outlive the call; the
    // child does not write to them. The two objects are initialised.
    check(unsafe {
        let (argv, envp) = (image.argv.as_ptr().cast(), image.envp.as_ptr().cast());
        libc::posix_spawn(&mut pid, image.file.as_ptr(), &actions.0, &attributes.0, argv, envp)
    })?;
    Ok(Process { pid: Pid::from_raw(pid).ok_or(Errno::SRCH)?, pidfd: None })
}

/// Whether a process can be started in a directory of its own.
pub(super) fn can_enter() -> bool {
    addchdir().is_some()
}

/// What the child does with its descriptors and its directory before exec.
struct Actions(libc::posix_spawn_file_actions_t);

impl Actions {
    fn new() -> Result<Self, Errno> {
        let mut actions = MaybeUninit::uninit();
        // SAFETY: the pointer is valid for writes; on success the object is initialised.
        check(unsafe { libc::posix_spawn_file_actions_init(actions.as_mut_ptr()) })?;
        // SAFETY: initialised by the call above, which succeeded.
        Ok(Self(unsafe { actions.assume_init() }))
    }

    /// `fd` becomes the child's `target`. They must differ, or the descriptor would be closed on exec.
    fn dup2(&mut self, fd: BorrowedFd<'_>, target: i32) -> Result<(), Errno> {
        // SAFETY: the object is initialised; descriptors are plain numbers here.
        check(unsafe { libc::posix_spawn_file_actions_adddup2(&mut self.0, fd.as_raw_fd(), target) })
    }

    /// The child enters `directory`.
    fn chdir(&mut self, directory: &CStr) -> Result<(), Errno> {
        let add = addchdir().ok_or(Errno::NOSYS)?;
        // SAFETY: the object is initialised, the text ends with NUL and is copied by the call.
        check(unsafe { add(&mut self.0, directory.as_ptr()) })
    }
}

impl Drop for Actions {
    fn drop(&mut self) {
        // SAFETY: the object is initialised and not used again.
        unsafe { libc::posix_spawn_file_actions_destroy(&mut self.0) };
    }
}

type AddChdir =
    unsafe extern "C" fn(*mut libc::posix_spawn_file_actions_t, *const libc::c_char) -> libc::c_int;

/// Nothing can be looked up in a static program; musl has the function since 1.1.24.
#[cfg(target_env = "musl")]
fn addchdir() -> Option<AddChdir> {
    (!simulate::is(simulate::NO_CHDIR)).then_some(libc::posix_spawn_file_actions_addchdir_np)
}

/// glibc has the function since 2.29; looked up so that the library also loads where it is missing.
#[cfg(not(target_env = "musl"))]
fn addchdir() -> Option<AddChdir> {
    static FOUND: AtomicPtr<libc::c_void> = AtomicPtr::new(std::ptr::null_mut());
    if simulate::is(simulate::NO_CHDIR) {
        return None;
    }
    let mut function = FOUND.load(Ordering::Relaxed);
    if function.is_null() {
        // SAFETY: the name ends with NUL; the default search order is asked.
        function =
            unsafe { libc::dlsym(libc::RTLD_DEFAULT, c"posix_spawn_file_actions_addchdir_np".as_ptr()) };
        FOUND.store(function, Ordering::Relaxed);
    }
    // SAFETY: a symbol of this name is the libc function of this type.
    (!function.is_null()).then(|| unsafe { std::mem::transmute::<*mut libc::c_void, AddChdir>(function) })
}

/// A process group of its own, in a session of its own where there is a terminal to keep away from; no signal
/// blocked, all signals as they are by default.
struct Attributes(libc::posix_spawnattr_t);

impl Attributes {
    fn new() -> Result<Self, Errno> {
        let mut attributes = MaybeUninit::uninit();
        // SAFETY: the pointer is valid for writes; on success the object is initialised.
        check(unsafe { libc::posix_spawnattr_init(attributes.as_mut_ptr()) })?;
        // SAFETY: initialised by the call above, which succeeded.
        let mut attributes = Self(unsafe { attributes.assume_init() });
        let mut signals = MaybeUninit::uninit();
        // SAFETY: the pointer is valid for writes, and the call initialises the set.
        let empty = unsafe {
            libc::sigemptyset(signals.as_mut_ptr());
            signals.assume_init()
        };
        // SAFETY: both objects are initialised.
        check(unsafe { libc::posix_spawnattr_setsigmask(&mut attributes.0, &empty) })?;
        // SAFETY: the pointer is valid for writes, and the call initialises the set.
        let all = unsafe {
            libc::sigfillset(signals.as_mut_ptr());
            // On some systems asking for a signal that cannot be set is an error.
            libc::sigdelset(signals.as_mut_ptr(), libc::SIGKILL);
            libc::sigdelset(signals.as_mut_ptr(), libc::SIGSTOP);
            signals.assume_init()
        };
        // SAFETY: both objects are initialised.
        check(unsafe { libc::posix_spawnattr_setsigdefault(&mut attributes.0, &all) })?;
        let flags = libc::POSIX_SPAWN_SETSIGMASK as libc::c_int | libc::POSIX_SPAWN_SETSIGDEF as libc::c_int;
        // Without pipe2 a descriptor may be without its close-on-exec flag for a moment.
        #[cfg(target_vendor = "apple")]
        let flags = flags | libc::POSIX_SPAWN_CLOEXEC_DEFAULT as libc::c_int;
        if !terminal::is_controlled() || attributes.set(flags | SETSID).is_err() {
            // Not needed, or an old libc without sessions: a process group of its own. Its id 0, the child's
            // own, is the default.
            attributes.set(flags | libc::POSIX_SPAWN_SETPGROUP as libc::c_int)?;
        }
        Ok(attributes)
    }

    fn set(&mut self, flags: libc::c_int) -> Result<(), Errno> {
        // SAFETY: the object is initialised.
        check(unsafe { libc::posix_spawnattr_setflags(&mut self.0, flags as libc::c_short) })
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
const SETSID: libc::c_int = libc::POSIX_SPAWN_SETSID as libc::c_int;
#[cfg(target_vendor = "apple")]
const SETSID: libc::c_int = 0x400;
#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
const SETSID: libc::c_int = libc::POSIX_SPAWN_SETPGROUP as libc::c_int;

impl Drop for Attributes {
    fn drop(&mut self) {
        // SAFETY: the object is initialised and not used again.
        unsafe { libc::posix_spawnattr_destroy(&mut self.0) };
    }
}

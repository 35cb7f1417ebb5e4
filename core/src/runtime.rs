//! The engine's own thread: started on first need, deaf to signals, forgotten in forked children, ended on
//! demand.

#![allow(unsafe_code, reason = "the signal mask of new threads")]

use crate::process::per_process::{PerProcess, ProcessId};
use std::cell::Cell;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::Notify;

const NAME: &str = "crosshook-engine";
const STACK: usize = 2 << 20;
/// How often [`shutdown`] looks whether the last process is gone.
#[cfg(unix)]
const TICK: Duration = Duration::from_millis(1);

static ENGINE: PerProcess<Engine> = PerProcess::new();

thread_local! {
    /// The process in which the current thread is the engine's.
    static HERE: Cell<Option<ProcessId>> = const { Cell::new(None) };
}

/// The engine of one process.
#[derive(Default)]
struct Engine {
    running: Mutex<Option<Running>>,
    closing: Mutex<usize>,
}

struct Running {
    handle: Handle,
    thread: JoinHandle<()>,
    stop: Arc<Stop>,
}

/// The end of an engine's thread: asked for, and reached.
#[derive(Default)]
struct Stop {
    asked: AtomicBool,
    bell: Notify,
    over: Mutex<bool>,
    changed: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A handle to the engine's reactor and timers, starting its thread if there is none. Fails when the system
/// refuses the thread or its descriptors, and during [`shutdown`]. Valid in this process until the shutdown.
pub fn handle() -> io::Result<Handle> {
    if is_engine_thread() {
        return Handle::try_current().map_err(io::Error::other);
    }
    let engine = ENGINE.get();
    // Before the other lock, and held meanwhile: no engine starts behind the back of a shutdown.
    let closing = lock(&engine.closing);
    if *closing > 0 {
        return Err(io::Error::other("the engine is being shut down"));
    }
    let mut running = lock(&engine.running);
    match &*running {
        Some(running) => Ok(running.handle.clone()),
        None => Ok(running.insert(start()?).handle.clone()),
    }
}

/// Runs a future on the engine's thread. It must not block. A panic in it is contained. Fails as [`handle`]
/// does.
pub fn spawn<F>(future: F) -> io::Result<Task<F::Output>>
where
    F: Future + Send + 'static,
    F::Output: Send + 'static,
{
    let handle = handle()?;
    Ok(Task { task: handle.spawn(future), owner: ProcessId::current() })
}

/// A timer on the engine's thread; awaiting it works on any executor. Fails as [`handle`] does.
pub fn timer(duration: Duration) -> io::Result<Task<()>> {
    spawn(async move { tokio::time::sleep(duration).await })
}

/// Whether the calling thread is the engine's.
pub fn is_engine_thread() -> bool {
    HERE.get().is_some_and(ProcessId::is_current)
}

/// A future that runs on the engine's thread, and goes on if this is dropped. May be awaited, aborted and
/// dropped on any thread.
#[derive(Debug)]
pub struct Task<T> {
    task: tokio::task::JoinHandle<T>,
    owner: ProcessId,
}

/// The future of a [`Task`] ended without a result: aborted, shut down, panicked, or left behind in the
/// process that forked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskLost;

impl std::fmt::Display for TaskLost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the task ended without a result")
    }
}

impl std::error::Error for TaskLost {}

impl<T> Task<T> {
    /// Drops the future, soon. Does nothing in a forked child.
    pub fn abort(&self) {
        if self.owner.is_current() {
            self.task.abort();
        }
    }

    /// Whether the future is done or dropped.
    pub fn is_finished(&self) -> bool {
        self.task.is_finished()
    }
}

impl<T> Future for Task<T> {
    type Output = Result<T, TaskLost>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if !self.owner.is_current() {
            return Poll::Ready(Err(TaskLost));
        }
        Pin::new(&mut self.task).poll(context).map_err(|_| TaskLost)
    }
}

/// Ends everything: kills all process groups of commands that still run (wherever they were started, in the
/// background too), waits until they are reaped, and ends the engine's thread with all that runs on it. All
/// within `deadline`.
///
/// Returns whether all of that is done. What is not done by then goes on by itself. While it lasts, no
/// command is started; later, the engine starts anew on first need. On the engine's own thread it does not
/// wait. In a forked child it leaves the parent's alone.
pub fn shutdown(deadline: Duration) -> bool {
    let until = Instant::now().checked_add(deadline);
    let engine = ENGINE.get();
    *lock(&engine.closing) += 1;
    #[cfg(unix)]
    let closing = crate::process::group::Closing::begin();
    let here = is_engine_thread();
    let mut done = kill_all(if here { Some(Instant::now()) } else { until });
    let running = lock(&engine.running).take();
    if let Some(Running { handle, thread, stop }) = running {
        stop.asked.store(true, Ordering::Release);
        stop.bell.notify_one();
        drop(handle);
        // Once the end is reported, joining does not wait for anything more.
        let over = !here && stop.wait(until);
        done = over && thread.join().is_ok() && done;
    }
    #[cfg(unix)]
    drop(closing);
    *lock(&engine.closing) -= 1;
    done
}

/// Kills all groups, again and again for those that were just starting, until none is left.
#[cfg(unix)]
fn kill_all(until: Option<Instant>) -> bool {
    while crate::process::group::kill_all() > 0 {
        if until.is_some_and(|until| Instant::now() >= until) {
            return false;
        }
        std::thread::sleep(TICK);
    }
    true
}

#[cfg(not(unix))]
fn kill_all(_: Option<Instant>) -> bool {
    true
}

impl Stop {
    fn wait(&self, until: Option<Instant>) -> bool {
        let mut over = lock(&self.over);
        while !*over {
            let rest = until
                .map_or(Duration::from_secs(3600), |until| until.saturating_duration_since(Instant::now()));
            if rest.is_zero() {
                return false;
            }
            over = self.changed.wait_timeout(over, rest).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

fn start() -> io::Result<Running> {
    #[cfg(unix)]
    let _places = crate::process::pipes::occupy_standard();
    let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
    let handle = runtime.handle().clone();
    let stop = Arc::new(Stop::default());
    let inside = stop.clone();
    let thread = quiet_thread(NAME, STACK, move || work(runtime, &inside))?;
    Ok(Running { handle, thread, stop })
}

fn work(runtime: Runtime, stop: &Stop) {
    HERE.set(Some(ProcessId::current()));
    runtime.block_on(async {
        while !stop.asked.load(Ordering::Acquire) {
            stop.bell.notified().await;
        }
    });
    // Drops what still runs here, but does not wait for a name look-up that hangs in a thread of its own.
    runtime.shutdown_background();
    *lock(&stop.over) = true;
    stop.changed.notify_all();
}

/// Starts a thread that receives no signal of the host: all but those that the thread's own faults raise are
/// blocked, from its first instruction on.
pub(crate) fn quiet_thread(
    name: &str,
    stack: usize,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<JoinHandle<()>> {
    let builder = std::thread::Builder::new().name(name.to_owned()).stack_size(stack);
    #[cfg(unix)]
    let _mask = mask::Blocked::new();
    builder.spawn(work)
}

#[cfg(unix)]
mod mask {
    use std::mem::MaybeUninit;

    /// The calling thread has all asynchronous signals blocked while this lives; new threads inherit that.
    pub(super) struct Blocked {
        before: Option<libc::sigset_t>,
    }

    const OWN_FAULTS: [libc::c_int; 7] =
        [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGTRAP, libc::SIGSYS, libc::SIGABRT];

    impl Blocked {
        pub(super) fn new() -> Self {
            let mut set = MaybeUninit::uninit();
            let mut before = MaybeUninit::uninit();
            // SAFETY: both pointers are valid for writes; sigfillset initialises the first set,
            // pthread_sigmask the second one if it succeeds.
            let before = unsafe {
                libc::sigfillset(set.as_mut_ptr());
                for signal in OWN_FAULTS {
                    libc::sigdelset(set.as_mut_ptr(), signal);
                }
                (libc::pthread_sigmask(libc::SIG_SETMASK, set.as_ptr(), before.as_mut_ptr()) == 0)
                    .then(|| before.assume_init())
            };
            Self { before }
        }
    }

    impl Drop for Blocked {
        fn drop(&mut self) {
            if let Some(before) = &self.before {
                // SAFETY: the set was filled in by the system.
                unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, before, std::ptr::null_mut()) };
            }
        }
    }
}

//! The workers of an engine: who is idle, who waits for one, and when an idle one ends.
//!
//! They belong to the process that started them: in a forked child there are none.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::Poll;
use std::time::{Duration, Instant};

use tokio::sync::{Semaphore, SemaphorePermit};

use super::stamp::Stamped;
use crate::diagnostic::Code;
use crate::hook::{Hook, WorkerRule};
use crate::process::per_process::PerProcess;
use crate::process::{Cancel, Exit, Worker};
use crate::run::End;
use crate::runtime;

/// So many idle workers of one command are kept at least: they may be in different folders.
const KEPT_IDLE: usize = 4;

static REGISTRY: PerProcess<Registry> = PerProcess::new();

/// The pools of all engines of this process, by the engine's number and the worker's key.
#[derive(Default)]
struct Registry {
    engines: Mutex<HashMap<u64, HashMap<String, Arc<Pool>>>>,
}

/// The workers of one engine. Clones are the same; the workers end with the last one.
#[derive(Clone, Default)]
pub(crate) struct Workers {
    owner: Arc<Owner>,
}

struct Owner {
    number: u64,
}

impl Default for Owner {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Self { number: NEXT.fetch_add(1, Ordering::Relaxed) }
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        let Some(registry) = REGISTRY.existing() else { return };
        // The workers end outside of the lock.
        let pools = lock(&registry.engines).remove(&self.number);
        drop(pools);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Workers {
    /// The pool of all hooks with this rule.
    pub(super) fn pool(&self, rule: &WorkerRule) -> Arc<Pool> {
        let mut engines = lock(&REGISTRY.get().engines);
        let pools = engines.entry(self.owner.number).or_default();
        if let Some(pool) = pools.get(&rule.key) {
            return pool.clone();
        }
        let pool = Arc::new(Pool::new(rule));
        pools.insert(rule.key.clone(), pool.clone());
        pool
    }

    /// Ends the workers of hooks that are gone, or may not run any more.
    pub(crate) fn keep_only(&self, hooks: &[Arc<Hook>]) {
        let Some(registry) = REGISTRY.existing() else { return };
        let wanted = |key: &String| {
            hooks
                .iter()
                .filter(|hook| hook.off.is_none())
                .any(|hook| hook.worker.as_ref().is_some_and(|rule| rule.key == *key))
        };
        let mut gone = Vec::new();
        if let Some(pools) = lock(&registry.engines).get_mut(&self.owner.number) {
            gone.extend(pools.extract_if(|key, _| !wanted(key)));
        }
        drop(gone);
    }
}

/// The workers of one command.
pub(super) struct Pool {
    /// One for each event that may be asked about at the same time.
    places: Semaphore,
    waiting: AtomicUsize,
    most_idle: usize,
    next: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Those used last stand last.
    idle: Vec<Member>,
    /// What is to be said with the next event.
    notes: Vec<(Code, String)>,
}

/// A worker, and what is known of it.
pub(super) struct Member {
    pub(super) worker: Worker,
    seat: Seat,
}

/// What is known of a worker.
pub(super) struct Seat {
    number: u64,
    /// The working directory of the event that it was started for.
    cwd: Option<String>,
    files: Vec<Stamped>,
    asked: u64,
    since: Instant,
    /// It has exited, and nobody looks after it any more. Changed under the pool's lock only.
    gone: Arc<AtomicBool>,
}

impl Seat {
    pub(super) fn with(self, worker: Worker) -> Member {
        Member { worker, seat: self }
    }
}

impl Member {
    pub(super) fn part(self) -> (Worker, Seat) {
        (self.worker, self.seat)
    }

    /// Whether the files that it was started from are still the same.
    pub(super) fn is_current(&mut self) -> bool {
        self.seat.files.iter_mut().all(Stamped::is_current)
    }

    /// The number of the next event that it is asked about.
    pub(super) fn next_id(&mut self) -> u64 {
        self.seat.asked = self.seat.asked.saturating_add(1);
        self.seat.asked
    }
}

impl Pool {
    fn new(rule: &WorkerRule) -> Self {
        Self {
            places: Semaphore::new(rule.max_concurrent),
            waiting: AtomicUsize::new(0),
            most_idle: rule.max_concurrent.max(KEPT_IDLE),
            next: AtomicU64::new(0),
            state: Mutex::default(),
        }
    }

    /// Waits, first come first served, until one more worker may be asked.
    pub(super) async fn enter(
        &self,
        rule: &WorkerRule,
        limit: Duration,
        cancel: &Cancel,
    ) -> Result<SemaphorePermit<'_>, End> {
        if let Ok(place) = self.places.try_acquire() {
            return Ok(place);
        }
        let waiting = Waiting::begin(&self.waiting);
        if waiting.before >= rule.queue {
            let why = format!(
                "all {} of its workers are busy, and {} events wait for them already",
                rule.max_concurrent, waiting.before
            );
            return Err(End::Skipped(Code::WorkerBusy, why));
        }
        let no_thread = |error| End::NotStarted(format!("no engine thread: {error}"));
        let timer = runtime::timer(limit).map_err(no_thread)?;
        let (mut timer, mut cancelled) = (std::pin::pin!(timer), std::pin::pin!(cancel.cancelled()));
        let mut acquire = std::pin::pin!(self.places.acquire());
        let place = std::future::poll_fn(|context| {
            if let Poll::Ready(place) = acquire.as_mut().poll(context) {
                return Poll::Ready(place.map_err(|_| End::Cancelled));
            }
            if cancelled.as_mut().poll(context).is_ready() {
                return Poll::Ready(Err(End::Cancelled));
            }
            timer.as_mut().poll(context).map(|_| {
                let why = format!("its workers were busy with other events for {limit:?}, its whole time");
                Err(End::Skipped(Code::WorkerBusy, why))
            })
        })
        .await;
        timer.abort();
        place
    }

    /// The idle worker of this folder that was used last.
    pub(super) fn take(&self, cwd: Option<&str>) -> Option<Member> {
        let mut state = lock(&self.state);
        let at = state.idle.iter().rposition(|member| member.seat.cwd.as_deref() == cwd)?;
        Some(state.idle.remove(at))
    }

    /// A worker that can be asked again.
    pub(super) fn put(&self, mut member: Member) {
        member.seat.since = Instant::now();
        let mut state = lock(&self.state);
        if member.seat.gone.load(Ordering::Relaxed) {
            drop(state);
            return self.bury(member);
        }
        state.idle.push(member);
        let surplus = if state.idle.len() > self.most_idle { Some(state.idle.remove(0)) } else { None };
        drop(state);
        drop(surplus);
    }

    /// Takes in a worker that was just started, and sees to its end.
    pub(super) fn adopt(
        self: &Arc<Self>,
        worker: Worker,
        cwd: Option<String>,
        files: Vec<Stamped>,
        idle: Duration,
    ) -> std::io::Result<Member> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let keeper = Keeper { pool: Arc::downgrade(self), number, gone: Arc::default(), idle };
        let (exit, gone) = (worker.exit()?, keeper.gone.clone());
        drop(runtime::spawn(keeper.keep(exit))?);
        let seat = Seat { number, cwd, files, asked: 0, since: Instant::now(), gone };
        Ok(seat.with(worker))
    }

    /// What was noticed of workers since the last event.
    pub(super) fn take_notes(&self) -> Vec<(Code, String)> {
        std::mem::take(&mut lock(&self.state).notes)
    }

    /// A worker that was idle has ended.
    fn bury(&self, mut member: Member) {
        if let Some(why) = member.worker.try_end().as_ref().and_then(super::crash) {
            let text = format!("its worker {why} while it waited for the next event; another one is started");
            lock(&self.state).notes.push((Code::WorkerFailed, text));
        }
    }
}

/// Sees to the end of one worker, on the engine's thread.
struct Keeper {
    pool: Weak<Pool>,
    number: u64,
    gone: Arc<AtomicBool>,
    idle: Duration,
}

impl Keeper {
    /// Takes the worker out when it has exited while idle, and ends it when it was idle too long.
    async fn keep(self, exit: Exit) {
        let mut exited = std::pin::pin!(exit.wait());
        let mut until = Instant::now().checked_add(self.idle);
        loop {
            let is_over = match until {
                Some(until) => tokio::time::timeout_at(until.into(), exited.as_mut()).await.is_ok(),
                None => {
                    exited.as_mut().await;
                    true
                }
            };
            let Some(pool) = self.pool.upgrade() else { return };
            if is_over {
                if let Some(member) = self.exited(&pool) {
                    pool.bury(member);
                }
                return;
            }
            match self.expired(&pool) {
                Ok(member) => return drop(member),
                Err(since) => until = since.checked_add(self.idle),
            }
        }
    }

    /// The worker, if it is idle; else whoever asks it finds out, or brings it back to be buried.
    fn exited(&self, pool: &Pool) -> Option<Member> {
        let mut state = lock(&pool.state);
        let at = state.idle.iter().position(|member| member.seat.number == self.number);
        if at.is_none() {
            self.gone.store(true, Ordering::Relaxed);
        }
        at.map(|at| state.idle.remove(at))
    }

    /// The worker, if it was idle too long; else since when it has been, which is now for one that is being asked.
    fn expired(&self, pool: &Pool) -> Result<Member, Instant> {
        let (mut state, now) = (lock(&pool.state), Instant::now());
        let at = state.idle.iter().position(|member| member.seat.number == self.number).ok_or(now)?;
        match state.idle.get(at).map_or(now, |member| member.seat.since) {
            since if now.saturating_duration_since(since) < self.idle => Err(since),
            _ => Ok(state.idle.remove(at)),
        }
    }
}

/// One more that waits.
struct Waiting<'a> {
    count: &'a AtomicUsize,
    before: usize,
}

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicUsize) -> Self {
        Self { count, before: count.fetch_add(1, Ordering::AcqRel) }
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.count.fetch_sub(1, Ordering::AcqRel);
    }
}

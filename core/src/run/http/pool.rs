//! Connections that wait for another request.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::time::{Duration, Instant};

use super::policy::Origin;
use super::wire::Wire;

/// How many wait at once, in all.
const MOST: usize = 32;

/// Idle connections of one client in one process.
pub(super) struct Pool {
    /// The process that opened them.
    owner: u32,
    idle: Mutex<Idle>,
}

#[derive(Default)]
struct Idle {
    /// The one that was used last comes last.
    wires: Vec<(Origin, Wire)>,
    /// Whether a [`sweep`] is under way.
    swept: bool,
}

impl Pool {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { owner: std::process::id(), idle: Mutex::default() })
    }

    /// Takes out a connection to this origin, at an address for which `allowed` holds. It may have died meanwhile.
    pub(super) fn take(&self, origin: &Origin, allowed: impl Fn(IpAddr) -> bool) -> Option<Wire> {
        let mut idle = self.lock()?;
        let now = Instant::now();
        let place = idle
            .wires
            .iter()
            .rposition(|(other, wire)| other == origin && wire.good_until > now && allowed(wire.peer))?;
        Some(idle.wires.remove(place).1)
    }

    /// Keeps a connection that is ready for another request. When there are too many, the one that waited longest is closed.
    pub(super) fn put(self: &Arc<Self>, origin: Origin, wire: Wire) {
        if wire.good_until <= Instant::now() {
            return;
        }
        let Some(mut idle) = self.lock() else { return };
        if idle.wires.len() >= MOST {
            idle.wires.remove(0);
        }
        idle.wires.push((origin, wire));
        if !idle.swept
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            idle.swept = true;
            runtime.spawn(sweep(Swept(Arc::downgrade(self))));
        }
    }

    /// Closes those that have waited too long; says how long until the next one will have.
    fn close_old(&self) -> Option<Duration> {
        let mut idle = self.lock()?;
        let now = Instant::now();
        idle.wires.retain(|(_, wire)| wire.good_until > now);
        let next = idle.wires.iter().map(|(_, wire)| wire.good_until).min();
        idle.swept = next.is_some();
        next.map(|next| next.saturating_duration_since(now))
    }

    /// `None` in a forked child, and when it would have to wait: a connection that is not kept costs little.
    fn lock(&self) -> Option<MutexGuard<'_, Idle>> {
        if self.owner == std::process::id() { self.idle.try_lock().ok() } else { None }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // A forked child has the parent's descriptors and shares its epoll: closing properly would deafen the parent.
        if self.owner != std::process::id()
            && let Ok(idle) = self.idle.get_mut()
        {
            std::mem::forget(std::mem::take(&mut idle.wires));
        }
    }
}

/// Tells the pool when its sweep has ended, however it did: at the end of a runtime, too.
struct Swept(Weak<Pool>);

impl Drop for Swept {
    fn drop(&mut self) {
        if let Some(pool) = self.0.upgrade()
            && let Some(mut idle) = pool.lock()
        {
            idle.swept = false;
        }
    }
}

/// Closes connections when their time is up, until none is left or the client is gone.
async fn sweep(swept: Swept) {
    loop {
        let Some(pool) = swept.0.upgrade() else { return };
        let Some(wait) = pool.close_old() else { return };
        drop(pool);
        // Not to the instant: several are closed at one waking.
        tokio::time::sleep(wait.saturating_add(Duration::from_millis(100))).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_processes_keep_nothing() {
        let parents = Pool { owner: std::process::id().wrapping_add(1), idle: Mutex::default() };
        assert!(parents.lock().is_none());
        assert_eq!(parents.close_old(), None);
    }

    #[test]
    fn a_lock_that_a_fork_left_is_not_waited_for() {
        let pool = Pool::new();
        let held = pool.lock();
        assert!(held.is_some() && pool.lock().is_none());
        let origin = Origin { tls: false, host: "localhost".into(), port: 1 };
        assert!(pool.take(&origin, |_| true).is_none());
    }
}

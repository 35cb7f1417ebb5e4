//! Ending process groups whose result nobody waits for any more: signal, wait, kill, reap, all on the
//! engine's thread.

use super::group::Leader;
use super::source::{self, Source};
use crate::runtime;
use rustix::process::Signal;
use std::time::{Duration, Instant};
use tokio::io::Interest;

/// How often a group in its grace time is looked at.
const TICK: Duration = Duration::from_millis(20);
/// How long a thread waits for a killed leader where there is no engine's thread to do it.
const AT_MOST: Duration = Duration::from_millis(200);

/// Ends a group and everything in it. Returns at once.
pub(super) fn take(leader: Leader, grace: Option<Duration>) {
    if !leader.is_own() {
        return;
    }
    leader.condemn();
    match grace {
        Some(_) => {
            leader.signal(Signal::TERM);
            // A stopped process gets the first signal only when it goes on.
            leader.signal(Signal::CONT);
        }
        None => leader.signal(Signal::KILL),
    }
    follow(leader, grace);
}

/// Lets a group end by itself, and kills it when it has not after `patience`. Returns at once.
pub(super) fn dismiss(leader: Leader, patience: Duration) {
    if leader.is_own() {
        leader.condemn();
        follow(leader, Some(patience));
    }
}

fn follow(leader: Leader, grace: Option<Duration>) {
    let burial = Burial { leader: Some(leader) };
    // Where there is no engine's thread, the future is dropped here, which kills and reaps on this thread.
    let _ = runtime::spawn(burial.run(grace));
}

/// A group on its way; if the engine goes down meanwhile, it is killed at once.
struct Burial {
    leader: Option<Leader>,
}

impl Burial {
    async fn run(mut self, grace: Option<Duration>) {
        if let Some(leader) = &self.leader {
            bury(leader, grace).await;
        }
        self.leader = None;
    }
}

impl Drop for Burial {
    fn drop(&mut self) {
        if let Some(leader) = &self.leader {
            bury_now(leader);
        }
    }
}

async fn bury(leader: &Leader, grace: Option<Duration>) {
    let exit = source::register(leader.fd(), Interest::READABLE).ok();
    let mut reaped = false;
    if let Some(grace) = grace {
        let until = Instant::now().checked_add(grace);
        let mut exited = false;
        while until.is_none_or(|until| Instant::now() < until) && !leader.is_shut() {
            // The leader is reaped before the group's last signal only where that signal can still be aimed.
            if exited && leader.has_members().is_some() {
                reaped = reaped || leader.try_reap().is_some();
                if reaped && leader.has_members() == Some(false) {
                    return;
                }
            }
            let tick = until.map_or(TICK, |until| until.saturating_duration_since(Instant::now()).min(TICK));
            if exited {
                tokio::time::sleep(tick).await;
            } else {
                exited = is_exited(exit.as_ref(), tick).await;
            }
        }
        leader.signal(Signal::KILL);
    }
    while !reaped {
        if is_exited(exit.as_ref(), TICK).await || exit.is_none() {
            reaped = leader.try_reap().is_some();
            if !reaped {
                tokio::time::sleep(TICK).await;
            }
        }
    }
}

/// Waits for the leader's end, at most for `tick`.
async fn is_exited(exit: Option<&Source>, tick: Duration) -> bool {
    match exit {
        // The readiness is not cleared: an exited process stays exited.
        Some(exit) => tokio::time::timeout(tick, exit.readable()).await.is_ok_and(|ready| ready.is_ok()),
        None => {
            tokio::time::sleep(tick).await;
            true
        }
    }
}

/// Kills a group and reaps its leader on this thread, if it dies as fast as a killed process does.
fn bury_now(leader: &Leader) {
    leader.signal(Signal::KILL);
    let until = Instant::now() + AT_MOST;
    while leader.try_reap().is_none() && Instant::now() < until {
        let mut fds = [rustix::event::PollFd::new(leader.fd(), rustix::event::PollFlags::IN)];
        let tick = rustix::event::Timespec { tv_sec: 0, tv_nsec: 5_000_000 };
        let _ = rustix::event::poll(&mut fds, Some(&tick));
    }
}

//! Hosts that do odd things with signals, forks and descriptors. Each in a process of its own.

// They look at /proc.
#![cfg(target_os = "linux")]
#![allow(
    unsafe_code,
    clippy::print_stdout,
    clippy::undocumented_unsafe_blocks,
    clippy::string_slice,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

#[path = "support/process.rs"]
mod common;
use common::*;
use crosshook::process::*;
use crosshook::runtime;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

fn disposition(signal: i32, handler: usize, flags: i32) {
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler;
        action.sa_flags = flags;
        assert_eq!(libc::sigaction(signal, &action, std::ptr::null_mut()), 0);
    }
}

fn signals(path: &str) -> Vec<String> {
    let status = std::fs::read_to_string(path).unwrap();
    status
        .lines()
        .filter(|line| ["SigBlk", "SigIgn", "SigCgt"].iter().any(|name| line.starts_with(name)))
        .map(str::to_owned)
        .collect()
}

fn statuses_arrive(rounds: usize, lost_allowed: usize) {
    let mut lost = 0;
    for round in 0..rounds {
        for finished in
            [local(sh("echo x; exit 2")), engine(sh("echo x; exit 2")), local(Command::new("/bin/false"))]
        {
            match finished.end {
                End::Exited(1 | 2) => assert!(finished.stdout.total == 2 || finished.stdout.total == 0),
                End::StatusLost => lost += 1,
                other => panic!("round {round}: {other:?}"),
            }
        }
    }
    assert!(lost <= lost_allowed, "{lost} of {} lost", 3 * rounds);
}

fn thief() -> (Arc<AtomicBool>, std::thread::JoinHandle<usize>) {
    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let thread = std::thread::spawn(move || {
        let mut stolen = 0;
        while !stopped.load(Ordering::Relaxed) {
            if unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) } > 0 {
                stolen += 1;
            }
        }
        stolen
    });
    (stop, thread)
}

fn all_kinds() -> i32 {
    assert_eq!(code(&local(with_stdin("cat >/dev/null; exit 2", "x"))), 2);
    assert_eq!(code(&engine(with_stdin("cat >/dev/null; exit 3", "x"))), 3);
    assert_eq!(code(&local(with_stdin("wc -c >&2; exit 4", vec![b'x'; 1 << 20]))), 4);
    let slow = Command { timeout: Duration::from_millis(50), ..sh("sleep 100") };
    assert!(matches!(local(slow).end, End::TimedOut));
    assert!(runtime::shutdown(Duration::from_secs(20)));
    assert_eq!(code(&engine(sh("exit 5"))), 5);
    7
}

each_alone! {
    commands_have_ordinary_signals_and_the_host_keeps_its_own => signals_alone {
        for signal in [libc::SIGINT, libc::SIGXFSZ, libc::SIGCHLD] {
            disposition(signal, libc::SIG_IGN, 0);
        }
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            libc::sigaddset(&mut set, libc::SIGTERM);
            libc::sigaddset(&mut set, libc::SIGUSR1);
            libc::pthread_sigmask(libc::SIG_BLOCK, &set, std::ptr::null_mut());
        }
        let before = signals("/proc/thread-self/status");
        let mut cat = Command::new("/bin/cat");
        cat.args = vec!["/proc/self/status".into()];
        let sane = |f: Finished| {
            let status = text(&f.stdout);
            // glibc ignores its own two signals, 32 and 33, in every process it starts.
            for line in ["SigBlk:\t0000000000000000", "SigIgn:\t0000000180000000"] {
                assert!(status.contains(line) || status.contains(&line.replace("18", "00")), "{status}");
            }
        };
        both(cat.clone(), sane);
        simulate::missing(simulate::NO_PIDFD);
        both(cat, sane);
        assert_eq!(before, signals("/proc/thread-self/status"));
        let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten().map(|task| task.path().display().to_string());
        let engines = tasks.filter(|task| std::fs::read_to_string(format!("{task}/comm")).unwrap().starts_with("crosshook-engin"));
        let masks = engines.map(|task| signals(&format!("{task}/status"))[0].clone()).collect::<Vec<_>>();
        // All but the faults of the thread itself (ILL TRAP ABRT BUS FPE SEGV SYS), KILL, STOP and libc's own
        // two.
        let masks = masks.iter().map(|mask| u64::from_str_radix(&mask[8..], 16).unwrap() & 0x7fff_ffff);
        assert_eq!(masks.collect::<Vec<_>>(), [0x3ffb_fa07]);
    }

    statuses_that_the_system_discards_are_recovered => ignored_alone {
        disposition(libc::SIGCHLD, libc::SIG_IGN, 0);
        simulate::missing(simulate::NO_RELAY);
        let driver = LocalDriver::new();
        let cancel = Cancel::new();
        let run = |n: usize| driver.run(sh(&format!("sleep 0.3; exit {n}")), &cancel);
        let codes = driver.block_on(join_all((0..20).map(run))).iter().map(code).collect::<Vec<_>>();
        assert_eq!(codes, (0..20).collect::<Vec<_>>());
        assert!(matches!(local(sh("sleep 0.3; kill -9 $$")).end, End::Signaled(9)));
        simulate::missing(simulate::NO_RELAY | simulate::NO_PIDFD_INFO);
        assert!(matches!(local(sh("sleep 0.1; exit 2")).end, End::StatusLost));
        simulate::missing(simulate::NO_RELAY | simulate::NO_PIDFD);
        assert!(matches!(local(sh("sleep 0.1; exit 2")).end, End::StatusLost));
    }

    a_relay_shell_keeps_statuses_that_the_system_discards => ignored_relay_alone {
        disposition(libc::SIGCHLD, libc::SIG_IGN, 0);
        statuses_arrive(100, 0);
        simulate::missing(simulate::NO_PIDFD_INFO);
        statuses_arrive(30, 0);
        simulate::missing(simulate::NO_PIDFD);
        statuses_arrive(30, 0);
        disposition(libc::SIGCHLD, libc::SIG_DFL, libc::SA_NOCLDWAIT);
        statuses_arrive(30, 0);
        assert_eq!(code(&local(sh("kill -9 $$"))), 137);
        let dup = local(with_stdin("cat; cat <&3", "in"));
        assert_eq!(text(&dup.stdout), "in");
        assert!(dup.stderr.total > 0, "the relay's descriptor is not inherited");
    }

    stolen_statuses_are_recovered => thief_alone {
        let (stop, thread) = thief();
        statuses_arrive(100, 1);
        stop.store(true, Ordering::Relaxed);
        assert!(thread.join().unwrap() > 0);
    }

    stolen_statuses_are_lost_once_without_help_of_the_kernel => thief_relay_alone {
        simulate::missing(simulate::NO_PIDFD_INFO);
        let (stop, thread) = thief();
        statuses_arrive(50, 1);
        simulate::missing(simulate::NO_PIDFD);
        statuses_arrive(50, 0);
        stop.store(true, Ordering::Relaxed);
        thread.join().unwrap();
    }

    forked_children_start_afresh => fork_alone {
        assert_eq!(fork(all_kinds), 7 << 8, "before first use");
        all_kinds();
        // Busy while forking: the engine's thread and other threads run commands and hold locks.
        let stop = Arc::new(AtomicBool::new(false));
        let busy = [0, 1].map(|n| {
            let stop = stop.clone();
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    let f = if n == 0 { local(sh("exit 1")) } else { engine(with_stdin("exit 1", vec![b'x'; 100_000])) };
                    assert_eq!(code(&f), 1);
                }
            })
        });
        for _ in 0..10 {
            assert_eq!(fork(all_kinds), 7 << 8);
        }
        assert_eq!(fork(|| if fork(all_kinds) == 7 << 8 { all_kinds() } else { 98 }), 7 << 8, "twice");
        stop.store(true, Ordering::Relaxed);
        busy.into_iter().for_each(|thread| thread.join().unwrap());
        all_kinds();
    }

    forking_in_the_middle_of_a_run_does_no_harm => fork_inside_alone {
        let driver = LocalDriver::new();
        let cancel = Cancel::new();
        let f = driver.block_on(async {
            let mut here = driver.run(sh("sleep 0.5; echo done; exit 6"), &cancel);
            let mut there = EngineDriver.run(sh("sleep 0.5; echo done; exit 6"), &cancel);
            assert!(!poll_once(&mut here).await && !poll_once(&mut there).await);
            assert_eq!(fork(|| {
                drop((driver.clone(), std::mem::replace(&mut here, driver.run(sh(""), &cancel)), std::mem::replace(&mut there, EngineDriver.run(sh(""), &cancel))));
                all_kinds()
            }), 7 << 8);
            [here.await, there.await]
        });
        f.iter().for_each(|f| assert_eq!((code(f), text(&f.stdout)), (6, "done\n".into())));
    }

    nothing_is_left_over => leak_alone {
        let runs = |n: usize| {
            let driver = LocalDriver::new();
            let cancel = Cancel::new();
            for i in 0..n {
                assert_eq!(code(&local(with_stdin("exit 2", "x"))), 2);
                assert_eq!(code(&engine(with_stdin("exit 2", vec![b'x'; 70_000]))), 2);
                assert_eq!(spawn_error(local(Command::new("/no/such"))).step, SpawnStep::Program);
                if i % 20 == 0 {
                    driver.block_on(join_all((0..8).map(|_| driver.run(sh("echo x"), &cancel))));
                    let slow = Command { timeout: Duration::from_millis(20), ..sh("sleep 100") };
                    assert!(matches!(local(slow.clone()).end, End::TimedOut));
                    assert!(matches!(engine(slow).end, End::TimedOut));
                }
            }
        };
        runs(20);
        eventually("all are reaped", || children().is_empty());
        // The last pidfd is closed a moment after the process was reaped.
        std::thread::sleep(Duration::from_millis(100));
        let before = descriptors();
        runs(500);
        eventually("all are reaped", || children().is_empty());
        eventually("all is closed", || descriptors() == before);
        simulate::missing(simulate::NO_PIDFD);
        runs(40);
        eventually("all are reaped", || children().is_empty());
        eventually("all is closed", || descriptors() == before);
        eventually("no thread waits", || std::fs::read_dir("/proc/self/task").unwrap().count() <= 3);
    }

    a_host_with_default_sigpipe_survives => sigpipe_alone {
        disposition(libc::SIGPIPE, libc::SIG_DFL, 0);
        for size in [1 << 10, 60_000, 66_000, 1 << 20, 3 << 20] {
            for _ in 0..40 {
                both(with_stdin("exit 2", vec![b'x'; size]), |f| assert_eq!(code(&f), 2));
                both(Command { stdin: vec![b'x'; size].into(), ..Command::new("/bin/false") }, |f| assert_eq!(code(&f), 1));
            }
        }
    }

    a_host_without_standard_streams => closed_alone {
        let saved = [0, 1, 2].map(|fd| unsafe { libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, 100) });
        let close = || [0, 1, 2].map(|fd| unsafe { libc::close(fd) });
        let check = || {
            for (round, features) in [0, simulate::NO_PIDFD, simulate::RELAY, simulate::NO_PIDFD | simulate::RELAY].into_iter().enumerate() {
                simulate::missing(features);
                both(with_stdin("cat; echo err >&2; ls -l /proc/$$/fd >/dev/null; exit 3", "in"), |f| {
                    assert_eq!((code(&f), text(&f.stdout), text(&f.stderr)), (3, "in".into(), "err\n".into()), "{round}");
                });
                both(with_stdin("wc -c", vec![b'x'; 1 << 20]), |f| assert_eq!(text(&f.stdout), "1048576\n"));
                let occupied = [0, 1, 2].map(|fd| unsafe { libc::fcntl(fd, libc::F_GETFD) });
                assert_eq!(occupied, [-1; 3], "nothing of ours may lie there");
            }
        };
        close();
        let result = std::panic::catch_unwind(check);
        let _ = [0, 1, 2].map(|fd| unsafe { libc::dup2(saved[fd], fd as i32) });
        result.unwrap();
    }

    a_host_without_free_descriptors => full_alone {
        let free = |n: u64| unsafe {
            let mut limit: libc::rlimit = std::mem::zeroed();
            libc::getrlimit(libc::RLIMIT_NOFILE, &mut limit);
            limit.rlim_cur = n;
            assert_eq!(libc::setrlimit(libc::RLIMIT_NOFILE, &limit), 0);
        };
        let used = descriptors() as u64 - 1;
        let mut refused = 0;
        for n in 0..20 {
            free(used + n);
            for f in [local(sh("exit 2")), engine(sh("exit 2")), local(with_stdin("exit 2", vec![b'x'; 1 << 20]))] {
                match f.end {
                    End::Exited(2) => {}
                    End::NotStarted(error) => {
                        assert!(matches!(error.error.raw_os_error(), Some(libc::EMFILE)), "{n}: {error}");
                        assert!(n < 19, "{n}: {error}");
                        refused += 1;
                    }
                    other => panic!("{n}: {other:?}"),
                }
            }
            assert!(runtime::shutdown(Duration::from_secs(5)));
        }
        assert!(refused > 5);
        free(1000);
        eventually("all is closed", || descriptors() as u64 - 1 == used && children().is_empty());
    }

    the_engine_may_be_shut_down_from_its_own_thread => self_shutdown_alone {
        let id = marker();
        let run = EngineDriver.spawn(sh(&format!("sleep {id}")), &Cancel::new()).unwrap();
        eventually("it runs", || !marked(&id).is_empty());
        let _ = LocalDriver::new().block_on(runtime::spawn(async { runtime::shutdown(Duration::from_secs(100)) }).unwrap());
        eventually("it is gone", || marked(&id).is_empty() && run.is_finished() && children().is_empty());
        assert_eq!(code(&engine(sh("exit 2"))), 2);
    }

    commands_cannot_reach_the_terminal_of_the_host => terminal_alone {
        let script = "echo $$; cut -d' ' -f5,6 /proc/$$/stat; (: </dev/tty) 2>/dev/null && echo reached";
        let run = move || text(&local(sh(script)).stdout).split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(fork(move || unsafe {
            let own = libc::setsid().to_string();
            let words = run();
            assert_eq!(words, [&*words[0], &*words[0], &*own], "a group, no session");
            7
        }), 7 << 8);
        assert_eq!(fork(move || unsafe {
            libc::setsid();
            let master = libc::posix_openpt(libc::O_RDWR | libc::O_NOCTTY);
            assert!(libc::grantpt(master) == 0 && libc::unlockpt(master) == 0);
            assert!(libc::open(libc::ptsname(master), libc::O_RDWR) >= 0);
            assert!(libc::open(c"/dev/tty".as_ptr(), libc::O_RDWR) >= 0);
            let words = run();
            assert_eq!(words, [&*words[0], &*words[0], &*words[0]], "a session");
            7
        }), 7 << 8);
    }

    a_session_outside_of_the_pid_namespace_has_no_number_and_does_no_harm => namespace_alone {
        // As under `unshare --pid`, `docker run --init`, and in some build machines.
        let inside = || {
            assert_eq!(unsafe { (libc::getpid(), libc::getsid(0)) }, (1, 0));
            for _ in 0..3 {
                both(with_stdin("cat; exit 2", "in"), |f| assert_eq!((code(&f), text(&f.stdout)), (2, "in".into())));
            }
            7
        };
        let status = fork(move || unsafe {
            let pid = libc::CLONE_NEWPID;
            if libc::unshare(pid) != 0 && libc::unshare(libc::CLONE_NEWUSER | pid) != 0 {
                return 77;
            }
            libc::WEXITSTATUS(fork(inside))
        });
        match libc::WEXITSTATUS(status) {
            77 => println!("left out: no new PID namespace is permitted here"),
            code => assert_eq!(code, 7),
        }
    }
}

//! Systems that lack something. Each test in a process of its own, for what is missing is missing for the
//! whole process.

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
use std::time::Duration;

fn everything(missing: u16) {
    simulate::missing(missing);
    let relayed = missing & simulate::RELAY != 0;
    for expected in [0, 2, 255] {
        both(with_stdin(&format!("cat; exit {expected}"), "in"), |f| {
            assert_eq!((code(&f), text(&f.stdout)), (expected, "in".into()))
        });
    }
    both(sh("kill -9 $$"), |f| match f.end {
        End::Signaled(9) => assert!(!relayed),
        End::Exited(137) => assert!(relayed),
        other => panic!("{other:?}"),
    });
    let mut elsewhere = sh("pwd; echo \"$1\"");
    elsewhere.cwd = Some("/usr/bin/../lib".into());
    elsewhere.args.extend(["sh".into(), "a 'b' \"c\" $d".into()]);
    elsewhere.env.set("CDPATH", "/tmp:/");
    both(elsewhere, |f| assert!(text(&f.stdout).ends_with("/lib\na 'b' \"c\" $d\n"), "{f:?}"));
    let mut nowhere = sh("pwd");
    nowhere.cwd = Some("/no/such".into());
    assert_eq!(spawn_error(local(nowhere)).step, SpawnStep::WorkingDirectory);
    let mut found = Command::new("false");
    found.env = Environment::new([("PATH", "/usr/bin:/bin")]);
    both(found, |f| assert_eq!(code(&f), 1));
    both(with_stdin("wc -c", vec![b'x'; 1 << 20]), |f| assert_eq!(text(&f.stdout).trim(), "1048576"));
    both(with_stdin("wc -c", vec![b'x'; 3 << 20]), |f| assert_eq!(text(&f.stdout).trim(), "3145728"));
    let stand_in = Direct {
        program: "/bin/sh".into(),
        words: ["sh", "-c", "echo direct; kill -9 $$"].map(Into::into).into(),
        env: Environment::inherited(),
        forks: true,
    };
    both(Command { direct: Some(stand_in), ..sh("echo shell; exit 137") }, |f| {
        // Where a relay shell has to be between, the command's own shell is as good.
        assert_eq!((code(&f), text(&f.stdout)), (137, if relayed { "shell\n" } else { "direct\n" }.into()));
        assert_eq!(text(&f.stderr), if relayed { "" } else { "Killed\n" });
    });
    both(sh("sleep 30 & exit 2"), |f| assert_eq!(code(&f), 2));
    for grace in [None, Some(Duration::from_millis(300))] {
        let id = marker();
        let mut slow = sh(&format!("(trap '' TERM; sleep {id}; sleep {id}) & sleep {id}"));
        slow.timeout = Duration::from_millis(200);
        slow.grace = grace;
        both(slow, |f| {
            assert!(matches!(f.end, End::TimedOut));
            eventually("the group is gone", || marked(&id).is_empty());
        });
    }
    let driver = LocalDriver::new();
    let cancel = Cancel::new();
    let all = driver.block_on(join_all((0..64).map(|n| driver.run(sh(&format!("exit {n}")), &cancel))));
    all.iter().enumerate().for_each(|(n, f)| assert_eq!(code(f), n as i32));
    let id = marker();
    let background = EngineDriver.spawn(sh(&format!("sleep {id}")), &cancel).unwrap();
    eventually("it runs", || !marked(&id).is_empty());
    assert!(crosshook::runtime::shutdown(Duration::from_secs(20)));
    assert!(background.is_finished());
    eventually("the group is gone", || marked(&id).is_empty());
    eventually("all are reaped", || children().is_empty());
}

macro_rules! lacking {
    ($($name:ident $inner:ident $missing:expr;)*) => { $(
        #[test]
        fn $name() {
            assert_alone(stringify!($inner));
        }
        #[test]
        #[ignore = "run in a process of its own"]
        fn $inner() {
            everything($missing);
        }
    )* };
}

lacking! {
    nothing nothing_alone 0;
    pidfd pidfd_alone simulate::NO_PIDFD;
    pidfd_info info_alone simulate::NO_PIDFD_INFO;
    signals_to_groups_by_pidfd group_alone simulate::NO_PIDFD_GROUP;
    working_directory chdir_alone simulate::NO_CHDIR;
    statuses relay_alone simulate::RELAY;
    pages_in_pipes lending_alone simulate::NO_LENDING;
    clone vfork_alone simulate::NO_VFORK;
    clone_and_pidfd vfork_and_pidfd_alone simulate::NO_VFORK | simulate::NO_PIDFD;
    almost_everything almost_alone simulate::RELAY | simulate::NO_CHDIR | simulate::NO_PIDFD;
}

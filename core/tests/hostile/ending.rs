//! How hooks end, or do not.

use crosshook::{Code, Decision, Status};
use std::time::{Duration, Instant};

use crate::support::{TempDir, wait_until};
use crate::{
    DIALECTS, both, command, engine, event_in, every, fails, is_gone, kill, limited, marked, marker,
};

#[test]
fn every_exit_code_but_0_and_2_is_a_failure_that_decides_nothing() {
    for dialect in DIALECTS {
        let event = event_in(dialect, "/");
        for code in (1..=255).filter(|code| *code != 2) {
            // Whatever it prints: an allow beside a failure is none. Where JSON counts beside every exit code
            // (codebuddy-claude.md 8, zcode-codex-gemini.md 3.6), it says nothing.
            let print = match dialect {
                "claude" | "gemini" => "",
                _ => "echo '{\"decision\":\"approve\"}'; ",
            };
            let line = format!("{print}exit {code}");
            for outcome in both(&engine(dialect, &[command(line)]), &event) {
                let report = &outcome.hooks[0];
                assert_eq!(
                    (outcome.decision, report.status),
                    (Decision::None, Status::Error),
                    "{dialect} {code}"
                );
                assert_eq!(report.exit_code, Some(code), "{dialect}");
                let failed =
                    outcome.diagnostics.iter().find(|diagnostic| diagnostic.code == Code::HookFailed);
                assert!(failed.unwrap().message.contains(&format!("exit code {code}")), "{dialect} {code}");
            }
        }
    }
}

#[test]
fn failures_deny_where_the_fail_mode_is_closed() {
    for code in [1, 3, 126, 127, 128, 130, 255] {
        fails(&command(format!("exit {code}")), Status::Error, Code::HookFailed);
    }
}

#[test]
fn an_end_by_signal_is_a_failure_that_names_it() {
    for signal in ["ABRT", "BUS", "FPE", "HUP", "ILL", "INT", "KILL", "PIPE", "SEGV", "TERM", "USR1", "XCPU"]
    {
        fails(&command(format!("kill -{signal} $$; sleep 100")), Status::Error, Code::HookFailed);
    }
    every(&command("kill -9 $$"), |dialect, outcome, report| {
        assert_eq!(report.exit_code, None, "{dialect}");
        assert!(report.error.as_ref().unwrap().contains("signal 9"), "{dialect}: {}", outcome.to_json());
    });
}

#[test]
fn a_deaf_or_stopped_hook_is_killed_with_all_its_group() {
    for stubborn in [
        "trap '' TERM INT HUP; while :; do sleep ID; done",
        "kill -STOP $$; sleep ID",
        "(kill -STOP $(exec sh -c 'echo $PPID'); sleep ID) & sleep ID",
        "trap '' TERM; sleep ID & sleep ID & kill -STOP $!; kill -STOP $$",
    ] {
        let id = marker();
        let began = Instant::now();
        fails(&limited(stubborn.replace("ID", &id), 0.1), Status::Timeout, Code::HookTimeout);
        assert!(began.elapsed() < Duration::from_secs(60), "{stubborn}: {:?}", began.elapsed());
        is_gone(&id);
    }
}

/// The limit of what the engine promises, written down: the group of a hook dies with it, and whoever has left the
/// group (`setsid`, a daemon's double fork) is reached by no signal of ours. Only a supervisor that owns the process
/// tree (a cgroup, a PID namespace) could. It delays nothing and decides nothing.
#[test]
fn who_leaves_the_group_is_not_reached() {
    for dialect in DIALECTS {
        let (escaped, stayed) = (marker(), marker());
        let dir = TempDir::new();
        let ready = dir.path().join("ready");
        let line = format!(
            "(setsid sh -c 'sleep {escaped} & echo >\"$0\"' '{}' &) & sleep {stayed}",
            ready.display()
        );
        let began = Instant::now();
        for outcome in both(&engine(dialect, &[limited(line, 2.0)]), &event_in(dialect, "/")) {
            assert_eq!((outcome.decision, outcome.hooks[0].status), (Decision::None, Status::Timeout));
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{dialect}: {:?}", began.elapsed());
        assert!(ready.exists(), "{dialect}: the daemon had started when the hook was killed");
        is_gone(&stayed);
        assert_eq!(marked(&escaped).len(), 2, "{dialect}: one of each dispatch lives on");
        kill(&escaped);
        is_gone(&escaped);
    }
}

#[test]
fn a_daemon_that_a_hook_leaves_behind_does_not_hold_its_decision_up() {
    for dialect in DIALECTS {
        let id = marker();
        let line = format!("setsid sh -c 'sleep {id} & exit' & wait $!; echo no >&2; exit 2");
        let began = Instant::now();
        for outcome in both(&engine(dialect, &[command(line)]), &event_in(dialect, "/")) {
            assert_eq!(
                (outcome.decision, outcome.reason.as_deref()),
                (Decision::Deny, Some("no")),
                "{dialect}"
            );
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{dialect}: {:?}", began.elapsed());
        assert_eq!(marked(&id).len(), 2, "{dialect}: it lives on");
        kill(&id);
        is_gone(&id);
    }
}

#[test]
fn a_hook_that_kills_its_own_group_harms_nobody_else() {
    let dir = TempDir::new();
    for dialect in DIALECTS {
        let mark = dir.path().join(dialect);
        let neighbour = format!("sleep 0.3; touch '{}'; echo no >&2; exit 2", mark.display());
        let hooks = [command("kill -KILL 0"), command(neighbour)];
        for outcome in both(&engine(dialect, &hooks), &event_in(dialect, "/")) {
            assert_eq!(
                (outcome.decision, outcome.reason.as_deref()),
                (Decision::Deny, Some("no")),
                "{dialect}"
            );
            let statuses: Vec<Status> = outcome.hooks.iter().map(|hook| hook.status).collect();
            assert_eq!(statuses, [Status::Error, Status::Blocked], "{dialect}");
        }
        wait_until(|| mark.exists());
    }
}

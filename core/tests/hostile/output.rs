//! What hooks write: too much, no end of it, nothing, nonsense.

use crosshook::{Code, Decision, Status};
use serde_json::json;
use std::time::{Duration, Instant};

use crate::support::TempDir;
use crate::{
    DIALECTS, OBJECTS, both, command, denies, denies_in_silence, engine, event_in, every, fails, is_gone,
    limited, marker,
};

#[test]
fn output_without_an_end_runs_into_the_time_limit() {
    fails(&limited("yes & yes >&2", 0.1), Status::Timeout, Code::HookTimeout);
    for endless in ["exec yes", "exec tr '\\0' x </dev/zero"] {
        every(&limited(endless, 1.0), |dialect, outcome, report| {
            assert_eq!((outcome.decision, report.status), (Decision::None, Status::Timeout), "{dialect}");
            // What is more than the dialect keeps is counted, and gone.
            let kept = match dialect {
                "zcode" => 32_768,
                "qwen" => 1 << 20,
                _ => 16 << 20,
            };
            assert!(report.stdout_bytes > 64 << 10, "{dialect}: {}", outcome.to_json());
            assert_eq!(report.truncated, report.stdout_bytes > kept, "{dialect}");
        });
    }
}

#[test]
fn output_without_a_newline_is_read_to_its_end() {
    denies(&command("printf no >&2; exit 2"), "no");
    // ZCode hands on 4,000 characters of a reason.
    denies(&command("head -c 30000 /dev/zero | tr '\\0' x >&2; exit 2"), &"x".repeat(4_000));
    let answer = json!({"decision": "block", "reason": "y".repeat(20_000)});
    let dir = TempDir::new();
    let file = dir.file("answer", answer.to_string());
    denies(&command(format!("cat '{}'", file.display())), &"y".repeat(4_000));
}

#[test]
fn a_hundred_megabytes_of_errors_are_counted_and_not_kept() {
    let flood = "head -c 100000000 /dev/zero | tr '\\0' x >&2; exit 2";
    every(&command(flood), |dialect, outcome, report| {
        assert_eq!((outcome.decision, report.status), (Decision::Deny, Status::Blocked), "{dialect}");
        assert_eq!((report.stderr_bytes, report.truncated), (100_000_000, true), "{dialect}");
        assert!(outcome.reason.as_ref().unwrap().len() <= 16 << 20, "{dialect}");
        let codes: Vec<Code> = outcome.diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
        assert!(codes.contains(&Code::OutputTruncated), "{dialect}: {codes:?}");
    });
}

#[test]
fn closed_streams_decide_as_open_ones() {
    denies(&command("exec >&-; echo no >&2; exit 2"), "no");
    denies_in_silence(&command("exec 0<&- >&- 2>&-; exit 2"));
    // Long after its streams: the exit counts, not the end of the output.
    denies_in_silence(&command("exec 0<&- >&- 2>&-; sleep 0.3; exit 2"));
    every(&limited("exec 0<&- >&- 2>&-; sleep 100", 0.3), |dialect, outcome, report| {
        assert_eq!((outcome.decision, report.status), (Decision::None, Status::Timeout), "{dialect}");
    });
}

#[test]
fn a_child_that_holds_the_pipes_delays_nothing_and_undoes_nothing() {
    let id = marker();
    let began = Instant::now();
    denies(&command(format!("sleep {id} & echo no >&2; exit 2")), "no");
    let answer = r#"{"decision":"block","reason":"no"}"#;
    denies(&command(format!("sleep {id} & echo '{answer}'")), "no");
    denies_in_silence(&command("(while :; do echo no; done) & exit 2"));
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    // Of a hook that ended by itself, what it left behind is left alone.
    assert!(!crate::marked(&id).is_empty());
    crate::kill(&id);
    is_gone(&id);
}

#[test]
fn garbage_decides_nothing_and_takes_nothing_away() {
    let dir = TempDir::new();
    // Not UTF-8, with NULs, brackets and quotes: every byte there is, in an order that no parser likes.
    let bytes: Vec<u8> = (0..20_000u32).map(|n| (n.wrapping_mul(167) >> 3) as u8).collect();
    let file = dir.file("garbage", bytes);
    let print = format!("cat '{}'", file.display());
    every(&command(&print), |dialect, outcome, _| {
        assert_eq!(outcome.decision, Decision::None, "{dialect}");
        assert!(!outcome.diagnostics.is_empty(), "{dialect}");
        serde_json::from_str::<serde_json::Value>(&outcome.to_json()).unwrap();
    });
    denies(&command(format!("{print}; echo no >&2; exit 2")), "");
    denies(&command(format!("{print} >&2; exit 2")), "");
    for dialect in DIALECTS {
        for outcome in both(&engine(dialect, &[command(&print), command(OBJECTS)]), &event_in(dialect, "/")) {
            assert_eq!(outcome.decision, Decision::Deny, "{dialect}");
        }
    }
}

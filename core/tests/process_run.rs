//! Commands that run to their end.

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
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::time::{Duration, Instant};

#[test]
fn exit_codes_and_signals() {
    for expected in [0, 1, 2, 127, 255] {
        both(sh(&format!("exit {expected}")), |f| assert_eq!(code(&f), expected));
    }
    both(sh("kill -9 $$"), |f| assert!(matches!(f.end, End::Signaled(9)), "{f:?}"));
    both(sh("kill -11 $$"), |f| assert!(matches!(f.end, End::Signaled(11)), "{f:?}"));
}

#[test]
fn outputs_are_kept_apart() {
    both(with_stdin("cat; echo err >&2; exit 3", "in"), |f| {
        assert_eq!((code(&f), text(&f.stdout), text(&f.stderr)), (3, "in".into(), "err\n".into()));
        assert_eq!((f.stdout.total, f.stdout.truncated()), (2, false));
    });
}

#[test]
fn a_hundred_megabytes_are_counted_and_cut() {
    let mut command = sh("head -c 100000000 /dev/zero; head -c 300000 /dev/zero | tr '\\0' x >&2; exit 2");
    command.stdout_limit = 10_000;
    command.stderr_limit = 200_000;
    both(command, |f| {
        assert_eq!(code(&f), 2);
        assert_eq!((f.stdout.total, f.stdout.bytes.len(), f.stdout.truncated()), (100_000_000, 10_000, true));
        assert_eq!((f.stderr.total, f.stderr.bytes), (300_000, vec![b'x'; 200_000]));
    });
    let mut nothing_kept = sh("echo hello");
    nothing_kept.stdout_limit = 0;
    both(nothing_kept, |f| assert_eq!((f.stdout.total, f.stdout.bytes.len()), (6, 0)));
}

#[test]
fn input_that_is_not_read_loses_nothing() {
    for size in [0, 1, 1 << 10, 1 << 20, 16 << 20] {
        both(with_stdin("echo out; exit 2", vec![b'a'; size]), |f| {
            assert_eq!((code(&f), text(&f.stdout)), (2, "out\n".into()), "{size}");
        });
        both(with_stdin("exec <&-; sleep 0.05; echo out; exit 2", vec![b'a'; size]), |f| {
            assert_eq!((code(&f), text(&f.stdout)), (2, "out\n".into()), "{size}");
        });
    }
}

#[test]
fn large_input_arrives_whole() {
    for size in [1usize, 4096, 4097, 65536, 65537, 300_000, 2 << 20, (2 << 20) + 1, 16 << 20] {
        let event = Arc::new(Lent::new("0123456789abcdef".repeat(size / 16 + 1)));
        let mut payload = Payload::new();
        payload.push_text(event.clone(), 0..size / 2);
        payload.push_owned("SPLICED");
        payload.push_text(event.clone(), size / 2..size);
        let mut expected = sh("sha256sum");
        let path = std::env::temp_dir().join(format!("crosshook-{}-{size}", std::process::id()));
        std::fs::write(&path, payload.to_vec()).unwrap();
        expected.args = vec!["-c".into(), format!("sha256sum < {}", path.display()).into()];
        let expected = text(&local(expected).stdout);
        std::fs::remove_file(&path).unwrap();
        both(with_stdin("sha256sum", payload.clone()), |f| assert_eq!(text(&f.stdout), expected, "{size}"));
        both(with_stdin("wc -c", payload), |f| assert_eq!(text(&f.stdout).trim(), (size + 7).to_string()));
    }
}

#[test]
fn a_stand_in_that_cannot_start_leaves_it_to_the_shell() {
    let with = |program: &str, script: &str| {
        let words = ["sh", "-c", script].map(Into::into).into();
        let env = Environment::new([("PATH", "/usr/bin:/bin"), ("A", "own")]);
        let direct = Direct { program: program.into(), words, env, forks: false };
        Command { direct: Some(direct), cwd: Some("/usr".into()), ..sh("echo shell; exit 4") }
    };
    for program in ["/no/such", "/etc/passwd", "/", "sh"] {
        both(with(program, "echo direct"), |f| {
            assert_eq!((code(&f), text(&f.stdout)), (4, "shell\n".into()), "{program}");
        });
    }
    both(with("bin/env", "exit 3"), |f| assert_ne!(text(&f.stdout), "shell\n"));
    both(with("/bin/sh", "echo $A; pwd; exit 3"), |f| {
        assert_eq!((code(&f), text(&f.stdout)), (3, "own\n/usr\n".into()));
    });
    both(with("/bin/sh", "kill -9 $$"), |f| assert!(matches!(f.end, End::Signaled(9)), "{f:?}"));
    let mut missing = with("/bin/sh", "echo direct");
    missing.cwd = Some("/no/such".into());
    assert_eq!(spawn_error(local(missing)).step, SpawnStep::WorkingDirectory);
}

/// A large payload is not copied into the pipe: its pages are lent. Whoever reads them, and when, must see what was sent.
#[test]
fn a_late_reader_of_large_input_never_sees_other_memory() {
    let dir = folder("late");
    let size = 3 << 20;
    let read_late = |hook: &str, name: &str| {
        let seen = dir.join(name);
        // The grandchild keeps the pipe, and reads when the payload's memory serves another purpose.
        let script = format!(
            "exec 3<&0; {hook} (until test -e {dir}/go; do sleep 0.01; done; cat <&3 >{seen}.part; mv {seen}.part {seen}) \
             >/dev/null 2>&1 & exit 2",
            dir = dir.display(),
            seen = seen.display()
        );
        let text = Arc::new(Lent::new("payload ".repeat(size / 8)));
        let payload = Payload::from(text.clone());
        assert_eq!(code(&engine(with_stdin(&script, payload))), 2);
        assert!(Arc::into_inner(text).is_some(), "nothing else keeps the memory");
        seen
    };
    let seen = [read_late("", "a"), read_late("head -c 4097 >/dev/null;", "b")];
    let secrets: Vec<String> = (0..8).map(|_| "secret! ".repeat(size / 8)).collect();
    std::fs::write(dir.join("go"), "").unwrap();
    for path in seen {
        eventually("the grandchild has read", || path.exists());
        let read = String::from_utf8(std::fs::read(&path).unwrap()).unwrap();
        let whole = "payload ".repeat(size / 8);
        assert!(read.len() > 60_000, "{}", read.len());
        let first = whole.find(&read[..64]).unwrap();
        assert!(whole[first..].starts_with(&read[..read.len() - 8]), "{}", &read[..64]);
    }
    assert!(secrets.iter().all(|secret| secret.starts_with("secret! secret")));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn large_input_and_output_at_once() {
    let mut command = with_stdin("cat; cat >&2", vec![b'z'; 8 << 20]);
    command.stdout_limit = usize::MAX;
    both(command, |f| assert_eq!((code(&f), f.stdout.bytes.len(), f.stderr.total), (0, 8 << 20, 0)));
}

#[test]
fn others_that_hold_the_pipes_do_not_delay() {
    let id = marker();
    both(sh(&format!("echo early; sleep {id} & exit 2")), |f| {
        assert_eq!((code(&f), text(&f.stdout)), (2, "early\n".into()));
        assert!(f.duration < Duration::from_secs(60), "{:?}", f.duration);
    });
    // Background children of a command that ended by itself are left alone.
    assert_eq!(marked(&id).len(), 2);
    for pid in marked(&id) {
        rustix::process::kill_process(
            rustix::process::Pid::from_raw(pid).unwrap(),
            rustix::process::Signal::KILL,
        )
        .unwrap();
    }
    let chatter = "(while :; do echo x; done) & echo $!; exit 4";
    both(sh(chatter), |f| {
        assert_eq!(code(&f), 4);
        assert!(f.stdout.total > 0);
    });
}

#[test]
fn many_at_once_and_one_after_the_other() {
    let driver = LocalDriver::new();
    let cancel = Cancel::new();
    let run = |n: usize| driver.run(with_stdin(&format!("cat; echo {n}; exit {n}"), "in "), &cancel);
    let check = |all: Vec<Finished>| {
        for (n, f) in all.iter().enumerate() {
            assert_eq!((code(f), text(&f.stdout)), (n as i32, format!("in {n}\n")));
        }
    };
    check(driver.block_on(join_all((0..64).map(run))));
    check(driver.block_on(async {
        let mut all = Vec::new();
        for n in 0..20 {
            all.push(run(n).await);
        }
        all
    }));
    let started = Instant::now();
    let sleepers = driver.block_on(join_all((0..64).map(|_| driver.run(sh("sleep 1"), &cancel))));
    assert!(sleepers.iter().all(|f| code(f) == 0));
    assert!(started.elapsed() < Duration::from_secs(20));
    let engine = |n: usize| EngineDriver.run(with_stdin(&format!("cat; echo {n}; exit {n}"), "in "), &cancel);
    check(driver.block_on(join_all((0..64).map(engine))));
}

#[test]
fn the_two_drivers_are_one_to_generic_code() {
    async fn two<D: Driver>(driver: D, cancel: Cancel) -> i32 {
        let first = driver.run(sh("exit 3"), &cancel).await;
        code(&first) + code(&driver.run(sh("exit 4"), &cancel).await)
    }
    let driver = LocalDriver::new();
    assert_eq!(driver.block_on(two(driver.clone(), Cancel::new())), 7);
    let task = crosshook::runtime::spawn(two(EngineDriver, Cancel::new())).unwrap();
    assert_eq!(driver.block_on(task).unwrap(), 7);
    let inside = async { local(with_stdin("wc -c", vec![b'x'; 1 << 20])) };
    assert_eq!(
        text(&driver.block_on(crosshook::runtime::spawn(inside).unwrap()).unwrap().stdout),
        "1048576\n"
    );
    let where_am_i = async { crosshook::runtime::is_engine_thread() };
    assert!(driver.block_on(crosshook::runtime::spawn(where_am_i).unwrap()).unwrap());
    assert!(!crosshook::runtime::is_engine_thread());
}

#[test]
fn environment_directory_and_name() {
    let mut command = sh("echo $A-$B-$C; pwd; echo $0");
    command.env = Environment::new([("A", "1"), ("B", "2"), ("PATH", "/bin:/usr/bin")]);
    command.env.set("B", "two");
    command.env.set("C", "x=y z");
    command.cwd = Some("/usr".into());
    both(command, |f| assert_eq!(text(&f.stdout), "1-two-x=y z\n/usr\n/bin/sh\n"));
    let mut named = sh("cat /proc/self/comm >/dev/null; tr '\\0' ' ' </proc/$$/cmdline");
    named.arg0 = Some("-other".into());
    both(named, |f| assert!(text(&f.stdout).starts_with("-other -c"), "{:?}", text(&f.stdout)));
}

fn folder(name: &str) -> std::path::PathBuf {
    let path = std::env::temp_dir().join(format!("crosshook-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn file(path: &std::path::Path, content: &str, mode: u32) {
    std::fs::write(path, content).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn programs_are_found_as_a_shell_finds_them() {
    let dir = folder("path");
    std::fs::create_dir_all(dir.join("a")).unwrap();
    std::fs::create_dir_all(dir.join("b")).unwrap();
    file(&dir.join("a/tool"), "#!/bin/sh\necho not me", 0o644);
    file(&dir.join("b/tool"), "#!/bin/sh\necho found $1", 0o755);
    file(&dir.join("plain"), "echo plain $0 $1", 0o755);
    file(&dir.join("-c"), "#!/bin/sh\necho dash", 0o755);
    let run = |program: &str, path: &str| {
        let mut command = Command::new(program);
        command.args = vec!["one".into()];
        command.env = Environment::new([("PATH", path)]);
        command.cwd = Some(dir.clone());
        local(command)
    };
    assert_eq!(text(&run("tool", "a:b:/bin").stdout), "found one\n");
    assert_eq!(text(&run("./b/tool", "/bin").stdout), "found one\n");
    assert_eq!(text(&run("tool", &format!("{}/b", dir.display())).stdout), "found one\n");
    assert_eq!(text(&run("plain", "").stdout), "plain ./plain one\n");
    assert_eq!(text(&run("-c", ":/bin").stdout), "dash\n");
    assert_eq!(text(&run("./plain", "/bin").stdout), "plain ./plain one\n");
    let error = spawn_error(run("tool", "a"));
    assert_eq!((error.step, error.error.kind()), (SpawnStep::Program, std::io::ErrorKind::PermissionDenied));
    assert_eq!(
        spawn_error(run("nothing-like-it", "a:b")).to_string(),
        "the program nothing-like-it was not found: No such file or directory (os error 2)"
    );
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn what_cannot_start_says_why() {
    let dir = folder("refused");
    file(&dir.join("text"), "#!/bin/sh\n", 0o644);
    file(&dir.join("lost"), "#!/no/such/interpreter\n", 0o755);
    file(&dir.join("binary"), "\u{7f}\0\0\0garbage", 0o755);
    let refused = |change: &dyn Fn(&mut Command)| {
        let mut command = sh("true");
        change(&mut command);
        let error = spawn_error(local(command.clone()));
        assert_eq!(error.to_string(), spawn_error(engine(command)).to_string());
        (error.step, error.error.raw_os_error().unwrap_or(0))
    };
    use SpawnStep::*;
    assert_eq!(refused(&|c| c.program = "/no/such".into()), (Program, libc::ENOENT));
    assert_eq!(refused(&|c| c.program = "".into()), (Program, libc::ENOENT));
    assert_eq!(refused(&|c| c.program = dir.join("text").into()), (Program, libc::EACCES));
    assert_eq!(refused(&|c| c.program = dir.clone().into()), (Program, libc::EACCES));
    assert_eq!(refused(&|c| c.program = dir.join("text/below").into()), (Program, libc::ENOTDIR));
    assert_eq!(refused(&|c| c.program = dir.join("lost").into()), (Interpreter, libc::ENOENT));
    assert_eq!(refused(&|c| c.program = dir.join("binary").into()), (Program, libc::ENOEXEC));
    assert_eq!(refused(&|c| c.cwd = Some("/no/such".into())), (WorkingDirectory, libc::ENOENT));
    assert_eq!(refused(&|c| c.cwd = Some("/etc/passwd".into())), (WorkingDirectory, libc::ENOTDIR));
    assert_eq!(refused(&|c| c.cwd = Some("/a\0b".into())), (WorkingDirectory, libc::EINVAL));
    assert_eq!(refused(&|c| c.args.push("a\0b".into())), (Arguments, libc::EINVAL));
    assert_eq!(refused(&|c| c.args.push("x".repeat(4 << 20).into())), (Arguments, libc::E2BIG));
    assert_eq!(refused(&|c| c.env.set("A", "a\0b")), (Environment, libc::EINVAL));
    assert_eq!(refused(&|c| c.env.set("A=B", "")), (Environment, libc::EINVAL));
    std::fs::remove_dir_all(dir).unwrap();
}

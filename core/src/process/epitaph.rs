//! What a shell that stays as a command's parent writes when a signal ends it.

/// glibc's texts, which dash prints, by the signals' numbers on Linux.
#[rustfmt::skip]
const TEXTS: [&str; 31] = [
    "Hangup", "Interrupt", "Quit", "Illegal instruction", "Trace/breakpoint trap", "Aborted", "Bus error",
    "Floating point exception", "Killed", "User defined signal 1", "Segmentation fault", "User defined signal 2",
    "Broken pipe", "Alarm clock", "Terminated", "Stack fault", "Child exited", "Continued", "Stopped (signal)",
    "Stopped", "Stopped (tty input)", "Stopped (tty output)", "Urgent I/O condition", "CPU time limit exceeded",
    "File size limit exceeded", "Virtual timer expired", "Profiling timer expired", "Window changed", "I/O possible",
    "Power failure", "Bad system call",
];
/// The first real-time signal that a program can use.
const REAL_TIME: i32 = 34;

/// The line that dash writes on its standard error; none where it keeps silent.
pub(super) fn of(signal: i32, dumped: bool) -> Option<String> {
    if matches!(signal, libc::SIGINT | libc::SIGPIPE) {
        return None;
    }
    let index = usize::try_from(signal.checked_sub(1)?).ok()?;
    let mut text = match TEXTS.get(index) {
        Some(text) => (*text).to_owned(),
        None if signal >= REAL_TIME => format!("Real-time signal {}", signal - REAL_TIME),
        None => return None,
    };
    if dumped {
        text.push_str(" (core dumped)");
    }
    text.push('\n');
    Some(text)
}

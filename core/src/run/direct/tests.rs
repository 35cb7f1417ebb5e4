//! The proof: every line is run by the real shell and without it, and both must look the same from outside and inside.
//!
//! `DIRECT_SEED` and `DIRECT_COUNT` override the seed and the number of generated lines.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::*;
use crate::process::{Cancel, Command, Driver, Finished, LocalDriver};

/// A folder with hooks in it.
struct Ground {
    dir: PathBuf,
    shells: Vec<PathBuf>,
}

impl Drop for Ground {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.dir);
    }
}

impl Ground {
    fn new(name: &str) -> Self {
        let dir = std::env::temp_dir().join(format!("crosshook-direct-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&dir);
        std::fs::create_dir_all(dir.join("real dir/bin")).unwrap();
        let dir = dir.canonicalize().unwrap();
        std::os::unix::fs::symlink("real dir", dir.join("link")).unwrap();
        for (file, text, mode) in [
            ("exit", "#!/bin/sh\necho out; echo err >&2; exit $1\n", 0o755),
            ("die", "#!/bin/sh\nulimit -c 0; echo dying; echo err >&2; kill -$1 $$\nsleep 5\n", 0o755),
            ("env.sh", "#!/usr/bin/env sh\necho \"$0\" \"$@\"; pwd; pwd -P\n", 0o755),
            ("no-shebang", "echo ran \"$0\" \"$@\"; exit 3\n", 0o755),
            ("no-exec", "#!/bin/sh\necho x\n", 0o644),
            ("lost", "#!/no/such/interpreter\n", 0o755),
            ("crlf", "#!/bin/sh\r\necho x\r\n", 0o755),
            ("binary", "\u{7f}ELF\0\0garbage", 0o755),
            ("bin/tool", "#!/bin/sh\necho tool \"$@\"; cat\n", 0o755),
            ("bin/half", "#!/bin/sh\necho x\n", 0o644),
            ("bin/-x", "#!/bin/sh\necho x\n", 0o755),
            ("a name", "#!/bin/sh\necho named \"$0\" \"$@\"\n", 0o755),
        ] {
            let path = dir.join("real dir").join(file);
            std::fs::write(&path, text).unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
        // A shell behaves by the name that it is called by.
        std::fs::create_dir(dir.join("posix")).unwrap();
        let mut shells: Vec<PathBuf> = ["/bin/sh", "/bin/dash", "/bin/bash"].map(PathBuf::from).into();
        if Path::new("/bin/bash").exists() {
            std::os::unix::fs::symlink("/bin/bash", dir.join("posix/sh")).unwrap();
            shells.push(dir.join("posix/sh"));
        }
        shells.retain(|shell| Shell::at(shell).is_some());
        Self { dir, shells }
    }

    fn home(&self) -> PathBuf {
        self.dir.join("real dir")
    }

    fn env(&self, more: &[(&str, &str)]) -> Environment {
        let path = format!("{}/bin:/usr/local/bin:/usr/bin:/bin", self.home().display());
        let mut env = Environment::new([
            ("PATH", path.as_str()),
            ("HOME", "/"),
            ("A", "one"),
            ("B", "two words"),
            ("E", ""),
        ]);
        env.set("DIR", self.home());
        more.iter().for_each(|(name, value)| env.set(name, value));
        env
    }

    /// Compares the two ways; whether there was a direct one.
    fn same(&self, shell: &Path, line: &str, env: &Environment, cwd: &Path) -> bool {
        let Some(direct) = direct(shell.as_os_str(), line, env, Some(cwd)) else { return false };
        let mut command = Command::new(shell);
        command.args = vec!["-c".into(), line.into()];
        command.env = env.clone();
        command.cwd = Some(cwd.to_owned());
        command.stdin = "input".into();
        let by_shell = seen(run(command.clone()));
        command.direct = Some(direct);
        assert_eq!(
            seen(run(command)),
            by_shell,
            "{} -c {line:?} in {} with {:?}",
            shell.display(),
            cwd.display(),
            env
        );
        true
    }
}

fn run(command: Command) -> Finished {
    let driver = LocalDriver::new();
    driver.block_on(driver.run(command, &Cancel::new()))
}

/// How it ended, and its outputs; lines are sorted, for a shell may hand its environment on in another order.
fn seen(finished: Finished) -> (String, Vec<String>, Vec<String>) {
    let lines = |bytes: &[u8]| {
        let mut lines: Vec<String> = String::from_utf8_lossy(bytes).lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    (format!("{:?}", finished.end), lines(&finished.stdout.bytes), lines(&finished.stderr.bytes))
}

/// Lines that need no shell, with how they are found on this ground.
const DIRECT: &[&str] = &[
    "env",
    "/usr/bin/env",
    "tool 'a  b' \"$A\" $A/x",
    "\"$DIR\"/env.sh a b",
    "./env.sh",
    "\"${DIR}\"/exit 2",
    "./exit 0",
    "./exit 255",
    "./exit 127",
    "'./a name' x",
    "\"$DIR/a name\" \"$B\" \"$E\" ''",
    "../link/env.sh --key=v,w:x@y%z+q",
    "/usr/bin/printf '%s|' \"a\" 'b c' \"$B\" '' 'it$self' '\\n' \"'\" \"#!*?[]{}~&;()<>|\"",
    "cat",
    "head -c 3",
    "./no-shebang a",
    "./no-exec",
    "./lost",
    "./crlf",
    "./binary",
    "./missing/x",
    "../x",
    "/",
    "./bin",
    "half-way/",
    "sh -c 'exit 7'",
    "python3 -c 'import os, sys; print(sys.argv, os.environ.get(\"PWD\"), os.getcwd()); os._exit(5)' \"$A\"",
];

#[test]
fn shell_and_direct_start_are_the_same() {
    let ground = Ground::new("same");
    assert!(!ground.shells.is_empty(), "neither dash nor bash is here");
    for shell in &ground.shells {
        for line in DIRECT {
            assert!(
                ground.same(shell, line, &ground.env(&[]), &ground.home()),
                "{} takes over {line:?}",
                shell.display()
            );
        }
        for signal in (1..=15).chain([24, 25, 26, 27, 29, 31, 34, 40, 64]) {
            assert!(
                ground.same(shell, &format!("./die {signal}"), &ground.env(&[]), &ground.home()),
                "{signal}"
            );
        }
    }
}

#[test]
fn the_working_directory_is_called_what_the_shell_calls_it() {
    let ground = Ground::new("pwd");
    let link = ground.dir.join("link");
    let (link_text, real_text) = (link.to_str().unwrap(), ground.dir.join("real dir"));
    for shell in &ground.shells {
        for cwd in [link.as_path(), &real_text, Path::new("/"), Path::new("/usr/../usr")] {
            for pwd in [
                None,
                Some(link_text),
                real_text.to_str(),
                Some("/"),
                Some(""),
                Some("usr"),
                Some("/usr/."),
                Some("//usr"),
            ] {
                for old in [None, Some("/usr"), Some("/no/such"), Some("usr")] {
                    let mut env = ground.env(&[]);
                    pwd.iter().for_each(|pwd| env.set("PWD", pwd));
                    old.iter().for_each(|old| env.set("OLDPWD", old));
                    let taken = ground.same(shell, "/usr/bin/env", &env, cwd);
                    assert!(taken || old.is_some_and(|old| old != "/usr"), "{pwd:?} {old:?}");
                }
            }
        }
        let gone = ground.dir.join("gone");
        assert!(!ground.same(shell, "env", &ground.env(&[]), &gone), "no directory, no direct start");
    }
}

#[test]
fn variables_that_shells_mind_are_the_same_or_left_to_them() {
    let ground = Ground::new("env");
    #[rustfmt::skip]
    let names = [
        "IFS", "OPTIND", "OPTERR", "LINENO", "PPID", "PS1", "PS2", "PS4", "UID", "EUID", "GROUPS", "RANDOM", "SECONDS", "SHELLOPTS",
        "BASHOPTS", "BASH_ENV", "BASH_XTRACEFD", "BASH_COMPAT", "ENV", "POSIXLY_CORRECT", "FUNCNAME", "DIRSTACK", "PIPESTATUS",
        "COMP_WORDBREAKS", "HISTCMD", "HISTFILE", "EXECIGNORE", "GLOBIGNORE", "SHLVL", "_", "MAIL", "MAILPATH", "TERM", "HISTSIZE",
        "COLUMNS", "LINES", "LC_ALL", "LC_CTYPE", "LANG", "SHELL", "HOSTNAME", "TMOUT", "IGNOREEOF", "PROMPT_COMMAND", "CDPATH",
        "MACHTYPE", "OSTYPE", "ATTY", "TEXTDOMAIN", "histchars", "auto_resume", "a.b", "BASH_FUNC_x%%", "BASH_FUNC_tool%%", "é", "1a",
        "TIMEFORMAT", "INPUTRC", "FCEDIT", "EPOCHSECONDS", "TZ", "CHILD_MAX", "PATH_", "READLINE_LINE", "OPTARG", "REPLY", "MAPFILE",
    ];
    let values = [
        "",
        "0",
        "1",
        "007",
        "abc",
        "xx_YY.UTF-8",
        "/usr",
        "*",
        "() { echo function; }",
        "a\nb",
        "998",
        "1000",
        "-1",
        "ā",
    ];
    let mut taken = 0;
    for shell in &ground.shells {
        for (index, name) in names.iter().enumerate() {
            // Each name with a few values, which together are all of them.
            for value in values.iter().skip(index % 4).step_by(4) {
                let env = ground.env(&[(name, value)]);
                taken += usize::from(ground.same(shell, "env", &env, &ground.home()));
            }
        }
        for level in ["", "0", "1", "3", "007", "998", "999", "1000", "-1", "abc", "99999999999"] {
            ground.same(shell, "env", &ground.env(&[("SHLVL", level)]), &ground.home());
        }
        for locale in ["C", "POSIX", "C.UTF-8", "xx", "en_US.UTF-8"] {
            ground.same(shell, "env", &ground.env(&[("LC_ALL", locale)]), &ground.home());
        }
        for path in [
            "",
            "/usr/bin",
            "bin:/usr/bin",
            ":/usr/bin",
            "/usr/bin:",
            "/no/such:/usr/bin",
            "~/bin:/usr/bin",
            "/a%b:/usr/bin",
        ] {
            ground.same(shell, "env", &ground.env(&[("PATH", path)]), &ground.home());
        }
        let mut none = ground.env(&[]);
        none.remove("PATH");
        assert!(!ground.same(shell, "env", &none, &ground.home()));
    }
    assert!(taken > names.len(), "{taken}");
}

#[test]
fn what_a_shell_does_itself_is_left_to_it() {
    let ground = Ground::new("left");
    let env = ground.env(&[]);
    for shell in &ground.shells {
        for line in OWN_COMMANDS.iter().copied().chain([
            "A=b env",
            "env; env",
            "env >/dev/null",
            "$E env",
            "-x",
            "missing",
            "half",
        ]) {
            assert!(direct(shell.as_os_str(), line, &env, Some(&ground.home())).is_none(), "{line}");
        }
    }
    for other in ["/usr/bin/env", "/no/such", "sh -c", "", "/bin/sh/", "rbash"] {
        assert!(direct(OsStr::new(other), "env", &env, Some(&ground.home())).is_none(), "{other}");
    }
    // A script is none of the known shells, whatever its name.
    let fake = ground.dir.join("bash");
    std::fs::copy(ground.home().join("exit"), &fake).unwrap();
    assert!(direct(fake.as_os_str(), "env", &env, Some(&ground.home())).is_none());
}

/// bash tells its own commands; none of them may be missing from the list.
#[test]
fn every_command_of_bash_is_known() {
    let bash = Path::new("/bin/bash");
    if Shell::at(bash) != Some(Shell::Bash) {
        return;
    }
    let mut command = Command::new(bash);
    command.args = vec!["-c".into(), "compgen -b; compgen -k".into()];
    command.env = Environment::new([("PATH", "/usr/bin:/bin")]);
    let listed = String::from_utf8(run(command).stdout.bytes).unwrap();
    assert!(listed.lines().count() > 50, "{listed}");
    let missing: Vec<&str> = listed.lines().filter(|name| !OWN_COMMANDS.contains(name)).collect();
    assert_eq!(missing, Vec::<&str>::new());
}

/// Where the system would need a relay shell, nothing is started directly: the status would be lost.
#[test]
fn a_direct_start_saves_the_shell() {
    let ground = Ground::new("saves");
    std::fs::write(ground.home().join("parent"), "#!/bin/sh\necho $PPID\n").unwrap();
    std::fs::set_permissions(ground.home().join("parent"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new("/bin/sh");
    command.args = vec!["-c".into(), "./parent".into()];
    command.env = ground.env(&[]);
    command.cwd = Some(ground.home());
    command.direct = direct(OsStr::new("/bin/sh"), "./parent", &command.env, command.cwd.as_deref());
    let own = format!("{}\n", std::process::id());
    let through_shell = Shell::at(Path::new("/bin/sh")).is_none();
    assert_eq!(String::from_utf8(run(command).stdout.bytes).unwrap() == own, !through_shell);
}

struct Random(u64);

impl Random {
    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        from[(self.0 >> 16) as usize % from.len()].clone()
    }
}

#[test]
fn generated_lines_are_the_same() {
    let number =
        |name: &str, or: u64| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(or);
    let ground = Ground::new("generated");
    let mut random = Random(number("DIRECT_SEED", 7).wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    #[rustfmt::skip]
    let (programs, parts) = (
        ["/usr/bin/printf", "/usr/bin/printf", "env", "tool", "./exit", "./env.sh", "\"$DIR\"/env.sh", "'./a name'", "./missing",
         "./no-shebang", "./no-exec", "half", "\"$DIR/a name\"", "$A", "echo", "in", "./%a", "a=b/c", "'a=b'/c", "to\"ol\"", "\"\"tool"],
        ["%s|", "'%s\n'", "'%s'", "a", "$A", "\"$A\"", "\"$B\"", "$B", "${A}", "\"${B}x\"", "$E", "\"$E\"", "''", "\"\"", "'$A'", "'a\"b'",
         "\"a'b\"", "-n", "--x=y", "=", "a=b", "%1", "@", "+", ":", ",", ".", "..", "/", "~", "a~", "x=~", "*", "'*'", "\"*\"", "?", "[a]",
         "]", "{a,b}", "a}", "#", "a#", "'#'", "!", "\"!\"", "^", "\\a", "'\\a'", "\"\\a\"", "`a`", "$", "\"$\"", "$$", "$0", "$UNKNOWN",
         "$PWD", "\"$HOME\"", "$HOME", "é", "'é'", "\u{b}", "&", "2", "2>", "(", "''''", "x''y", "$A$A", "${A}${A}", "$A-", "$A_", "$A.b",
         "%s", "%s ", "done", "then", "}", "in", "time", "$_", "$SHLVL", "$IFS", "${#A}", "${A:-b}"],
    );
    let (mut taken, count) = (0, number("DIRECT_COUNT", 600));
    for _ in 0..count {
        let mut line = random.pick(&["", "", "", " ", "\t"]).to_owned();
        line.push_str(random.pick(&programs));
        for _ in 0..random.pick(&[0, 1, 1, 2, 2, 3, 4]) {
            line.push_str(random.pick(&[" ", " ", " ", "  ", "\t", ""]));
            line.push_str(random.pick(&parts));
        }
        line.push_str(random.pick(&["", "", "", " ", "\t "]));
        let shell = random.pick(&ground.shells);
        taken += u64::from(ground.same(&shell, &line, &ground.env(&[]), &ground.home()));
    }
    assert!(taken > count / 10, "{taken} of {count}");
}

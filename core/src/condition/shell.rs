//! Rules for command lines: each command of a line is tried.

use super::glob;
use super::words::{DEEPEST, End, KEYWORDS, Letters, Reader, Word, is_assignment};

/// A pattern for command lines.
#[derive(Debug)]
pub(super) struct LinePattern {
    /// The command as a pattern.
    pattern: String,
    /// It says more than the command's name, so that what an expansion hides may be what it means.
    detailed: bool,
}

impl LinePattern {
    /// `git push *`, or `git push:*` as it was written before: what follows the star's blank may be missing.
    pub(super) fn new(pattern: &str) -> Self {
        let pattern = match pattern.strip_suffix(":*") {
            Some(start) => format!("{start} *"),
            None => pattern.to_owned(),
        };
        let words = pattern.strip_suffix(" *").unwrap_or(&pattern);
        let named = words.split_whitespace().count() == 1 && !words.starts_with('*');
        let detailed = !named && words != "*";
        Self { pattern, detailed }
    }

    /// Whether any command of the line is meant. A line that cannot be taken apart, is.
    pub(super) fn matches(&self, line: &str) -> bool {
        let mut commands = Commands::default();
        if commands.read(line, 0).is_none() {
            return true;
        }
        if self.detailed && commands.expands {
            return true;
        }
        commands.found.iter().any(|command| command.unknown || self.command(command))
    }

    fn command(&self, command: &Command) -> bool {
        let bare = self.pattern.strip_suffix(" *");
        [&command.text, &command.plain].into_iter().any(|text| {
            glob::matches(&self.pattern, text) || bare.is_some_and(|bare| glob::matches(bare, text))
        })
    }
}

/// One command of a line, without what stands before its name.
#[derive(Debug, Default)]
struct Command {
    /// As written, one blank between words.
    text: String,
    /// The same without quotes and redirections.
    plain: String,
    /// Its name is what some expansion gives, or stands behind options of a word like `exec`.
    unknown: bool,
}

/// The commands of a line.
#[derive(Debug, Default)]
struct Commands {
    found: Vec<Command>,
    /// Something in the line is replaced before it runs.
    expands: bool,
}

impl Commands {
    /// Takes a line apart; `None` when it is no complete line, or one that is not understood for sure.
    fn read(&mut self, line: &str, depth: usize) -> Option<()> {
        let mut letters = Letters { rest: line };
        if self.level(&mut letters, depth)? == End::Line { Some(()) } else { None }
    }

    /// Reads up to the end of the line, or to a bracket that was opened before.
    fn level(&mut self, letters: &mut Letters<'_>, depth: usize) -> Option<End> {
        if depth > DEEPEST {
            return None;
        }
        let mut reader = Reader::new(*letters);
        let mut open = 0_usize;
        while let Some(letter) = reader.letters.next() {
            match letter {
                '(' => {
                    self.end_command(&mut reader);
                    open += 1;
                }
                ')' => {
                    self.end_command(&mut reader);
                    if open == 0 && depth > 0 && reader.cases == 0 {
                        *letters = reader.letters;
                        return Some(End::Bracket);
                    }
                    // The patterns of `case` end with a bracket; which of them those are is not followed.
                    if open == 0 && depth > 0 {
                        return None;
                    }
                    open = open.saturating_sub(1);
                }
                ';' | '|' | '&' => self.end_command(&mut reader),
                '\n' => {
                    self.end_command(&mut reader);
                    reader.skip_documents();
                }
                other => self.letter(&mut reader, other, depth)?,
            }
        }
        self.end_command(&mut reader);
        *letters = reader.letters;
        Some(End::Line)
    }

    /// One letter of a command, and what belongs to it.
    fn letter(&mut self, reader: &mut Reader<'_>, letter: char, depth: usize) -> Option<()> {
        let next = reader.letters.peek();
        match letter {
            '\\' => match reader.letters.next()? {
                '\n' => {}
                next => reader.push(&format!("\\{next}"), &next.to_string()),
            },
            '\'' => {
                let text = reader.until('\'')?;
                reader.push(&format!("'{text}'"), &text);
            }
            '"' => self.double_quoted(reader, depth)?,
            '`' => self.backticks(reader, depth)?,
            '$' if next == Some('\'') => self.ansi_quoted(reader)?,
            // A text that is translated.
            '$' if next == Some('"') => {}
            '$' => self.dollar(reader, depth)?,
            '#' if reader.word.is_none() => while reader.letters.next_if(|c| c != '\n').is_some() {},
            ' ' | '\t' => reader.end_word(),
            // Of a line's end; anywhere else it is a letter.
            '\r' if next == Some('\n') => reader.end_word(),
            '<' if next == Some('<') => reader.document()?,
            '>' | '<' if next == Some('(') => {
                reader.letters.next();
                let inner = self.bracketed(reader, depth)?;
                reader.push(&format!("{letter}({inner})"), "");
            }
            '>' | '<' => reader.redirection(letter),
            '*' | '?' | '[' | '{' | ',' | '.' => self.unquoted_pattern(reader, letter),
            other => reader.push(&other.to_string(), &other.to_string()),
        }
        Some(())
    }

    /// Letters that may make a pattern for files, or a list in braces, of the word.
    fn unquoted_pattern(&mut self, reader: &mut Reader<'_>, letter: char) {
        reader.push(&letter.to_string(), &letter.to_string());
        let Some(word) = &mut reader.word else { return };
        let in_braces = word.raw.contains('{');
        if matches!(letter, ',' | '.') {
            self.expands |= in_braces;
        } else {
            word.expanded = true;
        }
    }

    fn double_quoted(&mut self, reader: &mut Reader<'_>, depth: usize) -> Option<()> {
        reader.push("\"", "");
        loop {
            match reader.letters.next()? {
                '"' => {
                    reader.push("\"", "");
                    return Some(());
                }
                '\\' => match reader.letters.next()? {
                    '\n' => {}
                    next => reader.push(&format!("\\{next}"), &next.to_string()),
                },
                '`' => self.backticks(reader, depth)?,
                '$' => self.dollar(reader, depth)?,
                other => reader.push(&other.to_string(), &other.to_string()),
            }
        }
    }

    /// `$'...'`, in which a backslash may hide a quote or any other letter.
    fn ansi_quoted(&mut self, reader: &mut Reader<'_>) -> Option<()> {
        reader.letters.next();
        let mut text = String::new();
        loop {
            match reader.letters.next()? {
                '\'' => break,
                '\\' => text.extend(['\\', reader.letters.next()?]),
                other => text.push(other),
            }
        }
        let raw = format!("$'{text}'");
        if text.contains('\\') {
            self.expands = true;
            reader.expansion(&raw);
        } else {
            reader.push(&raw, &text);
        }
        Some(())
    }

    fn backticks(&mut self, reader: &mut Reader<'_>, depth: usize) -> Option<()> {
        let inner = reader.until('`')?;
        // Backslashes are taken away before the rest is read.
        if inner.contains('\\') {
            return None;
        }
        self.expands = true;
        reader.expansion(&format!("`{inner}`"));
        let mut letters = Letters { rest: &inner };
        if self.level(&mut letters, depth + 1)? == End::Line { Some(()) } else { None }
    }

    /// The commands up to the bracket that closes the one just read, and their text.
    fn bracketed<'a>(&mut self, reader: &mut Reader<'a>, depth: usize) -> Option<&'a str> {
        self.expands = true;
        let text = reader.letters.rest;
        if self.level(&mut reader.letters, depth + 1)? == End::Line {
            return None;
        }
        text.get(..text.len().checked_sub(reader.letters.rest.len() + 1)?)
    }

    /// `$(...)`, `${...}`, `$NAME`; a dollar alone is text.
    fn dollar(&mut self, reader: &mut Reader<'_>, depth: usize) -> Option<()> {
        match reader.letters.peek() {
            Some('(') => {
                reader.letters.next();
                let inner = self.bracketed(reader, depth)?;
                reader.expansion(&format!("$({inner})"));
                Some(())
            }
            Some('{') => {
                let inner = reader.until('}')?;
                self.expands = true;
                reader.expansion(&format!("${inner}}}"));
                // Quotes may hide where it ends, and a default value may hold commands.
                let plain = |c: char| !c.is_whitespace() && !"'\"\\`(|".contains(c);
                let nested = inner.get(1..).is_some_and(|name| name.contains('{'));
                (inner.chars().all(plain) && !nested).then_some(())
            }
            Some(letter) if letter.is_alphanumeric() || "_@*#?$!-".contains(letter) => {
                let mut name = String::new();
                while let Some(next) = reader.letters.next_if(|c| c.is_alphanumeric() || c == '_') {
                    name.push(next);
                }
                if name.is_empty() {
                    name.extend(reader.letters.next());
                }
                self.expands = true;
                reader.expansion(&format!("${name}"));
                Some(())
            }
            _ => {
                reader.push("$", "$");
                Some(())
            }
        }
    }

    /// A command ends: it is kept without what stands before its name.
    fn end_command(&mut self, reader: &mut Reader<'_>) {
        reader.end_word();
        let words = std::mem::take(&mut reader.words);
        let mut rest = words.as_slice();
        let mut optional = false;
        while let Some((word, after)) = rest.split_first() {
            let raw = word.raw.as_str();
            if raw == "function" {
                rest = after.get(1..).unwrap_or_default();
                continue;
            }
            // No keyword but a command, which may be quoted.
            let executes = word.plain == "exec";
            if !(word.redirects || is_assignment(raw) || KEYWORDS.contains(&raw) || executes) {
                break;
            }
            optional |= executes || matches!(raw, "time" | "coproc");
            rest = after;
        }
        let Some(first) = rest.first() else { return };
        reader.cases += usize::from(first.raw == "case");
        let join = |part: fn(&Word) -> &str| {
            rest.iter().map(part).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
        };
        let named = first.raw.starts_with('[') && first.raw.bytes().all(|byte| byte == b'[');
        let behind_options = optional && (first.raw.starts_with('-') || rest.iter().any(|w| w.raw == "{"));
        self.found.push(Command {
            text: join(|word| &word.raw),
            plain: join(|word| &word.plain),
            unknown: (first.expanded && !named) || behind_options,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, line: &str) -> bool {
        LinePattern::new(pattern).matches(line)
    }

    #[test]
    fn every_command_of_a_line_is_tried() {
        for line in [
            "git push",
            "git",
            "TOKEN=x A=$B git push",
            "ls && git push",
            "ls; git push | cat",
            "echo $(git log)",
            "echo \"a `git log` b\"",
            "if true; then git status; fi",
            "(cd x && git pull)",
            "\"git\" push",
            "cat <(git diff)",
            "ls\ngit push",
            "echo $(echo $(git x))",
        ] {
            assert!(matches("git *", line), "{line}");
        }
        for line in ["ls git", "gitk", "echo 'git push'", "echo \"; git push\"", "ls # git x", "echo git"] {
            assert!(!matches("git *", line), "{line}");
        }
    }

    #[test]
    fn a_detailed_pattern_runs_when_something_is_hidden() {
        assert!(matches("git push *", "git push origin"));
        assert!(matches("git push:*", "git push"));
        assert!(!matches("git push *", "git status"));
        assert!(matches("git push *", "git $ACTION"));
        assert!(matches("git push *", "echo `x`"));
        assert!(!matches("git push *", "echo '$ACTION'"), "no expansion");
        assert!(!matches("ls *", "pwd && echo \"$(date +%Y)\""), "a name is not hidden there");
        assert!(matches("git *", "$TOOL git push"), "a name that nobody knows");
    }

    #[test]
    fn redirections_and_documents_are_no_part_of_a_command() {
        assert!(matches("npm test", "npm test > log 2>&1"));
        assert!(!matches("git *", "cat <<'E'\ngit push\nE\nls"));
        assert!(matches("git *", "cat <<'E'\nx\nE\ngit push"));
    }

    #[test]
    fn what_cannot_be_taken_apart_runs_the_hook() {
        for line in ["echo 'x", "echo $(ls", "echo \"x", "x `y", "ls \\"] {
            assert!(matches("git *", line), "{line}");
        }
        assert!(matches("git *", &"$(".repeat(10_000)));
    }

    #[test]
    fn a_star_alone_is_every_command() {
        assert!(matches("*", "anything at all"));
        assert!(matches("npm run *", "npm run build"));
        assert!(!matches("npm run *", "npm test"));
        assert!(matches("* --force", "git push --force"));
        assert!(!matches("* --force", "git push"));
    }

    /// What a shell runs, however it is written (bash 5.2 runs each but `${ rm; }`, which is of 5.3).
    #[test]
    fn a_command_cannot_hide_behind_its_spelling() {
        for line in [
            "$'rm' -rf x",
            "$'\\x72m' -rf x",
            "$\"rm\" -rf x",
            "echo $'\\'' ; rm -rf x #'",
            "\"r\\\nm\" -rf x",
            "echo ${A:-'}'} ; rm -rf x #'",
            "echo ${A:-<(rm -rf x)}",
            "${ rm -rf x; }",
            "echo $(case a in a) rm -rf x;; esac)",
            "echo $(: \"'\" ) ; if (: \"'\") then rm -rf x; fi",
            "time -p rm -rf x",
            "exec -a name rm -rf x",
            "\\exec rm -rf x",
            "coproc NAME { rm -rf x; }",
            "function f { rm -rf x; }; f",
            ">\"/dev/null\" rm -rf x",
            "2>$OUT rm -rf x",
            ">/dev/null A=1 rm -rf x",
            "> /dev/'null' rm -rf x",
            "<<<x rm -rf x",
            "{fd}>x rm -rf x",
            "A[0]=x rm -rf x",
            "r$EMPTY\\m -rf x",
            "r${EMPTY}m -rf x",
            "{rm,-rf,x}",
            "r[m] -rf x",
            "echo \r# ; rm -rf x",
            "echo `echo \\\\'; rm -rf x #'`",
            "cat <<'E F'\nx\nE F\nrm -rf x\n'",
            "cat <<'E'\n\tE\n'\nE\nrm -rf x\n#'",
            "cat <<E\nx\\\nE\n'\nE\nrm -rf x #'",
        ] {
            assert!(matches("rm *", line), "{line:?}");
        }
        assert!(matches("git push *", "git pu{sh,x}"));
    }

    #[test]
    fn what_is_understood_does_not_run_the_hook_in_vain() {
        for line in [
            "grep $'\\t' x > \"a b\" 2>&1",
            "echo ${A%.*} ${B[@]} \"$'x'\"",
            "[ -f rm ] && [[ a == b* ]]",
            "echo $(ls (a) | wc) > >(tee rm)",
            "function f { ls; }; A[1]=rm ls",
            "cat <<-'E F'\n\trm -rf x\n\tE F\nls",
            "case a in a) ls;; esac",
            "ls\r\n# rm x\r\ntime ls *.rm {a,b}",
        ] {
            assert!(!matches("rm *", line), "{line:?}");
        }
    }
}

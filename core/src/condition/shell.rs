//! Rules for command lines: each command of a line is tried.

use super::glob;

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
    /// Its name is what some expansion gives.
    unknown: bool,
}

/// The commands of a line.
#[derive(Debug, Default)]
struct Commands {
    found: Vec<Command>,
    /// Something in the line is replaced before it runs.
    expands: bool,
}

/// Brackets in brackets are followed no deeper.
const DEEPEST: usize = 50;

/// Words after which a command follows.
const KEYWORDS: [&str; 12] =
    ["if", "then", "else", "elif", "while", "until", "do", "time", "!", "{", "coproc", "exec"];

/// One word as written and as the shell reads it.
#[derive(Debug, Default, Clone)]
struct Word {
    raw: String,
    plain: String,
    /// It starts with an expansion.
    expanded: bool,
}

/// Reads one level of a line.
struct Reader<'a> {
    letters: std::iter::Peekable<std::str::Chars<'a>>,
    words: Vec<Word>,
    word: Option<Word>,
    /// Ends of here-documents whose text starts with the next line.
    documents: Vec<String>,
}

impl Commands {
    /// Takes a line apart; `None` when it is no complete line.
    fn read(&mut self, line: &str, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        let mut reader =
            Reader { letters: line.chars().peekable(), words: Vec::new(), word: None, documents: Vec::new() };
        while let Some(letter) = reader.letters.next() {
            match letter {
                '\\' => match reader.letters.next()? {
                    '\n' => {}
                    next => reader.push(&format!("\\{next}"), &next.to_string()),
                },
                '\'' => {
                    let text = reader.until('\'')?;
                    reader.push(&format!("'{text}'"), &text);
                }
                '"' => self.double_quoted(&mut reader, depth)?,
                '`' => self.backticks(&mut reader, depth)?,
                '$' => self.dollar(&mut reader, depth)?,
                '#' if reader.word.is_none() => {
                    while reader.letters.peek().is_some_and(|next| *next != '\n') {
                        reader.letters.next();
                    }
                }
                ' ' | '\t' | '\r' => reader.end_word(),
                '\n' => {
                    self.end_command(&mut reader);
                    reader.skip_documents();
                }
                '<' if reader.letters.peek() == Some(&'<') => reader.document()?,
                '>' | '<' if reader.letters.peek() == Some(&'(') => {
                    reader.letters.next();
                    let inner = reader.bracketed()?;
                    self.expands = true;
                    self.read(&inner, depth + 1)?;
                    reader.push(&format!("{letter}({inner})"), "");
                }
                '>' | '<' => reader.redirection(letter),
                ';' | '|' | '&' | '(' | ')' => self.end_command(&mut reader),
                other => reader.push(&other.to_string(), &other.to_string()),
            }
        }
        self.end_command(&mut reader);
        Some(())
    }

    fn double_quoted(&mut self, reader: &mut Reader<'_>, depth: usize) -> Option<()> {
        reader.push("\"", "");
        loop {
            match reader.letters.next()? {
                '"' => {
                    reader.push("\"", "");
                    return Some(());
                }
                '\\' => {
                    let next = reader.letters.next()?;
                    reader.push(&format!("\\{next}"), &next.to_string());
                }
                '`' => self.backticks(reader, depth)?,
                '$' => self.dollar(reader, depth)?,
                other => reader.push(&other.to_string(), &other.to_string()),
            }
        }
    }

    fn backticks(&mut self, reader: &mut Reader<'_>, depth: usize) -> Option<()> {
        let inner = reader.until('`')?;
        self.expands = true;
        reader.expansion(&format!("`{inner}`"));
        self.read(&inner.replace("\\`", "`"), depth + 1)
    }

    /// `$(...)`, `${...}`, `$NAME`; a dollar alone is text.
    fn dollar(&mut self, reader: &mut Reader<'_>, depth: usize) -> Option<()> {
        match reader.letters.peek().copied() {
            Some('(') => {
                reader.letters.next();
                let inner = reader.bracketed()?;
                self.expands = true;
                reader.expansion(&format!("$({inner})"));
                self.read(&inner, depth + 1)
            }
            Some('{') => {
                let inner = reader.until('}')?;
                self.expands = true;
                reader.expansion(&format!("${inner}}}"));
                // A default value may hold commands too.
                if inner.contains("$(") || inner.contains('`') { None } else { Some(()) }
            }
            Some(letter) if letter.is_alphanumeric() || "_@*#?$!-".contains(letter) => {
                let mut name = String::new();
                while let Some(next) = reader.letters.next_if(|c| c.is_alphanumeric() || *c == '_') {
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
        let mut start = 0;
        while words
            .get(start)
            .is_some_and(|word| is_assignment(word) || KEYWORDS.contains(&word.raw.as_str()))
        {
            start += 1;
        }
        let rest = words.get(start..).unwrap_or_default();
        let Some(first) = rest.first() else { return };
        let join = |part: fn(&Word) -> &str| {
            rest.iter().map(part).filter(|text| !text.is_empty()).collect::<Vec<_>>().join(" ")
        };
        self.found.push(Command {
            text: join(|word| &word.raw),
            plain: join(|word| &word.plain),
            unknown: first.expanded,
        });
    }
}

impl Reader<'_> {
    fn push(&mut self, raw: &str, plain: &str) {
        let word = self.word.get_or_insert_with(Word::default);
        word.raw.push_str(raw);
        word.plain.push_str(plain);
    }

    fn expansion(&mut self, raw: &str) {
        let starts = self.word.as_ref().is_none_or(|word| word.plain.is_empty());
        self.push(raw, raw);
        if let Some(word) = &mut self.word {
            word.expanded |= starts;
        }
    }

    fn end_word(&mut self) {
        self.words.extend(self.word.take());
    }

    fn until(&mut self, end: char) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.letters.next()? {
                letter if letter == end => return Some(text),
                '\\' if end == '`' => {
                    text.push('\\');
                    text.push(self.letters.next()?);
                }
                letter => text.push(letter),
            }
        }
    }

    /// What stands up to the bracket that closes the one just read.
    fn bracketed(&mut self) -> Option<String> {
        let (mut text, mut depth) = (String::new(), 1_usize);
        loop {
            let letter = self.letters.next()?;
            match letter {
                '(' => depth += 1,
                ')' => depth -= 1,
                '\'' => {
                    let quoted = self.until('\'')?;
                    text.push_str(&format!("'{quoted}'"));
                    continue;
                }
                '\\' => {
                    text.push(letter);
                    text.push(self.letters.next()?);
                    continue;
                }
                _ => {}
            }
            if depth == 0 {
                return Some(text);
            }
            text.push(letter);
        }
    }

    /// `> file`, `2>&1`: no part of the plain command.
    fn redirection(&mut self, sign: char) {
        // A number before it names the stream.
        let number = self.word.take_if(|word| word.raw.bytes().all(|byte| byte.is_ascii_digit()));
        self.end_word();
        let mut raw = number.map(|word| word.raw).unwrap_or_default();
        raw.push(sign);
        while let Some(next) = self.letters.next_if(|c| matches!(c, '>' | '&' | '|')) {
            raw.push(next);
        }
        while self.letters.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        while let Some(next) = self.letters.next_if(|c| !c.is_whitespace() && !";|&()<>'\"`$\\".contains(*c))
        {
            raw.push(next);
        }
        self.words.push(Word { raw, ..Word::default() });
    }

    /// `<<WORD`: what follows on the next lines is input.
    fn document(&mut self) -> Option<()> {
        self.letters.next();
        if self.letters.next_if_eq(&'<').is_some() {
            // A here-string: its word is read as any other.
            return Some(());
        }
        self.letters.next_if_eq(&'-');
        while self.letters.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        let mut end = String::new();
        let mut quoted = false;
        while let Some(letter) = self.letters.next_if(|c| !c.is_whitespace() && !";|&()<>".contains(*c)) {
            match letter {
                '\'' | '"' | '\\' => quoted = true,
                other => end.push(other),
            }
        }
        // The text of an open document is expanded; that is not followed.
        if end.is_empty() || (!quoted && self.letters.clone().any(|c| c == '`' || c == '$')) {
            return None;
        }
        self.documents.push(end);
        Some(())
    }

    fn skip_documents(&mut self) {
        for end in std::mem::take(&mut self.documents) {
            loop {
                let mut line = String::new();
                while let Some(letter) = self.letters.next_if(|c| *c != '\n') {
                    line.push(letter);
                }
                let more = self.letters.next().is_some();
                if line.trim_start_matches('\t') == end || !more {
                    break;
                }
            }
        }
    }
}

/// `NAME=value` in front of a command.
fn is_assignment(word: &Word) -> bool {
    word.raw.split_once('=').is_some_and(|(name, _)| {
        let name = name.strip_suffix('+').unwrap_or(name);
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
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
}

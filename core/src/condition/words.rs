//! Letters and words of a command line, as a shell tells them apart.

/// Brackets in brackets are followed no deeper.
pub(super) const DEEPEST: usize = 50;

/// Words after which a command follows.
pub(super) const KEYWORDS: [&str; 11] =
    ["if", "then", "else", "elif", "while", "until", "do", "time", "!", "{", "coproc"];

/// Where the reading of a level ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    Line,
    Bracket,
}

/// The letters that are still to be read.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Letters<'a> {
    pub(super) rest: &'a str,
}

impl Letters<'_> {
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    pub(super) fn next_if(&mut self, wanted: impl Fn(char) -> bool) -> Option<char> {
        if self.peek().is_some_and(wanted) { self.next() } else { None }
    }
}

/// One word as written and as the shell reads it.
#[derive(Debug, Default, Clone)]
pub(super) struct Word {
    pub(super) raw: String,
    pub(super) plain: String,
    /// It holds an expansion or a pattern for files.
    pub(super) expanded: bool,
    /// It is a redirection, with its target.
    pub(super) redirects: bool,
}

/// Reads one level of a line.
#[derive(Debug, Default)]
pub(super) struct Reader<'a> {
    pub(super) letters: Letters<'a>,
    pub(super) words: Vec<Word>,
    pub(super) word: Option<Word>,
    /// How often `case` was a command's name.
    pub(super) cases: usize,
    /// Here-documents whose text starts with the next line.
    documents: Vec<Document>,
}

#[derive(Debug)]
struct Document {
    end: String,
    /// Tabs in front of the end do not count.
    tabs: bool,
}

impl<'a> Reader<'a> {
    pub(super) fn new(letters: Letters<'a>) -> Self {
        Self { letters, ..Self::default() }
    }

    pub(super) fn push(&mut self, raw: &str, plain: &str) {
        let word = self.word.get_or_insert_with(Word::default);
        word.raw.push_str(raw);
        word.plain.push_str(plain);
    }

    pub(super) fn expansion(&mut self, raw: &str) {
        self.push(raw, raw);
        if let Some(word) = &mut self.word {
            word.expanded = true;
        }
    }

    pub(super) fn end_word(&mut self) {
        if let Some(mut word) = self.word.take() {
            if word.redirects {
                word.plain.clear();
            }
            self.words.push(word);
        }
    }

    pub(super) fn until(&mut self, end: char) -> Option<String> {
        let mut text = String::new();
        loop {
            match self.letters.next()? {
                letter if letter == end => return Some(text),
                '\\' if end == '`' => text.extend(['\\', self.letters.next()?]),
                letter => text.push(letter),
            }
        }
    }

    /// `> file`, `2>&1`: no part of the plain command. The target is read as any word.
    pub(super) fn redirection(&mut self, sign: char) {
        // A number before it names the stream, as does `{name}`.
        let stream = |word: &mut Word| {
            word.raw.bytes().all(|byte| byte.is_ascii_digit())
                || word.raw.starts_with('{') && word.raw.ends_with('}')
        };
        let stream = self.word.take_if(stream);
        self.end_word();
        let mut raw = stream.map(|word| word.raw).unwrap_or_default();
        raw.push(sign);
        while let Some(next) = self.letters.next_if(|c| matches!(c, '>' | '&' | '|')) {
            raw.push(next);
        }
        self.target(raw);
    }

    fn target(&mut self, raw: String) {
        while self.letters.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        self.word = Some(Word { raw, redirects: true, ..Word::default() });
    }

    /// `<<WORD`: what follows on the next lines is input.
    pub(super) fn document(&mut self) -> Option<()> {
        self.letters.next();
        let stream = self.word.take_if(|word| word.raw.bytes().all(|byte| byte.is_ascii_digit()));
        self.end_word();
        if self.letters.next_if(|c| c == '<').is_some() {
            self.target(stream.map(|word| word.raw).unwrap_or_default() + "<<<");
            return Some(());
        }
        let tabs = self.letters.next_if(|c| c == '-').is_some();
        while self.letters.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        let mut end = String::new();
        let mut is_quoted = false;
        while let Some(letter) = self.letters.next_if(|c| !c.is_whitespace() && !";|&()<>".contains(c)) {
            match letter {
                '\'' | '"' => {
                    is_quoted = true;
                    end.push_str(&self.until(letter)?);
                }
                '\\' => {
                    is_quoted = true;
                    end.push(self.letters.next()?);
                }
                other => end.push(other),
            }
        }
        // The text of an open document is expanded, and goes on behind a backslash; that is not followed.
        let is_plain = |c: char| !"`$\\".contains(c);
        let understood = end.chars().all(|c| is_plain(c) && c != '\n');
        if end.is_empty() || !understood || (!is_quoted && !self.letters.rest.chars().all(is_plain)) {
            return None;
        }
        self.documents.push(Document { end, tabs });
        Some(())
    }

    pub(super) fn skip_documents(&mut self) {
        for document in std::mem::take(&mut self.documents) {
            loop {
                let mut line = String::new();
                while let Some(letter) = self.letters.next_if(|c| c != '\n') {
                    line.push(letter);
                }
                let more = self.letters.next().is_some();
                let text = if document.tabs { line.trim_start_matches('\t') } else { &line };
                if text == document.end || !more {
                    break;
                }
            }
        }
    }
}

/// `NAME=value` or `NAME[index]=value` in front of a command.
pub(super) fn is_assignment(raw: &str) -> bool {
    let end = raw.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(raw.len());
    let Some((name, value)) = raw.split_at_checked(end) else { return false };
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let indexed = || value.starts_with('[') && (value.contains("]=") || value.contains("]+="));
    named && (value.starts_with('=') || value.starts_with("+=") || indexed())
}

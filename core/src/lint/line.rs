//! A command line as far as it can be read without running it.

/// The words of the line's first command, without assignments in front of it: quotes removed and variables filled in by
/// `value_of`. `None` stands for a word of which that is not known; reading ends where the command does, or in doubt.
pub(super) fn first_command(line: &str, value_of: impl Fn(&str) -> Option<String>) -> Vec<Option<String>> {
    let mut reader = Reader { rest: line, value_of };
    let mut words: Vec<Option<String>> = Vec::new();
    while let Some(word) = reader.word() {
        if !(words.is_empty() && word.assigns) {
            words.push(word.text);
        }
    }
    words
}

struct Word {
    text: Option<String>,
    assigns: bool,
}

struct Reader<'a, F> {
    rest: &'a str,
    value_of: F,
}

impl<F: Fn(&str) -> Option<String>> Reader<'_, F> {
    fn next(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let next = chars.next();
        self.rest = chars.as_str();
        next
    }

    /// The next word of the command; `None` where the command ends.
    fn word(&mut self) -> Option<Word> {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        if self.rest.is_empty() || self.rest.starts_with(ENDS) {
            return None;
        }
        let mut text = Some(String::new());
        let mut assigns = false;
        if let Some(rest) = self.rest.strip_prefix("~/") {
            self.rest = rest;
            text = (self.value_of)("HOME").map(|home| format!("{home}/"));
        }
        while !self.rest.is_empty() && !self.rest.starts_with([' ', '\t']) && !self.rest.starts_with(ENDS) {
            let letter = self.next()?;
            let piece = match letter {
                '\'' => self.until_quote(),
                '"' => self.double_quoted(),
                '\\' => self.next().map(String::from),
                '$' => self.variable(),
                '`' => {
                    self.rest = "";
                    None
                }
                '*' | '?' | '[' | '{' | '~' => None,
                letter => {
                    let name = text.as_deref().unwrap_or_default();
                    assigns |= letter == '=' && is_name(name);
                    Some(letter.to_string())
                }
            };
            text = text.zip(piece).map(|(text, piece)| text + &piece);
        }
        Some(Word { text, assigns })
    }

    fn until_quote(&mut self) -> Option<String> {
        let (text, rest) = self.rest.split_once('\'').unwrap_or((self.rest, ""));
        self.rest = rest;
        Some(text.to_owned())
    }

    fn double_quoted(&mut self) -> Option<String> {
        let mut text = Some(String::new());
        loop {
            let piece = match self.next() {
                None | Some('"') => return text,
                Some('\\') => self.next().map(String::from),
                Some('$') => self.variable(),
                Some('`') => {
                    self.rest = "";
                    None
                }
                Some(letter) => Some(letter.to_string()),
            };
            text = text.zip(piece).map(|(text, piece)| text + &piece);
        }
    }

    /// The value of the variable whose name follows. Of other expansions nothing is known, nor where they end.
    fn variable(&mut self) -> Option<String> {
        let found = reference(self.rest);
        self.rest = found.map_or("", |(_, rest)| rest);
        (self.value_of)(found?.0)
    }
}

/// What ends a simple command.
const ENDS: [char; 9] = [';', '|', '&', '\n', '<', '>', '(', ')', '#'];

/// The name of the variable behind a `$`, and what follows it.
fn reference(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = match text.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => {
            let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
            text.split_at_checked(end)?
        }
    };
    is_name(name).then_some((name, rest))
}

fn is_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// The first variable that `asked` names and that stands outside quotes where a shell splits it at blanks. What stands
/// behind an expansion that holds commands, or in a line with a here-document, is not looked at; between `case` and `in`
/// nothing is split.
pub(super) fn unquoted(line: &str, asked: impl Fn(&str) -> bool) -> Option<&str> {
    if line.contains("<<") || line.contains("[[") {
        return None;
    }
    let (mut rest, mut in_double, mut assigns) = (line, false, false);
    let (mut word, mut before) = (String::new(), String::new());
    loop {
        let mut letters = rest.chars();
        let letter = letters.next()?;
        rest = letters.as_str();
        match letter {
            '\'' if !in_double => rest = rest.split_once('\'')?.1,
            '"' => in_double = !in_double,
            '\\' => {
                letters.next();
                rest = letters.as_str();
            }
            '`' => return None,
            '$' if rest.starts_with('(') => return None,
            '$' => {
                if let Some((name, after)) = reference(rest) {
                    if !in_double && !assigns && before != "case" && asked(name) {
                        return Some(name);
                    }
                    rest = after;
                }
            }
            letter if !in_double && (letter.is_whitespace() || ENDS.contains(&letter)) => {
                assigns = false;
                if !(letter.is_whitespace() && word.is_empty()) {
                    before = std::mem::take(&mut word);
                }
                continue;
            }
            '=' if !in_double => assigns |= is_name(&word),
            _ => {}
        }
        word.push(letter);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<Option<String>> {
        first_command(line, |name| match name {
            "DIR" => Some("/a b".to_owned()),
            "HOME" => Some("/home/me".to_owned()),
            _ => None,
        })
    }

    fn some(texts: &[&str]) -> Vec<Option<String>> {
        texts.iter().map(|text| Some((*text).to_owned())).collect()
    }

    #[test]
    fn the_words_of_the_first_command() {
        assert_eq!(words("\"$DIR\"/x.sh 'a b' c\\ d | y"), some(&["/a b/x.sh", "a b", "c d"]));
        assert_eq!(words("A=1 B=\"2 3\" ${DIR}/x;y"), some(&["/a b/x"]));
        assert_eq!(words("~/x --key=v && y"), some(&["/home/me/x", "--key=v"]));
        assert_eq!(words("python3 x.py < in"), some(&["python3", "x.py"]));
        assert_eq!(words(" "), some(&[]));
        assert_eq!(words("(a)"), some(&[]));
    }

    #[test]
    fn what_is_not_known_is_no_word() {
        let unknown = |line: &str| {
            let found = words(line);
            found.iter().any(Option::is_none)
        };
        for line in ["$OTHER/x", "\"$OTHER/x\"", "a*", "$(x)/y", "\"`x`\"", "~me/x", "${DIR:-y}/x", "{a,b}"] {
            assert!(unknown(line), "{line}: {:?}", words(line));
        }
    }

    #[test]
    fn variables_outside_quotes() {
        let found = |line| unquoted(line, |name| name == "DIR");
        for line in [
            "$DIR/x",
            "bash ${DIR}/x",
            "a; cd $DIR && b",
            "A=1 $DIR/x",
            "echo \"a\" $DIR",
            "case x in x) y $DIR ;; esac",
        ] {
            assert_eq!(found(line), Some("DIR"), "{line}");
        }
        for line in [
            "\"$DIR\"/x",
            "\"$DIR/x\"",
            "A=$DIR/x y",
            "'$DIR'",
            "\\$DIR",
            "$DIRS/x",
            "$(cat $DIR)",
            "cat <<E\n$DIR\nE",
            "[[ -d $DIR ]]",
            "case $DIR in /x) y ;; esac",
            "a;case  ${DIR}/b in /x) y ;; esac",
            "\"${DIR}\"/x",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}

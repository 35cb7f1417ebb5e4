//! The words of a command line that means the same to every shell.

/// Splits `line` into its words with quotes removed and variables filled in by `value_of`. `None` when anything in it
/// might mean more than its text: whoever is in doubt asks the shell.
///
/// Understood are plain characters, single quotes, double quotes, and `$NAME` or `${NAME}` of a variable whose value is
/// known, where no shell would split or glob it (performance.md section 1).
pub(super) fn split(line: &str, value_of: impl Fn(&str) -> Option<String>) -> Option<Vec<String>> {
    let mut reader = Reader { rest: line, value_of };
    let mut words = Vec::new();
    while let Some(word) = reader.word()? {
        // `NAME=value` in front of a command is an assignment.
        if words.is_empty() && (word.assigns || word.text.is_empty() || word.text.starts_with('-')) {
            return None;
        }
        words.push(word.text);
    }
    if words.is_empty() { None } else { Some(words) }
}

#[derive(Default)]
struct Word {
    text: String,
    /// It has an unquoted `=`.
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

    /// The next word; `Some(None)` at the end of the line.
    fn word(&mut self) -> Option<Option<Word>> {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
        if self.rest.is_empty() {
            return Some(None);
        }
        let mut word = Word::default();
        while let Some(c) = self.next() {
            match c {
                ' ' | '\t' => break,
                '\'' => self.single_quoted(&mut word.text)?,
                '"' => self.double_quoted(&mut word.text)?,
                '$' => {
                    let value = self.variable()?;
                    if value.is_empty() || !value.chars().all(is_plain) {
                        return None;
                    }
                    word.text.push_str(&value);
                }
                c if is_plain(c) => {
                    word.assigns |= c == '=';
                    word.text.push(c);
                }
                _ => return None,
            }
        }
        Some(Some(word))
    }

    fn single_quoted(&mut self, text: &mut String) -> Option<()> {
        loop {
            match self.next()? {
                '\'' => return Some(()),
                c if is_printable(c) => text.push(c),
                _ => return None,
            }
        }
    }

    fn double_quoted(&mut self, text: &mut String) -> Option<()> {
        loop {
            match self.next()? {
                '"' => return Some(()),
                '$' => text.push_str(&self.variable()?),
                '`' | '\\' => return None,
                c if is_printable(c) => text.push(c),
                _ => return None,
            }
        }
    }

    /// The value of the variable whose name follows.
    fn variable(&mut self) -> Option<String> {
        let (name, rest) = match self.rest.strip_prefix('{') {
            Some(braced) => braced.split_once('}')?,
            None => {
                let end = self.rest.find(|c| !is_name_part(c)).unwrap_or(self.rest.len());
                self.rest.split_at_checked(end)?
            }
        };
        if !is_name(name) {
            return None;
        }
        self.rest = rest;
        (self.value_of)(name).filter(|value| value.chars().all(is_printable))
    }
}

/// A character that means itself wherever it stands unquoted, a command's name apart.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ',' | ':' | '+' | '@' | '%' | '=')
}

/// ASCII without control characters: what other bytes mean depends on the shell's locale.
fn is_printable(c: char) -> bool {
    matches!(c, ' '..='~')
}

fn is_name_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Whether a shell takes `name` for the name of a variable.
pub(super) fn is_name(name: &str) -> bool {
    !name.starts_with(|c: char| c.is_ascii_digit()) && !name.is_empty() && name.chars().all(is_name_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Option<Vec<String>> {
        split(line, |name| match name {
            "DIR" => Some("/a/b".to_owned()),
            "BLANK" => Some("a b".to_owned()),
            "GLOB" => Some("*".to_owned()),
            "EMPTY" => Some(String::new()),
            "LINES" => Some("a\nb".to_owned()),
            _ => None,
        })
    }

    #[test]
    fn plain_words_quotes_and_known_variables() {
        for (line, wanted) in [
            ("  ./hook.sh\t-x --key=v ", vec!["./hook.sh", "-x", "--key=v"]),
            (r#""$DIR"/hook.sh 'a  "$b" \' "c 'd' !#*""#, vec!["/a/b/hook.sh", r#"a  "$b" \"#, "c 'd' !#*"]),
            (r#"$DIR/x ${DIR} "${BLANK}x" "$GLOB" "" ''"#, vec!["/a/b/x", "/a/b", "a bx", "*", "", ""]),
            ("python3 a.py", vec!["python3", "a.py"]),
            ("a'b'\"c\"d", vec!["abcd"]),
        ] {
            assert_eq!(
                words(line).as_deref(),
                Some(&wanted.iter().map(|w| (*w).to_owned()).collect::<Vec<_>>()[..]),
                "{line}"
            );
        }
    }

    #[test]
    fn whatever_may_mean_more_is_left_to_the_shell() {
        for line in [
            "",
            " ",
            "a;b",
            "a&b",
            "a|b",
            "a>b",
            "a<b",
            "(a)",
            "{ a",
            "a}",
            "a\nb",
            "a #b",
            "!a",
            "~/a",
            "a~",
            "a*",
            "a?",
            "a[b]",
            "a\\ b",
            "`a`",
            "$(a)",
            "$",
            "a$",
            "$1",
            "$$",
            "$?",
            "$@",
            "${A-b}",
            "${#DIR}",
            "${DIR",
            "${}",
            "A=b c",
            "\"A\"=b",
            "-a",
            "'a",
            "\"a",
            "\"`a`\"",
            "\"\\a\"",
            "\"$(a)\"",
            "\"$\"",
            "$UNKNOWN",
            "\"$UNKNOWN\"",
            "$BLANK",
            "$GLOB",
            "$EMPTY",
            "$EMPTY a",
            "\"$LINES\"",
            "$'a'",
            "$\"a\"",
            "é",
            "'é'",
            "''",
            "\u{b}a",
            "a\rb",
            "a^b",
            "a\0b",
        ] {
            assert_eq!(words(line), None, "{line:?}");
        }
    }
}

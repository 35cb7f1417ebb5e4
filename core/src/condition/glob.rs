//! `*` in rules: any text, blanks included.

/// Whether `text` is like `pattern`, in which `*` stands for any text and `\*` for a star. Takes no more steps than the
/// product of both lengths.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern = tokens(pattern);
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut token) = (0, 0);
    // Where to go on after the last star: its token, and how much of the text it has taken.
    let mut back: Option<(usize, usize)> = None;
    loop {
        match (pattern.get(token), text.get(at)) {
            (Some(None), _) => {
                back = Some((token, at));
                token += 1;
            }
            (Some(Some(wanted)), Some(found)) if wanted == found => {
                token += 1;
                at += 1;
            }
            (None, None) => return true,
            _ => match back {
                Some((star, taken)) if taken < text.len() => {
                    back = Some((star, taken + 1));
                    token = star + 1;
                    at = taken + 1;
                }
                _ => return false,
            },
        }
    }
}

/// `None` is a star.
fn tokens(pattern: &str) -> Vec<Option<char>> {
    let mut tokens = Vec::new();
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&'*') => tokens.push(letters.next()),
            '*' => tokens.push(None),
            other => tokens.push(Some(other)),
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_take_any_text() {
        for (pattern, text) in
            [("*", ""), ("git *", "git push -f"), ("*x*y", "axbxy"), (r"a\*b", "a*b"), ("é*", "éa")]
        {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in [("git *", "gitk"), (r"a\*b", "axb"), ("", "x"), ("*x", "xy")] {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
        assert!(!matches(&"*a".repeat(200), &"b".repeat(20_000)));
    }
}

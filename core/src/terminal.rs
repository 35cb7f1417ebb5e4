//! Text that was made for a terminal.

/// The text without terminal escapes and control characters; line feeds stay (qwen.md section 9.2).
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\u{1b}', Some('[')) => {
                // CSI: parameters and intermediates, then one final byte.
                chars.next();
                while chars.next_if(|c| ('\u{20}'..='\u{3f}').contains(c)).is_some() {}
                chars.next_if(|c| ('\u{40}'..='\u{7e}').contains(c));
            }
            ('\u{1b}', Some(']')) => {
                // OSC: up to BEL or the string terminator, on this line.
                while let Some(c) = chars.next_if(|c| *c != '\n') {
                    if c == '\u{7}' || (c == '\u{1b}' && chars.next_if_eq(&'\\').is_some()) {
                        break;
                    }
                }
            }
            ('\u{1b}', Some('\u{20}'..='\u{7e}')) => {
                chars.next();
            }
            ('\n', _) => out.push('\n'),
            (c, _) if c.is_control() => {}
            (c, _) => out.push(c),
        }
    }
    out
}

/// Whether a text is nothing but bells and the operating system commands that set titles (0, 1, 2) and show
/// notifications (9, 99, 777): they move nothing on the screen (codebuddy-claude.md section 8).
pub(crate) fn is_harmless_sequence(text: &str) -> bool {
    const COMMANDS: [&str; 6] = ["0", "1", "2", "9", "99", "777"];
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix('\u{7}') {
            rest = after;
            continue;
        }
        let Some(command) = rest.strip_prefix("\u{1b}]") else { return false };
        let Some(end) = command.find(|c: char| c.is_control()) else { return false };
        let (body, tail) = command.split_at_checked(end).unwrap_or((command, ""));
        let number = body.split(';').next().unwrap_or_default();
        let Some(after) = tail.strip_prefix('\u{7}').or_else(|| tail.strip_prefix("\u{1b}\\")) else {
            return false;
        };
        if !COMMANDS.contains(&number) {
            return false;
        }
        rest = after;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_titles_notifications_and_bells_are_harmless() {
        for text in ["\u{7}", "\u{1b}]0;t\u{7}", "\u{1b}]777;notify;a;b\u{1b}\\\u{7}"] {
            assert!(is_harmless_sequence(text), "{text:?}");
        }
        for text in ["x", "\u{1b}[2J", "\u{1b}]52;c;aGk=\u{7}", "\u{1b}]0;t", "\u{1b}]0;a\u{1b}[2J\u{7}"] {
            assert!(!is_harmless_sequence(text), "{text:?}");
        }
    }

    #[test]
    fn terminal_escapes_and_controls_go_and_line_feeds_stay() {
        assert_eq!(printable("\u{1b}[31mred\u{1b}[0m\tx\r\nline\u{85}"), "redx\nline");
        assert_eq!(printable("\u{1b}]0;title\u{7}a\u{1b}]8;;u\u{1b}\\b\u{1b}(Bc"), "abBc");
    }
}

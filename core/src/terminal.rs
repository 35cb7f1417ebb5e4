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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminal_escapes_and_controls_go_and_line_feeds_stay() {
        assert_eq!(printable("\u{1b}[31mred\u{1b}[0m\tx\r\nline\u{85}"), "redx\nline");
        assert_eq!(printable("\u{1b}]0;title\u{7}a\u{1b}]8;;u\u{1b}\\b\u{1b}(Bc"), "abBc");
    }
}

//! Environment variables in URLs and header values.

/// Names that Qwen Code replaces by nothing even where they are allowed, because they mean something else to JavaScript.
const PROTOTYPE_NAMES: [&str; 7] = [
    "__proto__",
    "constructor",
    "prototype",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
];

/// Replaces `$NAME` and `${NAME}` in a template, and removes CR, LF and NUL from the result, so that no value can add a header.
///
/// A name in `allowed` and not in `withheld` becomes what `env` says of it, or nothing where that is unset. Every other name becomes
/// nothing, too. A name is an ASCII letter or underscore with letters, digits and underscores after it. As in Qwen Code, either
/// brace may be missing (`${NAME`, `$NAME}`), and a `$` without a name stays. What a variable holds is not expanded again.
pub(crate) fn expand(
    template: &str,
    allowed: &[String],
    env: &dyn Fn(&str) -> Option<String>,
    withheld: &[&str],
) -> String {
    let mut result = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('$') {
        result.push_str(before);
        let inner = after.strip_prefix('{').unwrap_or(after);
        let (name, behind) = split_name(inner);
        if name.is_empty() {
            result.push('$');
            rest = after;
            continue;
        }
        let usable = allowed.iter().any(|one| one == name)
            && !withheld.contains(&name)
            && !PROTOTYPE_NAMES.contains(&name);
        if usable && let Some(value) = env(name) {
            result.push_str(&value);
        }
        rest = behind.strip_prefix('}').unwrap_or(behind);
    }
    result.push_str(rest);
    result.retain(|c| !matches!(c, '\r' | '\n' | '\0'));
    result
}

/// A variable's name at the start of a text, empty if there is none, and what follows.
fn split_name(text: &str) -> (&str, &str) {
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return ("", text);
    }
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    text.split_at_checked(end).unwrap_or(("", text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table() {
        let allowed: Vec<String> =
            ["TOKEN", "EMPTY", "UNSET", "EVIL", "SECRET", "__proto__", "constructor", "_a1", "NEST", "Ö"]
                .map(String::from)
                .into();
        let env = |name: &str| {
            let value = match name {
                "TOKEN" => "abc",
                "EMPTY" => "",
                "EVIL" => "x\r\nX-Evil: 1\0",
                "SECRET" | "HOME" | "__proto__" | "constructor" | "Ö" => "leak",
                "_a1" => "under",
                "NEST" => "$TOKEN",
                _ => return None,
            };
            Some(value.to_owned())
        };
        for (template, expected) in [
            ("", ""),
            ("plain", "plain"),
            ("$TOKEN", "abc"),
            ("${TOKEN}", "abc"),
            ("Bearer ${TOKEN}!", "Bearer abc!"),
            ("${TOKEN", "abc"),
            ("$TOKEN}", "abc"),
            ("${TOKEN}}", "abc}"),
            ("$TOKEN-$TOKEN/${TOKEN}", "abc-abc/abc"),
            ("$TOKEN$TOKEN", "abcabc"),
            ("$TOKENS", ""),
            ("$token", ""),
            ("[$EMPTY][${UNSET}][$HOME][${NOT_THERE}]", "[][][][]"),
            ("[$SECRET]", "[]"),
            ("[$__proto__][${constructor}]", "[][]"),
            ("$_a1", "under"),
            ("$NEST", "$TOKEN"),
            ("$EVIL", "xX-Evil: 1"),
            ("a\r\nb\0c", "abc"),
            ("$", "$"),
            ("$$", "$$"),
            ("$$TOKEN", "$abc"),
            ("${", "${"),
            ("${}", "${}"),
            ("$1", "$1"),
            ("${1}", "${1}"),
            ("$ TOKEN", "$ TOKEN"),
            ("${{TOKEN}}", "${{TOKEN}}"),
            ("$Ö", "$Ö"),
            ("$TOKENÖ", "abcÖ"),
            ("100 $", "100 $"),
        ] {
            assert_eq!(expand(template, &allowed, &env, &["SECRET"]), expected, "{template:?}");
        }
    }

    #[test]
    fn nothing_is_allowed_by_default() {
        assert_eq!(expand("a${HOME}b", &[], &|_| Some("leak".to_owned()), &[]), "ab");
    }
}

//! `${NAME}` in the hooks of plugins, extensions and skills: paths that the agent knows and the shell does not.
//!
//! A value never becomes text of a command line. It is exported, and the line refers to it so that blanks and quotes
//! in it are safe: whatever this scanner takes for quotes, the shell reads a reference to a variable or a literal.

/// What `${NAME}` stands for.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Variables {
    /// The folder for what a plugin keeps; it is there when a hook of the plugin runs.
    pub(crate) data_dir: Option<std::path::PathBuf>,
    entries: Vec<Variable>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Variable {
    name: String,
    value: String,
    /// Stands in hooks as `${alias}`, beside `${name}`.
    alias: Option<String>,
    /// It is replaced in hooks, not only exported to them.
    in_text: bool,
    /// The value is a harmless character that stands in lines as it is, and in no environment.
    literal: bool,
}

impl Variables {
    /// Adds one value under each of the names.
    pub(crate) fn add(&mut self, names: &[&str], value: &str, in_text: bool) {
        self.entries.extend(names.iter().map(|name| Variable {
            name: (*name).to_owned(),
            value: value.to_owned(),
            alias: None,
            in_text,
            literal: false,
        }));
    }

    /// Adds a character of the dialect's own under each of the names.
    pub(crate) fn add_character(&mut self, names: &[&str], value: char) {
        self.entries.extend(names.iter().map(|name| Variable {
            name: (*name).to_owned(),
            value: value.to_string(),
            alias: None,
            in_text: true,
            literal: true,
        }));
    }

    /// Adds a value that hooks name otherwise than the environment does.
    pub(crate) fn add_alias(&mut self, name: String, alias: String, value: &str) {
        self.entries.push(Variable {
            name,
            value: value.to_owned(),
            alias: Some(alias),
            in_text: true,
            literal: false,
        });
    }

    /// What a hook's environment gets.
    pub(crate) fn exports(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let exported = self.entries.iter().filter(|entry| !entry.literal);
        exported.map(|entry| (entry.name.clone(), entry.value.clone()))
    }

    fn named(&self, name: &str) -> Option<&Variable> {
        let named = |entry: &&Variable| entry.name == name || entry.alias.as_deref() == Some(name);
        self.entries.iter().filter(|entry| entry.in_text).find(named)
    }

    /// The variable whose `${NAME}` starts `text`, and what follows it.
    fn starts<'a>(&self, text: &'a str) -> Option<(&Variable, &'a str)> {
        let (name, rest) = text.strip_prefix("${")?.split_once('}')?;
        self.named(name).map(|variable| (variable, rest))
    }

    /// The first option of a plugin that `text` refers to.
    pub(crate) fn option_in(text: &str) -> Option<&str> {
        let (_, from) = text.split_once("${user_config.")?;
        from.split_once('}').map(|(key, _)| key)
    }

    /// `text` with the values in place of the references. For words that no shell reads.
    pub(crate) fn plain(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find("${") {
            let (before, from) = rest.split_at_checked(at).unwrap_or((rest, ""));
            out.push_str(before);
            match self.starts(from) {
                Some((variable, after)) => {
                    out.push_str(&variable.value);
                    rest = after;
                }
                None => {
                    out.push_str("${");
                    rest = from.strip_prefix("${").unwrap_or_default();
                }
            }
        }
        out.push_str(rest);
        out
    }

    /// `line` with references that a POSIX shell expands to exactly the values.
    /// What stands in the environment under one of the `exported` names is referred to as `$NAME`.
    pub(crate) fn in_shell(&self, line: &str, exported: &[&str]) -> String {
        let sign = if exported.is_empty() { "${" } else { "$" };
        if !line.contains(sign) {
            return line.to_owned();
        }
        // In a here-document quotes are text, so nothing is put into some.
        let plain_quotes = line.contains("<<");
        let mut out = String::with_capacity(line.len());
        let mut quote = Quote::None;
        let mut rest = line;
        while let Some(letter) = rest.chars().next() {
            let found = self.starts(rest).map(|(variable, after)| (variable.reference(), after));
            if let Some((reference, after)) = found.or_else(|| exported_reference(rest, exported)) {
                match quote {
                    _ if !reference.starts_with('$') => out.push_str(&reference),
                    Quote::Double => out.push_str(&reference),
                    Quote::None if plain_quotes => out.push_str(&reference),
                    Quote::None => out.extend(["\"", &reference, "\""]),
                    // Leaves the single quotes, in which nothing is expanded, and enters them again.
                    Quote::Single => out.extend(["'\"", &reference, "\"'"]),
                }
                rest = after;
                continue;
            }
            let mut letters = rest.chars();
            letters.next();
            out.push(letter);
            match (quote, letter) {
                (Quote::None, '\'') => quote = Quote::Single,
                (Quote::None, '"') => quote = Quote::Double,
                (Quote::Single, '\'') | (Quote::Double, '"') => quote = Quote::None,
                // An escaped quote neither opens nor closes.
                (Quote::None | Quote::Double, '\\') => out.extend(letters.next()),
                _ => {}
            }
            rest = letters.as_str();
        }
        out
    }
}

impl Variable {
    /// How a shell line refers to it.
    fn reference(&self) -> String {
        if self.literal { self.value.clone() } else { format!("${{{}}}", self.name) }
    }
}

/// The reference that stands for a leading `$NAME`, and what follows it.
fn exported_reference<'a>(text: &'a str, names: &[&str]) -> Option<(String, &'a str)> {
    let text = text.strip_prefix('$')?;
    names.iter().find_map(|name| {
        let after = text.strip_prefix(name)?;
        let ends = !after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        ends.then(|| (format!("${{{name}}}"), after))
    })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables() -> Variables {
        let mut variables = Variables::default();
        variables.add(&["ROOT"], "/a b'\"$(x)", true);
        variables.add(&["ID"], "id", false);
        variables.add_alias("OPTION_KEY".into(), "user_config.KEY".into(), "${ROOT}");
        variables
    }

    #[test]
    fn plain_words_hold_the_values_once() {
        assert_eq!(variables().plain("x${ROOT}/y${ROOT}"), "x/a b'\"$(x)/y/a b'\"$(x)");
        assert_eq!(variables().plain("${user_config.KEY}"), "${ROOT}", "a value is not expanded again");
        assert_eq!(variables().plain("${ID} ${OTHER} ${ROOT"), "${ID} ${OTHER} ${ROOT");
    }

    #[test]
    fn a_shell_line_holds_no_value() {
        let line = |text: &str| variables().in_shell(text, &[]);
        assert_eq!(line("${ROOT}/x y"), "\"${ROOT}\"/x y");
        assert_eq!(line("\"${ROOT}/x\""), "\"${ROOT}/x\"");
        assert_eq!(line("echo 'a ${ROOT}'"), "echo 'a '\"${ROOT}\"''");
        assert_eq!(line(r"echo it\'s ${ROOT}"), "echo it\\'s \"${ROOT}\"");
        assert_eq!(line("\"it's ${ROOT}\""), "\"it's ${ROOT}\"");
        assert_eq!(line("cat <<E\n${ROOT}\nE"), "cat <<E\n${ROOT}\nE");
        assert_eq!(line("\"${user_config.KEY}\""), "\"${OPTION_KEY}\"");
        assert_eq!(line("${ID} $ROOT é"), "${ID} $ROOT é");
    }

    #[test]
    fn exported_names_and_characters_in_a_line() {
        let mut variables = variables();
        variables.add_character(&["/"], '/');
        let line = |text: &str| variables.in_shell(text, &["DIR", "DIR_X"]);
        assert_eq!(line("$DIR/a \"$DIR/b\" '$DIR_X'"), "\"${DIR}\"/a \"${DIR}/b\" ''\"${DIR_X}\"''");
        assert_eq!(line("$DIRS $OTHER ${DIR} \\$DIR"), "$DIRS $OTHER ${DIR} \\$DIR");
        assert_eq!(line("${ROOT}${/}x '${/}'"), "\"${ROOT}\"/x '/'");
        assert!(variables.exports().all(|(name, _)| name != "/"));
    }

    #[cfg(unix)]
    #[test]
    fn the_shell_sees_the_exact_value_in_every_kind_of_quotes() {
        let value = "/a b'\"$(echo no) `echo no`\\";
        let mut variables = Variables::default();
        variables.add(&["ROOT"], value, true);
        for text in ["printf %s ${ROOT}", "printf %s \"${ROOT}\"", "printf %s '${ROOT}'"] {
            let output = std::process::Command::new("/bin/sh")
                .args(["-c", &variables.in_shell(text, &[])])
                .envs(variables.exports())
                .output()
                .unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), value, "{text}");
        }
    }
}

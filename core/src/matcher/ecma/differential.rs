//! Compares the ECMAScript regular expressions with those of Node.js on random patterns and subjects.
//!
//! `ECMA_SEED` and `ECMA_COUNT` override the seed and the number of patterns.

use std::io::Write;
use std::process::{Command, Stdio};

use super::{Regex, Verdict};

const NODE_SCRIPT: &str = include_str!("differential.js");
const DEFAULT_SEED: u64 = 0x00C0_FFEE;
const DEFAULT_COUNT: usize = 12_000;

struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % bound
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

#[rustfmt::skip]
const PLAIN: &[&str] = &[
    "a", "a", "a", "b", "b", "b", "c", "B", "1", "2", "8", "_", "-", " ", "é", "\n", "😀", "\u{2028}",
    "\u{FEFF}", "Bash", "Edit", "mcp__", "/", ",", "u", "x", "k",
];
const LITERAL_SYNTAX: &[&str] =
    &["{", "}", "]", "{,2}", "{a", "{1", "{1,", "{2,a}", "-", "=", "!", "<", ">", ":"];
#[rustfmt::skip]
const ESCAPES: &[&str] = &[
    r"\d", r"\D", r"\w", r"\W", r"\s", r"\S", r"\f", r"\n", r"\r", r"\t", r"\v", r"\cJ", r"\c", r"\c1",
    r"\c_", r"\ca", r"\0", r"\00", r"\01", r"\1", r"\2", r"\3", r"\7", r"\8", r"\9", r"\10", r"\61",
    r"\141", r"\377", r"\400", r"\141a", r"\x61", r"\x6", r"\x", r"\u0061", r"\u006", r"\u", r"\u{61}",
    r"\u{2}", r"\ud83d", r"\ude00", r"\ud83d\ude00", r"\uFEFF", r"\a", r"\e", r"\k", r"\-", r"\/", r"\.",
    r"\\", r"\[", r"\]", r"\{", r"\}", r"\(", r"\)", r"\|", r"\^", r"\$", r"\*", r"\+", r"\?", r"\é", r"\😀",
    r"\k<", r"\k<a>", r"\B", r"\b", r"\_", r"\p{L}", r"\08",
];
#[rustfmt::skip]
const CLASS_PARTS: &[&str] = &[
    "a", "b", "c", "a-b", "a-z", "b-", "-a", "-", "--", "^", "[", "(", "$", "0-9", "A-Z", "é", "😀", "😀-😁",
    r"\d-a", r"a-\d", r"\w-z", r"\s-\S", r"\w-", r"\b", r"\B", r"\-", r"\c1", r"\c_", r"\cJ", r"\c", r"\c*",
    r"a-\c", r"\n", r"\x61-\x63", r"\u0061-c", r"\u{61}", r"\1", r"\12", r"\8", r"\0-a", r"\x", r"\x6g",
    r"\]", r"\\", r"\^", r"\D", r"\W", r"\S", "z-a", "\n", "+--", "!-/", "b-a", r"\k", r"\ud83d\ude00",
    r"\ud83d-\udbff", "\u{2028}", "{", "?", ".",
];
#[rustfmt::skip]
const QUANTIFIERS: &[&str] = &[
    "*", "*", "+", "+", "?", "?", "*?", "+?", "??", "{0}", "{1}", "{2}", "{0,1}", "{0,2}", "{1,}", "{1,2}",
    "{2,3}", "{0,}", "{2,}?", "{1,3}?", "{0,1}?", "{2}?", "{02}", "{2,1}", "{99999999999999}",
    "{0,99999999999999}", "{1,4294967296}?", "{3,4}", "**", "{1}{2}", "{,1}",
];
#[rustfmt::skip]
const TOOLS: &[&str] = &[
    "Bash", "Edit", "Write", "MultiEdit", "NotebookEdit", "mcp__memory__create_entities",
    "mcp__fs__read-file", "Task", "WebFetch", "src/main.rs", "/home/é/a b.txt", "aB1_-c",
];
const UNICODE: &[&str] =
    &["😀", "é", "a😀b", "\u{2028}", "\u{FEFF}a", "a\nb", "\n", "\u{A0}b", "ab\r\n", "\u{1}\u{0}", "😁a"];

/// Writes random patterns that are mostly valid.
struct Generator<'a> {
    random: &'a mut Random,
    names: usize,
    /// Little else than groups, quantifiers and back-references over two letters.
    focused: bool,
}

impl Generator<'_> {
    fn disjunction(&mut self, depth: usize, out: &mut String) {
        let alternatives = [1, 1, 1, 2, 2, 3][self.random.below(6)];
        for index in 0..alternatives {
            if index > 0 {
                out.push('|');
            }
            for _ in 0..[0, 1, 1, 2, 2, 3, 4][self.random.below(7)] {
                self.term(depth, out);
            }
        }
    }

    fn focused_term(&mut self, depth: usize, out: &mut String) {
        match self.random.below(100) {
            0..=34 => out.push_str(["a", "b", "[ab]", "."][self.random.below(4)]),
            35..=54 => out.push_str(["\\1", "\\1", "\\2", "\\3", "\\k<a>"][self.random.below(5)]),
            55..=59 => return out.push_str(["^", "$", "\\b", "\\B"][self.random.below(4)]),
            _ if depth == 0 => out.push_str("(a)"),
            _ => self.group(depth, out),
        }
        if self.random.chance(40) {
            out.push_str(self.random.pick(&QUANTIFIERS[..20]));
        }
    }

    fn term(&mut self, depth: usize, out: &mut String) {
        if self.focused {
            return self.focused_term(depth, out);
        }
        match self.random.below(100) {
            0..=39 => out.push_str(self.random.pick(PLAIN)),
            40..=45 => out.push('.'),
            46..=55 => out.push_str(self.random.pick(ESCAPES)),
            56..=58 => out.push_str(["\\1", "\\2", "\\3", "\\k<a>", "\\k<n1>"][self.random.below(5)]),
            59..=61 => out.push_str(self.random.pick(LITERAL_SYNTAX)),
            62..=70 => self.class(out),
            71..=76 => return out.push_str(["^", "$", "\\b", "\\B"][self.random.below(4)]),
            _ if depth == 0 => out.push_str(["a", "b"][self.random.below(2)]),
            _ => self.group(depth, out),
        }
        if self.random.chance(30) {
            out.push_str(self.random.pick(QUANTIFIERS));
        }
    }

    fn class(&mut self, out: &mut String) {
        out.push('[');
        if self.random.chance(25) {
            out.push('^');
        }
        for _ in 0..self.random.below(4) {
            out.push_str(self.random.pick(CLASS_PARTS));
        }
        out.push(']');
    }

    fn group(&mut self, depth: usize, out: &mut String) {
        match self.random.below(100) {
            0..=34 => out.push('('),
            35..=49 => out.push_str("(?:"),
            50..=61 => out.push_str("(?="),
            62..=71 => out.push_str("(?!"),
            72..=81 => out.push_str("(?<="),
            82..=88 => out.push_str("(?<!"),
            89..=95 if self.names == 0 => out.push_str("(?<a>"),
            89..=95 => out.push_str(&format!("(?<n{}>", self.names)),
            _ => out.push_str(self.random.pick(&[
                "(?",
                "(?i:",
                "(?<",
                "(?<a>",
                "(?<1>",
                "(?<é_$>",
                r"(?<\u0062>",
                "(?<>",
            ])),
        }
        self.names += usize::from(out.ends_with('>'));
        self.disjunction(depth - 1, out);
        if !self.random.chance(1) {
            out.push(')');
        }
    }

    fn pattern(&mut self) -> String {
        let mut pattern = String::new();
        let depth = self.random.below(5);
        if self.focused && self.random.chance(40) {
            // Only inside a lookaround does it show which of several ways to match is tried first.
            pattern.push_str(self.random.pick(&["(?=(", "^(?=(", "(?:(?=(", "(?<=(", "(?<!(|", "(?!("]));
            self.disjunction(depth.min(2), &mut pattern);
            pattern.push_str(self.random.pick(&["))\\1", "))b?\\1", "))(?:\\1|a)b"]));
            pattern.push_str(if pattern.starts_with("(?:") { ")+" } else { "" });
        }
        self.disjunction(depth, &mut pattern);
        if self.random.chance(8) {
            pattern.push_str(["\\1", "(a|b)\\1", "\\k<a>"][self.random.below(3)]);
        }
        if self.random.chance(20) { self.mutated(&pattern) } else { pattern }
    }

    fn mutated(&mut self, pattern: &str) -> String {
        let mut letters: Vec<char> = pattern.chars().collect();
        for _ in 0..=self.random.below(2) {
            let at = self.random.below(letters.len() + 1);
            let syntax: Vec<char> = r"()[]{}?*+|\^$.-,:=!<>k1xucb0a".chars().collect();
            let letter = syntax[self.random.below(syntax.len())];
            match self.random.below(3) {
                0 => letters.insert(at, letter),
                1 if at < letters.len() => letters[at] = letter,
                _ if at < letters.len() => drop(letters.remove(at)),
                _ => {}
            }
        }
        letters.into_iter().collect()
    }

    fn subject(&mut self, kind: usize, pattern: &str) -> String {
        let pool: Vec<char> = match kind {
            0 => return String::new(),
            1 => return self.random.pick(TOOLS).to_owned(),
            2 => return self.random.pick(UNICODE).to_owned(),
            3 => "a".chars().collect(),
            4 | 5 => "aabbc".chars().collect(),
            6 => "ab1_ -cB\n😀é".chars().collect(),
            _ => pattern.chars().filter(|letter| !"()|?*+^$".contains(*letter)).collect(),
        };
        let length = if pool.is_empty() { 0 } else { self.random.below(9) };
        (0..length).map(|_| pool[self.random.below(pool.len())]).collect()
    }
}

fn environment<T: std::str::FromStr>(name: &str, default: T) -> T {
    match std::env::var(name) {
        Ok(value) => value.parse().unwrap_or_else(|_| panic!("{name} is not a number: {value}")),
        Err(_) => default,
    }
}

fn cases(seed: u64, count: usize) -> Vec<(String, Vec<String>)> {
    let mut random = Random::new(seed);
    let mut one = || {
        let focused = random.chance(25);
        let mut generator = Generator { random: &mut random, names: 0, focused };
        let pattern = generator.pattern();
        let subjects = (0..9).map(|kind| generator.subject(kind, &pattern)).collect();
        (pattern, subjects)
    };
    (0..count).map(|_| one()).collect()
}

/// One answer line per case.
fn ask_node(cases: &[(String, Vec<String>)]) -> Vec<String> {
    let mut child = Command::new("node")
        .args(["-e", NODE_SCRIPT])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("this test needs Node.js 20 on PATH: cannot start `node`: {error}"));
    let mut input = String::new();
    for (pattern, subjects) in cases {
        input.push_str(&serde_json::json!({ "p": pattern, "s": subjects }).to_string());
        input.push('\n');
    }
    let mut stdin = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success(), "node failed: {}", output.status);
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[derive(Debug, Default)]
struct Tally {
    valid: usize,
    invalid: usize,
    matches: usize,
    tests: usize,
    limits: usize,
    skipped: usize,
    differences: Vec<String>,
}

impl Tally {
    fn compare(&mut self, pattern: &str, subjects: &[String], answer: &str) {
        if answer == "skip" {
            self.skipped += 1;
            return;
        }
        let regex = match (Regex::new(pattern), answer) {
            (Err(_), "invalid") => return self.invalid += 1,
            (Err(error), _) if error.is_limit() => return self.limits += 1,
            (Err(error), _) => {
                return self.differences.push(format!("{pattern:?} is valid for node, not here: {error}"));
            }
            (Ok(_), "invalid") => {
                return self.differences.push(format!("{pattern:?} is invalid for node, not here"));
            }
            (Ok(regex), _) => regex,
        };
        self.valid += 1;
        assert_eq!(answer.len(), subjects.len(), "{pattern:?}");
        for (subject, digit) in subjects.iter().zip(answer.chars()) {
            let expected = if digit == '1' { Verdict::Match } else { Verdict::NoMatch };
            let verdict = regex.test(subject);
            self.tests += 1;
            self.matches += usize::from(verdict == Verdict::Match);
            self.limits += usize::from(verdict == Verdict::LimitExceeded);
            if verdict != Verdict::LimitExceeded && verdict != expected {
                self.differences
                    .push(format!("{pattern:?} on {subject:?}: node {expected:?}, here {verdict:?}"));
            }
        }
    }
}

#[test]
fn agrees_with_node() {
    let seed = environment("ECMA_SEED", DEFAULT_SEED);
    let count = environment("ECMA_COUNT", DEFAULT_COUNT);
    let cases = cases(seed, count);
    let answers = ask_node(&cases);
    assert_eq!(answers.len(), cases.len());
    let mut tally = Tally::default();
    for ((pattern, subjects), answer) in cases.iter().zip(&answers) {
        tally.compare(pattern, subjects, answer);
    }
    let shown: Vec<&String> = tally.differences.iter().take(40).collect();
    assert!(shown.is_empty(), "seed {seed}: {} differences: {shown:#?}", tally.differences.len());
    println!("seed {seed}: {tally:?}");
    assert!(tally.limits * 2000 < tally.tests, "too many limits: {tally:?}");
    assert!(tally.skipped * 100 < count, "node skipped too many: {tally:?}");
    assert!(tally.valid * 2 > count && tally.invalid * 20 > count, "the generator is unbalanced: {tally:?}");
    assert!(tally.matches * 5 > tally.tests && tally.matches * 5 < tally.tests * 4, "{tally:?}");
}

/// What is taken for valid without being parsed is valid, and patterns as people write them are.
#[test]
fn the_outline_of_a_pattern_promises_nothing_false() {
    let count = environment("ECMA_COUNT", DEFAULT_COUNT);
    let mut sure = 0;
    for (pattern, _) in cases(environment("ECMA_SEED", DEFAULT_SEED), count) {
        if super::outline::is_surely_valid(&pattern) {
            sure += 1;
            let parsed = super::parse::parse(&pattern);
            assert!(parsed.is_ok(), "{pattern:?}: {parsed:?}");
            let rust = regex::RegexBuilder::new(&pattern).size_limit(1 << 20).build();
            assert!(matches!(rust, Ok(_) | Err(regex::Error::CompiledTooBig(_))), "{pattern:?}: {rust:?}");
        }
        let (checked, compiled) = (Regex::check(&pattern), Regex::new(&pattern));
        let same = match (&checked, &compiled) {
            (Err(one), Err(other)) => one == other,
            (Ok(()), Err(error)) => error.is_limit(),
            (checked, compiled) => checked.is_ok() == compiled.is_ok(),
        };
        assert!(same, "{pattern:?}: {checked:?}, {:?}", compiled.err());
    }
    assert!(sure * 20 > count, "{sure} of {count}");
    for usual in [
        "Bash",
        "Edit|Write|MultiEdit",
        "mcp__.*",
        "mcp__server17__.*",
        "^(Notebook|Todo)Edit$",
        "^(?:a|b)+?$",
        r"mcp__\w+__(read|list)_.*",
        "^(Notebook|Todo)3[A-Z]\\w+$",
        "Web(Fetch|Search)",
        "[^a-z0-9]x?",
        "a.b-c/d:e",
        "startup|resume",
        r"\.env$",
        r"\bgit\b",
    ] {
        assert!(super::outline::is_surely_valid(usual), "{usual}");
    }
    for doubtful in [
        "(", ")", "a)", "(a", "*", "a**", "^*", "a|+", "(?=a)", "[", "[]", "[z-a]", "[a-", "a{2}", "\\",
        "\\1", "(?a)", "é", "a???",
    ] {
        assert!(!super::outline::is_surely_valid(doubtful), "{doubtful}");
    }
}

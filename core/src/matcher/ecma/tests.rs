use std::time::{Duration, Instant};

use super::{Regex, Verdict};

fn verdict(pattern: &str, subject: &str) -> Verdict {
    match Regex::new(pattern) {
        Ok(regex) => regex.test(subject),
        Err(error) => panic!("{pattern:?}: {error}"),
    }
}

/// Asserts which of the subjects match.
fn check(pattern: &str, matching: &[&str], others: &[&str]) {
    for subject in matching {
        assert_eq!(verdict(pattern, subject), Verdict::Match, "{pattern:?} on {subject:?}");
    }
    for subject in others {
        assert_eq!(verdict(pattern, subject), Verdict::NoMatch, "{pattern:?} on {subject:?}");
    }
}

fn error(pattern: &str) -> String {
    match Regex::new(pattern) {
        Ok(_) => panic!("{pattern:?} is accepted"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn literals_and_anchors() {
    check("Bash", &["Bash", "BashOutput", "xBash"], &["", "bash", "Bas"]);
    check("^Bash$", &["Bash"], &["BashOutput", "xBash", "Bash\n"]);
    check("Edit|Write", &["Edit", "MultiEdit", "Write"], &["Read"]);
    check("^Edit|Write$", &["Editor", "TodoWrite"], &["MultiEdit", "Writer"]);
    check("^(Edit|Write)$", &["Edit", "Write"], &["MultiEdit", "Writer", "Edit|Write"]);
    check("^(?:Edit|Write|)$", &["Edit", "Write", ""], &["Editor", " "]);
    check("", &["", "a"], &[]);
    check("a||b", &["", "z"], &[]);
    check("mcp__.*__read", &["mcp__fs__read_file"], &["mcp__fs_read"]);
    check("a^|b$", &["ab"], &["a", "ba"]);
    check("^^a$$", &["a"], &["aa"]);
    check("é😀", &["xé😀"], &["é", "\u{1F601}"]);
}

#[test]
fn code_units_not_code_points() {
    check("^.$", &["é", "\u{FFFD}"], &["😀", "", "\n", "\r", "\u{2028}", "\u{2029}"]);
    check("^..$", &["😀"], &["é"]);
    check("^[😀]$", &[], &["😀"]);
    check("^[😀]{2}$", &["😀"], &["a"]);
    check("^😀{2}$", &[], &["😀😀"]);
    check(r"\ud83d", &["😀"], &["é"]);
    check(r"^\ud83d\ude00$", &["😀"], &["😁"]);
    check(r"^\u{61}$", &[&"u".repeat(61)], &["a", "u{61}"]);
}

#[test]
fn quantifiers() {
    check("^a*$", &["", "aaa"], &["ab"]);
    check("^a+?b??$", &["a", "aab"], &["", "abb"]);
    check("^a{2}$", &["aa"], &["a", "aaa"]);
    check("^a{2,}$", &["aa", "aaaa"], &["a"]);
    check("^a{2,3}?$", &["aa", "aaa"], &["a", "aaaa"]);
    check("^(?:a{2}){2}$", &["aaaa"], &["aaa", "aaaaa"]);
    check("^(?:a|b?){3}c$", &["c", "abac", "bc"], &["abbac"]);
    check("^a{0}b$", &["b"], &["ab"]);
    check("^a{,2}$", &["a{,2}"], &["aa"]);
    check("^{$", &["{"], &[""]);
    check("^a{1$", &["a{1"], &["a"]);
    check("^x{1,y}]}$", &["x{1,y}]}"], &["x"]);
    check("^(?:)*$", &[""], &["a"]);
    check("^(?:a*)*$", &["", "aa"], &["b"]);
}

#[test]
fn huge_counts() {
    check("^a{0,2147483648}$", &["", "aaa"], &["b"]);
    check("a{4294967296}", &[], &["aaa"]);
    check("^(?:(?:a{1000}){1000}|b)$", &["b"], &["aaa"]);
    check("^(?:a|b|){999999999}$", &["", "abba"], &["abc"]);
    check("^(?:a|$){999999999}$", &["", "aa"], &["ab"]);
    check("^(?:a|(?=c)){999999999}c", &["aac"], &["aab"]);
    check("^(?:(?:a{0,1000}){0,1000}){2}$", &["", "aaaa"], &["ab"]);
    check(r"^(?:[a-z]{0,500}){0,500}\d{3,100000}$", &["abc123"], &["abc12"]);
    check("^a{1000}$", &[&"a".repeat(1000)], &[&"a".repeat(999), &"a".repeat(1001)]);
    check("^(?:){99999999}(?:(?:){9999}){9999}$", &[""], &["a"]);
    check("^(?:a{0,60000}){0,60000}$", &[&"a".repeat(5000)], &["b"]);
    // Beyond what the replacement of the count can tell apart.
    assert_eq!(verdict("^a{150000}$", &"a".repeat(149_999)), Verdict::NoMatch);
    assert_eq!(verdict("^a{150000}$", &"a".repeat(150_000)), Verdict::LimitExceeded);
    assert_eq!(verdict("^a{0,150000}$", &"a".repeat(150_000)), Verdict::Match);
    assert_eq!(verdict("^a{0,150000}$", &"a".repeat(150_001)), Verdict::LimitExceeded);
}

#[test]
fn classes() {
    check("[]", &[], &["", "a"]);
    check("^[^]$", &["a", "\n", "\u{2028}"], &["", "ab"]);
    check("^[a-c-e]$", &["a", "c", "-", "e"], &["d"]);
    check(r"^[\w-z]$", &["_", "-", "z"], &["!", "é"]);
    check(r"^[a-\d]$", &["a", "-", "7"], &["b"]);
    check(r"^[\b]$", &["\u{8}"], &["b"]);
    check(r"^[\c1\c_]$", &["\u{11}", "\u{1F}"], &["c", "1", "\\"]);
    check(r"^[\c]$", &["\\", "c"], &["\u{3}"]);
    check(r"^[\12\8]$", &["\n", "8"], &["1", "2"]);
    check(r"^[^\W_]$", &["a", "0"], &["_", "-", "é"]);
    check(r"^[\s\S]$", &["a", "\n"], &[""]);
    check("^[^a-zé]$", &["A", "ê"], &["q", "é"]);
    check("^[]-a]$", &[], &["]", "a", "-a]"]);
    check("^[(|)]$", &["(", "|"], &["a"]);
}

#[test]
fn class_escapes_are_ascii_except_space() {
    check(r"^\d$", &["0", "9"], &["٣", "a"]);
    check(r"^\w$", &["a", "Z", "_", "5"], &["é", "-"]);
    check(r"^\W$", &["é", "-"], &["a"]);
    let spaces =
        ["\u{FEFF}", "\u{A0}", "\u{2028}", "\u{2029}", "\u{3000}", "\u{1680}", "\u{200A}", "\t", "\u{B}"];
    check(r"^\s$", &spaces, &["\u{200B}", "\u{180E}", "\u{85}", "a"]);
    check(r"^\S$", &["\u{200B}", "\u{180E}"], &spaces);
    check(r"\bfoo\b", &["foo", "a foo!", "éfooé"], &["foot", "_foo"]);
    check(r"^a\Bb", &["ab"], &["a b"]);
    check(r"^\B$", &[""], &["a"]);
}

#[test]
fn escapes() {
    check(r"^\cJ$", &["\n"], &["cJ"]);
    check(r"^\c1$", &["\\c1"], &["\u{11}"]);
    check(r"^\c*$", &["\\", "\\cc"], &["c"]);
    check(r"^\0\00\08$", &["\0\0\x008"], &["000"]);
    check(r"^\x41\x4\u0041\u004$", &["Ax4Au004"], &["AA"]);
    check(r"^\101\400\8\9$", &["A\u{20}089"], &["A"]);
    check(r"^\k\a\-\/$", &["ka-/"], &[""]);
    check(r"^\p{L}$", &["p{L}"], &["é"]);
    check(r"^\f\n\r\t\v$", &["\u{C}\n\r\t\u{B}"], &["fnrtv"]);
}

#[test]
fn decimal_escapes_depend_on_the_number_of_groups() {
    check(r"^(a)\2$", &["a\u{2}"], &["a", "aa"]);
    check(r"^(a)\1$", &["aa"], &["a"]);
    check(r"^\1(a)$", &["a"], &["aa"]);
    check(r"^(a)\10$", &["a\u{8}"], &["aa0"]);
    check(r"^[\1](a)$", &["\u{1}a"], &["aa"]);
    check(r"^\8(a)$", &["8a"], &["a"]);
    check(r"^(a)[(]\2$", &["a(\u{2}"], &["a("]);
}

#[test]
fn back_references_and_captures() {
    check(r"^(a|b)\1$", &["aa", "bb"], &["ab"]);
    check(r"^(?<q>['`]).*\k<q>$", &["'x'", "``"], &["'x`"]);
    check(r"^(?:(a)|b)*\1$", &["ab", "aa"], &["a!"]);
    check(r"^(?:(a)|b)*\1c$", &["abc", "aac", "bc"], &["aabac!"]);
    check(r"^(?:(a)|(b)\1)+$", &["ab", "ba"], &["abc"]);
    check(r"^(z)((a+)?(b+)?(c))*\4$", &["zaacbbbcac"], &["zaacb"]);
    check(r"^(?:(?=(a))b|\1a)$", &["a"], &["b"]);
    check(r"^(?=(a+))a*b\1$", &["aabaa"], &["aaba", "aab", "aabb"]);
    check(r"(?=(a+))a*b\1", &["baaabac"], &["baaabbc"]);
    check(r"^(?!(a)b)\1ac$", &["ac"], &["aac", "ab"]);
    check(r"^(?=(a|ab))\1c$", &["ac"], &["abc"]);
    check(r"^(?:a?\1(b?)){3}$", &["", "aab"], &["c"]);
    check(r"^(\1a){2}$", &["aa"], &["a", "aaa"]);
    check(r"^(a*)*\1$", &["", "aa"], &["b"]);
    check(r"^(a){0}\1$", &[""], &["a"]);
}

#[test]
fn lookarounds_keep_their_first_way_to_match() {
    check(r"^(?=(a+?))\1b", &["ab"], &["aab"]);
    check(r"^(?=(a*?))\1b", &["b"], &["ab"]);
    check(r"^(?=(a{1,3}?))\1b", &["ab"], &["aab"]);
    check(r"^(?=(a{1,3}))\1b", &["ab", "aaab"], &["aaaab"]);
    check(r"^(?=(a*))\1a", &[], &["a", "aa"]);
    check(r"^(?=(?=(a|b|))\1x)a", &["ax"], &["ab", "a"]);
    check(r"(?<=(a|ab))\1$", &["aa", "xabab"], &["ab"]);
    check(r"^(?:a?)*(b)\1$", &["aabb"], &["aab"]);
    check(r"^(?!(a)b|(c))\1\2d", &["d"], &["ad", "cd"]);
}

#[test]
fn lookarounds() {
    check("^(?!Bash$)", &["Bas", "BashOutput", ""], &["Bash"]);
    check(r"^(?=.*\d)(?=.*[a-z]).{3,}$", &["a1b"], &["abc", "123", "a1"]);
    check("(?<=a.*)b", &["axxb"], &["bxa", "b"]);
    check("(?<!a)b", &["b", "cb"], &["ab"]);
    check(r"(?<=^|/)etc(?=/|$)", &["etc", "/etc/passwd", "x/etc"], &["xetc", "etcx"]);
    check("(?<=(?=ab)a(?<!c.))b", &["ab"], &["cab"]);
    check("^(?:(?!--).)*$", &["a-b-c"], &["a--b"]);
    check("(?=a)*b(?=c){2}(?!d)?", &["bc"], &["bd"]);
    check("^(?=(?=(?=a)a)a)a$", &["a"], &["b"]);
    check("(?<=$)", &["", "a"], &[]);
}

#[test]
fn lookbehinds_run_from_right_to_left() {
    check(r"(?<=^(\d+)(\d+))x\1y", &["123x1y"], &["123x12y"]);
    check(r"(?<=\1(a))b", &["aab"], &["ab"]);
    check(r"(?<=(a)\1)b", &["ab"], &["b"]);
    check(r"^(.).*(?<!\1)$", &["ab"], &["aba", "a"]);
}

#[test]
fn group_names() {
    check(r"^(?<é_$1>a)\k<é_$1>$", &["aa"], &["a"]);
    check(r"^(?<\u0061>x)\k<a>$", &["xx"], &["x"]);
    check(r"^(?<\u{1d49c}>x)\k<𝒜>\k<\ud835\udc9c>$", &["xxx"], &["xx"]);
    check(r"^\k<b>(?<b>x)$", &["x"], &["xx"]);
    check(r"^\k<b>(x)$", &["k<b>x"], &["x"]);
}

#[test]
fn syntax_errors() {
    for (pattern, message) in [
        ("a(b", "unterminated group at position 1"),
        ("a)", "unmatched ')' at position 1"),
        ("*", "nothing to repeat at position 0"),
        ("a**", "nothing to repeat at position 2"),
        ("a{1}{2}", "nothing to repeat at position 4"),
        ("^*", "nothing to repeat at position 1"),
        (r"\b+", "nothing to repeat at position 2"),
        ("|{2}", "nothing to repeat at position 1"),
        ("(?<=a)?", "nothing to repeat at position 6"),
        ("(?<!a){2}", "nothing to repeat at position 6"),
        ("é[b-a]", "range out of order in character class at position 2"),
        ("a{2,1}", "numbers out of order in {} quantifier at position 1"),
        ("x[a", "unterminated character class at position 1"),
        ("a\\", "\\ at end of pattern at position 1"),
        ("(?a)", "invalid group at position 0"),
        ("(?i:a)", "invalid group at position 0"),
        ("(?", "invalid group at position 0"),
        ("(?<1>a)", "invalid capture group name at position 0"),
        ("(?<>a)", "invalid capture group name at position 0"),
        ("(?<a", "invalid capture group name at position 0"),
        ("(?<a>x)|(?<a>y)", "duplicate capture group name at position 8"),
        (r"(?<a>x)\k", "invalid named reference at position 7"),
        (r"(?<a>x)\k<b>", "reference to an undefined group name at position 7"),
        (r"(?<a>x)[\k]", "invalid escape at position 8"),
    ] {
        assert_eq!(error(pattern), message, "{pattern:?}");
    }
}

#[test]
fn limits_of_patterns() {
    let nested = |depth: usize| format!("{}a{}", "(?:".repeat(depth), ")*".repeat(depth));
    check(&nested(100), &["", "aaa"], &[]);
    assert_eq!(error(&nested(101)), "groups nested too deeply at position 300");
    let looks = format!("{}a{}", "(?=".repeat(100), ")".repeat(100));
    check(&looks, &["ba"], &["b"]);
    let captures = format!(r"{}a{}\1", "(".repeat(100), ")*?".repeat(100));
    check(&captures, &["a"], &[]);
    let wide = "(?:x{5000})?".repeat(60);
    assert!(Regex::new(&wide).is_err_and(|error| error.is_limit()));
    assert!(!Regex::new("(").is_err_and(|error| error.is_limit()));
    assert!(Regex::new(&"(".repeat(1_000_000)).is_err());
    assert!(Regex::new(&"[a]".repeat(100_000)).is_ok());
}

#[test]
fn long_subjects() {
    let path = format!("/{}", "dir/".repeat(1 << 18));
    assert_eq!(verdict(r"\.rs$", &path), Verdict::NoMatch);
    assert_eq!(verdict(r"(?:^|/)dir/$", &path), Verdict::Match);
    assert_eq!(verdict(r"^/etc(?:/|$)", &path), Verdict::NoMatch);
    assert_eq!(verdict(r"(?<=x/)dir", &path), Verdict::NoMatch);
    assert_eq!(verdict(r"^/(dir)/\1", &path), Verdict::Match);
    assert_eq!(verdict(r"(dir)x\1", &path), Verdict::LimitExceeded);
}

#[test]
fn is_shareable_between_threads() {
    fn shareable<T: Send + Sync + std::fmt::Debug>(_: &T) {}
    shareable(&Regex::new("a"));
}

/// Patterns that make backtracking engines take exponential or high polynomial time.
const EVIL: &[(&str, Verdict)] = &[
    ("^(a+)+$", Verdict::NoMatch),
    ("^(a*)*$", Verdict::NoMatch),
    ("^(a|a)*$", Verdict::NoMatch),
    ("^(a|aa)+$", Verdict::NoMatch),
    ("^(a|a?)+$", Verdict::NoMatch),
    ("(a|a)*b", Verdict::NoMatch),
    ("^(.*a){20}$", Verdict::NoMatch),
    ("^(([a-z])+.)+[A-Z]([a-z])+$", Verdict::NoMatch),
    ("(x+x+)+y", Verdict::NoMatch),
    (
        "^([a-zA-Z0-9])(([-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}(([a-z]{2,3})|([a-z]{2,3}[.]{1}[a-z]{2,3}))$",
        Verdict::NoMatch,
    ),
    (r"^(\w+\s?)*$", Verdict::NoMatch),
    (r"^(\w*)*!?!$", Verdict::Match),
    (r"(.*)*(.*)*(.*)*=", Verdict::NoMatch),
    (r"^(?:.*?,){50}P", Verdict::NoMatch),
    (r"(?:(?:(?:a*)*)*)*b", Verdict::NoMatch),
    (r"^(?:a?){100}a{100}$", Verdict::NoMatch),
    (r"^(?:a?){64}a{64}", Verdict::Match),
    (r"(?=(a+)+b)", Verdict::NoMatch),
    (r"(?!(a+)+!)c", Verdict::NoMatch),
    (r"^(?=(?=(?=(a*)*b)a*)a*)", Verdict::NoMatch),
    (r"(?<=(a+)+b)c", Verdict::NoMatch),
    (r"(?<=b(a|a)*)!", Verdict::NoMatch),
    (r"(?<!(a+)+)!", Verdict::NoMatch),
    (r"^(?:(?=a*b)a|a)*!$", Verdict::Match),
    (r"^(?:(?!(?:a*)*b)a)*!$", Verdict::Match),
    (r"^([ab]*?)*?c$", Verdict::NoMatch),
    (r"^(a+)*(a+)*(a+)*(a+)*$", Verdict::NoMatch),
    (r"a*a*a*a*a*a*a*a*a*a*a*b", Verdict::NoMatch),
    (r".*.*.*.*.*.*.*.*=.*", Verdict::NoMatch),
    (r"(?:a+){5,}b", Verdict::NoMatch),
    (r"^(?:a{1,30}){1,30}$", Verdict::NoMatch),
    (r"^(?:(?:a{0,9}){0,9}){0,9}$", Verdict::NoMatch),
    (r"(?:\s*\S*)*x", Verdict::NoMatch),
    (r"^(?:[^]*)*b$", Verdict::NoMatch),
    (r"\b(?:a|\w)+\b(?:a|\w)+b", Verdict::NoMatch),
    (r"^(?:a|b|ab|ba|aa|bb)*!$", Verdict::Match),
    (r"(?:a|(?:a|(?:a|(?:a|a)*)*)*)*c", Verdict::NoMatch),
    (r"(?:(?:a|$)*)*(?:^|b)!", Verdict::NoMatch),
    (r"(?:a*){1000}b", Verdict::NoMatch),
    (r"^(?=(?:a*)*$)|(?<=^(?:a*)*)b", Verdict::NoMatch),
];

#[test]
fn evil_patterns_are_decided_in_linear_time() {
    let subject = format!("{}!", "a".repeat(150));
    for &(pattern, expected) in EVIL {
        let start = Instant::now();
        assert_eq!(verdict(pattern, &subject), expected, "{pattern:?}");
        assert!(start.elapsed() < Duration::from_secs(2), "{pattern:?} took {:?}", start.elapsed());
    }
}

#[test]
fn evil_back_references_give_up() {
    let subject = format!("{}!", "a".repeat(500));
    for (pattern, expected) in [
        (r"^(a+)+\1b$", Verdict::LimitExceeded),
        (r"^(a|a)*\1$", Verdict::LimitExceeded),
        (r"(?=(a*)*\1b)", Verdict::LimitExceeded),
        (r"(?<=^b\1(a+)+)!", Verdict::LimitExceeded),
        (r"^(?:(a?)\1){1000000000}$", Verdict::LimitExceeded),
        (r"(.*)(.*)(.*)(.*)\4\3x", Verdict::LimitExceeded),
        (r"^(a*)\1!$", Verdict::Match),
        (r"^(a+)\1+b$", Verdict::NoMatch),
    ] {
        let start = Instant::now();
        assert_eq!(verdict(pattern, &subject), expected, "{pattern:?}");
        assert!(start.elapsed() < Duration::from_secs(2), "{pattern:?} took {:?}", start.elapsed());
    }
}

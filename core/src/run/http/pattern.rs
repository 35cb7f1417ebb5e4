//! Patterns of an allow-list of URLs.

use url::{Host, Url};

/// Stands for `*` in a pattern that was read. No URL contains it.
const STAR: char = '\0';

/// One entry of an allow-list of URLs (Qwen Code's `security.allowedHttpHookUrls`, Claude Code's `allowedHttpHookUrls`).
///
/// `*` stands for any text, `/` and `?` included; all else for itself. The whole URL must match; case does not matter. A pattern that
/// contains `\.` is taken as Qwen Code's escaped form: `\` before a punctuation mark is dropped, `.*` means `*`.
///
/// # Stricter than Qwen Code
/// There, the pattern is laid over the URL's text, so that `https://*.example.com/*` also matches `https://evil.test/.example.com/`.
/// Here a pattern is cut into scheme, host, port and the rest, and each part is compared with that part of the URL as it will be used:
///
/// * `*` before the first `/` never reaches into the path or the query. At the very end of that part it stands for any port, too
///   (`http://localhost*`, `http://localhost:*`), and if nothing follows it, for any path.
/// * Without a port, only the scheme's own port matches.
/// * Host names are compared without a trailing dot, and in the form in which they are looked up (`bücher.example` is
///   `xn--bcher-kva.example`, `http://0x7f.1/` is `http://127.0.0.1/`); paths after `.` and `..` are resolved.
/// * In the escaped form other special characters of regular expressions make the pattern invalid, and an unescaped `.` is a dot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UrlPattern {
    scheme: String,
    host: String,
    port: Port,
    /// Path and query; `None`: any.
    rest: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Port {
    Any,
    /// The one that the scheme has when none is written.
    Default,
    Like(String),
}

impl UrlPattern {
    /// Reads a pattern. Fails with the reason, in words, when it could never match as its author meant it; such a pattern must not
    /// be left out of a list in a way that makes the list empty and so allows everything.
    pub(crate) fn new(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.contains(STAR) {
            return Err("it contains a NUL character".into());
        }
        let text = if text.contains("\\.") { unescape(text)? } else { text.replace('*', "\0") };
        let text = text.to_lowercase();
        let (scheme, behind) = match text.split_once("://") {
            Some(parts) => parts,
            None if text.starts_with(STAR) => ("\0", text.as_str()),
            None => return Err("it has no scheme, as in https://example.com/*".into()),
        };
        let end = behind.find(['/', '?', '#']).unwrap_or(behind.len());
        let (authority, rest) = behind.split_at_checked(end).unwrap_or((behind, ""));
        let rest = rest.split_once('#').map_or(rest, |(rest, _)| rest);
        if authority.contains('@') {
            return Err("URLs with a user name are never allowed".into());
        }
        let open = authority.ends_with(STAR);
        let (host, port) = split_port(authority);
        let port = match port {
            _ if open => port.filter(|port| *port != "\0").map_or(Port::Any, |port| Port::Like(port.into())),
            Some(port) => Port::Like(port.into()),
            None => Port::Default,
        };
        let rest = match rest {
            "" if open => None,
            "" => Some("/".to_owned()),
            rest if rest.starts_with('?') => Some(format!("/{}", encode(rest))),
            rest => Some(encode(rest)),
        };
        Ok(Self { scheme: scheme.to_owned(), host: host_form(host)?, port, rest })
    }

    /// Whether a URL matches.
    pub(super) fn matches(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else { return false };
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let port = match &self.port {
            Port::Any => true,
            // The parser leaves out the port that the scheme has anyway.
            Port::Default => url.port().is_none(),
            Port::Like(pattern) => {
                url.port_or_known_default().is_some_and(|port| like(pattern, &port.to_string()))
            }
        };
        let rest = self.rest.as_ref().is_none_or(|pattern| {
            let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
            like(pattern, &format!("{}{query}", url.path()).to_lowercase())
        });
        like(&self.scheme, url.scheme()) && like(&self.host, &host) && port && rest
    }
}

/// Reads Qwen Code's escaped form.
fn unescape(text: &str) -> Result<String, String> {
    let text = text.strip_prefix('^').unwrap_or(text);
    let text = text.strip_suffix('$').filter(|before| !before.ends_with('\\')).unwrap_or(text);
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(c) if c.is_ascii_punctuation() => plain.push(c),
                other => return Err(format!("\\{} is not understood", other.unwrap_or(' '))),
            },
            '.' if chars.next_if_eq(&'*').is_some() => plain.push(STAR),
            '*' => plain.push(STAR),
            '[' | ']' | '(' | ')' | '{' | '}' | '|' | '+' | '?' | '^' | '$' => {
                return Err(format!(
                    "`{c}` without a backslash: of regular expressions, only \\ and .* are understood"
                ));
            }
            c => plain.push(c),
        }
    }
    Ok(plain)
}

fn split_port(authority: &str) -> (&str, Option<&str>) {
    // The colons of an IPv6 address stand in brackets.
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

/// A host in the form in which URLs give it, as far as no star is in the way.
fn host_form(host: &str) -> Result<String, String> {
    let host = host.trim_end_matches('.');
    if host.is_empty() {
        return Err("it has no host".into());
    }
    let form = |part: &str| Host::parse(part).map(|host| host.to_string());
    if !host.contains(STAR) {
        return form(host).map_err(|error| format!("its host is not valid: {error}"));
    }
    let label = |label: &str| match form(label) {
        Ok(form) if !label.contains(STAR) && !label.is_ascii() => form,
        _ => label.to_owned(),
    };
    Ok(host.split('.').map(label).collect::<Vec<_>>().join("."))
}

/// Writes what is not ASCII as the URL parser writes it.
fn encode(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() && c != ' ' {
            result.push(c);
        } else {
            let mut buffer = [0; 4];
            c.encode_utf8(&mut buffer).bytes().for_each(|byte| result.push_str(&format!("%{byte:02x}")));
        }
    }
    result
}

/// Whether a text matches, from one end to the other. Takes time in proportion to text and pattern, whatever they are.
fn like(pattern: &str, text: &str) -> bool {
    let Some((first, pattern)) = pattern.split_once(STAR) else { return pattern == text };
    let Some(mut text) = text.strip_prefix(first) else { return false };
    let (middle, last) = pattern.rsplit_once(STAR).unwrap_or(("", pattern));
    for part in middle.split(STAR) {
        match text.split_once(part) {
            Some((_, behind)) => text = behind,
            None => return false,
        }
    }
    text.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, url: &str) -> bool {
        UrlPattern::new(pattern).unwrap().matches(&Url::parse(url).unwrap())
    }

    #[test]
    fn table() {
        for (pattern, yes, no) in [
            ("*", &["https://a.example/x?y", "http://[::1]:9/"][..], &[][..]),
            ("https://*", &["https://a.example:444/x?y"], &["http://a.example/"]),
            (
                "https://api.example.com/hook",
                &[
                    "https://api.example.com/hook",
                    "HTTPS://API.Example.COM:443/HOOK",
                    "https://api.example.com./hook",
                ],
                &[
                    "https://api.example.com/hook/",
                    "https://api.example.com/hook?x",
                    "https://api.example.com:8443/hook",
                    "http://api.example.com/hook",
                    "https://apixexample.com/hook",
                    "https://evil.test/https://api.example.com/hook",
                ],
            ),
            (
                "https://*.example.com/*",
                &[
                    "https://a.example.com/",
                    "https://a.b.example.com/x/y?z=1",
                    "https://a.example.com./x",
                    "https://a.example.com:443/",
                ],
                &[
                    "https://example.com/",
                    "https://aexample.com/",
                    "https://evil.test/.example.com/",
                    "https://evil.test/?x=a.example.com/",
                    "https://evil.test#a.example.com/",
                    "https://evil.test\\.example.com/",
                    "https://a.example.com.evil.test/",
                    "https://a.example.com:8443/",
                    "https://x@evil.test/.example.com/",
                ],
            ),
            (
                "http://localhost:*/hooks/*",
                &["http://localhost:8080/hooks/", "http://localhost/hooks/a"],
                &[
                    "http://localhost:8080/",
                    "http://localhost:1/hooks/../x",
                    "http://localhost:1/hooks/%2e%2e/x",
                ],
            ),
            (
                "http://localhost:*",
                &["http://localhost:8080/x?y", "http://localhost/"],
                &["http://localhost.evil.test/"],
            ),
            (
                "http://localhost*",
                &["http://localhost:8080/x", "http://localhost/"],
                &["http://evil.test/localhost"],
            ),
            (
                "http://127.0.0.1:8080/*",
                &["http://2130706433:8080/", "http://0x7f.1:8080/a"],
                &["http://127.0.0.1/"],
            ),
            (
                "http://127.0.0.1:80*/",
                &["http://127.0.0.1:8080/", "http://127.0.0.1/"],
                &["http://127.0.0.1:9080/"],
            ),
            ("http://[::1]:*/*", &["http://[0:0::1]:8/a"], &["http://[::2]:8/a"]),
            (
                "https://example.com",
                &["https://example.com/"],
                &["https://example.com/x", "https://example.com/?"],
            ),
            ("https://example.com?a=*", &["https://example.com/?a=1&b"], &["https://example.com/"]),
            (
                "*://example.com/*",
                &["http://example.com/", "https://example.com/"],
                &["https://www.example.com/"],
            ),
            ("http*://example.com/*", &["http://example.com/", "https://example.com/"], &[]),
            ("*.example.com/*", &["https://a.example.com/x"], &["https://evil.test/a.example.com/x"]),
            (
                "https://BÜCHER.example/ä*",
                &["https://xn--bcher-kva.example/%C3%A4x"],
                &["https://bucher.example/"],
            ),
            (
                "https://*.bücher.example/*",
                &["https://a.xn--bcher-kva.example/"],
                &["https://a.bucher.example/"],
            ),
            (" https://example.com/a.b ", &["https://example.com/a.b"], &["https://example.com/axb"]),
            (
                r"https://api\.example\.com/*",
                &["https://api.example.com/x"],
                &["https://apixexample.com/", "https://evil.test/api.example.com/"],
            ),
            (
                r"^https:\/\/.*\.example\.com\/v1\/.*$",
                &["https://a.example.com/v1/"],
                &["https://example.com/v1/"],
            ),
            (
                r"https://a\.example/x\*y",
                &["https://a.example/x*y"],
                &["https://a.example/xy", "https://a.example/xzy"],
            ),
            (
                "https://a*a*a/*a*",
                &["https://aaa/a", "https://abaca/xay"],
                &["https://aa/a", "https://aaa/b"],
            ),
        ] {
            // A star written out stands for itself in the escaped form only.
            for url in yes {
                assert!(matches(pattern, url), "{pattern} should match {url}");
            }
            for url in no {
                assert!(!matches(pattern, url), "{pattern} should not match {url}");
            }
        }
    }

    #[test]
    fn unusable_patterns() {
        for (pattern, reason) in [
            ("", "scheme"),
            ("example.com/*", "scheme"),
            ("https:///x", "no host"),
            ("https://:80/", "no host"),
            ("https://user@example.com/", "user name"),
            ("https://exa mple.com/", "host is not valid"),
            ("https://[::1/", "host is not valid"),
            (r"https://(a|b)\.example\.com/.*", "regular expressions"),
            (r"https://a\.example\.com/\d+", r"\d"),
            (r"https://a\.example\.com/\", "not understood"),
            ("https://a\0/", "NUL"),
        ] {
            let error = UrlPattern::new(pattern).expect_err(pattern);
            assert!(error.contains(reason), "{pattern}: {error}");
        }
    }

    #[test]
    fn many_stars_take_no_time() {
        let pattern = format!("https://a/{}b", "*a".repeat(2000));
        let url = format!("https://a/{}", "a".repeat(50_000));
        let start = std::time::Instant::now();
        assert!(!matches(&pattern, &url));
        assert!(start.elapsed() < std::time::Duration::from_secs(1));
    }
}

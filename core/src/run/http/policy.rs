//! Where a request may go: the rules, and the reading of its URL.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use url::{Host, Url};

use super::address::{Class, classify};
use super::failure::Failure;
use super::pattern::UrlPattern;

/// Names of metadata services, refused in every dialect as their addresses are.
const METADATA_HOSTS: [&str; 2] = ["metadata.google.internal", "metadata.azure.internal"];

/// Where requests may go. Metadata services and link-local addresses are refused whatever it says; this machine's own addresses are
/// allowed whatever it says. The default allows all else.
#[derive(Clone, Debug)]
pub(crate) struct Policy {
    /// Whether addresses inside an organisation's network may be reached (Qwen Code's `security.allowPrivateNetworkHooks`).
    pub(crate) allow_private: bool,
    /// Host names that are refused as they are written, in lower case and without a trailing dot.
    pub(crate) refused_hosts: &'static [&'static str],
    /// The URL must match one of these. `None`: any URL may be used. An empty list allows none (Claude Code); a dialect where it
    /// means "any" (Qwen Code) gives `None`.
    pub(crate) allowed_urls: Option<Vec<UrlPattern>>,
}

impl Default for Policy {
    fn default() -> Self {
        Self { allow_private: true, refused_hosts: &[], allowed_urls: None }
    }
}

/// A URL that was read and found allowed, as far as that can be told without looking its host up.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) origin: Origin,
    /// Addresses that are known without a look-up, all allowed.
    pub(super) known: Vec<IpAddr>,
    /// Path and query, as sent.
    pub(super) path: String,
}

/// Whom a connection leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    pub(super) tls: bool,
    /// In lower case, without trailing dot or brackets.
    pub(super) host: String,
    pub(super) port: u16,
}

impl Origin {
    /// As in a URL: IPv6 addresses in brackets, and the port unless it is the scheme's own.
    pub(super) fn authority(&self) -> String {
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        match (self.tls, self.port) {
            (true, 443) | (false, 80) => host,
            (_, port) => format!("{host}:{port}"),
        }
    }
}

/// What can be told of a URL before anything is sent.
pub(crate) enum Reach {
    /// Why no request goes there.
    Refused(String),
    /// It may be reached, and is no public address.
    Private(&'static str),
}

impl Policy {
    /// What is to be said of a URL beforehand.
    pub(crate) fn reach(&self, url: &str) -> Option<Reach> {
        let strict = Self { allow_private: false, ..Self::default() };
        match self.target(url) {
            Ok(target) => {
                target.known.iter().find_map(|address| strict.refuses(*address)).map(Reach::Private)
            }
            Err(failure) => Some(Reach::Refused(failure.to_string())),
        }
    }

    /// Reads a URL and applies every rule that needs no look-up.
    pub(super) fn target(&self, text: &str) -> Result<Target, Failure> {
        let refused = |text: String| Err(Failure::Refused(text));
        let url = match Url::parse(text) {
            Ok(url) => url,
            Err(error) => return refused(format!("the URL is not valid: {error}")),
        };
        let tls = match url.scheme() {
            "https" => true,
            "http" => false,
            other => return refused(format!("only http and https can be used, not {other}")),
        };
        if !url.username().is_empty() || url.password().is_some() {
            return refused("the URL contains a user name or password: use an Authorization header".into());
        }
        let Some(host) = url.host() else { return refused("the URL has no host".into()) };
        let (name, known) = match host {
            Host::Ipv4(address) => (address.to_string(), vec![IpAddr::V4(address)]),
            Host::Ipv6(address) => (address.to_string(), vec![IpAddr::V6(address)]),
            Host::Domain(name) => {
                let name = name.trim_end_matches('.').to_ascii_lowercase();
                let known = own_addresses(&name);
                (name, known)
            }
        };
        if name.is_empty() {
            return refused("the URL has no host".into());
        }
        if METADATA_HOSTS.contains(&name.as_str()) {
            return refused(format!("{name} is a cloud metadata service"));
        }
        if self.refused_hosts.contains(&name.as_str()) {
            return refused(format!("the host name {name} is not allowed"));
        }
        self.check(&name, &known)?;
        if self.allowed_urls.as_ref().is_some_and(|allowed| !allowed.iter().any(|one| one.matches(&url))) {
            return refused(format!(
                "the list of allowed URLs has no pattern that matches this one, at {name}"
            ));
        }
        let port = url.port_or_known_default().unwrap_or(if tls { 443 } else { 80 });
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        Ok(Target { origin: Origin { tls, host: name, port }, known, path })
    }

    /// Checks all addresses of a host. One that is not allowed refuses them all: which one is used must not depend on chance.
    pub(super) fn check(&self, host: &str, addresses: &[IpAddr]) -> Result<(), Failure> {
        let Some((address, what)) =
            addresses.iter().find_map(|address| Some((address, self.refuses(*address)?)))
        else {
            return Ok(());
        };
        let who = if address.to_string() == host {
            host.to_owned()
        } else {
            format!("{host} leads to {address}, which")
        };
        let hint = match classify(*address).0 {
            Class::Private => "private networks are not allowed",
            _ => "never allowed",
        };
        Err(Failure::Refused(format!("{who} is {what}: {hint}")))
    }

    /// What is wrong with an address, if anything.
    pub(super) fn refuses(&self, address: IpAddr) -> Option<&'static str> {
        let (class, what) = classify(address);
        match class {
            Class::Public | Class::Loopback => None,
            Class::Private if self.allow_private => None,
            Class::Private | Class::LinkLocal | Class::Metadata => Some(what),
        }
    }
}

/// `localhost` and what is below it are this machine (RFC 6761, 6.3). They are not looked up, so nobody can say otherwise.
fn own_addresses(name: &str) -> Vec<IpAddr> {
    if name == "localhost" || name.ends_with(".localhost") {
        vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRICT: Policy =
        Policy { allow_private: false, refused_hosts: &["localhost.localdomain"], allowed_urls: None };

    fn target(policy: &Policy, url: &str) -> Result<(String, u16, usize, String), String> {
        policy
            .target(url)
            .map(|target| (target.origin.authority(), target.origin.port, target.known.len(), target.path))
            .map_err(|failure| failure.to_string())
    }

    #[test]
    fn allowed() {
        for (url, authority, port, known, path) in [
            ("http://127.0.0.1:8080/a/../b?c#d", "127.0.0.1:8080", 8080, 1, "/b?c"),
            ("http://127.1/", "127.0.0.1", 80, 1, "/"),
            ("http://0x7f000001/", "127.0.0.1", 80, 1, "/"),
            ("http://017700000001/", "127.0.0.1", 80, 1, "/"),
            ("http://2130706433", "127.0.0.1", 80, 1, "/"),
            ("http://127.0.0.1./", "127.0.0.1", 80, 1, "/"),
            ("http://１２７.0.0.1/", "127.0.0.1", 80, 1, "/"),
            ("https://[::1]/", "[::1]", 443, 1, "/"),
            ("https://[::ffff:127.0.0.1]:1/", "[::ffff:127.0.0.1]:1", 1, 1, "/"),
            ("http://LocalHost./x", "localhost", 80, 2, "/x"),
            ("http://a.localhost:81", "a.localhost:81", 81, 2, "/"),
            ("HTTPS://Example.COM.:443/?", "example.com", 443, 0, "/?"),
            ("http://example.com:443/", "example.com:443", 443, 0, "/"),
            ("https://bücher.example/ä", "xn--bcher-kva.example", 443, 0, "/%C3%A4"),
            ("http://notlocalhost/", "notlocalhost", 80, 0, "/"),
        ] {
            assert_eq!(target(&STRICT, url), Ok((authority.into(), port, known, path.into())), "{url}");
        }
    }

    #[test]
    fn refused() {
        for (url, words) in [
            ("", "not valid"),
            ("not a url", "not valid"),
            ("/hook", "not valid"),
            ("http://", "not valid"),
            ("http://./", "no host"),
            ("http://a b/", "not valid"),
            ("http://[fe80::1%25eth0]/", "not valid"),
            ("http://[fe80::1%eth0]/", "not valid"),
            ("http://127.0.0.1.5/", "not valid"),
            ("http://a:99999/", "not valid"),
            ("ftp://example.com/", "not ftp"),
            ("file:///etc/passwd", "not file"),
            ("unix:/run/x", "not unix"),
            ("http://user@example.com/", "user name or password"),
            ("http://:secret@example.com/", "user name or password"),
            ("http://10.0.0.1/", "private address (10.0.0.0/8): private networks are not allowed"),
            ("http://012.0.0.1/", "private address"),
            ("http://0xa.1/", "private address"),
            ("http://167772161/", "private address"),
            ("http://192.168.257/", "private address"),
            ("http://[::ffff:10.0.0.1]/", "private address"),
            ("http://[fd00::1]/", "unique local"),
            ("http://0/", "unspecified"),
            ("http://[::]/", "unspecified"),
            ("http://169.254.1.1/", "link-local address (169.254.0.0/16): never allowed"),
            ("http://[fe80::1]/", "link-local"),
            ("http://169.254.169.254/latest", "metadata service: never allowed"),
            ("http://0xa9fea9fe/", "metadata service"),
            ("http://2852039166/", "metadata service"),
            ("http://169.254.43518/", "metadata service"),
            ("http://[::ffff:a9fe:a9fe]/", "metadata service"),
            ("http://[64:ff9b::a9fe:a9fe]/", "metadata service"),
            ("http://Metadata.Google.Internal./x", "metadata service"),
            ("http://metadata.azure.internal", "metadata service"),
            ("http://LOCALHOST.localdomain:9/", "host name localhost.localdomain is not allowed"),
            ("http://localhost.localdomain./", "is not allowed"),
        ] {
            let error = target(&STRICT, url).expect_err(url);
            assert!(error.starts_with("refused: ") && error.contains(words), "{url}: {error}");
        }
    }

    #[test]
    fn private_networks_where_allowed() {
        let open = Policy::default();
        for url in
            ["http://10.0.0.1/", "http://[fd00::1]/", "http://100.64.0.1/", "http://localhost.localdomain/"]
        {
            assert!(target(&open, url).is_ok(), "{url}");
        }
        for url in [
            "http://169.254.1.1/",
            "http://[fe80::1]/",
            "http://100.100.100.200/",
            "http://metadata.google.internal/",
        ] {
            assert!(target(&open, url).is_err(), "{url}");
        }
    }

    #[test]
    fn allow_list() {
        let with = |patterns: &[&str]| Policy {
            allowed_urls: Some(patterns.iter().map(|one| UrlPattern::new(one).unwrap()).collect()),
            ..STRICT
        };
        let list = with(&["https://a.example/*", "http://127.0.0.1:*/ok"]);
        assert!(target(&list, "https://a.example/x").is_ok());
        assert!(target(&list, "http://127.0.0.1:5/ok").is_ok());
        let error = target(&list, "https://b.example/x?key=secret").expect_err("not on the list");
        assert!(
            error.contains("allowed URLs") && error.contains("b.example") && !error.contains("secret"),
            "{error}"
        );
        assert!(target(&with(&[]), "https://a.example/x").is_err());
        assert!(
            target(&with(&["http://10.0.0.1/*"]), "http://10.0.0.1/").is_err(),
            "a list lifts no other rule"
        );
    }

    #[test]
    fn one_bad_address_is_enough() {
        let addresses = ["127.0.0.1", "8.8.8.8", "10.1.2.3"].map(|text| text.parse().unwrap());
        assert_eq!(
            STRICT.check("a.example", &addresses).map_err(|failure| failure.to_string()),
            Err("refused: a.example leads to 10.1.2.3, which is a private address (10.0.0.0/8): private networks are \
                 not allowed"
                .into())
        );
        assert_eq!(Policy::default().check("a.example", &addresses), Ok(()));
    }
}

//! What is sent and what comes back, and how a request becomes an HTTP message.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ACCEPT, CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderMap, HeaderName, HeaderValue, USER_AGENT,
};
use http_body::{Body, Frame, SizeHint};

use super::failure::Failure;
use super::policy::Target;

/// How much of an answer's body is kept, in bytes (1 MiB).
pub(crate) const MAX_BODY: usize = 1 << 20;

/// A method that carries a body (CodeBuddy Code's three; Qwen Code and Claude Code have POST alone).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Method {
    /// POST.
    #[default]
    Post,
    /// PUT.
    Put,
    /// PATCH.
    Patch,
}

/// One request.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    /// Absolute, `http` or `https`.
    pub(crate) url: String,
    /// The method.
    pub(crate) method: Method,
    /// In order. A name that occurs more than once is sent as often. They replace this module's own `Content-Type` (JSON), `Accept`
    /// and `User-Agent`; those that frame or address the message cannot be set.
    pub(crate) headers: Vec<(String, String)>,
    /// The body, in pieces that are sent one after the other and never copied ([`Bytes::from_owner`] wraps shared memory).
    pub(crate) body: Vec<Bytes>,
    /// How long all of it may take, from the look-up of the name to the last byte of the answer.
    pub(crate) timeout: Duration,
}

/// One answer, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Response {
    /// The status code.
    pub(crate) status: u16,
    /// The `Content-Type` header, as sent.
    pub(crate) content_type: Option<String>,
    /// The body, or its first [`MAX_BODY`] bytes.
    pub(crate) body: Vec<u8>,
    /// Whether the body was longer. The rest was not read.
    pub(crate) truncated: bool,
    /// The length that the server announced, if it did.
    pub(crate) announced: Option<u64>,
}

/// Headers that say where a message goes or where it ends: set by a hook, they would lead past the rules or break the connection.
const RESERVED: [&str; 11] = [
    "host",
    "content-length",
    "transfer-encoding",
    "connection",
    "keep-alive",
    "proxy-connection",
    "proxy-authorization",
    "upgrade",
    "te",
    "trailer",
    "expect",
];

impl Request {
    /// The message to send.
    pub(super) fn message(&self, target: &Target) -> Result<http::Request<Chunks>, Failure> {
        let method = match self.method {
            Method::Post => http::Method::POST,
            Method::Put => http::Method::PUT,
            Method::Patch => http::Method::PATCH,
        };
        let body = Chunks::new(self.body.clone());
        let mut headers = HeaderMap::with_capacity(self.headers.len().saturating_add(5));
        let host = HeaderValue::try_from(target.origin.authority())
            .map_err(|_| Failure::Invalid("the host's name cannot be sent".into()))?;
        headers.insert(HOST, host);
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len));
        for (name, value) in &self.headers {
            let (name, value) = header(name, value)?;
            headers.append(name, value);
        }
        for (name, value) in [
            (CONTENT_TYPE, "application/json"),
            (ACCEPT, "*/*"),
            (USER_AGENT, concat!("crosshook/", env!("CARGO_PKG_VERSION"))),
        ] {
            headers.entry(name).or_insert(HeaderValue::from_static(value));
        }
        let path = http::Uri::try_from(target.path.as_str())
            .map_err(|error| Failure::Invalid(format!("the URL's path or query: {error}")))?;
        let mut message = http::Request::new(body);
        *message.method_mut() = method;
        *message.uri_mut() = path;
        *message.headers_mut() = headers;
        Ok(message)
    }
}

fn header(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), Failure> {
    let invalid = |what: &str| Failure::Invalid(format!("the header {name:?} {what}"));
    let key = HeaderName::try_from(name).map_err(|_| invalid("has a name that is not valid"))?;
    if RESERVED.contains(&key.as_str()) {
        return Err(invalid("cannot be set"));
    }
    // Spaces around it are not part of a value (RFC 9110, 5.5); what is not ASCII is sent as UTF-8.
    let value = HeaderValue::from_bytes(value.trim_matches([' ', '\t']).as_bytes())
        .map_err(|_| invalid("has a value with control characters"))?;
    Ok((key, value))
}

/// A body in pieces.
#[derive(Debug)]
pub(super) struct Chunks {
    pieces: std::vec::IntoIter<Bytes>,
    /// Bytes left.
    len: u64,
}

impl Chunks {
    fn new(mut pieces: Vec<Bytes>) -> Self {
        pieces.retain(|piece| !piece.is_empty());
        let len = pieces.iter().map(|piece| piece.len() as u64).sum();
        Self { pieces: pieces.into_iter(), len }
    }
}

impl Body for Chunks {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let piece = self.pieces.next();
        self.len = self.len.saturating_sub(piece.as_ref().map_or(0, |piece| piece.len() as u64));
        Poll::Ready(piece.map(|piece| Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.len == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::super::policy::Policy;
    use super::*;

    fn message(headers: &[(&str, &str)]) -> Result<http::Request<Chunks>, Failure> {
        let request = Request {
            url: String::new(),
            method: Method::Put,
            headers: headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            body: vec![Bytes::from_static(b"{\"a\""), Bytes::new(), Bytes::from_static(b":1}")],
            timeout: Duration::ZERO,
        };
        request.message(&Policy::default().target("https://h.example:8443/p?q=|^").unwrap())
    }

    fn all(message: &http::Request<Chunks>, name: &str) -> Vec<String> {
        let values = message.headers().get_all(name);
        values.iter().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).collect()
    }

    #[test]
    fn defaults() {
        let message = message(&[]).unwrap();
        assert_eq!(message.method(), "PUT");
        assert_eq!(message.uri(), "/p?q=|^");
        assert_eq!(all(&message, "host"), ["h.example:8443"]);
        assert_eq!(all(&message, "content-type"), ["application/json"]);
        assert_eq!(all(&message, "content-length"), ["7"]);
        assert_eq!(all(&message, "accept"), ["*/*"]);
        assert_eq!(all(&message, "user-agent"), [concat!("crosshook/", env!("CARGO_PKG_VERSION"))]);
        assert_eq!(message.headers().len(), 5);
        assert_eq!(message.body().size_hint().exact(), Some(7));
    }

    #[test]
    fn headers_of_the_caller() {
        let message = message(&[
            ("content-TYPE", "text/plain"),
            ("User-Agent", "mine"),
            ("X-Many", "1"),
            ("x-many", " 2\t"),
            ("X-Name", "Zoë"),
            ("X-Empty", ""),
        ])
        .unwrap();
        assert_eq!(all(&message, "content-type"), ["text/plain"]);
        assert_eq!(all(&message, "user-agent"), ["mine"]);
        assert_eq!(all(&message, "x-many"), ["1", "2"]);
        assert_eq!(all(&message, "x-name"), ["Zoë"]);
        assert_eq!(all(&message, "x-empty"), [""]);
    }

    #[test]
    fn unusable_headers() {
        for (name, value, words) in [
            ("", "x", "name that is not valid"),
            ("X Y", "x", "name that is not valid"),
            ("X:Y", "x", "name that is not valid"),
            ("X\r\nY", "x", "name that is not valid"),
            ("Xö", "x", "name that is not valid"),
            ("X-A", "secret\r\nX-Evil: 1", "value with control characters"),
            ("X-A", "secret\0", "value with control characters"),
            ("Host", "other.example", "cannot be set"),
            ("Content-Length", "3", "cannot be set"),
            ("transfer-encoding", "chunked", "cannot be set"),
        ] {
            let error = message(&[(name, value)]).expect_err(name).to_string();
            assert!(error.contains(words) && !error.contains("secret"), "{name:?}: {error}");
        }
    }
}

//! One HTTP/1.1 connection, driven by whoever uses it: nothing of it runs while nobody does.

use std::future::{Future, poll_fn};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use http::HeaderMap;
use http::header::{CONNECTION, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use http_body::Body;
use hyper::body::Incoming;
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper_util::rt::TokioIo;

use super::connect::Stream;
use super::failure::{Failure, Phase, Progress, causes};
use super::request::{Chunks, MAX_BODY, Response};

/// How much the head of an answer may take, in bytes.
const MAX_HEAD: usize = 64 << 10;

type Io = TokioIo<Box<dyn Stream>>;

/// A connection to one address.
pub(super) struct Wire {
    sender: SendRequest<Chunks>,
    /// `None` once it has ended.
    connection: Option<Pin<Box<Connection<Io, Chunks>>>>,
    /// The address that was checked and connected to.
    pub(super) peer: IpAddr,
    /// Until when it may wait for another request.
    pub(super) good_until: Instant,
    /// How long it may wait at most.
    idle: Duration,
}

/// Why an exchange gave no response.
pub(super) enum Broken {
    /// The connection had ended before the request was begun. Here it is back.
    Unsent(Box<http::Request<Chunks>>),
    Failed(Failure),
}

impl From<Failure> for Broken {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

impl Wire {
    pub(super) async fn open(stream: Box<dyn Stream>, peer: IpAddr, idle: Duration) -> Result<Self, Failure> {
        let (sender, connection) = Builder::new()
            .max_buf_size(MAX_HEAD)
            .handshake(TokioIo::new(stream))
            .await
            .map_err(|error| broken(&error))?;
        Ok(Self { sender, connection: Some(Box::pin(connection)), peer, good_until: Instant::now(), idle })
    }

    /// Whether another request can be sent. Notices when the server has closed the connection or sent what nobody asked for.
    pub(super) async fn is_ready(&mut self) -> bool {
        poll_fn(|context| {
            self.drive(context);
            Poll::Ready(self.connection.is_some() && self.sender.is_ready())
        })
        .await
    }

    /// Sends a request and receives all of the answer.
    pub(super) async fn exchange(
        &mut self,
        request: http::Request<Chunks>,
        progress: &Progress,
    ) -> Result<Response, Broken> {
        progress.enter(Phase::Exchange);
        let head = self.head(request).await?;
        progress.enter(Phase::Body);
        let (parts, body) = head.into_parts();
        let text = |name| {
            parts.headers.get(name).map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let (content_type, encoding) = (text(CONTENT_TYPE), text(CONTENT_ENCODING));
        if let Some(encoding) = encoding.filter(|encoding| !encoding.trim().eq_ignore_ascii_case("identity"))
        {
            return Err(Failure::Protocol(format!(
                "status {}, with a body in the encoding {encoding:?}, which is not understood here",
                parts.status.as_u16()
            ))
            .into());
        }
        let announced = parts.headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        self.good_until = good_until(&parts.headers, self.idle);
        let (body, truncated) = self.body(body).await?;
        Ok(Response { status: parts.status.as_u16(), content_type, body, truncated, announced })
    }

    async fn head(&mut self, request: http::Request<Chunks>) -> Result<http::Response<Incoming>, Broken> {
        let answer = self.sender.try_send_request(request);
        let mut answer = pin!(answer);
        let connection = &mut self.connection;
        let answer = poll_fn(|context| {
            drive(connection, context);
            answer.as_mut().poll(context)
        });
        answer.await.map_err(|mut error| match error.take_message() {
            Some(request) => Broken::Unsent(Box::new(request)),
            None => Broken::Failed(broken(error.error())),
        })
    }

    async fn body(&mut self, body: Incoming) -> Result<(Vec<u8>, bool), Failure> {
        let mut body = pin!(body);
        let mut kept =
            Vec::with_capacity(usize::try_from(body.size_hint().lower()).unwrap_or(0).min(MAX_BODY));
        while let Some(frame) = poll_fn(|context| {
            self.drive(context);
            let frame = body.as_mut().poll_frame(context);
            if frame.is_pending() {
                // The connection may have waited for the body to be asked for.
                self.drive(context);
                return body.as_mut().poll_frame(context);
            }
            frame
        })
        .await
        {
            let frame = frame.map_err(|error| broken(&error))?;
            let Some(data) = frame.data_ref() else { continue };
            let room = MAX_BODY.saturating_sub(kept.len());
            kept.extend_from_slice(data.get(..room).unwrap_or(data));
            if data.len() > room {
                return Ok((kept, true));
            }
        }
        Ok((kept, false))
    }

    fn drive(&mut self, context: &mut Context<'_>) {
        drive(&mut self.connection, context);
    }
}

fn drive(connection: &mut Option<Pin<Box<Connection<Io, Chunks>>>>, context: &mut Context<'_>) {
    // How it ended is told to the request that was on its way; without one, nobody needs to know.
    if connection.as_mut().is_some_and(|connection| connection.as_mut().poll(context).is_ready()) {
        *connection = None;
    }
}

/// Until when the server will keep the connection, as far as it says (`Keep-Alive: timeout=5`), with a second in hand.
fn good_until(headers: &HeaderMap, most: Duration) -> Instant {
    let now = Instant::now();
    if headers.get(CONNECTION).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"close")) {
        return now;
    }
    let stated = headers.get("keep-alive").and_then(|value| value.to_str().ok()).and_then(|value| {
        let seconds = value.split(',').find_map(|part| part.trim().strip_prefix("timeout="))?;
        Some(Duration::from_secs(seconds.trim().parse().ok()?))
    });
    let idle = stated.map_or(most, |stated| stated.saturating_sub(Duration::from_secs(1)).min(most));
    now.checked_add(idle).unwrap_or(now)
}

fn broken(error: &hyper::Error) -> Failure {
    Failure::Protocol(if error.is_incomplete_message() {
        "the server closed the connection before its answer was complete".into()
    } else if error.is_parse() {
        format!("what the server sent is not HTTP: {}", causes(error))
    } else {
        format!("the connection broke: {}", causes(error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keep_alive() {
        let most = Duration::from_secs(60);
        for (name, value, seconds) in [
            ("x", "", 60),
            ("keep-alive", "timeout=5", 4),
            ("keep-alive", "timeout=5, max=100", 4),
            ("keep-alive", "max=100, timeout=7", 6),
            ("keep-alive", "timeout=0", 0),
            ("keep-alive", "timeout=900", 60),
            ("keep-alive", "timeout=x", 60),
            ("connection", "Close", 0),
        ] {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            let left = good_until(&headers, most).saturating_duration_since(Instant::now());
            assert!(left <= Duration::from_secs(seconds), "{name}: {value}: {left:?}");
            assert!(
                left + Duration::from_millis(500) >= Duration::from_secs(seconds),
                "{name}: {value}: {left:?}"
            );
        }
    }
}

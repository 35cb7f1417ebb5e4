//! The front door: one request under one policy and one deadline.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::connect::{Stream, dial};
use super::failure::{Failure, Phase, Progress};
use super::policy::{Policy, Target};
use super::pool::Pool;
use super::request::{Request, Response};
use super::resolve::{Resolve, System};
use super::tls::Tls;
use super::wire::{Broken, Wire};

/// How a client is made.
pub(crate) struct Options {
    /// Certificates (DER) that are trusted beside the system's own.
    pub(crate) extra_roots: Vec<Vec<u8>>,
    /// Who looks names up. `None`: the system.
    pub(crate) resolver: Option<Arc<dyn Resolve>>,
    /// How long a connection waits for another request, at most; less where the server says so.
    pub(crate) idle: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self { extra_roots: Vec::new(), resolver: None, idle: Duration::from_secs(60) }
    }
}

/// Sends requests and keeps connections. Clones share them; with the last clone they are closed. May be made, cloned and dropped on
/// any thread; costs nothing until it is used.
#[derive(Clone)]
pub(crate) struct Client {
    shared: Arc<Shared>,
}

struct Shared {
    pool: Arc<Pool>,
    tls: Tls,
    resolver: Arc<dyn Resolve>,
    idle: Duration,
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").finish_non_exhaustive()
    }
}

impl Default for Client {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

impl Client {
    /// A client without connections.
    pub(crate) fn new(options: Options) -> Self {
        let Options { extra_roots, resolver, idle } = options;
        let resolver = resolver.unwrap_or_else(|| Arc::new(System));
        Self { shared: Arc::new(Shared { pool: Pool::new(), tls: Tls::new(extra_roots), resolver, idle }) }
    }

    /// Sends one request, once. Any status is a response, 3xx too. Must be polled inside a tokio runtime with I/O and time. Dropping
    /// the future closes the connection.
    ///
    /// A kept connection that turns out to be closed *before* the request is begun is replaced by a new one. Nothing else is ever
    /// sent twice.
    pub(crate) async fn send(&self, request: &Request, policy: &Policy) -> Result<Response, Failure> {
        let progress = Progress::default();
        let work = self.shared.send(request, policy, &progress);
        match tokio::time::timeout(request.timeout, work).await {
            Ok(result) => result,
            Err(_) => Err(Failure::TimedOut { after: request.timeout, phase: progress.phase() }),
        }
    }
}

impl Shared {
    async fn send(
        &self,
        request: &Request,
        policy: &Policy,
        progress: &Progress,
    ) -> Result<Response, Failure> {
        let target = policy.target(&request.url)?;
        let mut message = request.message(&target)?;
        while let Some(mut wire) = self.pool.take(&target.origin, |peer| policy.refuses(peer).is_none()) {
            if !wire.is_ready().await {
                continue;
            }
            match wire.exchange(message, progress).await {
                Err(Broken::Unsent(back)) => message = *back,
                result => return self.finish(result, target, wire).await,
            }
        }
        let mut wire = self.open(&target, policy, progress).await?;
        let result = wire.exchange(message, progress).await;
        self.finish(result, target, wire).await
    }

    /// Keeps the connection if it can be used again.
    async fn finish(
        &self,
        result: Result<Response, Broken>,
        target: Target,
        mut wire: Wire,
    ) -> Result<Response, Failure> {
        match result {
            Ok(response) => {
                if !response.truncated && wire.is_ready().await {
                    self.pool.put(target.origin, wire);
                }
                Ok(response)
            }
            Err(Broken::Failed(failure)) => Err(failure),
            Err(Broken::Unsent(_)) => {
                Err(Failure::Protocol("the server closed the connection before the request was sent".into()))
            }
        }
    }

    /// Looks up, checks all that was found, and connects to one of those very addresses.
    async fn open(&self, target: &Target, policy: &Policy, progress: &Progress) -> Result<Wire, Failure> {
        let origin = &target.origin;
        let addresses = if target.known.is_empty() {
            progress.enter(Phase::LookUp);
            let found = self.resolver.resolve(&origin.host).await;
            found.map_err(|error| Failure::Connect(format!("{} was not found: {error}", origin.host)))?
        } else {
            target.known.clone()
        };
        policy.check(&origin.host, &addresses)?;
        progress.enter(Phase::Connect);
        let failed = |error: std::io::Error| Failure::Connect(format!("{}: {error}", origin.host));
        let stream = dial(&addresses, origin.port).await.map_err(failed)?;
        let peer = stream.peer_addr().map_err(failed)?.ip();
        let stream: Box<dyn Stream> = if origin.tls {
            progress.enter(Phase::Handshake);
            Box::new(self.tls.handshake(&origin.host, stream).await?)
        } else {
            Box::new(stream)
        };
        Wire::open(stream, peer, self.idle).await
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::server::{Server, ok};
    use super::super::tests::{post, run};
    use super::*;

    #[test]
    fn kept_connections_are_checked_again() {
        let server = Server::always(ok("{}"));
        let client = Client::default();
        let policy = Policy::default();
        let request = post(&server.url("/"));
        run(async {
            client.send(&request, &policy).await.unwrap();
            let pool = &client.shared.pool;
            let origin = policy.target(&request.url).unwrap().origin;
            assert!(pool.take(&origin, |_| false).is_none(), "a stricter policy does not get it");
            let elsewhere = policy.target("http://127.0.0.1:1/").unwrap().origin;
            assert!(pool.take(&elsewhere, |_| true).is_none());
            let wire = pool.take(&origin, |peer| peer.is_loopback());
            assert_eq!(wire.map(|wire| wire.peer.to_string()).as_deref(), Some("127.0.0.1"));
            assert!(pool.take(&origin, |_| true).is_none(), "nobody else gets it meanwhile");
        });
    }

    #[test]
    fn not_too_many_are_kept() {
        let server = Server::always(ok("{}"));
        let client = Client::default();
        run(async {
            let tasks: Vec<_> = (0..40)
                .map(|_| {
                    let (client, request) = (client.clone(), post(&server.url("/")));
                    tokio::spawn(
                        async move { client.send(&request, &Policy::default()).await.unwrap().status },
                    )
                })
                .collect();
            for task in tasks {
                assert_eq!(task.await.unwrap(), 200);
            }
            let origin = Policy::default().target(&server.url("/")).unwrap().origin;
            let kept = std::iter::from_fn(|| client.shared.pool.take(&origin, |_| true)).count();
            assert_eq!(kept, 32);
        });
    }
}

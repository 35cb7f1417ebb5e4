//! From addresses to a connection.

use std::future::{Future, poll_fn};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

/// How long one address is waited for before the next one is tried as well (RFC 8305, 5).
const STAGGER: Duration = Duration::from_millis(250);
/// How many addresses are tried.
const MOST: usize = 8;

/// A connection, plain or secure.
pub(super) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// Connects to the first of the addresses that answers. They are tried in turn, each a little after the one before or as soon as that
/// has failed, so that one that swallows everything does not use up the time. Fails with the first address's error.
pub(super) async fn dial(addresses: &[IpAddr], port: u16) -> io::Result<TcpStream> {
    let addresses = alternate(addresses);
    let mut waiting = addresses.iter().take(MOST).map(|address| SocketAddr::new(*address, port));
    let mut attempts: Vec<Pin<Box<dyn Future<Output = io::Result<TcpStream>> + Send>>> = Vec::new();
    let mut failed = None;
    loop {
        match waiting.next() {
            Some(address) => attempts.push(Box::pin(connect(address))),
            None if attempts.is_empty() => break,
            None => {}
        }
        let mut pause = pin!(tokio::time::sleep(STAGGER));
        let more = waiting.len() > 0;
        let stream = poll_fn(|context| {
            let mut done = None;
            attempts.retain_mut(|attempt| match (&done, attempt.as_mut().poll(context)) {
                (None, Poll::Ready(result)) => {
                    done = Some(result);
                    false
                }
                (Some(_), Poll::Ready(_)) => false,
                (_, Poll::Pending) => true,
            });
            match done {
                Some(result) => Poll::Ready(Some(result)),
                None if more && pause.as_mut().poll(context).is_ready() => Poll::Ready(None),
                None => Poll::Pending,
            }
        });
        match stream.await {
            Some(Ok(stream)) => return Ok(stream),
            Some(Err(error)) => failed = failed.or(Some(error)),
            None => {}
        }
    }
    Err(failed.unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the host has no address")))
}

async fn connect(address: SocketAddr) -> io::Result<TcpStream> {
    let named = |error: io::Error| io::Error::new(error.kind(), format!("{address}: {error}"));
    let stream = TcpStream::connect(address).await.map_err(named)?;
    // Messages are written whole: waiting for more to send would only delay them.
    stream.set_nodelay(true).map_err(named)?;
    Ok(stream)
}

/// The addresses with the two families taking turns (RFC 8305, 4), the first one's family first.
fn alternate(addresses: &[IpAddr]) -> Vec<IpAddr> {
    let first = addresses.first().is_some_and(IpAddr::is_ipv4);
    let (mut one, mut other): (Vec<_>, Vec<_>) =
        addresses.iter().copied().partition(|address| address.is_ipv4() == first);
    one.reverse();
    other.reverse();
    let mut turns = Vec::with_capacity(addresses.len());
    while !(one.is_empty() && other.is_empty()) {
        turns.extend(one.pop());
        turns.extend(other.pop());
    }
    turns
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_take_turns() {
        let addresses =
            |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<IpAddr>>();
        assert_eq!(
            alternate(&addresses(&["::1", "::2", "::3", "1.1.1.1", "2.2.2.2"])),
            addresses(&["::1", "1.1.1.1", "::2", "2.2.2.2", "::3"])
        );
        assert_eq!(alternate(&addresses(&["1.1.1.1", "::1"])), addresses(&["1.1.1.1", "::1"]));
        assert_eq!(alternate(&[]), addresses(&[]));
    }
}

//! The transport against real servers on the loopback.

mod bench;
mod exchange;
mod faults;
mod lookup;
pub(crate) mod server;
mod tls;

use std::future::Future;
use std::time::Duration;

use bytes::Bytes;

use super::{Method, Request};

/// Runs a future as the engine does: on one thread of its own.
pub(crate) fn run<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build().unwrap().block_on(future)
}

/// A small POST with time enough.
pub(super) fn post(url: &str) -> Request {
    Request {
        url: url.to_owned(),
        method: Method::Post,
        headers: Vec::new(),
        body: vec![Bytes::from_static(b"{}")],
        timeout: Duration::from_secs(20),
    }
}

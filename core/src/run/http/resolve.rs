//! Host names to addresses.

use std::future::Future;
use std::io;
use std::net::IpAddr;
use std::pin::Pin;

/// Addresses that are on their way.
pub(crate) type Lookup<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Looks host names up. Called once for each new connection, never for addresses and `localhost`.
pub(crate) trait Resolve: Send + Sync {
    /// All addresses of a host, in the order in which they should be tried. May be dropped at any time.
    fn resolve<'a>(&'a self, host: &'a str) -> Lookup<'a>;
}

/// The system's own resolver (`getaddrinfo`), on a thread of the runtime for blocking work. A dropped look-up goes on there, unheard.
#[derive(Debug)]
pub(super) struct System;

impl Resolve for System {
    fn resolve<'a>(&'a self, host: &'a str) -> Lookup<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            let mut addresses: Vec<IpAddr> = Vec::new();
            for found in found {
                // An address with a scope holds on one link only. Without the scope it would be another one.
                let scoped = matches!(found, std::net::SocketAddr::V6(address) if address.scope_id() != 0);
                if scoped {
                    return Err(io::Error::other(format!(
                        "it leads to {found}, which is of one network link only"
                    )));
                }
                if !addresses.contains(&found.ip()) {
                    addresses.push(found.ip());
                }
            }
            Ok(addresses)
        })
    }
}

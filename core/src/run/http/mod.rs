//! HTTP transport: a [`Request`] and a [`Policy`] in, a [`Response`] or a [`Failure`] out. Knows nothing of hooks or decisions.
//!
//! Made for requests whose address comes from a configuration that is not fully trusted, inside a program that belongs to others:
//!
//! * The URL is read as browsers read it (WHATWG), so that every spelling of an address is seen as what it is. A name is looked up
//!   once, **all** its addresses are checked, and the connection is made to one of those very addresses: what a name server says
//!   later cannot change where the request goes. A kept connection is checked again, by its address, for each request.
//! * Redirects are not followed, proxies not looked for, cookies and credentials not kept, compressed answers not asked for.
//! * One deadline holds over look-up, connecting, TLS, sending and receiving. Dropping the future closes the connection at once.
//! * No task runs while nothing is asked but one timer that closes idle connections. A connection is driven by the very request that
//!   uses it. Nothing is global: no process-wide TLS provider, no environment variable but those that name the system's certificates.
//!
//! # Threads, signals, forks
//! [`Client::send`] must be polled inside a tokio runtime with I/O and time, on a thread that has SIGPIPE blocked or ignored (sockets
//! are written with `writev`). Name look-ups and the first reading of the certificates use the runtime's blocking threads. A forked
//! child must not use its parent's client: it shares sockets with it. Should it do so all the same, it keeps no connection and
//! touches none of the parent's.

mod address;
mod client;
mod connect;
mod expand;
mod failure;
mod pattern;
mod policy;
mod pool;
mod request;
mod resolve;
mod tls;
mod wire;

#[cfg(test)]
pub(crate) mod tests;

pub(crate) use client::Client;
pub(crate) use expand::expand;
pub(crate) use failure::Failure;
pub(crate) use pattern::UrlPattern;
pub(crate) use policy::{Policy, Reach};
pub(crate) use request::{Method, Request, Response};

#[cfg(test)]
pub(crate) use {client::Options, failure::Phase, request::MAX_BODY};

//! Names, addresses, and name servers that lie.

use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::super::resolve::{Lookup, Resolve};
use super::super::{Client, Failure, Options, Phase, Policy, Request};
use super::server::{Saw, Server, ok};
use super::{post, run};

const STRICT: Policy = Policy { allow_private: false, refused_hosts: &[], allowed_urls: None };

/// Gives its answers one after the other; never answers when it has none left.
struct Scripted {
    answers: Vec<Result<Vec<&'static str>, &'static str>>,
    asked: AtomicUsize,
}

impl Resolve for Scripted {
    fn resolve<'a>(&'a self, host: &'a str) -> Lookup<'a> {
        assert_eq!(host, "hooks.example");
        let answer = self.answers.get(self.asked.fetch_add(1, Ordering::SeqCst)).cloned();
        Box::pin(async move {
            match answer {
                Some(Ok(addresses)) => {
                    Ok(addresses.iter().map(|one| one.parse::<IpAddr>().unwrap()).collect())
                }
                Some(Err(text)) => Err(io::Error::other(text)),
                None => std::future::pending().await,
            }
        })
    }
}

fn client(answers: Vec<Result<Vec<&'static str>, &'static str>>) -> (Client, Arc<Scripted>) {
    let script = Arc::new(Scripted { answers, asked: AtomicUsize::new(0) });
    (Client::new(Options { resolver: Some(script.clone()), ..Options::default() }), script)
}

#[test]
fn rebinding_leads_nowhere() {
    let server = Server::start(|peer| {
        peer.answer("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}");
    });
    let (client, script) = client(vec![Ok(vec!["127.0.0.1"]), Ok(vec!["10.0.0.1"])]);
    let request = post(&format!("http://Hooks.Example.:{}/", server.port));
    run(async {
        let response = client.send(&request, &STRICT).await.unwrap();
        assert_eq!(response.status, 200);
        assert_eq!(script.asked.load(Ordering::SeqCst), 1, "what was checked is what is connected to");
        assert_eq!(
            client.send(&request, &STRICT).await,
            Err(Failure::Refused(
                "hooks.example leads to 10.0.0.1, which is a private address (10.0.0.0/8): private networks are not \
                 allowed"
                    .into()
            ))
        );
        assert_eq!(script.asked.load(Ordering::SeqCst), 2);
    });
    assert_eq!(server.next(), Saw::Opened(1));
    let Saw::Request(head, _) = server.next() else { panic!("no request") };
    assert!(head.contains(&format!("host: hooks.example:{}", server.port)), "{head:?}");
    assert_eq!(server.next(), Saw::Closed(1));
    assert_eq!(server.all(), []);
}

#[test]
fn one_bad_address_among_good_ones() {
    let server = Server::always(ok("{}"));
    for bad in ["10.0.0.1", "169.254.169.254", "fe80::1", "64:ff9b::a9fe:a9fe", "::ffff:192.168.0.1"] {
        let (client, _) = client(vec![Ok(vec!["127.0.0.1", bad])]);
        let failure = run(async {
            client.send(&post(&format!("http://hooks.example:{}/", server.port)), &STRICT).await
        });
        assert!(
            matches!(&failure, Err(Failure::Refused(text)) if text.contains("hooks.example leads to")),
            "{bad}"
        );
    }
    assert_eq!(server.all(), []);
}

#[test]
fn a_kept_connection_needs_no_look_up() {
    let server = Server::always(ok("{}"));
    let (client, script) = client(vec![Ok(vec!["127.0.0.1"]), Ok(vec!["10.0.0.1"])]);
    let request = post(&format!("http://hooks.example:{}/", server.port));
    run(async {
        for _ in 0..3 {
            client.send(&request, &STRICT).await.unwrap();
        }
    });
    assert_eq!(script.asked.load(Ordering::SeqCst), 1);
    assert_eq!(server.opened(), 1);
}

#[test]
fn connections_belong_to_a_name() {
    let server = Server::always(ok("{}"));
    let (client, _) = client(vec![Ok(vec!["127.0.0.1"])]);
    run(async {
        for host in ["127.0.0.1", "hooks.example", "LOCALHOST", "localhost."] {
            client.send(&post(&format!("http://{host}:{}/", server.port)), &STRICT).await.unwrap();
        }
    });
    assert_eq!(server.opened(), 3, "the two spellings of localhost share one");
}

#[test]
fn other_addresses_are_tried() {
    let server = Server::always(ok("{}"));
    let (client, _) = client(vec![Ok(vec!["127.0.0.77", "::1", "127.0.0.1"])]);
    let request = post(&format!("http://hooks.example:{}/", server.port));
    assert_eq!(run(async { client.send(&request, &STRICT).await.unwrap().status }), 200);
}

#[test]
fn look_ups_that_fail() {
    let (client, _) = client(vec![Err("no such host"), Ok(vec![])]);
    let request = Request { timeout: Duration::from_millis(200), ..post("http://hooks.example/") };
    run(async {
        assert_eq!(
            client.send(&request, &STRICT).await,
            Err(Failure::Connect("hooks.example was not found: no such host".into()))
        );
        assert_eq!(
            client.send(&request, &STRICT).await,
            Err(Failure::Connect("hooks.example: the host has no address".into()))
        );
        assert_eq!(
            client.send(&request, &STRICT).await,
            Err(Failure::TimedOut { after: Duration::from_millis(200), phase: Phase::LookUp })
        );
    });
}

#[test]
fn the_systems_resolver() {
    let server = Server::always(ok("{}"));
    let found = run(async {
        // Every system has this name; the client itself never looks it up.
        let found = super::super::resolve::System.resolve("localhost").await.unwrap();
        let response =
            Client::default().send(&post(&format!("http://localhost:{}/", server.port)), &STRICT).await;
        assert_eq!(response.unwrap().status, 200);
        found
    });
    assert!(!found.is_empty() && found.iter().all(IpAddr::is_loopback), "{found:?}");
    assert_eq!(server.opened(), 1);
}

#[test]
fn refused_before_anything_is_looked_up() {
    let (client, script) = client(vec![]);
    run(async {
        for url in [
            "http://metadata.google.internal/",
            "http://10.0.0.1/",
            "ftp://hooks.example/",
            "http://u@hooks.example/",
        ] {
            assert!(matches!(client.send(&post(url), &STRICT).await, Err(Failure::Refused(_))), "{url}");
        }
        let mut request = post("http://hooks.example/");
        request.headers = vec![("Host".into(), "other.example".into())];
        assert!(matches!(client.send(&request, &STRICT).await, Err(Failure::Invalid(_))));
        let none = Policy { allowed_urls: Some(Vec::new()), ..STRICT };
        assert!(matches!(client.send(&post("http://hooks.example/"), &none).await, Err(Failure::Refused(_))));
    });
    assert_eq!(script.asked.load(Ordering::SeqCst), 0);
}

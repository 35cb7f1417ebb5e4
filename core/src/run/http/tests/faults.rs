//! Servers that are not there, answer too late, or answer nonsense.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use super::super::{Client, Failure, Phase, Policy, Request};
use super::server::{Saw, Server, ok};
use super::{post, run};

fn fail(request: &Request) -> Failure {
    run(async { Client::default().send(request, &Policy::default()).await.expect_err("an answer") })
}

fn quick(url: &str) -> Request {
    Request { timeout: Duration::from_millis(300), ..post(url) }
}

#[test]
fn too_late() {
    let trickle = |peer: &mut super::server::Peer, bytes: &str| {
        for byte in bytes.bytes() {
            peer.write([byte]);
            std::thread::sleep(Duration::from_millis(50));
        }
        peer.wait_for_end();
    };
    let silent = Server::start(|peer| peer.wait_for_end());
    let slow_head = Server::start(move |peer| {
        peer.request();
        trickle(peer, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    });
    let slow_body = Server::start(move |peer| {
        peer.answer("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n");
        trickle(peer, &"x".repeat(40));
    });
    let stuck_body = Server::start(|peer| {
        peer.answer("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n");
        peer.wait_for_end();
    });
    for (server, phase) in [
        (silent, Phase::Exchange),
        (slow_head, Phase::Exchange),
        (slow_body, Phase::Body),
        (stuck_body, Phase::Body),
    ] {
        let start = Instant::now();
        let failure = fail(&quick(&server.url("/")));
        assert_eq!(failure, Failure::TimedOut { after: Duration::from_millis(300), phase });
        assert!(start.elapsed() >= Duration::from_millis(300) && start.elapsed() < Duration::from_secs(3));
        while server.next() != Saw::Closed(1) {}
    }
}

#[test]
fn a_server_that_does_not_read() {
    let server = Server::start(|_| std::thread::sleep(Duration::from_secs(2)));
    let mut request = quick(&server.url("/"));
    request.body = vec![vec![b'x'; 16 << 20].into()];
    assert!(matches!(fail(&request), Failure::TimedOut { phase: Phase::Exchange, .. }));
}

#[test]
fn tls_that_never_begins() {
    let server = Server::start(|peer| peer.wait_for_end());
    let failure = fail(&quick(&server.url("/").replace("http:", "https:")));
    assert_eq!(failure.to_string(), "no answer within 300ms: timed out while setting up TLS");
}

#[test]
fn nobody_there() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let failure = fail(&post(&format!("http://127.0.0.1:{port}/")));
    let Failure::Connect(text) = failure else { panic!("{failure}") };
    assert!(text.contains(&format!("127.0.0.1:{port}")) && text.contains("refused"), "{text}");
}

#[test]
fn nonsense() {
    let long = format!("HTTP/1.1 200 OK\r\nX: {}\r\n\r\n", "a".repeat(200_000));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(1000));
    for (answer, words) in [
        ("", "closed the connection before its answer was complete"),
        ("HTTP/1.1 200 OK\r\nContent-Le", "closed the connection"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc", "end of file before message length reached"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc", "connection broke"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "connection broke"),
        ("HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "not HTTP"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", "not HTTP"),
        ("SSH-2.0-OpenSSH_9.2\r\n", "not HTTP"),
        ("\x15\x03\x01\0\x02\x02\x0a", "not HTTP"),
        ("{\"decision\":\"allow\"}", "not HTTP"),
        ("HTTP/1.1 2x0 OK\r\n\r\n", "not HTTP"),
        (&long, "not HTTP"),
        (&many, "not HTTP"),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 1\r\n\r\nx", "encoding \"gzip\""),
    ] {
        let answer = answer.to_owned();
        let shown: String = answer.chars().take(60).collect();
        let server = Server::start(move |peer| {
            peer.answer(&answer);
        });
        let failure = fail(&post(&server.url("/")));
        let Failure::Protocol(text) = &failure else { panic!("{shown:?}: {failure}") };
        assert!(text.contains(words), "{shown:?}: {text}");
        assert_eq!(server.opened(), 1, "{shown:?}: nothing that was sent is sent again");
    }
}

#[test]
fn a_kept_connection_that_fails_after_sending_is_not_tried_again() {
    let server = Server::start(|peer| {
        peer.answer(ok("{}"));
        peer.request();
    });
    run(async {
        let client = Client::default();
        client.send(&post(&server.url("/")), &Policy::default()).await.unwrap();
        let failure = client.send(&post(&server.url("/")), &Policy::default()).await.expect_err("an answer");
        assert!(matches!(failure, Failure::Protocol(_)), "{failure}");
    });
    assert_eq!(server.opened(), 1);
}

#[test]
fn dropping_closes_the_connection() {
    let server = Server::start(|peer| {
        peer.request();
        peer.wait_for_end();
    });
    run(async {
        let client = Client::default();
        let request = post(&server.url("/"));
        let policy = Policy::default();
        let send = client.send(&request, &policy);
        assert!(tokio::time::timeout(Duration::from_millis(100), send).await.is_err());
        assert_eq!(server.next(), Saw::Opened(1));
        assert!(matches!(server.next(), Saw::Request(..)));
        // Nothing is polled any more: it must be closed already.
        let start = Instant::now();
        assert_eq!(server.next(), Saw::Closed(1));
        assert!(start.elapsed() < Duration::from_secs(1));
    });
}

#[test]
fn it_can_be_spawned_and_aborted() {
    let server = Server::start(|peer| peer.wait_for_end());
    run(async {
        let client = Client::default();
        let request = post(&server.url("/"));
        let task = tokio::spawn(async move { client.send(&request, &Policy::default()).await });
        tokio::time::sleep(Duration::from_millis(50)).await;
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        while server.next() != Saw::Closed(1) {}
    });
}

#[test]
fn no_descriptor_is_left() {
    let count = || std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
    let server = Server::start(|peer| {
        peer.answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx");
    });
    run(async {
        let client = Client::default();
        let before = count();
        for _ in 0..200 {
            client.send(&post(&server.url("/")), &Policy::default()).await.expect_err("an answer");
        }
        // Tests run side by side, so others may have opened some meanwhile.
        assert!(count() < before + 150, "{before} descriptors before, {} after", count());
    });
}

//! What is sent, what is received, and what is kept in between.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;

use super::super::{Client, MAX_BODY, Method, Options, Policy, Request, Response};
use super::server::{Saw, Server, ok};
use super::{post, run};

fn send(client: &Client, request: &Request) -> Response {
    run(async { client.send(request, &Policy::default()).await.unwrap() })
}

fn body(text: &str) -> Vec<u8> {
    text.as_bytes().to_vec()
}

#[test]
fn request_and_response() {
    let server = Server::always(ok("{\"decision\":\"allow\"}"));
    let mut request = post(&server.url("/hook?a=b#c"));
    request.headers =
        vec![("X-Token".into(), "abc".into()), ("Content-Type".into(), "application/json; v=2".into())];
    request.method = Method::Patch;
    request.body = vec![Bytes::from_static(b"{\"a\":"), Bytes::from_static(b"1}")];
    let response = send(&Client::default(), &request);
    assert_eq!(response.status, 200);
    assert_eq!(response.content_type.as_deref(), Some("application/json"));
    assert_eq!(response.body, body("{\"decision\":\"allow\"}"));
    assert!(!response.truncated);
    assert_eq!(response.announced, Some(20));
    assert_eq!(server.next(), Saw::Opened(1));
    let Saw::Request(mut head, sent) = server.next() else { panic!("no request") };
    assert_eq!(sent, body("{\"a\":1}"));
    assert_eq!(head.remove(0), "PATCH /hook?a=b HTTP/1.1");
    head.sort();
    let expected = [
        "accept: */*".to_owned(),
        "content-length: 7".to_owned(),
        "content-type: application/json; v=2".to_owned(),
        format!("host: 127.0.0.1:{}", server.port),
        concat!("user-agent: crosshook/", env!("CARGO_PKG_VERSION")).to_owned(),
        "x-token: abc".to_owned(),
    ];
    assert_eq!(head, expected);
}

#[test]
fn statuses_and_content_types() {
    for (answer, status, content_type, text) in [
        ("HTTP/1.1 204 No Content\r\n\r\n", 204, None, ""),
        ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", 200, None, ""),
        (
            "HTTP/1.1 500 Oops\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno",
            500,
            Some("text/plain"),
            "no",
        ),
        (
            "HTTP/1.1 201 C\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: 2\r\n\r\n{}",
            201,
            Some("application/json; charset=utf-8"),
            "{}",
        ),
        ("HTTP/1.1 200 OK\r\nContent-Encoding: identity\r\nContent-Length: 1\r\n\r\nx", 200, None, "x"),
        (
            "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\ny",
            200,
            None,
            "y",
        ),
        (
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nTrailer: 1\r\n\r\n",
            200,
            None,
            "abcde",
        ),
    ] {
        let server = Server::always(answer);
        let client = Client::default();
        run(async {
            for _ in 0..2 {
                let response = client.send(&post(&server.url("/")), &Policy::default()).await.unwrap();
                assert_eq!(response.status, status, "{answer:?}");
                assert_eq!(response.content_type.as_deref(), content_type, "{answer:?}");
                assert_eq!(response.body, body(text), "{answer:?}");
                assert!(!response.truncated);
            }
        });
        assert_eq!(server.opened(), 1, "{answer:?}");
    }
}

#[test]
fn redirects_are_answers() {
    let other = Server::always(ok("{}"));
    for status in [301, 302, 303, 307, 308] {
        let server = Server::always(format!(
            "HTTP/1.1 {status} Go\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n",
            other.url("/")
        ));
        assert_eq!(send(&Client::default(), &post(&server.url("/"))).status, status);
    }
    assert_eq!(other.all(), []);
}

#[test]
fn connections_are_kept() {
    let server = Server::always(ok("{}"));
    let client = Client::default();
    run(async {
        for pause in [0, 0, 300] {
            tokio::time::sleep(Duration::from_millis(pause)).await;
            client.clone().send(&post(&server.url("/")), &Policy::default()).await.unwrap();
        }
        let tasks: Vec<_> = (0..3)
            .map(|_| {
                let (client, request) = (client.clone(), post(&server.url("/")));
                tokio::spawn(async move { client.send(&request, &Policy::default()).await.unwrap().status })
            })
            .collect();
        for task in tasks {
            assert_eq!(task.await.unwrap(), 200);
        }
    });
    assert_eq!(server.opened(), 3, "one for those in a row, and two more for those at once");
    drop(client);
    let mut closed: Vec<Saw> = (0..3).map(|_| server.next()).collect();
    closed.sort_by_key(|saw| format!("{saw:?}"));
    assert_eq!(closed, [Saw::Closed(1), Saw::Closed(2), Saw::Closed(3)], "dropping the client closes them");
}

#[test]
fn a_client_outlives_its_runtime() {
    let server = Server::always(ok("{}"));
    let client = Client::default();
    assert_eq!(send(&client, &post(&server.url("/"))).status, 200);
    assert_eq!(send(&client, &post(&server.url("/"))).status, 200);
    assert_eq!(server.opened(), 2);
}

#[test]
fn closed_connections_are_replaced() {
    let server = Server::start(|peer| {
        peer.answer(ok("{}"));
    });
    let client = Client::default();
    run(async {
        for round in 1..=3 {
            client.send(&post(&server.url("/")), &Policy::default()).await.unwrap();
            while server.next() != Saw::Closed(round) {}
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
}

#[test]
fn connections_with_something_left_over_are_not_reused() {
    for extra in ["HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nEVIL", "x", "\r\n"] {
        let server = Server::start(move |peer| while peer.answer(ok("{}") + extra).is_some() {});
        let client = Client::default();
        run(async {
            for _ in 0..2 {
                let response = client.send(&post(&server.url("/")), &Policy::default()).await.unwrap();
                assert_eq!(response.body, body("{}"));
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        });
        assert_eq!(server.opened(), 2, "{extra:?}");
    }
}

#[test]
fn connections_that_the_server_will_close_are_not_kept() {
    for answer in [
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 200 OK\r\nKeep-Alive: timeout=1\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\n{}",
    ] {
        let server = Server::always(answer);
        let client = Client::default();
        run(async {
            for _ in 0..2 {
                client.send(&post(&server.url("/")), &Policy::default()).await.unwrap();
            }
        });
        assert_eq!(server.opened(), 2, "{answer:?}");
    }
}

#[test]
fn idle_connections_are_closed_in_time() {
    let server = Server::always(ok("{}"));
    let client = Client::new(Options { idle: Duration::from_millis(200), ..Options::default() });
    run(async {
        for round in 1..=2 {
            client.send(&post(&server.url("/")), &Policy::default()).await.unwrap();
            let start = Instant::now();
            tokio::time::sleep(Duration::from_millis(600)).await;
            while server.next() != Saw::Closed(round) {}
            assert!(start.elapsed() < Duration::from_secs(5));
        }
    });
}

#[test]
fn a_body_as_long_as_is_kept() {
    for (length, truncated) in [(MAX_BODY, false), (MAX_BODY + 1, true), (3 * MAX_BODY, true)] {
        let plain = format!("HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{}", "a".repeat(length));
        let chunked = format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{length:x}\r\n{}\r\n0\r\n\r\n",
            "a".repeat(length)
        );
        for (answer, announced) in [(plain, Some(length as u64)), (chunked, None)] {
            let server = Server::always(answer);
            let response = send(&Client::default(), &post(&server.url("/")));
            assert_eq!(response.body.len(), length.min(MAX_BODY));
            assert!(response.body.iter().all(|byte| *byte == b'a'));
            assert_eq!((response.truncated, response.announced), (truncated, announced));
        }
    }
}

#[test]
fn an_endless_body_is_cut() {
    let server = Server::start(|peer| {
        peer.answer("HTTP/1.1 200 OK\r\n\r\n");
        for _ in 0..64 {
            peer.write(vec![b'a'; 1 << 20]);
        }
    });
    let start = Instant::now();
    let response = send(&Client::default(), &post(&server.url("/")));
    assert!(response.truncated);
    assert_eq!((response.body.len(), response.announced), (MAX_BODY, None));
    assert!(start.elapsed() < Duration::from_secs(10));
}

/// Memory that is somebody else's.
#[derive(Clone)]
struct Shared(Arc<Vec<u8>>);

impl AsRef<[u8]> for Shared {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

#[test]
fn a_large_event() {
    let server = Server::always(ok("{}"));
    let event = Shared(Arc::new((0..16_u32 << 20).map(|i| (i % 251) as u8).collect()));
    let mut request = post(&server.url("/"));
    request.body = vec![Bytes::from_static(b"<"), Bytes::from_owner(event.clone()), Bytes::from_static(b">")];
    let client = Client::default();
    run(async {
        for _ in 0..2 {
            assert_eq!(client.send(&request, &Policy::default()).await.unwrap().status, 200);
        }
    });
    assert_eq!(server.next(), Saw::Opened(1));
    for _ in 0..2 {
        let Saw::Request(head, body) = server.next() else { panic!("no request") };
        assert!(head.contains(&format!("content-length: {}", (16 << 20) + 2)));
        assert!(body[0] == b'<' && body[body.len() - 1] == b'>' && body[1..body.len() - 1] == event.0[..]);
    }
    drop(request);
    assert_eq!(Arc::strong_count(&event.0), 1, "nothing keeps the event's memory");
}

#[test]
fn an_answer_before_the_request_is_read() {
    let server = Server::start(|peer| {
        peer.read_some();
        peer.write("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 3\r\n\r\nbig");
        std::thread::sleep(Duration::from_millis(300));
    });
    let mut request = post(&server.url("/"));
    request.body = vec![Bytes::from(vec![b'x'; 16 << 20])];
    let response = send(&Client::default(), &request);
    assert_eq!((response.status, response.body), (413, body("big")));
}

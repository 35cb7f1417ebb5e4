//! Figures, not tests: run with `--release --ignored --nocapture`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use super::super::{Client, Method, Policy, Request};
use super::run;
use super::server::{Server, ok};

const ROUNDS: usize = 20_000;

/// Reads whole messages with as few calls as possible.
fn echo() -> Server {
    let answer = ok("{\"decision\":\"allow\"}");
    Server::start(move |peer| {
        let mut buffer = vec![0; 64 << 10];
        let mut have = 0;
        loop {
            match peer.stream.read(&mut buffer[have..]) {
                Ok(0) | Err(_) => return,
                Ok(count) => have += count,
            }
            let Some(head) = buffer[..have].windows(4).position(|four| four == b"\r\n\r\n") else { continue };
            if have >= head + 4 + 1024 {
                have = 0;
                peer.write(&answer);
            }
        }
    })
}

#[test]
#[ignore = "a measurement"]
fn latency() {
    let server = echo();
    let mut raw = vec![b'x'; 1024];
    raw.splice(
        0..0,
        format!("POST / HTTP/1.1\r\nhost: 127.0.0.1:{}\r\ncontent-length: 1024\r\n\r\n", server.port).bytes(),
    );
    let mut stream = TcpStream::connect(("127.0.0.1", server.port)).unwrap();
    stream.set_nodelay(true).unwrap();
    let request = Request {
        url: server.url("/"),
        method: Method::Post,
        headers: Vec::new(),
        body: vec![vec![b'x'; 1024].into()],
        timeout: std::time::Duration::from_secs(10),
    };
    let client = Client::default();
    let policy = Policy { allow_private: false, refused_hosts: &[], allowed_urls: None };
    run(async {
        let mut buffer = [0; 4096];
        for _ in 0..4 {
            let start = Instant::now();
            for _ in 0..ROUNDS {
                stream.write_all(&raw).unwrap();
                assert!(stream.read(&mut buffer).unwrap() > 0);
            }
            let floor = start.elapsed().as_secs_f64() / ROUNDS as f64 * 1e6;
            let start = Instant::now();
            for _ in 0..ROUNDS {
                assert_eq!(client.send(&request, &policy).await.unwrap().status, 200);
            }
            let ours = start.elapsed().as_secs_f64() / ROUNDS as f64 * 1e6;
            println!("raw TCP {floor:.1} us, client {ours:.1} us, ratio {:.2}", ours / floor);
        }
    });
}

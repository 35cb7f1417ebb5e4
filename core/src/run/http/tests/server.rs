//! Servers written by hand, so that they can misbehave.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What a server saw.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Saw {
    /// A connection, by its number from 1.
    Opened(usize),
    /// A whole request: its head in lines, its body.
    Request(Vec<String>, Vec<u8>),
    /// The end of a connection.
    Closed(usize),
}

/// A server on the loopback, until the test ends.
pub(crate) struct Server {
    pub(crate) port: u16,
    saw: Mutex<Receiver<Saw>>,
}

/// One connection to it.
pub(crate) struct Peer<S = TcpStream> {
    pub(crate) stream: S,
    saw: Sender<Saw>,
}

impl Server {
    /// Starts a server that lets `serve` do as it likes with each connection.
    pub(crate) fn start(serve: impl Fn(&mut Peer) + Send + Sync + 'static) -> Self {
        Self::wrapped(|stream| stream, serve)
    }

    /// The same, with something around the stream.
    pub(crate) fn wrapped<S: Read + Write + 'static>(
        wrap: impl Fn(TcpStream) -> S + Send + Sync + 'static,
        serve: impl Fn(&mut Peer<S>) + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, saw) = channel();
        let both = Arc::new((wrap, serve));
        std::thread::spawn(move || {
            for (index, stream) in listener.incoming().enumerate() {
                let (number, saw, both) = (index + 1, sender.clone(), both.clone());
                let stream = stream.unwrap();
                stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
                stream.set_nodelay(true).unwrap();
                let _ = saw.send(Saw::Opened(number));
                std::thread::spawn(move || {
                    let mut peer = Peer { stream: both.0(stream), saw: saw.clone() };
                    both.1(&mut peer);
                    let _ = saw.send(Saw::Closed(number));
                });
            }
        });
        Self { port, saw: Mutex::new(saw) }
    }

    /// A server that answers every request with the same text and keeps its connections.
    pub(crate) fn always(answer: impl Into<Vec<u8>>) -> Self {
        let answer = answer.into();
        Self::start(move |peer| while peer.answer(&answer).is_some() {})
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// The next thing that it saw; waits for it a while.
    pub(crate) fn next(&self) -> Saw {
        self.saw.lock().unwrap().recv_timeout(Duration::from_secs(20)).expect("the server saw nothing")
    }

    /// All that it saw up to now.
    pub(crate) fn all(&self) -> Vec<Saw> {
        self.saw.lock().unwrap().try_iter().collect()
    }

    /// How many connections there were up to now.
    pub(crate) fn opened(&self) -> usize {
        self.all().iter().filter(|saw| matches!(saw, Saw::Opened(_))).count()
    }
}

impl<S: Read + Write> Peer<S> {
    /// Reads a request; `None` at the end of the connection.
    pub(crate) fn request(&mut self) -> Option<()> {
        let mut head = Vec::new();
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            if self.stream.read(&mut byte).unwrap_or(0) == 0 {
                return None;
            }
            head.push(byte[0]);
        }
        let head: Vec<String> =
            String::from_utf8(head).unwrap().trim_end().lines().map(String::from).collect();
        let length = head.iter().find_map(|line| line.strip_prefix("content-length: "))?;
        let mut body = vec![0; length.parse().unwrap()];
        self.stream.read_exact(&mut body).ok()?;
        let _ = self.saw.send(Saw::Request(head, body));
        Some(())
    }

    /// Reads the beginning of a request.
    pub(crate) fn read_some(&mut self) {
        let _ = self.stream.read(&mut [0; 64]);
    }

    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.stream.write_all(bytes.as_ref()).and_then(|()| self.stream.flush());
    }

    /// Reads a request and answers it.
    pub(crate) fn answer(&mut self, answer: impl AsRef<[u8]>) -> Option<()> {
        self.request()?;
        self.write(answer);
        Some(())
    }

    /// Waits until the other end is closed.
    pub(crate) fn wait_for_end(&mut self) {
        while self.stream.read(&mut [0; 4096]).unwrap_or(0) > 0 {}
    }
}

/// An answer with the usual headers.
pub(crate) fn ok(body: &str) -> String {
    format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
}

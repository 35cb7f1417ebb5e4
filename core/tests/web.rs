//! HTTP hooks and the ready-made model client, against a server of this test on loopback.

#![cfg(feature = "http")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use crosshook::{Code, Decision, Engine, LlmOptions, Options, Outcome, Scope, Status};
use serde_json::{Value, json};

/// One request as the server saw it.
#[derive(Debug, Clone)]
struct Seen {
    line: String,
    headers: Vec<String>,
    body: String,
}

impl Seen {
    fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|line| line.to_lowercase().starts_with(&format!("{name}: ")))?;
        found.split_once(": ").map(|(_, value)| value)
    }
}

/// A server that gives every request the same answer, and counts connections.
struct Server {
    url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
    connections: Arc<Mutex<usize>>,
}

fn serve(answer: &str) -> Server {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let server = Server { url, seen: Arc::default(), connections: Arc::default() };
    let (seen, connections, answer) = (server.seen.clone(), server.connections.clone(), answer.to_owned());
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            *connections.lock().unwrap() += 1;
            let (seen, answer) = (seen.clone(), answer.clone());
            std::thread::spawn(move || talk(stream.unwrap(), &seen, &answer));
        }
    });
    server
}

fn talk(stream: TcpStream, seen: &Mutex<Vec<Seen>>, answer: &str) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut stream = stream;
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let mut headers = Vec::new();
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).unwrap();
            if header.trim().is_empty() {
                break;
            }
            headers.push(header.trim().to_owned());
        }
        let mut request = Seen { line: line.trim().to_owned(), headers, body: String::new() };
        let length = request.header("content-length").unwrap().parse().unwrap();
        let mut body = vec![0; length];
        reader.read_exact(&mut body).unwrap();
        request.body = String::from_utf8(body).unwrap();
        seen.lock().unwrap().push(request);
        stream.write_all(answer.as_bytes()).unwrap();
    }
}

fn response(status: &str, kind: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

fn hook(url: &str, more: Value) -> Value {
    let mut hook = json!({"type": "http", "url": url, "timeout": 5});
    hook.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    hook
}

fn engine(dialect: &str, hook: &Value, top: Value) -> Engine {
    let mut settings = json!({"hooks": {"PreToolUse": [{"hooks": [hook]}], "Stop": [{"hooks": [hook]}]}});
    settings.as_object_mut().unwrap().extend(top.as_object().unwrap().clone());
    let mut options = Options::new(dialect).settings_text(Some(Scope::User), settings.to_string());
    options.env = Some(
        [("TOKEN".to_owned(), "s3cret\r\nX: y".to_owned()), ("OTHER".to_owned(), "no".to_owned())].into(),
    );
    Engine::new(options).unwrap()
}

const EVENT: &str = r#"{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/","timestamp":"t","tool_name":"T","tool_input":{"a":1}}"#;

fn fire(engine: &Engine) -> Outcome {
    engine.dispatch_blocking(EVENT).unwrap()
}

fn codes(outcome: &Outcome) -> Vec<Code> {
    outcome.diagnostics.iter().map(|diagnostic| diagnostic.code).collect()
}

const DENY: &str = r#"{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}"#;

#[test]
fn the_event_is_posted_and_the_answer_decides() {
    let server = serve(&response("200 OK", "application/json; charset=utf-8", DENY));
    let headers = json!({"headers": {"Authorization": "Bearer ${TOKEN}", "X-Other": "[$OTHER]"}, "allowedEnvVars": ["TOKEN"]});
    let engine = engine("qwen", &hook(&server.url, headers), json!({}));
    for _ in 0..3 {
        let outcome = fire(&engine);
        assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("no")));
        assert_eq!((outcome.hooks[0].status, outcome.hooks[0].exit_code), (Status::Blocked, None));
    }
    let seen = server.seen.lock().unwrap();
    assert_eq!(seen[0].line, "POST /hook HTTP/1.1");
    assert_eq!(seen[0].header("content-type"), Some("application/json"));
    assert_eq!(seen[0].header("authorization"), Some("Bearer s3cretX: y"), "line breaks are removed");
    assert_eq!(seen[0].header("x-other"), Some("[]"), "a variable that is not allowed is empty");
    assert_eq!(seen[0].body, EVENT);
    assert_eq!(*server.connections.lock().unwrap(), 1, "the connection is kept");
}

#[test]
fn qwen_reads_bodies_by_their_content_type() {
    let said = |status: &str, kind: &str, body: &str| {
        let server = serve(&response(status, kind, body));
        let outcome = fire(&engine("qwen", &hook(&server.url, json!({})), json!({})));
        (outcome.decision, outcome.hooks[0].status, outcome.system_messages.clone(), codes(&outcome))
    };
    let none = Decision::None;
    assert_eq!(said("200 OK", "text/plain", " hello\n"), (none, Status::Ok, vec!["hello".into()], vec![]));
    assert_eq!(
        said("200 OK", "text/plain", DENY),
        (none, Status::Ok, vec![DENY.into()], vec![Code::JsonNotRead])
    );
    assert_eq!(
        said("200 OK", "application/json", "[1]"),
        (none, Status::Ok, vec![], vec![Code::InvalidOutput])
    );
    assert_eq!(said("204 No Content", "application/json", ""), (none, Status::Ok, vec![], vec![]));
    assert_eq!(
        said("500 Oops", "application/json", DENY),
        (none, Status::Error, vec![], vec![Code::HttpFailed, Code::JsonNotRead])
    );
    assert_eq!(
        said("302 Found", "application/json", ""),
        (none, Status::Error, vec![], vec![Code::HttpFailed])
    );
}

#[test]
fn codebuddy_has_three_methods_and_reads_answers_as_from_a_command() {
    let server = serve(&response("200 OK", "text/plain", DENY));
    let outcome = fire(&engine("codebuddy", &hook(&server.url, json!({"method": "PUT"})), json!({})));
    assert_eq!(outcome.decision, Decision::Deny);
    assert_eq!(server.seen.lock().unwrap()[0].line, "PUT /hook HTTP/1.1");
    let server = serve(&response("200 OK", "text/plain", "fine"));
    let outcome = fire(&engine("codebuddy", &hook(&server.url, json!({})), json!({})));
    assert_eq!((outcome.decision, outcome.hooks[0].status), (Decision::None, Status::Error));
    let outcome = fire(&engine("codebuddy", &hook(&server.url, json!({"method": "GET"})), json!({})));
    assert_eq!((outcome.hooks.len(), codes(&outcome)[0]), (0, Code::InvalidHook));
}

#[test]
fn once_is_once_an_event() {
    let server = serve(&response("200 OK", "application/json", DENY));
    let engine = engine("qwen", &hook(&server.url, json!({"once": true})), json!({}));
    assert_eq!(fire(&engine).decision, Decision::Deny);
    let second = fire(&engine);
    assert_eq!(
        (second.decision, second.hooks[0].status, codes(&second)),
        (Decision::None, Status::Skipped, vec![Code::OnceUsed])
    );
    let stop = engine.dispatch_blocking(r#"{"hook_event_name":"Stop","session_id":"s"}"#).unwrap();
    assert_eq!(stop.hooks[0].status, Status::Ok, "another event");
}

#[test]
fn forbidden_addresses_are_refused_with_the_rule() {
    for url in [
        "http://10.0.0.1/",
        "http://0x0a000001/",
        "http://169.254.169.254/",
        "http://[::ffff:192.168.0.1]/",
        "ftp://x/",
        "not a url",
    ] {
        let outcome = fire(&engine("qwen", &hook(url, json!({})), json!({})));
        assert_eq!(
            (outcome.hooks[0].status, codes(&outcome)),
            (Status::Error, vec![Code::HttpBlocked]),
            "{url}"
        );
    }
    let private = json!({"security": {"allowPrivateNetworkHooks": true}});
    let outcome = fire(&engine("qwen", &hook("http://169.254.169.254/", json!({})), private));
    assert_eq!(codes(&outcome), [Code::HttpBlocked], "metadata stays refused");
    let server = serve(&response("200 OK", "application/json", DENY));
    let other = json!({"security": {"allowedHttpHookUrls": ["https://hooks.example.com/*"]}});
    let outcome = fire(&engine("qwen", &hook(&server.url, json!({})), other));
    assert_eq!((outcome.decision, codes(&outcome)), (Decision::None, vec![Code::HttpBlocked]));
    let all = json!({"security": {"allowedHttpHookUrls": []}});
    assert_eq!(fire(&engine("qwen", &hook(&server.url, json!({})), all)).decision, Decision::Deny);
}

#[test]
fn a_server_that_is_silent_or_absent_decides_nothing() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let outcome = fire(&engine("qwen", &hook(&url, json!({"timeout": 0.2})), json!({})));
    assert_eq!((outcome.decision, outcome.hooks[0].status), (Decision::None, Status::Timeout));
    drop(listener);
    let outcome = fire(&engine("qwen", &hook(&url, json!({})), json!({})));
    assert_eq!((outcome.hooks[0].status, codes(&outcome)), (Status::Error, vec![Code::HttpFailed]));
    let closed = hook(&url, json!({"failMode": "closed"}));
    assert_eq!(fire(&engine("qwen", &closed, json!({}))).decision, Decision::Deny);
}

#[test]
fn a_model_endpoint_answers_prompt_hooks() {
    let reply = json!({"choices": [{"message": {"role": "assistant", "content": "{\"ok\": false, \"reason\": \"too risky\"}"}}]});
    let server = serve(&response("200 OK", "application/json", &reply.to_string()));
    let settings =
        json!({"hooks": {"PreToolUse": [{"hooks": [{"type": "prompt", "prompt": "Judge: $ARGUMENTS"}]}]}});
    let mut options = Options::new("codebuddy").settings_text(None, settings.to_string());
    options.env = Some([("KEY".to_owned(), "k".to_owned())].into());
    let mut llm = LlmOptions::new(server.url.replace("/hook", "/v1"), "small");
    llm.key_env = Some("KEY".to_owned());
    options.llm = Some(llm);
    let outcome = fire(&Engine::new(options).unwrap());
    assert_eq!((outcome.decision, outcome.reason.as_deref()), (Decision::Deny, Some("too risky")));
    let seen = server.seen.lock().unwrap()[0].clone();
    assert_eq!(seen.line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(seen.header("authorization"), Some("Bearer k"));
    let body: Value = serde_json::from_str(&seen.body).unwrap();
    assert_eq!(body["model"], "small");
    assert_eq!(body["messages"][1]["content"], format!("Judge: {EVENT}"));
}

//! The chat client against a local server.

use std::time::Duration;

use serde_json::{Value, json};

use super::super::http::tests::run;
use super::super::http::tests::server::{Saw, Server, ok};
use super::super::http::{Client, Failure};
use super::{ChatError, Endpoint, Question};

fn endpoint(server: &Server, base: &str) -> Endpoint {
    Endpoint { base_url: server.url(base), model: "small".into(), key: Some("sk-secret".into()) }
}

fn question() -> Question {
    Question { user: "May it?".into(), timeout: Duration::from_secs(20), ..Question::default() }
}

fn ask(endpoint: &Endpoint, question: &Question) -> Result<String, ChatError> {
    run(async { endpoint.ask(&Client::default(), question).await })
}

fn answer(status: &str, kind: &str, body: &str) -> Server {
    Server::always(format!(
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ))
}

fn sent(server: &Server) -> (Vec<String>, Value) {
    assert_eq!(server.next(), Saw::Opened(1));
    let Saw::Request(head, body) = server.next() else { panic!("no request") };
    (head, serde_json::from_slice(&body).unwrap())
}

#[test]
fn a_question_and_its_answer() {
    let server = Server::always(ok(
        r#"{"choices":[{"message":{"role":"assistant","content":"{\"ok\":true}"}},{"message":{}}]}"#,
    ));
    let whole = Question {
        system: Some("Judge.".into()),
        model: Some("large".into()),
        temperature: Some(0.0),
        max_tokens: Some(200),
        ..question()
    };
    assert_eq!(ask(&endpoint(&server, "/v1/"), &whole), Ok("{\"ok\":true}".into()));
    let (head, body) = sent(&server);
    assert_eq!(head[0], "POST /v1/chat/completions HTTP/1.1");
    assert!(head.contains(&"authorization: Bearer sk-secret".to_owned()), "{head:?}");
    assert!(head.contains(&"content-type: application/json".to_owned()), "{head:?}");
    assert_eq!(
        body,
        json!({
            "model": "large",
            "messages": [{"role": "system", "content": "Judge."}, {"role": "user", "content": "May it?"}],
            "temperature": 0.0,
            "max_tokens": 200,
        })
    );
}

#[test]
fn what_is_not_given_is_not_sent() {
    let server = Server::always(ok(
        r#"{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}]}"#,
    ));
    let endpoint = Endpoint { key: None, ..endpoint(&server, "/openai?api-version=1") };
    assert_eq!(ask(&endpoint, &question()), Ok("ab".into()));
    let (head, body) = sent(&server);
    assert_eq!(head[0], "POST /openai/chat/completions?api-version=1 HTTP/1.1");
    assert!(!head.iter().any(|line| line.starts_with("authorization")), "{head:?}");
    assert_eq!(body, json!({"model": "small", "messages": [{"role": "user", "content": "May it?"}]}));
}

#[test]
fn errors_in_words() {
    let json = "application/json";
    for (status, kind, body, words) in [
        (
            "401 Unauthorized",
            json,
            r#"{"error":{"message":"Incorrect API key: sk-secret"}}"#,
            "the model's server answered with status 401: Incorrect API key: ***",
        ),
        (
            "404 Not Found",
            json,
            r#"{"error":"no model\nsmall"}"#,
            "the model's server answered with status 404: no model small",
        ),
        ("429 Slow", json, r#"{"message":"later"}"#, "the model's server answered with status 429: later"),
        ("500 Oops", "text/plain", " it broke ", "the model's server answered with status 500: it broke"),
        ("502 Bad", "text/html", "<html>", "the model's server answered with status 502"),
        ("503 Bad", json, "{}", "the model's server answered with status 503"),
        ("302 Go", json, "", "the model's server answered with status 302"),
        ("200 OK", json, "{}", "the model's answer cannot be read: it has no choices[0].message"),
        (
            "200 OK",
            json,
            r#"{"choices":[]}"#,
            "the model's answer cannot be read: it has no choices[0].message",
        ),
        (
            "200 OK",
            json,
            r#"{"choices":[{"message":{}}]}"#,
            "the model's answer cannot be read: it contains no text",
        ),
        (
            "200 OK",
            json,
            r#"{"choices":[{"message":{"content":null,"refusal":"I won't"}}]}"#,
            "the model's answer cannot be read: the model refused: I won't",
        ),
        (
            "200 OK",
            json,
            r#"{"choices":[{"message":{"content":" "},"finish_reason":"length"}]}"#,
            "the model's answer cannot be read: it contains no text (it ended with \"length\")",
        ),
        (
            "200 OK",
            json,
            r#"{"choices":[{"message":{"content":[]}}]}"#,
            "the model's answer cannot be read: it contains no text",
        ),
    ] {
        let server = answer(status, kind, body);
        let error = ask(&endpoint(&server, "/v1"), &question()).expect_err(body).to_string();
        assert_eq!(error, words, "{status} {body}");
    }
    let error = ask(&endpoint(&answer("200 OK", json, "<html>"), "/v1"), &question()).expect_err("not JSON");
    assert!(error.to_string().starts_with("the model's answer cannot be read: it is not JSON"), "{error}");
    let long = answer("500 Oops", "text/plain", &"x".repeat(5000));
    assert_eq!(ask(&endpoint(&long, "/v1"), &question()), Err(ChatError::Status(500, "x".repeat(500))));
    let longer = answer("200 OK", json, &format!("[{}]", "1,".repeat(1 << 20)));
    assert_eq!(
        ask(&endpoint(&longer, "/v1"), &question()),
        Err(ChatError::Unreadable("it is longer than 1 MiB".into()))
    );
}

#[test]
fn endpoints_that_are_not_there() {
    let silent = Server::start(|peer| peer.wait_for_end());
    let quick = Question { timeout: Duration::from_millis(200), ..question() };
    let error = ask(&endpoint(&silent, "/v1"), &quick).expect_err("an answer");
    assert!(matches!(error, ChatError::Transport(Failure::TimedOut { .. })), "{error}");
    for (base_url, words) in [
        ("", "the model was not reached: refused: the URL is not valid"),
        ("localhost:1/v1", "the model was not reached: refused: only http and https"),
        (
            "http://169.254.169.254/v1",
            "the model was not reached: refused: 169.254.169.254 is a cloud metadata service",
        ),
        ("http://127.0.0.1:1/v1", "the model was not reached: cannot connect: "),
    ] {
        let endpoint = Endpoint { base_url: base_url.into(), model: "m".into(), key: None };
        let error = ask(&endpoint, &question()).expect_err(base_url).to_string();
        assert!(error.starts_with(words), "{error}");
    }
}

#[test]
fn keys_are_not_shown() {
    let endpoint =
        Endpoint { base_url: "http://u:p@h".into(), model: "m".into(), key: Some("sk-secret".into()) };
    assert_eq!(format!("{endpoint:?}"), "Endpoint { model: \"m\", .. }");
    let bad = Endpoint { key: Some("sk-secret\nX: y".into()), ..endpoint };
    let error =
        ask(&Endpoint { base_url: "http://127.0.0.1:1".into(), ..bad }, &question()).expect_err("sent");
    assert!(
        error.to_string().contains("control characters") && !error.to_string().contains("sk-"),
        "{error}"
    );
}

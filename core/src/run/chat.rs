//! A ready-made model client: one question to any endpoint that speaks OpenAI's chat completions.

use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Map, Value, json};

use super::http::{Client, Failure, Method, Policy, Request, Response};

/// How much of a server's own error message is passed on, in characters.
const MAX_MESSAGE: usize = 500;

/// Where the model is, and how it is asked. The host configured it, so private networks are allowed.
#[derive(Clone)]
pub(crate) struct Endpoint {
    /// Up to but without `/chat/completions`, as in `https://api.openai.com/v1` or `http://localhost:11434/v1`.
    pub(crate) base_url: String,
    /// The model, unless the question names one.
    pub(crate) model: String,
    /// The key, sent as a bearer token. Local servers often need none. Never shown.
    pub(crate) key: Option<String>,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("model", &self.model).finish_non_exhaustive()
    }
}

/// One question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Question {
    /// The system message, if any.
    pub(crate) system: Option<String>,
    /// The user's message.
    pub(crate) user: String,
    /// The model, where it is not the endpoint's.
    pub(crate) model: Option<String>,
    /// Left to the server if `None`.
    pub(crate) temperature: Option<f64>,
    /// The longest answer, in tokens. Left to the server if `None`.
    pub(crate) max_tokens: Option<u32>,
    /// How long the answer may take in all.
    pub(crate) timeout: Duration,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChatError {
    /// The endpoint was not reached, or did not answer.
    Transport(Failure),
    /// It answered with an error; the status and its own words.
    Status(u16, String),
    /// It answered something else than a chat completion; what is wrong with it.
    Unreadable(String),
}

impl fmt::Display for ChatError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Transport(failure) => write!(f, "the model was not reached: {failure}"),
            Self::Status(status, text) if text.is_empty() => {
                write!(f, "the model's server answered with status {status}")
            }
            Self::Status(status, text) => {
                write!(f, "the model's server answered with status {status}: {text}")
            }
            Self::Unreadable(text) => write!(f, "the model's answer cannot be read: {text}"),
        }
    }
}

impl std::error::Error for ChatError {}

impl Endpoint {
    /// Asks the question; returns the text of the first choice. Polled and dropped as [`Client::send`] is.
    pub(crate) async fn ask(&self, client: &Client, question: &Question) -> Result<String, ChatError> {
        let mut headers = vec![("Accept".to_owned(), "application/json".to_owned())];
        if let Some(key) = &self.key {
            headers.push(("Authorization".to_owned(), format!("Bearer {key}")));
        }
        let request = Request {
            url: self.url(),
            method: Method::Post,
            headers,
            body: vec![Bytes::from(self.body(question))],
            timeout: question.timeout,
        };
        match client.send(&request, &Policy::default()).await {
            Ok(response) => read(&response).map_err(|error| self.hide_key(error)),
            Err(failure) => Err(ChatError::Transport(failure)),
        }
    }

    /// The query of a base URL stays behind the path (some gateways want a version there).
    fn url(&self) -> String {
        let (base, query) = match self.base_url.split_once('?') {
            Some((base, query)) => (base, format!("?{query}")),
            None => (self.base_url.as_str(), String::new()),
        };
        format!("{}/chat/completions{query}", base.trim_end_matches('/'))
    }

    fn body(&self, question: &Question) -> String {
        let mut messages = Vec::with_capacity(2);
        if let Some(system) = &question.system {
            messages.push(json!({"role": "system", "content": system}));
        }
        messages.push(json!({"role": "user", "content": question.user}));
        let mut body = Map::new();
        body.insert("model".into(), question.model.as_ref().unwrap_or(&self.model).as_str().into());
        body.insert("messages".into(), messages.into());
        if let Some(temperature) = question.temperature {
            body.insert("temperature".into(), temperature.into());
        }
        if let Some(max_tokens) = question.max_tokens {
            body.insert("max_tokens".into(), max_tokens.into());
        }
        Value::Object(body).to_string()
    }

    /// Some servers repeat the key that they did not like.
    fn hide_key(&self, error: ChatError) -> ChatError {
        match (error, self.key.as_deref().filter(|key| !key.is_empty())) {
            (ChatError::Status(status, text), Some(key)) => {
                ChatError::Status(status, text.replace(key, "***"))
            }
            (error, _) => error,
        }
    }
}

fn read(response: &Response) -> Result<String, ChatError> {
    let json = serde_json::from_slice::<Value>(&response.body);
    if !(200..300).contains(&response.status) {
        return Err(ChatError::Status(response.status, own_words(response, json.ok())));
    }
    let unreadable = |text: String| Err(ChatError::Unreadable(text));
    if response.truncated {
        return unreadable("it is longer than 1 MiB".into());
    }
    let json = match json {
        Ok(json) => json,
        Err(error) => return unreadable(format!("it is not JSON: {error}")),
    };
    let Some(message) = json.pointer("/choices/0/message") else {
        return unreadable("it has no choices[0].message".into());
    };
    match message.get("content") {
        Some(Value::String(text)) if !text.trim().is_empty() => Ok(text.clone()),
        // Several parts, as some servers send them.
        Some(Value::Array(parts)) => {
            let text: String =
                parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect();
            if text.trim().is_empty() { unreadable("it contains no text".into()) } else { Ok(text) }
        }
        _ => match (message.get("refusal"), json.pointer("/choices/0/finish_reason")) {
            (Some(Value::String(refusal)), _) => unreadable(format!("the model refused: {}", cut(refusal))),
            (_, Some(Value::String(reason))) => {
                unreadable(format!("it contains no text (it ended with {reason:?})"))
            }
            _ => unreadable("it contains no text".into()),
        },
    }
}

/// What a server says about its error: `{"error": {"message": ...}}`, `{"error": ...}`, `{"message": ...}` or plain text.
fn own_words(response: &Response, json: Option<Value>) -> String {
    let words = json.as_ref().and_then(|json| {
        ["/error/message", "/error", "/message", "/detail"]
            .iter()
            .find_map(|place| json.pointer(place)?.as_str())
    });
    match (words, &json) {
        (Some(words), _) => cut(words),
        (None, Some(_)) => String::new(),
        (None, None) if response.content_type.as_deref().is_some_and(|kind| kind.contains("html")) => {
            String::new()
        }
        (None, None) => cut(&String::from_utf8_lossy(&response.body)),
    }
}

fn cut(text: &str) -> String {
    text.trim().chars().take(MAX_MESSAGE).map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests;

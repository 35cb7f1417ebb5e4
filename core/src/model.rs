//! A ready-made model for prompt hooks, so that the command line and small hosts need no code of their own.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use serde::Deserialize;

use crate::host::{Host, Request, RequestKind};
use crate::options::LlmOptions;
use crate::process::Environment;
use crate::run::chat::{Endpoint, Question};
use crate::run::http::Client;
use crate::runtime;

/// Answers prompt hooks through the endpoint, and hands everything else to the host, if there is one.
pub(crate) struct ChatModel {
    endpoint: Arc<Endpoint>,
    client: Client,
    host: Option<Arc<dyn Host>>,
}

impl ChatModel {
    pub(crate) fn new(options: LlmOptions, env: &Environment, host: Option<Arc<dyn Host>>) -> Self {
        let variable = options.key_env.unwrap_or_else(|| "OPENAI_API_KEY".to_owned());
        let key = env.get(&variable).and_then(|key| key.into_string().ok()).filter(|key| !key.is_empty());
        let endpoint = Endpoint { base_url: options.base_url, model: options.model, key };
        Self { endpoint: Arc::new(endpoint), client: Client::default(), host }
    }
}

impl Host for ChatModel {
    fn request(&self, request: Request) {
        if request.kind() != RequestKind::Prompt {
            return match &self.host {
                Some(host) => host.request(request),
                None => request.fail("the model endpoint answers prompt hooks only"),
            };
        }
        let question = question(&request);
        let (endpoint, client) = (self.endpoint.clone(), self.client.clone());
        // When no thread can be had, the future is dropped here, and the request with it: a failed answer.
        drop(runtime::spawn(async move {
            let (mut answer, mut cancelled) =
                (pin!(endpoint.ask(&client, &question)), pin!(request.cancelled()));
            let answer = std::future::poll_fn(|context| match cancelled.as_mut().poll(context) {
                Poll::Ready(()) => Poll::Ready(None),
                Poll::Pending => answer.as_mut().poll(context).map(Some),
            })
            .await;
            match answer {
                Some(Ok(text)) => request.reply(text),
                Some(Err(error)) => request.fail(error.to_string()),
                None => {}
            }
        }));
    }
}

/// The parts of a request that the endpoint gets.
#[derive(Deserialize)]
struct Asked {
    prompt: Option<String>,
    system: Option<String>,
    model: Option<String>,
    timeout_ms: u64,
}

fn question(request: &Request) -> Question {
    let asked: Asked = serde_json::from_str(request.json()).unwrap_or(Asked {
        prompt: None,
        system: None,
        model: None,
        timeout_ms: 30_000,
    });
    Question {
        system: asked.system,
        user: asked.prompt.unwrap_or_default(),
        model: asked.model,
        temperature: None,
        max_tokens: None,
        timeout: Duration::from_millis(asked.timeout_ms),
    }
}

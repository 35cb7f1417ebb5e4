//! HTTP hooks: from a hook and its event to a request, from a response to a raw result.

use std::future::Future;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Instant;

use bytes::Bytes;

use super::http::{Client, Failure, Method, Policy, Reach, Request, Response, UrlPattern, expand};
use super::{End, RawResult, Surroundings, stdin};
use crate::dialect::PrivateNetwork;
use crate::event::Event;
use crate::hook::{Action, Hook, HttpMethod, Merged};
use crate::process::Cancel;
use crate::process::per_process::PerProcess;
use crate::runtime::{self, Task};

/// One client a process: its connections are kept between events, and a forked child starts with none.
static CLIENT: PerProcess<Client> = PerProcess::new();

/// Sends the event and waits for the answer, the hook's timeout or the cancellation.
pub(super) async fn call(
    hook: &Hook,
    event: &Event,
    surroundings: &Surroundings,
    settings: &Merged,
    cancel: &Cancel,
) -> RawResult {
    let started = Instant::now();
    let mut result = match request(hook, event, surroundings, settings) {
        Some(request) => send(request, policy(hook, settings), cancel).await,
        None => {
            RawResult::without_output(End::NotStarted(format!("a hook of type {} is no request", hook.kind)))
        }
    };
    result.duration = started.elapsed();
    result
}

async fn send(request: Request, policy: Policy, cancel: &Cancel) -> RawResult {
    let client = CLIENT.get().clone();
    // Sockets are written on the engine's thread only, where SIGPIPE is blocked.
    let work = runtime::spawn(async move { client.send(&request, &policy).await });
    let mut work = match work {
        Ok(task) => AbortOnDrop(task),
        Err(error) => {
            return RawResult::without_output(End::NotStarted(format!("no engine thread: {error}")));
        }
    };
    let mut cancelled = pin!(cancel.cancelled());
    std::future::poll_fn(|context| {
        if cancelled.as_mut().poll(context).is_ready() {
            return Poll::Ready(RawResult::without_output(End::Cancelled));
        }
        Pin::new(&mut work.0).poll(context).map(|answer| match answer {
            Ok(Ok(response)) => responded(response),
            Ok(Err(failure)) => RawResult::without_output(failed(failure)),
            // The engine was shut down, or the process forked.
            Err(_) => RawResult::without_output(End::Cancelled),
        })
    })
    .await
}

/// A request whose future is dropped is not wanted any more.
struct AbortOnDrop<T>(Task<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn responded(response: Response) -> RawResult {
    let kept = response.body.len() as u64;
    let total = if response.truncated {
        response.announced.unwrap_or(kept).max(kept.saturating_add(1))
    } else {
        kept
    };
    let end = End::Responded { status: response.status, content_type: response.content_type };
    RawResult { stdout: response.body, stdout_total: total, ..RawResult::without_output(end) }
}

fn failed(failure: Failure) -> End {
    match failure {
        Failure::Refused(_) | Failure::Invalid(_) => End::Refused(failure.to_string()),
        Failure::TimedOut { .. } => End::TimedOut,
        Failure::Connect(_) | Failure::Tls(_) | Failure::Protocol(_) => End::NoResponse(failure.to_string()),
    }
}

fn request(hook: &Hook, event: &Event, surroundings: &Surroundings, settings: &Merged) -> Option<Request> {
    let Action::Http { url, method, headers, allowed_env } = &hook.action else { return None };
    let variable = |name: &str| surroundings.env.get(name).and_then(|value| value.into_string().ok());
    let listed = |name: &&String| settings.allowed_http_env.as_ref().is_none_or(|list| list.contains(name));
    let allowed_env: Vec<String> = allowed_env.iter().filter(listed).cloned().collect();
    let filled = |text: &str| expand(text, &allowed_env, &variable, hook.dialect.withheld_env);
    let chunks = stdin::payload(hook.dialect, event, surroundings, None).into_chunks();
    Some(Request {
        url: if hook.dialect.http.url_variables { filled(url) } else { url.clone() },
        method: match method {
            HttpMethod::Post => Method::Post,
            HttpMethod::Put => Method::Put,
            HttpMethod::Patch => Method::Patch,
        },
        headers: headers.iter().map(|(name, value)| (name.clone(), filled(value))).collect(),
        body: chunks.into_iter().map(Bytes::from_owner).collect(),
        timeout: hook.time_limit(),
    })
}

/// What can be told of a hook's request before anything is sent; nothing of a URL that is put together only then.
pub(crate) fn reach(hook: &Hook, settings: &Merged) -> Option<Reach> {
    let Action::Http { url, .. } = &hook.action else { return None };
    let known = !hook.dialect.http.url_variables || !url.contains('$');
    policy(hook, settings).reach(url).filter(|_| known)
}

fn policy(hook: &Hook, settings: &Merged) -> Policy {
    let rule = &hook.dialect.http;
    // A pattern that is not usable was reported while loading; the list stays, so that it does not open up.
    let patterns = |list: &Vec<String>| list.iter().filter_map(|text| UrlPattern::new(text).ok()).collect();
    let listed =
        settings.allowed_http_urls.as_ref().filter(|list| !(rule.empty_list_allows_all && list.is_empty()));
    Policy {
        allow_private: rule.private == PrivateNetwork::Allowed || settings.allow_private_network,
        refused_hosts: rule.refused_hosts,
        allowed_urls: listed.map(patterns),
    }
}

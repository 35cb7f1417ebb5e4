//! A model's or an agent's reply to a prompt hook: `{"ok": ..., "reason": ...}`.

use super::{Answer, Reply, ReplyContext, exit};
use crate::diagnostic::Code;
use crate::goal;
use crate::hook::Action;
use crate::json::{Object, js_trim};

/// What the model said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Verdict {
    pub(crate) ok: bool,
    pub(crate) reason: Option<String>,
    /// The goal can never be reached.
    pub(crate) impossible: bool,
    pub(crate) context: Option<String>,
}

/// Reads a reply, or says why it is none. Rule 2 of the design: a garbled reply is no consent.
pub(crate) fn read(context: &ReplyContext<'_>, text: &str) -> Reply {
    match parse(text) {
        Ok(verdict) => match &context.hook.action {
            Action::Goal { condition, .. } => goal::judge(context, condition, verdict),
            _ => (context.hook.dialect.judge)(context, &verdict),
        },
        Err(why) => {
            let why = format!("the model's reply is not usable: {why}; it decides nothing");
            exit::unreadable(context, Code::PromptReplyInvalid, why)
        }
    }
}

/// What a verdict means in a dialect without prompt hooks, where only the host can have asked: an objection denies or blocks
/// with its reason.
pub(crate) fn objecting(context: &ReplyContext<'_>, verdict: &Verdict) -> Reply {
    let mut reply = Reply { answered: true, context: verdict.context.clone(), ..Reply::default() };
    if !verdict.ok {
        reply.block(context, "`ok: false`");
        reply.reason = verdict.reason.clone().or_else(|| Some(exit::SILENT_BLOCK.to_owned()));
    }
    reply
}

fn parse(text: &str) -> Result<Verdict, String> {
    let text = js_trim(text);
    if text.is_empty() {
        return Err("it is empty".to_owned());
    }
    let object = |text: &str| Object::parse(text);
    // An object as such comes first: its reason may quote fenced code, which must not cost the verdict.
    let object = match (object(text), fenced(text)) {
        (Err(_), Some(inner)) => object(inner),
        (object, _) => object,
    };
    let object = object.map_err(|error| format!("it is not a single JSON object ({error})"))?;
    let mut answer = Answer::new(object, "", false);
    let ok = answer.bool("ok");
    let verdict = Verdict {
        ok: ok.unwrap_or(false),
        reason: answer.string("reason").filter(|reason| !js_trim(reason).is_empty()),
        impossible: answer.bool("impossible") == Some(true),
        context: answer.string("additionalContext").filter(|context| !context.is_empty()),
    };
    match (answer.faults.first(), ok) {
        (Some(fault), _) => Err(fault.clone()),
        (None, None) => Err("it has no `ok`".to_owned()),
        (None, Some(_)) => Ok(verdict),
    }
}

/// The content of the first fenced block, without the name of its language.
fn fenced(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("```")?;
    let (body, _) = rest.split_once("```")?;
    Some(body.trim_start_matches(|c: char| c.is_ascii_alphanumeric()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_count_bare_or_fenced() {
        let wanted = Verdict { ok: false, reason: Some("r".into()), impossible: false, context: None };
        for text in [
            r#"{"ok":false,"reason":"r"}"#,
            "\n {\"ok\":false,\"reason\":\"r\",\"more\":1} ",
            "```{\"ok\":false,\"reason\":\"r\"}```",
            "```json5 {\"ok\":false,\"reason\":\"r\"} ```",
            "Well:\n```json\n{\"ok\":false,\"reason\":\"r\"}\n```\nthat is it",
        ] {
            assert_eq!(parse(text).unwrap(), wanted, "{text}");
        }
    }

    #[test]
    fn fences_inside_an_object_are_text() {
        let text =
            "{\n \"ok\": false,\n \"reason\": \"use ``` here\",\n \"additionalContext\": \"b ``` c\"\n}";
        let verdict = parse(text).unwrap();
        assert_eq!((verdict.ok, verdict.reason.as_deref()), (false, Some("use ``` here")));
        assert_eq!(verdict.context.as_deref(), Some("b ``` c"));
    }

    #[test]
    fn everything_else_is_no_verdict() {
        for text in [
            "",
            "yes",
            "Sure: {\"ok\":true}",
            "[true]",
            "{}",
            r#"{"ok":"true"}"#,
            r#"{"ok":true,"reason":1}"#,
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}

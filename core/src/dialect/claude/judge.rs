//! What a model's or an agent's verdict means (section 15).

use super::events::PERMISSION_REQUEST;
use super::v;
use crate::hook::Action;
use crate::outcome::Stop;
use crate::reply::exit::SILENT_BLOCK;
use crate::reply::{Reply, ReplyContext, Verdict};

/// `ok: true` lets the normal flow go on (design, ruling 11).
pub(super) fn judge(context: &ReplyContext<'_>, verdict: &Verdict) -> Reply {
    let mut reply = Reply { answered: true, context: verdict.context.clone(), ..Reply::default() };
    if verdict.ok {
        return reply;
    }
    let reason = verdict.reason.clone().unwrap_or_else(|| SILENT_BLOCK.to_owned());
    let agent = matches!(context.hook.action, Action::Agent { .. });
    let asked = matches!(context.hook.action, Action::Prompt { continue_on_block: true, .. });
    let continues = agent || asked;
    let ends_turn = match context.rule.name {
        "Stop" | "SubagentStop" if verdict.impossible && !agent => {
            reply.message = Some(reason);
            return reply;
        }
        PERMISSION_REQUEST | "PermissionDenied" => {
            reply.unused(context, "`ok: false`");
            return reply;
        }
        // Without the flag the teammate stops; after a tool the turn ends, and there is nothing left to block.
        "TeammateIdle" | "PostToolUse" if !continues => {
            reply.stop = Some(Stop { reason: Some(reason) });
            return reply;
        }
        "PreToolUse" => !continues && context.hook.version >= v(210),
        "TaskCompleted" => !continues && context.event.get("teammate_name").is_some(),
        "UserPromptSubmit" | "PostToolBatch" | "UserPromptExpansion" => true,
        _ => false,
    };
    reply.block(context, "`ok: false`");
    if ends_turn {
        reply.stop = Some(Stop { reason: Some(reason.clone()) });
    }
    reply.reason = reply.decision.blocks().then_some(reason);
    reply
}

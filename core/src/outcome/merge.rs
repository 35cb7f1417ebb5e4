//! The fifth step: all replies become one outcome. The only place where decisions are compared. Pure.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use super::{Decision, HookReport, Outcome, Status, Stop};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::dialect::{Pick, Reasons, Rewrites, Texts};
use crate::event::Event;
use crate::hook::Hook;
use crate::json::{self, Kind, Object, Raw};
use crate::reply::{InputChange, Reply};
use crate::run::RawResult;
use crate::spill::Cut;

/// One selected hook with what it gave and how that was read.
pub(crate) struct Answered {
    pub(crate) hook: Arc<Hook>,
    pub(crate) raw: RawResult,
    pub(crate) reply: Reply,
    /// How many hooks of the dispatch had ended before it.
    pub(crate) finished: usize,
    /// Its texts that were too long.
    pub(crate) spilled: Vec<Cut>,
}

impl Answered {
    fn input(&self) -> Option<&InputChange> {
        self.reply.input.as_ref()
    }
}

/// Merges the replies, which stand in configured order.
pub(crate) fn merge(event: &Event, mut answered: Vec<Answered>, diagnostics: Vec<Diagnostic>) -> Outcome {
    let mut outcome = Outcome { event: event.name().to_owned(), diagnostics, ..Outcome::default() };
    for one in &mut answered {
        outcome.diagnostics.append(&mut one.reply.diagnostics);
    }
    let texts = texts_of(&answered);
    outcome.decision = strongest(&answered);
    outcome.reason = reason(outcome.decision, texts.reasons, &answered);
    merge_stop(&answered, texts, &mut outcome);
    merge_input(event, &answered, &mut outcome);
    merge_output(&answered, &mut outcome);
    merge_contexts(&answered, &mut outcome);
    merge_messages(&answered, texts, &mut outcome);
    merge_permissions(&answered, &mut outcome);
    merge_extra(&answered, &mut outcome);
    outcome.suppress_output = answered.iter().any(|one| one.reply.suppress_output);
    outcome.hooks = answered.into_iter().map(report).collect();
    outcome
}

/// Rule 1 of the design.
fn strongest(answered: &[Answered]) -> Decision {
    answered.iter().map(|one| one.reply.decision).fold(Decision::None, |winner, decision| {
        if decision.strength() > winner.strength() { decision } else { winner }
    })
}

/// How the dialect of the hooks puts texts together; the usual way when they are of several.
fn texts_of(answered: &[Answered]) -> Texts {
    let mut all = answered
        .iter()
        .map(|one| one.hook.rule.and_then(|rule| rule.texts).unwrap_or(one.hook.dialect.texts));
    let first = all.next().unwrap_or(Texts::USUAL);
    if all.all(|texts| texts == first) { first } else { Texts::USUAL }
}

fn reason(decision: Decision, reasons: Reasons, answered: &[Answered]) -> Option<String> {
    if decision == Decision::None {
        return None;
    }
    let winners = || answered.iter().filter(|one| one.reply.decision == decision);
    let own = || winners().filter_map(|one| one.reply.reason.clone()).filter(|text| !text.is_empty());
    let parts = || answered.iter().map(|one| &one.reply.parts);
    let tops = || joined(parts().filter_map(|parts| parts.top.clone()));
    let of_all = match reasons {
        Reasons::OfWinners => None,
        Reasons::FirstWinner => own().next(),
        Reasons::LastWinner => own().next_back(),
        Reasons::OfWinnersApart => return joined_by("\n\n", own()),
        Reasons::StopsElseAll => joined(parts().filter_map(|parts| parts.stop.clone())).or_else(tops),
        Reasons::OfAll => {
            let mut talking = answered.iter().filter(|one| one.reply.answered);
            let alone = talking.next().is_some() && talking.next().is_none();
            let stop = || parts().rev().find_map(|parts| parts.stop.clone());
            let permission = || winners().rev().find_map(|one| one.reply.parts.permission.clone());
            if alone { None } else { stop().or_else(permission).or_else(tops) }
        }
    };
    of_all.or_else(|| joined(own()))
}

fn joined(texts: impl Iterator<Item = String>) -> Option<String> {
    joined_by("\n", texts)
}

fn joined_by(separator: &str, texts: impl Iterator<Item = String>) -> Option<String> {
    let texts: Vec<String> = texts.filter(|text| !text.is_empty()).collect();
    (!texts.is_empty()).then(|| texts.join(separator))
}

fn merge_stop(answered: &[Answered], texts: Texts, outcome: &mut Outcome) {
    let stops = || answered.iter().filter_map(|one| one.reply.stop.as_ref());
    let reasons = || stops().filter_map(|stop| stop.reason.clone());
    let reason = match texts.stops {
        Pick::First => stops().next().and_then(|stop| stop.reason.clone()),
        Pick::All => joined(reasons()),
        Pick::Last => reasons().next_back(),
    };
    outcome.stop = stops().next().map(|_| Stop { reason });
    let stopping = answered.iter().find(|one| one.reply.stop.is_some());
    let Some(stopping) = stopping.filter(|one| one.hook.rule.is_some_and(|rule| rule.halt_beats_block))
    else {
        return;
    };
    for one in answered.iter().filter(|one| one.reply.decision.blocks()) {
        let text = format!("its block does not count, because {} halts the agent", stopping.hook.title());
        outcome.diagnostics.push(note(&one.hook, Level::Warning, Code::DecisionUnused, text));
    }
    if outcome.decision.blocks() {
        outcome.decision = Decision::None;
        outcome.reason = None;
    }
}

fn note(hook: &Hook, level: Level, code: Code, text: String) -> Diagnostic {
    let message = format!("{}: {text}", hook.title());
    Diagnostic { level, code, message, origin: Some(hook.origin.clone()) }
}

/// Rule 3 of the design: of competing rewrites the later one in configured order wins, and the loser is named.
fn merge_input(event: &Event, answered: &[Answered], outcome: &mut Outcome) {
    let inputs = |(index, one): (usize, _)| Some((index, one, Answered::input(one)?));
    let mut changes: Vec<_> = answered.iter().enumerate().filter_map(inputs).collect();
    if changes.is_empty() {
        return;
    }
    if changes.iter().all(|(_, one, _)| one.hook.dialect.rewrites == Rewrites::LastToFinish) {
        changes.sort_by_key(|(_, one, _)| one.finished);
    }
    if outcome.decision.blocks() {
        for (_, one, _) in changes {
            let text = "its change of the tool input was dropped, because the call is denied".to_owned();
            outcome.diagnostics.push(note(&one.hook, Level::Warning, Code::RewriteDropped, text));
        }
        return;
    }
    let original = event.get("tool_input").and_then(Object::from_raw);
    let empty = || Object::from_raw("{}");
    let mut current: Option<Object> = original.clone();
    // Who last set a top-level key, for naming the loser of a conflict; `None` stands for the whole input.
    let mut authors: Vec<(Option<String>, usize)> = Vec::new();
    let mut result: Option<Raw> = None;
    for (index, one, change) in changes {
        let (keys, next) = match change {
            InputChange::Replace(raw) => (vec![None], Some(raw.clone())),
            InputChange::PatchOfOriginal(raw) => {
                let (base, patch) = (original.clone().or_else(empty), Object::from_raw(raw.get()));
                (vec![None], base.zip(patch).and_then(|(base, patch)| json::shallow_merge(&base, &patch)))
            }
            InputChange::Patch(raw) => {
                let patch = Object::from_raw(raw.get());
                let keys = patch
                    .iter()
                    .flat_map(|patch| patch.iter().map(|(key, _)| Some(key.to_owned())))
                    .collect();
                let base = current.clone().or_else(empty);
                (keys, base.zip(patch).and_then(|(base, patch)| json::shallow_merge(&base, &patch)))
            }
        };
        let whole = keys == [None];
        let changed: HashSet<&Option<String>> = keys.iter().collect();
        let lost = authors.iter().filter(|(key, _)| whole || changed.contains(key));
        let losers: BTreeSet<usize> = lost.map(|(_, loser)| *loser).collect();
        for loser in losers.iter().filter_map(|loser| answered.get(*loser)) {
            let text = format!("its change of the tool input lost against the later {}", one.hook.title());
            outcome.diagnostics.push(note(&loser.hook, Level::Warning, Code::RewriteLost, text));
        }
        if whole {
            authors.clear();
        }
        authors.extend(keys.into_iter().map(|key| (key, index)));
        current = next.as_ref().and_then(|raw| Object::from_raw(raw.get()));
        result = next;
    }
    outcome.updated_input = result;
}

fn merge_output(answered: &[Answered], outcome: &mut Outcome) {
    let mut winner: Option<&Answered> = None;
    for one in answered.iter().filter(|one| one.reply.output.is_some()) {
        if let Some(loser) = winner.replace(one) {
            let text =
                format!("its replacement of the tool's result lost against the later {}", one.hook.title());
            outcome.diagnostics.push(note(&loser.hook, Level::Warning, Code::RewriteLost, text));
        }
    }
    outcome.updated_output = winner.and_then(|one| one.reply.output.clone());
}

fn merge_contexts(answered: &[Answered], outcome: &mut Outcome) {
    let mut room = usize::MAX;
    for one in answered {
        if let Some(text) = &one.reply.context {
            let text = match (one.hook.dialect.context, one.hook.rule) {
                (Some(render), Some(rule)) => render(rule, text, &mut room),
                _ => text.clone(),
            };
            if !text.is_empty() {
                outcome.additional_context.push(text);
            }
        }
    }
}

fn merge_messages(answered: &[Answered], texts: Texts, outcome: &mut Outcome) {
    let with_message = || answered.iter().filter(|one| one.reply.message.is_some());
    let last = with_message().next_back();
    for one in with_message() {
        match last.filter(|_| texts.messages == Pick::Last) {
            Some(last) if !Arc::ptr_eq(&one.hook, &last.hook) => {
                let text = format!("its message gave way to that of the later {}", last.hook.title());
                outcome.diagnostics.push(note(&one.hook, Level::Warning, Code::RewriteLost, text));
            }
            _ => outcome.system_messages.extend(one.reply.message.clone()),
        }
    }
}

/// Permission updates belong to the decision that won.
fn merge_permissions(answered: &[Answered], outcome: &mut Outcome) {
    let winners = || answered.iter().filter(|one| one.reply.decision == outcome.decision);
    outcome.interrupt = winners().any(|one| one.reply.interrupt);
    let mut merged: Option<(Raw, &Answered)> = None;
    let mut lost = Vec::new();
    for one in winners() {
        let Some(next) = &one.reply.permissions else { continue };
        merged = match merged {
            Some((before, author)) if one.hook.dialect.joins_permissions => {
                Some((concatenated(&before, next).unwrap_or_else(|| next.clone()), author))
            }
            Some((_, loser)) => {
                let text =
                    format!("its permission updates lost against those of the later {}", one.hook.title());
                lost.push(note(&loser.hook, Level::Warning, Code::RewriteLost, text));
                Some((next.clone(), one))
            }
            None => Some((next.clone(), one)),
        };
    }
    outcome.diagnostics.append(&mut lost);
    outcome.updated_permissions = merged.map(|(raw, _)| raw);
}

/// Two JSON arrays as one.
fn concatenated(first: &Raw, second: &Raw) -> Option<Raw> {
    let inside = |raw: &Raw| Some(raw.get().strip_prefix('[')?.strip_suffix(']')?.trim().to_owned());
    let parts: Vec<String> =
        [inside(first)?, inside(second)?].into_iter().filter(|part| !part.is_empty()).collect();
    json::to_raw(&format!("[{}]", parts.join(",")))
}

/// Values of several hooks become one as the dialect says, lists one list; else the later one counts, and the hook that
/// lost is named.
fn merge_extra(answered: &[Answered], outcome: &mut Outcome) {
    let mut authors: BTreeMap<&str, &Answered> = BTreeMap::new();
    for one in answered {
        for (key, value) in &one.reply.extra {
            let before = outcome.extra.get(key);
            let combined = before.and_then(|before| match one.hook.dialect.combine {
                Some(combine) => combine(key, before, value),
                None => None,
            });
            let is_list = Kind::of(value.get()) == Kind::Array;
            let lists = || before.filter(|_| is_list).and_then(|before| concatenated(before, value));
            let merged = combined.or_else(lists);
            let differs = before.is_some_and(|before| before.get() != value.get());
            if let Some(loser) = authors.insert(key, one).filter(|_| merged.is_none() && differs) {
                let text = format!("its `{key}` lost against that of the later {}", one.hook.title());
                outcome.diagnostics.push(note(&loser.hook, Level::Warning, Code::RewriteLost, text));
            }
            outcome.extra.insert(key.clone(), merged.unwrap_or_else(|| value.clone()));
        }
    }
}

fn report(answered: Answered) -> HookReport {
    let Answered { hook, raw, reply, .. } = answered;
    let ran = !matches!(reply.status, Status::Skipped | Status::Background);
    HookReport {
        id: hook.id.clone(),
        dialect: hook.dialect.name,
        origin: hook.origin.clone(),
        kind: hook.kind,
        label: hook.label().to_owned(),
        matcher: hook.matcher_text.clone(),
        status: reply.status,
        exit_code: raw.exit_code(),
        duration_ms: if ran { raw.duration_ms() } else { 0.0 },
        decision: reply.decision,
        reason: reply.reason,
        stdout_bytes: raw.stdout_total,
        stderr_bytes: raw.stderr_total,
        truncated: raw.stdout_total > raw.stdout.len() as u64 || raw.stderr_total > raw.stderr.len() as u64,
        error: reply.error,
    }
}

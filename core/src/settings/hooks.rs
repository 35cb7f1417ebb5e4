//! One hook of a group: in its normal form, and why it can never run, when that is so.

use std::sync::Arc;
use std::time::Duration;

use super::Scope;
use super::entry::{self, Entry, Finding, Frame};
use super::groups::Group;
use super::hook_state;
use super::load::Loader;
use super::source::Form;
use super::tree::{Node, Spot};
use super::variables::Variables;
use super::worker;
use crate::condition::{Condition, Roots};
use crate::diagnostic::{Code, Level};
use crate::dialect::{Dedupe, KEPT, Target};
use crate::hook::{Action, FailMode, Hook, Off};

impl Loader<'_> {
    pub(super) fn read_hook(&mut self, group: &Group<'_>, position: usize, node: &Node, spot: &Spot) {
        let dialect = self.source.dialect;
        let frame = Frame {
            default_timeout: self.switch.timeout,
            event_timeout: group.rule.and_then(|rule| rule.timeout),
            time_limit: group.rule.and_then(|rule| rule.time_limit),
            limits_context: group.rule.is_some_and(|rule| rule.limits_context),
            never_background: group.rule.is_some_and(|rule| rule.never_background),
            version: self.version(),
            once: self.once_counts(),
        };
        let mut findings: Vec<Finding> = Vec::new();
        let entry = entry::read(dialect, node, spot, frame, &mut findings);
        let mut fault = Off::because(Code::InvalidHook, "it is not usable".to_owned());
        for Finding { fatal, code, message, spot, .. } in findings {
            let level = if fatal { Level::Error } else { Level::Warning };
            let message = if fatal { self.in_words(group.event, message) } else { message };
            if fatal {
                fault = Off::because(code, message.clone());
            }
            self.report(level, code, message, &spot);
        }
        // One that cannot be used is listed all the same, so that its owner can ask why it does not run.
        let mut entry = entry.unwrap_or_else(|| Entry::unusable(dialect, node, fault));
        let dedupe_key = self.dedupe_key(&entry);
        self.switch_off(&mut entry);
        let digest = self.trust_each(group, position, &mut entry, spot);
        self.wait_for(group, &mut entry, spot);
        let in_shell = self.option_in_shell(&entry, spot);
        self.fill_in(&mut entry);
        let id = self.id(group, position);
        self.note_fail_mode(group, &entry, spot);
        let condition = entry.condition.clone();
        let (condition, bad_condition) = self.condition(group, condition, node, spot);
        let off = self.why_off(group, &entry, &id, spot).or(in_shell).or(bad_condition);
        let worker = entry.worker.take().map(|rule| Arc::new(worker::keyed(rule, dialect, &entry)));
        let hook =
            Hook { condition, dedupe_key, digest, worker, off, ..self.hook_of(group, entry, id, spot) };
        self.set.hooks.push(Arc::new(hook));
    }

    fn id(&self, group: &Group<'_>, position: usize) -> String {
        format!("{}/{}/{}/{position}", self.prefix, self.written, group.index)
    }

    /// Stands for a group of which nothing can be read, where a failure is to deny: what it guards is not known to be
    /// guarded by anything.
    pub(super) fn stand_in(&mut self, group: &Group<'_>, node: &Node, spot: &Spot, why: String) {
        let off = self.off.clone().unwrap_or_else(|| Off::because(Code::InvalidHook, why));
        let entry = Entry::unusable(self.source.dialect, node, off.clone());
        let fail_mode = self.fail_mode_said(group, &entry).unwrap_or(self.usual_fail_mode);
        if fail_mode == FailMode::Open || group.rule.is_none() {
            return;
        }
        let hook = Hook { off: Some(off), ..self.hook_of(group, entry, self.id(group, 0), spot) };
        self.set.hooks.push(Arc::new(hook));
    }

    /// What the settings say of a hook's failures: the nearest word counts.
    fn fail_mode_said(&self, group: &Group<'_>, entry: &Entry) -> Option<FailMode> {
        entry.fail_mode.or(group.fail_mode).or(self.fail_mode)
    }

    /// A hook of what its entry, group and source say.
    fn hook_of(&self, group: &Group<'_>, entry: Entry, id: String, spot: &Spot) -> Hook {
        let dialect = self.source.dialect;
        let fail_mode = self.fail_mode_said(group, &entry);
        Hook {
            id,
            dialect,
            version: self.version(),
            scope: self.source.scope,
            event: group.event.to_owned(),
            rule: group.rule,
            matcher_text: group.matcher_text.clone(),
            matcher: group.matcher.clone(),
            condition: None,
            sequential: group.sequential,
            kind: entry.kind,
            dedupe_key: None,
            action: entry.action,
            name: entry.name,
            timeout: entry.timeout,
            own_timeout: entry.own_timeout,
            budget: self.budget(group),
            background: entry.background,
            wakes: entry.wakes,
            once: entry.once,
            worker: None,
            status_message: entry.status_message,
            env: entry.env,
            fail_mode,
            output_limit: self.switch.output_limit.or(dialect.output_limit).unwrap_or(KEPT),
            origin: self.source.origin(spot),
            bound: self.source.bound.clone(),
            data_dir: self.source.variables.data_dir.clone(),
            digest: None,
            context_limit: entry.context_limit,
            off: None,
        }
    }

    /// A hook that asks to deny when it fails, where it cannot.
    fn note_fail_mode(&mut self, group: &Group<'_>, entry: &Entry, spot: &Spot) {
        let asked = entry.fail_mode.or(group.fail_mode) == Some(FailMode::Closed);
        let Some(rule) = group.rule.filter(|_| asked) else { return };
        let why = if !rule.effect.can_block() || rule.detached {
            format!("{} lets nothing be denied or blocked on {}", self.source.dialect.product, group.event)
        } else if entry.background {
            "nothing waits for a hook in the background".to_owned()
        } else {
            return;
        };
        let text = format!("`failMode: closed` has no effect here: {why}");
        self.report(Level::Warning, Code::IgnoredKey, text, spot);
    }

    fn why_off(&mut self, group: &Group<'_>, entry: &Entry, id: &str, spot: &Spot) -> Option<Off> {
        if let Some(off) = entry.off.as_ref().filter(|off| off.code != Code::HooksDisabled) {
            // What an untrusted source wrote does not get into the words about it.
            let untrusted = self.off.as_ref().filter(|own| own.missed && off.code != Code::Untrusted);
            return untrusted.or(Some(off)).cloned();
        }
        // Who trusts a hook by its hash does not ask where it stands.
        let of_source = match &self.off {
            Some(off) if entry.trusted && off.code == Code::Untrusted => self.switch.off(self.source, false),
            off => off.clone(),
        };
        let off = of_source.or_else(|| group.off.clone()).or_else(|| entry.off.clone());
        let off = off.or_else(|| self.incompatible(entry, spot));
        if let Some(off) = off.or_else(|| self.not_taken(group, entry, spot)) {
            return Some(off);
        }
        self.duplicate(group, entry, id, spot)
    }

    /// A hook that the settings name as switched off.
    fn switch_off(&self, entry: &mut Entry) {
        let name = entry.name.as_deref().unwrap_or_else(|| entry.action.label());
        let listed = self.switch.disabled_hooks.iter().find(|(disabled, _)| disabled == name);
        if let (Some((_, by)), None) = (listed, &entry.off) {
            let text = format!("`{name}` is switched off by {by}");
            entry.off = Some(Off::because(Code::HooksDisabled, text));
        }
    }

    /// Where the agent trusts hooks one by one: the hash of what this one declares, and whether the user's settings let
    /// it run (zcode-codex-gemini.md section 2.12).
    fn trust_each(
        &mut self,
        group: &Group<'_>,
        position: usize,
        entry: &mut Entry,
        spot: &Spot,
    ) -> Option<String> {
        self.source.dialect.settings.hook_states?;
        let matcher = group
            .matcher_text
            .as_deref()
            .filter(|_| group.rule.is_some_and(|rule| rule.target != Target::Nothing));
        let timeout = group
            .rule
            .and_then(|rule| rule.time_limit)
            .map_or(entry.timeout, |limit| limit.min(entry.timeout));
        let hash = hook_state::hash(&self.written, matcher, entry, timeout.as_secs())?;
        if self.source.managed || entry.off.is_some() {
            return Some(hash);
        }
        let state =
            hook_state::of(&self.switch.hook_states, self.source, &self.written, group.index, position);
        let trusted = state.and_then(|state| state.trusted_hash.as_ref());
        let (enabled, trusted) = (state.and_then(|state| state.enabled), trusted.map(|known| *known == hash));
        if enabled == Some(false) {
            let text = "it is switched off in the user's settings".to_owned();
            entry.off = Some(Off::because(Code::HooksDisabled, text));
        } else if self.trust.granted(&hash) || trusted == Some(true) {
            entry.trusted = true;
        } else if trusted == Some(false) {
            let text = format!(
                "it was changed since the user trusted it, and does not run until its hash {hash} is trusted again"
            );
            self.report(Level::Warning, Code::Untrusted, text.clone(), spot);
            entry.off = Some(Off::because(Code::Untrusted, text));
        }
        Some(hash)
    }

    /// A hook that is waited for, whatever it says.
    fn wait_for(&mut self, group: &Group<'_>, entry: &mut Entry, spot: &Spot) {
        if entry.background && group.rule.is_some_and(|rule| rule.never_background) {
            entry.background = false;
            let text = format!(
                "{} waits for the hooks of {}; `async` has no effect",
                self.source.dialect.product, group.event
            );
            self.report(Level::Warning, Code::IgnoredKey, text, spot);
        }
    }

    /// Qwen drops, per source, a hook whose name (or command) stands in the same kind of group already (qwen.md
    /// section 5, step 1).
    fn duplicate(&mut self, group: &Group<'_>, entry: &Entry, id: &str, spot: &Spot) -> Option<Off> {
        if self.source.dialect.dedupe != Dedupe::SameNameAndCommand {
            return None;
        }
        let identity =
            entry.name.clone().unwrap_or_else(|| self.source.variables.plain(entry.action.label()));
        let matcher = group.matcher_text.as_deref().unwrap_or_default();
        let key = format!("{}\0{matcher}\0{}\0{identity}", group.event, group.sequential);
        if let Some(first) = self.first.get(&key).cloned() {
            if self.fail_mode_said(group, entry).unwrap_or(self.usual_fail_mode) == FailMode::Closed {
                self.close(&first);
            }
            let what = if entry.name.is_some() { "name" } else { "command" };
            let text = format!(
                "its {what} stands in {first} already, so it is the same hook and does not run again"
            );
            self.report(Level::Warning, Code::DuplicateHook, text.clone(), spot);
            return Some(Off::because(Code::DuplicateHook, text));
        }
        self.first.insert(key, id.to_owned());
        None
    }

    /// The strictest word of equal hooks counts for the one that runs.
    fn close(&mut self, id: &str) {
        if let Some(hook) = self.set.hooks.iter_mut().rev().find(|hook| hook.id == id) {
            Arc::make_mut(hook).fail_mode = Some(FailMode::Closed);
        }
    }

    /// What makes two hooks one, with the paths of a plugin filled in: two plugins may bring the same text.
    fn dedupe_key(&self, entry: &Entry) -> Option<String> {
        let label = self.source.variables.plain(entry.action.label());
        match self.source.dialect.dedupe {
            Dedupe::Never => None,
            Dedupe::SameHandler => {
                let detail = match &entry.action {
                    Action::Process { args, .. } => args.join("\0"),
                    Action::McpTool { server, input, .. } => format!("{server}\0{}", input.get()),
                    _ => String::new(),
                };
                Some(format!("{}\0{label}\0{detail}\0{}", entry.kind, self.apart()))
            }
            Dedupe::SameCommand => {
                let detail = match &entry.action {
                    Action::Command { shell, .. } => shell.clone().unwrap_or_default(),
                    Action::Process { args, .. } => args.join("\0"),
                    _ => String::new(),
                };
                let condition = entry.condition.as_deref().unwrap_or_default();
                Some(format!("{}\0{label}\0{detail}\0{condition}\0{}", entry.kind, self.apart()))
            }
            Dedupe::NameAndCommand => Some(format!("{}:{label}", entry.name.as_deref().unwrap_or_default())),
            // What a session brought is not compared with the rest (qwen.md section 5, step 3).
            Dedupe::SameNameAndCommand if matches!(self.source.scope, Scope::Session | Scope::Skill) => None,
            Dedupe::SameNameAndCommand => {
                let name = entry.name.as_ref().map_or_else(String::new, |name| format!("{name}:"));
                Some(format!("{name}{label}"))
            }
        }
    }

    /// What keeps this source's hooks apart from equal ones elsewhere: the plugin, or the agent or skill.
    fn apart(&self) -> &str {
        match (&self.source.plugin, &self.source.form) {
            (Some(plugin), _) => plugin,
            (None, Form::Frontmatter) => &self.prefix,
            _ => "",
        }
    }

    /// Puts the variables of a plugin or skill into a hook.
    fn fill_in(&self, entry: &mut Entry) {
        let variables = &self.source.variables;
        match &mut entry.action {
            Action::Command { line, .. } => {
                *line = variables.in_shell(line, self.source.dialect.line_variables)
            }
            Action::Process { program, args } => {
                *program = variables.plain(program);
                args.iter_mut().for_each(|arg| *arg = variables.plain(arg));
            }
            _ => {}
        }
        let own = std::mem::take(&mut entry.env);
        entry.env = variables.exports().chain(own).collect();
    }

    /// A line for a shell that refers to an option of its plugin: whatever is in it would become part of the line.
    fn option_in_shell(&mut self, entry: &Entry, spot: &Spot) -> Option<Off> {
        let since = self.source.dialect.settings.plugins.options_not_in_shell_since?;
        let Action::Command { line, .. } = &entry.action else { return None };
        if self.version() < since {
            return None;
        }
        let key = Variables::option_in(line)?;
        let text = format!(
            "`${{user_config.{key}}}` must not stand in a line for a shell; write the command with `args`, or read \
             the exported variable"
        );
        self.report(Level::Error, Code::InvalidHook, text.clone(), spot);
        Some(Off::because(Code::InvalidHook, text))
    }

    /// A hook of a type that the event does not take.
    fn not_taken(&mut self, group: &Group<'_>, entry: &Entry, spot: &Spot) -> Option<Off> {
        let types = group.rule?.types.filter(|types| !types.contains(&entry.kind))?;
        let text = format!(
            "{} takes no hook of type {} on {} (only {}); it does not run",
            self.source.dialect.product,
            entry.kind,
            group.event,
            types.join(", ")
        );
        self.report(Level::Error, Code::HookTypeUnavailable, text.clone(), spot);
        Some(Off::because(Code::HookTypeUnavailable, text))
    }

    /// The permission rule of a hook, ready to be tried, or why the hook can never run.
    fn condition(
        &mut self,
        group: &Group<'_>,
        text: Option<String>,
        node: &Node,
        spot: &Spot,
    ) -> (Option<Arc<Condition>>, Option<Off>) {
        let Some(text) = text else { return (None, None) };
        let spot = node.get("if").map_or_else(|| spot.clone(), |node| spot.child("if", node));
        let (level, why) = match group.rule {
            Some(rule) if rule.target != Target::Tool => {
                let why = format!("`if` counts on tool events only; on {} the hook never runs", group.event);
                (Level::Warning, why)
            }
            _ => match Condition::new(&text, self.source.dialect, &self.roots()) {
                Ok(condition) => return (Some(Arc::new(condition)), None),
                Err(why) => (Level::Error, format!("`if` is \"{text}\": {why}; the hook does not run")),
            },
        };
        self.report(level, Code::InvalidCondition, why.clone(), &spot);
        (None, Some(Off::because(Code::InvalidCondition, why)))
    }

    fn roots(&self) -> Roots {
        let before = self.source.dialect.conditions_at_any_depth_before;
        Roots {
            home: self.ground.home.clone(),
            project: self.ground.project_dir.clone(),
            any_depth: before.is_some_and(|since| self.version() < since),
        }
    }

    /// What the environment says of the time that all hooks of the event share.
    fn budget(&self, group: &Group<'_>) -> Option<Duration> {
        let text = self.ground.var(group.rule?.budget?.env)?;
        let millis: f64 = text.to_str()?.trim().parse().ok()?;
        if millis > 0.0 { Duration::try_from_secs_f64(millis / 1000.0).ok() } else { None }
    }

    /// Whether `once` counts in this source, whatever the hook's type.
    fn once_counts(&self) -> bool {
        let rule = self.source.dialect.settings.frontmatter.as_ref();
        let agents = rule.is_none_or(|rule| rule.once_in_agents);
        self.source.form == Form::Frontmatter && (agents || self.source.scope == Scope::Skill)
    }

    /// A plugin's hook of a type that a variable of the environment forbids.
    fn incompatible(&mut self, entry: &Entry, spot: &Spot) -> Option<Off> {
        let name = self.source.dialect.settings.plugins.commands_only_env?;
        if self.source.plugin.is_none() || entry.kind == "command" || !self.ground.flag(name) {
            return None;
        }
        let text = format!("the environment variable `{name}` lets plugins have command hooks only");
        self.report(Level::Warning, Code::HooksDisabled, text.clone(), spot);
        Some(Off::because(Code::HooksDisabled, text))
    }
}

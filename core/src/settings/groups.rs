//! The entries of one source: events, groups, hooks. A bad entry never takes its neighbours with it.

use std::sync::Arc;
use std::time::Duration;

use super::Scope;
use super::entry::{self, Entry, Finding, Frame};
use super::load::Loader;
use super::source::Form;
use super::tree::{Node, Spot, Value};
use super::variables::Variables;
use crate::condition::{Condition, Roots};
use crate::diagnostic::{Code, Level};
use crate::dialect::{Dedupe, EventRule, KEPT, Target};
use crate::hook::{Action, Hook, Off};
use crate::matcher::{Matcher, Style};

/// What a group may say. `description` is for people.
const GROUP_KEYS: [&str; 4] = ["matcher", "hooks", "sequential", "description"];

/// A group that is being read.
struct Group<'a> {
    event: &'a str,
    rule: Option<&'static EventRule>,
    index: usize,
    matcher_text: Option<String>,
    /// `None` matches everything.
    matcher: Option<Arc<Matcher>>,
    sequential: bool,
    /// Why none of its hooks can run.
    off: Option<Off>,
}

impl Loader<'_> {
    pub(super) fn read_event(&mut self, event: &str, groups: &Node, spot: &Spot) {
        let dialect = self.source.dialect;
        if dialect.settings.reserved.contains(&event) {
            if let Some(place) = dialect.settings.reserved_moved_to {
                let text = format!(
                    "{} does not read `hooks.{event}` any more; write `{place}.{event}`",
                    dialect.product
                );
                self.report(Level::Warning, Code::IgnoredKey, text, spot);
            }
            return;
        }
        self.written = event.to_owned();
        let event = self.own_name(event);
        let since = dialect.missing_in(self.version(), event);
        let rule = dialect.event(event).filter(|_| since.is_none());
        if let Some(since) = since {
            let text = format!(
                "unknown event '{event}' in {}: {} has it since version {since}, its hooks never run",
                self.source.title(),
                dialect.product
            );
            self.report(Level::Warning, self.unknown_event_code(), text, spot);
        } else if rule.is_none() {
            let near = dialect.events.iter().map(|rule| (rule.name, rule.name));
            let mut known = near.chain(dialect.settings.foreign_events.iter().copied());
            let hint = known.find(|(name, _)| name.eq_ignore_ascii_case(event));
            let hint = hint.map_or_else(String::new, |(_, own)| format!("; write `{own}`"));
            let text = format!(
                "unknown event '{event}' in {}: {} does not have it, its hooks never run{hint}",
                self.source.title(),
                dialect.product
            );
            self.report(Level::Warning, self.unknown_event_code(), text, spot);
        }
        let Some(items) = groups.as_array() else {
            let text = format!("`{event}` is {}, not a list of groups; it is skipped", groups.words());
            return self.invalid_definition(event, text, spot);
        };
        for (index, item) in items.iter().enumerate() {
            self.read_group(event, rule, index, item, &spot.item(index, item));
        }
    }

    /// What an event is called where it runs: in frontmatter `Stop` is the end of the subagent.
    fn own_name<'e>(&self, event: &'e str) -> &'e str {
        let rule = self.source.dialect.settings.frontmatter.as_ref();
        match rule.and_then(|rule| rule.stop_becomes).filter(|_| self.source.form == Form::Frontmatter) {
            Some(name) if event == "Stop" && self.runs_as_agent() => name,
            _ => event,
        }
    }

    /// Whether the frontmatter is that of an agent, or of a skill that runs as one.
    fn runs_as_agent(&self) -> bool {
        let bound_to_agent = self.source.bound.as_ref().is_some_and(|bound| bound.agent_id.is_some());
        let context = self.source.tree.root.get("context").and_then(Node::as_str);
        self.source.scope != Scope::Skill || bound_to_agent || context == Some("fork")
    }

    fn unknown_event_code(&self) -> Code {
        match &self.source.plugin {
            Some(_) => self.source.dialect.settings.plugins.unknown_event,
            None => Code::UnknownEvent,
        }
    }

    fn read_group(
        &mut self,
        event: &str,
        rule: Option<&'static EventRule>,
        index: usize,
        node: &Node,
        spot: &Spot,
    ) {
        if node.as_object().is_none() {
            let text =
                format!("the group is {}, not an object with a list `hooks`; it is skipped", node.words());
            return self.invalid_definition(event, text, spot);
        }
        let Some((list, hooks)) = node.get("hooks").and_then(|list| Some((list, list.as_array()?))) else {
            let text = "the group has no list `hooks`; it is skipped".to_owned();
            return self.invalid_definition(event, text, spot);
        };
        let mut group = Group {
            event,
            rule,
            index,
            matcher_text: None,
            matcher: None,
            sequential: node.get("sequential").is_some_and(|node| node.value == Value::Bool(true)),
            off: rule.is_none().then(|| {
                let text = format!("{} has no event `{event}`", self.source.dialect.product);
                Off::because(Code::UnknownEvent, text)
            }),
        };
        self.note_other_keys(node, spot);
        self.note_sequential(node, spot);
        self.read_matcher(&mut group, node, spot);
        let list_spot = spot.child("hooks", list);
        for (position, hook) in hooks.iter().enumerate() {
            self.read_hook(&group, position, hook, &list_spot.item(position, hook));
        }
    }

    fn note_other_keys(&mut self, node: &Node, spot: &Spot) {
        for (key, value) in node.as_object().into_iter().flatten() {
            if !GROUP_KEYS.contains(&key.as_str()) {
                let text =
                    format!("{} does not read `{key}` on a group of hooks", self.source.dialect.product);
                self.report(Level::Warning, Code::IgnoredKey, text, &spot.child(key, value));
            }
        }
    }

    fn note_sequential(&mut self, node: &Node, spot: &Spot) {
        let Some(asked) = node.get("sequential").filter(|asked| !matches!(asked.value, Value::Bool(_)))
        else {
            return;
        };
        let text = format!("`sequential` is {}, not true or false; it is ignored", asked.words());
        self.report(Level::Warning, Code::WrongType, text, &spot.child("sequential", asked));
    }

    fn read_matcher(&mut self, group: &mut Group<'_>, node: &Node, spot: &Spot) {
        let Some(matcher) = node.get("matcher").filter(|matcher| matcher.value != Value::Null) else {
            return;
        };
        let matcher_spot = spot.child("matcher", matcher);
        let Some(text) = matcher.as_str() else {
            let text = format!("`matcher` is {}, not a string; its group does not run", matcher.words());
            self.report(Level::Error, Code::InvalidMatcher, text.clone(), &matcher_spot);
            group.off.get_or_insert(Off::because(Code::InvalidMatcher, text));
            return;
        };
        group.matcher_text = Some(text.to_owned());
        let looks_at_nothing = group.rule.is_some_and(|rule| rule.target == Target::Nothing);
        if text.is_empty() && self.wants_a_matcher() {
            let text = format!(
                "{} wants a matcher that is not empty here; this one matches everything",
                self.source.dialect.product
            );
            self.report(Level::Warning, Code::EmptyMatcher, text, &matcher_spot);
        }
        if looks_at_nothing {
            if !matches!(text, "" | "*") {
                let text = format!(
                    "`matcher` is ignored: {} has nothing to match; the group always runs",
                    group.event
                );
                self.report(Level::Warning, Code::IgnoredMatcher, text, &matcher_spot);
            }
            return;
        }
        let dialect = self.source.dialect;
        let style = group.rule.map_or(dialect.matching, |rule| dialect.matching_of(rule, self.version()));
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
        if style == Style::Literal && text != "*" && !text.chars().all(plain) {
            let text = format!(
                "the matcher `{text}` is compared as text: {} takes no patterns and no lists here; write a group for each \
                 value",
                dialect.product
            );
            self.report(Level::Warning, Code::LiteralMatcher, text, &matcher_spot);
        }
        match Matcher::new(style, Some(text)) {
            Ok(matcher) => {
                if let Some(why) = matcher.fault() {
                    let text = format!(
                        "the matcher `{text}` is no valid pattern ({why}); only its plain names are compared"
                    );
                    self.report(Level::Error, Code::InvalidMatcher, text, &matcher_spot);
                }
                self.note_bare_server(group, &matcher, &matcher_spot);
                group.matcher = Some(Arc::new(matcher));
            }
            Err(why) => {
                let text =
                    format!("the matcher `{text}` is no valid pattern ({why}); its group does not run");
                self.report(Level::Error, Code::InvalidMatcher, text.clone(), &matcher_spot);
                group.off.get_or_insert(Off::because(Code::InvalidMatcher, text));
            }
        }
    }

    fn read_hook(&mut self, group: &Group<'_>, position: usize, node: &Node, spot: &Spot) {
        let dialect = self.source.dialect;
        let frame = Frame {
            default_timeout: self.switch.timeout,
            event_timeout: group.rule.and_then(|rule| rule.timeout),
            time_limit: group.rule.and_then(|rule| rule.time_limit),
            version: self.version(),
            once: self.once_counts(),
        };
        let mut findings: Vec<Finding> = Vec::new();
        let entry = entry::read(dialect, node, spot, frame, &mut findings);
        let mut fault = Off::because(Code::InvalidHook, "it is not usable".to_owned());
        for Finding { fatal, code, message, spot } in findings {
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
        let in_shell = self.option_in_shell(&entry, spot);
        self.fill_in(&mut entry);
        let id = format!("{}/{}/{}/{position}", self.prefix, self.written, group.index);
        let condition = entry.condition.clone();
        let (condition, bad_condition) = self.condition(group, condition, node, spot);
        let off = self.why_off(group, &entry, &id, spot).or(in_shell).or(bad_condition);
        let limit = self.switch.output_limit.or(dialect.output_limit).unwrap_or(KEPT);
        let hook = Hook {
            dialect,
            version: self.version(),
            scope: self.source.scope,
            event: group.event.to_owned(),
            rule: group.rule,
            matcher_text: group.matcher_text.clone(),
            matcher: group.matcher.clone(),
            condition,
            sequential: group.sequential,
            kind: entry.kind,
            dedupe_key,
            action: entry.action,
            name: entry.name,
            timeout: entry.timeout,
            own_timeout: entry.own_timeout,
            budget: self.budget(group),
            background: entry.background,
            wakes: entry.wakes,
            once: entry.once,
            status_message: entry.status_message,
            env: entry.env,
            fail_mode: entry.fail_mode,
            output_limit: limit,
            origin: self.source.origin(spot),
            bound: self.source.bound.clone(),
            data_dir: self.source.variables.data_dir.clone(),
            off,
            id,
        };
        self.set.hooks.push(Arc::new(hook));
    }

    fn why_off(&mut self, group: &Group<'_>, entry: &Entry, id: &str, spot: &Spot) -> Option<Off> {
        if let Some(off) = entry.off.as_ref().filter(|off| off.code != Code::HooksDisabled) {
            return Some(off.clone());
        }
        let off = self.off.clone().or_else(|| group.off.clone()).or_else(|| entry.off.clone());
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
        if let Some(first) = self.first.get(&key) {
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
            _ => match Condition::new(&text, &self.roots()) {
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

    fn note_bare_server(&mut self, group: &Group<'_>, matcher: &Matcher, spot: &Spot) {
        if group.rule.is_none_or(|rule| rule.target != Target::Tool) {
            return;
        }
        if let Some(server) = matcher.bare_mcp_server() {
            let text = format!(
                "`{server}` is compared with whole tool names, so it matches no tool of that server; write `{server}__.*`"
            );
            self.report(Level::Warning, Code::MatcherNeverMatches, text, spot);
        }
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

    fn wants_a_matcher(&self) -> bool {
        self.source.dialect.settings.warns_of_empty_matcher && self.source.scope.needs_trust()
    }

    fn invalid_definition(&mut self, event: &str, text: String, spot: &Spot) {
        let text = self.in_words(event, text);
        self.report(Level::Error, self.definition_code(), text, spot);
    }

    /// The words that CodeBuddy uses for a bad entry of frontmatter.
    fn in_words(&self, event: &str, text: String) -> String {
        if self.source.form == Form::Frontmatter { format!("event '{event}' invalid: {text}") } else { text }
    }
}

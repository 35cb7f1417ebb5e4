//! An engine's state: where its hooks come from, and the set that holds now.
//!
//! The set is an immutable snapshot behind a lock that is held only to take or replace it: a dispatch keeps the one it
//! started with, whatever is reloaded meanwhile.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Dialect, Forked, FrontmatterRule, Version};
use crate::error::{Error, ErrorKind};
use crate::hook::{Bound, FailMode, Hook, HookSet};
use crate::host::Host;
#[cfg(feature = "http")]
use crate::model::ChatModel;
use crate::options::{LlmOptions, Options};
use crate::outcome::Outcome;
use crate::plan::Planner;
use crate::process::Environment;
use crate::run::Surroundings;
use crate::run::worker::Workers;
use crate::settings::{self, Common, Gathered, Ground, Recipe, Scope, Source, Switches, Trust};
use crate::snapshot::Snapshot;
use crate::translation::HostTools;

/// What all clones of an engine share.
pub(crate) struct Live {
    snapshot: RwLock<Arc<Snapshot>>,
    state: Mutex<State>,
    /// Diagnostics of loading that no outcome has carried yet (design, ruling 4).
    news: Mutex<Vec<Diagnostic>>,
}

/// What the set is made from.
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) recipe: Recipe,
    pub(crate) trust: Trust,
    /// What the files said when they were last taken over.
    pub(crate) gathered: Gathered,
    pub(crate) switches: Switches,
    /// Diagnostics of making the engine that no source gives again.
    notes: Vec<Diagnostic>,
    base: HookSet,
    registered: Vec<Registration>,
    registrations: usize,
}

/// A source that the host registered.
#[derive(Debug)]
struct Registration {
    id: String,
    /// `None` when it brought no hooks.
    source: Option<Source>,
    hooks: Vec<Arc<Hook>>,
    diagnostics: Vec<Diagnostic>,
}

impl Live {
    /// Reads the settings once.
    pub(crate) fn new(mut options: Options, host: Option<Arc<dyn Host>>) -> Result<Self, Error> {
        let dialect = settings::known_dialect(&options.dialect)?;
        let discover = to_look_up(&options, dialect)?;
        let env = options.env.as_ref().map_or_else(Environment::inherited, Environment::new);
        for folder in [&mut options.home, &mut options.project_dir] {
            *folder = folder.take().map(|path| settings::named_folder(path, &env));
        }
        let text = |path: &std::path::PathBuf| path.to_string_lossy().into_owned();
        let surroundings = Surroundings {
            env: env.clone(),
            project_dir: options.project_dir.as_ref().map(text),
            home: options.home.as_ref().map(text),
            host: with_model(options.llm, &env, host)?,
            late_results: options.late_results.unwrap_or(true),
            workers: Workers::default(),
        };
        let mut ground = Ground::new(env, options.home, options.project_dir);
        ground.version = options.version.as_deref().map(|text| version(dialect, text)).transpose()?;
        let mut notes = Vec::new();
        let trust = Trust::new(
            options.trusted.unwrap_or(true),
            ground.project_dir.as_deref(),
            options.trust_store,
            &mut notes,
        );
        let tools = HostTools::new(&options.tools)?;
        notes.extend(unknown_tools(&tools, dialect));
        let fail_mode = if options.fail_closed { FailMode::Closed } else { FailMode::Open };
        let (settings, plugins) = (options.settings, options.plugins);
        let recipe = Recipe { dialect, discover, settings, plugins, ground, fail_mode };
        let gathered = settings::gather(&recipe)?;
        let mut state = State {
            recipe,
            trust,
            gathered,
            switches: Switches::default(),
            notes,
            base: HookSet::default(),
            registered: Vec::new(),
            registrations: 0,
        };
        state.rebuild(|_, _| {});
        let hooks = Arc::new(state.set());
        let snapshot = Snapshot {
            dialect,
            version: state.recipe.ground.version_of(dialect),
            planner: Arc::new(Planner::new(&hooks, dialect, fail_mode)),
            hooks,
            tools: Arc::new(tools),
            surroundings,
            fail_mode,
        };
        let news = snapshot.hooks.diagnostics.clone();
        Ok(Self {
            snapshot: RwLock::new(Arc::new(snapshot)),
            state: Mutex::new(state),
            news: Mutex::new(news),
        })
    }

    /// The set that holds now.
    pub(crate) fn snapshot(&self) -> Arc<Snapshot> {
        self.snapshot.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The outcome with what was noticed since the last one.
    pub(crate) fn with_news(&self, mut outcome: Outcome) -> Outcome {
        let news = std::mem::take(&mut *self.news.lock().unwrap_or_else(PoisonError::into_inner));
        if !news.is_empty() {
            outcome.diagnostics.splice(0..0, news);
        }
        outcome
    }

    /// Works on the state; changes of it become visible with [`Live::publish`] only.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes the state's set the one that holds, in one step. `news` goes into the next outcome.
    pub(crate) fn publish(&self, state: &State, news: Vec<Diagnostic>) {
        let hooks = Arc::new(state.set());
        let mut slot = self.snapshot.write().unwrap_or_else(PoisonError::into_inner);
        let planner = Arc::new(Planner::new(&hooks, slot.dialect, slot.fail_mode));
        let next = Snapshot { hooks, planner, ..Snapshot::clone(&slot) };
        let next = Arc::new(next);
        *slot = next.clone();
        drop(slot);
        next.surroundings.workers.keep_only(&next.hooks.hooks);
        self.news.lock().unwrap_or_else(PoisonError::into_inner).extend(news);
    }
}

impl State {
    /// Builds the set from the sources; `adjust` may change the scalars that were read from them.
    pub(crate) fn rebuild(&mut self, adjust: impl FnOnce(&mut Switches, &mut Vec<Diagnostic>)) {
        let Self { recipe, trust, gathered, .. } = self;
        let mut diagnostics = self.notes.clone();
        diagnostics.extend(gathered.broken.iter().map(settings::Broken::diagnostic));
        diagnostics.extend(gathered.diagnostics.iter().cloned());
        let mut switches =
            Switches::read(&gathered.sources, recipe.dialect, trust, &recipe.ground, &mut diagnostics);
        adjust(&mut switches, &mut diagnostics);
        let common = Common {
            main: recipe.dialect,
            switches: &switches,
            trust,
            ground: &recipe.ground,
            fail_mode: recipe.fail_mode,
        };
        let mut base = settings::load(&gathered.sources, common);
        base.diagnostics.splice(0..0, diagnostics);
        for one in &mut self.registered {
            if let Some(source) = &one.source {
                (one.hooks, one.diagnostics) = settings::load_registered(source, &one.id, common);
            }
        }
        self.base = base;
        self.switches = switches;
    }

    /// A set from other sources, to compare with; changes nothing.
    pub(crate) fn trial(&self, gathered: &Gathered) -> HookSet {
        let mut unsaid = Vec::new();
        let ground = &self.recipe.ground;
        let mut switches =
            Switches::read(&gathered.sources, self.recipe.dialect, &self.trust, ground, &mut unsaid);
        if self.recipe.dialect.settings.reload_keeps_switches {
            switches.keep(self.recipe.dialect, &self.switches);
        }
        settings::load(
            &gathered.sources,
            Common {
                main: self.recipe.dialect,
                switches: &switches,
                trust: &self.trust,
                ground,
                fail_mode: self.recipe.fail_mode,
            },
        )
    }

    /// The hooks of files, plugins and the host's own sources, without those registered since.
    pub(crate) fn base(&self) -> &HookSet {
        &self.base
    }

    /// All hooks in their order.
    pub(crate) fn set(&self) -> HookSet {
        let mut set = HookSet {
            hooks: self.base.hooks.clone(),
            diagnostics: self.base.diagnostics.clone(),
            merged: self.base.merged.clone(),
        };
        for one in &self.registered {
            set.hooks.extend(one.hooks.iter().cloned());
            set.diagnostics.extend(one.diagnostics.iter().cloned());
        }
        if !self.registered.is_empty() {
            // A stable sort: what is of one scope stays in the order in which it came.
            settings::sort_hooks(&mut set.hooks, self.recipe.dialect);
        }
        set
    }

    /// Adds a source under a new id, which starts with `kind`.
    pub(crate) fn register(&mut self, kind: &str, source: Source) -> (String, usize, Vec<Diagnostic>) {
        let id = self.next_id(kind);
        let common = Common {
            main: self.recipe.dialect,
            switches: &self.switches,
            trust: &self.trust,
            ground: &self.recipe.ground,
            fail_mode: self.recipe.fail_mode,
        };
        let (hooks, diagnostics) = settings::load_registered(&source, &id, common);
        let count = hooks.len();
        let news = diagnostics.clone();
        self.registered.push(Registration { id: id.clone(), source: Some(source), hooks, diagnostics });
        (id, count, news)
    }

    /// Adds one hook that no settings hold.
    pub(crate) fn register_hook(&mut self, id: &str, hook: Hook) {
        let hooks = vec![Arc::new(hook)];
        self.registered.push(Registration {
            id: id.to_owned(),
            source: None,
            hooks,
            diagnostics: Vec::new(),
        });
    }

    /// The id and the number of hooks of an equal skill that is open already, where skills last for the session.
    pub(crate) fn lasting(&self, source: &Source) -> Option<(String, usize)> {
        let lasts = |rule: &FrontmatterRule| rule.skills == Forked::OrNot;
        let rule = source.dialect.settings.frontmatter.as_ref();
        if source.scope != Scope::Skill || !rule.is_some_and(lasts) {
            return None;
        }
        let same = |other: &Source| {
            other.form == source.form
                && other.dialect == source.dialect
                && other.scope == source.scope
                && other.path == source.path
                && other.bound == source.bound
                && other.held == source.held
                && other.digest() == source.digest()
        };
        let known = self.registered.iter().find(|one| one.source.as_ref().is_some_and(same))?;
        Some((known.id.clone(), known.hooks.len()))
    }

    /// A new id for something registered.
    pub(crate) fn next_id(&mut self, kind: &str) -> String {
        self.registrations = self.registrations.saturating_add(1);
        format!("{kind}-{}", self.registrations)
    }

    /// Keeps what was noticed of something that brought no hooks, under its id.
    pub(crate) fn note(&mut self, id: &str, diagnostics: Vec<Diagnostic>) {
        self.registered.push(Registration {
            id: id.to_owned(),
            source: None,
            hooks: Vec::new(),
            diagnostics,
        });
    }

    /// Removes a registered source; `false` when there is none with this id.
    pub(crate) fn unregister(&mut self, id: &str) -> bool {
        let before = self.registered.len();
        self.registered.retain(|one| one.id != id);
        self.registered.len() < before
    }

    /// Removes the sources that are for this session alone.
    pub(crate) fn unregister_session(&mut self, session_id: &str) -> bool {
        let before = self.registered.len();
        let own =
            |bound: Option<&Bound>| bound.is_some_and(|it| it.session_id.as_deref() == Some(session_id));
        self.registered.retain(|one| {
            let of_source = own(one.source.as_ref().and_then(|source| source.bound.as_ref()));
            // A function of the host has no source.
            !of_source && !one.hooks.iter().any(|hook| own(hook.bound.as_ref()))
        });
        self.registered.len() < before
    }

    /// Every source whose hooks a grant would let run.
    pub(crate) fn waiting(&self) -> impl Iterator<Item = (&Source, settings::Grant)> {
        self.gathered.sources.iter().filter_map(|source| Some((source, self.trust.wants_grant(source)?)))
    }
}

/// The dialects whose own files are looked up.
fn to_look_up(options: &Options, main: &'static Dialect) -> Result<Vec<&'static Dialect>, Error> {
    if options.discover == Some(false) && !options.dialects.is_empty() {
        let text = "`discover` is false, but `dialects` names dialects whose files are to be looked up; leave one out";
        return Err(Error::new(ErrorKind::InvalidOptions, text));
    }
    let mut found = Vec::new();
    if options.discover.unwrap_or(options.settings.is_empty()) {
        found.push(main);
    }
    for name in &options.dialects {
        let dialect = settings::known_dialect(name)?;
        if !found.contains(&dialect) {
            found.push(dialect);
        }
    }
    Ok(found)
}

/// Names of the host's tools that nothing will match.
fn unknown_tools(tools: &HostTools, dialect: &'static Dialect) -> Vec<Diagnostic> {
    let note = |(own, name): (&str, &str)| {
        let hint = dialect.tool_called(name).map(|here| format!("; its name for that is `{here}`"));
        let text = format!(
            "the option `tools` calls the host's `{own}` `{name}`, which is no tool of {} that is known, and hooks see that \
             name{}",
            dialect.product,
            hint.unwrap_or_default()
        );
        Diagnostic::warning(Code::UnknownTool, text)
    };
    tools.unknown(dialect).into_iter().map(note).collect()
}

/// The version that the options name.
fn version(dialect: &'static Dialect, text: &str) -> Result<(&'static Dialect, Version), Error> {
    Version::parse(text).map(|version| (dialect, version)).ok_or_else(|| {
        let text =
            format!("`version` is \"{text}\", which is no version of {}; write 1.2.3", dialect.product);
        Error::new(ErrorKind::InvalidOptions, text)
    })
}

/// The host, with the model endpoint that the options name before it.
#[cfg(feature = "http")]
fn with_model(
    llm: Option<LlmOptions>,
    env: &Environment,
    host: Option<Arc<dyn Host>>,
) -> Result<Option<Arc<dyn Host>>, Error> {
    Ok(match llm {
        Some(options) => Some(Arc::new(ChatModel::new(options, env, host))),
        None => host,
    })
}

#[cfg(not(feature = "http"))]
fn with_model(
    llm: Option<LlmOptions>,
    _: &Environment,
    host: Option<Arc<dyn Host>>,
) -> Result<Option<Arc<dyn Host>>, Error> {
    match llm {
        None => Ok(host),
        Some(_) => {
            let text = "the option `llm` needs Crosshook's feature `http`, without which this was built";
            Err(Error::new(ErrorKind::InvalidOptions, text))
        }
    }
}

//! The commands.

use std::path::{Path, PathBuf};

use crate::{Code, Diagnostic, Engine, ErrorKind, Level, Options, Origin, PluginSource, SettingsContent};

use super::args::{Cli, Command, Sources};
use super::engine::engine;
use super::output::{Result, place, print, print_lines};
use super::{events, replay, table, trust};

pub(crate) fn run(cli: Cli) -> Result<u8> {
    match cli.command {
        Command::Dispatch { sources, record, pretty, event_file } => {
            dispatch(&engine(sources, Some(record))?, pretty, event_file)
        }
        Command::Explain { sources, json, event_file } => {
            let main = sources.dialect.clone();
            explain(&engine(sources, None)?, &main, json, event_file)
        }
        Command::Check { sources, json, strict } => check(sources, json, strict),
        Command::List { sources, json } => {
            let main = sources.dialect.clone();
            list(&engine(sources, None)?, &main, json)
        }
        Command::Replay { dialect, places, json, file } => {
            let sources = dialect.map(|dialect| Sources { dialect, places });
            let engine = sources.map(|sources| engine(sources, None)).transpose()?;
            replay::replay(engine.as_ref(), json, file)
        }
        Command::Trust { action } => trust::trust(action),
        Command::Schema { dialect } => schema(&dialect),
    }
}

fn dispatch(engine: &Engine, pretty: bool, file: Option<PathBuf>) -> Result<u8> {
    let mut count = 0_usize;
    for event in events::read(file)? {
        let outcome = engine.dispatch_blocking(event?)?;
        count += 1;
        let text = if pretty { serde_json::to_string_pretty(&outcome)? } else { outcome.to_json() };
        print(|out| writeln!(out, "{text}"))?;
    }
    if count == 0 {
        return Err("there is no event; give it as JSON on standard input or in a file".into());
    }
    Ok(0)
}

fn explain(engine: &Engine, main: &str, json: bool, file: Option<PathBuf>) -> Result<u8> {
    let mut count = 0_usize;
    for event in events::read(file)? {
        let explanations = engine.explain(event?)?;
        count += 1;
        if json {
            print_lines(&explanations)?;
            continue;
        }
        let rows = explanations.iter().map(|hook| {
            let runs = if hook.runs { "runs" } else { "does not run" };
            [runs, &hook.id, &in_dialect(&hook.label, hook.dialect, main), &hook.why].map(str::to_owned)
        });
        print(|out| table::write(out, ["", "HOOK", "WHAT", "WHY"], rows, "no hooks are configured"))?;
    }
    if count == 0 {
        return Err("there is no event; give it as JSON on standard input or in a file".into());
    }
    Ok(0)
}

fn check(sources: Sources, json: bool, strict: bool) -> Result<u8> {
    let scopes = sources.places.scopes()?;
    let (engine, mut diagnostics) = usable(sources.options()?);
    if let Some(engine) = engine {
        for scope in scopes {
            engine.open_scope(&scope)?;
        }
        diagnostics.extend(engine.diagnostics());
        diagnostics.extend(engine.lint());
    }
    if json {
        print_lines(&diagnostics)?;
    } else {
        print(|out| {
            for diagnostic in &diagnostics {
                let level = if diagnostic.level == Level::Error { "error" } else { "warning" };
                let place = diagnostic.origin.as_ref().map(place).unwrap_or_default();
                writeln!(out, "{level}[{}]: {place}{}", diagnostic.code.as_str(), diagnostic.message)?;
            }
            if diagnostics.is_empty() { writeln!(out, "nothing to complain about") } else { Ok(()) }
        })?;
    }
    let failed = diagnostics.iter().any(|diagnostic| strict || diagnostic.level == Level::Error);
    Ok(u8::from(failed))
}

/// An engine of the sources that can be read, and what is to be said of the others.
fn usable(mut options: Options) -> (Option<Engine>, Vec<Diagnostic>) {
    let mut findings = Vec::new();
    loop {
        // Without a named source left, the dialect's own files must not come in their place.
        options.discover.get_or_insert(options.settings.is_empty());
        let error = match Engine::new(options.clone()) {
            Ok(engine) => return (Some(engine), findings),
            Err(error) => error,
        };
        findings.push(unreadable(&error));
        let Some(path) = error.place().path.clone().map(PathBuf::from) else { return (None, findings) };
        let count = options.settings.len().saturating_add(options.plugins.len());
        options
            .settings
            .retain(|source| !matches!(&source.content, SettingsContent::File(file) if *file == path));
        let alone = |plugin: &PluginSource| {
            let mut alone = Options::new(options.dialect.clone());
            (alone.discover, alone.plugins) = (Some(false), vec![plugin.clone()]);
            Engine::new(alone).is_ok()
        };
        options.plugins.retain(|plugin| !leads_to(&plugin.path, &path) || alone(plugin));
        if options.settings.len().saturating_add(options.plugins.len()) == count {
            return (None, findings);
        }
    }
}

/// Whether a plugin's folder is, or holds, the file that is not usable.
fn leads_to(folder: &Path, path: &Path) -> bool {
    folder == path || folder.canonicalize().is_ok_and(|folder| path.starts_with(folder))
}

/// A source that cannot be read at all, in the form of the other findings.
fn unreadable(error: &crate::Error) -> Diagnostic {
    let place = error.place();
    let code = match error.kind() {
        ErrorKind::Io => Code::SettingsUnreadable,
        _ => Code::InvalidSettings,
    };
    let mut diagnostic = Diagnostic::error(code, error.message());
    diagnostic.origin = Some(Origin {
        path: place.path.clone(),
        pointer: place.pointer.clone(),
        line: place.line,
        ..Origin::default()
    });
    diagnostic
}

fn list(engine: &Engine, main: &str, json: bool) -> Result<u8> {
    let hooks = engine.list();
    if json {
        print_lines(&hooks)?;
        return Ok(0);
    }
    let rows = hooks.iter().map(|hook| {
        let state = hook.why_not.as_deref().unwrap_or("enabled");
        let mut notes = vec![format!("{} s", hook.timeout)];
        notes.extend(hook.background.then(|| "async".to_owned()));
        notes.extend(hook.once.then(|| "once".to_owned()));
        notes.extend(hook.worker.then(|| "worker".to_owned()));
        [
            hook.event.clone(),
            hook.matcher.clone().unwrap_or_else(|| "*".to_owned()),
            in_dialect(&format!("{}: {}", hook.kind, hook.label), hook.dialect, main),
            notes.join(", "),
            place(&hook.origin).trim_end_matches(": ").to_owned(),
            state.to_owned(),
        ]
    });
    let heads = ["EVENT", "MATCHER", "HOOK", "LIMITS", "FROM", "STATE"];
    print(|out| table::write(out, heads, rows, "no hooks are configured"))?;
    Ok(0)
}

/// What a hook does, with its dialect when that is not the host's.
fn in_dialect(what: &str, dialect: &str, main: &str) -> String {
    if dialect == main { what.to_owned() } else { format!("{what} ({dialect})") }
}

fn schema(dialect: &str) -> Result<u8> {
    let schema = crate::settings_schema(dialect)?;
    print(|out| out.write_all(schema.as_bytes()))?;
    Ok(0)
}

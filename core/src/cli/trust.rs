//! The command `trust`.

use super::args::{Sources, TrustAction};
use super::engine::engine;
use super::output::{Result, place, print, print_lines};
use super::table;
use crate::{Engine, Grant};

pub(super) fn trust(action: TrustAction) -> Result<u8> {
    match action {
        TrustAction::List { sources, json } => list(&untrusted(sources)?, json),
        TrustAction::Grant { sources, digest } => {
            untrusted(with_store(sources)?)?.grant(&digest)?;
            print(|out| writeln!(out, "granted {digest}"))?;
            Ok(0)
        }
        TrustAction::Revoke { sources, digest } => revoke(&untrusted(with_store(sources)?)?, &digest),
    }
}

/// Grants matter where nobody trusts the whole project.
fn untrusted(mut sources: Sources) -> Result<Engine> {
    sources.places.untrusted = true;
    engine(sources, None)
}

/// Without a store, a grant would end with this command.
fn with_store(sources: Sources) -> Result<Sources> {
    match sources.places.trust_store {
        Some(_) => Ok(sources),
        None => Err("name the file that keeps grants: --trust-store FILE".into()),
    }
}

fn revoke(engine: &Engine, digest: &str) -> Result<u8> {
    if !engine.grants().iter().any(|grant| grant.digest == digest) {
        return Err(format!(
            "there is no grant of {digest} for this project; `trust list` shows those there are"
        )
        .into());
    }
    engine.revoke(digest)?;
    print(|out| writeln!(out, "revoked {digest}"))?;
    Ok(0)
}

fn list(engine: &Engine, json: bool) -> Result<u8> {
    let (waiting, granted) = (engine.wanted_grants(), engine.grants());
    if json {
        print_lines(
            &waiting.iter().map(|wanted| Line { granted: false, grant: wanted }).collect::<Vec<_>>(),
        )?;
        print_lines(&granted.iter().map(|grant| Line { granted: true, grant }).collect::<Vec<_>>())?;
        return Ok(0);
    }
    let waiting = waiting.iter().map(|wanted| {
        let hooks = wanted.hooks.iter().map(|hook| format!("{}: {}", hook.event, hook.label));
        let from = place(&wanted.origin).trim_end_matches(": ").to_owned();
        ["waits".to_owned(), from, hooks.collect::<Vec<_>>().join("; "), wanted.grant.digest.clone()]
    });
    let granted = granted
        .into_iter()
        .map(|Grant { workspace, digest }| ["granted".to_owned(), workspace, String::new(), digest]);
    let heads = ["STATE", "FROM", "HOOKS", "DIGEST"];
    let nothing = "nothing waits for a grant, and nothing has one";
    print(|out| table::write(out, heads, waiting.chain(granted), nothing))?;
    Ok(0)
}

#[derive(serde::Serialize)]
struct Line<'a, T> {
    granted: bool,
    #[serde(flatten)]
    grant: &'a T,
}

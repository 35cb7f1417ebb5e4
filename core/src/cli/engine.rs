//! The engine that the arguments describe.

use super::args::{Record, Sources};
use super::output::Result;
use crate::Engine;

pub(super) fn engine(sources: Sources, record: Option<Record>) -> Result<Engine> {
    let (scopes, host) = (sources.places.scopes()?, sources.places.host()?);
    let mut options = sources.options()?;
    options.record = record.and_then(Record::options);
    let engine = match host {
        Some(host) => Engine::with_host(options, host)?,
        None => Engine::new(options)?,
    };
    for scope in scopes {
        engine.open_scope(&scope)?;
    }
    Ok(engine)
}

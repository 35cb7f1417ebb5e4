//! What takes nanoseconds, measured in batches.

use std::borrow::Cow;
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use crosshook::Engine;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::Figures;

/// The size of one batch. Its events are copied before the clock runs, so they should fit a processor's cache.
const BATCH: usize = 64;
const BATCH_BYTES: usize = 1 << 20;
const BATCHES: usize = 20;

/// The fields a planner looks at, as a usual host would read them.
#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow)]
    hook_event_name: Cow<'a, str>,
    #[serde(borrow, default)]
    tool_name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    tool_response: Option<&'a RawValue>,
    #[serde(borrow, default)]
    cwd: Option<Cow<'a, str>>,
}

pub fn quiet(engine: &Engine, n: usize, event: &[u8]) -> Figures {
    let outcome = engine.dispatch_blocking(event)?;
    if !outcome.hooks.is_empty() {
        return Err(format!("something matched: {}", outcome.to_json()).into());
    }
    batches(n, event, |event| {
        black_box(engine.dispatch_blocking(event)?);
        Ok(())
    })
}

pub fn parse(n: usize, event: &[u8]) -> Figures {
    batches(n, event, |event| {
        let read: Event<'_> = serde_json::from_slice(&event)?;
        let seen = (&read.hook_event_name, &read.tool_name, &read.tool_input, &read.tool_response, &read.cwd);
        black_box(seen);
        Ok(())
    })
}

/// The mean time of `work` in each of `n` samples. It gets an event of its own, as a host that has read one would have,
/// and drops it in its time.
fn batches(n: usize, event: &[u8], work: impl Fn(Vec<u8>) -> Result<(), Box<dyn Error>>) -> Figures {
    let size = (BATCH_BYTES / event.len()).clamp(1, BATCH);
    let mut figures = Vec::with_capacity(n);
    for _ in 0..n {
        let mut spent = 0;
        for _ in 0..BATCHES {
            let events = vec![event.to_vec(); size];
            let begun = Instant::now();
            for event in events {
                work(black_box(event))?;
            }
            spent += begun.elapsed().as_nanos();
        }
        figures.push(spent as f64 / (BATCHES * size) as f64);
    }
    Ok(figures)
}

/// The patterns of a file, one a line, as whole matches.
pub fn anchored(path: &str) -> Result<Vec<String>, Box<dyn Error>> {
    Ok(std::fs::read_to_string(path)?.lines().map(|pattern| format!("^(?:{pattern})$")).collect())
}

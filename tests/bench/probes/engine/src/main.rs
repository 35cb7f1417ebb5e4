//! The engine through its Rust interface, and what it is compared with in Rust.
//!
//! Reads lines of fields between tabs, answers each with figures in nanoseconds, or with `! what failed`:
//!
//! - `ballast <MB>`: touches that much memory and keeps it
//! - `dispatch <n> <options> <event> <status>`: one figure each; every hook must end with that status
//! - `quiet <n> <options> <event>`: dispatches that select nothing; n figures, each the mean of a batch
//! - `parse <n> <event>`: the event as `serde_json` structure with `RawValue`s; batches
//! - `make <n> <options>`: an engine from its options
//! - `regex <n> <patterns>`, `regress <n> <patterns>`: all patterns of a file, one a line, compiled
//! - `memory <1> <options> <event>`: the most memory one dispatch needs, the event itself included, in bytes of it
//!
//! With the argument `server` it is the HTTP hook instead: it prints its port.

mod loops;
mod memory;
mod server;

use std::collections::HashMap;
use std::error::Error;
use std::io::{BufRead, Write};
use std::time::Instant;

use crosshook::{Engine, Outcome, Status};

type Figures = Result<Vec<f64>, Box<dyn Error>>;

#[derive(Default)]
struct Probe {
    engines: HashMap<String, Engine>,
    ballast: Vec<Vec<u8>>,
}

impl Probe {
    fn answer(&mut self, line: &str) -> Figures {
        let fields: Vec<&str> = line.split('\t').collect();
        let [case, n, rest @ ..] = fields.as_slice() else { return Err("too few fields".into()) };
        let n: usize = n.parse()?;
        match (*case, rest) {
            ("ballast", []) => {
                self.ballast.push(vec![1; n << 20]);
                Ok(vec![0.0])
            }
            ("dispatch", [options, event, status]) => dispatch(self.engine(options)?, n, event, status),
            ("quiet", [options, event]) => loops::quiet(self.engine(options)?, n, &std::fs::read(event)?),
            ("parse", [event]) => loops::parse(n, &std::fs::read(event)?),
            ("make", [options]) => {
                let options = std::fs::read_to_string(options)?;
                each(n, || Engine::from_json(&options).map_err(Into::into))
            }
            ("regex", [patterns]) => {
                let patterns = loops::anchored(patterns)?;
                each(n, || {
                    patterns.iter().map(|one| Ok(regex::Regex::new(one)?)).collect::<Result<Vec<_>, _>>()
                })
            }
            ("regress", [patterns]) => {
                let patterns = loops::anchored(patterns)?;
                each(n, || {
                    patterns.iter().map(|one| Ok(regress::Regex::new(one)?)).collect::<Result<Vec<_>, _>>()
                })
            }
            ("memory", [options, event]) => memory::most(self.engine(options)?, event),
            _ => Err(format!("no such case: {line}").into()),
        }
    }

    fn engine(&mut self, path: &str) -> Result<&Engine, Box<dyn Error>> {
        if !self.engines.contains_key(path) {
            self.engines.insert(path.to_owned(), Engine::from_json(&std::fs::read_to_string(path)?)?);
        }
        Ok(&self.engines[path])
    }
}

/// Times `n` runs of `work`, one by one; what it made is dropped outside the time.
fn each<T>(n: usize, mut work: impl FnMut() -> Result<T, Box<dyn Error>>) -> Figures {
    let mut figures = Vec::with_capacity(n);
    for _ in 0..n {
        let begun = Instant::now();
        let made = work()?;
        figures.push(begun.elapsed().as_nanos() as f64);
        drop(made);
    }
    Ok(figures)
}

fn dispatch(engine: &Engine, n: usize, event: &str, status: &str) -> Figures {
    let event = std::fs::read(event)?;
    let mut figures = Vec::with_capacity(n);
    for _ in 0..n {
        let event = event.clone();
        let begun = Instant::now();
        let outcome = engine.dispatch_blocking(event)?;
        figures.push(begun.elapsed().as_nanos() as f64);
        expect(&outcome, status)?;
    }
    Ok(figures)
}

/// A benchmark of hooks that failed would measure nothing.
fn expect(outcome: &Outcome, status: &str) -> Result<(), Box<dyn Error>> {
    let wanted = match status {
        "ok" => Status::Ok,
        "timeout" => Status::Timeout,
        _ => return Err(format!("no such status: {status}").into()),
    };
    if outcome.hooks.is_empty() || outcome.hooks.iter().any(|hook| hook.status != wanted) {
        return Err(format!("not every hook ended with {status}: {}", outcome.to_json()).into());
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    if std::env::args().nth(1).as_deref() == Some("server") {
        return server::run();
    }
    let mut probe = Probe::default();
    for line in std::io::stdin().lock().lines() {
        let answer = match probe.answer(&line?) {
            Ok(figures) => figures.iter().map(f64::to_string).collect::<Vec<_>>().join(" "),
            Err(error) => format!("! {error}").replace('\n', " "),
        };
        println!("{answer}");
        std::io::stdout().flush()?;
    }
    Ok(())
}

//! The fuzz targets of `tests/fuzz` without a fuzzer: every seed, then a few seconds of mutations, the same in every run.
//! `CROSSHOOK_FUZZ_SECONDS` is the time for each target (default 2); `tests/fuzz/long.sh` is the long run.

#![allow(
    unsafe_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking; the C entry points are called as C calls them"
)]

mod support;
#[path = "../../tests/fuzz/src/targets/mod.rs"]
mod targets;

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use targets::{TARGETS, Target};

/// A mutation is no longer than this; what a target does with it takes time that is linear in it.
const LONGEST: usize = 4_096;

fn folder() -> PathBuf {
    support::workspace().join("tests/fuzz")
}

/// The seeds of a target, in the order of their names.
fn seeds(target: &str) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder().join("seeds").join(target)).unwrap();
    let mut seeds: Vec<(String, Vec<u8>)> = entries
        .map(|entry| entry.unwrap())
        .map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap()))
        .collect();
    seeds.sort();
    seeds
}

/// The words of the dictionary: `"..."` with `\\`, `\"` and `\xNN`.
fn words() -> Vec<Vec<u8>> {
    let text = fs::read_to_string(folder().join("dictionary.txt")).unwrap();
    let word = |line: &str| {
        let inside = line.strip_prefix('"').unwrap().strip_suffix('"').unwrap().as_bytes();
        let (mut word, mut at) = (Vec::new(), 0);
        while at < inside.len() {
            let (byte, length) = match (inside[at], inside.get(at + 1)) {
                (b'\\', Some(b'x')) => {
                    let digits = std::str::from_utf8(&inside[at + 2..at + 4]).unwrap();
                    (u8::from_str_radix(digits, 16).unwrap(), 4)
                }
                (b'\\', Some(escaped)) => (*escaped, 2),
                (byte, _) => (byte, 1),
            };
            word.push(byte);
            at += length;
        }
        word
    };
    text.lines().filter(|line| line.starts_with('"')).map(word).collect()
}

/// A small generator of pseudo-random numbers (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }

    /// One to four changes of a seed.
    fn mutation(&mut self, seeds: &[(String, Vec<u8>)], words: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].1.clone();
        for _ in 0..=self.below(4) {
            let at = self.below(bytes.len() + 1);
            let until = (at + 1 + self.below(16)).min(bytes.len());
            match self.below(7) {
                0 if at < bytes.len() => bytes[at] = self.below(256) as u8,
                1 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                2 => drop(bytes.drain(at..until)),
                3 => bytes.splice(at..at, bytes[at..until].to_vec()).for_each(drop),
                4 => {
                    let other = &seeds[self.below(seeds.len())].1;
                    let from = self.below(other.len() + 1);
                    bytes.splice(at.., other[from..].iter().copied()).for_each(drop);
                }
                _ => {
                    let word = &words[self.below(words.len())];
                    let replaced = if self.below(2) == 0 { at..at } else { at..until };
                    bytes.splice(replaced, word.iter().copied()).for_each(drop);
                }
            }
        }
        // Most targets begin with a dialect: also one that has no seeds of its own gets its share.
        if let Some(first) = bytes.first_mut().filter(|first| **first < b' ')
            && self.below(2) == 0
        {
            *first = self.below(256) as u8;
        }
        bytes.truncate(LONGEST);
        bytes
    }
}

/// Runs a target; when it fails, the bytes are printed as a Rust byte string.
fn run(target: Target, name: &str, bytes: &[u8]) {
    if let Err(failure) = std::panic::catch_unwind(|| target(bytes)) {
        println!("target {name}, input b\"{}\"", bytes.escape_ascii());
        std::panic::resume_unwind(failure);
    }
}

#[test]
fn every_target_has_seeds_and_they_are_few() {
    let mut bytes = 0;
    for (name, _) in TARGETS {
        let seeds = seeds(name);
        assert!(seeds.len() >= 20, "{name} has {} seeds; run tests/fuzz/seeds.py", seeds.len());
        bytes += seeds.iter().map(|(_, seed)| seed.len()).sum::<usize>();
    }
    assert!(bytes <= 300_000, "{bytes} bytes of seeds");
}

/// For `tests/fuzz/seeds.py`.
#[test]
#[ignore = "prints what the seeds are made from"]
fn tables() {
    let tables: Vec<serde_json::Value> = crosshook::dialect_names()
        .into_iter()
        .map(|name| {
            let events: Vec<&str> = crosshook::testing::events(name).iter().map(|event| event.name).collect();
            let path = crosshook::testing::events_path(name);
            serde_json::json!({"name": name, "events": events, "events_path": path})
        })
        .collect();
    println!("\n{}", serde_json::Value::from(tables));
}

#[test]
fn seeds_and_their_mutations_keep_every_promise() {
    let seconds =
        std::env::var("CROSSHOOK_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2.0);
    let words = words();
    assert!(words.iter().any(|word| word == b"\x1e") && words.iter().any(|word| word == b"\"allow\""));
    std::thread::scope(|scope| {
        for (name, target) in TARGETS {
            let words = &words;
            scope.spawn(move || {
                let seeds = seeds(name);
                seeds.iter().for_each(|(_, bytes)| run(target, name, bytes));
                let (started, mut dice, mut runs) = (Instant::now(), Dice(0x00c0_ffee), 0_u64);
                while started.elapsed() < Duration::from_secs_f64(seconds) {
                    run(target, name, &dice.mutation(&seeds, words));
                    runs += 1;
                }
                println!("{name}: {} seeds, {runs} mutations", seeds.len());
            });
        }
    });
}

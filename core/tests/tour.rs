//! The tour of the examples prints what it does in every language.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::Command;

#[test]
fn the_tour_prints_the_same_lines_as_in_every_language() {
    // `cargo test` builds the examples beside its tests: <profile>/examples/tour, <profile>/deps/tour-<hash>.
    let test = std::env::current_exe().unwrap();
    let tour = test.ancestors().nth(2).unwrap().join("examples/tour");
    let output = Command::new(tour).output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), include_str!("../../tests/examples/tour.txt"));
    assert!(output.status.success());
}

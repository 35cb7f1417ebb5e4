//! `include/crosshook.h` is what cbindgen makes of `src/capi`. With `CROSSHOOK_BLESS=1` in the environment this test
//! writes the header instead of comparing it.

// Everything here is a test's own work: what goes wrong is to end it.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::{env, fs};

fn core() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files that export something, in the order in which `mod.rs` names them; that is the order of the header.
fn sources() -> Vec<PathBuf> {
    let folder = core().join("src/capi");
    let list = fs::read_to_string(folder.join("mod.rs")).unwrap();
    let files: Vec<_> = list
        .lines()
        .filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'))
        .map(|name| folder.join(name).with_extension("rs"))
        .collect();
    assert!(files.len() > 5, "mod.rs names {files:?}");
    files
}

fn generate() -> String {
    let mut config = cbindgen::Config::from_file(core().join("cbindgen.toml")).unwrap();
    config.after_includes = config.after_includes.map(|text| {
        text.replace("@VERSION@", env!("CARGO_PKG_VERSION"))
            .replace("@MAJOR@", env!("CARGO_PKG_VERSION_MAJOR"))
            .replace("@MINOR@", env!("CARGO_PKG_VERSION_MINOR"))
            .replace("@PATCH@", env!("CARGO_PKG_VERSION_PATCH"))
    });
    let builder =
        sources().into_iter().fold(cbindgen::Builder::new().with_config(config), |b, f| b.with_src(f));
    let mut bytes = Vec::new();
    builder.generate().unwrap().write(&mut bytes);
    String::from_utf8(bytes).unwrap()
}

/// Every function that the sources export.
fn exported() -> Vec<String> {
    let text: String = sources().iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let exports = text.split("#[unsafe(no_mangle)]").skip(1);
    exports.map(|rest| rest.split_once("fn ").unwrap().1.split('(').next().unwrap().to_owned()).collect()
}

#[test]
fn the_header_is_up_to_date() {
    let path = core().join("../include/crosshook.h");
    let wanted = generate();
    if env::var_os("CROSSHOOK_BLESS").is_some_and(|value| value == "1") {
        fs::write(&path, &wanted).unwrap();
    }
    let found = fs::read_to_string(&path).unwrap_or_default();
    let line = found.lines().zip(wanted.lines()).position(|(found, wanted)| found != wanted);
    assert!(
        found == wanted,
        "include/crosshook.h is out of date (first difference after line {line:?}); \
         run CROSSHOOK_BLESS=1 cargo test -p crosshook --test header"
    );
}

#[test]
fn the_header_declares_every_exported_function_with_a_comment() {
    let header = generate();
    let names = exported();
    assert!(names.len() > 15, "found only {names:?}");
    let lines: Vec<_> = header.lines().collect();
    for name in names {
        assert!(name.starts_with("crosshook_"), "{name} lacks the prefix");
        let call = format!("{name}(");
        let at = lines.iter().position(|line| line.contains(&call) && !line.starts_with(['/', ' ']));
        let at = at.unwrap_or_else(|| panic!("{name} is not declared"));
        assert!(lines[at - 1].ends_with("*/"), "{name} has no comment");
    }
}

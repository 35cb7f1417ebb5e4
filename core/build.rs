//! Link arguments of the C library; nothing else. They matter for the shared library alone, which is built with
//! `cargo rustc -p crosshook --lib --crate-type cdylib,staticlib --features capi`.

use std::env;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |key: &str, value: &str| env::var(key).is_ok_and(|found| found == value);
    if env::var_os("CARGO_FEATURE_CAPI").is_none() || !is("CARGO_CFG_TARGET_OS", "linux") {
        return;
    }
    // `rustc-cdylib-link-arg` would say it better, but for that cargo wants a cdylib in the manifest, where it would be
    // built with every test and every binding. So programs built with this feature (the tests) get the arguments too,
    // which does them no harm.
    println!("cargo::rustc-link-arg=-Wl,-soname,{}", soname());
    // The library's threads may run at any time, so dlclose() must not unmap their code.
    println!("cargo::rustc-link-arg=-Wl,-z,nodelete");
}

/// The name a host records when it links: it changes with every release that may break one. The same rule as
/// cargo-c's, so that both builds give the same name.
fn soname() -> String {
    let part = |name: &str| env::var(format!("CARGO_PKG_VERSION_{name}")).unwrap_or_default();
    match (part("MAJOR").as_str(), part("MINOR").as_str()) {
        ("0", "0") => format!("libcrosshook.so.0.0.{}", part("PATCH")),
        ("0", minor) => format!("libcrosshook.so.0.{minor}"),
        (major, _) => format!("libcrosshook.so.{major}"),
    }
}

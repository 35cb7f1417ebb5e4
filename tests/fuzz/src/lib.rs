//! The fuzz targets of Crosshook. `core/tests/fuzz_corpus.rs` runs the same functions with the stable toolchain.

pub mod targets;

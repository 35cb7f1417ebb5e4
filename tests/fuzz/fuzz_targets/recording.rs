#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| crosshook_fuzz::targets::recording::run(bytes));

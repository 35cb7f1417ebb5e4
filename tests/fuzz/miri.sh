#!/usr/bin/env bash
# The unit tests that Miri can run: those of the steps, and of the C boundary's own unsafe code. It knows no pidfd and no
# posix_spawn, so nothing that starts a process; and it is some hundred times slower, so no test of large inputs.
# Two tests of panics are left out: their payload is let go of on purpose, which counts as a leak.
# Needs `rustup component add miri rust-src --toolchain nightly`. Two minutes or so.
set -euo pipefail
cd "$(dirname "$0")/../.."
# The clock and the environment are the machine's.
export MIRIFLAGS="-Zmiri-disable-isolation ${MIRIFLAGS:-}"
cargo +nightly miri test -p crosshook --no-default-features --features capi,internals --lib -- \
    capi:: json:: event:: reply:: outcome:: plan:: terminal:: matcher::tests process::payload process::env settings::yaml settings::variables \
    --skip linear_time --skip nesting --skip ends_soon --skip too_large --skip deep --skip messages_repeat \
    --skip codex_has_lists --skip behind_log_lines --skip the_shell_sees --skip scan:: --skip aliases_are --skip what_is_no_mapping \
    --skip a_panic_becomes --skip a_panic_without "$@"

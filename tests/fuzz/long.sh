#!/usr/bin/env bash
# Every fuzz target in turn, one process at a time: tests/fuzz/long.sh [SECONDS per target, default 1080] [TARGET...]
# Seven targets of 1080 seconds are two hours and six minutes.
#
# Needs a nightly toolchain and cargo-fuzz (`cargo install cargo-fuzz --version 0.13.2 --locked`). Builds below
# CARGO_TARGET_DIR (default: target) in fuzz/; there too: corpus/TARGET (what was found), artifacts/TARGET (what failed),
# log/TARGET. With CROSSHOOK_FUZZ_BINARIES=FOLDER the programs in that folder are run and nothing is built. Ends with one line a target; exit status 1 when any failed.
set -euo pipefail
cd "$(dirname "$0")/../.."
seconds=${1:-1080}
shift || true
[ $# -gt 0 ] || set -- settings stdout matcher frontmatter event recording capi
out=$(mkdir -p "${CARGO_TARGET_DIR:-target}/fuzz" && cd "${CARGO_TARGET_DIR:-target}/fuzz" && pwd)
failed=0
mkdir -p "$out/log"

# fuzzer TARGET CORPUS SEEDS OPTION...
fuzzer() {
    local target=$1 corpus=$2 seeds=$3
    shift 3
    if [ -n "${CROSSHOOK_FUZZ_BINARIES:-}" ]; then
        "$CROSSHOOK_FUZZ_BINARIES/$target" "$corpus" "$seeds" "$@"
    else
        cargo +nightly fuzz run --fuzz-dir tests/fuzz --target-dir "$out" "$target" "$corpus" "$seeds" -- "$@"
    fi
}

for target in "$@"; do
    mkdir -p "$out/corpus/$target" "$out/artifacts/$target"
    log=$out/log/$target
    echo "$(date -u +%H:%M:%S) $target: $seconds s"
    # 5 minutes for one input, 2 GiB: far beyond what any of them may take, also on a machine with other work.
    status=0
    fuzzer "$target" "$out/corpus/$target" "tests/fuzz/seeds/$target" \
        -max_total_time="$seconds" -max_len=4096 -timeout=300 -rss_limit_mb=2048 -print_final_stats=1 \
        -dict=tests/fuzz/dictionary.txt -artifact_prefix="$out/artifacts/$target/" >"$log" 2>&1 || status=$?
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
    cover=$(grep -o 'cov: [0-9]* ft: [0-9]*' "$log" | tail -n 1)
    echo "$(date -u +%H:%M:%S) $target: status $status, ${runs:-?} runs, ${cover:-no coverage}, $(ls "$out/corpus/$target" | wc -l) inputs"
    [ "$status" -eq 0 ] || failed=1
done
exit $failed

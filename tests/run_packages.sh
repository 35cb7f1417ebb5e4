#!/usr/bin/env bash
# The packages as users get them, in empty places: a wheel, which is built from the source package, with every CPython
# from 3.10 on that this machine has; the packages of an npm release, a bundle of a program that uses them, and other
# runtimes (Node 22 and 24, Bun, Deno, as far as npm has them for this machine). Looks at
# what they hold, export and need. (The C package is tested where it is built, in run_c.sh.) Linux.
#
# After run_python.sh and run_node.sh, whose builds it uses.
#
# usage: tests/run_packages.sh [--zig]     --zig: the wheel is built as for a release, for glibc 2.28
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
built=${CARGO_TARGET_DIR:-$root/target}
python=${PYTHON:-python3}
out=$root/target/packages
tools=$out/tools/bin
. tests/interpreters.sh

zig=()
glibc=2.36
if [ "${1:-}" = --zig ]; then zig=(--zig --compatibility manylinux_2_28) glibc=2.28; fi

empty=$(mktemp -d)
trap 'rm -rf "$empty"' EXIT

# step NAME: tells what is tested now, and how long everything before took.
step() { echo "packages: $1 (after $SECONDS s)"; }

set_up() {
    mkdir -p "$out"
    [ -x "$tools/pip" ] || "$python" -m venv "$out/tools"
    "$tools/pip" install --quiet --disable-pip-version-check "build>=1.2,<2" "maturin>=1.9,<2" "auditwheel>=6,<7" "abi3audit>=0.0.26,<0.1" \
        "mypy>=1.15,<3" ${zig:+"ziglang>=0.15,<1"}
    cp tests/packages/package.json tests/packages/package-lock.json tests/packages/.npmrc "$out/"
    npm ci --prefix "$out" --no-audit --no-fund --silent
}

# The source package holds all that its wheel needs: core, licences, and a Cargo.lock of its own with the committed
# versions, so that it builds with --locked; as pip does it, too.
build_wheel() {
    rm -rf "$out/source" "$out/wheel"
    mkdir -p "$out/source"
    PATH=$tools:$PATH "$tools/python" -m build --sdist --no-isolation --outdir "$empty/sdist" bindings-python
    # -m: with the times of the archive, cargo would take an older build for this one.
    tar -xmf "$empty"/sdist/crosshook-*.tar.gz -C "$out/source" --strip-components 1
    (cd "$out/source" && CARGO_TARGET_DIR=$built PATH=$tools:$PATH \
        maturin build --release --locked --out "$out/wheel" ${zig[@]+"${zig[@]}"})
    "$python" tests/packages/lock.py Cargo.lock "$out/source/Cargo.lock"
    wheel=$(ls "$out"/wheel/crosshook-*-cp310-abi3-*.whl)
    CARGO_TARGET_DIR=$built PATH=$tools:$PATH MATURIN_PEP517_ARGS=--locked "$tools/pip" install --quiet \
        --disable-pip-version-check --no-index --no-build-isolation --target "$empty/from-source" "$out/source"
    # To cargo the packed workspace and this one are the same: nor must a later build here take what was built there.
    touch "$out"/source/core/src/lib.rs "$out"/source/bindings-python/src/lib.rs
    (cd "$empty" && PYTHONPATH=$empty/from-source "$python" -c "import crosshook; print(crosshook.__version__)")
}

# only_exports FILE NAME...
only_exports() {
    local names
    names=$(nm -D --defined-only "$1" | awk '{print $NF}' | sort | tr '\n' ' ')
    [ "$names" = "$2" ] || { echo "$1 exports: $names, not: $2" >&2; return 1; }
}

audit_wheel() {
    "$tools/abi3audit" --strict "$wheel"
    "$tools/auditwheel" show "$wheel" | tee "$out/auditwheel"
    grep -q "manylinux_2_" "$out/auditwheel"
    "$python" -m zipfile -e "$wheel" "$empty/wheel"
    only_exports "$empty/wheel/crosshook/_native.abi3.so" "PyInit__native "
    .ci/glibc.sh "$glibc" "$empty/wheel/crosshook/_native.abi3.so"
}

# The quick tests of the package, with each interpreter; the folder holds the tests and nothing else.
use_wheel() {
    local one version venv
    mkdir -p "$empty/python"
    cp bindings-python/tests/{conftest,test_api,test_errors,test_command_line}.py bindings-python/pyproject.toml "$empty/python/"
    cp bindings-python/README.md "$empty/"
    for one in $(interpreters); do
        version=$("$one" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
        venv=$out/python-$version
        [ -x "$venv/bin/pip" ] || "$one" -m venv "$venv"
        "$venv/bin/pip" install --quiet --disable-pip-version-check "pytest>=8,<10"
        "$venv/bin/pip" install --quiet --disable-pip-version-check --no-index --force-reinstall "$wheel"
        echo "Python $version:"
        (cd "$empty/python" && "$venv/bin/python" -m pytest -q -p no:cacheprovider -c pyproject.toml .)
        # A user's program, with every warning an error, and isolated from the folder and the environment.
        (cd "$empty" && "$venv/bin/python" -I -W error "$root/bindings-python/examples/tour.py" | cmp - "$root/tests/examples/tour.txt")
    done
}

# What type checkers see of the installed package; with the last interpreter.
check_types() {
    local venv
    venv=$(ls -d "$out"/python-3.1? | sort -V | tail -n 1)
    "$tools/mypy" --strict --python-executable "$venv/bin/python" --cache-dir "$out/mypy" bindings-python/examples/tour.py
    "$tools/pip" install --quiet --disable-pip-version-check --no-index --force-reinstall "$wheel"
    (cd "$empty" && "$tools/stubtest" crosshook._native)
    mkdir -p "$empty/types"
    cp bindings-python/examples/tour.py bindings-python/tests/typed_use.py "$empty/types/"
    echo '{"typeCheckingMode": "strict"}' >"$empty/types/pyrightconfig.json"
    "$out/node_modules/.bin/pyright" --pythonpath "$venv/bin/python" --project "$empty/types"
}

# A release's packages, installed and bundled. (That npm picks the right one is tested in bindings-node/test.)
bundle() {
    local addon
    addon=$(ls bindings-node/crosshook.*.node)
    target=$(basename "$addon" .node)
    only_exports "$addon" "napi_register_module_v1 "
    node bindings-node/scripts/packages.mjs "$empty/npm" "$addon"
    mkdir -p "$empty/app/node_modules/@crosshook" "$empty/bundle"
    cp -r "$empty/npm/crosshook" "$empty/app/node_modules/crosshook"
    cp -r "$empty/npm/${target#crosshook.}" "$empty/app/node_modules/@crosshook/"
    cp tests/packages/app.mjs "$empty/app/"
    local format ending banner
    for format in cjs esm; do
        ending=${format/esm/mjs} banner=
        # An ES module has no `require` of its own; esbuild leaves it to the banner to bring one.
        [ $format = cjs ] || banner='import { createRequire } from "node:module"; const require = createRequire(import.meta.url);'
        "$out/node_modules/.bin/esbuild" "$empty/app/app.mjs" --bundle --platform=node --format="$format" --loader:.node=copy \
            --log-level=warning --banner:js="$banner" --outdir="$empty/bundle/$format" --out-extension:.js=".$ending"
    done
    # Only the bundles are left.
    rm -rf "$empty/app"
    for format in cjs/app.cjs esm/app.mjs; do
        [ "$(cd / && node "$empty/bundle/$format")" = "deny not today" ] || { echo "the bundle $format does not work" >&2; return 1; }
    done
}

# The release's packages in other runtimes than the Node of this machine, in an empty folder. What npm has no program of for
# this machine is left out, and said so.
runtimes() {
    local programs=$out/node_modules folder=$empty/runtimes program name script
    mkdir -p "$folder/node_modules/@crosshook"
    cp -r "$empty/npm/crosshook" "$folder/node_modules/crosshook"
    cp -r "$empty/npm/${target#crosshook.}" "$folder/node_modules/@crosshook/"
    cp tests/packages/runtime.mjs tests/packages/worker.mjs "$folder/"
    for program in node-22/bin/node node-24/bin/node @oven/bun-linux-x64/bin/bun @deno/linux-x64-glibc/deno; do
        name=$(basename "$program")
        [ -x "$programs/$program" ] || { echo "left out: $program is not there for this machine"; continue; }
        [ "$name" != deno ] || program="$program run --no-prompt --allow-ffi --allow-read --allow-env --node-modules-dir=manual"
        for script in runtime worker; do
            # Who does not end by himself is killed, which fails.
            # shellcheck disable=SC2086
            (cd "$folder" && timeout 60 "$programs"/$program "$script.mjs") >"$out/runtime" 2>&1 ||
                { cat "$out/runtime"; echo "$program does not run $script.mjs" >&2; return 1; }
            grep -qE "^(async, sync, text, function, function, sync, cancelled, errors, dialects|block 0)$" "$out/runtime" ||
                { cat "$out/runtime"; return 1; }
        done
        echo "${program%% *} ($("$programs/${program%% *}" --version | head -n 1)): holds"
    done
    [ ! -x "$programs/@oven/bun-linux-x64/bin/bun" ] || compiled
}

# One file for all: Bun embeds the native part.
compiled() {
    local name=$empty/compiled/app
    (cd "$folder" && "$programs/@oven/bun-linux-x64/bin/bun" build --compile --target=bun-linux-x64 runtime.mjs --outfile "$name") >"$out/runtime" 2>&1 ||
        { cat "$out/runtime"; return 1; }
    rm -rf "$folder"
    (cd "$empty/compiled" && timeout 60 ./app) | grep -q "^async, sync, " && echo "bun build --compile: holds"
}

# The crate as a registry would have it (cargo builds it from its archive), used by a program in an empty folder.
crate() {
    cargo package --locked --allow-dirty --package crosshook
    mkdir -p "$empty/crate/src"
    tar -xmf "$built"/package/crosshook-*.crate -C "$empty/crate"
    mv "$empty"/crate/crosshook-* "$empty/crate/crosshook"
    cp "$empty/crate/crosshook/Cargo.lock" "$empty/crate/"
    printf '%s\n' '[package]' 'name = "host"' 'edition = "2024"' '[dependencies]' 'crosshook = { path = "crosshook" }' '[workspace]' \
        >"$empty/crate/Cargo.toml"
    cat >"$empty/crate/src/main.rs" <<'END'
fn main() -> Result<(), crosshook::Error> {
    let settings = r#"{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "echo not today >&2; exit 2"}]}]}}"#;
    let engine = crosshook::Engine::new(crosshook::Options::new("qwen").settings_text(None, settings))?;
    let event = r#"{"hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "run_shell_command", "tool_input": {}}"#;
    let outcome = engine.dispatch_blocking(event)?;
    println!("{} {}", outcome.decision.as_str(), outcome.reason.unwrap_or_default());
    Ok(())
}
END
    [ "$(cd "$empty/crate" && CARGO_TARGET_DIR=$built cargo run --quiet --offline)" = "deny not today" ] ||
        { echo "a program with the packed crate does not work" >&2; return 1; }
}

parity() { "$(ls -d "$out"/python-3.1? | sort -V | tail -n 1)/bin/python" tests/parity/check.py; }

step "tools"
set_up
step "wheel, from the source package"
build_wheel
step "what the wheel needs and exports"
audit_wheel
step "the wheel with every CPython"
use_wheel
step "types"
check_types
step "npm packages in a bundle"
bundle
step "other runtimes"
runtimes
step "the crate"
crate
step "the same surface in every language"
parity
step "all hold"

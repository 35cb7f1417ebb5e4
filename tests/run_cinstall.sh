#!/bin/sh
# The library as packagers install it, with cargo-c: headers, libraries, pkg-config file, and programs in C and C++ that
# are built from these alone. cargo-c is built when it is not there, which takes some minutes; so this is no part of
# tests/run.sh, and a job of its own of .github/workflows/ci.yml.
set -eu
cd "$(dirname "$0")/.."
# The newest that Rust 1.95 builds.
cargo_c=0.10.24+cargo-0.98.0
target=${CARGO_TARGET_DIR:-target}
case $target in /*) ;; *) target=$PWD/$target ;; esac
out=$target/cinstall
CC=${CC:-cc} CXX=${CXX:-c++}
rm -rf "$out"
mkdir -p "$out/programs"

PATH=$target/tools/cargo-c/bin:$PATH
export PATH
cargo cinstall --version >/dev/null 2>&1 ||
    (cd "$out" && CARGO_TARGET_DIR=$target/tools/cargo-c/build cargo install cargo-c --version "$cargo_c" --locked --debug --root "$target/tools/cargo-c")

prefix=$out/prefix
cargo cinstall --locked -p crosshook --no-default-features --features http --target-dir "$target" --prefix "$prefix" --libdir "$prefix/lib"

for header in crosshook.h crosshook.hpp; do
    cmp "include/$header" "$prefix/include/$header"
    cargo package --locked --allow-dirty -p crosshook --list | grep -qx "assets/capi/include/$header"
done
# A host that was linked with one build finds the other.
soname=$(readelf -d "$prefix/lib/libcrosshook.so" | sed -n 's/.*soname: \[\(.*\)\].*/\1/p')
[ -e "$prefix/lib/$soname" ] || { echo "there is no $soname, the soname of the library" >&2; exit 1; }
readelf -d "$prefix/lib/libcrosshook.so" | grep -q 'FLAGS_1.*NODELETE' || { echo "it can be unloaded" >&2; exit 1; }
python3 tests/c/abi.py "$CC" "$prefix/lib/libcrosshook.so" "$out"
strangers=$(nm -D --defined-only "$prefix/lib/libcrosshook.so" | awk '{print $NF}' | grep -v '^crosshook_[a-z0-9_]*$' || true)
[ -z "$strangers" ] || { echo "also exported: $strangers" >&2; exit 1; }

PKG_CONFIG_PATH=$prefix/lib/pkgconfig
export PKG_CONFIG_PATH
version=$(sed -n 's/^#define CROSSHOOK_VERSION "\(.*\)"/\1/p' include/crosshook.h)
[ "$(pkg-config --modversion crosshook)" = "$version" ] || { echo "crosshook.pc is not of $version" >&2; exit 1; }
cp tests/c/example.c "$out/programs/"
cat >"$out/programs/example.cpp" <<'CPP'
#include <crosshook.hpp>
#include <iostream>
int main() {
    crosshook::Engine engine(R"({"dialect": "claude", "settings": {"hooks": {"PreToolUse": [{"hooks": [
        {"type": "command", "command": "echo not today >&2; exit 2"}]}]}}})");
    std::cout << engine.dispatch(R"({"hook_event_name": "PreToolUse", "cwd": "/", "tool_name": "Bash", "tool_input": {}})") << "\n";
}
CPP
cd "$out/programs"
$CC -std=c11 -o shared example.c $(pkg-config --cflags --libs crosshook)
$CC -std=c11 -o static example.c $(pkg-config --cflags crosshook) "$prefix/lib/libcrosshook.a" $(pkg-config --static --libs-only-l crosshook | sed 's/-lcrosshook//')
$CXX -std=c++17 -o cpp example.cpp $(pkg-config --cflags --libs crosshook)
LD_LIBRARY_PATH=$prefix/lib ./shared >said
grep -qx 'denied: pushing is for people' said
./static >said
grep -qx 'denied: pushing is for people' said
LD_LIBRARY_PATH=$prefix/lib ./cpp >said
grep -q '"decision":"deny","reason":"not today"' said
echo "cargo cinstall: both headers, both libraries as $soname, crosshook.pc; three programs of them deny"

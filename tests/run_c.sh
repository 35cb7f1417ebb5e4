#!/bin/sh
# Builds the C library and runs everything that tests it: its unit tests, the header, the exported symbols, the record of
# the binary interface, the C and C++ hosts with the shared library, the same hosts with the static library under
# AddressSanitizer, LeakSanitizer and UBSan, and a host that calls the C library from Python's ctypes.
#
# Needs Rust, Python 3 and gcc or clang with their C++ compilers and sanitizers, and cmake or pip to get it; Linux. Ends with "N passed, N failed"
# and exit status 0 when nothing failed.
#
#   CC, CXX            the compilers (default cc, c++)
#   CARGO_TARGET_DIR   where cargo builds (default: target); the hosts go to its folder c-tests
#   VECTOR_JOBS        host processes at a time (default 4)
#   CROSSHOOK_BLESS=1  writes the header and the record of the binary interface anew
set -u

root=$(cd "$(dirname "$0")/.." && pwd) || exit 1
cd "$root" || exit 1
CC=${CC:-cc}
CXX=${CXX:-c++}
target=${CARGO_TARGET_DIR:-$root/target}
out=$target/c-tests
warnings="-Wall -Wextra -Werror -pedantic"
sanitize="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer"
passed=0
failed=0

# count NAME PASSED FAILED
count() {
    passed=$((passed + $2))
    failed=$((failed + $3))
    echo "$1: $2 passed, $3 failed"
}

# check NAME COMMAND...: one test that passes when the command succeeds; its output is shown when it fails.
check() {
    name=$1
    shift
    if "$@" >"$out/log" 2>&1; then count "$name" 1 0; else
        cat "$out/log"
        count "$name" 0 1
    fi
}

# suite NAME COMMAND...: a command that prints "N passed, N failed" itself.
suite() {
    name=$1
    shift
    "$@" >"$out/log" 2>&1
    status=$?
    # What an unfinished or crashed suite printed does not count.
    set -- $(sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed.*/\1 \2/p' "$out/log" | tail -n 1)
    grep '^left out: ' "$out/log" >"$out/left-out"
    grep -v '^left out: ' "$out/log" | sed '/^[0-9]* passed, [0-9]* failed/d'
    if [ $# -ne 2 ] || { [ "$status" -ne 0 ] && [ "$2" -eq 0 ]; }; then
        echo "$name: ended with status $status"
        count "$name" 0 1
    else
        count "$name" "$1" "$2"
    fi
}

# The panic guard, the callbacks and the statuses; and whether the header is up to date.
unit_tests() {
    cargo test -p crosshook --features capi --target-dir "$target" --lib capi:: &&
        cargo test -p crosshook --features capi --target-dir "$target" --test header
}

build_library() {
    cargo rustc -p crosshook --release --lib --crate-type cdylib,staticlib --features capi,http --no-default-features \
        --target-dir "$target" || return 1
    # A host finds the shared library under the name that it recorded, the soname.
    soname=$(readelf -d "$target/release/libcrosshook.so" | sed -n 's/.*soname: \[\(.*\)\].*/\1/p')
    [ -n "$soname" ] || { echo "libcrosshook.so has no soname"; return 1; }
    mkdir -p "$out/lib" || return 1
    cp "$target/release/libcrosshook.so" "$out/lib/$soname" && ln -s "$soname" "$out/lib/libcrosshook.so"
}

only_our_symbols() {
    names=$(nm -D --defined-only "$out/lib/libcrosshook.so" | awk '{print $NF}') || return 1
    strangers=$(echo "$names" | grep -v '^crosshook_[a-z0-9_]*$')
    [ -z "$strangers" ] || { echo "also exported: $strangers"; return 1; }
    for symbol in $names; do
        grep -q "[ *]$symbol(" include/crosshook.h || { echo "not in the header: $symbol"; return 1; }
    done
    [ "$(echo "$names" | wc -l)" -gt 15 ] || { echo "exported only: $names"; return 1; }
}

abi_record() { python3 tests/c/abi.py "$CC" "$out/lib/libcrosshook.so" "$out" "$@"; }

# abi_change SED_SCRIPT WORDS: a record that differs so is noticed, and the advice holds the words.
abi_change() {
    sed "$1" tests/c/abi.txt >"$out/abi-changed.txt"
    if CROSSHOOK_BLESS= abi_record "$out/abi-changed.txt" >"$out/abi-advice"; then
        echo "nobody noticed"
        return 1
    fi
    grep -q "$2" "$out/abi-advice" || { cat "$out/abi-advice"; return 1; }
}

stays_loaded() { readelf -d "$out/lib/libcrosshook.so" | grep -q 'FLAGS_1.*NODELETE'; }

header_is_c() {
    echo '#include "crosshook.h"' >"$out/header.c"
    for standard in c99 c11 c17 c2x; do
        $CC -std=$standard $warnings -fsyntax-only -Iinclude "$out/header.c" || return 1
    done
}

header_is_cpp() {
    echo '#include "crosshook.h"' >"$out/header.cpp"
    for standard in c++11 c++14 c++17 c++20; do
        $CXX -std=$standard $warnings -fsyntax-only -Iinclude "$out/header.cpp" || return 1
    done
    echo '#include "crosshook.hpp"' >"$out/wrapper.cpp"
    for standard in c++17 c++20; do
        $CXX -std=$standard $warnings -fsyntax-only -Iinclude "$out/wrapper.cpp" || return 1
    done
}

# An installation in a place of its own, moved before it is used; and programs in a folder that holds nothing else.
install_library() {
    prefix=$out/prefix
    rm -rf "$prefix" "$out/prefix-before" "$out/programs"
    mkdir -p "$out/programs"
    sh include/install.sh "$target/release" "$out/prefix-before" && mv "$out/prefix-before" "$prefix" &&
        cp tests/c/example.c tests/c/ctypes_host.py "$out/programs/" &&
        source_of_cpp_example "$prefix/include/crosshook.hpp" >"$out/programs/example.cpp" &&
        cp tests/c/cmake/CMakeLists.txt "$out/programs/"
}

# Found by pkg-config, in C and C++.
installed() {
    flags=$(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs crosshook) || return 1
    (
        cd "$out/programs" && $CC -std=c11 $warnings -o in-c example.c $flags && $CXX -std=c++17 $warnings -o in-cpp example.cpp $flags &&
            LD_LIBRARY_PATH=$prefix/lib ./in-c >said && says_denied said &&
            LD_LIBRARY_PATH=$prefix/lib ./in-cpp >said && says_not_today said
    )
}

# configure FOLDER VERSION
configure() {
    cmake -S "$out/programs" -B "$1" -DWANTED="$2" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX"
}

# Found by CMake, with both libraries and in both languages.
installed_for_cmake() {
    configure "$out/cmake" "$(sed -n 's/^#define CROSSHOOK_VERSION "\(.*\)"/\1/p' include/crosshook.h)" &&
        cmake --build "$out/cmake" || return 1
    for library in crosshook static; do
        "$out/cmake/c-$library" >"$out/said" && says_denied "$out/said" &&
            "$out/cmake/cpp-$library" >"$out/said" && says_not_today "$out/said" || return 1
    done
}

# A version that is not there is refused, with the versions in the message.
cmake_refuses_a_newer_version() {
    if configure "$out/cmake-newer" 99 >"$out/newer" 2>&1; then
        echo "version 99 was found"
        return 1
    fi
    grep -q 'crosshook-config.cmake, version: [0-9]' "$out/newer" || { cat "$out/newer"; return 1; }
}

# In one further language, by the installed header and library alone.
installed_for_ctypes() { (cd "$out/programs" && python3 -I ctypes_host.py "$prefix/lib/libcrosshook.so" "$prefix/include/crosshook.h"); }

# Brings cmake along where the machine has none.
find_cmake() {
    command -v cmake >"$out/log" && return
    tools=$target/cmake
    [ -x "$tools/bin/cmake" ] || { python3 -m venv "$tools" &&
        "$tools/bin/pip" install --quiet --disable-pip-version-check "cmake>=3.25,<5"; } || return 1
    PATH=$tools/bin:$PATH
}

# build_hosts SUFFIX COMPILER_FLAGS LIBRARY...
build_hosts() {
    suffix=$1
    flags="$warnings -g -Iinclude -pthread $2"
    shift 2
    $CC -std=c11 $flags -o "$out/vectors-c-$suffix" tests/c/vectors.c "$@" &&
        $CXX -std=c++17 $flags -o "$out/vectors-cpp-$suffix" tests/c/vectors.cpp "$@" &&
        $CXX -std=c++17 $flags -o "$out/wrapper-$suffix" tests/c/wrapper.cpp "$@" &&
        $CC -std=c11 $flags -o "$out/api-$suffix" \
            tests/c/check.c tests/c/api.c tests/c/runs.c tests/c/host.c tests/c/life.c tests/c/hostile.c "$@"
}

# The examples: example.c, and the one in the comment of crosshook.hpp.
example_in_c() {
    $CC -std=c11 $warnings -Iinclude -o "$out/example" tests/c/example.c -L"$out/lib" -Wl,-rpath,"$out/lib" -lcrosshook &&
        "$out/example" >"$out/said" || return 1
    says_denied "$out/said"
}

says_denied() { [ "$(cat "$1")" = "$(printf 'a hook runs\ndenied: pushing is for people')" ] || { cat "$1"; return 1; }; }

says_not_today() { grep -q '"decision":"deny","reason":"not today"' "$1" || { cat "$1"; return 1; }; }

# source_of_cpp_example HEADER
source_of_cpp_example() {
    printf '#include "crosshook.hpp"\n#include <iostream>\nint main() {\n'
    sed -n 's|^//         ||p' "$1"
    echo '}'
}

example_in_cpp() {
    source_of_cpp_example include/crosshook.hpp >"$out/example.cpp"
    $CXX -std=c++17 $warnings -Iinclude -o "$out/example-cpp" "$out/example.cpp" -L"$out/lib" -Wl,-rpath,"$out/lib" \
        -lcrosshook && "$out/example-cpp" >"$out/said" || return 1
    says_not_today "$out/said"
}

# tour SUFFIX COMPILER_FLAGS LIBRARY...: the tour says what tour.txt says.
tour() {
    suffix=$1
    flags="$warnings -g -Iinclude -pthread $2"
    shift 2
    $CC -std=c11 $flags -o "$out/tour-$suffix" tests/examples/tour.c "$@" || return 1
    "$out/tour-$suffix" >"$out/said" || { cat "$out/said"; return 1; }
    diff tests/examples/tour.txt "$out/said"
}

# sees MISTAKE WORDS: the sanitizer ends the program that makes this mistake, and says so.
sees() {
    if "$out/api-sanitized" "$1" >"$out/mistake" 2>&1; then
        echo "nobody noticed"
        return 1
    fi
    grep -q "$2" "$out/mistake" || { cat "$out/mistake"; return 1; }
}

not_sanitized() { ! nm "$out/api-plain" | grep -q '__asan_init'; }

vectors() { python3 tests/c/run_vectors.py --jobs "${VECTOR_JOBS:-4}" "$@" tests/vectors/*.jsonl; }

finish() {
    echo "$passed passed, $failed failed"
    [ "$failed" -eq 0 ]
    exit
}

# Nothing of a former run may pass for this one's.
rm -rf "$out"
mkdir -p "$out" || exit 1
check "unit tests and header" unit_tests
check "library" build_library
[ -e "$out/lib/libcrosshook.so" ] || finish
check "exported symbols" only_our_symbols
check "ABI record" abi_record
check "ABI record, changed number" abi_change 's/ = 8600/ = 8601/' 'raise CROSSHOOK_ABI_VERSION'
check "ABI record, changed signature" abi_change '/crosshook_grant(/s/crosshook_str/uint64_t/' 'raise CROSSHOOK_ABI_VERSION'
check "ABI record, new function" abi_change '/crosshook_grant(/d' 'has grown: bless'
check "never unloaded" stays_loaded
check "header in C99 to C23" header_is_c
check "headers in C++11 to C++20" header_is_cpp
check "installation" install_library
if command -v pkg-config >"$out/log"; then
    check "pkg-config file, C and C++" installed
else
    echo "pkg-config file: left out, there is no pkg-config"
fi
check "cmake" find_cmake
check "CMake package file, C and C++, both libraries" installed_for_cmake
check "CMake package file, a version that is not there" cmake_refuses_a_newer_version
suite "installed files, ctypes" installed_for_ctypes
check "example in C" example_in_c
check "example in C++" example_in_cpp
check "tour, shared library" tour plain "-O2" -L"$out/lib" -Wl,-rpath,"$out/lib" -lcrosshook
check "hosts, shared library" build_hosts plain "-O2" -L"$out/lib" -Wl,-rpath,"$out/lib" -lcrosshook
check "hosts, static library, sanitizers" build_hosts sanitized "-O1 $sanitize" \
    "$target/release/libcrosshook.a" -lgcc_s -lutil -lrt -lpthread -lm -ldl
check "tour, static library, sanitizers" tour sanitized "-O1 $sanitize" \
    "$target/release/libcrosshook.a" -lgcc_s -lutil -lrt -lpthread -lm -ldl
{ [ -x "$out/api-plain" ] && [ -x "$out/api-sanitized" ]; } || finish
check "plain hosts have no sanitizer" not_sanitized
check "AddressSanitizer is on" sees use-after-free 'AddressSanitizer: heap-use-after-free'
check "UBSan is on" sees overflow 'signed integer overflow'
check "LeakSanitizer is on" sees leak 'LeakSanitizer: detected memory leaks'
suite "ctypes" python3 tests/c/ctypes_host.py "$out/lib/libcrosshook.so"
for suffix in plain sanitized; do
    suite "C API, $suffix" "$out/api-$suffix"
    suite "C++ wrapper, $suffix" "$out/wrapper-$suffix"
    suite "vectors, C, $suffix" vectors "$out/vectors-c-$suffix"
    suite "vectors, C++, $suffix" vectors "$out/vectors-cpp-$suffix"
    suite "vectors, C, non-blocking, $suffix" vectors --start "$out/vectors-c-$suffix"
    suite "vectors, C++, non-blocking, $suffix" vectors --start "$out/vectors-cpp-$suffix"
done
cat "$out/left-out"
finish

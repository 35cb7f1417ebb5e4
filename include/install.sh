#!/bin/sh
# Installs the C library: headers, the shared and the static library, files for pkg-config and CMake, the licences.
# The result can be moved: nothing in it names PREFIX.
#
# usage: include/install.sh LIBRARIES PREFIX
#   LIBRARIES   the folder in which cargo left them, for example target/release, after
#               cargo rustc -p crosshook --release --lib --crate-type cdylib,staticlib --no-default-features --features capi,http
set -eu
[ $# -eq 2 ] || { sed -n '5,7s/^# *//p' "$0" >&2; exit 2; }
libraries=$1
prefix=$2
here=$(cd "$(dirname "$0")" && pwd)
version=$(sed -n 's/^#define CROSSHOOK_VERSION "\(.*\)"/\1/p' "$here/crosshook.h")

mkdir -p "$prefix/include" "$prefix/lib/pkgconfig" "$prefix/lib/cmake/crosshook" "$prefix/share/licenses/crosshook"
cp "$here/crosshook.h" "$here/crosshook.hpp" "$prefix/include/"
cp "$here/../LICENSE-MIT" "$here/../LICENSE-APACHE" "$prefix/share/licenses/crosshook/"
# The folder of the file that pkg-config reads is two below the prefix.
sed -e 's|@PREFIX@|${pcfiledir}/../..|' -e "s|@VERSION@|$version|" "$here/crosshook.pc.in" >"$prefix/lib/pkgconfig/crosshook.pc"
for name in crosshook-config crosshook-config-version; do
    sed "s|@VERSION@|$version|" "$here/$name.cmake.in" >"$prefix/lib/cmake/crosshook/$name.cmake"
done

installed=0
if [ -e "$libraries/libcrosshook.so" ]; then
    # A host finds the shared library under the name that it recorded, the soname.
    soname=$(readelf -d "$libraries/libcrosshook.so" | sed -n 's/.*soname: \[\(.*\)\].*/\1/p')
    [ -n "$soname" ] || { echo "$libraries/libcrosshook.so has no soname" >&2; exit 1; }
    cp "$libraries/libcrosshook.so" "$prefix/lib/$soname"
    ln -sf "$soname" "$prefix/lib/libcrosshook.so"
    installed=1
fi
for name in libcrosshook.a libcrosshook.dylib crosshook.dll crosshook.dll.lib crosshook.lib; do
    [ -e "$libraries/$name" ] || continue
    cp "$libraries/$name" "$prefix/lib/"
    installed=1
done
# Hosts are to look for it beside themselves or on their rpath, not where cargo built it.
[ ! -e "$prefix/lib/libcrosshook.dylib" ] || install_name_tool -id @rpath/libcrosshook.dylib "$prefix/lib/libcrosshook.dylib"
[ "$installed" = 1 ] || { echo "$libraries: there is no library of crosshook" >&2; exit 1; }

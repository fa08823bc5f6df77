#!/usr/bin/env bash
# The library compiles for other C libraries and word sizes without a warning: musl and 32 bits, where they are here.
# ZO_LONG=1: clang and aarch64 too; it is built so, and an example prints what it prints here; with musl all methods ask and hear
# the same bytes (tests/same_machine.txt; for other processors see tests/cli/same_machine.sh).
# SPDX-License-Identifier: MIT
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/kernel" # Debian has these for 32 bits in a package that excludes cross compilers
ln -s "/usr/include/$(cc -print-multiarch)/asm" "$dir/kernel/"
flags=(-std=c11 -O0 -fsyntax-only -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes
    -Wmissing-prototypes -Wvla -Wno-format-truncation -Wno-psabi -Werror)
paths=(-I "$SOURCE/include" -I "$SOURCE/src")
find "$SOURCE/src" -name '*.c' ! -name '*_v[0-9].c' >"$dir/files"
tried=0 bad=0
example() { # COMPILER FLAGS...: examples/03, which has no function of libm, with the library built so, and what it prints
    local built=$dir/built
    rm -rf "$built"
    PKG_CONFIG_LIBDIR=/none cmake -G Ninja -S "$SOURCE" -B "$built" -DCMAKE_BUILD_TYPE=Release -DZO_COMMAND=OFF -DZO_MPI=OFF \
        -DCMAKE_C_COMPILER="$1" "${system[@]}" -DCMAKE_C_FLAGS="${*:2} -idirafter $dir/kernel" >&2 &&
        cmake --build "$built" --target zoprox_inside >&2 &&
        "$@" -std=c11 "${paths[@]}" "$SOURCE"/examples/03_*.c "$built"/lib/libzoprox_inside.a -o "$dir/example" -lm -lpthread -ldl >&2 &&
        "${under[@]}" "$dir/example"
}
system=() under=()
try() { # NAME FURTHER-FLAG COMMAND...
    local name=$1 more=$2
    shift 2
    printf 'int main(void) { return 0; }\n' >"$dir/probe.c"
    "$@" "$dir/probe.c" -o "$dir/probe" 2>/dev/null || { echo "$name: no compiler here"; return 0; }
    tried=1
    xargs -P 2 -n 24 "$@" "${flags[@]}" "${paths[@]}" "$more" <"$dir/files" >"$dir/log" 2>&1 || { head -n 20 "$dir/log"; echo "portable: $name"; bad=1; }
    [ "${ZO_LONG:-0}" = 1 ] || return 0
    example "$@" >"$dir/there" 2>"$dir/log" || { tail -n 20 "$dir/log"; echo "portable: $name does not run"; bad=1; }
    diff "$dir/here" "$dir/there" || { echo "portable: $name prints something else"; bad=1; }
}
[ "${ZO_LONG:-0}" != 1 ] || example cc >"$dir/here" 2>"$dir/log" || { tail -n 20 "$dir/log"; echo "portable: the example"; exit 1; }
try musl -Wconversion musl-gcc -static
if [ "${ZO_LONG:-0}" = 1 ] && [ -e "$dir/there" ]; then # what is built is musl's still
    musl-gcc -static -std=c11 "${paths[@]}" -I "$SOURCE/tests/support" "$SOURCE/tests/support/trajectories.c" "$dir/built/lib/libzoprox_inside.a" \
        -o "$dir/trajectories" -lm -lpthread -ldl && "$dir/trajectories" | diff - "$SOURCE/tests/same_machine.txt" || { echo "portable: musl has other bytes"; bad=1; }
fi
paths+=(-idirafter "$dir/kernel")
try "32 bits" -Wno-conversion cc -m32 -msse2 -mfpmath=sse # sizes are 32 bits there, and numbers of rows are not
paths=(-I "$SOURCE/include" -I "$SOURCE/src")
[ "${ZO_LONG:-0}" != 1 ] || try clang -Wno-missing-field-initializers clang -Wno-unknown-warning-option # gcc's
if [ "${ZO_LONG:-0}" = 1 ] && command -v qemu-aarch64-static >/dev/null; then
    system=(-DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64) under=(qemu-aarch64-static)
    try aarch64 -Wconversion aarch64-linux-gnu-gcc -static
fi
[ "$tried" = 1 ] || { echo "skipped: no clang, musl-gcc, aarch64-linux-gnu-gcc with qemu-aarch64-static, nor 32-bit libraries (Debian: clang, musl-tools, gcc-aarch64-linux-gnu, qemu-user-static, libc6-dev-i386, lib32gcc-12-dev)"; exit 77; }
exit $bad

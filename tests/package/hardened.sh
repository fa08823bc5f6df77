#!/usr/bin/env bash
# What is built loads libraries from folders named in full only, and has the protections of cmake/harden.cmake.
# SPDX-License-Identifier: MIT
set -euo pipefail
command -v readelf >/dev/null || { echo "skipped: no readelf (Debian: binutils)"; exit 77; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
bad=0
wrong() { echo "hardened: $*"; bad=1; }
kept() { grep -q "^$1:BOOL=ON" "$BUILD/CMakeCache.txt"; }
kept ZO_SANITIZE && kept=sanitized || kept=
kept ZO_TSAN && kept=sanitized

find "$BUILD/bin" "$BUILD/lib" "$BUILD/tests" -maxdepth 1 -type f \( -perm -u+x -o -name '*.so*' \) | sort >"$dir/files"
[ -s "$dir/files" ] || { echo "hardened: nothing in $BUILD"; exit 1; }
while read -r file; do
    name=${file#"$BUILD/"}
    readelf -hldW "$file" >"$dir/elf" 2>/dev/null || continue
    grep -q '^ *Type: ' "$dir/elf" || continue

    # An empty element of the path, or one that is not absolute, is the folder where the program is started.
    path=$(sed -nE 's/.*Library (runpath|rpath): \[(.*)\]$/\2/p' "$dir/elf")
    if grep -qE 'Library (runpath|rpath)' "$dir/elf"; then
        case ":$path:" in *::*) wrong "$name: an empty folder in its run path '$path'" ;; esac
        tr ':' '\n' <<<"$path" | grep -vE '^(/|\$ORIGIN(/|$)|$)' >"$dir/relative" && wrong "$name: a relative folder in '$path'"
    fi

    grep -q ' GNU_RELRO ' "$dir/elf" || wrong "$name: no RELRO"
    grep -qE '\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW|\(BIND_NOW\)' "$dir/elf" || wrong "$name: addresses are bound late"
    grep -q ' Type: *DYN' "$dir/elf" || wrong "$name: not position independent"
    grep -E ' GNU_STACK ' "$dir/elf" | grep -q 'RWE' && wrong "$name: the stack may be executed"
done <"$dir/files"

# Stack protector and checked library calls show as what is called.
for name in bin/zoprox lib/libzoprox.so; do
    [ -z "$kept" ] || break
    readelf --dyn-syms -W "$BUILD/$name" | awk '{print $8}' >"$dir/symbols"
    grep -q '^__stack_chk_fail' "$dir/symbols" || wrong "$name: no stack protector"
    if grep -q '^CMAKE_BUILD_TYPE:STRING=Debug' "$BUILD/CMakeCache.txt"; then continue; fi
    grep -qE '^__[a-z]*(printf|cpy|read|move|set)_chk' "$dir/symbols" || wrong "$name: no checked library calls"
done

# The proof of the first: a library in the folder where the command is started is not touched.
cd "$dir"
cat >trap.c <<'C'
#include <unistd.h>
__attribute__((constructor)) static void sprung(void) { _exit(write(1, "sprung\n", 7) == 7 ? 66 : 67); }
C
cc -shared -fPIC trap.c -o trap.so
for name in bin/zoprox lib/libzoprox.so; do
    readelf -d "$BUILD/$name" | sed -nE 's/.*NEEDED.*\[(.*)\]$/\1/p' | while read -r needed; do cp trap.so "$needed"; done
done
rm -f libc.so.6 ld-linux* libm.so.6
env -u LD_LIBRARY_PATH "$BUILD/bin/zoprox" methods >out 2>&1 || { head -n 3 out; wrong "zoprox methods in a folder with strange libraries"; }
grep -q sprung out && wrong "a library of the current folder was run"
exit $bad

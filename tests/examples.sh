#!/usr/bin/env bash
# Every example builds with warnings as errors, runs, and says what it should.
# SPDX-License-Identifier: MIT
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
flags=(-std=c11 -O1 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -I "$SOURCE/include")
if grep -q '^ZO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt"; then flags+=("-fsanitize=address,undefined"); fi
for source in "$SOURCE"/examples/*.c; do
    name=$(basename "$source" .c)
    cc "${flags[@]}" "$source" -o "$name" -L "$BUILD/lib" -Wl,-rpath,"$BUILD/lib" -lzoprox -lm
    ./"$name" >"$name.out" || { echo "examples: $name failed"; exit 1; }
done
bash "$SOURCE/tests/support/examples.check" "$dir"

#!/usr/bin/env bash
# cmake --install gives a tree on which the examples build both by pkg-config and by find_package, and which
# exports nothing but what the headers declare.
# SPDX-License-Identifier: MIT
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
wrong() { echo "install: $*"; exit 1; }

cmake --install "$BUILD" --prefix "$dir/usr" >"$dir/log" 2>&1 || { cat "$dir/log"; wrong "cmake --install failed"; }
mv "$dir/usr" "$dir/moved" # nothing in the tree may know where it was put
cd "$dir/moved"
find . -type f -o -type l | sort >"$dir/files"
for wanted in '/bin/zoprox$' '/include/zoprox.h$' '/libzoprox.so$' '/pkgconfig/zoprox.pc$' \
    '/cmake/zoprox/zoproxConfig.cmake$' '/cmake/zoprox/zoproxConfigVersion.cmake$' '/man1/zoprox.1$' '/completions/zoprox$'; do
    grep -q "$wanted" "$dir/files" || { cat "$dir/files"; wrong "no file like $wanted"; }
done

# The version is the same everywhere.
version=$(sed -n 's/^#define ZO_VERSION "\(.*\)"/\1/p' include/zoprox.h)
lib=$(dirname "$(find "$dir/moved" -name 'libzoprox.so')")
export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib
[ "$(pkg-config --modversion zoprox)" = "$version" ] || wrong "zoprox.pc has another version than zoprox.h"
bin/zoprox --version | grep -qF "$version" || wrong "bin/zoprox has another version than zoprox.h"

# What is exported is what the headers declare, no more and no less.
nm -D --defined-only "$lib/libzoprox.so" | awk '{sub(/@.*/, "", $3); print $3}' | sort >"$dir/exported"
sed 's@/\*.*\*/@@' include/*.h | tr '\n' ' ' | grep -oE 'ZO_API [^;{]*\(' | grep -oE 'zo_[a-z0-9_]+ ?\(' |
    tr -d ' (' | sort -u >"$dir/declared"
sanitize=()
if grep -q '^ZO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt"; then
    sanitize=("-fsanitize=address,undefined")
    sed -i '/^_*asan/d; /^_*ubsan/d; /^__odr/d' "$dir/exported"
fi
diff "$dir/declared" "$dir/exported" >"$dir/diff" || { cat "$dir/diff"; wrong "declared (<) and exported (>) differ"; }

# The headers stand alone, also in C++ where there is a compiler for it.
for header in include/*.h; do
    header=$(basename "$header")
    printf '#include <%s>\n' "$header" | cc -std=c11 -pedantic -Wall -Wextra -Werror -I include -x c -fsyntax-only - ||
        wrong "$header does not stand alone"
    if command -v c++ >/dev/null; then
        printf '#include <%s>\n' "$header" | c++ -std=c++11 -Wall -Wextra -Werror -I include -x c++ -fsyntax-only - ||
            wrong "$header does not stand alone in C++"
    fi
done

mkdir "$dir/pc"
cd "$dir/pc"
for source in "$SOURCE"/examples/*.c; do
    name=$(basename "$source" .c)
    # shellcheck disable=SC2046
    cc -std=c11 "${sanitize[@]}" "$source" -o "$name" $(pkg-config --cflags --libs zoprox) -lm
    ./"$name" >"$name.out" || wrong "$name, built by pkg-config, failed"
done
bash "$SOURCE/tests/examples.check" "$dir/pc"

cp -r "$SOURCE/examples" "$dir/examples"
{
    cmake -G Ninja -S "$dir/examples" -B "$dir/cm" -DCMAKE_PREFIX_PATH="$dir/moved" -DCMAKE_C_FLAGS="${sanitize[*]}" &&
        cmake --build "$dir/cm"
} >"$dir/log" 2>&1 || { cat "$dir/log"; wrong "find_package(zoprox) failed"; }
cd "$dir/cm"
for source in "$SOURCE"/examples/*.c; do
    name=$(basename "$source" .c)
    ./"$name" >"$name.out" || wrong "$name, built by find_package, failed"
done
bash "$SOURCE/tests/examples.check" "$dir/cm"

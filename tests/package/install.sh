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

# Every page that was installed finds what it points to.
find . -name '*.md' -path '*/doc/*' | while read -r page; do
    grep -oE '\]\([^)#]+' "$page" | sed 's/^](//' | grep -vE '^[a-z]+:' | while read -r link; do
        [ -e "$(dirname "$page")/$link" ] || echo "$page: $link"
    done || true # a page without links
done >"$dir/dangling"
[ ! -s "$dir/dangling" ] || { head -n 5 "$dir/dangling"; wrong "installed pages point to what is not installed"; }
find . -name '*.md' -path '*/doc/*' | grep -q README || wrong "no README was installed"

# The version is the same everywhere.
version=$(sed -n 's/^#define ZO_VERSION "\(.*\)"/\1/p' include/zoprox.h)
lib=$(dirname "$(find "$dir/moved" -name 'libzoprox.so')")
export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib
[ "$(pkg-config --modversion zoprox)" = "$version" ] || wrong "zoprox.pc has another version than zoprox.h"
bin/zoprox --version | grep -qF "$version" || wrong "bin/zoprox has another version than zoprox.h"

# What is exported is what the headers declare, no more and no less.
nm -D --defined-only "$lib/libzoprox.so" | awk '{sub(/@.*/, "", $3); print $3}' | sort >"$dir/exported"
declared_in() {
    sed 's@/\*.*\*/@@' "$@" | tr '\n' ' ' | grep -oE 'ZO_API [^;{]*\(' | grep -oE 'zo_[a-z0-9_]+ ?\(' | tr -d ' (' | sort -u
}
mpi=
[ ! -e include/zoprox_mpi.h ] || mpi=1 # declares what libzoprox_mpi has
declared_in $(ls include/*.h | grep -v zoprox_mpi.h) >"$dir/declared"
sanitize=()
if grep -q '^ZO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt"; then
    sanitize=("-fsanitize=address,undefined")
    sed -i '/^_*asan/d; /^_*ubsan/d; /^__odr/d' "$dir/exported"
fi
if grep -q '^__gcov_' "$dir/exported"; then # ./run coverage
    sanitize=(--coverage)
    sed -i '/^__gcov_/d; /^mangle_path$/d' "$dir/exported"
fi
diff "$dir/declared" "$dir/exported" >"$dir/diff" || { cat "$dir/diff"; wrong "declared (<) and exported (>) differ"; }

if [ -n "$mpi" ]; then
    nm -D --defined-only "$lib/libzoprox_mpi.so" | awk '{sub(/@.*/, "", $3); print $3}' | grep -vE '^_*(asan|ubsan|odr|gcov)|^mangle_path$' | sort >"$dir/exported"
    declared_in include/zoprox_mpi.h >"$dir/declared"
    diff "$dir/declared" "$dir/exported" >"$dir/diff" || { cat "$dir/diff"; wrong "MPI: declared (<) and exported (>) differ"; }
    [ -x bin/zoprox-mpi ] || wrong "no bin/zoprox-mpi"
    # shellcheck disable=SC2046
    cc -std=c11 -Wall -Wextra -Werror "$SOURCE/examples/mpi/ranks.c" -o "$dir/ranks" $(pkg-config --cflags --libs zoprox-mpi) -lm ||
        wrong "examples/mpi/ranks.c, built by pkg-config, failed"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    if ! grep -q '^ZO_SANITIZE:BOOL=ON' "$BUILD/CMakeCache.txt" && mpirun -np 1 true 2>/dev/null; then
        timeout 60 mpirun -np 1 "$dir/ranks" >"$dir/one" 2>/dev/null </dev/null || wrong "examples/mpi/ranks.c on one rank"
        timeout 60 mpirun -np 3 "$dir/ranks" >"$dir/three" 2>/dev/null </dev/null || wrong "examples/mpi/ranks.c on three ranks"
        cmp "$dir/one" "$dir/three" || wrong "examples/mpi/ranks.c: not the same on three ranks"
    fi
fi

# The headers stand alone, also in C++ where there is a compiler for it.
for header in include/*.h; do
    header=$(basename "$header") flags=
    [ "$header" != zoprox_mpi.h ] || flags=$(pkg-config --cflags zoprox-mpi)
    printf '#include <%s>\n' "$header" | cc -std=c11 -pedantic -Wall -Wextra -Werror -I include $flags -x c -fsyntax-only - ||
        wrong "$header does not stand alone"
    if command -v c++ >/dev/null && [ "$header" != zoprox_mpi.h ]; then # MPI's own header is not for every C++
        printf '#include <%s>\n' "$header" | c++ -std=c++11 -Wall -Wextra -Werror -I include -x c++ -fsyntax-only - ||
            wrong "$header does not stand alone in C++"
    fi
done

# The static library has the names of the headers and no others, and makes a program that needs no libzoprox.so.
if [ -e "$lib/libzoprox.a" ]; then
    nm -g --defined-only "$lib/libzoprox.a" | awk 'NF == 3 {print $3}' | sort >"$dir/exported"
    declared_in $(ls include/*.h | grep -v zoprox_mpi.h) >"$dir/declared"
    diff "$dir/declared" "$dir/exported" >"$dir/diff" || { cat "$dir/diff"; wrong "libzoprox.a: declared (<) and exported (>) differ"; }
    # shellcheck disable=SC2046
    cc -std=c11 "${sanitize[@]}" "$SOURCE"/examples/01_*.c -I include -o "$dir/alone" "$lib/libzoprox.a" $(pkg-config --static --libs-only-l zoprox | sed 's/-lzoprox//')
    env -u LD_LIBRARY_PATH "$dir/alone" >/dev/null || wrong "an example with libzoprox.a failed"
elif [ ${#sanitize[@]} = 0 ]; then
    wrong "no libzoprox.a"
fi

mkdir "$dir/pc"
cd "$dir/pc"
for source in "$SOURCE"/examples/*.c; do
    name=$(basename "$source" .c)
    # shellcheck disable=SC2046
    cc -std=c11 "${sanitize[@]}" "$source" -o "$name" $(pkg-config --cflags --libs zoprox) -lm
    ./"$name" >"$name.out" || wrong "$name, built by pkg-config, failed"
done
bash "$SOURCE/tests/support/examples.check" "$dir/pc"

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
bash "$SOURCE/tests/support/examples.check" "$dir/cm"

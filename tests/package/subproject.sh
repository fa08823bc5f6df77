#!/usr/bin/env bash
# zoprox as a part of another CMake project: the target has the name that find_package gives, the library alone is built,
# nothing of the other project is changed. ZO_LONG=1: it is built and run too.
# SPDX-License-Identifier: MIT
set -euo pipefail
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
wrong() { echo "subproject: $*"; exit 1; }
mkdir "$dir/theirs"
first=$(ls "$SOURCE"/examples/*.c | head -n 1)
cat >"$dir/theirs/CMakeLists.txt" <<CM
cmake_minimum_required(VERSION 3.16)
project(theirs C)
include(FetchContent)
if(FETCHED)
  FetchContent_Declare(zoprox SOURCE_DIR "$SOURCE")
  FetchContent_MakeAvailable(zoprox)
else()
  add_subdirectory("$SOURCE" zoprox)
endif()
add_executable(theirs "$first")
target_link_libraries(theirs PRIVATE zoprox::zoprox m)
add_executable(alone "$first")
target_link_libraries(alone PRIVATE zoprox::zoprox_static)
if(CMAKE_BUILD_TYPE OR BUILD_TESTING OR CMAKE_C_VISIBILITY_PRESET)
  message(FATAL_ERROR "zoprox changed the settings of the project around it")
endif()
CM
cmake -G Ninja -S "$dir/theirs" -B "$dir/build" >"$dir/log" 2>&1 || { tail -n 20 "$dir/log"; wrong "cmake failed"; }
plan=$dir/build/build.ninja
grep -q '^build theirs: ' "$plan" || wrong "their program is not built"
grep -m3 -E '^build [^:]*(test_base|bin/zoprox|bench)[^:]*: ' "$plan" && wrong "more than the library is built"
cmake -G Ninja -S "$dir/theirs" -B "$dir/fetched" -DFETCHED=ON >"$dir/log" 2>&1 || { tail -n 20 "$dir/log"; wrong "FetchContent failed"; }
grep -q '^build theirs: ' "$dir/fetched/build.ninja" || wrong "their program is not built by FetchContent"
[ "${ZO_LONG:-0}" = 1 ] || exit 0
cmake --build "$dir/build" >"$dir/log" 2>&1 || { tail -n 20 "$dir/log"; wrong "the build failed"; }
"$dir/build/theirs" >/dev/null || wrong "their program failed"
"$dir/build/alone" >/dev/null || wrong "their program with the static library failed"

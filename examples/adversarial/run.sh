#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Trains the victim, builds the attack, compares methods; table, traces and a picture go to OUT. run.sh [OUT [IMAGES [QUERIES]]]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
out=${1:-build/adversarial} images=${2:-100} queries=${3:-150000} lib=${BUILD:-$top/build/release}/lib
mkdir -p "$out"
[ -d /usr/share/datasets/fashion-mnist ] || { echo "Fashion-MNIST is not here (Debian: dataset-fashion-mnist)"; exit 77; }
# shellcheck disable=SC2086
[ -f "$out/victim.bin" ] || /usr/bin/python3 "$here/network.py" "$out/victim.bin" ${TRAIN:-}
cc -std=c11 -O3 -Wall -Wextra -Werror -I "$top/include" "$here/attack.c" -o "$out/attack" -L "$lib" -Wl,-rpath,"$lib" -lzoprox -lm
/usr/bin/python3 "$here/compare.py" "$out/attack" "$out/victim.bin" "$images" "$queries" "$out"
if [ -n "${DRAW-yes}" ]; then /usr/bin/python3 "$here/draw.py" "$out" "$out/victim.bin" "$out/adversarial.png"; fi

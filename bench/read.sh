# Reading covtype as plain text, against scikit-learn. Wanted: at least 15 times as fast on one thread.
# SPDX-License-Identifier: MIT
set -euo pipefail
python=/usr/bin/python3
"$python" -c 'import sklearn' 2>/dev/null || { echo "read: scikit-learn is not here (python3-sklearn)"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if file=$("$ZOPROX" data path covtype 2>/dev/null); then
    case $file in
    *.xz) xz -dc "$file" ;; *.bz2) bzip2 -dc "$file" ;; *.gz) gzip -dc "$file" ;; *.zst) zstd -dcq "$file" ;; *) cat "$file" ;;
    esac >"$work/covtype"
else
    echo "read: covtype is not here ('zoprox data fetch covtype'): rows of the same shape instead"
    awk 'BEGIN {srand(1); for (i = 0; i < 581012; i++) {printf "%d", i % 2 + 1; for (j = 1; j <= 10; j++) printf " %d:%.6g", j, rand();
        printf " %d:1 %d:1\n", 11 + i % 4, 15 + i % 40}}' >"$work/covtype"
fi
"$python" "$SOURCE/bench/read.py" "$BUILD/bench/read" "$work/covtype" "${ROUNDS:-5}"

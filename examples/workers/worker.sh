#!/bin/sh
# A black box in shell and awk that answers means: zoprox solve --command 'sh worker.sh' --n 200 --dim 20
# SPDX-License-Identifier: MIT
echo zoprox-means
while read -r kind id points ncomp; do
    read -r comp
    echo "$id"
    while [ "$points" -gt 0 ]; do
        read -r x
        echo "$x" | awk -v comp="$comp" '{
            n = split(comp, i)
            if (comp == "all") for (n = 0; n < 200; n++) i[n + 1] = n
            for (k = 1; k <= n; k++) {
                m = 0
                for (j = 1; j <= NF; j++) m += cos((i[k] + 1) * j) * $j
                sum += log(1 + exp(-m))
            }
            printf "%.17g\n", sum / n
        }'
        points=$((points - 1))
    done
done

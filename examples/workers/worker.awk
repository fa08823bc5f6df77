#!/usr/bin/awk -f
# A black box in awk that answers means: zoprox solve --command 'awk -f worker.awk' --n 200 --dim 20
# SPDX-License-Identifier: MIT
BEGIN { N = 200; D = 20; OFMT = "%.17g"; print "zoprox-means"; fflush() }

function f(i,    j, m) {
    for (j = 1; j <= D; j++) m += cos((i + 1) * j) * $j
    return log(1 + exp(-m))
}

$1 == "eval" {
    points = $3
    print $2
    getline
    all = $1 == "all"
    comps = all ? N : NF
    for (k = 1; k <= comps; k++) comp[k] = all ? k - 1 : $k
    for (p = 0; p < points; p++) {
        getline
        sum = 0
        for (k = 1; k <= comps; k++) sum += f(comp[k])
        print sum / comps
    }
    fflush()
}

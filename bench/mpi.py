"""Prints what ranks bring on covtype, and the cost model of docs/scale.md beside it: bench/mpi.py RUN.json ...

The model: a full-pass fan of q directions over z nonzeros on R ranks, on C cores, takes

    T = k q z s(R) max(1, R/C) + w q d + e(R, m)        seconds

    k     seconds for a nonzero and a direction on one core (from the run with one rank)
    s(R)  share of the rank that has most components (blocks of 128, borders rounded: about 1/R)
    w     seconds for a number of a direction, which every rank draws (measured apart; part of a step, not of the fan)
    e     seconds of an exchange of m = 6 + nodes (q + 1) numbers a rank: latency and bytes, measured

SPDX-License-Identifier: MIT
"""
import json
import math
import os
import statistics
import sys

BLOCK, BALANCE, Q = 128, 64, 16


def border(blocks, rank, ranks):
    grain = 1
    while 2 * grain * BALANCE * ranks <= blocks:
        grain *= 2
    return blocks if rank == ranks else (blocks * rank // ranks) // grain * grain


def largest_share(n, ranks):
    blocks = -(-n // BLOCK)
    edges = [border(blocks, r, ranks) for r in range(ranks + 1)]
    return max(b - a for a, b in zip(edges, edges[1:])) / blocks


def nodes(n, ranks):
    """The most nodes of the tree in one rank's run of blocks."""
    blocks, most = -(-n // BLOCK), 0
    top = 1 << max(blocks - 1, 1).bit_length()
    for r in range(ranks):
        a, b, count = border(blocks, r, ranks), border(blocks, r + 1, ranks), 0
        b = top if b == blocks else b
        while a < b:
            size = a & -a if a else top
            while size > b - a:
                size //= 2
            a, count = a + size, count + 1
        most = max(most, count)
    return most


def exchange(run, numbers):
    """Between the measured sizes, by straight lines."""
    size, took = run["numbers"], run["exchange"]
    for a, b, s, t in zip(size, size[1:], took, took[1:]):
        if numbers <= b:
            return s + (t - s) * (numbers - a) / (b - a)
    return took[-1] * numbers / size[-1]


def main():
    runs = [json.load(open(path)) for path in sys.argv[1:]]
    cores, one = os.cpu_count(), runs[0]
    rate = min(min(r["alone"]) for r in runs) / Q / one["nonzeros"]
    draw = min(r["draw"] for r in runs) / Q / one["d"]
    print(f"covtype, {Q} directions, {cores} cores; k {rate * 1e9:.3f} ns, w {draw * 1e9:.2f} ns")
    print("\n| ranks | data, MB a rank | fan alone, ms | on all ranks, ms | times one | predicted, ms | off by |")
    print("|---|---|---|---|---|---|---|")
    fine = True
    for run in runs:
        r, together, alone = run["ranks"], min(run["together"]), min(run["alone"])
        m = 6 + nodes(run["n"], r) * (Q + 1)
        predicted = rate * Q * run["nonzeros"] * largest_share(run["n"], r) * max(1, r / cores)
        predicted += exchange(run, m) if r > 1 else 0
        off = predicted / together - 1
        most, times = max(run["bytes"]), alone / together
        paired = statistics.median(a / b for a, b in zip(run["alone"], run["together"]))
        print(f"| {r} | {most / 1e6:.1f} ({most / max(one['bytes']):.2f}) | {alone * 1e3:.2f} | {together * 1e3:.2f} "
              f"| {times:.2f} (paired {paired:.2f}) | {predicted * 1e3:.2f} | {off:+.0%} |")
        fine &= run["same"] == 1 and abs(off) <= 0.3
        if r == 2 and cores >= 2:
            fine &= max(times, paired) >= 1.7 and most <= 0.55 * max(one["bytes"])
    print("\n| numbers a rank | " + " | ".join(f"{r['ranks']} ranks, us" for r in runs[1:]) + " |")
    print("|---|" + "---|" * len(runs[1:]))
    for k, numbers in enumerate(one["numbers"]):
        print(f"| {numbers:.0f} | " + " | ".join(f"{r['exchange'][k] * 1e6:.2f}" for r in runs[1:]) + " |")
    carry(rate, draw)
    print("\nbars: two ranks 1.7 times one, data at most 0.55, predictions within 30 %:", "met" if fine else "NOT MET")
    return 0 if fine else 1


def carry(rate, draw):
    """On paper: 1e10 components of 12 nonzeros in 1e6 dimensions, a core a rank, 2 us and 10 GB/s a hop (assumed)."""
    n, per_row, d, latency, byte = 10**10, 12, 10**6, 2e-6, 1e-10
    print("\n| ranks | data, GB a rank | full pass, s | its exchange, ms | directions, s | full pass over 1 rank | share lost |")
    print("|---|---|---|---|---|---|---|")
    first = None
    for r in (1, 16, 256, 1024, 4096, 16384):
        m = 8 * (6 + 14 * (Q + 1))
        work, own = rate * Q * n * per_row / r, draw * Q * d
        swap = math.log2(r) * latency + r * m * byte if r > 1 else 0
        total = work + own + swap
        first = first or total
        data = n * (per_row * 12 + 24) / r / 1e9
        print(f"| {r} | {data:.2f} | {work:.3f} | {swap * 1e3:.3f} | {own:.3f} | {first / total:.0f} | {1 - work / total:.0%} |")


if __name__ == "__main__":
    sys.exit(main())

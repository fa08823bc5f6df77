#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Tables and performance profiles from the lines of measure.py: report.py IN PICTURE.svg >TABLES.md"""
import json
import sys
from collections import defaultdict
from statistics import median

import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

GOALS = (1e-1, 1e-3, 1e-6)
OURS = ("auto", "saga", "psvrg")
HIDDEN = ("auto (sum hidden)", "fista (sum hidden)")
GENERAL = ("BOBYQA", "SBPLX", "COBYLA", "CRS2", "L-BFGS-B", "trust-constr", "Powell", "Nelder-Mead", "CMA-ES")
KNOWING = "POUNDERS"  # sees residuals, not only values of the sum
COLOURS = dict(zip((*OURS, *HIDDEN, *GENERAL, KNOWING),
                   ("#c1121f", "#f4a261", "#e9c46a", "#c1121f", "#f4a261", "#003049", "#669bbc", "#2a9d8f", "#999999",
                    "#5a189a", "#9d4edd", "#6a994e", "#a7c957", "#bc6c25", "#000000")))


def read(path):
    """case -> competitor -> line"""
    cases = defaultdict(dict)
    with open(path) as file:
        for line in map(json.loads, file):
            cases[line["d"], line["family"], line["l1"], line["noisy"]][line["name"]] = line
    return dict(sorted(cases.items()))


def title(case):
    d, family, l1, noisy = case
    return f"{family}, {d}{', l1' if l1 else ''}{', noisy' if noisy else ''}"


def units(line, goal):
    """To the goal, in n d queries; infinite: not reached."""
    got = line["reached"][goal] if line else None
    return np.inf if got is None else got / line["n"] / line["d"]


def show(value):
    return "-" if value is None or np.isinf(value) else f"{value:.3g}"


def best(lines, names, goal):
    return min(((units(lines.get(name), goal), name) for name in names), default=(np.inf, ""))


def by_components(cases):
    print("| problem, d | auto | saga | psvrg | POUNDERS | best general peer | ratio |\n|---|---|---|---|---|---|---|")
    for case, lines in cases.items():
        ours = [units(lines.get(name), 1) for name in OURS]
        peer, name = best(lines, GENERAL, 1)
        ratio = f"{peer / ours[0]:.3g}" if np.isfinite(peer) else f"> {budget(lines) / ours[0]:.3g}"
        if np.isinf(ours[0]):
            ratio = "missed"
        print(f"| {title(case)} | {' | '.join(map(show, ours))} | {show(units(lines.get(KNOWING), 1))} | "
              f"{show(peer)} {name if np.isfinite(peer) else ''} | {ratio} |")


def budget(lines):
    return max(line["queries"] / line["n"] / line["d"] for line in lines.values())


def hidden(cases):
    print("| problem, d | auto, 1e-3 | best peer, 1e-3 | ratio | auto, 1e-6 | best peer, 1e-6 | ratio |\n|---|---|---|---|---|---|---|")
    for case, lines in cases.items():
        cells = []
        for goal in (1, 2):
            ours, (peer, name) = units(lines.get(HIDDEN[0]), goal), best(lines, GENERAL, goal)
            ratio = "-" if np.isinf(ours) and np.isinf(peer) else "missed" if np.isinf(ours) else \
                "alone" if np.isinf(peer) else f"{ours / peer:.2g}"
            cells += [show(ours), f"{show(peer)} {name if np.isfinite(peer) else ''}", ratio]
        print(f"| {title(case)} | {' | '.join(cells)} |")


def overhead(cases):
    print("| | " + " | ".join(f"d = {d}" for d in (10, 50, 300)) + " |\n|---|---|---|---|")
    for name in (*OURS, *HIDDEN, *GENERAL, KNOWING):
        cells = []
        for d in (10, 50, 300):
            lines = [lines[name] for case, lines in cases.items() if case[0] == d and name in lines]
            cells.append(f"{1e6 * median(line['overhead'] * (line['n'] if name not in OURS else 1) for line in lines):.3g}"
                         if lines else "-")
        print(f"| {name} | {' | '.join(cells)} |")


def bars(cases):
    """What was asked for, case by case: those missed are named."""
    first, far, near, missed = 0, 0, 0, []
    wide = sum(case[0] >= 50 for case in cases)
    for case, lines in cases.items():
        auto, (peer, name) = units(lines.get("auto"), 1), best(lines, GENERAL, 1)
        rival, which = best(lines, (*OURS[1:], *GENERAL), 1)
        if auto <= rival and np.isfinite(auto):
            first += 1
        elif np.isinf(rival):
            missed.append(f"{title(case)}: nobody gets there within the budget")
        else:
            missed.append(f"{title(case)}: {which} needs {show(rival)} units, auto {show(auto)}")
        if case[0] >= 50 and np.isfinite(auto):
            far += peer >= 5 * auto
            if peer < 5 * auto:
                missed.append(f"{title(case)}: {name} needs {peer / auto:.2g} times auto's queries, not 5")
        alone = units(lines.get(HIDDEN[0]), 1)
        near += np.isfinite(alone) and alone <= 2 * peer
        if not (np.isfinite(alone) and alone <= 2 * peer) and np.isfinite(peer):
            missed.append(f"{title(case)}, the sum hidden: {name} needs {show(peer)} units, auto {show(alone)}")
    print(f"- auto needs the fewest queries to 1e-3 on {first} of {len(cases)} problems, among zoprox and the general peers.")
    print(f"- At d >= 50 every general peer needs at least 5 times as many on {far} of {wide}.")
    print(f"- With the sum hidden auto is within 2 times of the best peer on {near} of {len(cases)}.")
    for line in missed:
        print(f"  - {line}")


def profile(ax, cases, names, goal):
    """The share of the problems on which a competitor needs at most r times the queries of the best one."""
    ratios = {name: [] for name in names}
    for lines in cases.values():
        least, _ = best(lines, names, goal)
        if np.isinf(least):
            continue
        for name in names:
            ratios[name].append(units(lines.get(name), goal) / least)
    for name in names:
        r = np.sort(ratios[name])
        count = len(r)
        if not count or np.isinf(r[0]):
            continue
        r = r[np.isfinite(r)]
        share = np.arange(1, len(r) + 1) / count
        ax.step(np.r_[1, r, 1e4], np.r_[(r <= 1).sum() / count, share, share[-1]], where="post", label=name,
                color=COLOURS[name], linewidth=2.6 if name.startswith("auto") else 1.3)
    ax.set(xscale="log", xlim=(1, 300), ylim=(0, 1.02))
    ax.grid(alpha=0.3)


def draw(cases, path):
    plt.rcParams.update({"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "peers", "font.family": "DejaVu Sans"})
    fig, axes = plt.subplots(2, 3, figsize=(11, 6.4), sharex=True, sharey=True)
    for row, (names, what) in enumerate((((*OURS, *GENERAL), "by components"), ((*HIDDEN, *GENERAL), "the sum hidden"))):
        for column, goal in enumerate(GOALS):
            profile(axes[row, column], cases, names, column)
            axes[row, column].set_title(f"{what}: to {goal:g} of the first gap", fontsize=9)
        axes[row, 0].set_ylabel("share of problems")
    for ax in axes[1]:
        ax.set_xlabel("queries, times those of the best")
    seen = {}
    for ax in axes.flat:
        seen |= dict(zip(*reversed(ax.get_legend_handles_labels())))
    names = [name for name in (*OURS, *HIDDEN, *GENERAL) if name in seen]
    fig.legend([seen[name] for name in names], names, loc="lower center", ncol=7, frameon=False)
    fig.tight_layout(rect=(0, 0.07, 1, 1))
    fig.savefig(path, metadata={"Date": None, "Creator": None})


def main():
    cases = read(sys.argv[1])
    for text, table in (("bars", bars), ("by components", by_components), ("hidden", hidden), ("overhead", overhead)):
        print(f"\n## {text}\n")
        table(cases)
    if len(sys.argv) > 2:
        draw(cases, sys.argv[2])


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""Tables (markdown) and profiles (SVG, by gnuplot) of what bench/suites.sh has measured. usage: report.py FOLDER"""
import csv
import glob
import os
import re
import shutil
import statistics
import subprocess
import sys

INF = float("inf")
COLOURS = {"zoprox": "#000000", "DFO-LS": "#0072b2", "POUNDERS": "#56b4e9", "least_squares": "#e69f00", "NEWUOA": "#009e73",
           "BOBYQA": "#cc79a7", "L-BFGS-B": "#d55e00", "SBPLX": "#777777", "COBYLA": "#b8860b", "Nelder-Mead": "#9467bd",
           "least_squares-split": "#e69f00", "zoprox, sum hidden": "#555555", "CMA-ES": "#8c564b"}


def read(folder):
    """{(part, solver, seed): rows}; a row: name, d, three counts of simplex gradients, F at the end, reason."""
    runs = {}
    for path in sorted(glob.glob(f"{folder}/*@*.csv")):
        part, solver, *seed = os.path.basename(path)[:-4].split("@")
        rows = []
        for line in csv.reader(open(path)):
            if line and not line[0].startswith("#") and line[0] != "problem":
                d = int(line[1])
                need = [float(v) / (d + 1) for v in line[3:6]]
                rows.append({"name": line[0], "d": d, "need": need, "used": int(line[6]), "F": float(line[7]), "reason": line[8]})
        if rows:
            runs[part, solver, seed[0] if seed else ""] = rows
    return runs


def published(names):
    """DFO-LS's figures of morewild.csv, for the problems whose numbers are in names."""
    path = os.path.join(os.environ.get("ZOPROX_DATA", ""), "morewild.csv")
    if not os.path.exists(path):
        return None
    rows = []
    for line in csv.DictReader(open(path)):
        if line["problem"] in names:
            d = int(line["d"])
            need = [float(line[f"DFO-LS@{t}"].replace("-", "inf")) / (d + 1) for t in ("1e-3", "1e-5", "1e-7")]
            rows.append({"name": line["problem"], "d": d, "need": need})
    return rows


def shown(v):
    return "-" if v == INF else f"{v:.1f}"


def summary(rows):
    """Medians, % within 10, how many are not solved, each at the three goals."""
    columns = list(zip(*(r["need"] for r in rows)))
    return " | ".join((" / ".join(shown(statistics.median(c)) for c in columns),
                       " / ".join(f"{100 * sum(v <= 10 for v in c) / len(c):.0f}" for c in columns),
                       " / ".join(str(sum(v == INF for v in c)) for c in columns)))


def summaries(title, runs, wanted):
    print(f"\n| {title} | median to 1e-3 / 1e-5 / 1e-7 | % within 10 | not solved |\n|---|---|---|---|")
    for label, rows in wanted:
        if rows:
            print(f"| {label} | {summary(rows)} |")


def within(title, runs, parts):
    """Share solved to the first goal within 50 and within all simplex gradients that there were."""
    solvers = sorted({s for p, s, _ in runs if p in parts.values()}, key=lambda s: (s != "zoprox", s))
    print(f"\n| {title} | " + " | ".join(parts) + " |\n|---|" + "---|" * len(parts))
    for solver in solvers:
        cells = []
        for part in parts.values():
            rows = runs.get((part, solver, ""), [])
            need = [r["need"][0] for r in rows]
            cells.append(" / ".join(f"{100 * sum(v <= most for v in need) / len(need):.0f}" for most in (50, 1e9)) if need else "")
        print(f"| {solver} | " + " | ".join(cells) + " |")


def ahead(title, ours, peers):
    """How often ours needs no more than the best of the peers, at each goal; then the rows where it needs more to 1e-5."""
    share = []
    for t in range(3):
        best = [min(rows[k]["need"][t] for rows in peers.values()) for k in range(len(ours))]
        share.append(sum(r["need"][t] <= b and r["need"][t] < INF for r, b in zip(ours, best)) / len(ours))
    print(f"\n{title}: zoprox needs the fewest on {' / '.join(f'{100 * s:.0f} %' for s in share)} at 1e-3 / 1e-5 / 1e-7.")
    for k, row in enumerate(ours):
        name, b = min(((s, rows[k]["need"][1]) for s, rows in peers.items()), key=lambda p: p[1])
        if b < row["need"][1]:
            print(f"  behind at 1e-5: {row['name']} (d = {row['d']}): {shown(row['need'][1])}, {name} {shown(b)}")


def rough(runs):
    """Medians over seeds of F - F* at the point that is returned (F* = 0)."""
    solvers = sorted({s for p, s, _ in runs if p == "rough"}, key=lambda s: (s != "zoprox", s))
    if not solvers:
        return
    table = {s: list(zip(*(rows for (p, who, _), rows in runs.items() if p == "rough" and who == s))) for s in solvers}
    print("\n| 20000 evaluations: gap at the point returned, median of seeds | " + " | ".join(solvers) + " | over the best peer's |")
    print("|---|" + "---|" * (len(solvers) + 1))
    for k, of_seeds in enumerate(table[solvers[0]]):
        gaps = {s: statistics.median(r["F"] for r in table[s][k]) for s in solvers}
        best = min([g for s, g in gaps.items() if s != "zoprox"], default=INF)
        ratio = "0 of 0" if gaps["zoprox"] == best == 0 else f"{gaps['zoprox'] / best:.2g}" if best > 0 else "-"
        print(f"| {of_seeds[0]['name']} | " + " | ".join(f"{gaps[s]:.2g}" for s in solvers) + f" | {ratio} |")


def rounds(runs):
    one, eight = runs.get(("rounds", "one", "")), runs.get(("rounds", "eight", ""))
    if not (one and eight):
        return
    print("\n| rounds that eight workers need, over those of one (medians) | 1e-3 | 1e-5 | 1e-7 |\n|---|---|---|---|")
    for label, keep in (("all", lambda d: True), ("d = 9 to 11", lambda d: 9 <= d <= 11)):
        cells = []
        for t in range(3):
            ratio = [b["need"][t] / a["need"][t] for a, b in zip(one, eight) if keep(a["d"]) and a["need"][t] < INF]
            cells.append(f"{statistics.median(ratio):.2f}" if ratio else "")
        print(f"| {label} | " + " | ".join(cells) + " |")


def nist(runs):
    print("\n| NIST, sum of squares to 6 digits | start 1: solved, median | start 2: solved, median |\n|---|---|---|")
    for label, solver, kind in (("zoprox, residuals", "zoprox", ""), ("SciPy least_squares", "least_squares", ""),
                                ("zoprox, one function", "zoprox", "-function")):
        cells = []
        for start in ("nist", "nist2"):
            need = [r["need"][2] for r in runs.get((start + kind, solver, ""), [])]
            cells.append(f"{sum(v < INF for v in need)} of {len(need)}, {shown(statistics.median(need))}" if need else "")
        print(f"| {label} | " + " | ".join(cells) + " |")


# ---- pictures --------------------------------------------------------------------------------------------------------


def steps(values, count):
    """(x, share of count at most x) where the share grows."""
    points, values = [], sorted(v for v in values if v < INF)
    for k, v in enumerate(values):
        if k + 1 == len(values) or values[k + 1] > v:
            points.append((v, (k + 1) / count))
    return points


def ratios(curves, t):
    best = [min(rows[k]["need"][t] for rows in curves.values()) for k in range(len(next(iter(curves.values()))))]
    return {s: [r["need"][t] / b if b < INF else INF for r, b in zip(rows, best)] for s, rows in curves.items()}


def panel(folder, number, title, xlabel, left, right, curves, count):
    """Gnuplot's lines for one panel; curves: {name: values}. Names stand in a legend, best first."""
    order = sorted(curves, key=lambda s: -sum(1 / max(v, left) for v in curves[s]))
    plots = []
    for s in order:
        path = f"{folder}/curve-{number}-{re.sub('[^A-Za-z0-9]', '_', s)}.xy"
        points = steps(curves[s], count)
        with open(path, "w") as file:
            below = [y for x, y in points if x <= left]
            print(left, below[-1] if below else 0, file=file)
            for x, y in points:
                if left < x <= right:
                    print(x, y, file=file)
            print(right, max([y for x, y in points if x <= right], default=0), file=file)
        width = 3.2 if s.startswith("zoprox") else 2
        dash = "dt (8,4)" if s in ("zoprox, sum hidden", "least_squares-split") else "dt 1"
        plots.append(f"'{path}' with steps lw {width} lc rgb '{COLOURS.get(s, '#999999')}' {dash} title '{s}'")
    return (f"set title '{title}'\nset xlabel '{xlabel}' offset 0,0.6\nset xrange [{left}:{right}]\n"
            f"plot {', '.join(plots)}\n")


def draw(folder, name, panels):
    if not panels or not shutil.which("gnuplot"):
        return
    rows = (len(panels) + 1) // 2
    script = [f"set terminal svg size 1000,{420 * rows} font 'DejaVu Sans,13' background '#ffffff' dynamic",
              f"set output '{folder}/{name}.svg'", f"set multiplot layout {rows},2", "set logscale x 2", "set yrange [0:1.02]",
              "set format y '%g'", "set border 3 lc rgb '#444444'", "set xtics nomirror out scale 0.6",
              "set ytics 0,0.2,1 nomirror out scale 0.6", "unset mxtics",
              "set grid back lt 1 lc rgb '#e6e6e6' lw 0.8", "set key below center horizontal Left reverse samplen 2 maxcols 4 noenhanced font ',11'",
              "set ylabel 'share of problems solved'"]
    for k, (title, xlabel, left, right, curves) in enumerate(panels):
        count = len(next(iter(curves.values())))
        script.append(panel(folder, f"{name}-{k}", title, xlabel, left, right, curves, count))
    subprocess.run(["gnuplot"], input="\n".join(script + ["unset multiplot"]), text=True, check=True)
    path = f"{folder}/{name}.svg"
    text = open(path).read().replace('"DejaVu Sans"', '"DejaVu Sans, Verdana, sans-serif"')
    text = re.sub("<title>.*?</title>", f"<title>{name}</title>", text, count=1)
    open(path, "w").write("\n".join(line for line in text.split("\n") if "<desc>Produced by" not in line))
    for file in glob.glob(f"{folder}/curve-{name}-*.xy"):
        os.remove(file)


def need(curves, t):
    return {s: [r["need"][t] for r in rows] for s, rows in curves.items()}


def main(folder):
    runs = read(folder)

    def of(part, *solvers):
        found = {s: runs.get((part, s, "")) for s in solvers}
        return {s: rows for s, rows in found.items() if rows}
    data, performance, gradients = [], [], "simplex gradients (d + 1 evaluations)"
    residuals = of("residuals", "zoprox", "least_squares", "POUNDERS")
    if "zoprox" in residuals:
        also = published({r["name"][:2] for r in residuals["zoprox"]})
        if also:
            residuals["DFO-LS"] = also
        function = of("function", "zoprox", "L-BFGS-B", "NEWUOA", "BOBYQA")
        summaries("Moré-Wild, smooth", runs, [
            *((f"{'zoprox, residuals by point ([lm](methods/lm.md))' if s == 'zoprox' else s + ' (residuals)'}", rows)
              for s, rows in residuals.items()),
            *((f"{s}, one function", rows) for s, rows in function.items()),
            ("zoprox, components r_i^2, queries/n", runs.get(("components", "zoprox", ""))),
            ("zoprox, components r_i^2, `--method lm`", runs.get(("components", "lm", ""))),
            ("zoprox, residuals with relative noise 1e-3", runs.get(("noisy-residuals", "zoprox", ""))),
            ("zoprox, residuals of six digits", runs.get(("rounded-residuals", "zoprox", ""))),
            ("zoprox, residuals, eight abreast: rounds/(d + 1)", runs.get(("rounds", "eight", "")))])
        rounds(runs)
        for t, tau in ((0, "10^{-3}"), (2, "10^{-7}")):
            data.append((f"Moré-Wild, residuals, to {tau}", gradients, 0.5, 128, need(residuals, t)))
            if function:
                data.append((f"Moré-Wild, one function, to {tau}", gradients, 0.5, 512, need(function, t)))
    if any(p == "noisy-function" for p, _, _ in runs):
        within("one function, % solved to 1e-3 within 50 / all simplex gradients", runs,
               {"relative noise 1e-3": "noisy-function", "wild": "wild-function", "sum of abs(r_i)": "absolute-function"})
    l1 = of("l1", "zoprox", "L-BFGS-B", "least_squares-split", "NEWUOA", "BOBYQA", "SBPLX", "COBYLA", "Nelder-Mead")
    if "zoprox" in l1:
        summaries("Moré-Wild with l1", runs, l1.items())
        if len(l1) > 1:
            ahead("l1", l1["zoprox"], {s: rows for s, rows in l1.items() if s != "zoprox"})
        performance.append(("Moré-Wild with l1, to 10^{-5}", "evaluations over the fewest", 1, 128, ratios(l1, 1)))
    if any(p.startswith("nist") for p, _, _ in runs):
        nist(runs)
    separable = of("separable-function", "L-BFGS-B", "NEWUOA", "BOBYQA", "SBPLX")
    ours = {"zoprox": runs.get(("separable", "zoprox", "")), "zoprox, sum hidden": runs.get(("separable-function", "zoprox", ""))}
    separable = {**{s: rows for s, rows in ours.items() if rows}, **separable}
    if "zoprox" in separable:
        summaries("partially separable", runs, separable.items())
        if len(separable) > 2:
            ahead("partially separable", separable["zoprox"],
                  {s: rows for s, rows in separable.items() if not s.startswith("zoprox")})
        performance.append(("partially separable, to 10^{-5}", "evaluations over the fewest", 1, 128, ratios(separable, 1)))
    rough(runs)
    spectrum = of("spectrum", "zoprox", "least_squares", "POUNDERS")
    if spectrum:
        print("\n| spectrum of four peaks (d = 12, n = 80) | runs to 1e-3 / 1e-5 / 1e-7 of the first gap |\n|---|---|")
        for s, rows in spectrum.items():
            print(f"| {s} | " + " / ".join("-" if v == INF else f"{13 * v:.0f}" for v in rows[0]["need"]) + " |")
    draw(folder, "suites-data", data)
    draw(folder, "suites-performance", performance)


if __name__ == "__main__":
    main(sys.argv[1])

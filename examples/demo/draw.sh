#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# draw.sh DIR METHOD...: DIR/METHOD.csv (traces of zoprox solve) to DIR/demo.svg and DIR/demo.png. Bash and
# gnuplot, because a picture needs no C. Curves are named where they end, not in a legend.
set -euo pipefail
dir=$1
shift
left=0.03 right=100 floor=1e-15

# Okabe and Ito's colours, which most eyes tell apart; dashes for those that lie close together.
style() {
    case $1 in
    auto) echo "lw 9 lc rgb '#f0e442' dt 1" ;; # a band behind the curve of what it chose
    inq) echo "lw 2.8 lc rgb '#000000' dt 1" ;;
    saga) echo "lw 2.4 lc rgb '#009e73' dt 1" ;;
    psvrg) echo "lw 2.4 lc rgb '#0072b2' dt 1" ;;
    fista) echo "lw 2.4 lc rgb '#56b4e9' dt 1" ;;
    zpsvrg) echo "lw 2.4 lc rgb '#cc79a7' dt (8,3)" ;;
    sega) echo "lw 2.4 lc rgb '#e69f00' dt 1" ;;
    zpdvr) echo "lw 2.4 lc rgb '#d55e00' dt (12,3,3,3)" ;;
    pgd) echo "lw 2.4 lc rgb '#777777' dt (3,3)" ;;
    *) echo "lw 2.4 lc rgb '#999999' dt 1" ;;
    esac
}

plot="" labels=""
for method in "$@"; do
    # At most 50 points a decade: what an eye can see. Drawn as stairs: between two rows the point stands still.
    awk -F, -v left=$left -v floor=$floor 'NR > 1 {
            u = $3; g = $7 < floor ? floor : $7; slot = int(50 * log(u + 1e-9) / log(10) + 1000)
            if (u >= left && !shown) {shown = 1; print left, first}
            if (u < left) first = g
            else if (slot != last) print u, g
            last = slot; U = u; G = g
        } END {print U, G}' "$dir/$method.csv" >"$dir/$method.xy"
    curve="'$dir/$method.xy' with steps $(style "$method")"
    colour=$(style "$method" | grep -oE '#[0-9a-f]{6}')
    case $method in
    auto) plot="$curve${plot:+, $plot}" colour='#8a7f00' ;;
    *) plot+="${plot:+, }$curve" ;;
    esac
    labels+="$(tail -n 1 "$dir/$method.xy") $method $colour"$'\n'
done

# A name stands where its curve ends; those too close to one another are moved apart, evenly up and down.
labels=$(sort -g -k2,2 <<<"$labels" | awk -v apart=0.6 -v low=-14.7 'NF {n++; x[n] = $1; y[n] = log($2) / log(10); name[n] = $3; colour[n] = $4}
    END {
        for (pass = 0; pass < 200; pass++)
            for (k = 1; k <= n; k++)
                for (l = k + 1; l <= n; l++)
                    if (x[l] < 2 * x[k] && x[k] < 2 * x[l] && (short = apart - (y[l] - y[k])) > 0) {
                        y[k] -= short / 2; y[l] += short / 2
                    }
        for (k = 1; k <= n; k++) if (y[k] < low) y[k] = low
        for (k = 2; k <= n; k++) if (x[k] < 2 * x[k - 1] && y[k] < y[k - 1] + apart) y[k] = y[k - 1] + apart
        for (k = 1; k <= n; k++)
            printf "set label \"  %s\" at %g,%g left tc rgb \"%s\"\n", name[k], x[k], 10 ^ y[k], colour[k]
    }')

for kind in svg png; do
    case $kind in
    svg) terminal="svg size 900,540 font 'DejaVu Sans,13' background '#ffffff' dynamic" ;;
    png) terminal="pngcairo size 1800,1080 font 'DejaVu Sans,13' fontscale 2 linewidth 2 background '#ffffff'" ;;
    esac
    gnuplot <<GNUPLOT
set terminal $terminal
set output '$dir/demo.$kind'
set logscale xy
set xrange [$left:$right]
set yrange [$floor:1]
set format y '10^{%T}'
set format x '%g'
set xtics (0.03, 0.1, 0.3, 1, 3, 10, 30, 100) nomirror out scale 0.6
set ytics 1e-15,1000,1 nomirror out scale 0.6
unset mxtics
unset mytics
set border 3 lc rgb '#444444'
set grid back lt 1 lc rgb '#e6e6e6' lw 0.8
set xlabel 'units  (1 unit = n d queries, the price of one difference gradient)'
set ylabel 'gap  F(x) − F*'
set rmargin 9
set tmargin 3.2
set title "Sparse logistic regression from function values only\n{/*0.85 32561 terms, 123 unknowns, every method with its automatic settings}"
unset key
$labels
plot $plot
GNUPLOT
done
sed -i -e 's/"DejaVu Sans"/"DejaVu Sans, Verdana, sans-serif"/' -e 's@<title>.*</title>@<title>Gap against queries</title>@' \
    -e '/<desc>Produced by/d' "$dir/demo.svg"

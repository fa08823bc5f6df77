/* What zoprox init writes: @D@ is the number of parameters, @N@ of cases; @each ...@ stands once for each parameter, with # as
 * its number.
 * SPDX-License-Identifier: MIT */
#include "files/init.h"

#include <stddef.h>

#define MODEL_IS                                                                                   \
    "case i of n: how far is sum_j p_j cos(pi j i/n) from what was measured (which p_j = 1/(j+1) " \
    "gives)?"
/* The same model in both files of Python. */
#define PYTHON_MODEL                                                                               \
    "D, N = @D@, @N@\n"                                                                            \
    "\n"                                                                                           \
    "\n"                                                                                           \
    "def value(x, i):  # " MODEL_IS "\n"                                                           \
    "    model = sum(x[j] * math.cos(math.pi * j * i / N) for j in range(D))\n"                    \
    "    measured = sum(math.cos(math.pi * j * i / N) / (j + 1) for j in range(D))\n"              \
    "    return (model - measured) ** 2\n"                                                         \
    "\n"                                                                                           \
    "\n"

/* clang-format off */
#define TEMPLATE "@each p# = {p#}\n@"
#define PARAMETERS "@each [p#]\nstart = 0.1\nrange = [-10, 10]\n# unit = \"m\", log = true, or only: fixed = 1.5\n\n@"

const init_text init_texts[] = {
    {"files", "code.sh", 1,
     "#!/bin/sh\n"
     "# Your code goes here. It reads input.dat and writes results.dat: a line \"case value\" for each of @N@ cases.\n"
     "awk -v n=@N@ '{p[NR - 1] = $3}\n"
     "    END {\n"
     "        for (i = 0; i < n; i++) {\n"
     "            v = 0\n"
     "            for (j = 0; j < NR; j++) v += p[j] * cos(3.14159265358979 * j * i / n)\n"
     "            printf \"%d %.17g\\n\", i, v\n"
     "        }\n"
     "    }' input.dat >results.dat\n"},
    {"files", "input.tpl", 0, TEMPLATE},
    {"files", "parameters.toml", 0, PARAMETERS},
    {"files", "measured.txt", 0, "@measured@"},
    {"files", "run.sh", 1,
     "#!/bin/sh\n"
     "# Least squares: the values in results.dat are to meet measured.txt. Runs are counted; './run.sh --page page.html' shows them as they come.\n"
     "exec zoprox solve --template input.tpl=input.dat --run ./code.sh --read 'results.dat:*:2' --n @N@ \\\n"
     "    --parameters parameters.toml --residuals squares --targets measured.txt \\\n"
     "    --points 200 --save best.toml \"$@\"\n"},
    {INIT_ONE_VALUE, "code.sh", 1,
     "#!/bin/sh\n"
     "# Your code goes here. It reads input.dat and writes results.dat: the value that is to be small (here p_j = 1/(j+1) gives 0).\n"
     "awk '{miss = $3 - 1 / NR; v += miss * miss} END {printf \"%.17g\\n\", v}' input.dat >results.dat\n"},
    {INIT_ONE_VALUE, "input.tpl", 0, TEMPLATE},
    {INIT_ONE_VALUE, "parameters.toml", 0, PARAMETERS},
    {INIT_ONE_VALUE, "run.sh", 1,
     "#!/bin/sh\n"
     "# The number in results.dat is made small. Runs are counted; './run.sh --page page.html' shows them as they come.\n"
     "exec zoprox solve --template input.tpl=input.dat --run ./code.sh --read 'results.dat:1:1' \\\n"
     "    --parameters parameters.toml --queries 200 --save best.toml \"$@\"\n"},
    {"program", "program.py", 1,
     "#!/usr/bin/env python3\n"
     "# Your program goes here, in any language: it answers questions on its standard input.\n"
     "import math\n"
     "import sys\n"
     "\n"
     PYTHON_MODEL
     "for line in sys.stdin:\n"
     "    kind, name, npoints, ncases = line.split()\n"
     "    cases = [int(i) for i in sys.stdin.readline().replace('all', ' '.join(map(str, range(N)))).split()]\n"
     "    points = lambda: [[float(v) for v in sys.stdin.readline().split()] for _ in range(int(npoints))]\n"
     "    shared = points() if kind == 'eval' else None\n"
     "    table = [[value(x, i) for x in shared or points()] for i in cases]\n"
     "    print(name, *(' '.join(map(repr, row)) for row in zip(*table)), sep='\\n', flush=True)\n"},
    {"program", "run.sh", 1,
     "#!/bin/sh\n"
     "# 'zoprox check --command ./program.py --n @N@ --dim @D@' says what is wrong with a program.\n"
     "exec zoprox solve --command ./program.py --n @N@ --dim @D@ --units 30 --save best.txt \"$@\"\n"},
    {"python", "case.py", 1,
     "#!/usr/bin/env python3\n"
     "import math\n"
     "\n"
     "import zoprox\n"
     "\n"
     PYTHON_MODEL
     "print(zoprox.minimize(value, [0.1] * D, n=N, units=30))\n"},
    {"python", "run.sh", 1, "#!/bin/sh\nexec python3 case.py \"$@\"\n"},
    {"c", "case.c", 0,
     "/* " MODEL_IS " */\n"
     "#include <math.h>\n"
     "#include <stdio.h>\n"
     "#include <zoprox.h>\n"
     "\n"
     "enum { D = @D@, N = @N@ };\n"
     "\n"
     "static int value(void *ctx, size_t i, const double *x, double *f)\n"
     "{\n"
     "    double miss = 0;\n"
     "    (void)ctx;\n"
     "    for (int j = 0; j < D; j++) miss += (x[j] - 1.0 / (j + 1)) * cos(3.14159265358979 * j * (double)i / N);\n"
     "    *f = miss * miss;\n"
     "    return 0;\n"
     "}\n"
     "\n"
     "int main(void)\n"
     "{\n"
     "    zo_problem p = {.n = N, .d = D, .value = value};\n"
     "    zo_settings s = zo_defaults();\n"
     "    zo_control c = zo_no_limits();\n"
     "    zo_solver *solver;\n"
     "    zo_report r;\n"
     "    zo_error e;\n"
     "    c.max_units = 30;\n"
     "    if (zo_new(&solver, &p, &s, &e) || zo_start(solver, NULL, &e) || zo_run(solver, &c, &r, &e))\n"
     "        fprintf(stderr, \"%s\\n\", e.text);\n"
     "    else\n"
     "        for (int j = 0; j < D; j++) printf(\"%.17g\\n\", zo_point(solver)[j]);\n"
     "    zo_free(solver);\n"
     "    return e.status != ZO_OK;\n"
     "}\n"},
    {"c", "run.sh", 1,
     "#!/bin/sh\n"
     "cc -O2 case.c ${ZOPROX_FLAGS:-$(pkg-config --cflags --libs zoprox)} -lm -o case && exec ./case \"$@\"\n"},
    {NULL, NULL, 0, NULL},
};
/* clang-format on */

# An mpi4py communicator from Python: the same bytes on 1, 2 and 3 ranks, each asked for its own components only.
# SPDX-License-Identifier: MIT
python=/usr/bin/python3
for module in numpy cffi mpi4py; do
    "$python" -W ignore -c "import $module" 2>/dev/null || { echo "skipped: $python has no $module (Debian: python3-$module)"; exit 77; }
done
! nm -D "$BUILD/lib/libzoprox.so" | grep -q __asan_init || { echo "skipped: not with sanitizers"; exit 77; }
. "$SOURCE/tests/support/mpi.inc"
export PYTHONPATH=$SOURCE/python PYTHONDONTWRITEBYTECODE=1 ZOPROX_LIBRARY=$BUILD/lib/libzoprox.so OPENBLAS_NUM_THREADS=1
awk 'BEGIN { srand(7); for (i = 1; i <= 999; i++) { printf "%d", 1 + (rand() > 0.6);
    for (j = 1; j <= 9; j++) if (rand() < 0.4) printf " %d:%.3f", j, rand(); print "" } }' >rows.txt
cat >run.py <<'PYTHON'
import numpy as np
from mpi4py import MPI
import zoprox

comm = MPI.COMM_WORLD
n, d = 700, 5
rng = np.random.default_rng(3)
A, y = rng.normal(size=(n, d)), np.sign(rng.normal(size=n))
asked = set()


def fun(x, i):
    asked.add(i)
    return float(np.log1p(np.exp(-y[i] * (A[i] * x).sum())))  # @ is BLAS's, whose bits go by alignment


runs = [zoprox.minimize(zoprox.share(zoprox.Function(fun, n, d), comm), np.zeros(d), prox="l1:0.01", units=5, seed=3)]
assert asked <= set(zoprox.components(n, comm)), "asked for components of others"
for problem in (zoprox.logistic(A, y), zoprox.logistic(zoprox.read_part("rows.txt", comm), l2=1e-3)):
    runs.append(zoprox.minimize(zoprox.share(problem, comm), prox="l1:0.01", units=5, seed=3))
try:
    zoprox.read_part("nowhere.txt", comm)
    raise SystemExit("nowhere.txt was read")
except zoprox.FileError as error:
    assert "nowhere.txt" in str(error), error
try:
    zoprox.share(zoprox.Function(fun, n, d), 3)
    raise SystemExit("3 was taken for a communicator")
except zoprox.ArgumentError:
    pass
if comm.Get_rank() == 0:
    for r in runs:
        print(r.fun.hex(), r.nfev, *[v.hex() for v in r.x])
PYTHON
for ranks in 1 2 3; do
    timeout 300 mpirun -np $ranks "$python" run.py >$ranks.txt 2>err.txt </dev/null || wrong "$ranks ranks: $(head -c 600 err.txt)"
done
[ "$(wc -l <1.txt)" = 3 ] || wrong "not three results: $(cat 1.txt)"
same 1.txt 2.txt "Python on 2 ranks"
same 1.txt 3.txt "Python on 3 ranks"
verdict

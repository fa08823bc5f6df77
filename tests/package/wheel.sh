#!/usr/bin/env bash
# The source distribution has all that the library is built from. ZO_LONG=1: `python3 -m build` makes a wheel of it that needs libc
# alone; in a virtual environment that sees nothing of the system's packages it is installed by pip, README's Python example
# runs from any folder, and an editable install follows its sources.
# SPDX-License-Identifier: MIT
set -euo pipefail
python=/usr/bin/python3
for module in numpy cffi; do
    "$python" -W ignore -c "import $module" 2>/dev/null || { echo "skipped: $python has no $module (Debian: python3-$module)"; exit 77; }
done
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
wrong() { echo "wheel: $*"; exit 1; }
unset ZOPROX_LIBRARY PYTHONPATH
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_INDEX=1

cd "$SOURCE/python"
"$python" -c "import sys, wheel_of_zoprox; wheel_of_zoprox.build_sdist(sys.argv[1])" "$dir"
cd "$dir"
tar xf zoprox-*.tar.gz
cmake -S zoprox-*/c -B configured -DZO_COMMAND=OFF -DZO_ARCHIVE=OFF >log 2>&1 || { tail -n 20 log; wrong "the source distribution cannot be configured"; }
[ "$(find zoprox-*/c/src -name '*.c' | wc -l)" = "$(find "$SOURCE/src" -name '*.c' | wc -l)" ] || wrong "the source distribution lacks sources"
[ "${ZO_LONG:-0}" = 1 ] || exit 0

"$python" -c "import build, ensurepip" 2>/dev/null || { echo "skipped: no build or venv (Debian: python3-build, python3-venv)"; exit 77; }
nice "$python" -m build --outdir dist "$SOURCE/python" >log 2>&1 || { tail -n 20 log; wrong "python3 -m build"; }
"$python" -m zipfile -e dist/*.whl inside
readelf -d inside/zoprox/libzoprox.so | sed -nE 's/.*NEEDED.*\[(.*)\]$/\1/p' | grep -vE '^(libc|libm|libpthread|libdl|ld-linux.*)\.so' && wrong "the wheel's library needs more than libc"

# What pip would fetch, made of the system's own.
cat >house.py <<'PY'
import sys, zipfile
from importlib.metadata import distribution
from pathlib import Path

out = Path(sys.argv[1])
out.mkdir()
for name, parts, needed in (("numpy", ["numpy"], ""), ("cffi", ["cffi", "_cffi_backend"], "pycparser"),
                            ("pycparser", ["pycparser"], "ply"), ("ply", ["ply"], "")):
    about = distribution(name)
    needs = f"Requires-Dist: {needed}\n" if needed else ""
    info, root = f"{name}-{about.version}.dist-info", Path(about.locate_file(""))
    files = [p for part in parts for p in root.glob(f"{part}*") if p.is_dir() and p.name == part or p.suffix == ".so"]
    files = [f for p in files for f in (p.rglob("*") if p.is_dir() else [p]) if f.is_file() and "__pycache__" not in f.parts and "tests" not in f.parts]
    with zipfile.ZipFile(out / f"{name}-{about.version}-py3-none-any.whl", "w") as wheel:
        for file in files:
            wheel.write(file, file.relative_to(root))
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {about.version}\n{needs}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "".join(f"{n},,\n" for n in wheel.namelist()) + f"{info}/RECORD,,\n")
PY
"$python" house.py house
"$python" -m venv env
env/bin/pip install -q --find-links house dist/*.whl >log 2>&1 || { cat log; wrong "pip install dist/*.whl"; }
env/bin/python -c "import pytest" 2>/dev/null && wrong "the environment sees the system's packages"

# README's example, as it stands.
awk '/^```python$/ {on = 1; next} /^```$/ {if (on) n++; on = 0} on {print > ("block" n ".py")}' "$SOURCE/README.md"
mkdir first elsewhere
mv "$(grep -l 'def misfit' block*.py)" first/model.py
mv "$(grep -l 'from model' block*.py)" first/example.py
(cd elsewhere && env -i "$dir/env/bin/python" ../first/example.py >"$dir/out" 2>&1) || { cat out; wrong "README's example in the new environment"; }
grep -q '^F = ' out || { cat out; wrong "README's example prints something else"; }

# zstd aside, compressed data are read without libarchive.
printf '1 1:2 3:4\n-1 2:1\n' | gzip >small.gz
env/bin/python -c "import zoprox; assert zoprox.read('small.gz').n == 2 and zoprox.library.startswith('$dir/env/')" || wrong "a compressed file"

# Editable, from what the source distribution has.
env/bin/pip uninstall -q -y zoprox
mkdir copy && for part in python src include cmake CMakeLists.txt README.md LICENSE; do cp -r "$SOURCE/$part" copy/; done
env/bin/pip install -q --find-links house -e copy/python >log 2>&1 || { cat log; wrong "pip install -e"; }
echo "EDITED = 42" >>copy/python/zoprox/__init__.py
(cd elsewhere && ../env/bin/python -c "import zoprox; assert zoprox.EDITED == 42; zoprox.minimize(lambda x: x @ x, [1.0])") || wrong "an editable install"

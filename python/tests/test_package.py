# SPDX-License-Identifier: MIT
"""The package: its tables, progress, page and installation."""
import io
import os
import pickle
import re
import subprocess
import sys
import time
import types
import zipfile
from pathlib import Path

import numpy as np
import pytest

import zoprox
from zoprox import _lib
from small import run, square


def test_tables_are_functions_and_docs():
    for row in [*zoprox.proxes(), *zoprox.losses()]:
        assert callable(getattr(zoprox, row.name.replace("-", "_")))
    for row in [*zoprox.methods(), *zoprox.settings()]:
        assert row.name in zoprox.minimize.__doc__


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_progress_on_a_terminal(monkeypatch):
    """One bar, that moves within a question and ends full."""
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    pause = iter([0.11] + [0.002] * 100)  # one value is slow: what follows is seen to come in

    def slow(x, i):
        time.sleep(next(pause, 0))
        return float(((x - i % 3) ** 2).sum())
    r = run(slow, n=30, d=5, units=4, track="off", progress=True)
    lines = terminal.getvalue().split("\r")
    assert r.reason == "queries" and lines[-1].startswith("[########################] 100 %  ")
    assert any("answers" in line and "answers 0 " not in line for line in lines)
    assert terminal.getvalue().count("\n") == 1
    run(units=1e4, tol=1e-6, method="inq", progress=True)
    assert "\r[########################] converged" in terminal.getvalue()


def test_progress_by_a_function():
    seen = []
    times = iter([0.15])

    def slow(x, i):
        time.sleep(next(times, 0))
        return float(((x - i % 3) ** 2).sum())
    r = run(slow, progress=seen.append)
    assert r.x.tobytes() == run(square).x.tobytes()
    assert any(0 < now.answered < now.asked for now in seen)
    assert all(0 <= now.share <= 1 and not now.left < 0 for now in seen if now.answered)
    with pytest.raises(ZeroDivisionError):
        run(progress=lambda now: 1 / 0)
    with pytest.raises(zoprox.ArgumentError, match="progress: expected a function, got int"):
        run(progress=3)


def test_progress_in_a_notebook(monkeypatch):
    drawn = []
    handle = types.SimpleNamespace(update=lambda html: drawn.append(html))
    display = types.SimpleNamespace(HTML=str, display=lambda text, display_id: handle)
    shell = types.SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    run(progress=True)
    assert "<progress max='1' value='1.0000'>" in drawn[-1] and "units" in drawn[-1] and "#" not in drawn[-1]


def install(folder):
    """By pip where there is time for it; its back end alone otherwise."""
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if os.environ.get("ZO_LONG") and not subprocess.run([sys.executable, "-m", "pip", "-V"], capture_output=True).returncode:
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", folder, source],
                       check=True, capture_output=True)
        return
    subprocess.run([sys.executable, "-c", f"import wheel_of_zoprox; wheel_of_zoprox.build_wheel({str(folder)!r})"],
                   check=True, env=dict(os.environ, PYTHONPATH=source))
    with zipfile.ZipFile(next(folder.glob("*.whl"))) as wheel:
        assert wheel.testzip() is None
        wheel.extractall(folder)


def test_install_offline(tmp_path):
    install(tmp_path)
    environment = {k: v for k, v in os.environ.items() if k != "ZOPROX_LIBRARY"}
    code = "import zoprox; print(zoprox.library); zoprox.minimize(lambda x: x @ x, [1.0])"
    out = subprocess.run([sys.executable, "-c", code], env=dict(environment, PYTHONPATH=str(tmp_path)), cwd="/",
                         capture_output=True, text=True, check=True)
    assert out.stdout.strip() == str(tmp_path / "zoprox" / "libzoprox.so")


def test_the_page():
    """Every block of docs/python.md runs."""
    page = Path(__file__).resolve().parent.parent.parent / "docs" / "python.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
    assert len(blocks) == 7
    for block in blocks:
        try:
            exec(block, {})
        except ImportError as missing:
            assert "is not installed" in str(missing)


def test_no_library(tmp_path):
    out = subprocess.run([sys.executable, "-c", "import zoprox"], capture_output=True, text=True,
                         env=dict(os.environ, ZOPROX_LIBRARY=str(tmp_path / "none.so")))
    assert out.returncode and "none.so" in out.stderr and "ZOPROX_LIBRARY" in out.stderr


def test_a_library_of_other_headers(monkeypatch):
    real = _lib._header
    monkeypatch.setattr(_lib, "_header", lambda name: real(name).replace("} zo_settings;", "int new_one; } zo_settings;"))
    with pytest.raises(ImportError, match="was built from other headers"):
        _lib._load()


class Half:
    """A psi of one's own that another process can be sent."""

    def value(self, x):
        return 0.0

    def apply(self, v, step):
        return v / 2


def test_problems_and_proxes_can_be_sent_to_other_processes():
    matrix, labels = np.eye(3), np.array([1.0, -1.0, 1.0])
    v = [3.0, -2.0, 0.5]
    for psi in (zoprox.parsed("l1:0.5"), zoprox.l1(0.5), zoprox.zero(), zoprox.bounds(-1.0, [1.0, 2.0, 3.0]),
                zoprox.weighted_l1(0.1, [1.0, 2.0, 3.0]), zoprox.own(Half()),
                zoprox.l1(0.5).on(0, 1) + zoprox.box(0, 1).on(1, 3)):
        again = pickle.loads(pickle.dumps(psi))
        assert repr(again) == repr(psi) or "object at" in repr(psi)
        assert again.apply(v).tobytes() == psi.apply(v).tobytes()
    for data in (zoprox.synth("n=30,d=3"), zoprox.data(matrix, labels)):
        problem = zoprox.logistic(data, l2=0.1)
        assert pickle.loads(pickle.dumps(problem))([1.0] * problem.d) == problem([1.0] * problem.d)
    function = pickle.loads(pickle.dumps(zoprox.Function(square, 7, 5)))
    assert zoprox.minimize(function, [0.0] * 5, units=3, method="fista").x.tobytes() == run(square, n=7, d=5, units=3).x.tobytes()


def test_what_cannot_be_pickled_says_so():
    with pytest.raises(TypeError, match="a Solver cannot be copied or pickled: save"):
        pickle.dumps(zoprox.Solver(None, d=3, n=4))
    with pytest.raises(TypeError, match="a Nobody cannot be pickled"):
        pickle.dumps(zoprox.Solver(None, d=3, n=4).problem)


def test_a_sub_interpreter_is_refused():
    """It would wait for ever: cffi cannot call back into one."""
    program = ("try:\n import _interpreters as s\nexcept ImportError:\n import _xxsubinterpreters as s\n"
               "i = s.create()\n"
               "got = s.run_string(i, %r)\n"
               "if got: raise RuntimeError(str(got))\n" % f"import sys\nsys.path[:] = {sys.path!r}\nimport zoprox")
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    if "No module named '_xxsubinterpreters'" in done.stderr:
        pytest.skip("no sub-interpreters here")
    assert done.returncode != 0 and "cannot be used in a sub-interpreter" in done.stderr


def test_two_runs_do_not_write_one_checkpoint(tmp_path):
    path, seen = tmp_path / "run.zo", []

    def meanwhile(x, i):
        if not seen:
            seen.append(1)
            with pytest.raises(zoprox.FileError, match="is being written by another run"):
                run(square, checkpoint=path)
        return square(x, i)
    r = run(meanwhile, checkpoint=path)
    assert seen and r.x.tobytes() == run(square).x.tobytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.zo"]

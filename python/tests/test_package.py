# SPDX-License-Identifier: MIT
"""The package: its tables, progress, page and installation."""
import io
import os
import re
import subprocess
import sys
import time
import types
import zipfile
from pathlib import Path

import pytest

import zoprox
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
    assert len(blocks) == 3
    for block in blocks:
        exec(block, {})


def test_no_library(tmp_path):
    out = subprocess.run([sys.executable, "-c", "import zoprox"], capture_output=True, text=True,
                         env=dict(os.environ, ZOPROX_LIBRARY=str(tmp_path / "none.so")))
    assert out.returncode and "none.so" in out.stderr and "ZOPROX_LIBRARY" in out.stderr

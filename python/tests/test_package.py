# SPDX-License-Identifier: MIT
"""The package: its tables, progress, page and installation."""
import io
import os
import re
import subprocess
import sys
import types
import zipfile
from pathlib import Path

import zoprox
from small import run


def test_tables_are_functions_and_docs():
    for row in [*zoprox.proxes(), *zoprox.losses()]:
        assert callable(getattr(zoprox, row.name.replace("-", "_")))
    for row in [*zoprox.methods(), *zoprox.settings()]:
        assert row.name in zoprox.minimize.__doc__


def test_progress_on_a_terminal():
    from zoprox.progress import Progress

    class Terminal(io.StringIO):
        def isatty(self):
            return True
    out = Terminal()
    bar = Progress({"units": 10.0, "seconds": float("inf")}, out)
    row = {"units": 5.0, "seconds": 1.0, "objective": 0.25, "gap": float("nan")}
    bar.show(row)
    bar.close(row)
    assert "\r[############............]  50 %  5 units  F 0.25  1.0 s" in out.getvalue()


def test_progress_in_a_notebook(monkeypatch):
    drawn = []
    handle = types.SimpleNamespace(update=lambda html: drawn.append(html))
    display = types.SimpleNamespace(HTML=str, display=lambda text, display_id: handle)
    shell = types.SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell, display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    run(progress=True)
    assert "<progress" in drawn[-1] and "units" in drawn[-1]


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

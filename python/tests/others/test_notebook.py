# SPDX-License-Identifier: MIT
"""A notebook, run by nbconvert: one bar that ends full, a result in ten lines, a plot; and its picture by Chromium."""
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not os.environ.get("ZO_LONG"), reason="ZO_LONG=1 starts kernels and browsers")

CELLS = [
    "import zoprox, time\n"
    "def fun(x, i):\n"
    "    time.sleep(2e-4)\n"
    "    return float(((x - i % 3) ** 2).sum())\n"
    "r = zoprox.minimize(fun, [0.0] * 5, n=30, prox='l1:0.1', progress=True)",
    "print(r)",
    "s = zoprox.minimize(fun, [0.0] * 5, n=30, method='fista', units=8, progress=True)",
    "r",
    "%matplotlib inline\n"
    "ax = s.plot()",
]


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    nbformat = pytest.importorskip("nbformat", reason="no nbformat (Debian: python3-nbconvert)")
    pytest.importorskip("ipykernel", reason="no ipykernel (Debian: python3-ipykernel)")
    pytest.importorskip("matplotlib", reason="no matplotlib (Debian: python3-matplotlib)")
    nbconvert = pytest.importorskip("nbconvert", reason="no nbconvert (Debian: python3-nbconvert)")
    preprocessors = pytest.importorskip("nbconvert.preprocessors")
    folder = tmp_path_factory.mktemp("notebook")
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "MPLCONFIGDIR"):
        os.environ[name] = str(folder / name)
    kernel = folder / "JUPYTER_DATA_DIR" / "kernels" / "python3"
    kernel.mkdir(parents=True)
    (kernel / "kernel.json").write_text('{"argv": ["%s", "-W", "ignore", "-m", "ipykernel_launcher", "-f", "{connection_file}"], '
                                        '"display_name": "Python 3", "language": "python"}' % sys.executable)
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in CELLS])
    preprocessors.ExecutePreprocessor(timeout=120, kernel_name="python3").preprocess(book, {"metadata": {"path": str(folder)}})
    html, _ = nbconvert.HTMLExporter().from_notebook_node(book)
    path = folder / "page.html"
    path.write_text(html)
    return book, path


def outputs(cell):
    return [output for output in cell.outputs if output.output_type != "stream" or output.text.strip()]


def test_one_bar_for_each_run(page):
    book, _ = page
    for cell, ended in ((book.cells[0], "converged"), (book.cells[2], "100 %")):
        (bar,) = outputs(cell)
        html = bar.data["text/html"]
        assert re.fullmatch(rf"<progress max='1' value='1.0000'></progress> <code>{ended}  .*</code>", html), html


def test_results(page):
    book, _ = page
    (printed,), (shown,) = outputs(book.cells[1]), outputs(book.cells[3])
    assert printed.text.strip() == shown.data["text/plain"].strip() and len(printed.text.strip().split("\n")) <= 10
    assert any("image/png" in output.get("data", {}) for output in outputs(book.cells[4]))


def test_picture(page, tmp_path):
    browser = shutil.which("chromium")
    if browser is None:
        pytest.skip("no Chromium (Debian: chromium)")
    picture = Path(os.environ.get("ZO_PICTURES", tmp_path)) / "notebook.png"
    subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path}", "--hide-scrollbars",
                    "--window-size=1000,1500", f"--screenshot={picture}", page[1].as_uri()], check=True, capture_output=True, timeout=120)
    image = pytest.importorskip("matplotlib.image").imread(picture)
    assert image.shape[:2] == (1500, 1000) and image.std() > 0.01  # something is drawn

# SPDX-License-Identifier: MIT
"""Every evaluation in a file as it comes, and runs that begin with those of others."""
from __future__ import annotations

import csv
import os
import re
from typing import Any, Optional, Union

import numpy as np

from ._lib import check, encoded, ffi, lib, new_error
from .arrays import copy_of
from .errors import ArgumentError, FileError

Path = Union[str, "os.PathLike[str]"]


class History:
    """A zo_history: ``file`` gets every evaluation, ``past`` is known."""

    def __init__(self, n: int, d: int, file: Optional[Path], past: Optional[Path], resume: bool) -> None:
        names = {name: ffi.new("char[]", encoded(name, path))
                 for name, path in (("file", file), ("past", past)) if path is not None}
        options = ffi.new("zo_history_options *", {"n": n, "d": d, "resume": resume, **names})
        out, error = ffi.new("zo_history **"), new_error()
        check(lib.zo_history_open(out, options, error), error)
        self.c, self.d = ffi.gc(out[0], lib.zo_history_close), d

    def best(self, psi: Any) -> Optional[np.ndarray]:
        """The best of the past's points, or None."""
        x = lib.zo_history_best(self.c, ffi.addressof(psi), ffi.NULL)
        return copy_of(x, self.d) if x else None

    @property
    def known(self) -> int:
        """Evaluations that were not asked again."""
        return int(lib.zo_history_look(self.c).used)

    def close(self) -> None:
        ffi.release(self.c)


def dimensions(past: Path) -> int:
    """How many coordinates x0, x1, ... the table has."""
    encoded("past", past)
    path = os.fspath(past)
    if not os.path.isfile(path):
        raise FileError(f"past: '{path}' is not there")
    if path.endswith((".sqlite", ".sqlite3", ".db")):
        import sqlite3
        with sqlite3.connect(f"file:{os.path.abspath(path)}?mode=ro", uri=True) as db:
            names = [row[0] for row in db.execute(
                "SELECT p.name FROM sqlite_master m, pragma_table_info(m.name) p WHERE m.type IN ('table', 'view')")]
        db.close()
    else:
        with open(path, encoding="utf-8-sig", newline="") as lines:
            head = lines.readline()
        names = next(csv.reader([head], delimiter=max(",;\t", key=head.count)), [])
    found = {int(name.strip()[1:]) for name in names if re.fullmatch(r"x\d+", name.strip())}
    if not found:
        raise ArgumentError(f"past: '{path}' has no columns x0, x1, ...")
    return max(found) + 1

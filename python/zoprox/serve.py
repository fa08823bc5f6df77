# SPDX-License-Identifier: MIT
"""What the command starts: a Python function as its black box, a Python class as its method.

    python3 -m zoprox.serve function FILE.py:NAME N     answers questions as docs/black-boxes.md says
    python3 -m zoprox.serve method FILE.py[:CLASS]      as tool/method/python.h says"""
from __future__ import annotations

import difflib
import importlib.util
import inspect
import os
import reprlib
import signal
import socket
import struct
import sys
import traceback
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable

import numpy as np

from ._lib import ffi
from .arrays import copy_of
from .errors import ArgumentError, Error, sentence
from .failures import BUGS
from .outside import Outside, Question


def module_of(path: str) -> Any:
    """The file as a module; what lies beside it can be imported."""
    file = Path(path).resolve()
    spec = importlib.util.spec_from_file_location(file.stem, file)
    if not file.is_file() or spec is None or spec.loader is None:
        raise ArgumentError(f"'{path}' is not a Python file")
    sys.path.insert(0, str(file.parent))
    module = importlib.util.module_from_spec(spec)
    sys.modules[file.stem] = module
    spec.loader.exec_module(module)
    return module


def named(spec: str, fits: Callable[[Any], bool], what: str) -> Any:
    """FILE.py:NAME, or FILE.py where only one thing in it fits."""
    path, _, name = spec.partition(".py:")
    module = module_of(path + ".py" if name else spec)
    if name:
        if not hasattr(module, name):
            near = difflib.get_close_matches(name, vars(module), 1)
            raise ArgumentError(f"'{path}.py' has no '{name}'" + (f"; did you mean '{near[0]}'?" if near else ""))
        return getattr(module, name)
    found = [v for v in vars(module).values() if fits(v) and getattr(v, "__module__", "") == module.__name__]
    if len(found) != 1:
        raise ArgumentError(f"'{spec}' has {len(found)} {what}; say which one: {spec}:NAME")
    return found[0]


# ---- a function ------------------------------------------------------------------------------------------------


def line_of(error: BaseException, spec: str) -> str:
    """FILE.py:LINE, the innermost line of the user's file that the exception went through."""
    path = spec.partition(".py:")[0].removesuffix(".py") + ".py"
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__)
             if frame.filename == str(Path(path).resolve())]
    return f"{path}:{lines[-1]}" if lines else spec


def serve_function(spec: str, n: int) -> None:
    """Questions on standard input, values on standard output; what it prints goes to standard error."""
    out, sys.stdout = os.fdopen(os.dup(1), "w"), sys.stderr
    try:
        fun = named(spec, inspect.isfunction, "functions")
    except ArgumentError as error:  # it says it all
        sys.exit(str(error))
    alone = n == 1 and len(inspect.signature(fun).parameters) == 1

    def value(x: np.ndarray, i: int) -> str:
        try:
            said = fun(x) if alone else fun(x, i)
        except BUGS:
            raise
        except Exception as error:  # this point cannot be evaluated
            print(f"{line_of(error, spec)}: {' '.join(sentence(error).split())}", file=sys.stderr)
            return "nan"
        try:
            return repr(float(said))
        except (TypeError, ValueError):
            print(f"{spec} returned {' '.join(reprlib.repr(said).split())}, not a number", file=sys.stderr)
            return "nan"

    for line in sys.stdin:
        kind, ident, npoints, _ = line.split()
        said = sys.stdin.readline().split()
        components = range(n) if said == ["all"] else [int(i) for i in said]

        def points() -> list[np.ndarray]:
            return [np.array(sys.stdin.readline().split(), dtype=float) for _ in range(int(npoints))]

        shared = points() if kind == "eval" else None
        table = [[value(x, i) for x in (points() if shared is None else shared)] for i in components]
        print(ident, *(" ".join(row) for row in zip(*table)), sep="\n", file=out, flush=True)


# ---- a method --------------------------------------------------------------------------------------------------


class Line:
    """To the command and back: a tag and bytes."""

    def __init__(self) -> None:
        self.socket = socket.socket(fileno=os.dup(0))
        self.file = self.socket.makefile("rb")

    def say(self, tag: str, *parts: bytes) -> None:
        body = b"".join(parts)
        self.socket.sendall(struct.pack("=QQ", ord(tag), len(body)) + body)

    def hear(self) -> tuple[str, bytes]:
        head = self.file.read(16)
        if len(head) < 16:
            sys.exit(0)  # the command has ended
        tag, size = struct.unpack("=QQ", head)
        return chr(tag), self.file.read(size)


class Server:
    """An object of the class, and what is kept between its questions."""

    def __init__(self, made: Any, line: Line) -> None:
        self.made, self.line = made, line
        self.psi = SimpleNamespace(work=None, apply=self._prox)

    def _prox(self, _: Any, d: int, step: float, v: Any, x: Any, __: Any) -> None:
        self.line.say("P", struct.pack("=d", step), copy_of(v, d).tobytes())
        ffi.memmove(x, self.line.hear()[1], 8 * d)

    def _state(self) -> bytes:
        state = getattr(self.outside.method, "state", None)
        return b"" if state is None else state.tobytes()

    def _fan(self, radius: float, sides: float) -> Any:
        return ffi.new("zo_fan *", {"n": self.n, "d": self.d, "ncomp": self.n, "radius": radius, "sides": int(sides)})

    def new(self, _: bytes) -> None:
        self.outside = Outside(self.made)
        self.line.say("m", ffi.string(self.outside.c.name))

    def open(self, said: bytes) -> None:
        settings = ffi.new("zo_settings *")
        if len(said) != 16 + ffi.sizeof("zo_settings"):
            raise Error("the command and the Python package are of different versions")
        self.n, self.d = struct.unpack("=QQ", said[:16])
        ffi.memmove(settings, said[16:], ffi.sizeof("zo_settings"))
        self.outside._open(None, self.n, self.d, settings, self.psi)
        self.line.say("k", self._state())

    def ask(self, said: bytes) -> None:
        radius, sides, *x = np.frombuffer(said[:16 + 8 * self.d])
        if len(said) > 16 + 8 * self.d:  # of a run that goes on
            state = self.outside.method.state  # type: ignore[attr-defined]
            state[...] = np.frombuffer(said[16 + 8 * self.d:]).reshape(state.shape)
        fan = self._fan(radius, sides)
        if not self.outside._ask(None, ffi.new("double[]", x), fan):
            return self.line.say("e")
        question = self.outside.question
        assert isinstance(question, Question)
        directions, components = question.directions, question.components
        self.line.say("q", struct.pack("=6Qd", fan.naxis, fan.ndir, fan.ncomp, components is None, fan.each, fan.sides, fan.radius),
                      b"" if directions is None else directions.tobytes(), b"" if components is None else components.tobytes())

    def tell(self, said: bytes) -> None:
        radius, sides = struct.unpack("=2d", said[:16])
        fan, x, residual = self._fan(radius, sides), ffi.new("double[]", self.d), ffi.new("double *")
        assert isinstance(self.outside.question, Question)
        self.outside.question.fill(fan)
        fan.radius, fan.sides = radius, int(sides)
        ffi.memmove(x, said[16:16 + 8 * self.d], 8 * self.d)
        answers = ffi.from_buffer("double[]", said[16 + 8 * self.d:])
        moved = self.outside._tell(None, fan, answers, x, residual)
        self.line.say("p", struct.pack("=2d", moved, residual[0]), copy_of(x, self.d).tobytes(), self._state())


def words(error: BaseException) -> bytes:
    """Ours say it all; others are known by their names."""
    return (str(error) if isinstance(error, Error) else sentence(error)).encode()


def serve_method(spec: str) -> None:
    line, sys.stdout = Line(), sys.stderr
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the run hears it, and ends us
    try:
        server = Server(named(spec, lambda v: inspect.isclass(v) and hasattr(v, "ask") and hasattr(v, "tell"),
                              "classes with ask and tell"), line)
        server.new(b"")
    except BaseException as error:
        line.say("x", words(error))
        return
    does = {"n": server.new, "o": server.open, "a": server.ask, "t": server.tell}
    while True:
        tag, said = line.hear()
        try:
            does[tag](said)
        except Exception as error:
            if not isinstance(error, Error):
                traceback.print_exc()
            line.say("x", words(error))


def main() -> None:
    if sys.argv[1] == "method":
        serve_method(sys.argv[2])
    else:
        serve_function(sys.argv[2], int(sys.argv[3]))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: MIT
"""What can go wrong, as exceptions. Each carries one sentence that names the argument and its value."""
from __future__ import annotations

import os
import sys
import warnings


class Error(Exception):
    """Any failure that the library reports; ``status`` is the C name of its kind."""

    status = "ZO_UNSUPPORTED"


class ArgumentError(Error, ValueError):
    """A value outside its range, an unknown name, an array of the wrong shape."""

    status = "ZO_BAD_ARGUMENT"


class InputError(Error, ValueError):
    """A file or data set that cannot be understood."""

    status = "ZO_BAD_INPUT"


class StateError(Error, RuntimeError):
    """A call out of order: tell without ask, a fan used after its tell."""

    status = "ZO_BAD_STATE"


class OutOfMemory(Error, MemoryError):
    """The library could not get the memory it needs."""

    status = "ZO_NO_MEMORY"


class FileError(Error, OSError):
    """The file system said no."""

    status = "ZO_IO"


class ProblemError(Error, RuntimeError):
    """The problem's own function failed, other than by a Python exception (those are raised as they were)."""

    status = "ZO_PROBLEM"


class MismatchError(Error, ValueError):
    """A checkpoint of another problem, version or settings, or a damaged one."""

    status = "ZO_MISMATCH"


def sentence(error: BaseException) -> str:
    """Name and text of an exception, whatever its own __str__ does."""
    try:
        text = str(error)
    except Exception:  # the user's
        text = ""
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def warn(text: str) -> None:
    """A RuntimeWarning at the line of the user's that called us, however deep we are."""
    here, level, frame = os.path.dirname(__file__), 1, sys._getframe(0)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(here):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, RuntimeWarning, stacklevel=level)


KINDS = {kind.status: kind for kind in (ArgumentError, InputError, StateError, OutOfMemory, FileError,
                                        ProblemError, MismatchError, Error)}

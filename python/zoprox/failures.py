# SPDX-License-Identifier: MIT
"""Exceptions of the user's function as facts: a value that could not be had is not a number, and the run goes on."""
from __future__ import annotations

import pickle
from typing import Any

from .errors import ArgumentError, Error, sentence

CHOICES = ("nan", "raise")
# What says that the program is wrong, not that this point is: raised whatever on_error says.
BUGS = (AssertionError, AttributeError, ImportError, MemoryError, NameError, NotImplementedError, SyntaxError, TypeError, Error)


class Failed(float):
    """A NaN that knows what was raised in its place; it can be sent from one process to another."""

    error: Exception

    def __new__(cls, error: Exception) -> "Failed":
        self = super().__new__(cls, "nan")
        self.error = error
        return self

    def __reduce__(self) -> Any:
        try:
            pickle.loads(pickle.dumps(self.error))
            return Failed, (self.error,)
        except Exception:  # an exception of the user's that cannot travel
            return Failed, (RuntimeError(sentence(self.error)),)


def failed(error: Exception) -> Failed:
    """In place of a value, where the exception is a fact; otherwise it is raised."""
    if isinstance(error, BUGS):
        raise error
    return Failed(error)


def is_lenient(on_error: str) -> bool:
    """Are exceptions facts?"""
    if on_error not in CHOICES:
        raise ArgumentError(f"on_error: expected one of {', '.join(CHOICES)}, got {on_error!r}")
    return on_error == "nan"

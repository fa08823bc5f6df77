# SPDX-License-Identifier: MIT
"""What the library knows about itself: its methods, settings, proxes and losses, one row each.

>>> [row.name for row in settings()][:3]
['method', 'seed', 'step']
>>> setting("radius").initial
'auto'
"""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

from ._lib import ffi, lib, text_of
from .errors import ArgumentError


class Method(NamedTuple):
    """A method: what it does, what it costs in queries, where it comes from, the settings it uses."""

    name: str
    summary: str
    cost: str
    reference: str
    settings: tuple[str, ...]


class Setting(NamedTuple):
    """A setting: what shapes the trajectory. ``initial`` is its default, as text."""

    name: str
    type: str
    initial: str
    low: float
    high: float
    choices: tuple[str, ...]
    help: str


class ProxRow(NamedTuple):
    """A family of psi: its arguments, its formula, its proximal map."""

    name: str
    arguments: str
    formula: str
    help: str
    prox: str


class Loss(NamedTuple):
    """A built-in loss of m = z'x and the label y."""

    name: str
    formula: str
    labels: str
    convex: bool


def _rows(function: Any) -> list[Any]:
    count = ffi.new("size_t *")
    first = function(count)
    return [first[k] for k in range(count[0])]


def methods() -> list[Method]:
    """All methods; ``auto`` chooses among the others."""
    return [Method(text_of(r.name), text_of(r.summary), text_of(r.cost), text_of(r.reference),
                   tuple(text_of(r.settings).split())) for r in _rows(lib.zo_method_rows)]


def settings() -> list[Setting]:
    """All settings, each a keyword of `minimize` and `Solver`."""
    return [Setting(text_of(r.name), text_of(r.type), text_of(r.initial), r.low, r.high,
                    tuple(filter(None, text_of(r.choices).split("|"))), text_of(r.help))
            for r in _rows(lib.zo_setting_rows)]


def proxes() -> list[ProxRow]:
    """All families of psi, each a function of this package and a word of a spec ("l1:1e-3")."""
    return [ProxRow(text_of(r.name), text_of(r.arguments), text_of(r.formula), text_of(r.help), text_of(r.prox))
            for r in _rows(lib.zo_prox_rows)]


def losses() -> list[Loss]:
    """All built-in losses, each a function of this package."""
    return [Loss(text_of(r.name), text_of(r.formula), text_of(r.labels), bool(r.convex))
            for r in _rows(lib.zo_loss_rows)]


def _find(rows: list[Any], what: str, name: str) -> Any:
    for row in rows:
        if row.name == name:
            return row
    raise ArgumentError(f"{what}: '{name}' is not one of {', '.join(row.name for row in rows)}")


def method(name: str) -> Method:
    """The row of one method."""
    return _find(methods(), "method", name)


def setting(name: str) -> Setting:
    """The row of one setting."""
    return _find(settings(), "setting", name)


def identifier(name: str) -> str:
    """A name of the tables as Python spells it: smooth-hinge is smooth_hinge."""
    return name.replace("-", "_")


def as_text(value: Any) -> str:
    """A setting's value as the library reads it: None is auto, True is on."""
    if value is None:
        return "auto"
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, str):
        return value
    number = value.item() if hasattr(value, "item") else value
    return repr(number)


def as_value(row: Setting, text: str) -> Any:
    """And back: a number where it is one, None for auto, a bool for on and off."""
    if text == "auto" and row.type != "text":
        return None
    if row.choices == ("off", "on"):
        return text == "on"
    for kind in (int, float):
        try:
            return kind(text) if row.type in ("whole", "number") else text
        except ValueError:
            continue
    return text


def read_settings(struct: Any) -> dict[str, Any]:
    """A zo_settings as a dict."""
    room, values = ffi.new("char[64]"), {}
    for row in settings():
        if lib.zo_get(ffi.addressof(struct), row.name.encode(), room, len(room)) == 0:
            values[row.name] = as_value(row, text_of(room))
    return values


def _cell(row: Setting) -> str:
    choices = f" ({', '.join(row.choices)})" if row.choices else ""
    return f"{row.name} = {row.initial}\n        {row.help}{choices}"


def settings_help(names: Optional[tuple[str, ...]] = None) -> str:
    """The settings as they stand in docstrings."""
    rows = [row for row in settings() if names is None or row.name in names]
    return "\n".join("    " + _cell(row) for row in rows)


def methods_help() -> str:
    """The methods as they stand in docstrings."""
    return "\n".join(f"    {row.name}\n        {row.summary}; {row.cost} queries" for row in methods())

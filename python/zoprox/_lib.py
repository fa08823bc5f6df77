# SPDX-License-Identifier: MIT
"""libzoprox, loaded without a compiler: the declarations are those of the public headers."""
from __future__ import annotations

import ctypes.util
import os
import re
from pathlib import Path
from typing import Any, Iterator

import cffi

from .errors import KINDS, ArgumentError, Error

HERE = Path(__file__).resolve().parent
ROOTS = (HERE.parent.parent, HERE.parent / "c")  # of a checkout, and of a source distribution
HEADERS = ("zoprox.h", "zoprox_data.h", "zoprox_spread.h")


def _header(name: str) -> str:
    folders = [root / "include" for root in (HERE, *ROOTS)]
    for folder in folders:
        if (folder / name).is_file():
            return (folder / name).read_text(encoding="utf-8")
    raise ImportError(f"zoprox: no {name} in any of {', '.join(map(str, folders))}")


def declarations(text: str) -> str:
    """A header without what only a C compiler needs: directives, the C++ bracket, the export mark."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"^#ifdef __cplusplus$.*?^#endif$", "", text, flags=re.S | re.M)
    text = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.M)
    return re.sub(r"\bZO_API\b", "", text)


def _places() -> Iterator[str]:
    """Where the library may be, the best first."""
    given = os.environ.get("ZOPROX_LIBRARY")
    if given:
        yield given
        return
    for folder in (HERE, *(root / "build" / kind / "lib" for root in ROOTS for kind in ("release", "python"))):
        for path in (folder / "libzoprox.so", folder / "libzoprox.dylib"):
            if path.is_file():
                yield str(path)
    yield "libzoprox.so.0"
    found = ctypes.util.find_library("zoprox")
    if found:
        yield found


def _settings_of(ffi: Any, lib: Any) -> set[str]:
    count = ffi.new("size_t *")
    rows = lib.zo_setting_rows(count)
    return {ffi.string(rows[k].name).decode() for k in range(count[0])}


def _load() -> tuple[Any, Any, str]:
    ffi: Any = cffi.FFI()
    texts = [_header(name) for name in HEADERS]
    for text in texts:
        ffi.cdef(declarations(text))
    version = re.search(r'define ZO_VERSION "([^"]+)"', texts[0])
    wanted, why = version.group(1) if version else "", ""
    for place in _places():
        try:
            lib = ffi.dlopen(place)
        except OSError as error:
            why = why or str(error)
            continue
        there = ffi.string(lib.zo_version()).decode()
        if there != wanted:
            raise ImportError(f"zoprox: {place} is version {there}, and the headers are those of {wanted}")
        if _settings_of(ffi, lib) != {name for name, _ in ffi.typeof("zo_settings").fields}:  # of a version that is not out yet
            raise ImportError(f"zoprox: {place} was built from other headers than those of this package; build it anew")
        return ffi, lib, place
    raise ImportError(f"zoprox: no libzoprox.so ({why}); build it with ./run build, install the package with pip, or set ZOPROX_LIBRARY")


ffi, lib, LIBRARY = _load()
VERSION = ffi.string(lib.zo_version()).decode()


def text_of(chars: Any) -> str:
    """A C string as str; NULL is ''."""
    return ffi.string(chars).decode("utf-8", "replace") if chars else ""


def new_error() -> Any:
    return ffi.new("zo_error *")


def c_text(name: str, text: Any) -> bytes:
    """A str as C takes it."""
    if not isinstance(text, str) or "\0" in text:
        raise ArgumentError(f"{name}: expected a text without NUL, got {text!r}")
    return text.encode("utf-8", "surrogateescape")


def encoded(name: str, path: Any) -> bytes:
    """A path as C takes it."""
    try:
        bytes_ = os.fsencode(path)
    except TypeError:
        raise ArgumentError(f"{name}: expected a path, got {path!r}") from None
    if b"\0" in bytes_:
        raise ArgumentError(f"{name}: expected a path, which has no NUL, got {path!r}")
    return bytes_


def failure(status: int, error: Any) -> Error:
    """What a status other than ZO_OK stands for."""
    kind = KINDS.get(ffi.typeof("zo_status").elements.get(status, ""), Error)
    return kind(text_of(error.text) or text_of(lib.zo_status_name(status)))


def check(status: int, error: Any) -> None:
    """Raises it."""
    if status:
        raise failure(status, error)

# SPDX-License-Identifier: MIT
"""Builds the wheel: the package, the public headers and the library that ./run build left. Nothing is downloaded."""
import base64
import hashlib
import os
import re
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CHECKOUT = HERE.parent
VERSION = re.search(r'define ZO_VERSION "([^"]+)"', (CHECKOUT / "include" / "zoprox.h").read_text()).group(1)
INFO = f"zoprox-{VERSION}.dist-info"
TAG = "py3-none-" + re.sub("[-.]", "_", sysconfig.get_platform())
METADATA = f"""Metadata-Version: 2.1
Name: zoprox
Version: {VERSION}
Summary: Minimizes sums of black boxes, with a regulariser or constraints
License: MIT
Requires-Python: >=3.9
Requires-Dist: cffi
Requires-Dist: numpy
"""


def library():
    given = os.environ.get("ZOPROX_LIBRARY")
    path = Path(given) if given else CHECKOUT / "build" / "release" / "lib" / "libzoprox.so"
    if not path.is_file():
        sys.exit(f"zoprox: no {path}; build the library first with ./run build, or set ZOPROX_LIBRARY")
    return path


def contents():
    """(name in the wheel, bytes) of every file."""
    package = HERE / "zoprox"
    for path in sorted([*package.glob("*.py"), package / "py.typed"]):
        yield f"zoprox/{path.name}", path.read_bytes()
    for header in sorted((CHECKOUT / "include").glob("*.h")):
        yield f"zoprox/include/{header.name}", header.read_bytes()
    yield "zoprox/libzoprox.so", library().read_bytes()
    yield f"{INFO}/METADATA", METADATA.encode()
    yield f"{INFO}/WHEEL", f"Wheel-Version: 1.0\nGenerator: zoprox\nRoot-Is-Purelib: false\nTag: {TAG}\n".encode()


def _digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = f"zoprox-{VERSION}-{TAG}.whl"
    record = []
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in contents():
            wheel.writestr(path, data)
            record.append(f"{path},{_digest(data)},{len(data)}\n")
        wheel.writestr(f"{INFO}/RECORD", "".join(record) + f"{INFO}/RECORD,,\n")
    return name


def build_sdist(sdist_directory, config_settings=None):
    name = f"zoprox-{VERSION}.tar.gz"
    with tarfile.open(Path(sdist_directory) / name, "w:gz") as tar:
        for part in ("python/zoprox", "python/pyproject.toml", f"python/{Path(__file__).name}", "include"):
            tar.add(CHECKOUT / part, f"zoprox-{VERSION}/{part}")
    return name

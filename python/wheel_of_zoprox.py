# SPDX-License-Identifier: MIT
"""Builds the wheel (PEP 517, 660): compiles the C library and puts it, the headers and the package into one file.

Python's own modules, a C compiler and CMake are enough; nothing is downloaded where they are there. The library needs libc
alone: compressed files are unpacked by Python. ZOPROX_LIBRARY names one that is built already, to be taken as it is."""
import base64
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = next(folder for folder in (HERE / "c", HERE.parent) if (folder / "include" / "zoprox.h").is_file())  # sdist, checkout
VERSION = re.search(r'define ZO_VERSION "([^"]+)"', (SOURCE / "include" / "zoprox.h").read_text()).group(1)
INFO = f"zoprox-{VERSION}.dist-info"
TAG = "py3-none-" + re.sub("[-.]", "_", sysconfig.get_platform())
LIBRARY = "libzoprox.dylib" if sys.platform == "darwin" else "libzoprox.so"
PARTS = ("CMakeLists.txt", "LICENSE", "README.md", "cmake", "include", "src")  # what the library is built from
METADATA = f"""Metadata-Version: 2.1
Name: zoprox
Version: {VERSION}
Summary: Minimizes sums of black boxes, with a regulariser or constraints
License: MIT
Requires-Python: >=3.9
Requires-Dist: cffi
Requires-Dist: numpy
Description-Content-Type: text/markdown

{(SOURCE / "README.md").read_text(encoding="utf-8")}"""


# ---- the library --------------------------------------------------------------------------------------------


def get_requires_for_build_wheel(config_settings=None):
    """Tools that are not here, by the names under which pip knows them."""
    make = any(map(shutil.which, ("ninja", "make", "gmake")))
    return ([] if shutil.which("cmake") else ["cmake"]) + ([] if make else ["ninja"])


def compiled(folder):
    """The library, built in folder, which keeps what it can be built from anew."""
    given = os.environ.get("ZOPROX_LIBRARY")
    if given:
        return Path(given)
    generator = ["-G", "Ninja"] if shutil.which("ninja") and not (Path(folder) / "Makefile").exists() else []
    for command in (["cmake", "-S", SOURCE, "-B", folder, *generator, "-DCMAKE_BUILD_TYPE=Release", "-DZO_COMMAND=OFF",
                     "-DZO_ARCHIVE=OFF", "-DZO_TESTS=OFF"],
                    ["cmake", "--build", folder, "--target", "zoprox", "--parallel", str(os.cpu_count() or 1)]):
        done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            sys.exit(f"{done.stdout}\nzoprox: the library could not be built: {' '.join(map(str, command))}")
    return Path(folder) / "lib" / LIBRARY


# ---- the wheel ----------------------------------------------------------------------------------------------


def package():
    """(name in the wheel, bytes) of every file but the library."""
    folder = HERE / "zoprox"
    for path in sorted([*folder.glob("*.py"), folder / "py.typed"]):
        yield f"zoprox/{path.name}", path.read_bytes()
    for header in sorted((SOURCE / "include").glob("*.h")):
        yield f"zoprox/include/{header.name}", header.read_bytes()


def _digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _write(wheel_directory, contents):
    name, record = f"zoprox-{VERSION}-{TAG}.whl", []
    about = (("METADATA", METADATA), ("LICENSE", (SOURCE / "LICENSE").read_text()),
             ("WHEEL", f"Wheel-Version: 1.0\nGenerator: zoprox\nRoot-Is-Purelib: false\nTag: {TAG}\n"))
    with zipfile.ZipFile(Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in [*contents, *((f"{INFO}/{file}", text.encode()) for file, text in about)]:
            wheel.writestr(path, data)
            record.append(f"{path},{_digest(data)},{len(data)}\n")
        wheel.writestr(f"{INFO}/RECORD", "".join(record) + f"{INFO}/RECORD,,\n")
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    with tempfile.TemporaryDirectory() as folder:
        return _write(wheel_directory, [*package(), (f"zoprox/{LIBRARY}", compiled(folder).read_bytes())])


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    """The package stays where it is, and so does the library, in build/python; ./run build makes one that comes first."""
    compiled(SOURCE / "build" / "python")
    return _write(wheel_directory, [("zoprox.pth", f"{HERE}\n".encode())])


get_requires_for_build_editable = get_requires_for_build_wheel


# ---- the source distribution --------------------------------------------------------------------------------


def build_sdist(sdist_directory, config_settings=None):
    """The package at the top, what the library is built from in c/."""
    name, top = f"zoprox-{VERSION}.tar.gz", f"zoprox-{VERSION}"
    with tarfile.open(Path(sdist_directory) / name, "w:gz", format=tarfile.PAX_FORMAT) as tar:
        for file in ("pyproject.toml", Path(__file__).name, "zoprox"):
            tar.add(HERE / file, f"{top}/{file}", filter=_without_caches)
        for part in PARTS:
            tar.add(SOURCE / part, f"{top}/c/{part}", filter=_without_caches)
        about = tarfile.TarInfo(f"{top}/PKG-INFO")
        about.size = len(METADATA.encode())
        tar.addfile(about, io.BytesIO(METADATA.encode()))
    return name


def _without_caches(member):
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    return None if "__pycache__" in member.name else member

"""Where the compiled kernels are kept between runs.

numba caches compiled functions on disk, but its cache does not notice an edit in an imported module, and where no
folder is writable the import fails.  So before the kernels are imported its cache is pointed at::

    $SPIDER_CACHE_DIR, or the cache folder of the user       (a temporary folder when that cannot be written)
        kernels-<digest>/      digest of all that the machine code depends on, see `kernel_digest`
            compiled-search    written when the kernels of that part have been compiled, see machine_code.py

A new digest means new machine code; nothing stale can be loaded.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib
import os
import platform
import shutil
import sys
import tempfile
import warnings
from importlib import metadata
from pathlib import Path
from typing import Any

SETTINGS = ("NUMBA_BOUNDSCHECK", "NUMBA_CPU_FEATURES", "NUMBA_CPU_NAME", "NUMBA_DEBUGINFO", "NUMBA_OPT")
"""Variables that change the machine code; numba's own index overlooks some of them."""


class CacheWarning(UserWarning):
    """The compiled kernels cannot be kept, so every run compiles them anew."""


def user_cache_folder() -> Path:
    """Return the folder that holds the caches of this program for this user."""
    override = os.environ.get("SPIDER_CACHE_DIR")
    if override:
        return Path(override)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or "~/AppData/Local"
    elif sys.platform == "darwin":
        base = "~/Library/Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "spider-patience"


def kernel_digest() -> str:
    """Return what the machine code depends on, as 16 hexadecimal digits."""
    digest = hashlib.sha256()
    # Within a folder numba looks by the path of the sources and by processor, so that another installation, or another
    # machine with the same home, must not find our note that everything has been compiled.
    folder = Path(__file__).parent
    llvm: Any = importlib.import_module("llvmlite.binding")
    digest.update(f"{folder} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}".encode())
    for source in sorted(folder.glob("*.py")):
        digest.update(source.name.encode())
        digest.update(source.read_bytes())
    digest.update(f"{platform.python_implementation()} {sys.version} numba {metadata.version('numba')}".encode())
    digest.update(repr([os.environ.get(name, "") for name in SETTINGS]).encode())
    return digest.hexdigest()[:16]


def kernel_cache_folder() -> Path:
    """Return the folder for the machine code of these sources, made and tried; warn when it is a temporary one."""
    name = f"kernels-{kernel_digest()}"
    wanted = user_cache_folder() / name
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=wanted):
            pass
    except OSError as error:
        # numba refuses to import cached functions without a folder, so there must be one.
        warnings.warn(
            f"cannot write the cache folder {str(wanted)!r} ({error.strerror or error}): the kernels will be compiled "
            "in every run; set SPIDER_CACHE_DIR to a folder that can be written",
            CacheWarning,
            stacklevel=2,
        )
        temporary = Path(tempfile.mkdtemp(prefix="spider-"))
        atexit.register(shutil.rmtree, temporary, ignore_errors=True)
        return temporary
    return wanted


def import_kernels() -> Path:
    """Import the kernels so that numba keeps their machine code in our folder; return the folder.

    Only the first call does anything.  numba's own setting is put back afterwards.
    """
    global _folder
    if _folder is None:
        folder = kernel_cache_folder()
        # numba reads its settings from the environment into attributes that no stub knows.
        config: Any = importlib.import_module("numba").config
        before = config.CACHE_DIR
        config.CACHE_DIR = str(folder)
        try:
            # These import all others.  A module of kernels that is first imported later would be cached elsewhere.
            for name in ("beam", "bestfirst", "exhaust", "idastar", "perft", "trim"):
                importlib.import_module(f"solver.kernel.{name}")
        finally:
            config.CACHE_DIR = before
        _folder = folder
    return _folder


_folder: Path | None = None
_compiled_here = False


def compiled_here() -> bool:
    """Whether this process has compiled the kernels, so that it still holds what the compiler took."""
    return _compiled_here


def is_compiled(folder: Path, part: str) -> bool:
    """Whether the machine code of a part in the folder is complete."""
    return (folder / f"compiled-{part}").exists()


def mark_compiled(folder: Path, part: str) -> None:
    """Note that this process has compiled the kernels of a part."""
    global _compiled_here
    _compiled_here = True
    try:
        (folder / f"compiled-{part}").touch()
    except OSError:
        # Only the message about compiling depends on it.
        return

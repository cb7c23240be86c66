# SPDX-License-Identifier: Apache-2.0
"""Files that the package writes: all of them or nothing."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from vernier._errors import InputError
from vernier._errors import path as path_text


@contextlib.contextmanager
def unfinished(path: str | os.PathLike[str], read: str = "") -> Iterator[Path]:
    """A name in the folder of `path`, with the same ending, for what the block writes; the file has its own name once all is written.

    Parameters
    ----------
    path : path
    read : str
        A file that stays what it is, such as the network's.

    Raises
    ------
    InputError
        For no name, the name of `read`, and a file that cannot be written.
    """
    file = Path(path_text("path", path))
    if not file.name or (os.path.exists(file) and os.path.exists(read) and os.path.samefile(file, read)):
        found = repr(str(file)) if file.name else "no name"
        raise InputError(f"path: found {found}, expected another file than the network's", found=found, allowed="another file than the network's")
    begun = file.with_name(f".{os.getpid()}.{file.name}")
    try:
        yield begun
        begun.replace(file)
    except (OSError, ValueError) as error:
        raise InputError(f"{file}: cannot be written: {error}", file=str(file)) from error
    finally:
        with contextlib.suppress(OSError):
            begun.unlink(missing_ok=True)

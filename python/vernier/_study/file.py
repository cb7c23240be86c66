# SPDX-License-Identifier: Apache-2.0
"""A study from a TOML file, whose keys are the parameters of `Study`."""

from __future__ import annotations

import glob
import os
import tomllib
from pathlib import Path
from typing import Any

from vernier._errors import InputError
from vernier._study.points import AXES, is_machine_file, known, mapping
from vernier._study.study import Study

KEYS = ("models", "configs", "memory", "sram_bytes", "optimize", "set", "points", "load", "values", "seed", "file")


def study_of_file(path: str, results: str | None = None) -> Study:
    """Read a study. Networks and machines are looked for from the folder of the file, and a name may have stars.

    Raises
    ------
    InputError
        For a file that is no TOML, an unknown key with the nearest one, and what `Study` refuses.
    """
    try:
        with open(path, "rb") as file:
            found = tomllib.load(file)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}", file=path) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: is no TOML: {error}", file=path) from error
    folder = Path(path).parent
    try:
        named = _arguments(found, folder)
        named["file"] = results or _in(folder, named.get("file") or Path(path).with_suffix(".sqlite").name)
        return Study(**named)
    except InputError as error:
        if error.file is not None:
            raise
        raise InputError(f"{path}: {error.message}", file=path, found=error.found, allowed=error.allowed) from error


def _arguments(found: dict[str, Any], folder: Path) -> dict[str, Any]:
    known("study", found, KEYS)
    for name, kind in (("values", bool), ("seed", int), ("file", str), ("points", list)):
        if name in found and not (isinstance(found[name], kind) and (kind is bool or not isinstance(found[name], bool))):
            raise InputError(f"{name}: found {found[name]!r}, expected {kind.__name__}", found=repr(found[name]), allowed=kind.__name__)
    named = dict(found)
    if "models" in found:
        named["models"] = [file for name in _names("models", found["models"]) for file in _matches(folder, name)]
    if "configs" in found:
        named["configs"] = [_machine(folder, name) for name in _names("configs", found["configs"])]
    named["points"] = [_point(folder, number, point) for number, point in enumerate(found.get("points", []), 1)]
    return named


def _point(folder: Path, number: int, point: object) -> dict[str, Any]:
    place = f"points: {number}"
    named = dict(mapping(place, point))
    known(place, named, AXES)
    if isinstance(named.get("model"), str):
        named["model"] = _in(folder, named["model"])
    if isinstance(named.get("config"), str):
        named["config"] = _machine(folder, named["config"])
    return named


def _in(folder: Path, name: str) -> str:
    return os.path.normpath(os.path.join(folder, name))


def _names(key: str, value: Any) -> list[str]:
    names: list[str] = value if isinstance(value, list) else [value]
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"{key}: found {name!r}, expected a text or a list of texts", found=repr(name), allowed="a text or a list of texts")
    return names


def _matches(folder: Path, name: str) -> list[str]:
    path = _in(folder, name)
    if not glob.has_magic(name) or os.path.exists(path):
        return [path]
    files = sorted(glob.glob(path, recursive=True))
    if not files:
        raise InputError(f"models: no file is named {name!r}", found=repr(name), allowed="files that are there")
    return files


def _machine(folder: Path, name: str) -> str:
    """The path of a machine's file, which stands beside the study; a preset's name as it is."""
    return _in(folder, name) if is_machine_file(name) else name

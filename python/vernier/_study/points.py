# SPDX-License-Identifier: Apache-2.0
"""What a study consists of: files, and points with their keys. Nothing here knows Dask or SQLite."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from vernier._errors import InputError, nearest, shown, word

AXES = ("model", "config", "memory", "sram_bytes", "optimize", "set")
LOAD_OPTIONS = ("level", "batch", "shapes", "signature", "tflite_rounding")
Value = str | int | float | bool | None


class Point(NamedTuple):
    """One run: a network, by its file's name in the study, on a machine."""

    number: int
    key: str
    model: str
    config: str | None
    memory: str | None
    sram_bytes: int | str | None
    optimize: int | None
    set: dict[str, Value]

    def asked(self) -> dict[str, Any]:
        """What was asked for, without what was left open."""
        named = {name: getattr(self, name) for name in AXES}
        return {name: value for name, value in named.items() if value not in (None, {})}


@dataclass(frozen=True)
class Source:
    """A network or a machine of a file, with the files beside it that belong to it: bytes by file name, its own first."""

    name: str
    files: dict[str, bytes]

    @property
    def digest(self) -> str:
        """Of all contents; the folder does not matter."""
        return digest_of({name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()})


def read(file: str) -> Source:
    """A file with those that are read with it: the ends of a .tosa that `vernier convert` wrote, and the weights of an .onnx."""
    path = Path(file)
    try:
        files = {path.name: path.read_bytes()}
        if path.suffix == ".tosa" and (ends := path.with_suffix(".boundary.json")).exists():
            files[ends.name] = ends.read_bytes()
        if path.suffix == ".onnx" and b"location" in files[path.name]:
            for other in sorted(path.parent.iterdir()):
                if other != path and other.is_file() and other.name.encode() in files[path.name]:
                    files[other.name] = other.read_bytes()
    except OSError as error:
        raise InputError(f"{file}: {error.strerror or error}", file=file) from error
    return Source(file, files)


def is_machine_file(config: str) -> bool:
    """Whether a machine is one of a file, not a preset: the program decides the same way."""
    return config.endswith(".toml") or "/" in config


def digest_of(content: object) -> str:
    """32 hexadecimal digits of a value that JSON can write; the order of keys does not matter."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:32]


@dataclass
class Plan:
    """The points of a study: every combination of a grid, then those that are listed one by one."""

    version: str
    grid: dict[str, list[Any]]
    sets: dict[str, list[Value]]
    listed: list[dict[str, Any]]
    load: dict[str, Any]
    values: bool
    seed: int
    sources: dict[str, Source] = field(default_factory=dict)

    def __post_init__(self) -> None:
        models = [*self.grid["model"], *(point["model"] for point in self.listed)]
        configs = [*self.grid["config"], *(point.get("config") for point in self.listed)]
        for name in [*models, *(name for name in configs if name is not None and is_machine_file(name))]:
            if name not in self.sources:
                self.sources[name] = read(name)
        self._digests = {name: source.digest for name, source in self.sources.items()}

    def __len__(self) -> int:
        sizes = [len(values) for values in (*self.grid.values(), *self.sets.values())]
        product = 1
        for size in sizes:
            product *= size
        return product + len(self.listed)

    def definition(self) -> dict[str, Any]:
        """What decides the results of the study; two studies with the same definition have the same points."""
        named = {name: [self._digests.get(value, value) for value in values] for name, values in self.grid.items()}
        listed = [{name: self._digests.get(value, value) if isinstance(value, str) else value for name, value in point.items()}
                  for point in self.listed]
        return {**named, "set": self.sets, "points": listed, "load": self.load, "values": self.values, "seed": self.seed}

    def points(self) -> Iterator[Point]:
        """Every point once: of two with the same key the first."""
        seen = set()
        for number, asked in enumerate(self._asked()):
            contents = {**asked, "model": self._digests[asked["model"]], "config": self._digests.get(asked["config"], asked["config"])}
            key = digest_of([self.version, contents, self.load, self.values, self.seed])
            if key not in seen:
                seen.add(key)
                yield Point(number, key, **asked)

    def _asked(self) -> Iterator[dict[str, Any]]:
        for row in itertools.product(*self.grid.values(), *self.sets.values()):
            axes = dict(zip(self.grid, row, strict=False))
            yield {**axes, "set": dict(zip(self.sets, row[len(self.grid) :], strict=True))}
        for point in self.listed:
            yield {name: {} if name == "set" else None for name in AXES} | point


def listed(name: str, values: object, kinds: tuple[type, ...]) -> list[Any]:
    """A list of values, from one value or several; None stands for what the machine has by itself.

    Raises
    ------
    InputError
        For an empty list, and for a value of another type.
    """
    if isinstance(values, np.ndarray):
        values = values.tolist()
    is_one = values is None or isinstance(values, (str, bytes, int, float, os.PathLike, Mapping)) or not isinstance(values, Iterable)
    taken = [values] if is_one else list(values)  # type: ignore[call-overload]
    if not taken:
        raise InputError(f"{name}: found an empty list, expected one value or more", found="an empty list", allowed="one value or more")
    return [checked(name, value, kinds) for value in taken]


def checked(name: str, value: Any, kinds: tuple[type, ...]) -> Any:
    """A value of one of these types, or None. A path becomes text, a number of numpy one of Python, a whole float an int."""
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value is None or (isinstance(value, kinds) and (bool in kinds or not isinstance(value, bool))):
        return word(name, value) if isinstance(value, str) else value
    allowed = " or ".join(kind.__name__ for kind in kinds)
    raise InputError(f"{name}: found {shown(value)}, expected {allowed}", found=shown(value), allowed=allowed)


def known(place: str, names: Iterable[Any], allowed: Sequence[str]) -> None:
    """Refuse a name that is none of these, with the nearest."""
    for name in names:
        if name not in allowed:
            names_allowed = ", ".join(allowed)
            near = nearest(name, allowed) if isinstance(name, str) else ""
            raise InputError(f"{place}: unknown key {name!r}{near} (allowed are {names_allowed})", found=repr(name), allowed=names_allowed)


def mapping(name: str, value: object) -> Mapping[Any, Any]:
    """A dict, or one line that says that it is none."""
    if not isinstance(value, Mapping):
        kind = type(value).__name__
        raise InputError(f"{name}: found {kind}, expected a dict", found=kind, allowed="a dict")
    return value

# SPDX-License-Identifier: Apache-2.0
"""What can go wrong: the caller's mistakes, and simulated machines that stop."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral
from typing import TypeVar

import numpy as np

Value = TypeVar("Value")


class InputError(ValueError):
    """Something that was given is wrong: a file, an option, a name or an array.

    The text says what was found, what is allowed and where, in one line for each mistake. Texts that come from the compiler name an
    option as the command line does: ``--sram-bytes`` is the argument `sram_bytes`.

    Attributes
    ----------
    message : str
        The text.
    file : str or None
        The file at fault; None where it is no file, or several are at fault.
    found, allowed : str or None
        What was given and what is taken. Both are known for arrays and names that the package itself looks at; texts of the
        compiler have them in `message` only.
    """

    def __init__(self, message: str, *, file: str | None = None, found: str | None = None, allowed: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.file = file
        self.found = found
        self.allowed = allowed


class MachineError(RuntimeError):
    """The simulated machine stopped with a fault, or hangs: a finding about the machine, no mistake of the caller.

    Attributes
    ----------
    messages : list of str
        Which unit waits for what, or the fault with its command, address and layer.
    """

    def __init__(self, messages: list[str]) -> None:
        super().__init__("\n".join(messages))
        self.messages = messages


@contextmanager
def about(file: str) -> Iterator[None]:
    """Errors that begin with the name of the file get it as their attribute."""
    try:
        yield
    except InputError as error:
        if error.file is None and error.message.startswith(f"{file}:"):
            error.file = file
        raise


def nearest(name: str, names: Iterable[str]) -> str:
    """The end of a message about a name that is none: the one that was probably meant."""
    close = difflib.get_close_matches(name, list(names), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def shown(value: object) -> str:
    """A number or a word as Python writes it, of anything else its type: one line of a message."""
    return repr(value) if value is None or isinstance(value, (bool, int, float, str, bytes)) else type(value).__name__


def chosen(name: str, given: str, codes: Mapping[str, int]) -> int:
    """What a word stands for; `name` is the argument's."""
    if not isinstance(given, str) or given not in codes:
        near = nearest(given, codes) if isinstance(given, str) else ""
        raise InputError(f"{name}: found {shown(given)}, expected one of {', '.join(codes)}{near}", found=shown(given), allowed=", ".join(codes))
    return codes[given]


def word(name: str, value: str, allowed: str = "a text") -> str:
    """`value`, which is a text that UTF-8 has, without a zero byte."""
    if not isinstance(value, str) or "\0" in value or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise InputError(f"{name}: found {shown(value)}, expected {allowed}", found=shown(value), allowed=allowed)
    return value


def flag(name: str, value: bool) -> bool:
    """`value`, which is True or False, also of numpy."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name}: found {shown(value)}, expected True or False", found=shown(value), allowed="True or False")
    return bool(value)


def path(name: str, value: str | os.PathLike[str]) -> str:
    """`value`, which is a text or a path, as a text."""
    return word(name, os.fspath(value) if isinstance(value, os.PathLike) else value, "a text or a path")


def by_name(name: str, given: Mapping[str, Value] | None, of: str) -> dict[str, Value]:
    """`given`, which is a dict whose keys are texts, or empty where it is None; `of` says what its values are."""
    if given is None:
        return {}
    allowed = f"a dict of {of} by name"
    if not isinstance(given, Mapping):
        raise InputError(f"{name}: found {shown(given)}, expected {allowed}", found=shown(given), allowed=allowed)
    for key in given:
        if not isinstance(key, str):
            raise InputError(f"{name}: found the key {shown(key)}, expected {allowed}", found=shown(key), allowed=allowed)
        word(name, key)
    return dict(given)


def whole(name: str, value: int, least: int, most: int) -> int:
    """`value`, which is a whole number in that range, as an int; numpy's integers are whole numbers too."""
    if isinstance(value, bool) or not isinstance(value, Integral) or not least <= value <= most:
        allowed = f"a whole number from {least} to {most}"
        raise InputError(f"{name}: found {shown(value)}, expected {allowed}", found=shown(value), allowed=allowed)
    return int(value)

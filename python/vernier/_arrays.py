# SPDX-License-Identifier: Apache-2.0
"""Arrays that a caller gives, looked at before the machine gets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from vernier._errors import InputError, by_name, nearest

TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "int64", "float32")
Array = npt.NDArray[Any]


def checked(given: Mapping[str, Array] | None, names: list[str]) -> dict[str, tuple[str, Array]]:
    """Type and array by name, each array in C order and in this computer's byte order. Others are copied once.

    Raises
    ------
    InputError
        For a name that is no input, an input that is missing, what is no array of numpy, and a type that no input has. Whether type
        and shape fit the input is seen by the compiled half, which says it in the same form.
    """
    listed = ", ".join(repr(name) for name in names) or "none"
    inputs = by_name("inputs", given, "arrays")
    for name in inputs:
        if name not in names:
            raise InputError(f"inputs: no input is named {name!r}, the inputs are {listed}{nearest(name, names)}", found=repr(name), allowed=listed)
    for name in names:
        if inputs and name not in inputs:
            raise InputError(f"inputs: {name!r} is missing, the inputs are {listed}", found=", ".join(map(repr, inputs)), allowed=listed)
    return {name: plain(f"input {name!r}", array) for name, array in inputs.items()}


def plain(what: str, array: Array) -> tuple[str, Array]:
    """Type and array, which is in C order and in this computer's byte order; `what` begins a message."""
    if not isinstance(array, np.ndarray):
        found = type(array).__name__
        raise InputError(f"{what}: found {found}, expected an array of numpy (numpy.asarray makes one)", found=found, allowed="numpy.ndarray")
    if array.dtype.name not in TYPES:
        allowed = ", ".join(TYPES)
        raise InputError(f"{what}: found an array of {array.dtype}, expected one of {allowed}", found=str(array.dtype), allowed=allowed)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array.dtype.name, array if array.flags.c_contiguous else array.copy(order="C")

# SPDX-License-Identifier: Apache-2.0
"""Arrays that a caller gives, looked at before the machine gets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from vernier._errors import InputError, nearest

TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "int64", "float32")
Array = npt.NDArray[Any]


def checked(inputs: Mapping[str, Array], names: list[str]) -> dict[str, tuple[str, Array]]:
    """Type and array by name, each array in C order and in this computer's byte order. Others are copied once.

    Raises
    ------
    InputError
        For a name that is no input, an input that is missing, what is no array of numpy, and a type that no input has. Whether type
        and shape fit the input is seen by the compiled half, which says it in the same form.
    """
    listed = ", ".join(repr(name) for name in names) or "none"
    if not isinstance(inputs, Mapping):
        raise InputError(f"inputs: found {_kind(inputs)}, expected a dict of arrays by name; the inputs are {listed}", found=_kind(inputs),
                         allowed="a dict of arrays by name")
    for name in inputs:
        if name not in names:
            near = nearest(name, names) if isinstance(name, str) else ""
            raise InputError(f"inputs: no input is named {name!r}, the inputs are {listed}{near}", found=repr(name), allowed=listed)
    for name in names:
        if inputs and name not in inputs:
            raise InputError(f"inputs: {name!r} is missing, the inputs are {listed}", found=", ".join(map(repr, inputs)), allowed=listed)
    return {name: _plain(name, array) for name, array in inputs.items()}


def _plain(name: str, array: Array) -> tuple[str, Array]:
    if not isinstance(array, np.ndarray):
        raise InputError(f"input {name!r}: found {_kind(array)}, expected an array of numpy (numpy.asarray makes one)", found=_kind(array),
                         allowed="numpy.ndarray")
    if array.dtype.name not in TYPES:
        allowed = ", ".join(TYPES)
        raise InputError(f"input {name!r}: found an array of {array.dtype}, expected one of {allowed}", found=str(array.dtype), allowed=allowed)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    return array.dtype.name, array if array.flags.c_contiguous else array.copy(order="C")


def _kind(value: object) -> str:
    return type(value).__name__

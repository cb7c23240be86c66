# SPDX-License-Identifier: Apache-2.0
"""Arrays that a caller gives, looked at before the machine gets them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from vernier._errors import InputError, by_name, nearest

TYPES = ("bool", "int8", "uint8", "int16", "uint16", "int32", "int64", "float32")
Array = npt.NDArray[Any]
Given = tuple[str, Array, bool]  # numpy's name of the type; whether elements are in the other byte order
MOST_ELEMENTS = 2**31 - 1
SMALL_ELEMENTS = 2**20  # so many are copied also where the input has fewer: the compiled half compares the shapes


def checked(given: Mapping[str, Array] | None, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Given]:
    """What the compiled half takes, by name; `shapes` are those of the inputs. Nothing is copied here.

    Raises
    ------
    InputError
        For a name that is no input, an input that is missing, what is no array of numpy, a type that no input has, and an array
        that is far too large. Whether type and shape fit is seen by the compiled half, which says it in the same form.
    """
    names = list(shapes)
    listed = ", ".join(repr(name) for name in names) or "none"
    inputs = by_name("inputs", given, "arrays")
    for name in inputs:
        if name not in names:
            raise InputError(f"inputs: no input is named {name!r}, the inputs are {listed}{nearest(name, names)}", found=repr(name), allowed=listed)
    for name in names:
        if inputs and name not in inputs:
            raise InputError(f"inputs: {name!r} is missing, the inputs are {listed}", found=", ".join(map(repr, inputs)), allowed=listed)
    return {name: plain(f"input {name!r}", array, max(math.prod(shapes[name]), SMALL_ELEMENTS)) for name, array in inputs.items()}


def plain(what: str, array: Array, most_elements: int = MOST_ELEMENTS) -> Given:
    """Type, array, and whether it is in the other byte order; `what` begins a message. The compiled half copies it, in any order of
    elements."""
    if not isinstance(array, np.ndarray) or isinstance(array, np.ma.MaskedArray):
        found = type(array).__name__
        raise InputError(f"{what}: found {found}, expected an array of numpy (numpy.asarray makes one)", found=found, allowed="numpy.ndarray")
    if array.dtype.name not in TYPES:
        allowed = ", ".join(TYPES)
        raise InputError(f"{what}: found an array of {array.dtype}, expected one of {allowed}", found=str(array.dtype), allowed=allowed)
    if array.size > most_elements:
        found, allowed = str(list(array.shape)), f"{most_elements:,} elements or fewer"
        raise InputError(f"{what}: found an array of the shape {found}, expected {allowed}", found=found, allowed=allowed)
    is_swapped = not array.dtype.isnative
    if is_swapped:
        array = array.view(array.dtype.newbyteorder("="))
    if any(stride % array.itemsize for stride in array.strides):  # a field of records
        array = array.copy(order="C")
    return array.dtype.name, array, is_swapped

# SPDX-License-Identifier: Apache-2.0
"""The golden arithmetic of the rescale unit and of the table unit, on arrays of numpy."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

from vernier import _libraries
from vernier._arrays import MOST_ELEMENTS
from vernier._errors import InputError, chosen, flag, shown

Integers = npt.NDArray[Any] | int
#: Codes of the RTL's ports and of the command stream.
TYPES = {"int8": 2, "int16": 3, "int32": 4, "int48": 5}
ROUNDINGS = {"single": 0, "double": 1, "inexact": 2, "half-even": 3}
TABLE_ENTRIES = {"int8": 256, "int16": 513, "int32": 256}
INT32_MIN, INT32_MAX = -(2**31), 2**31 - 1


def rescale(
    values: Integers,
    multipliers: Integers,
    shifts: Integers,
    *,
    in_type: str = "int32",
    out_type: str = "int8",
    in_unsigned: bool = False,
    out_unsigned: bool = False,
    scale32: bool = True,
    rounding: str = "single",
    in_zero_point: int = 0,
    out_zero_point: int = 0,
    clamp_min: int = INT32_MIN,
    clamp_max: int = INT32_MAX,
    libraries: _libraries.Folder | None = None,
) -> npt.NDArray[np.int32]:
    """RESCALE of TOSA 1.0, bit for bit as npu_rescale_unit computes it.

    Parameters
    ----------
    values, multipliers, shifts : integer arrays or int
        Of shapes that broadcast. Of a value the low bits of `in_type` are read. TOSA defines shifts from 2 to 62; a multiplier has 32 bits,
        or 16 where `scale32` is False.
    in_type : {"int8", "int16", "int32", "int48"}
    out_type : {"int8", "int16", "int32"}
        Results are saturated to it. A quotient that 32 bits do not hold, of which TOSA says nothing, loses its upper bits first, as in the unit.
    in_unsigned, out_unsigned : bool
        The type's bits are a number without sign.
    scale32 : bool
        True multiplies 32 x 32 bits, False 48 x 16.
    rounding : {"single", "double", "inexact", "half-even"}
    in_zero_point, out_zero_point : int
        Numbers that are subtracted before the product and added after the shift.
    clamp_min, clamp_max : int
        Limits after saturation; of both limits the upper one is the stronger.
    libraries : path, optional
        Folder of libvernier_ref.so; the environment's VERNIER_LIB when absent, else the folder of this package.

    Returns
    -------
    int32 array
        Of the broadcast shape. Results are numbers: 255 of an unsigned int8 is 255.

    Raises
    ------
    InputError
        For arrays that hold no integers, shapes that do not fit, types and roundings that are not there, and a missing library.
    """
    library = _libraries.reference(libraries)
    arrays = [_integers("values", values, -(2**63), 2**63 - 1), _integers("multipliers", multipliers, INT32_MIN, INT32_MAX),
              _integers("shifts", shifts, 0, 63)]
    try:
        arrays = [np.array(array, order="C") for array in np.broadcast_arrays(*arrays)]
    except ValueError as error:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise InputError(f"rescale: values, multipliers and shifts have the shapes {shapes}, which do not broadcast", found=shapes) from error
    held = [array.astype(kind) for array, kind in zip(arrays, (np.int64, np.int32, np.int32), strict=True)]
    numbers = {name: _number(name, number) for name, number in (("in_zero_point", in_zero_point), ("out_zero_point", out_zero_point),
                                                                ("clamp_min", clamp_min), ("clamp_max", clamp_max))}
    setup = _libraries.RescaleSetup(chosen("in_type", in_type, TYPES), chosen("out_type", out_type, {k: v for k, v in TYPES.items() if v < 5}),
                                    flag("in_unsigned", in_unsigned), flag("out_unsigned", out_unsigned), flag("scale32", scale32),
                                    chosen("rounding", rounding, ROUNDINGS),
                                    *numbers.values())
    results = np.zeros(held[0].shape, np.int32)
    _must(library.vernier_ref_rescale_lanes(ctypes.byref(setup), results.size, *(array.ctypes.data for array in held), results.ctypes.data))
    return results


def look_up(table: npt.NDArray[Any], operands: Integers, *, libraries: _libraries.Folder | None = None) -> npt.NDArray[np.int32]:
    """TABLE of TOSA 1.0, bit for bit as npu_table_unit computes it.

    Parameters
    ----------
    table : array
        256 entries of int8 or int32: the result is the entry at operand + 128. 513 entries of int16: the result lies between two entries,
        with a fraction of 7 bits.
    operands : integer array or int
        From -128 to 127, with a table of int16 from -32768 to 32767.
    libraries : path, optional
        As for `rescale`.

    Returns
    -------
    int32 array
        Of the shape of `operands`. Results of an int16 table have 23 bits.

    Raises
    ------
    InputError
        For a table of another type or size, operands outside, and a missing library.
    """
    library = _libraries.reference(libraries)
    found = f"{table.dtype} {list(table.shape)}" if isinstance(table, np.ndarray) else type(table).__name__
    allowed = ", ".join(f"{name} [{entries}]" for name, entries in TABLE_ENTRIES.items())
    if not isinstance(table, np.ndarray) or table.shape != (TABLE_ENTRIES.get(table.dtype.name),):
        raise InputError(f"table: found {found}, expected one of {allowed}", found=found, allowed=allowed)
    half = 2**15 if table.dtype.name == "int16" else 2**7
    stored = np.array(table, table.dtype.newbyteorder("<"), order="C")
    given = _integers("operands", operands, -half, half - 1)
    results, result = np.zeros(given.shape, np.int32), ctypes.c_int32()
    for place, operand in np.ndenumerate(given):
        _must(library.vernier_ref_table(TYPES[table.dtype.name], stored.ctypes.data, stored.nbytes, int(operand), ctypes.byref(result)))
        results[place] = result.value
    return results


def _integers(name: str, given: Integers, least: int, most: int) -> npt.NDArray[Any]:
    allowed = f"whole numbers from {least} to {most}"
    try:
        array = np.asarray(given)
    except ValueError as error:  # lists of different lengths
        raise InputError(f"{name}: found {shown(given)}, expected {allowed}", found=shown(given), allowed=allowed) from error
    if array.size > MOST_ELEMENTS:
        fewer = f"{MOST_ELEMENTS} or fewer"
        raise InputError(f"{name}: found {array.size} elements, expected {fewer}", found=str(array.size), allowed=fewer)
    if array.dtype.kind not in "iu":
        raise InputError(f"{name}: found {array.dtype}, expected {allowed}", found=str(array.dtype), allowed=allowed)
    if array.size and (int(array.min()) < least or int(array.max()) > most):
        found = f"{array.min()} to {array.max()}"
        raise InputError(f"{name}: found {found}, expected {allowed}", found=found, allowed=allowed)
    return array


def _number(name: str, number: int) -> int:
    array = _integers(name, number, INT32_MIN, INT32_MAX)
    if array.ndim != 0:
        raise InputError(f"{name}: found an array, expected one number", found="an array", allowed="one number")
    return int(array)


def _must(result: int) -> None:
    if result != 0:
        raise InputError(f"libvernier_ref.so refuses its arguments with code {result}", found=str(result), allowed="0")

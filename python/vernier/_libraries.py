# SPDX-License-Identifier: Apache-2.0
"""The shared libraries that `vernier.golden` calls: where they are, and what their functions take (sim/host/vernier.h, hw/ref/vernier_ref.h)."""

from __future__ import annotations

import ctypes
import os
import threading
from ctypes import POINTER, Structure, c_char, c_char_p, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

from vernier._errors import InputError

VARIABLE = "VERNIER_LIB"
VERSION = 1  # of the interface of either library
Folder = str | os.PathLike[str]

#: SystemC has one context in a process: whoever simulates has this lock.
turn = threading.RLock()


class Options(Structure):
    """vernier_options."""

    _fields_ = [("config", c_char_p), ("control", c_int32), ("firmware", c_char_p), ("on_console", c_void_p), ("context", c_void_p)]


class Tensor(Structure):
    """vernier_tensor."""

    _fields_ = [("name", c_char * 128), ("type", c_char * 8), ("element_bytes", c_int32), ("rank", c_int32), ("shape", c_int64 * 8),
                ("num_bytes", c_size_t)]


class Place(Structure):
    """vernier_place."""

    _fields_ = [("sram_base", c_int64), ("sram_bytes", c_int64), ("external_base", c_int64), ("external_bytes", c_int64)]


class Buffer(Structure):
    """vernier_buffer."""

    _fields_ = [("data", c_void_p), ("num_bytes", c_size_t)]


class Request(Structure):
    """vernier_request."""

    _fields_ = [("inputs", POINTER(Buffer)), ("num_inputs", c_int32), ("priority", c_uint32), ("arrival_cycle", c_int64),
                ("time_out_cycles", c_int64), ("watchdog_cycles", c_int64)]


class JobInfo(Structure):
    """vernier_job."""

    _fields_ = [("outcome", c_int32), ("arrival_cycle", c_int64), ("start_cycle", c_int64), ("end_cycle", c_int64), ("told_cycle", c_int64)]


class Fault(Structure):
    """vernier_fault."""

    _fields_ = [("code", c_int32), ("code_name", c_char * 32), ("command", c_int32), ("stream_byte", c_int64), ("memory", c_int32),
                ("address", c_int64), ("layer", c_char * 128), ("text", c_char * 512)]


class Command(Structure):
    """vernier_command."""

    _fields_ = [("job", c_int32), ("command", c_int32), ("start_cycle", c_int64), ("end_cycle", c_int64), ("queue", c_char * 8),
                ("layer", c_char * 128)]


class RescaleSetup(Structure):
    """vernier_ref_rescale_setup."""

    _fields_ = [(name, c_int32) for name in ("in_type", "out_type", "in_unsigned", "out_unsigned", "scale32", "rounding", "in_zero_point",
                                             "out_zero_point", "clamp_min", "clamp_max")]


_DEVICE, _NUMBER = c_void_p, POINTER(c_int32)
_HOST: dict[str, list[Any]] = {
    "open": [POINTER(Options), POINTER(c_void_p)],
    "close": [_DEVICE],
    "load": [_DEVICE, c_char_p, _NUMBER],
    "load_bytes": [_DEVICE, c_char_p, c_size_t, _NUMBER],
    "unload": [_DEVICE, c_int32],
    "num_tensors": [_DEVICE, c_int32, c_int32, _NUMBER],
    "tensor_info": [_DEVICE, c_int32, c_int32, c_int32, POINTER(Tensor)],
    "network_place": [_DEVICE, c_int32, POINTER(Place)],
    "submit": [_DEVICE, c_int32, POINTER(Request), _NUMBER],
    "wait": [_DEVICE, c_int32, c_int64],
    "release": [_DEVICE, c_int32],
    "job_info": [_DEVICE, c_int32, POINTER(JobInfo)],
    "output": [_DEVICE, c_int32, c_int32, c_void_p, c_size_t],
    "job_fault": [_DEVICE, c_int32, POINTER(Fault)],
    "cycles": [_DEVICE, POINTER(c_int64)],
    "step": [_DEVICE, c_int64],
    "step_command": [_DEVICE],
    "num_stepped": [_DEVICE, _NUMBER],
    "stepped": [_DEVICE, c_int32, POINTER(Command)],
    "read": [_DEVICE, c_int32, c_int32, c_int64, c_void_p, c_size_t],
}
_REFERENCE: dict[str, list[Any]] = {
    "ref_rescale_lanes": [POINTER(RescaleSetup), c_size_t, c_void_p, c_void_p, c_void_p, c_void_p],
    "ref_table": [c_int32, c_void_p, c_size_t, c_int32, _NUMBER],
}


def host(folder: Folder | None) -> ctypes.CDLL:
    """libvernier.so, of the version that this package is for."""
    return _opened(_file("libvernier.so", folder), "vernier_host_version")


def reference(folder: Folder | None) -> ctypes.CDLL:
    """libvernier_ref.so, of the version that this package is for."""
    return _opened(_file("libvernier_ref.so", folder), "vernier_ref_version")


def message(library: ctypes.CDLL) -> str:
    """What libvernier.so says of the last error in this thread."""
    library.vernier_message.restype = c_char_p
    return str(library.vernier_message().decode("utf-8", "backslashreplace"))


def checked_text(name: str, value: object) -> bytes:
    """A text or a path as the libraries take it."""
    if not isinstance(value, (str, os.PathLike)):
        raise InputError(f"{name}: found {type(value).__name__}, expected a text or a path", found=type(value).__name__, allowed="a text or a path")
    try:
        text = os.fsencode(value)
    except UnicodeEncodeError as error:
        raise InputError(f"{name}: found {value!r}, expected a text that UTF-8 has", found=repr(value), allowed="a text that UTF-8 has") from error
    if b"\0" in text:
        raise InputError(f"{name}: found {text!r}, expected a text without a zero byte", found=repr(text), allowed="a text without a zero byte")
    return text


def _file(name: str, folder: Folder | None) -> Path:
    given = os.environ.get(VARIABLE) if folder is None else folder
    if given is not None:
        checked_text("libraries", given)
    file = Path(given or Path(__file__).parent) / name
    if not os.path.isfile(file):
        raise InputError(f"{file}: is not there; `libraries` or the environment's {VARIABLE} names the folder of {name}, build/release of the "
                         "project for example", file=str(file))
    return file.resolve()


@cache
def _opened(file: Path, version_name: str) -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(str(file))
        found = getattr(library, version_name)()
        if found == VERSION:
            for name, types in (_REFERENCE if version_name == "vernier_ref_version" else _HOST).items():
                getattr(library, f"vernier_{name}").argtypes = types
    except (OSError, AttributeError) as error:
        raise InputError(f"{file}: cannot be used as {file.name}: {error}", file=str(file)) from error
    if found != VERSION:
        raise InputError(f"{file}: has version {found} of its interface, this package is for version {VERSION}", file=str(file),
                         found=str(found), allowed=str(VERSION))
    return library

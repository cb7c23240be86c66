# SPDX-License-Identifier: Apache-2.0
"""libvernier.so from Python: jobs of one network on one device, with the types of sim/host/vernier.h."""

import ctypes


class Options(ctypes.Structure):
    _fields_ = [("config", ctypes.c_char_p), ("control", ctypes.c_int32), ("firmware", ctypes.c_char_p), ("on_console", ctypes.c_void_p),
                ("context", ctypes.c_void_p)]


class Buffer(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("num_bytes", ctypes.c_size_t)]


class Request(ctypes.Structure):
    _fields_ = [("inputs", ctypes.POINTER(Buffer)), ("num_inputs", ctypes.c_int32), ("priority", ctypes.c_uint32),
                ("arrival_cycle", ctypes.c_int64), ("time_out_cycles", ctypes.c_int64), ("watchdog_cycles", ctypes.c_int64)]


class Device:
    """`control` is one of the numbers of vernier.h."""

    def __init__(self, library, config, control):
        self.library = ctypes.CDLL(str(library))
        self.handle = ctypes.c_void_p()
        options = Options(config.encode(), control, None, None, None)
        self.call("vernier_open", ctypes.byref(options), ctypes.byref(self.handle))

    def call(self, name, *arguments):
        if (result := getattr(self.library, name)(*arguments)) < 0:
            self.library.vernier_message.restype = ctypes.c_char_p
            raise RuntimeError(f"{name}: {result}: {self.library.vernier_message().decode()}")

    def load(self, package):
        network = ctypes.c_int32()
        self.call("vernier_load", self.handle, str(package).encode(), ctypes.byref(network))
        return network.value

    def submit(self, network, values):
        """A job of a network with one input of int8."""
        data = (ctypes.c_int8 * len(values))(*values)
        buffer = Buffer(ctypes.cast(data, ctypes.c_void_p), len(values))
        request, job = Request(ctypes.pointer(buffer), 1, 0, 0, 0, 0), ctypes.c_int32()
        self.call("vernier_submit", self.handle, network, ctypes.byref(request), ctypes.byref(job))
        return job.value

    def output(self, job, num_bytes):
        """Waits for the job; its first output, of int8."""
        self.call("vernier_wait", self.handle, job, ctypes.c_int64(-1))
        data = (ctypes.c_int8 * num_bytes)()
        self.call("vernier_output", self.handle, job, 0, data, ctypes.c_size_t(num_bytes))
        return list(data)

    def close(self):
        self.call("vernier_close", self.handle)

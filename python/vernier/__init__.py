# SPDX-License-Identifier: Apache-2.0
"""Compiles int8 and int16 networks for the Vernier NPU, simulates them and checks every element.

A network is read, compiled for a machine, and run:

>>> net = vernier.load("kws.tflite")
>>> program = net.compile("v256", memory="external", sram_bytes="256KiB")
>>> run = program.run({"input": x})
>>> run.outputs, run.totals, run.layers

`Study` runs many networks on many machines, on the cores of a computer or of a cluster.

A call gives what the same command of the program `vernier` gives. Sizes are in bytes, times in cycles of the NPU's clock. What is
wrong with a file, a name or an array is an `InputError`, which is a ValueError. A simulated machine that stops is a `MachineError`.
`vernier.golden` is a golden model for test benches, which goes on command by command.
"""

from vernier import golden
from vernier._compare import Comparison, compare
from vernier._errors import InputError, MachineError
from vernier._network import End, Network, Program, load
from vernier._run import Run, Story
from vernier._session import Queue, Session
from vernier._size import MachineSize, Sizing, size
from vernier._study.study import Progress, Study
from vernier._tables import Table
from vernier._vernier import version as _version

__all__ = [
    "Comparison",
    "End",
    "InputError",
    "MachineError",
    "MachineSize",
    "Network",
    "Program",
    "Progress",
    "Queue",
    "Run",
    "Session",
    "Sizing",
    "Story",
    "Study",
    "Table",
    "compare",
    "golden",
    "load",
    "size",
]

#: Version and commit of the program that the package was built from: "0.2.0+g0123456789ab".
__version__: str = _version()

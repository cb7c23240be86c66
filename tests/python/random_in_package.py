# SPDX-License-Identifier: Apache-2.0
"""2,000 calls with arguments of all kinds end in results or mistakes: random_in_package.py VERNIER NETWORK.tflite [SEED]."""

import os
import pathlib
import random
import shutil
import sys

import numpy as np
import vernier
from package_cases import DEMO, NETWORK, PackageTest
from vernier import golden

CALLS = 2000
SEED = int(sys.argv[3]) if len(sys.argv) > 3 else 1


class Things:
    """Arguments: of every kind one that is right, and many that are not."""

    def __init__(self, rng, folder, right):
        self._rng = rng
        self._right = right
        shapes = [(), (0,), (1, 12, 12, 1), (12, 12), (1, 8, 8, 1), (2**20,)]
        types = ["bool", "int8", ">i2", "uint8", "float32", ">f4", "float64", "U3", "datetime64[s]", "int64", "complex64"]
        self._arrays = [np.zeros(shape, kind) for shape in shapes for kind in types]
        self._arrays += [np.asfortranarray(np.zeros((1, 12, 12, 1), "int8")), np.zeros((1, 12, 24, 1), "int8")[:, :, ::2]]
        self._plain = [None, True, 0, 1, -1, 2, 2**31, 2**63, 2**64, 2**70, -(2**70), 1.5, float("nan"), float("inf"), "", "x", "sram", "v64", "external",
                       "64KiB", "cpu", "picture", "\0", "\ud800", "\u00e9" * 200, b"", b"\xff\0", [], (), {}, object(), np.int64(5), np.float32(2), range(3),
                       folder, str(folder / "none.tosa"), int, ["v64", 3], {"picture": 3}, {3: "picture"}, {"clock_hz": 5}, {"x": "y"}, (5, 5), (0, 9)]

    def __call__(self, *right):
        """One of `right`, or of those that are right somewhere, or anything."""
        kind = self._rng.randrange(8)
        if right and kind < 4:
            return self._rng.choice(right)
        if kind < 5:
            return self._rng.choice(self._right)
        if kind < 7:
            return self._rng.choice(self._plain)
        return self._rng.choice(self._arrays)


class RandomCalls(PackageTest):
    def test_random_calls_end_in_results_or_mistakes(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)  # a call may write a file of any name
        rng = random.Random(SEED)
        network, demo = (pathlib.Path(shutil.copy(file, self.folder)) for file in (NETWORK, DEMO))  # a call may write over what it is given
        net, other = vernier.load(network), vernier.load(demo)
        original = network.read_bytes()
        compiled = net.compile("v64", memory="external", sram_bytes="64KiB")
        run, estimate = compiled.run(), compiled.estimate()
        session = compiled.start()
        machine = golden.Machine("v64")
        array = np.zeros(net.inputs[0].shape, np.int8)
        things = Things(rng, self.folder, [net, other, compiled, run, session, machine, str(network), demo, array, {"picture": array}])
        a = things
        files = [self.folder / name for name in ("w.vcd", "w.fst", "w.ftr", "t.json", "t.perfetto-trace", "p.html", "none/w.vcd")]
        damaged = self.folder / "damaged.tflite"

        def damage():
            data = bytearray(original)
            for _ in range(rng.randrange(1, 4)):
                data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            damaged.write_bytes(bytes(data))
            vernier.load(damaged).compile("v64").run()

        calls = [
            lambda: vernier.load(a(str(network), demo), level=a("8k", "none"), batch=a(None, 1, 2), shapes=a(None, {}, {"picture": [1, 12, 12, 1]})),
            lambda: vernier.load(a(str(network)), encodings=a(None), signature=a(None), tflite_rounding=a(None, "xnnpack", "litert-ref-int")),
            damage,
            lambda: net.compile(a("v64", "v256"), memory=a(None, "sram", "external"), sram_bytes=a(None, "64KiB", 65536)),
            lambda: net.compile(a("v64"), optimize=a(None, 0, 1), set=a(None, {"clock_hz": 500_000_000})),
            lambda: compiled.run(a(None, {"picture": array}, {"picture": a(array)}), check=a(True, False), check_all=a(False, True), seed=a(1, 2)),
            lambda: compiled.run(iterations=a(1, 2), carry=a(None, {}), variables=a(None, {}), control=a(None, "cpu"),
                                 inject=a(None, "accumulator:bitflip@300")),
            compiled.estimate,
            lambda: compiled.start(a(None, {"picture": array}), seed=a(1)),
            lambda: run.explain(a("1", 1)),
            lambda: rng.choice([run, estimate]).tensor(a("probabilities")),
            lambda: rng.choice([run, estimate]).waves(a(*files), scope=a(None, "*mac_array*"), layer=a(None, "1"), cycles=a(None, (0, 50))),
            lambda: run.timeline(a(*files)),
            lambda: run.html(a(None, *files)),
            lambda: run.text(a(80, 160)),
            lambda: vernier.compare(a(run), a(estimate)),
            lambda: vernier.size(a(net), a(30, 1000.0), max_sram=a(None, "64KiB"), configs=a(["v64"]), srams=a([65536]), bandwidths=a([10**9])),
            lambda: vernier.Study(a(str(network)), a("v64", ["v64", "v256"]), a("sram"), a(None, "64KiB"), set=a(None, {"clock_hz": [10**9]}),
                                  file=self.folder / f"s{rng.randrange(3)}.sqlite"),
            lambda: session.run_to(cycle=a(None, session.cycle + 5), command=a(None), layer=a(None)),
            session.step,
            lambda: session.restore(a(0, 100)),
            lambda: session.sram(a(0, 16), a(None, 16)),
            lambda: session.external(a(0), a(None, 16)),
            session.accumulators,
            lambda: (session.registers, session.queues),
            lambda: session.outputs,
            lambda: golden.Machine(a("v64"), control=a("direct"), libraries=a(None)),
            lambda: machine.load(a(self.folder / "none.vnpu")),
            lambda: machine.step(a(0, 5)),
            machine.step_command,
            lambda: machine.stepped,
        ]
        mistakes = stops = 0
        for number in range(CALLS):
            state = rng.getstate()
            try:
                rng.choice(calls)()
            except vernier.InputError as error:
                self.assertTrue(str(error).strip())
                mistakes += 1
            except vernier.MachineError:
                stops += 1
            except Exception as error:
                rng.setstate(state)
                raise AssertionError(f"call {number}, which is call {calls.index(rng.choice(calls))} of the list: {type(error).__name__}: {error}") from error
        print(f"{CALLS} calls with seed {SEED}: {mistakes} mistakes, {stops} machines that stopped")
        self.assertGreater(mistakes, CALLS // 4)
        self.assertLess(mistakes, CALLS * 3 // 4)


if __name__ == "__main__":
    import unittest

    unittest.main(argv=sys.argv[:1])

# SPDX-License-Identifier: Apache-2.0
"""Cases of golden_test.py, run by a Python in which the wheel is installed: in_golden.py VERNIER FOLDER_OF_LIBRARIES FAULTY.vnpu."""

import ctypes
import gc
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import unittest
from unittest import mock

import numpy as np
import vernier
from vernier import _libraries, golden

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEMO = ROOT / "tests" / "e2e" / "demo" / "demo.tosa"
PROGRAM = LIBRARIES = FAULTY = None


def run(*command, folder):
    subprocess.run(list(map(str, command)), cwd=folder, check=True, stdout=subprocess.DEVNULL)


class Golden(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.package = self.folder / "demo.vnpu"

    def compiled(self, *options):
        run(PROGRAM, "compile", DEMO, "-o", self.package, "-q", *options, folder=self.folder)
        return self.package

    def machine(self, config="v256"):
        machine = golden.Machine(config)
        self.addCleanup(machine.close)
        return machine

    def assert_mistake(self, pattern, call, *arguments, **named):
        with self.assertRaisesRegex(vernier.InputError, pattern) as caught:
            call(*arguments, **named)
        self.assertNotIn("\n", str(caught.exception))
        return caught.exception


def drawn_inputs(network, seed=3):
    rng = np.random.default_rng(seed)
    return {end.name: rng.integers(-128, 128, end.shape, end.dtypes) for end in network.inputs}


class SameAsTheProgram(Golden):
    def test_command_by_command_with_reads(self):
        for config, options in (("v256", []), ("v64", ["--memory", "external", "--sram-bytes", "64KiB"]), ("v256", ["--optimize", "0"])):
            network = self.machine(config).load(self.compiled("--config", config, *options))
            inputs = drawn_inputs(network)
            job = network.submit(inputs)
            ends, stepped, pictures = [], [], set()
            while (cycle := network.machine.step_command()) is not None:
                self.assertEqual(cycle, network.machine.cycles)
                ends.append(cycle)
                stepped += network.machine.stepped
                pictures.add(b"".join(network.read(memory, 0, size).tobytes() for memory, size in network.memory_bytes.items()))
            (name, array), = inputs.items()
            np.save(self.folder / "x.npy", array)
            run(PROGRAM, "run", self.package, "--input", f"{name}=x.npy", "--report", "r.json", "--output-dir", "out", folder=self.folder)
            report = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
            self.assertEqual(job.cycles, report["totals"]["cycles"])
            self.assertEqual([end - job.start_cycle for end in ends], sorted({command["end_cycle"] for command in report["commands"]}))
            layers = [layer["name"] for layer in report["layers"]]
            for command in stepped:
                wanted = report["commands"][command.index]
                self.assertEqual((command.job, command.queue, command.start_cycle, command.end_cycle),
                                 (job.number, wanted["queue"], wanted["start_cycle"], wanted["end_cycle"]))
                if command.queue or command.layer:
                    self.assertEqual(command.layer, layers[wanted["layer_idx"]][:127])
            self.assertEqual(sorted(command.index for command in stepped), list(range(len(report["commands"]))))
            self.assertGreater(len(pictures), 5)
            for output in report["outputs"]:
                wanted = np.load(self.folder / "out" / output["file"])
                np.testing.assert_array_equal(job.outputs[output["tensor"]], wanted)
                self.assertEqual(job.outputs[output["tensor"]].dtype, wanted.dtype)
                self.assertTrue(any(wanted.tobytes() in picture for picture in pictures), output["tensor"])

    def test_jobs_in_one_machine_and_runs_in_between(self):
        program = vernier.load(self.compiled()).compile()
        machine = self.machine()
        networks = [machine.load(self.package), machine.load(self.package.read_bytes())]
        jobs = [network.submit(drawn_inputs(network, seed)) for seed in range(2) for network in networks]
        for job in jobs:
            machine.step_command()
            wanted = program.run(drawn_inputs(job.network, jobs.index(job) // 2))
            machine.step(10)
            job.wait()
            self.assertEqual(job.outcome, "done")
            for name, values in wanted.outputs.items():
                np.testing.assert_array_equal(job.outputs[name], values)
        self.assertIsNone(machine.step_command())
        before = machine.cycles
        machine.step(250_000)
        self.assertEqual(machine.cycles, before + 250_000)
        jobs[0].release()
        self.assert_mistake("job", lambda: jobs[0].outputs)

    def test_threads(self):
        program = vernier.load(self.compiled()).compile()
        wanted, found, is_over = program.run().totals["cycles"], [], threading.Event()

        def steps():
            with golden.Machine() as machine:
                network = machine.load(self.package)
                while not is_over.is_set():
                    job = network.submit(drawn_inputs(network))
                    while machine.step_command() is not None:
                        pass
                    found.append(job.cycles)
                    job.release()

        threads = [threading.Thread(target=steps) for _ in range(2)]
        for thread in threads:
            thread.start()
        try:
            found += [program.run(iterations=1000, check=False).totals["cycles"] for _ in range(4)]
        finally:
            is_over.set()
            for thread in threads:
                thread.join()
        self.assertGreater(len(found), 6)
        self.assertEqual(set(found), {wanted})

    def test_faults_of_the_machine(self):
        machine = golden.Machine(control="cpu")
        self.addCleanup(machine.close)
        network = machine.load(FAULTY)
        job = network.submit({end.name: np.zeros(end.shape, end.dtypes) for end in network.inputs})
        job.wait()
        self.assertIn(job.outcome, ("fault", "watchdog"))
        with self.assertRaisesRegex(vernier.MachineError, "uninitialised read in command 11 of layer .bad.: ") as caught:
            job.outputs
        self.assertEqual(len(caught.exception.messages), 1)


class Mistakes(Golden):
    def test_libraries(self):
        self.assert_mistake("libvernier.so: is not there; .*VERNIER_LIB", golden.Machine, libraries=self.folder)
        self.assert_mistake("libvernier_ref.so: is not there", golden.rescale, 1, 1, 2, libraries=self.folder)
        with mock.patch.dict(os.environ, {"VERNIER_LIB": str(self.folder / "none")}):
            self.assert_mistake("libvernier.so: is not there", golden.Machine)
        self.assert_mistake("libraries: found int", golden.Machine, libraries=3)
        (self.folder / "libvernier.so").write_text("no library", encoding="ascii")
        error = self.assert_mistake("cannot be used as libvernier.so", golden.Machine, libraries=self.folder)
        self.assertEqual(pathlib.Path(error.file).name, "libvernier.so")
        for number, (text, said) in enumerate((("int vernier_host_version(void) { return 2; }", "has version 2 of its interface, .* version 1"),
                                               ("int other(void) { return 1; }", "vernier_host_version"))):
            place = self.folder / str(number)
            place.mkdir()
            (place / "l.c").write_text(text, encoding="ascii")
            run("cc", "-shared", "-fPIC", "l.c", "-o", "libvernier.so", folder=place)
            self.assert_mistake(said, golden.Machine, libraries=place)

    def test_structures_are_those_of_the_headers(self):
        names = {"Options": "vernier_options", "Tensor": "vernier_tensor", "Place": "vernier_place", "Buffer": "vernier_buffer",
                 "Request": "vernier_request", "JobInfo": "vernier_job", "Fault": "vernier_fault", "Command": "vernier_command", "RescaleSetup": "vernier_ref_rescale_setup"}
        fields = [(kind, field[0]) for kind in names for field in getattr(_libraries, kind)._fields_]
        lines = [f'printf("%zu\\n", offsetof({names[kind]}, {field}));' for kind, field in fields]
        lines += [f'printf("%zu\\n", sizeof({name}));' for name in names.values()]
        (self.folder / "s.c").write_text('#include <stdio.h>\n#include "sim/host/vernier.h"\n#include "hw/ref/vernier_ref.h"\n'
                                         f"int main(void) {{\n{chr(10).join(lines)}\nreturn 0; }}\n", encoding="ascii")
        run("cc", f"-I{ROOT}", "s.c", "-o", "s", folder=self.folder)
        printed = subprocess.run([self.folder / "s"], check=True, capture_output=True, text=True).stdout.split()
        found = [getattr(getattr(_libraries, kind), field).offset for kind, field in fields]
        self.assertEqual(found + [ctypes.sizeof(getattr(_libraries, kind)) for kind in names], list(map(int, printed)))

    def test_machines_and_packages(self):
        self.assert_mistake("v257", golden.Machine, "v257")
        self.assert_mistake("found int", golden.Machine, 256)
        self.assert_mistake("control: found 'cpus', .* did you mean 'cpu'", golden.Machine, control="cpus")
        self.assert_mistake("zero byte", golden.Machine, "v256\0")
        machine = self.machine()
        for wrong, said in ((self.folder / "none.vnpu", "none.vnpu"), (DEMO, "demo.tosa"), (b"", "package"), (b"xx" * 100, "package"),
                            (None, "found NoneType"), (["x"], "found list"), (self.folder, ".")):
            self.assert_mistake(said, machine.load, wrong)
        data = self.compiled().read_bytes()
        self.assert_mistake("", machine.load, data[: len(data) // 2])
        self.assert_mistake("another machine", machine.load, self.compiled("--config", "v64"))
        for wrong in (-1, 1.5, 2**60, True, "1"):
            self.assert_mistake("cycles: found", machine.step, wrong)

    def test_arrays(self):
        network = self.machine().load(self.compiled())
        (end,) = network.inputs
        good = np.zeros(end.shape, np.int8)
        for wrong in ({}, {"other": good}, {end.name: good, "other": good}, {3: good}, good, None):
            self.assert_mistake("inputs: found", network.submit, wrong)
        for wrong in (good.astype(np.int16), good.astype(np.uint8), good[0], good[..., None], good.tolist(), None, good.astype(object)):
            self.assert_mistake(f"input '{end.name}': found", network.submit, {end.name: wrong})
        backwards = np.random.default_rng(1).integers(-128, 128, end.shape, np.int8)[:, ::-1]
        jobs = [network.submit({end.name: array}) for array in (backwards, np.ascontiguousarray(backwards))]
        self.assert_mistake("has not ended", lambda: jobs[0].outputs)
        self.assert_mistake("has not ended", lambda: jobs[0].cycles)
        self.assertEqual((jobs[0].outcome, jobs[0].start_cycle), ("pending", -1))
        self.assert_mistake("", jobs[0].release)
        self.assert_mistake("", network.unload)
        outputs = []
        for job in jobs:
            job.wait()
            outputs.append(job.outputs)
        for name in outputs[0]:
            np.testing.assert_array_equal(outputs[0][name], outputs[1][name])

    def test_reads(self):
        network = self.machine().load(self.compiled())
        size = network.memory_bytes["sram"]
        self.assertEqual([network.read("sram", place, count).size for place, count in ((0, size), (size, 0), (5, 1))], [size, 0, 1])
        for place, count in ((-1, 1), (0, -1), (0, size + 1), (size, 1), (1, size), (0, 2**63), (2**64, 1), (0.0, 1), (None, 1)):
            self.assert_mistake("offset_bytes: found|num_bytes: found", network.read, "sram", place, count)
        self.assert_mistake("did you mean 'sram'", network.read, "srm", 0, 1)
        self.assert_mistake("memory: found 0", network.read, 0, 0, 1)
        network.unload()
        self.assert_mistake("network", network.read, "sram", 0, 1)

    def test_a_closed_machine_refuses_calls(self):
        machine = golden.Machine()
        network = machine.load(self.compiled())
        job = network.submit(drawn_inputs(network))
        with machine:
            job.wait()
        self.assertTrue(machine.closed)
        machine.close()
        for call in (machine.step_command, job.wait, job.release, network.unload, lambda: machine.step(1), lambda: machine.cycles,
                     lambda: job.outputs, lambda: job.cycles, lambda: network.read("sram", 0, 1), lambda: machine.load(self.package),
                     lambda: network.submit(drawn_inputs(network))):
            self.assert_mistake("the machine is closed", call)

    def test_random_calls_end_in_results_or_mistakes(self):
        network = self.machine().load(self.compiled())
        rng, data, mistakes = random.Random(1), self.package.read_bytes(), 0
        things = [None, 1, -1, 1.5, "sram", "x", b"", [], {}, np.zeros(3), np.int64(5), 2**70, True, object(), np.zeros((1, 8, 8, 1), np.int8)]

        def some_package():
            changed = bytearray(data)
            changed[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
            network.machine.load(bytes(changed)).unload()

        for number in range(2000):
            a, b, c = (rng.choice(things) for _ in range(3))
            calls = [lambda: network.read(a, b, c), lambda: network.submit(a), lambda: network.submit({"TosaInput_0": a}),
                     lambda: golden.rescale(a, b, c, clamp_min=rng.choice(things)), lambda: golden.look_up(a, b),
                     lambda: network.machine.load(a)] + [some_package] * (number % 10 == 0)
            try:
                rng.choice(calls)()
            except vernier.InputError as error:
                self.assertNotIn("\n", str(error))
                mistakes += 1
        self.assertGreater(mistakes, 1000)

    def test_a_machine_that_nobody_holds_is_closed(self):
        machine = golden.Machine()
        closer = machine._closer
        del machine
        gc.collect()
        self.assertFalse(closer.alive)


class Units(Golden):
    def test_rescale(self):
        np.testing.assert_array_equal(golden.rescale(np.arange(-3, 4), 1 << 30, 31), [-1, -1, 0, 0, 1, 1, 2])
        np.testing.assert_array_equal(golden.rescale(np.arange(-3, 4), 1 << 30, 31, rounding="half-even"), [-2, -1, 0, 0, 0, 1, 2])
        two = golden.rescale(np.array([[100], [-100]]), [1 << 30, 1 << 29], np.array([29, 29]), out_zero_point=3)
        np.testing.assert_array_equal(two, [[127, 103], [-128, -97]])
        self.assertEqual(two.dtype, np.int32)
        self.assertEqual(golden.rescale(255, 1 << 30, 30, in_type="int8", in_unsigned=True, out_unsigned=True), 255)
        self.assertEqual(golden.rescale(7, 1 << 14, 14, in_type="int48", scale32=False, clamp_max=5), 5)
        self.assertEqual(golden.rescale(np.zeros((0, 3), int), 1, 2).shape, (0, 3))

    def test_look_up(self):
        table = np.arange(-128, 128).astype(np.int8)[::-1]
        np.testing.assert_array_equal(golden.look_up(table, np.array([[-128, 127], [0, 1]], np.int8)), [[127, -128], [-1, -2]])
        line = np.arange(-256, 257).astype(">i2")
        np.testing.assert_array_equal(golden.look_up(line, [-32768, 0, 64, 32767]), [-32768, 0, 64, 32767])
        self.assertEqual(golden.look_up(np.full(256, 10**6, np.int32), 5), 10**6)

    def test_mistakes(self):
        rescale = golden.rescale
        self.assert_mistake("do not broadcast", rescale, np.zeros(3, int), np.ones(2, int), 2)
        self.assert_mistake("values: found float64", rescale, 1.5, 1, 2)
        for given in ([[1], [2, 3]], np.broadcast_to(np.int64(1), (2**40,))):
            self.assert_mistake("values: found", rescale, given, 1, 2)
            self.assert_mistake("operands: found", golden.look_up, np.zeros(256, np.int8), given)
        self.assert_mistake("in_zero_point: found", rescale, 1, 1, 2, in_zero_point=[[1], [1, 2]])
        self.assert_mistake("scale32: found 'no', expected True", rescale, 1, 1, 2, scale32="no")
        self.assert_mistake("values: found object", rescale, 2**70, 1, 2)
        self.assert_mistake("multipliers: found 2147483648", rescale, 1, 2**31, 2)
        self.assert_mistake("shifts: found 64", rescale, 1, 1, 64)
        self.assert_mistake("out_type: found 'int48'", rescale, 1, 1, 2, out_type="int48")
        self.assert_mistake("did you mean 'int16'", rescale, 1, 1, 2, in_type="int1")
        self.assert_mistake("rounding: found 3", rescale, 1, 1, 2, rounding=3)
        self.assert_mistake("clamp_min: found", rescale, 1, 1, 2, clamp_min=2**31)
        self.assert_mistake("clamp_max: found", rescale, 1, 1, 2, clamp_max=[1, 2])
        for table in (np.zeros(256, np.uint8), np.zeros(255, np.int8), np.zeros((256, 1), np.int8), [0] * 256):
            self.assert_mistake("table: found", golden.look_up, table, 0)
        self.assert_mistake("operands: found 128", golden.look_up, np.zeros(256, np.int8), 128)
        self.assert_mistake("operands: found", golden.look_up, np.zeros(256, np.int8), ["a"])


if __name__ == "__main__":
    PROGRAM, LIBRARIES, FAULTY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
    os.environ["VERNIER_LIB"] = str(LIBRARIES)
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])

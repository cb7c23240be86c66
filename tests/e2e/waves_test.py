# SPDX-License-Identifier: Apache-2.0
"""Waves of a run, read back by a reader of our own: what they show is what the report of the same run says."""

import collections
import pathlib
import re
import resource
import shutil
import subprocess
import unittest

import npy
import program
import vcd

CYCLE = 1000
KWS = program.GOLDEN / "kws_ref_model" / "model.tosa"
MODES = ("sram", "weights-external", "external")
SCOPES = {"dma0": "npu.dma.channel0", "dma1": "npu.dma.channel1", "mac": "npu.mac_array", "vec": "npu.vector_unit"}
FLOWS = {"sram_read": "words", "sram_write": "words", "external_read": "bytes", "external_write": "bytes"}


class Waves(program.ProgramTest):
    def wave(self, *options, command="run", model=program.DEMO):
        """The run's report and its wave."""
        done = self.execute(command, model, "-q", "--report", "r.json", "--wave", "w.vcd", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return program.read_json(self.folder / "r.json"), vcd.Dump((self.folder / "w.vcd").read_text())


class Model(Waves):
    def check(self, report, wave):
        self.assertEqual(wave.end, report["totals"]["cycles"] * CYCLE)
        for unit in ("mac_array", "vector_unit", "dma", "command_processor"):
            cycles = collections.Counter()
            for begin, end, state in wave.stretches(f"npu.{unit}.state"):
                cycles[state] += (end - begin) // CYCLE
            found = report["units"][unit]
            said = {"busy": found["busy_cycles"], "idle": found["idle_cycles"], **found["stall_cycles"]}
            self.assertEqual(+cycles, collections.Counter({name: count for name, count in said.items() if count > 0}), unit)
        for flow, unit in FLOWS.items():
            amount = sum((end - begin) / CYCLE * rate for begin, end, rate in wave.stretches(f"npu.arbiter.{flow}_{unit}_per_cycle"))
            bytes_each = report["config"]["sram_word_bytes"] if unit == "words" else 1
            self.assertAlmostEqual(amount * bytes_each, report["totals"][f"{flow}_bytes"], places=3, msg=flow)
        for queue, scope in SCOPES.items():
            self.check_queue([c for c in report["commands"] if c.get("queue") == queue], wave, scope)

    def check_queue(self, commands, wave, scope):
        """Its commands stand in the wave where the report has them: the main phase begins with the command, and it ends with its
        drain or, without one, its main phase."""
        main = [s for s in wave.stretches(f"{scope}.command") if s[2] is not None]
        drain = {s[2]: s for s in wave.stretches(f"{scope}.drain_command") if s[2] is not None}
        self.assertEqual([s[2] for s in main], sorted(c["command_idx"] for c in commands), scope)
        for begin, end, index in main:
            command = next(c for c in commands if c["command_idx"] == index)
            end = drain[index][1] if index in drain else end
            self.assertEqual((begin // CYCLE, end // CYCLE), (command["start_cycle"], command["end_cycle"]), command)

    def test_waves_say_what_the_report_says(self):
        for mode in MODES:
            with self.subTest(mode=mode):
                self.check(*self.wave("--memory", mode))

    def test_estimate_has_the_waves_of_run(self):
        report, wave = self.wave("--memory", "external")
        again, estimated = self.wave("--memory", "external", command="estimate")
        self.assertEqual(report["totals"]["cycles"], again["totals"]["cycles"])
        # Sums are values, which `estimate` does not compute.
        sums = {name for name in wave.values if ".accumulator_" in name}
        self.assertEqual({name for name in sums if estimated.values[name]}, set())
        self.assertEqual({name: wave.values[name] for name in set(wave.values) - sums},
                         {name: estimated.values[name] for name in set(estimated.values) - sums})

    def test_the_last_of_several_jobs(self):
        once, several = self.wave()[1], self.wave("--iterations", "3")[1]
        self.assertEqual(once.values, several.values)

    def test_layers_stand_beside_their_commands(self):
        report, wave = self.wave()
        for scope in SCOPES.values():
            layers = {begin: value for begin, _, value in wave.stretches(f"{scope}.layer")}
            now = None
            for begin, _, index in wave.stretches(f"{scope}.command"):
                now = layers.get(begin, now)
                name = "" if index is None else report["layers"][report["commands"][index]["layer_idx"]]["name"]
                self.assertTrue(now in name if now else not name, (scope, begin, name, now))

    def test_window_scope_and_layer(self):
        report, whole = self.wave()
        _, part = self.wave("--wave-window", "100:700")
        self.assertEqual(part.end, 700 * CYCLE)
        for path, values in part.values.items():
            cut = [(max(time, 100 * CYCLE), value) for time, end, value in whole.stretches(path)
                   if end > 100 * CYCLE and time <= 700 * CYCLE]
            self.assertEqual(values, cut, path)
        _, scoped = self.wave("--wave-scope", "npu.mac_array.*")
        self.assertEqual(scoped.values, {path: values for path, values in whole.values.items() if path.startswith("npu.mac_array.")})
        commands = [c for c in report["commands"] if c["layer_idx"] == 1 and c["unit"] != "command_processor"]
        _, layer = self.wave("--wave-layer", "1")
        self.assertEqual(min(time for values in layer.values.values() for time, _ in values),
                         min(c["start_cycle"] for c in commands) * CYCLE)
        self.assertEqual(layer.end, max(c["end_cycle"] for c in commands) * CYCLE)

    @unittest.skipUnless(shutil.which("fst2vcd"), "fst2vcd (Debian: gtkwave) is not installed")
    def test_fst_holds_what_vcd_holds(self):
        if self.execute("run", program.DEMO, "-q", "--wave", "w.fst").returncode == 2:
            self.skipTest("this program has no FST writer")
        _, wave = self.wave()
        text = subprocess.run(["fst2vcd", self.folder / "w.fst"], capture_output=True, text=True, check=True).stdout
        again = vcd.Dump(text)
        self.assertEqual(sorted(wave.values), sorted(again.values))
        for path, values in wave.values.items():
            if not path.endswith("state"):  # numbers of an enumeration, there
                self.assertEqual([time for time, _ in values], [time for time, _ in again.values[path]], path)
                self.assertEqual(values, again.values[path], path)

    def test_a_machine_that_stops_before_the_window_leaves_the_cycles_before_it_stopped(self):
        """The exit code is that of the machine, and the wave is there: it is what somebody looks at then."""
        for options in (["--wave-layer", "classes"], ["--wave-window", "5000:6000"], ["--wave-window", "100:5000"]):
            with self.subTest(options=options):
                done = self.execute("run", program.DEMO, "-q", "--inject", "token:drop@0", "--wave", "w.vcd", *options)
                self.assertEqual(done.returncode, 4, done.stderr)
                stopped = int(re.search(r"hangs at cycle (\d+) ", done.stderr)[1])
                wave = vcd.Dump((self.folder / "w.vcd").read_text())
                self.assertEqual(wave.end, stopped * CYCLE)
                begin = 100 if "100:5000" in options else max(stopped - 1000, 0)
                self.assertEqual(min(time for values in wave.values.values() for time, _ in values), begin * CYCLE)

    def test_a_view_stands_beside_each_wave(self):
        self.execute("run", program.DEMO, "-q", "--wave", "w.vcd", "--wave", "v.vcd")
        for name in ("w.vcd", "v.vcd"):
            view = (self.folder / f"{name}.gtkw").read_text()
            self.assertIn(f'[dumpfile] "{name}"', view)
            paths = vcd.Dump((self.folder / name).read_text()).values
            named = [line.split("[")[0] for line in view.splitlines() if line.startswith("npu.")]
            self.assertGreater(len(named), 20)
            self.assertEqual([path for path in named if path not in paths], [])


class RtlWaves(Waves):
    LANE_BITS, STORE_BITS = 48, 32

    def cosim(self, model, *options):
        done = self.execute("cosim", model, "--output-dir", "out", "--wave", "c.vcd", *options)
        if "built without Verilator" in done.stderr:
            self.skipTest("the program has no RTL")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return vcd.Dump((self.folder / "c.vcd").read_text())

    @staticmethod
    def scopes(wave):
        return sorted({".".join(path.split(".")[:2]) for path in wave.values if path.startswith("npu.rtl")})

    def rows(self, wave, scope):
        return [(cycle, [vcd.signed(value, self.LANE_BITS) for value in values])
                for cycle, values in self.beats(wave, f"{scope}.npu_datapath", "out", "value", self.LANE_BITS)]

    def beats(self, wave, block, stream, data, bits):
        """(cycle of the edge, values) of each beat of results that leaves the block. What the edge at the end of a cycle finds is
        drawn from the cycle's begin on, which is an edge too."""
        valid, ready, data, mask = (f"{stream}_{name}" for name in ("valid_o", "ready_i", f"{data}_o", "mask_o"))
        at = {name: dict(wave.values[f"{block}.{name}"]) for name in ("clk_i", "en_i", valid, ready, data, mask)}
        times = sorted({time for changes in at.values() for time in changes})
        now, rows = {}, []
        for time in times:
            now.update((name, changes[time]) for name, changes in at.items() if time in changes)
            if at["clk_i"].get(time) == 1 and now["en_i"] and now[valid] and now[ready]:
                lanes = [number for number in range(32) if now[mask] >> number & 1]
                rows.append((time // CYCLE + 1, [vcd.lane(now[data], lane, bits) for lane in lanes]))
        return rows


class Rtl(RtlWaves):
    NETWORKS = [(program.MADE / "conv_1x1_c20_oc33" / "model.tosa", ["--config", "v64"]),
                (program.MADE / "conv_1x1_c20_oc33" / "model.tosa", ["--config", "v256", "--memory", "external"])]

    def test_rows_of_the_rtl_are_the_tensor_and_lie_in_their_commands(self):
        for model, options in self.NETWORKS:
            with self.subTest(options=options):
                wave = self.cosim(model, *options)
                report, arrays = self.run_model(model, options=options)
                commands = [c for c in report["commands"] if c["unit"] == "mac_array"]
                rows = [row for scope in self.scopes(wave) for row in self.rows(wave, scope)]
                values = collections.Counter(value for _, row in rows for value in row)
                [output] = arrays.values()
                self.assertEqual(values, collections.Counter(output.values))
                for command in commands:
                    inside = [cycle for cycle, _ in rows if command["start_cycle"] < cycle <= command["end_cycle"]]
                    self.assertTrue(inside, command)
                self.assertEqual([cycle for cycle, _ in rows
                                  if not any(c["start_cycle"] < cycle <= c["end_cycle"] for c in commands)], [])

    def test_cycles_of_the_rtl_are_the_models_and_what_it_adds_is_marked(self):
        """Busy cycles and the stalls of the datapath run one to one; ports and banks stand still, and say so."""
        datapath = {"pipeline_fill", "weight_load", "rescale_contention"}
        wave = self.cosim(program.DEMO, "--memory", "weights-external", "--wave-scope", "npu.rtl?.[csl]*")
        report, _ = self.run_model(program.DEMO, options=["--memory", "weights-external"])
        seen = set()
        for scope in self.scopes(wave):
            states = wave.stretches(f"{scope}.state")
            for begin, end, index in wave.stretches(f"{scope}.command"):
                if index is None:
                    continue
                command = report["commands"][index]
                seen.add(index)
                self.assertEqual((begin // CYCLE, end // CYCLE), (command["start_cycle"], command["end_cycle"]))
                spent = {state: (e - b) // CYCLE for b, e, state in states if begin <= b < end}
                stalls = command["stall_cycles"]
                self.assertEqual(spent.get("running"),
                                 command["busy_cycles"] + sum(stalls.get(name, 0) for name in datapath), command)
                self.assertEqual(spent.get("not_in_rtl", 0), sum(n for name, n in stalls.items() if name not in datapath), command)
        self.assertEqual(seen, {c["command_idx"] for c in report["commands"] if c["unit"] == "mac_array"})

    def test_stores_of_the_vector_unit_are_the_tensor_and_lie_in_their_commands(self):
        model = program.MADE / "clamp_int8" / "model.tosa"
        for options in (["--config", "v64"], ["--config", "v256", "--memory", "external"]):
            with self.subTest(options=options):
                wave = self.cosim(model, *options, "--wave-scope", "npu.vector_rtl*")
                report, arrays = self.run_model(model, options=options)
                commands = {c["command_idx"]: c for c in report["commands"] if c["unit"] == "vector_unit"}
                shown = {index: (begin // CYCLE, end // CYCLE) for begin, end, index in wave.stretches("npu.vector_rtl0.command")
                         if index is not None}
                self.assertEqual(shown, {index: (c["start_cycle"], c["end_cycle"]) for index, c in commands.items()})
                stores = self.beats(wave, "npu.vector_rtl0.npu_vector_unit", "st", "data", self.STORE_BITS)
                stored = collections.Counter(vcd.signed(value & 0xFF, 8) for _, values in stores for value in values)
                self.assertEqual(stored, sum((collections.Counter(array.values) for array in arrays.values()), collections.Counter()))
                for cycle, _ in stores:
                    self.assertTrue(any(begin < cycle <= end for begin, end in shown.values()), cycle)

    def test_only_commands_of_the_window_are_drawn(self):
        scope = ["--wave-scope", "npu.rtl?.npu_datapath.out*"]
        whole = self.cosim(program.DEMO, *scope)
        part = self.cosim(program.DEMO, "--wave-layer", "1", *scope)
        for scope in self.scopes(part):
            name = f"{scope}.npu_datapath.out_row_o"
            cut = [(time, value) for time, value in whole.values[name] if part_begin(part) < time <= part.end]
            self.assertEqual([(t, v) for t, v in part.values[name] if t > part_begin(part)], cut)


def part_begin(wave):
    return min(time for values in wave.values.values() for time, _ in values)


class Sums(Waves):
    def test_sums_in_the_wave_are_those_of_the_dump(self):
        """From the edge at which a command's last product is in: its main phase ends there."""
        report, wave = self.wave("--memory", "external")
        mains = {index: end for _, end, index in wave.stretches("npu.mac_array.command") if index is not None}
        names = ("first", "least", "greatest")
        shown = {name: wave.stretches(f"npu.mac_array.accumulator_{name}") for name in names}
        self.assertGreater(len(mains), 4)
        for index, end in mains.items():
            done = self.execute("dump", program.DEMO, "--memory", "external", "--accumulator", f"command:{index}", "-o", "a.npy")
            self.assertEqual(done.returncode, 0, done.stderr)
            sums = npy.read(self.folder / "a.npy").values
            for name, expected in zip(names, (sums[0], min(sums), max(sums)), strict=True):
                [value] = [value for begin, finish, value in shown[name] if begin <= end < finish or (begin <= end and finish == wave.end)]
                self.assertEqual(vcd.signed(value, 48), expected, (index, name))
        # Without values there are none.
        self.assertEqual(self.wave(command="estimate")[1].values["npu.mac_array.accumulator_first"], [])


@unittest.skipUnless(KWS.exists(), f"{KWS} is not there")
class Kws(RtlWaves):
    """A real network's layers: each row that the RTL's rescale lanes give is, element by element, the tensor that the machine makes."""

    LAYERS = {2: (125, 64), 10: (1, 12)}  # pixels, channels; a 1 x 1 convolution and a fully connected layer
    SCOPE = "npu.rtl?.npu_datapath.[ceo][lnu]*"  # clk_i, en_i, out_*
    LANES = 16

    def test_rows_of_a_layer_are_its_tensor_edge_by_edge(self):
        report, _ = self.run_model(KWS)
        for layer, (pixels, channels) in self.LAYERS.items():
            with self.subTest(layer=layer):
                wave = self.cosim(KWS, "--wave-layer", layer, "--wave-scope", self.SCOPE)
                self.assertEqual(self.execute("dump", KWS, "--tensor", layer, "-o", "t.npy").returncode, 0)
                tensor = npy.read(self.folder / "t.npy").values
                [command] = [c for c in report["commands"] if c["layer_idx"] == layer and c["unit"] == "mac_array"]
                rows = sorted(row for scope in self.scopes(wave) for row in self.rows(wave, scope))
                expected = [list(tensor[pixel * channels + lane:pixel * channels + min(lane + self.LANES, channels)])
                            for lane in range(0, channels, self.LANES) for pixel in range(pixels)]
                self.assertEqual([values for _, values in rows], expected)
                edges = [cycle for cycle, _ in rows]
                self.assertEqual(edges, sorted(set(edges)))
                self.assertTrue(command["start_cycle"] < edges[0] and edges[-1] <= command["end_cycle"], command)

    def test_model_and_rtl_are_in_one_wave(self):
        wave = self.cosim(KWS, "--wave-layer", 10)
        self.assertEqual(self.scopes(wave)[0], "npu.rtl0")
        for scope in (*SCOPES.values(), "npu.arbiter", "npu.token_bank", "npu.rtl0.npu_datapath.u_array"):
            self.assertTrue([path for path in wave.values if path.startswith(f"{scope}.")], scope)
        # The view shows the results lane by lane, and every bit that it takes is there.
        view = (self.folder / "c.vcd.gtkw").read_text()
        lanes = re.findall(r"^#\{out_value_o lane (\d+)\}((?: \(\d+\)\S+)+)$", view, re.MULTILINE)
        self.assertEqual([int(lane) for lane, _ in lanes], list(range(self.LANES)))
        bits = [re.fullmatch(r"\((\d+)\)(.*)\[767:0\]", word).groups() for _, words in lanes for word in words.split()]
        self.assertEqual(sorted(int(bit) for bit, _ in bits), list(range(self.LANES * self.LANE_BITS)))
        self.assertLessEqual({path for _, path in bits} | set(re.findall(r"^(npu\.[^[\n]*)", view, re.MULTILINE)), set(wave.values))


class BadInput(Waves):
    def refused(self, *options, message, command="run"):
        (self.folder / "old.vcd").write_text("old\n")
        done = self.execute(command, program.DEMO, "-q", *options)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, rf"\Avernier: {message}\n\Z")
        self.assertEqual((self.folder / "old.vcd").read_text(), "old\n")
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name != "dir.vcd"], ["old.vcd"])

    def test_places(self):
        self.refused("--wave", "missing/old.vcd",
                     message="--wave: 'missing/old.vcd' cannot be written: folder 'missing' is missing or not writable")
        self.refused("--wave", "w.png", message=r"--wave: 'w.png' is not FILE.fst, FILE.vcd, FILE.ftr")
        (self.folder / "dir.vcd").mkdir()
        self.refused("--wave", "dir.vcd", message="--wave: 'dir.vcd' is a directory, expected a file name")
        self.refused("--wave", "old.vcd", "--wave", "./old.vcd",
                     message="--wave: './old.vcd' would overwrite --wave 'old.vcd' of the same run, expected another file")

    def test_windows(self):
        for text in ("5", "a:b", "-1:5", "3:", ":9", "1:2:3", "99999999999999999999:5"):
            self.refused("--wave", "old.vcd", f"--wave-window={text}",
                         message=f"--wave-window: '{text}' is not FROM:TO, two cycles such as 1000:2000")
        self.refused("--wave", "old.vcd", "--wave-window", "7:7",
                     message="--wave-window: '7:7' is empty: TO is the first cycle behind the window")
        self.refused("--wave", "old.vcd", "--wave-window", "0:1000000",
                     message=r"--wave-window: 0:1000000 reaches beyond the end: the run has \d+ cycles")
        for option in (["--wave-window", "1:2"], ["--wave-scope", "*"], ["--wave-layer", "0"]):
            self.refused(*option, message=f"{option[0]}: says what is in a wave, and there is no --wave")
        self.refused("--wave", "old.vcd", "--wave-window", "1:2", "--wave-layer", "0",
                     message="--wave-layer: cannot go with --wave-window")

    def test_scopes_and_layers(self):
        self.refused("--wave", "old.vcd", "--wave-scope", "nothing*",
                     message=r"--wave-scope: 'nothing\*' matches no signal, scopes are npu.arbiter, .*npu.vector_unit; .*")
        self.refused("--wave", "old.vcd", "--wave-layer", "nothing", message=r"--wave-layer: .*'nothing'.*")

    def test_runs_without_cycles(self):
        self.refused("--wave", "old.vcd", "--backend", "reference",
                     message="--wave: backend 'reference' has no cycles, allowed with backends 'sim' and 'rtl'")
        self.refused("--wave", "old.vcd", "--config", "v64,v256", message="--wave: is for one run: .*")

    def test_a_full_disk(self):
        """No wave grows beyond the limit, neither in its place nor, as FST, where it is made."""
        names = ["old.vcd"]
        if self.execute("run", program.DEMO, "-q", "--wave", "w.fst").returncode == 0:
            names.append("w.fst")
        for path in self.folder.iterdir():
            path.unlink()
        temporary = pathlib.Path("/tmp")
        for name in names:
            for limit in (0, 100, 1000, 3000):
                with self.subTest(name=name, limit=limit):
                    before = {path for path in temporary.glob("vernier-wave-*")}
                    (self.folder / "old.vcd").write_text("old\n")
                    done = self.execute("run", program.DEMO, "-q", "--wave", name,
                                        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
                    self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                    self.assertRegex(done.stderr, r"\Avernier: [^\n]+(File too large|there is no room for[^\n]+)\n\Z")
                    self.assertEqual([path.name for path in self.folder.iterdir()], ["old.vcd"])
                    self.assertEqual((self.folder / "old.vcd").read_text(), "old\n")
                    self.assertEqual({path for path in temporary.glob("vernier-wave-*")} - before, set())


if __name__ == "__main__":
    program.main()

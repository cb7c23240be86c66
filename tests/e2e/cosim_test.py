# SPDX-License-Identifier: Apache-2.0
"""`vernier cosim`: the RTL of each unit matches, and what the report says. Skipped where the program has no RTL."""

import json
import os
import re
import resource
import secrets

import npy
import program
from vcd import Wave, lane, signed

LANES = 8
LEAST_COVERAGE_PERCENT = 99  # of what is legal: the rarest combinations have one chance in a million
RESCALE_CYCLES, TABLE_CYCLES = 4, 2
SINGLE, DOUBLE, INEXACT, HALF_EVEN = range(4)
INT8, INT16, INT32, INT48 = range(2, 6)
BITS = {INT8: 8, INT16: 16, INT32: 32, INT48: 48}


def rescaled(edge, number):
    """TOSA RESCALE of a lane of the operands that an edge finds, from the text of the specification."""
    bits = BITS[edge["scale_in_type_i"]]
    stored = lane(edge["scale_value_i"], number, 48) & ((1 << bits) - 1)
    value = stored if edge["scale_in_unsigned_i"] else signed(stored, bits)
    value -= signed(edge["scale_in_zero_point_i"], 32)
    multiplier, shift = lane(edge["scale_multiplier_i"], number, 32), lane(edge["scale_shift_i"], number, 6)
    is_32 = edge["scale_scale32_i"] == 1
    value, multiplier = (signed(value, 32), signed(multiplier, 32)) if is_32 else (signed(value, 48), signed(multiplier, 16))
    product = signed(value * multiplier, 64)
    if edge["scale_rounding_i"] == HALF_EVEN:
        floor, rest = product >> shift, product & ((1 << shift) - 1)
        result = floor + (1 if 2 * rest > 1 << shift or (shift > 0 and 2 * rest == 1 << shift and floor % 2) else 0)
    else:
        offset = (1 << shift) >> 1
        if edge["scale_rounding_i"] == DOUBLE and is_32 and shift > 31:
            offset += 1 << 30 if value >= 0 else -(1 << 30)
        result = (product + offset) >> shift
    result = signed(signed(result, 32) + signed(edge["scale_out_zero_point_i"], 32), 32)
    bits = BITS[edge["scale_out_type_i"]]
    low, high = (0, (1 << bits) - 1) if edge["scale_out_unsigned_i"] else (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
    result = max(low, min(high, result))
    return min(max(result, signed(edge["scale_clamp_min_i"], 32)), signed(edge["scale_clamp_max_i"], 32))


class Tables:
    """The two slots, as the words that are taken fill them."""

    def __init__(self):
        self.slots = {0: (INT8, bytearray(1040)), 1: (INT8, bytearray(1040))}

    def take(self, edge):
        if edge["tbl_valid_i"] and edge["tbl_ready_o"]:
            content = self.slots[edge["tbl_slot_i"]][1]
            content[edge["tbl_word_i"] * LANES : (edge["tbl_word_i"] + 1) * LANES] = edge["tbl_data_i"].to_bytes(LANES, "little")
            self.slots[edge["tbl_slot_i"]] = (edge["tbl_type_i"], content)

    def look_up(self, edge, number):
        table_type, content = self.slots[edge["look_slot_i"]]
        operand = lane(edge["look_value_i"], number, 16)

        def entry(index, size):
            return int.from_bytes(content[index * size : (index + 1) * size], "little", signed=True)

        if table_type == INT16:
            position = (operand + 32768) % 65536
            low, high = entry(position >> 7, 2), entry((position >> 7) + 1, 2)
            return low * 128 + (high - low) * (position & 127)
        return entry((operand + 128) % 256, 1 if table_type == INT8 else 4)


class Cosim(program.ProgramTest):
    def cosim(self, *arguments):
        done = self.execute("cosim", *arguments)
        if done.returncode == 2 and "built without Verilator" in done.stderr:
            self.skipTest("the program has no RTL")
        return done

    def test_units_match_on_every_machine(self):
        (self.folder / "mine.toml").write_text('base = "v64"\nname = "mine"\nsram_bytes = 65536\n', encoding="utf-8")
        for unit in ("rescale", "table", "mac_array", "datapath", "vector"):
            machines = {"v64": 8, "v256": 16, "v1024": 32, "v256-sram48": 16}
            if unit not in ("rescale", "table"):
                machines = {config: machines[config] for config in program.rtl_configs(*machines)}
            if unit == "mac_array" and "v1024" not in machines:
                machines = {"v64": 8}  # its others are not in a quick build either
            for config, lanes in (*machines.items(), ("mine.toml", 8)):
                done = self.cosim(unit, "--config", config, "--vectors", 2000, "--report", "r.json")
                self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
                report = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
                self.assertEqual(report["schema"], "vernier-cosim/1")
                self.assertEqual((report["unit"], report["config"], report["lanes"]), (unit, config.removesuffix(".toml"), lanes))
                self.assertEqual((report["vectors"], report["mismatches"], report["cycle_mismatches"]), (2000, 0, 0))
                self.assertEqual(report["result"], "match")
                self.assertEqual((report["commands_compared"] > 0, report["commands_without_rtl"]), (unit in ("mac_array", "datapath", "vector"), 0))
                self.assertEqual(report["model_cycles"], report["rtl_cycles"])
                self.assertGreaterEqual(report["model_cycles"], 2000)
                self.assertEqual(sum(group["vectors"] for group in report["groups"]), 2000)
                self.assertTrue(0 < report["coverage_percent"] <= 100)
                self.assertIn("2,000 vectors", done.stdout)

    def test_seeds_and_standard_output(self):
        first = self.cosim("rescale", "--vectors", 300, "--seed", 5, "--report", "-")
        self.assertEqual(json.loads(first.stdout)["seed"], 5)
        self.assertIn("300 vectors", first.stderr)
        self.assertEqual(self.cosim("rescale", "--vectors", 300, "--seed", 5, "--report", "-").stdout, first.stdout)
        self.assertNotEqual(self.cosim("rescale", "--vectors", 300, "--seed", 6, "--report", "-").stdout, first.stdout)

    def wave(self, unit, vectors):
        done = self.cosim(unit, "--config", "v64", "--vectors", vectors, "--seed", 3, "--wave", "w.vcd")
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.suffix not in (".json", ".gtkw")], ["w.vcd"])
        wave = Wave((self.folder / "w.vcd").read_text(encoding="ascii"))
        self.assertEqual(wave.cycles, list(range(len(wave.edges))))
        return wave

    def check_results(self, wave, group, latency, expected, vectors):
        """Every result in the wave, at its edge: `expected` of the operands that were taken `latency` edges before."""
        in_flight, num_edges, num_results = [], 0, 0
        for edge in wave.edges:
            if not edge["rst_ni"]:
                in_flight = []
                continue
            taken = [expected(edge, number) for number in range(LANES)] if edge[f"{group}_valid_i"] else None
            if not edge["en_i"]:
                continue
            if edge[f"{group}_valid_o"]:
                due, tag, results = in_flight.pop(0)
                self.assertEqual((num_edges, edge[f"{group}_tag_o"]), (due, tag))
                self.assertEqual([signed(lane(edge[f"{group}_result_o"], i, 32), 32) for i in range(LANES)], results)
                num_results += 1
            if taken is not None:
                in_flight.append((num_edges + latency, edge[f"{group}_tag_i"], taken))
            num_edges += 1
        self.assertEqual(num_results, vectors)

    def test_wave_of_the_rescale_unit(self):
        wave = self.wave("rescale", 3000)
        self.assertTrue(any(not edge["rst_ni"] for edge in wave.edges[10:]), "no reset in the middle")
        self.check_results(wave, "scale", RESCALE_CYCLES, rescaled, 3000)

    def test_wave_of_the_table_unit(self):
        wave, tables = self.wave("table", 1500), Tables()

        def look_up(edge, number):
            return tables.look_up(edge, number)

        # A word that an edge takes is seen by the next one.
        edges = wave.edges
        results = []
        for edge in edges:
            results.append([look_up(edge, number) for number in range(LANES)] if edge["look_valid_i"] else None)
            tables.take(edge)
        by_edge = {id(edge): result for edge, result in zip(edges, results)}
        self.check_results(wave, "look", TABLE_CYCLES, lambda edge, number: by_edge[id(edge)][number], 1500)

    def test_too_few_vectors_for_cycles(self):
        done = self.cosim("mac_array", "--config", "v64", "--vectors", 1)
        self.assertIn("cycles: none counted, as no sequence of commands without stalls came to its end", done.stdout)
        self.assertRegex(self.cosim("mac_array", "--config", "v64", "--vectors", 1000).stdout, r"cycles: RTL ([1-9][\d,]*), model \1\n")

    def test_a_wave_changes_no_result(self):
        without = self.cosim("table", "--vectors", 500, "--report", "-").stdout
        self.assertEqual(self.cosim("table", "--vectors", 500, "--report", "-", "--wave", "w.vcd").stdout, without)

    def test_places_of_a_wave(self):
        """A place that cannot be written: one line, and nothing is left behind."""
        self.cosim("table", "--vectors", 1)
        (self.folder / "is.vcd").mkdir()
        for place, what in (("is.vcd", "is a directory"), ("none/w.vcd", "is missing or not writable"), ("w.txt", "is not FILE."),
                            ("/dev/full", "is not FILE."), ("", "is not FILE.")):
            done = self.execute("cosim", "table", "--vectors", 10, "--wave", place)
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(what, done.stderr)
        (self.folder / "full.vcd").symlink_to("/dev/full")
        done = self.execute("cosim", "table", "--vectors", 10, "--wave", "full.vcd")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "vernier: full.vcd: cannot be written: No space left on device\n")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["full.vcd", "is.vcd"])

    def test_places_of_a_report(self):
        """A place that cannot be written, of a unit and of a network: one line, exit code 2, and what lay there before lies there still."""
        self.cosim("table", "--vectors", 1)
        for folder in ("is.json", "locked"):
            (self.folder / folder).mkdir()
        old = {name: f"old contents of {name}\n" for name in ("r.json", "w.vcd", "locked/r.json")}
        for name, text in old.items():
            (self.folder / name).write_text(text)
        (self.folder / "full.json").symlink_to("/dev/full")
        self.become_nobody()
        (self.folder / "locked").chmod(0o555)
        self.folder.chmod(0o777)
        names = sorted(path.name for path in self.folder.iterdir())
        too_large = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))}
        refused = (("is.json", r"--report: 'is\.json' is a directory, expected a file name", {}),
                   ("none/r.json", r"--report: 'none/r\.json' cannot be written: folder 'none' is missing or not writable", {}),
                   ("locked/r.json", r"--report: 'locked/r\.json' cannot be written: folder 'locked' is missing or not writable", {}),
                   ("r.csv", r"--report: 'r\.csv' is not FILE\.json or -", {}), ("", r"--report: '' is not FILE\.json or -", {}),
                   ("/dev/full", r"--report: '/dev/full' is not FILE\.json or -", {}),
                   ("full.json", r"full\.json: cannot be written: No space left on device", {}),
                   ("r.json", r"r\.json: cannot be written: File too large", too_large))
        for what in (["table", "--vectors", 10], ["datapath", "--vectors", 10], [program.DEMO]):
            for place, line, options in refused:
                for more in ([], ["--wave", "w.vcd"]) if place == "full.json" else ([],):
                    done = self.execute("cosim", *what, "--report", place, *more, **options)
                    self.assertEqual((done.returncode, done.stdout), (2, ""), f"{what}: {place}: {done.stderr}")
                    self.assertRegex(done.stderr, rf"\Avernier: {line}\n\Z")
                    self.assertEqual(sorted(path.name for path in self.folder.iterdir()), names)
                    self.assertEqual({name: (self.folder / name).read_text() for name in old}, old)
            self.assertEqual(self.execute("cosim", *what, "--report", "r.json").returncode, 0)
            self.assertEqual(json.loads((self.folder / "r.json").read_text())["result"], "match")
            (self.folder / "r.json").write_text(old["r.json"])


class NetworkTest(program.ProgramTest):
    def cosim(self, *arguments, exit_code=0):
        done = self.execute("cosim", *arguments, "--report", "r.json")
        if done.returncode == 2 and "built without Verilator" in done.stderr:
            self.assertEqual(done.stderr.count("\n"), 1)
            self.skipTest("the program has no RTL")
        self.assertEqual((done.returncode, done.stderr), (exit_code, ""), done.stdout)
        report = json.loads((self.folder / "r.json").read_text(encoding="utf-8"))
        (self.folder / "r.json").unlink()
        return report, done.stdout

    def check_equal(self, report, text):
        self.assertEqual((report["schema"], report["unit"], report["result"]), ("vernier-cosim/1", "datapath", "match"))
        self.assertEqual((report["mismatches"], report["cycle_mismatches"], report["commands_different"]), (0, 0, 0), text)
        self.assertEqual(report["model_cycles"], report["rtl_cycles"])
        self.assertEqual(report["check"]["result"], "match")
        self.assertGreater(report["check"]["elements_compared"], 0)
        compared = [group for group in report["groups"] if group["without_rtl"] is None]
        others = [group for group in report["groups"] if group["without_rtl"] is not None]
        for total, groups, key in (("commands_compared", compared, "commands"), ("commands_without_rtl", others, "commands"),
                                   ("macs_compared", compared, "macs"), ("macs", compared + others, "macs"),
                                   ("vectors", compared, "vectors")):
            self.assertEqual(report[total], sum(group[key] for group in groups), total)
        self.assertTrue(all(group["without_rtl"] == "no RTL yet for the DMA" for group in others))
        self.assertIn("every result and every edge that was compared is equal", text)


class Networks(NetworkTest):
    def test_demo_network_on_every_machine(self):
        machines = program.rtl_configs("v64", "v256", "v1024", "v256-sram48", "v256-port8")
        for options in (*(["--config", config] for config in machines),
                        ["--config", "v64", "--memory", "external", "--sram-bytes", "32KiB"]):
            report, text = self.cosim(program.DEMO, *options)
            self.check_equal(report, text)
            self.assertGreater(report["commands_compared"], 2)
            package = self.compile(program.DEMO, *options)
            done = self.execute("disasm", package, "--report", "-")
            units = [command["unit"] for command in json.loads(done.stdout)["commands"]]
            self.assertEqual(report["commands_compared"] + report["commands_without_rtl"], len(units) - units.count("end"))
            self.assertEqual(sum(group["commands"] for group in report["groups"] if group["group"] == "DMA"), units.count("dma"))
            self.assertEqual({**self.cosim(package)[0], "model": "demo.tosa"}, report)

    def test_seeds_waves_and_outputs(self):
        first = self.cosim(program.DEMO, "--seed", 7)[0]
        self.assertEqual(first["seed"], 7)
        self.assertEqual(self.cosim(program.DEMO, "--seed", 7, "--wave", "w.vcd", "--output-dir", "out")[0], first)
        self.assertTrue("$enddefinitions" in (self.folder / "w.vcd").read_text(encoding="ascii"))
        _, outputs = self.run_model(program.DEMO, options=["--seed", 7])
        for tensor, values in outputs.items():
            self.assert_arrays_equal(npy.read(self.folder / "out" / f"{tensor}.npy"), values, tensor)

    def test_made_networks(self):
        """Convolutions of several kinds; what is named as without RTL is so for its mapping or mode."""
        for entry in [entry for entry in program.made_networks() if re.match("conv_|fc_|small_", entry["name"])]:
            report, text = self.cosim(program.MADE / entry["name"] / "model.tosa", "--config", "v64")
            self.check_equal(report, text)

    def test_a_network_without_a_command_that_has_rtl(self):
        """No failure, and nothing that reads like a match."""
        report, text = self.cosim(program.MADE / "slice_ranks" / "model.tosa")
        left_out = report["commands_without_rtl"]
        self.assertEqual((report["result"], report["commands_compared"], report["vectors"]), ("nothing compared", 0, 0))
        self.assertGreater(left_out, 1)
        self.assertEqual(sum(group["commands"] for group in report["groups"]), left_out)
        self.assertIn(f": nothing was compared in RTL: {left_out} commands were left out\n", text)
        for group in report["groups"]:
            self.assertTrue(group["without_rtl"])
            self.assertRegex(text, rf"(?m)^  {group['commands']} commands?: {group['without_rtl']}$")
        self.assertNotRegex(text, "every result|all equal|100.0 %")

    def test_damaged_packages_end_as_they_do_in_run(self):
        """A package that is not its source graph's any more: RTL does what its commands say, and the reference something else."""
        package = self.compile(program.MADE / "conv_1x1_c20_oc33" / "model.tosa", "--config", "v64").read_bytes()
        source = (program.MADE / "conv_1x1_c20_oc33" / "model.tosa").read_bytes()
        codes = []
        for at, content in program.flipped(package, source, 40):
            damaged = self.folder / "damaged.vnpu"
            damaged.write_bytes(content)
            run = self.execute("run", damaged, "-q", "--check-all")
            done = self.execute("cosim", damaged)
            if "built without Verilator" in done.stderr:
                self.skipTest("the program has no RTL")
            self.assertEqual(done.returncode, run.returncode, f"byte {at}: {run.stderr}{done.stdout}{done.stderr}")
            codes.append(done.returncode)
            if done.returncode == 3:
                self.assertIn("end to end: ", done.stdout)
                self.assertIn(" differ from the reference, first ", done.stdout)
        self.assertGreater(codes.count(3), 3, codes)

    def test_ad01_int8_equals_its_golden_files(self):
        folder = program.GOLDEN / "ad01_int8"
        if not folder.exists():
            self.skipTest(f"{folder} is not there")
        # In 3 KiB the reductions come in slices.
        machines = program.rtl_configs("v64", "v256", "v1024")
        for config in (*([config] for config in machines), ["v64", "--memory", "external", "--sram-bytes", "3KiB"]):
            for seed in range(3):
                report, text = self.cosim(folder / "model.tosa", "--config", *config, "--input", folder / f"seed{seed}" / "input0.npy",
                                          "--output-dir", "out")
                self.check_equal(report, text)
                self.assertEqual(report["macs_compared"], report["macs"])
                self.assertEqual(len(config) > 1, any("sliced" in group["group"] for group in report["groups"]))
                self.assert_arrays_equal(npy.read(self.folder / "out" / "TosaOutput_0.npy"),
                                         npy.read(folder / f"seed{seed}" / "output_tosa.npy"), f"{config}, seed {seed}")


class Million(NetworkTest):
    """With a seed of its own each night, which is printed; VERNIER_SEED repeats one."""

    longest_seconds = 1500
    seed = int(os.environ.get("VERNIER_SEED") or secrets.randbelow(2**32))

    def check_unit(self, unit, preset):
        print(f"seed {self.seed}: VERNIER_SEED={self.seed} repeats it", flush=True)
        report, text = self.cosim(unit, "--vectors", 1_000_000, "--config", preset, "--seed", self.seed)
        self.assertEqual((report["mismatches"], report["cycle_mismatches"]), (0, 0), text)
        if unit == "core":  # and what the vector unit stores meanwhile
            self.assertGreater(report["vectors"], 1_000_000)
        else:
            self.assertEqual(report["vectors"], 1_000_000)
        self.assertEqual((report["unit"], report["config"], report["seed"]), (unit, preset, self.seed))
        self.assertEqual(report["model_cycles"], report["rtl_cycles"])
        self.assertGreater(report["coverage_percent"], LEAST_COVERAGE_PERCENT)
        if unit == "vector":  # each operation x type x phase, and each operation x class x type of operands
            self.assertEqual(report["coverage_bins"], 225 + 680, text)
        if unit in ("vector", "mac_array", "datapath"):
            self.assertEqual(report["coverage_bins_hit"], report["coverage_bins"], text)


def _add_unit(unit, preset):
    setattr(Million, f"test_{unit}_{preset.replace('-', '_')}", lambda self: self.check_unit(unit, preset))


for _unit in ("rescale", "table", "mac_array", "datapath", "vector", "core"):
    for _preset in ("v64", "v256", "v1024", "v256-sram48"):
        _add_unit(_unit, _preset)

if __name__ == "__main__":
    program.main()

# SPDX-License-Identifier: Apache-2.0
"""`inspect` and `disasm --report` say what a run says: operators, layers, MACs, memory, and which commands work for what."""

import csv
import json
import math
import re

import disassembly
import program
import report_checks
import tosa_file

NETWORKS = [program.DEMO, *(program.MADE / name / "model.tosa" for name in
                            ("residual_block", "softmax_rows", "depthwise_separable", "avg_pool_global", "small_classifier"))]
LAYER = re.compile(r"^ *(\d+|-) (.+?) +(\d+) +([\d,]+) +([\d,]+) +([\d,]+) +([^\d ].*)$")
OPERATOR = re.compile(r"^ *(\d+) (\w+) +(\S+) +(\w+) +(\[.*?\]) +([\d,]+) +([\d,]+) +([\d,]+) +([^\d ].*)$")
WIDE = ["env", "COLUMNS=400"]

COMMANDS = r"^(mac|vec|dma) \d+(-\d+)?( and \d+ more)?"


def number(text):
    return int(text.replace(",", ""))


def block(text, first_word):
    """The lines of the table whose heading starts with that word, and of nothing else."""
    lines = text.splitlines()
    start = next(i for i, line in enumerate(lines) if line.split()[:2] == first_word.split())
    end = next((i for i in range(start, len(lines)) if not lines[i]), len(lines))
    return lines[start + 1:end]


class Inspect(program.ProgramTest):
    def inspected(self, *arguments):
        done = self.execute("inspect", *arguments, prefix=WIDE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def assert_agrees(self, text, report, check):
        layers = [LAYER.match(line).groups() for line in block(text, "# layer")]
        operators = [OPERATOR.match(line).groups() for line in block(text, "op operator")]
        totals = report["totals"]
        self.assertEqual(sum(number(row[3]) for row in layers), totals["macs"])
        self.assertEqual(sum(number(row[5]) for row in operators), totals["macs"])
        self.assertEqual(sum(int(row[2]) for row in layers), len(operators))
        self.assertEqual([int(row[0]) for row in operators], list(range(len(operators))))
        owners = [row for row in layers if row[0] != "-"]
        self.assertEqual([int(row[0]) for row in owners], [layer["layer_idx"] for layer in report["layers"]])
        for row, layer in zip(owners, report["layers"]):
            self.assertTrue(layer["name"].split(";")[0].endswith(row[1].strip().removeprefix("...")), (row, layer["name"]))
            counted = sum(command["layer_idx"] == layer["layer_idx"] for command in report["commands"])
            found = sum(int(part.split()[1]) for part in row[6].split(", "))
            is_last = layer["layer_idx"] == report["commands"][-1]["layer_idx"]  # END is its
            self.assertEqual(found, counted - is_last, row)
        machine = re.search(r"^on (\S+) \(.*\): (\d+) commands \(.*\), ([\d,]+) B of .* of SRAM, weights and parameters ([\d,]+) B$",
                            text, re.M)
        self.assertEqual(machine.group(1), report["config"]["name"])
        self.assertEqual([number(group) for group in machine.groups()[1:]],
                         [totals["commands"], totals["sram_peak_bytes"], totals["weight_bytes"]])
        folded = {entry["tensor"]: entry["reason"] for entry in check["folded"]}
        for row in operators:
            reason = folded.get(row[2], "")
            if reason.startswith("fused into"):
                self.assertRegex(row[8], COMMANDS + ": fused (into|with what follows)")
                self.assertTrue(reason.endswith(" " + row[2]) or row[8].endswith(reason), row)
            elif reason:
                self.assertEqual(row[8], reason)
            else:
                self.assertRegex(row[8], COMMANDS + "$")

    def test_a_network_and_its_package(self):
        for model in NETWORKS:
            for options in ((), ("--optimize", "0"), ("--config", "v64", "--memory", "weights-external")):
                with self.subTest(model=model, options=options):
                    report, _ = self.run_model(model, options=["--check-all", *options])
                    text = self.inspected(model, *options)
                    self.assert_agrees(text, report, report["check"])
                    package = self.compile(model, "-q", *options)
                    of_package = self.inspected(package)
                    self.assertEqual(of_package.split("\n", 1)[1], text.split("\n", 1)[1])

    def test_operators_layers_and_sums_agree(self):
        """Counts and MACs by kind, result bytes by shape, and what stands in the lines above the tables."""
        bytes_of = {"bool": 1, "int8": 1, "int16": 2, "int32": 4, "int48": 8, "shape": 8}
        for model in NETWORKS:
            with self.subTest(model=model):
                text = self.inspected(model)
                report, _ = self.run_model(model)
                operators = [OPERATOR.match(line).groups() for line in block(text, "op operator")]
                kinds = {line.split()[0]: line.split()[1:] for line in block(text, "operator count")}
                for kind, (count, macs) in kinds.items():
                    rows = [row for row in operators if row[1] == kind]
                    self.assertEqual((len(rows), sum(number(row[5]) for row in rows)), (int(count), number(macs)), kind)
                self.assertEqual(set(kinds), {row[1] for row in operators})
                for row in operators:
                    self.assertEqual(number(row[7]), math.prod(json.loads(row[4])) * bytes_of[row[3]], row)
                layers = [LAYER.match(line).groups() for line in block(text, "# layer")]
                macs = {layer["layer_idx"]: layer["macs"] for layer in report["layers"]}
                for row in layers:
                    self.assertEqual(number(row[3]), macs[int(row[0])] if row[0] != "-" else number(row[3]), row)
                maps = [number(row[7]) for row in operators if row[8] != "constant"]
                inputs = re.findall(r"^input +\S+ +(\w+) (\[.*\])$", text, re.M)
                maps += [math.prod(json.loads(shape)) * bytes_of[dtype] for dtype, shape in inputs]
                told = re.search(r"^([\d,]+) operators? in ([\d,]+) layers?, ([\d,]+) MACs, constants ([\d,]+) B, largest feature map "
                                 r"([\d,]+) B$", text, re.M).groups()
                self.assertEqual([number(told[i]) for i in (0, 1, 2, 4)],
                                 [len(operators), len(layers), report["totals"]["macs"], max(maps)])
                self.assertLessEqual(max(number(row[4]) for row in layers), number(told[3]))

    def test_constants_by_hand(self):
        """Demo: 16 filters of 3 x 3 x 1 and 16 biases of int32, two zero points; 16 multipliers and shifts, zero points of
        int32 and int8, the last one of which both read. The depthwise filters are those of a RESHAPE. A network without
        constants has none."""
        text = self.inspected(program.DEMO)
        operators = [OPERATOR.match(line).groups() for line in block(text, "op operator")]
        convolution, rescale = 16 * 9 + 16 * 4 + 2, 16 * 4 + 16 + 4 + 1
        self.assertEqual([number(row[6]) for row in operators[:5]], [convolution, rescale, 0, 16 * 9 + 4 * 8, 16 * 4 + 2])
        layer = LAYER.match(block(text, "# layer")[0]).groups()
        self.assertEqual((number(layer[4]), number(layer[5])), (convolution + rescale - 1, 8 * 8 * 16))
        (self.folder / "one.tosa").write_bytes(tosa_file.one_operator("CLZ", shape=(2, 3)))
        self.assertIn("1 operator in 1 layer, 0 MACs, constants 0 B, largest feature map 24 B\n", self.inspected("one.tosa"))

    def test_live_feature_maps_by_hand(self):
        """Demo: where the third convolution is rescaled, 8 x 8 x 32 as int32 and as int8."""
        self.assertIn(f"at most {8 * 8 * 32 * (4 + 1):,} B of feature maps are alive at once: at operator 8, RESCALE layer_67",
                      self.inspected(program.DEMO))
        (self.folder / "one.tosa").write_bytes(tosa_file.one_operator("CLZ", shape=(2, 3)))
        self.assertIn(f"at most {2 * 2 * 3 * 4} B of feature maps are alive at once: at operator 0, CLZ y",
                      self.inspected("one.tosa"))
        # a is an output: it is alive to the end. x, a and b at operator 1; a, b and c at operator 2, which is as much.
        operators = [tosa_file.operator("CLZ", ["x"], ["a"]), tosa_file.operator("ABS", ["x"], ["b"]),
                     tosa_file.operator("ABS", ["b"], ["c"])]
        tensors = [tosa_file.tensor(name, (2, 3)) for name in "xabc"]
        (self.folder / "three.tosa").write_bytes(tosa_file.graph(tensors, operators, ["x"], ["a", "c"]))
        self.assertIn(f"at most {3 * 2 * 3 * 4} B of feature maps are alive at once: at operator 1, ABS b",
                      self.inspected("three.tosa"))

    def test_a_network_that_does_not_fit_is_still_shown(self):
        text = self.inspected(program.DEMO, "--sram-bytes", "1024")
        self.assertIn("CONV2D", text)
        self.assertRegex(text, r"\n\ndoes not run on v256: [^\n]*needs [^\n]* of SRAM[^\n]*\n\Z")

    def test_tables_fit(self):
        """At each width the columns that are shown have the cells of the wide table, names by their ends."""
        for model in NETWORKS:
            wide = self.inspected(model)
            for width in (40, 80, 100, 160):
                with self.subTest(model=model, width=width):
                    text = self.execute("inspect", model, prefix=["env", f"COLUMNS={width}"]).stdout
                    self.assertLessEqual(max(map(len, text.splitlines())), width)
                    if width == 40:
                        continue
                    for heading, name_column in (("# layer", 1), ("op operator", 2)):
                        whole = [(LAYER if heading == "# layer" else OPERATOR).match(line).groups() for line in block(wide, heading)]
                        lines = block(text, heading)
                        self.assertEqual(len(lines), len(whole))
                        for line, row in zip(lines, whole):
                            shown = line.split()
                            self.assertEqual(shown[0], row[0])
                            self.assertTrue(row[name_column].endswith(shown[name_column].removeprefix("...")), (line, row))
                            if heading == "# layer":
                                self.assertTrue(line.endswith(row[-1]), (line, row))
                                self.assertIn(f" {row[3]} ", line)

    def test_disassembly_as_json(self):
        package = self.compile(program.DEMO, "-q")
        done = self.execute("disasm", package, "--report", self.folder / "d.json", "--report", "-")
        self.assertEqual(done.returncode, 0)
        listing = program.read_json(self.folder / "d.json")
        self.assertEqual((self.folder / "d.json").read_text(), done.stdout)
        self.assertEqual(self.execute("disasm", package).stdout, done.stderr)
        text = re.sub(r"\n {8}", " ", done.stderr)  # lines that were broken to fit
        report, _ = self.run_model(package)
        self.assertEqual(listing["schema"], "vernier-disasm/1")
        self.assertEqual(listing["model"]["sha256"], report["model"]["sha256"])
        self.assertEqual([(entry["command_idx"], entry["layer_idx"]) for entry in listing["commands"]],
                         [(entry["command_idx"], entry["layer_idx"]) for entry in report["commands"]])
        for entry in listing["commands"]:
            self.assertEqual(entry["fault"], "")
            self.assertTrue(entry["text"].startswith(entry["unit"]))
            self.assertEqual(entry["layer"], report["layers"][entry["layer_idx"]]["name"])
            self.assertRegex(text, rf"0x{entry['offset_bytes']:06x} \[{entry['layer_idx']} [^\]]+\] {re.escape(entry['text'])}\n")

    def listed(self, package, *options):
        """(indices of the commands that disasm prints, those of its JSON)."""
        done = self.execute("disasm", package, *options, "--report", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        return ([command.index for command in disassembly.parse(done.stderr)],
                [entry["command_idx"] for entry in json.loads(done.stdout)["commands"]])

    def test_disassembly_of_a_layer_or_a_unit(self):
        package = self.compile(program.DEMO, "-q", "--memory", "external")
        self.execute("disasm", package, "--report", self.folder / "d.json")
        commands = program.read_json(self.folder / "d.json")["commands"]
        names = {entry["layer_idx"]: entry["layer"] for entry in commands}
        for layer_idx, name in names.items():
            expected = [entry["command_idx"] for entry in commands if entry["layer_idx"] == layer_idx]
            self.assertEqual(self.listed(package, "--layer", layer_idx), (expected, expected))
            self.assertEqual(self.listed(package, "--layer", name), (expected, expected))
        for unit, mnemonic in (("mac", "mac"), ("vec", "vec"), ("dma", "dma"), ("mac_array", "mac"), ("vector_unit", "vec")):
            expected = [entry["command_idx"] for entry in commands if entry["unit"] == mnemonic]
            self.assertTrue(expected)
            self.assertEqual(self.listed(package, "--unit", unit), (expected, expected))
        both = [entry["command_idx"] for entry in commands if entry["layer_idx"] == 0 and entry["unit"] == "mac"]
        self.assertEqual(self.listed(package, "--unit", "mac", "--layer", "0"), (both, both))
        # The shortened names are those of the report's table.
        table = self.execute("estimate", package).stdout
        short = re.search(r"\[1 ([^\]]+)\]", self.execute("disasm", package).stdout)[1]
        self.assertIn(f" {short} ", table)
        self.assertEqual(self.listed(package, "--layer", short), self.listed(package, "--layer", "1"))
        done = self.execute("disasm", package, "--layer", "Relu")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"\Avernier: --layer: 'Relu' is in the names of \d layers, wanted is one of them:\n"
                                      r"(vernier: --layer:   \d \S+\n)+\Z")

    def test_a_layer_by_each_name_that_a_table_prints(self):
        """Also names that a narrow table cuts: they mean their layer, or several that are listed, theirs among them."""
        for model in (program.DEMO, program.MADE / "small_classifier" / "model.tosa"):
            package = self.compile(model, "-q", "--memory", "external")
            for width in (40, 80):
                lines = self.execute("estimate", package, prefix=["env", f"COLUMNS={width}"]).stdout.splitlines()
                first = next(i for i, line in enumerate(lines) if re.match(r" *# layer ", line))
                rows = [re.match(r" *(\d+) (\S+)", line) for line in lines[first + 1:]]
                rows = rows[:rows.index(None)]
                self.assertGreater(len(rows), 1)
                if width == 40 and model == program.DEMO:
                    self.assertTrue(any("..." in row[2] for row in rows), lines)
                for row in rows:
                    done = self.execute("disasm", package, "--layer", row[2], "--report", "d.json")
                    if done.returncode == 0:
                        commands = program.read_json(self.folder / "d.json")["commands"]
                        self.assertEqual({entry["layer_idx"] for entry in commands}, {int(row[1])})
                    else:
                        self.assertIn(f"vernier: --layer:   {row[1]} ", done.stderr)

    def test_where_no_command_matches(self):
        package = self.compile(program.DEMO, "-q")
        self.execute("disasm", package, "--report", self.folder / "d.json")
        units = {}
        for entry in program.read_json(self.folder / "d.json")["commands"]:
            units.setdefault(entry["layer_idx"], set()).add(entry["unit"])
        layer = next(layer for layer, found in units.items() if "mac" not in found)
        lines = self.execute("disasm", package, "--layer", layer, "--unit", "mac", codes=(0,)).stdout.splitlines()
        self.assertEqual(lines[1:], ["# no command matches what was asked for"])

    def test_a_name_of_two_lines(self):
        model = self.folder / "two\nlines.tosa"
        model.write_bytes(program.DEMO.read_bytes())
        package = self.compile(model, "-q")
        for arguments in (["disasm", package], ["inspect", model], ["inspect", package]):
            self.assertIn("two\\x0alines.tosa", self.execute(*arguments, codes=(0,)).stdout)

    def test_the_list_of_machines_fits(self):
        for width in (80, 100, 160):
            lines = self.execute("config", "list", prefix=["env", f"COLUMNS={width}"], codes=(0,)).stdout.splitlines()
            self.assertLessEqual(max(map(len, lines)), width)
            self.assertEqual(len(lines), 10 if width == 80 else 5)

    def test_a_size_that_is_not_taken_whole_is_told(self):
        shown = self.execute("inspect", program.DEMO, "--sram-bytes", "1e6", codes=(0,)).stdout
        self.assertIn("note: --sram-bytes: 1,000,000 B asked for, 999,936 B taken", shown)

    def test_disassembly_fits_and_explains_itself(self):
        for model in NETWORKS[:3]:
            package = self.compile(model, "-q", "--memory", "external")
            for width in (80, 100, 160):
                done = self.execute("disasm", package, prefix=["env", f"COLUMNS={width}"])
                lines = done.stdout.splitlines()
                self.assertLessEqual(max(map(len, lines)), width)
                legend = " ".join(line for line in lines if line.startswith("# "))
                for command in disassembly.parse(done.stdout):
                    for key in command.fields:
                        pattern = re.sub(r"^(in|addend|out)_pitch$", "*_pitch", key)
                        self.assertIn(f"{pattern}=", legend, f"{command.kind} {key}")
                    for line in command.lines:
                        for word in line:
                            key = re.match(r"([a-z_]+)\d*=", word)
                            if key:
                                self.assertRegex(legend, rf"{key[1]}N?=")

    def test_the_printed_graph_has_no_megabytes(self):
        model = program.MADE / "conv_deep" / "model.tosa"
        text = self.execute("compile", model, "--dump", "ir").stdout
        self.assertLess(max(map(len, text.splitlines())), 1000)
        self.assertRegex(text, r"(?m)^tensor \S+ int8\[[0-9, ]+\] = (-?\d+, ){8}\.\.\. \(\d+ elements, CRC-32 [0-9a-f]{8}\)$")

    def test_csv_has_what_the_json_report_has(self):
        for model, options in ((NETWORKS[0], ()), (NETWORKS[1], ("--memory", "external")), (NETWORKS[2], ("--backend", "reference"))):
            self.execute("run", model, "-q", *options, "--report", self.folder / "r.json", "--report", self.folder / "r.csv")
            report = program.read_json(self.folder / "r.json")
            with open(self.folder / "r.csv", newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), len(report["layers"]) + 1)
            for row, layer in zip(rows, report["layers"]):
                for column, text in row.items():
                    self.assert_same_as_json(text, column, layer, report)
            self.assert_totals(rows[-1], rows[:-1], report)

    def assert_same_as_json(self, text, column, layer, report):
        value = report if column.startswith(("model.", "config.", "totals.")) else layer
        for key in column.split("."):
            value = value.get(key, 0)  # causes without a cycle are left out
        if column == "operators":
            self.assertEqual(text.split(), value)
        elif column == "totals.frames_per_second":
            self.assertAlmostEqual(float(text), value, delta=0.0051)
        elif isinstance(value, list):
            self.assertEqual(text, "x".join(map(str, value)))
        elif isinstance(value, float):
            self.assertEqual(float(text), value)
        else:
            self.assertEqual(text, str(value), column)

    def assert_totals(self, total, rows, report):
        """The line without layer_idx: sums of the columns above it, and what the report has for all."""
        totals = report["totals"]
        self.assertEqual((total["layer_idx"], total["name"]), ("", "total"))
        sums = ["attributed_cycles", "macs", *report_checks.TRAFFIC]
        for column in [*sums, *(name for name in total if name.startswith("attributed_cycles_by."))]:
            self.assertEqual(int(total[column]), sum(int(row[column]) for row in rows), column)
        for column in ["macs", *report_checks.TRAFFIC]:
            self.assertEqual(int(total[column]), totals[column], column)
        for column in ("attributed_cycles", "working_cycles", "last_cycle"):
            self.assertEqual(int(total[column]), totals["cycles"], column)
        self.assertEqual(float(total["mac_utilization_percent"]), totals["mac_utilization_percent"])
        for row in [*rows, total]:
            peak = int(row["working_cycles"]) * int(row["config.macs_per_cycle"])
            self.assertAlmostEqual(float(row["mac_utilization_percent"]), 100 * int(row["macs"]) / peak if peak else 0, delta=0.0051)
            self.assertEqual(row["model.name"], report["model"]["name"])

    def test_every_configuration_is_shown_as_the_report_has_it(self):
        names = [line.split()[0] for line in self.execute("config", "list").stdout.splitlines()]
        self.assertEqual(len(names), 5)
        for name in names:
            shown = dict(line.split()[:2] for line in self.execute("config", "show", name).stdout.splitlines())
            report, _ = self.run_model(program.MADE / "clamp_int8" / "model.tosa", options=["--config", name])
            reported = {key: str(value).lower() if isinstance(value, bool) else str(value)
                        for key, value in report["config"].items() if key != "optimize"}
            self.assertEqual(shown, reported)

    def test_each_stage_is_printed_and_names_every_command(self):
        for model in NETWORKS[:3]:
            package = self.compile(model, "-q")
            stream = self.execute("compile", model, "--dump", "stream").stdout
            self.assertEqual(stream, self.execute("disasm", package).stdout)
            commands = len(re.findall(r"^ *\d+ 0x", stream, re.M)) - 1  # END
            schedule = self.execute("compile", model, "--dump", "schedule").stdout
            self.assertIn(f"schedule: {commands} commands", schedule)
            self.assertEqual(len(re.findall(r"^ *\d+  ?(?:mac|vec|dma)", schedule, re.M)), commands)
            self.assertTrue(self.execute("compile", model, "--dump", "ir").stdout.startswith("vernier-ir 1\n"))


if __name__ == "__main__":
    program.main()

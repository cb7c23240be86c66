# SPDX-License-Identifier: Apache-2.0
"""`vernier dump`: tensors as the machine holds them, bytes of SRAM at the end of a cycle, and sums of the MAC array."""

import re
import unittest

import npy
import onnx_file
import program

MODES = ("sram", "weights-external", "external")
NETWORKS = ("add_both_broadcast", "depthwise_separable", "conv3d_padded")


def chosen(entries):
    return [entry for entry in entries if entry["name"] in NETWORKS]


class DumpTest(program.ProgramTest):
    def dump(self, *options, model=program.DEMO):
        done = self.execute("dump", model, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), options)
        return done.stdout

    def report(self, *options, model=program.DEMO):
        self.assertEqual(self.execute("run", model, "-q", "--report", "r.json", "--check-all", *options).returncode, 0)
        return program.read_json(self.folder / "r.json")


class Tensors(DumpTest):
    def all_of(self, *options, model=program.DEMO):
        """{tensor: Array} and {tensor: (first command, last command, cycle)} of all that the machine makes."""
        self.dump("--tensor", "all", "-o", "t", *options, model=model)
        text = self.dump("--tensor", "all", "-o", "t", *options, model=model)
        arrays, origins = {}, {}
        for line in text.splitlines():
            file, name, made = re.fullmatch(r"(.*\.npy): tensor (.*) \w+ \[.*\], (.*)", line).groups()
            arrays[name] = npy.read(self.folder / file)
            found = re.fullmatch(r"of commands? (\d+)(?: to (\d+))?, (?:the last|which) ended in cycle ([\d,]+)", made)
            if found:
                first, last, cycle = found.groups()
                origins[name] = (int(first), int(last or first), int(cycle.replace(",", "")))
            else:
                self.assertEqual(made, "an input")
        return arrays, origins

    def test_every_tensor_is_the_same_on_every_machine(self):
        """What is computed in other pieces, other places and another order has the same values: those of the reference, which
        --check-all compares. Tensors that one of the machines folds away are not compared."""
        for name, model in [("demo", program.DEMO), *((n, program.MADE / n / "model.tosa") for n in NETWORKS[1:])]:
            whole, _ = self.all_of("--optimize", "0", model=model)
            for options in (("--memory", "sram"), ("--memory", "weights-external"), ("--memory", "external", "--config", "v64"),
                            ("--memory", "external", "--sram-bytes", "16384")):
                with self.subTest(network=name, options=options):
                    report = self.report(*options, model=model)
                    self.assertEqual(report["check"]["result"], "match")
                    arrays, origins = self.all_of(*options, model=model)
                    # All that --check-all compared is there, and the inputs.
                    self.assertEqual(len(origins), report["check"]["tensors_compared"])
                    self.assertEqual(sum(len(arrays[tensor].values) for tensor in origins), report["check"]["elements_compared"])
                    for tensor, array in arrays.items():
                        if tensor in whole:
                            self.assert_arrays_equal(array, whole[tensor], tensor)
                    for tensor, (first, last, cycle) in origins.items():
                        layers = {report["commands"][i]["layer_idx"] for i in (first, last)}
                        self.assertEqual(len(layers), 1, tensor)
                        self.assertEqual(report["commands"][last]["end_cycle"], cycle, tensor)

    def test_outputs_are_those_of_run_and_inputs_those_given(self):
        for entry in chosen(program.made_networks()):
            model = program.MADE / entry["name"] / "model.tosa"
            inputs = program.made_inputs(entry)
            _, outputs = self.run_model(model, inputs)
            arrays, _ = self.all_of(*[word for text in inputs for word in ("--input", text)], model=model)
            for tensor, expected in outputs.items():
                self.assert_arrays_equal(arrays[tensor], expected, tensor)
            for text in inputs:
                name, file = text.split("=", 1)
                self.assert_arrays_equal(arrays[name], npy.read(file), name)

    def test_a_layer_names_its_tensor_and_the_three_formats_agree(self):
        arrays, _ = self.all_of()
        self.dump("--tensor", "pointwise", "-o", "p.npy")
        self.assert_arrays_equal(npy.read(self.folder / "p.npy"), arrays["layer_68"], "by layer")
        self.dump("--tensor", "2", "-o", "p.txt")
        self.dump("--tensor", "layer_68", "-o", "p.hex")
        text = (self.folder / "p.txt").read_text()
        self.assertEqual(self.dump("--tensor", "layer_68"), text)
        heading, *rows = text.splitlines()
        self.assertTrue(heading.startswith("# tensor layer_68 int8 [1, 8, 8, 32], of command"), heading)
        self.assertEqual(rows[9].split("] ")[0], "[0, 1, 1")
        values = [int(word) for row in rows for word in row.split("] ")[1].split()]
        self.assertEqual(values, list(arrays["layer_68"].values))
        words = [word for row in (self.folder / "p.hex").read_text().splitlines()[1:] for word in row.split()]
        self.assertEqual(words, [f"{value & 0xff:02x}" for value in values])

    def test_the_seed_counts(self):
        first, other = (self.dump("--tensor", "layer_68", "--seed", seed) for seed in ("1", "2"))
        self.assertNotEqual(first, other)
        self.assertEqual(first, self.dump("--tensor", "layer_68"))


class Source(DumpTest):
    """A network in QDQ form whose codes are unsigned: the source has [1, channels, rows, columns]."""

    FLOAT, UINT8, INT8, INT64 = 1, 2, 3, 7
    SHAPE = (1, 2, 3, 5)

    def write(self):
        weights = [1, 2, -1, 1, 3, 0]  # of three channels
        initializers = [onnx_file.tensor("s", self.FLOAT, [], [0.25]), onnx_file.tensor("z", self.UINT8, [], [100]),
                        onnx_file.tensor("w", self.INT8, [3, 2, 1, 1], weights), onnx_file.tensor("ws", self.FLOAT, [], [1.0]),
                        onnx_file.tensor("wz", self.INT8, [], [0])]
        nodes = [*onnx_file.quantizer("x", "s", "z"), onnx_file.node("DequantizeLinear", ["w", "ws", "wz"], ["w_d"]),
                 onnx_file.node("Conv", ["x_d", "w_d"], ["n_stem"], called="n_stem"), *onnx_file.quantizer("n_stem", "s", "z"),
                 onnx_file.node("MaxPool", ["n_stem_d"], ["pool"], kernel_shape=[1, 1]), *onnx_file.quantizer("pool", "s", "z")]
        content = onnx_file.model(nodes, initializers, [("x", self.FLOAT, list(self.SHAPE))], [("pool_d", self.FLOAT, [1, 3, 3, 5])])
        (self.folder / "net.onnx").write_bytes(content)
        codes = [(37 * i + 11) % 256 for i in range(30)]
        (self.folder / "x.npy").write_bytes(npy.to_bytes(npy.Array("|u1", self.SHAPE, codes)))
        stem = []
        for channel in range(3):
            for pixel in range(15):
                total = sum(weights[2 * channel + i] * (codes[15 * i + pixel] - 100) for i in range(2))
                stem.append(min(max(total + 100, 0), 255))
        return codes, stem

    def test_tensors_have_the_layout_and_the_codes_of_the_source(self):
        codes, stem = self.write()
        options = ("--input", "x.npy", "-o", "t.npy")
        for name, shape, expected in (("x", self.SHAPE, codes), ("n_stem_q", (1, 3, 3, 5), stem)):
            text = self.dump("--tensor", name, *options, model="net.onnx")
            found = npy.read(self.folder / "t.npy")
            self.assertEqual((found.descr, tuple(found.shape), list(found.values)), ("|u1", shape, expected), name)
            self.assertIn(f"uint8 {list(shape)}", text)
            self.assertIn("as the source has ", text)
        self.assertIn("in the graph it is int8 [1, 3, 5, 3]", text)

    def test_text_and_hex_have_the_codes_too(self):
        _, stem = self.write()
        text = self.dump("--tensor", "n_stem_q", "--input", "x.npy", model="net.onnx")
        rows = [row.split("] ") for row in text.splitlines()[1:]]
        self.assertEqual([int(word) for _, row in rows for word in row.split()], stem)
        self.assertEqual(rows[4][0], "[0, 1, 1")
        self.dump("--tensor", "n_stem_q", "--input", "x.npy", "-o", "t.hex", model="net.onnx")
        words = [word for row in (self.folder / "t.hex").read_text().splitlines()[1:] for word in row.split()]
        self.assertEqual(words, [f"{code:02x}" for code in stem])

    def test_sums_have_the_order_of_the_source(self):
        codes, _ = self.write()
        self.dump("--accumulator", "n_stem_q", "--input", "x.npy", "-o", "t.npy", model="net.onnx")
        found = npy.read(self.folder / "t.npy")
        self.assertEqual(tuple(found.shape), (1, 3, 3, 5))
        expected = [codes[i] - 100 + 2 * (codes[15 + i] - 100) for i in range(15)]
        self.assertEqual(list(found.values)[:15], expected)

    def test_a_layer_is_found_as_the_report_prints_it_where_a_folded_value_has_its_name(self):
        _, stem = self.write()
        report = self.report("--input", "x.npy", model="net.onnx")
        self.assertIn("n_stem", [layer["name"] for layer in report["layers"]])
        self.dump("--tensor", "n_stem", "--input", "x.npy", "-o", "t.npy", model="net.onnx")
        self.assertEqual(list(npy.read(self.folder / "t.npy").values), stem)

    def test_a_package_says_that_it_does_not_know_the_source_within(self):
        self.write()
        package = self.compile(self.folder / "net.onnx")
        text = self.dump("--tensor", "n_stem", "--input", "x.npy", "-o", "t.npy", model=package)
        self.assertIn("a package does not say how its source has it", text)


class Sram(DumpTest):
    def bytes_at(self, begin, end, cycle, *options, model=program.DEMO):
        """Of each byte its value, None where nobody wrote it."""
        rows = self.dump("--sram", f"{begin:#x}:{end}@{cycle}", *options, model=model).splitlines()[1:]
        words = [word for row in rows for word in row.split()[1:]]
        self.assertEqual([int(row.split()[0], 16) for row in rows], list(range(begin, end, 16)))
        return [None if word == "--" else int(word, 16) for word in words]

    def test_what_each_command_writes_is_there_from_the_cycle_in_which_it_ends(self):
        """The demo's maps lie in SRAM; its convolutions write the box that their `out=` and `out_pitch=` say."""
        report = self.report()
        package = self.compile(program.DEMO)
        listed = self.execute("disasm", package, "--report", "-").stdout
        size = report["totals"]["sram_peak_bytes"]
        compared = 0
        (self.folder / "d.json").write_text(listed)
        for command in program.read_json(self.folder / "d.json")["commands"]:
            found = re.search(r"out_shape=(\d+)x(\d+)x(\d+) .*out=0x([0-9a-f]+):int8 out_pitch=(\d+),(\d+),(\d+)", command["text"])
            if not found:
                continue
            rows, columns, channels, row_pitch, pixel_pitch, block_pitch = (int(found[i]) for i in (1, 2, 3, 5, 6, 7))
            places = [int(found[4], 16) + row * row_pitch + column * pixel_pitch + channel // 16 * block_pitch + channel % 16
                      for row in range(rows) for column in range(columns) for channel in range(channels)]
            end = report["commands"][command["command_idx"]]["end_cycle"]
            before, after = (self.bytes_at(0, size, cycle) for cycle in (end - 1, end))
            changed = [place for place in range(size) if before[place] != after[place]]
            ending = [c for c in report["commands"] if c["end_cycle"] == end]
            if len(ending) == 1:
                self.assertLessEqual(set(changed), set(places), command["text"])
                self.assertTrue(changed, command["text"])
                compared += 1
            # Values, for a map that one command makes.
            name = self.execute("dump", package, "--tensor", str(command["layer_idx"])).stdout
            tensor = re.match(rf"# tensor \S+ int8 \[1, {rows}, {columns}, {channels}\], of command {command['command_idx']},", name)
            if tensor:
                values = [int(word) & 0xff for row in name.splitlines()[1:] for word in row.split("] ")[1].split()]
                self.assertEqual([after[place] for place in places], values)
                compared += 1
        self.assertGreaterEqual(compared, 6)

    def test_cycle_0_has_what_is_loaded_before_and_nobody_has_written_the_rest(self):
        report = self.report("--memory", "sram")
        found = self.bytes_at(0, report["totals"]["sram_peak_bytes"], 0, "--memory", "sram")
        written = sum(byte is not None for byte in found)
        # The image and the input of 64 elements.
        self.assertEqual(written, report["totals"]["image_bytes"] + 64)

    def test_formats_agree(self):
        region = "0x20:0x7131@300"
        text = self.dump("--sram", region)
        self.assertIn("; nobody has written ", text.splitlines()[0])
        for file in ("s.npy", "s.hex", "s.txt"):
            self.assertIn(text.splitlines()[0][2:], self.dump("--sram", region, "-o", file))
        self.assertEqual((self.folder / "s.txt").read_text(), text)
        told = [word for row in text.splitlines()[1:] for word in row.split()[1:]]
        held = [word for row in (self.folder / "s.hex").read_text().splitlines()[1:] for word in row.split()[1:]]
        self.assertEqual(held, [word.replace("--", "xx") for word in told])
        array = npy.read(self.folder / "s.npy")
        self.assertEqual((array.shape, list(array.values)), ((0x7131 - 0x20,), [int(w.replace("--", "0"), 16) for w in told]))


class Accumulators(DumpTest):
    """That a tensor's sums are right is a unit test's; here: which command's they are, the three formats, what is refused."""

    def sums(self, where, *options, model=program.DEMO):
        heading = self.dump("--accumulator", where, "-o", "a.npy", *options, model=model)
        return heading, npy.read(self.folder / "a.npy")

    def test_a_tensor_has_the_sums_of_its_commands(self):
        for options in (("--memory", "sram"), ("--memory", "external", "--config", "v64", "--sram-bytes", "16384")):
            report = self.report(*options)
            macs = [c["command_idx"] for c in report["commands"] if c["unit"] == "mac_array"]
            heading, whole = self.sums("layer_68", *options)
            self.assertTrue(heading.startswith("a.npy: sums of tensor layer_68 int48 [1, 8, 8, 32], of command"), heading)
            self.assertEqual(whole.descr, "<i8")
            first, last = (int(text or 0) for text in re.search(r"of commands? (\d+)(?: to (\d+))?", heading).groups())
            parts = []
            for command in (i for i in macs if first <= i <= max(first, last)):
                told, part = self.sums(f"command:{command}", *options)
                self.assertIn(f"of command {command}, which ended in cycle {report['commands'][command]['end_cycle']:,}", told)
                if "a slice of the reduction" not in told:
                    parts += part.values
            self.assertEqual(sorted(parts), sorted(whole.values))
            self.assertGreater(len(set(parts)), 100)

    def test_a_layer_a_cycle_and_the_formats(self):
        report = self.report()
        _, tensor = self.sums("layer_68")
        _, layer = self.sums("pointwise")
        self.assert_arrays_equal(layer, tensor, "by layer")
        seen = set()
        for cycle in range(0, report["totals"]["cycles"], 97):
            on_array = [c for c in report["commands"] if c["unit"] == "mac_array" and c["start_cycle"] <= cycle < c["end_cycle"]]
            done = self.execute("dump", program.DEMO, "--accumulator", f"@{cycle}")
            if on_array:
                seen.add(int(re.match(r"# sums .*, of command (\d+), ", done.stdout)[1]))
                self.assertIn(max(seen), [c["command_idx"] for c in on_array])
            else:
                self.assertEqual(done.returncode, 2)
                self.assertRegex(done.stderr, rf"\Avernier: --accumulator: no command is on the MAC array in cycle {cycle}; command .*\n\Z")
        self.assertGreater(len(seen), 3)
        text = self.dump("--accumulator", "command:1")
        _, array = self.sums("command:1")
        self.dump("--accumulator", "command:1", "-o", "a.hex")
        self.dump("--accumulator", "command:1", "-o", "a.txt")
        self.assertEqual((self.folder / "a.txt").read_text(), text)
        self.assertEqual([int(word) for row in text.splitlines()[1:] for word in row.split("] ")[1].split()], list(array.values))
        words = [word for row in (self.folder / "a.hex").read_text().splitlines()[1:] for word in row.split()]
        self.assertEqual(words, [f"{value & (1 << 64) - 1:016x}" for value in array.values])

    def test_an_injected_bit_is_there(self):
        """The sum that --inject says it flips is the one that the dump has."""
        self.execute("run", program.DEMO, "--inject", "accumulator:bitflip@700", "--report", "r.json", "--no-rerun")
        found = re.match(r"bit (\d+) of sum (\d+) of command (\d+)", program.read_json(self.folder / "r.json")["injected"])
        _, array = self.sums(f"command:{found[3]}")
        _, same = self.sums("@700")
        self.assert_arrays_equal(array, same, "at the cycle")

    def test_bad_input(self):
        cases = {"": "has no value", "all": "is no one place", "@": "is not @CYCLE", "@-1": "is not @CYCLE", "@x": "is not @CYCLE",
                 "command:": "is not command:N", "command:-3": "is not command:N", "command:99999": "is none of the MAC array",
                 "@99999999": "is beyond the end: the run has", "nothing": "no tensor and no layer 'nothing'",
                 "layer_688": "did you mean 'layer_68'"}
        for where, message in cases.items():
            done = self.execute("dump", program.DEMO, f"--accumulator={where}")
            self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (2, "", 1), done.stderr)
            self.assertIn(message, done.stderr)
            self.assertTrue(done.stderr.startswith("vernier: --accumulator: "), done.stderr)
        for options in ([], ["--accumulator", "@5", "--tensor", "layer_68"]):
            done = self.execute("dump", program.DEMO, *options)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
            self.assertIn("needs one of --tensor", done.stderr)
        vector = program.MADE / "add_same_operand" / "model.tosa"
        name = self.execute("inspect", vector).stdout
        done = self.execute("dump", vector, "--accumulator", "0")
        self.assertEqual(done.returncode, 2, name)
        self.assertRegex(done.stderr, r"\Avernier: --accumulator: .*MAC array.*\n\Z")


class Cycles(program.ProgramTest):
    """disasm --cycles: each command with what the report says of it."""

    def test_every_command_has_its_cycles(self):
        package = self.compile(program.DEMO, "--memory", "external")
        self.assertEqual(self.execute("run", package, "-q", "--report", "r.json").returncode, 0)
        self.environment["COLUMNS"] = "1000"
        text = self.execute("disasm", package, "--cycles", "r.json").stdout
        told = re.findall(r"^ +# cycles (.*)$", text, re.M)
        expected = []
        for command in program.read_json(self.folder / "r.json")["commands"]:
            parts = [("busy", command["busy_cycles"])] if command["busy_cycles"] else []
            flight = ", ".join(f"{name} {count:,}" for name, count in [*parts, *command["stall_cycles"].items()])
            waits = ", ".join(f"{name} {count:,}" for name, count in command["wait_cycles"].items())
            expected.append(f"{command['start_cycle']:,} to {command['end_cycle']:,}" + (f": {flight}" if flight else "")
                            + (f"; waited: {waits}" if waits else ""))
        self.assertEqual(told, expected)
        some = self.execute("disasm", package, "--cycles", "r.json", "--layer", "2").stdout
        self.assertEqual(len(re.findall(r"^ +# cycles ", some, re.M)), len(re.findall(r"^ +\d+ 0x", some, re.M)))
        for columns in (80, 100, 160):
            self.environment["COLUMNS"] = str(columns)
            lines = self.execute("disasm", package, "--cycles", "r.json").stdout.splitlines()
            self.assertLessEqual(max(map(len, lines)), columns)

    def test_a_report_of_a_run_is_read_and_never_written_over(self):
        package = self.compile(program.DEMO)
        self.execute("run", package, "-q", "--report", "r.json")
        before = (self.folder / "r.json").read_bytes()
        by_cycles = self.execute("disasm", package, "--cycles", "r.json")
        by_report = self.execute("disasm", package, "--report", "r.json", "--report", "commands.json")
        self.assertEqual((by_report.returncode, by_report.stdout), (0, by_cycles.stdout))
        self.assertEqual((self.folder / "r.json").read_bytes(), before)
        self.assertEqual(program.read_json(self.folder / "commands.json")["schema"], "vernier-disasm/1")
        twice = self.execute("disasm", package, "--cycles", "r.json", "--report", "r.json")
        self.assertEqual((twice.returncode, twice.stderr),
                         (2, "vernier: --report: 2 reports of runs are given, allowed is one, whose cycles are shown\n"))

    def test_a_report_of_something_else_is_refused(self):
        package = self.compile(program.DEMO)
        other = self.compile(program.DEMO, "--memory", "external", name="other.vnpu")
        slow = self.compile(program.DEMO, "--optimize", "0", name="slow.vnpu")
        self.execute("run", program.MADE / "depthwise_separable" / "model.tosa", "-q", "--report", "net.json")
        self.execute("run", package, "-q", "--report", "r.json")
        self.execute("run", package, "-q", "--report", "reference.json", "--backend", "reference")
        self.execute("run", program.DEMO, "--config", "v64", "-q", "--report", "v64.json")
        (self.folder / "half.json").write_text((self.folder / "r.json").read_text()[:-5])
        (self.folder / "damaged.json").write_text((self.folder / "r.json").read_text().replace('"busy_cycles"', '"busy"'))
        for file, subject, what in (
                ("net.json", package, "is the report of a run of another network"),
                ("v64.json", package, "is the report of a run on v64, the package is for v256"),
                ("r.json", slow, "is the report of a run at --optimize 1, the package is for 0"),
                ("r.json", other, r"is the report of a run of \d+ commands, the package has \d+"),
                ("reference.json", package, "is the report of a run without cycles, of backend reference"),
                ("half.json", package, r"is no JSON report of a run \(schema vernier-report/1\)"),
                ("damaged.json", package, "is a damaged report: .*busy_cycles.*")):
            done = self.execute("disasm", subject, "--cycles", file)
            self.assertEqual((done.returncode, done.stdout), (2, ""), file)
            self.assertRegex(done.stderr, rf"\Avernier: {file}: {what}\n\Z")


if __name__ == "__main__":
    program.main()

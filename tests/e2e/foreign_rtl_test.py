# SPDX-License-Identifier: Apache-2.0
"""`--rtl DIR`: somebody else's RTL in cosim and run. What is built is kept beside the program, so that tests after the first are
quick. Skipped where Verilator is not installed."""

import json
import os
import pathlib
import re
import shutil
import sys

import program
import report_checks
from vcd import CYCLE_PS, Dump

FOREIGN = program.ROOT / "tests" / "cosim" / "foreign"
RTL = program.ROOT / "hw" / "rtl"
sys.path[:0] = [str(program.ROOT / "tests" / "cosim")]
DEEP_CYCLES, OUR_CYCLES = 6, 4


class RtlFolderTest(program.ProgramTest):
    longest_seconds = 1200

    def setUp(self):
        super().setUp()
        if shutil.which("verilator") is None:
            self.skipTest("Verilator is not installed")
        self.environment["XDG_CACHE_HOME"] = str(pathlib.Path(sys.argv[1]).resolve().parent / "rtl_cache")

    def rtl(self, files, name="rtl"):
        """A folder with these files, name to text."""
        folder = self.folder / name
        folder.mkdir()
        for file, text in files.items():
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_text(text, encoding="utf-8")
        return folder

    def edited(self, module, *edits, folder=RTL):
        text = (folder / f"{module}.sv").read_text(encoding="utf-8")
        for old, new in edits:
            self.assertEqual(text.count(old), 1, old)
            text = text.replace(old, new)
        return text

    def deepened(self, module, stream):
        """A module of ours behind one of its name that has another register at the port of its results."""
        own = self.edited(module, (f"module {module} #(", f"module own_{module} #("))
        head = re.search(rf"^module own_({module} .*?^\);)", own, re.MULTILINE | re.DOTALL)[1]
        outputs = re.findall(rf"^  output logic *(\[.*?\])? *({stream}_\w+_o)\b", head, re.MULTILINE)
        self.assertGreater(len(outputs), 2)
        changed = {name: f"early_{name}" for _, name in outputs} | {f"{stream}_ready_i": "may_move"}
        ports = re.findall(r"^  (?:input|output) .*?(\w+),?$", head, re.MULTILINE)
        registers = [(width, name) for width, name in outputs if name != f"{stream}_valid_o"]
        wrapper = [f"module {head}", *(f"  logic {width} early_{name};" for width, name in outputs), "  logic may_move;",
                   f"  assign may_move = !{stream}_valid_o || {stream}_ready_i;",
                   f"  own_{module} #(.Lanes(Lanes), .TagBits(TagBits)) u_own (",
                   ",\n".join(f"    .{port}({changed.get(port, port)})" for port in ports), "  );",
                   "  always_ff @(posedge clk_i or negedge rst_ni) begin", f"    if (!rst_ni) {stream}_valid_o <= 1'b0;",
                   f"    else if (en_i && may_move) {stream}_valid_o <= early_{stream}_valid_o;", "  end",
                   "  always_ff @(posedge clk_i) begin",
                   *(f"    if (en_i && may_move) {name} <= early_{name};" for _, name in registers), "  end", "endmodule", ""]
        return self.rtl({f"own_{module}.sv": own, f"{module}.sv": "\n".join(wrapper)}, f"deep_{module}")

    def skeleton(self, *edits):
        return {"npu_rescale_unit.sv": self.edited("npu_rescale_unit", *edits, folder=FOREIGN / "skeleton")}

    def cosim(self, subject, folder, *options, code=0):
        done = self.execute("cosim", subject, "--config", "v64", "--rtl", folder, "--report", "r.json", *options)
        self.assertEqual((done.returncode, done.stderr), (code, ""), done.stdout + done.stderr)
        return done.stdout, program.read_json(self.folder / "r.json")


class Foreign(RtlFolderTest):
    def test_a_unit_of_another_depth(self):
        text, report = self.cosim("rescale", FOREIGN / "deep_rescale", "--vectors", 3000)
        self.assertEqual((report["vectors"], report["mismatches"], report["cycle_mismatches"]), (3000, 0, 0))
        self.assertEqual(report["latency_cycles"], DEEP_CYCLES)
        self.assertEqual(report["rtl_cycles"] - report["model_cycles"], DEEP_CYCLES - OUR_CYCLES)
        self.assertIn("latency: RTL 6 cycles, hw/spec 4", text)
        text, report = self.cosim("rescale", FOREIGN / "deep_rescale", "--vectors", 3000, "--strict-cycles", code=3)
        self.assertEqual((report["mismatches"], report["cycle_mismatches"]), (3000, 3000))
        self.assertIn("2 cycles later than hw/spec says", text)
        # Units that the folder has not are ours.
        self.cosim("table", FOREIGN / "deep_rescale", "--vectors", 100)

    def test_a_unit_of_another_depth_in_a_network(self):
        """It runs the steps of vector commands, the array keeps ours."""
        options = ["--backend", "rtl", "--config", "v64", "--rtl", FOREIGN / "deep_rescale"]
        report, _ = self.run_model(program.DEMO, options=options)
        self.assertEqual((report["rtl"]["mismatches"], report["rtl"]["cycle_mismatches"]), (0, 0))
        self.assertGreater(report["rtl"]["commands"], report["rtl"]["commands_without_rtl"])
        self.assertTrue(any("npu_rescale_unit of --rtl takes 6 cycles, and hw/spec says 4" in note for note in report["notes"]))
        strict, _ = self.run_model(program.DEMO, options=[*options, "--strict-cycles"], exit_code=3)
        self.assertGreater(strict["rtl"]["cycle_mismatches"], 0)
        shown = "vernier cosim --replay demo.tosa.replay.json --rtl DIR --strict-cycles"
        self.assertTrue(any(note.endswith(f"shows the first mismatch alone: {shown}") for note in strict["notes"]), strict["notes"])
        done = self.execute("cosim", *shown.replace("DIR", str(FOREIGN / "deep_rescale")).split()[2:])
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertIn("scale_valid_o 2 cycles later than hw/spec says", done.stdout)
        self.assertEqual(strict["check"]["result"], "match")
        text, _ = self.cosim(program.DEMO, FOREIGN / "deep_rescale")
        self.assertIn("note: npu_rescale_unit of --rtl takes 6 cycles", text)

    def check_deepened(self, unit, module, stream, model):
        """Values agree; edges differ, which is told, and counts with --strict-cycles alone."""
        folder = self.deepened(module, stream)
        text, report = self.cosim(unit, folder, "--vectors", 3000)
        self.assertEqual((report["vectors"], report["mismatches"]), (3000, 0), text)
        self.assertGreater(report["cycle_mismatches"], 0)
        self.assertRegex(text, r"every result equal, [0-9,]+ not in the cycles of hw/spec")
        text, strict = self.cosim(unit, folder, "--vectors", 3000, "--strict-cycles", code=3)
        self.assertGreater(strict["mismatches"], 0)
        self.assertRegex(text, rf"{stream}_valid_o \d cycles? later than ideal")
        options = ["--backend", "rtl", "--config", "v64", "--rtl", folder]
        report, _ = self.run_model(model, options=options)
        self.assertEqual((report["rtl"]["mismatches"], report["check"]["result"]), (0, "match"))
        self.assertGreater(report["rtl"]["cycle_mismatches"], 0)
        strict, _ = self.run_model(model, options=[*options, "--strict-cycles", "--no-rerun"], exit_code=3)
        self.assertGreater(strict["rtl"]["mismatches"], 0)
        _, report = self.cosim(model, folder)
        self.assertEqual(report["mismatches"], 0)
        self.assertGreater(report["cycle_mismatches"], 0)

    def test_a_vector_unit_of_another_depth(self):
        self.check_deepened("vector", "npu_vector_unit", "st", program.MADE / "softmax_rows" / "model.tosa")

    def test_an_array_of_another_depth(self):
        self.check_deepened("mac_array", "npu_mac_array", "out", program.DEMO)

    def test_the_skeleton_fails_usefully(self):
        text, report = self.cosim("rescale", FOREIGN / "skeleton", "--vectors", 500, code=3)
        self.assertEqual((report["mismatches"], report["cycle_mismatches"]), (500, 0))
        self.assertRegex(text, r"mismatch: npu_rescale_unit, vector 0, .*scale_result_o lane \d: expected -?\d+, actual 0: value .*, multiplier ")
        done = self.execute("run", program.DEMO, "--backend", "rtl", "--config", "v64", "--rtl", FOREIGN / "skeleton", "-q", "--no-rerun")
        self.assertEqual((done.returncode, done.stderr), (3, ""))
        self.assertIn("RTL ", done.stdout)
        # Each row of several runs has it, before the first value that it made wrong.
        shutil.copy(program.DEMO, self.folder / "other.tosa")
        done = self.execute("run", program.DEMO, "other.tosa", "--backend", "rtl", "--config", "v64", "--rtl", FOREIGN / "skeleton", "-q")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (3, 2), done.stderr)
        for line in done.stderr.splitlines():
            self.assertRegex(line, r": mismatch on v64, .*: RTL: command \d+, .*npu_datapath, .*out_value_o lane 0: expected .*; tensor '")

    def test_modules_of_the_folder_take_the_place_of_ours_within_a_block(self):
        """A table lane that is wrong, below our table unit, below our datapath."""
        lane = {"npu_table_lane.sv": self.edited("npu_table_lane", ("8'd128 - ", "8'd127 - "))}
        text, _ = self.cosim("table", self.rtl(lane), "--vectors", 2000, code=3)
        self.assertIn("look_result_o lane ", text)

    def test_a_value_that_nothing_has_written(self):
        """A bit that no one drives is low in some runs and high in others: each seed sees it, and its replay does."""
        text = self.edited("npu_rescale_unit", (".half_even_i(half_even2_q)", ".half_even_i(half_even2_q ^ never_q)"),
                           ("  genvar i;\n", "  logic never_q;\n  always_ff @(posedge clk_i) if (en_i) never_q <= never_q;\n  genvar i;\n"))
        folder = self.rtl({"npu_rescale_unit.sv": text})
        notes = set()
        for seed in range(1, 7):
            text, _ = self.cosim("rescale", folder, "--vectors", 3000, "--seed", seed, code=3)
            notes.add("note: 3,000 vectors were equal before, with other values of what nothing has written" in text)
            self.assertIn("shows the first mismatch alone", text)
            told = next(line for line in text.splitlines() if line.startswith("mismatch: "))
            replay = json.loads((self.folder / "rescale.replay.json").read_text(encoding="utf-8"))
            self.assertGreater(replay["reset_seed"], 1)
            done = self.execute("cosim", "--replay", "rescale.replay.json", "--rtl", folder)
            self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
            self.assertIn(told, done.stdout)
        self.assertEqual(notes, {False, True})

    def test_include_paths_and_defines(self):
        text = self.edited("npu_rescale_unit", folder=FOREIGN / "deep_rescale")
        begin, end = text.index("  function automatic"), text.index("  endfunction\n") + len("  endfunction\n")
        files = {"src/unit.sv": text[:begin] + '`ifdef HAS_RESCALE\n`include "rescaled.svh"\n`endif\n' + text[end:],
                 "include/rescaled.svh": text[begin:end],
                 "files.f": "// what belongs to it\n+incdir+include  # where rescaled.svh is\n-DHAS_RESCALE\nsrc/unit.sv\n"}
        _, report = self.cosim("rescale", self.rtl(files), "--vectors", 300)
        self.assertEqual(report["latency_cycles"], DEEP_CYCLES)

    def test_what_is_built_is_kept_and_built_again_when_a_source_changes(self):
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "cache")
        kept = self.folder / "cache" / "vernier" / "rtl"
        folder = self.rtl(self.skeleton())

        def libraries():
            self.assertEqual([path.name for path in kept.iterdir() if path.name.startswith("tmp")], [])
            return {path: path.stat().st_mtime_ns for path in kept.glob("*.so")}

        self.cosim("rescale", folder, "--vectors", 50, code=3)
        first = libraries()
        self.assertEqual(len(first), 1)
        self.cosim("rescale", folder, "--vectors", 50, code=3)
        self.assertEqual(libraries(), first)
        # What is damaged is made again: a library, and the run-time library that goes into each.
        library = next(iter(first))
        whole = library.read_bytes()
        runtime = next(kept.glob("verilated-*.o"))
        runtime.write_bytes(runtime.read_bytes()[:3000])
        for damaged in (b"no library", whole[:len(whole) // 2]):
            library.write_bytes(damaged)
            self.cosim("rescale", folder, "--vectors", 50, code=3)
            self.assertGreater(library.stat().st_size, 10000)
        self.assertGreater(runtime.stat().st_size, 10000)
        (folder / "npu_rescale_unit.sv").write_text(self.skeleton(("'0;  // here", "'1;  // here"))["npu_rescale_unit.sv"], encoding="utf-8")
        text, _ = self.cosim("rescale", folder, "--vectors", 50, code=3)
        self.assertIn("actual -1", text)
        self.assertEqual(len(libraries()), 2)

    def test_a_wave(self):
        self.cosim("rescale", FOREIGN / "skeleton", "--vectors", 20, "--wave", "w.vcd", code=3)
        self.assertIn("scale_result_o", (self.folder / "w.vcd").read_text(encoding="ascii"))


    def test_a_command_after_which_rtl_stands_still_is_drawn(self):
        counter = ("  assign cmd_ready_o = !is_running_q || main_over;",
                   "  logic [2:0] taken_q;\n  always_ff @(posedge clk_i or negedge rst_ni) begin\n    if (!rst_ni) taken_q <= 3'd0;\n"
                   "    else if (take) taken_q <= taken_q + 3'd1;\n  end\n"
                   "  assign cmd_ready_o = (!is_running_q || main_over) && taken_q != 3'd4;")
        folder = self.rtl({"npu_mac_sequencer.sv": self.edited("npu_mac_sequencer", counter)})
        done = self.execute("run", program.DEMO, "--backend", "rtl", "--config", "v64", "--rtl", folder, "--wave", "w.vcd")
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (4, "", 1), done.stderr)
        self.assertRegex(done.stderr, r"no handshake on any port since cycle \d+: cmd_ready_o stays low after command ")
        dump = Dump((self.folder / "w.vcd").read_text(encoding="ascii"))
        last = {path: values[-1] for path, values in dump.values.items() if values}
        scope = max((path.removesuffix(".cycle") for path in last if re.fullmatch(r"npu\.rtl\d\.cycle", path)),
                    key=lambda scope: last[f"{scope}.cycle"])
        array = [command["command_idx"] for command in self.run_model(program.DEMO, options=["--config", "v64"])[0]["commands"]
                 if command["unit"] == "mac_array"]
        self.assertEqual(last[f"{scope}.command"][1], array[3])
        self.assertEqual(last[f"{scope}.npu_datapath.cmd_ready_o"][1], 0)
        # A while of it, and not the 10,000 cycles after which it is given up.
        since = last[f"{scope}.command"][0]
        self.assertGreater(dump.end - since, 50 * CYCLE_PS)
        self.assertLess(dump.end - since, 1000 * CYCLE_PS)


class Mistakes(RtlFolderTest):
    def refused(self, folder, *texts, subject="rescale", options=(), code=2, lines=1):
        done = self.execute("cosim", subject, "--config", "v64", "--rtl", folder, *options)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        if lines:
            self.assertEqual(done.stderr.count("\n"), lines, done.stderr)
        self.assertTrue(all(line.startswith("vernier: ") for line in done.stderr.splitlines()), done.stderr)
        for text in texts:
            self.assertIn(text, done.stderr)

    def test_folders(self):
        self.refused("none", "--rtl: there is no folder 'none'")
        self.refused(self.rtl({}, "empty"), "has no module npu_rescale_unit, npu_table_unit, npu_mac_array, npu_datapath, npu_vector_unit, npu_core, or a part of these, in its 0 sources")
        self.refused(self.rtl({"a.sv": "module my_unit; endmodule\n"}, "others"), "in its 1 sources")
        # A module whose name is like those of ours, and a part of none of ours, would change nothing.
        misnamed = {name: text.replace("npu_rescale_unit", "npu_rescaler_unit") for name, text in self.skeleton().items()}
        self.refused(self.rtl(misnamed, "misnamed"), "has no module npu_rescale_unit, npu_table_unit, ", "or a part of these, in its 1 sources")
        self.refused(self.rtl({**self.skeleton(), "b.sv": "module npu_rescale_unit; endmodule\n"}, "twice"),
                     "'npu_rescale_unit' is defined in b.sv and in npu_rescale_unit.sv")
        for number, (line, text) in enumerate((("-y lib", "files.f:1: '-y' is not understood"), ("none.sv", "files.f:1: there is no file"),
                                               ("+incdir+none", "files.f:1: there is no folder"))):
            self.refused(self.rtl({**self.skeleton(), "files.f": line + "\n"}, f"list{number}"), text)

    def test_a_folder_of_which_nothing_runs(self):
        text, _ = self.cosim("table", self.rtl(self.skeleton()), "--vectors", 50)
        self.assertIn("note: ", text)
        self.assertIn(" of --rtl has no module of npu_table_unit, which ran here: all RTL is ours", text)
        core = self.rtl({"npu_core.sv": "module npu_core; endmodule\n"}, "core")
        done = self.execute("run", program.DEMO, "--backend", "rtl", "--config", "v64", "--rtl", core, "--report", "r.json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        notes = program.read_json(self.folder / "r.json")["notes"]
        self.assertTrue(any("has no module of npu_rescale_unit, npu_table_unit, npu_datapath, npu_vector_unit, which ran here" in note
                            for note in notes), notes)

    def test_ports(self):
        cases = (
            ([("  input  logic [TagBits-1:0]  scale_tag_i,\n", ""), ("tag_q[0] <= scale_tag_i", "tag_q[0] <= '0")],
             "npu_rescale_unit of 8 lanes has no input scale_tag_i of 8 bits (interface version 9, docs/reference/rtl-ports.md)"),
            ([("[TagBits-1:0]  scale_tag_i", "[3:0]          scale_tag_i"), ("tag_q[0] <= scale_tag_i", "tag_q[0] <= 8'(scale_tag_i)")],
             "has 4 bits of scale_tag_i, wanted are 8"),
            ([("output logic                scale_valid_o", "output logic [1:0]          scale_valid_o")], "has 2 bits of scale_valid_o, wanted are 1"),
            ([("input  logic                en_i,", "input  logic                en_i,\n  input  logic                mine_i,")],
             "has an input mine_i, which nobody drives"),
            ([("InterfaceVersion = 9", "InterfaceVersion = 6")], "is written for interface version 6, wanted is 9"))
        for number, (edits, text) in enumerate(cases):
            with self.subTest(text=text):
                self.refused(self.rtl(self.skeleton(*edits), f"ports{number}"), "npu_rescale_unit.sv: ", text)

    def test_what_verilator_refuses(self):
        self.refused(self.rtl(self.skeleton(("endmodule", "endmodul"))), "Verilator refuses npu_rescale_unit of 8 lanes:", "syntax error",
                     lines=None)
        loop = ("  assign scale_tag_o = tag_q[Stages-1];", "  logic [7:0] loop;\n  assign loop = scale_tag_o + 8'd1;\n"
                "  assign scale_tag_o = en_i ? loop : tag_q[Stages-1];")
        self.refused(self.rtl(self.skeleton(loop), "loop"), "Verilator refuses npu_rescale_unit", "UNOPTFLAT", "Circular", lines=None)
        # A loop of words that is none of bits is what netlists have.
        gates = "".join(f"  assign words[{bit + 1}] = words[{bit}];\n" for bit in range(7))
        words = ("  assign scale_tag_o = tag_q[Stages-1];", "  logic [7:0] words;\n  assign words[0] = tag_q[Stages-1][0];\n" + gates +
                 "  assign scale_tag_o = tag_q[Stages-1] ^ {8{words[7] ^ words[0]}};")
        text, report = self.cosim("rescale", self.rtl(self.skeleton(words), "words"), "--vectors", 100, code=3)
        self.assertEqual(report["cycle_mismatches"], 0, text)

    def test_rtl_that_never_answers(self):
        silent = self.rtl(self.skeleton(("assign scale_valid_o = valid_q[Stages-1];", "assign scale_valid_o = valid_q[0] & !rst_ni;")))
        self.refused(silent, "npu_rescale_unit: scale_valid_o did not come in 10,000 cycles".replace(",", ""), code=4)
        done = self.execute("run", program.DEMO, "--backend", "rtl", "--config", "v64", "--rtl", silent)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (4, "", 1), done.stderr)
        done = self.execute("cosim", program.DEMO, "--config", "v64", "--rtl", silent)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (4, "", 1), done.stderr)

    def test_rtl_that_stands_still_after_a_mismatch(self):
        """The mismatch says why: it is told, with a replay, and the exit code is its."""
        ready = "assign ld_ready_o = may_move && wants_beat;"
        unit = self.edited("npu_vector_unit", (ready, ready.replace(";", " && commands_q != 4'd2;\n"
            "  logic [3:0] commands_q;\n  always_ff @(posedge clk_i or negedge rst_ni) begin\n    if (!rst_ni) commands_q <= '0;\n"
            "    else if (load) commands_q <= commands_q + 4'd1;\n  end")),
            ("assign advance = may_move && (!wants_beat || ld_valid_i);", "assign advance = may_move && (!wants_beat || (ld_valid_i && ld_ready_o));"))
        lane = self.edited("npu_vector_lane", ("{47'd0, store0_q[0]} : store0_q;", "{47'd0, store0_q[0]} : store0_q ^ 48'd1;"))
        folder = self.rtl({"npu_vector_unit.sv": unit, "npu_vector_lane.sv": lane})
        text, report = self.cosim("vector", folder, "--vectors", 5000, code=3)
        self.assertIn("npu_vector_unit, vector ", report["first_mismatches"][0])
        self.assertRegex(report["first_mismatches"][-1], r"^no handshake on any port since cycle \d+: .*a beat of command \d waits for ld_ready_o")
        self.assertIn("replay: vector.replay.json shows the first mismatch alone", text)
        for command in ("run", "cosim"):
            options = ["--backend", "rtl"] if command == "run" else []
            done = self.execute(command, program.MADE / "softmax_rows" / "model.tosa", "--config", "v64", "--rtl", folder, *options)
            self.assertEqual((done.returncode, done.stdout), (3, ""), done.stderr)
            lines = done.stderr.splitlines()
            self.assertRegex(lines[0], r"model\.tosa: mismatch: command \d+, layer '.*', npu_vector_unit, .*: st_data_o lane \d: expected ")
            self.assertTrue(any("no handshake on any port" in line for line in lines), lines)
            self.assertIn("replay: model.tosa.replay.json shows the first mismatch alone", lines[-1])

    def test_rtl_that_loops_inside_a_cycle(self):
        """A shift register with feedback never gets to 0 from another state."""
        loop = ("  assign scale_valid_o = valid_q[Stages-1];", "  logic [31:0] state;\n  always_comb begin\n"
                "    state = {31'd0, valid_q[0]};\n"
                "    while (state != 0) state = {state[30:0], ^(state & 32'h80200003)};\n  end\n"
                "  assign scale_valid_o = valid_q[Stages-1] | state[0];")
        self.refused(self.rtl(self.skeleton(loop)), "--rtl: npu_rescale_unit, cycle ", ": an evaluation has not ended after 10 s of processor time",
                     code=4)
        self.assertEqual([path.name for path in self.folder.iterdir() if ".tmp" in path.name], [])

    def test_no_verilator_or_no_place(self):
        folder = self.rtl(self.skeleton(), "new")
        self.environment["PATH"] = str(self.folder)
        self.refused(folder, "--rtl: needs Verilator 5 to build RTL, and PATH has no 'verilator'")
        # Of a network too, before it is compiled: there it would not fit.
        unit = self.rtl({"npu_vector_unit.sv": (RTL / "npu_vector_unit.sv").read_text(encoding="utf-8")}, "vector")
        done = self.execute("run", program.DEMO, "--backend", "rtl", "--config", "v64", "--sram-bytes", "1KiB", "--rtl", unit)
        self.assertEqual((done.returncode, done.stderr),
                         (2, "vernier: --rtl: needs Verilator 5 to build RTL, and PATH has no 'verilator'\n"))
        self.environment["PATH"] = os.environ["PATH"]
        (self.folder / "file").write_text("", encoding="utf-8")
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "file")
        self.refused(folder, "cannot be written, and built RTL is kept there")
        self.environment["XDG_CACHE_HOME"] = self.environment["HOME"] = ""
        self.refused(folder, "neither XDG_CACHE_HOME nor HOME says where built RTL is kept")

    def test_options(self):
        done = self.execute("run", program.DEMO, "--rtl", FOREIGN / "skeleton")
        self.assertEqual((done.returncode, done.stderr), (2, "vernier: --rtl: is for --backend rtl, found backend 'sim'\n"))
        done = self.execute("cosim", "rescale", "--strict-cycles")
        self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1))
        self.assertIn("--strict-cycles: is for --rtl DIR", done.stderr)


class Mutants(RtlFolderTest):
    """Faults of tests/cosim/mutants.py in a folder: each is found, and the message names port and lane or state."""

    def check(self, name, subject, text, vectors=20000):
        import mutants
        mutant = next(m for m in mutants.MUTANTS if m[1] == name and m[2].endswith(subject))
        folder = self.rtl({f"{module}.sv": changed for module, changed in mutants.changed_modules(mutant).items()})
        unit = mutant[2].removeprefix("npu_").removesuffix("_unit")
        told, report = self.cosim(unit, folder, "--vectors", vectors, code=3)
        self.assertGreater(report["mismatches"], 0)
        self.assertRegex(told, text)

    def test_a_tie_stays_odd(self):
        self.check("a tie stays odd", "rescale_unit", r"scale_result_o lane \d: expected -?\d+, actual -?\d+: value ")

    def test_two_lanes_share_a_multiplier(self):
        self.check("two lanes share a multiplier", "rescale_unit", r"scale_result_o lane \d: expected ")

    def test_bytes_of_a_halfword(self):
        self.check("bytes of a halfword", "table_unit", r"look_result_o lane \d: expected -?\d+, actual -?\d+: operand ")

    def test_a_sum_is_not_forwarded(self):
        self.check("a sum is not forwarded", "mac_array", r"out_value_o lane \d+: expected -?\d+, actual -?\d+: row ", 5000)

    def test_a_clamp_has_no_upper_limit(self):
        self.check("a clamp has no upper limit", "vector_unit",
                   r"npu_vector_unit, vector \d+, cycle \d+, step \d+, \w+: st_data_o lane \d: expected 0x\w+, actual 0x\w+: int\d+ at 0x\w+ of stream \d", 5000)


if __name__ == "__main__":
    program.main()

# SPDX-License-Identifier: Apache-2.0
"""`--rtl DIR`: which files of the folder are taken, what is built again, and what is said where RTL is given in vain. Skipped
where Verilator is not installed."""

import json

import program
from foreign_rtl_test import DEEP_CYCLES, FOREIGN, RTL, RtlFolderTest

DEEP = FOREIGN / "deep_rescale" / "npu_rescale_unit.sv"
STAGES = "  localparam int Stages = 6;\n"


class Files(RtlFolderTest):
    def latency_of(self, folder, code=0):
        return self.cosim("rescale", folder, "--vectors", 100, code=code)[1]["latency_cycles"]

    def test_any_file_that_is_included_counts(self):
        text = DEEP.read_text(encoding="utf-8")
        self.assertEqual(text.count(STAGES), 1)
        outside = self.rtl({"other.inc": "`define STAGES 6\n"}, "outside")
        files = {"unit.sv": text.replace(STAGES, '`include "common/stages.txt"\n`include "other.inc"\n  localparam int Stages = `STAGES + MORE;\n'),
                 "common/stages.txt": "localparam int MORE = 0;\n", "files.f": "+incdir+../outside\nunit.sv\n"}
        folder = self.rtl(files)
        self.assertEqual(self.latency_of(folder), DEEP_CYCLES)
        (folder / "common" / "stages.txt").write_text("localparam int MORE = 1;\n", encoding="utf-8")
        self.assertEqual(self.latency_of(folder), DEEP_CYCLES + 1)
        (outside / "other.inc").write_text("`define STAGES 7\n", encoding="utf-8")
        self.assertEqual(self.latency_of(folder), DEEP_CYCLES + 2)
        # A file that is found earlier takes the place of another one.
        (folder / "other.inc").write_text("`define STAGES 5\n", encoding="utf-8")
        self.assertEqual(self.latency_of(folder), DEEP_CYCLES + 2)
        (outside / "common").mkdir()
        (outside / "common" / "stages.txt").write_text("localparam int MORE = 3;\n", encoding="utf-8")
        self.assertEqual(self.latency_of(folder), DEEP_CYCLES + 4)

    def test_files_that_are_not_listed_are_not_taken(self):
        table = (RTL / "npu_table_unit.sv").read_text(encoding="utf-8")
        lane = (RTL / "npu_table_lane.sv").read_text(encoding="utf-8")
        junk = "package junk_pkg; endpackage\nmodule junk; endmodule\n"
        folder = self.rtl({"npu_table_unit.sv": table, "npu_table_lane.sv": junk, "npu_spec_pkg.sv": junk, "files.f": "npu_table_unit.sv\n"}, "unlisted")
        self.cosim("table", folder, "--vectors", 200)
        # A file with the name of a module of ours has another one.
        self.assertEqual(lane.count("module npu_table_lane"), 1)
        folder = self.rtl({"unit.sv": table, "npu_table_lane.sv": lane.replace("npu_table_lane", "my_lane")}, "misnamed")
        self.cosim("table", folder, "--vectors", 200)
        folder = self.rtl({"unit.sv": table.replace("npu_table_lane", "my_lane"), "my_lane.sv": lane.replace("npu_table_lane", "my_lane"),
                           "files.f": "unit.sv\n"}, "needed")
        done = self.execute("cosim", "table", "--config", "v64", "--rtl", folder)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("my_lane.sv, which is not among its sources: files.f does not list it", done.stderr)

    def test_what_rtl_prints_is_not_in_a_report(self):
        edit = ("  assign scale_valid_o", '  initial begin\n    $display("display");\n    $write("write\\n");\n    $fdisplay(32\'h8000_0001, "file");\n  end\n'
                "  assign scale_valid_o")
        done = self.execute("cosim", "rescale", "--config", "v64", "--rtl", self.rtl(self.skeleton(edit)), "--vectors", 20, "--report", "-")
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual(json.loads(done.stdout)["mismatches"], 20)
        for text in ("display\n", "write\n", "file\n"):
            self.assertIn(text, done.stderr)

    def test_an_assertion_of_theirs_stops_the_run(self):
        edit = ("  assign scale_valid_o", "  assert property (@(posedge clk_i) disable iff (!rst_ni) scale_tag_i != 8'd5);\n  assign scale_valid_o")
        files = self.skeleton(edit)
        line = next(i for i, text in enumerate(files["npu_rescale_unit.sv"].splitlines(), 1) if "assert property" in text)
        done = self.execute("cosim", "rescale", "--config", "v64", "--rtl", self.rtl(files), "--vectors", 500)
        self.assertEqual((done.returncode, done.stdout), (4, ""), done.stderr)
        self.assertRegex(done.stderr, rf"the RTL stopped itself at \S+npu_rescale_unit\.sv:{line}, by .*an assertion")
        # A case that is not unique is none, on ports that offer nothing it means nothing.
        case = ("  assign scale_valid_o", "  logic [1:0] seen;\n  always_comb begin\n    seen = 2'd0;\n    unique case (scale_tag_i)\n"
                "      8'd1: seen = 2'd1;\n    endcase\n  end\n  assign scale_valid_o")
        self.cosim("rescale", self.rtl(self.skeleton(case), "case"), "--vectors", 500, code=3)

    def test_what_cannot_be_built(self):
        cases = (("  assign scale_valid_o", '  import "DPI-C" function int my_function(int x);\n  int seen;\n'
                  "  always_ff @(posedge clk_i) seen <= my_function(int'(scale_tag_i));\n  assign scale_valid_o",
                  "needs a function my_function, which no RTL has: DPI imports cannot be satisfied"),
                 ("  assign scale_tag_o = tag_q", "  assign #5 scale_tag_o = tag_q", "delays and waits are not supported"))
        for number, (old, new, text) in enumerate(cases):
            with self.subTest(text=text):
                done = self.execute("cosim", "rescale", "--config", "v64", "--rtl", self.rtl(self.skeleton((old, new)), f"rtl{number}"))
                self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
                self.assertIn(text, done.stderr)


class InVain(RtlFolderTest):
    def test_a_unit_that_no_command_uses(self):
        folder = self.rtl(self.skeleton(("Stages = npu_spec_pkg::RescalePipelineCycles", "Stages = 6")), "deep")
        model = program.MADE / "conv_3x3_pad" / "model.tosa"
        options = ["--config", "v64", "--rtl", folder]
        unused = f"npu_rescale_unit of {folder} not used"
        done = self.execute("run", model, "--backend", "rtl", "-q", *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        self.assertIn(f"RTL equal, {unused}\n", done.stdout)
        text, report = self.cosim(model, folder)
        self.assertIn(unused, text.splitlines()[0])
        self.assertEqual((report["unused"], report["mismatches"]), (unused, 0))
        done = self.execute("run", model, "--backend", "rtl", "-q", "--strict-cycles", *options)
        self.assertEqual((done.returncode, done.stderr), (3, ""), done.stdout)
        self.assertIn("RTL 1 mismatch, first: npu_rescale_unit: takes 6 cycles, and hw/spec says 4; no command used it", done.stdout)
        text, report = self.cosim(model, folder, "--strict-cycles", code=3)
        self.assertEqual((report["result"], report["mismatches"]), ("mismatch", 1), text)

    def test_a_replay_of_another_unit(self):
        self.cosim("rescale", self.rtl(self.skeleton()), "--vectors", 50, code=3)
        table = self.rtl({"npu_table_unit.sv": (RTL / "npu_table_unit.sv").read_text(encoding="utf-8")}, "table")
        done = self.execute("cosim", "--replay", "rescale.replay.json", "--rtl", table)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn(" of --rtl has no module of npu_rescale_unit, which ran here: all RTL is ours\n", done.stdout)


if __name__ == "__main__":
    program.main()

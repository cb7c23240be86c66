# SPDX-License-Identifier: Apache-2.0
"""`--rtl DIR`: which files of the folder are taken, what is built again, and what is said where RTL is given in vain. Skipped
where Verilator is not installed."""

import json
import os
import shutil

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


class Building(RtlFolderTest):
    """What the computer does not give while RTL is built, or before it is loaded: a line that says so, and exit code 2."""

    def in_place_of(self, name, real, wanted, action):
        """Puts a program in front of PATH that does `action` where it is called with `wanted`, and else what `real` does."""
        folder = self.folder / "bin"
        folder.mkdir(exist_ok=True)
        (folder / name).write_text(f'#!/bin/sh\ncase " $* " in *" {wanted} "*) {action};; esac\nexec {shutil.which(real)} "$@"\n')
        (folder / name).chmod(0o755)
        self.environment["PATH"] = f"{folder}:{os.environ['PATH']}"

    def refused(self, folder, text, prefix=()):
        done = self.execute("cosim", "rescale", "--config", "v64", "--rtl", folder, "--vectors", 100, prefix=prefix)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, rf"\Avernier: {text}\n\Z")

    def test_programs_that_the_system_ends(self):
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "cache")
        folder = self.rtl(self.skeleton())
        killed, memory = r"was killed by the system \(signal 9\), which does that where memory is short", "ran out of memory"
        no_room = rf"{self.folder}/cache/vernier/rtl: has no room left for built RTL; XDG_CACHE_HOME names another place"
        of_verilator = "--rtl: Verilator, which read npu_rescale_unit of 8 lanes, "
        for action, text in (("kill -9 $$", of_verilator + killed),
                             ("echo '%Error: Verilator threw signal 9. Suggest trying --debug' >&2; exit 255", of_verilator + killed),
                             ("echo 'std::bad_alloc' >&2; exit 134", of_verilator + memory),
                             ("echo 'Cannot write: No space left on device' >&2; exit 1", no_room)):
            self.in_place_of("verilator", "verilator", "--cc", action)
            self.refused(folder, text)
        (self.folder / "bin" / "verilator").unlink()
        real = next(name for name in ("clang++", "clang++-14", "g++") if shutil.which(name))
        of_compiler = "--rtl: the compiler of what Verilator makes of npu_rescale_unit "
        for action, text in (("echo 'clang: error: unable to execute command: Killed' >&2; exit 254", of_compiler + killed),
                             ("echo 'LLVM ERROR: IO failure on output stream: No space left on device' >&2; exit 134", no_room)):
            self.in_place_of("clang++", real, "-c", action)
            self.refused(folder, text)

    def test_a_cache_that_is_full(self):
        folder = self.rtl(self.skeleton())
        (self.folder / "disk").mkdir()
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "disk")
        for kibibytes in (200, 1200):  # our sources have no room, or what Verilator makes of them
            script = 'mount -t tmpfs -o size="$0"k,mode=755 tmpfs disk || exit 99\n"$@"'
            for unshare in (["unshare", "-m"], ["unshare", "-rm"]):
                prefix = [*unshare, "sh", "-c", script, str(kibibytes)]
                done = self.execute("--version", prefix=prefix, codes=None)
                if done.returncode == 0:
                    break
            else:
                self.skipTest("neither root nor user name spaces here: no file system of a limited size can be made")
            self.refused(folder, rf"{self.folder}/disk/vernier/rtl: has no room left for built RTL; XDG_CACHE_HOME names another place",
                         prefix)

    def test_a_cache_that_can_only_be_read(self):
        """What it has can be used; what it has not cannot be built."""
        cache = self.folder / "cache" / "vernier" / "rtl"
        self.environment["XDG_CACHE_HOME"] = str(self.folder / "cache")
        folder = self.rtl({"npu_rescale_unit.sv": DEEP.read_text(encoding="utf-8")})
        other = self.rtl({"npu_rescale_unit.sv": DEEP.read_text(encoding="utf-8") + "// other\n"}, "other")
        run = ["cosim", "rescale", "--config", "v64", "--vectors", 100, "--rtl"]
        self.assertEqual(self.execute(*run, folder).returncode, 0)
        # Root may write anywhere but where a file system says no.
        script = 'mount --bind cache cache && mount -o remount,bind,ro cache || exit 99\n"$@"'
        prefix = ["unshare", "-m", "sh", "-c", script, "sh"] if os.geteuid() == 0 else ()
        cache.chmod(0o555)
        self.addCleanup(cache.chmod, 0o755)
        done = self.execute(*run, folder, prefix=prefix, codes=None)
        if done.returncode == 99:
            self.skipTest("no file system can be made one to read only here")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("every result equal", done.stdout)
        self.refused(other, rf"{cache}: cannot be written, and built RTL is kept there; XDG_CACHE_HOME names another place", prefix)


if __name__ == "__main__":
    program.main()

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Feeds every hygiene check a good tree and small bad ones: a check that cannot fail checks nothing."""

import os
import pathlib
import tempfile
import unittest

import tidy
from hygiene import CHECKS
from source_tree import SourceTree, without_comments

SPDX = "// SPDX-License-Identifier: Apache-2.0\n"
README = "# folder\nWhat it is.\nEntry: a.hpp.\n"


def findings_of(check, files):
    with tempfile.TemporaryDirectory() as root:
        for path, content in files.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "wb") as file:
                file.write(content if isinstance(content, bytes) else content.encode())
        return CHECKS[check](SourceTree.load(root))


class Hygiene(unittest.TestCase):
    def assert_bad(self, check, files, text, count=1):
        found = findings_of(check, files)
        self.assertEqual(len(found), count, found)
        self.assertIn(text, found[0])

    def assert_good(self, check, files):
        self.assertEqual(findings_of(check, files), [])

    def assert_arrow(self, path, target, is_allowed):
        found = findings_of("arrows", {path: f'{SPDX}#include "{target}"\n'})
        self.assertEqual(not found, is_allowed, f"{path} -> {target}: {found}")

    def test_arrows(self):
        allowed = """hw/base hw/base, hw/spec hw/base, hw/config hw/spec, hw/package hw/config, hw/gen hw/package,
            hw/model hw/spec, hw/timing hw/config, hw/timing hw/package, compiler/ir hw/base, compiler/emit hw/package,
            compiler/passes compiler/reference, compiler/reference hw/model, compiler/reference compiler/ir,
            compiler/cost hw/timing, compiler/schedule hw/timing, sim/kit hw/base, sim/units hw/model, sim/units sim/kernels,
            sim/units sim/mem, sim/units sim/kit, sim/soc sim/units, sim/check hw/package, sim/cli sim/explain,
            sim/cli sim/report, tests/unit/sim_units sim/units, tests/unit/compiler_ir compiler/ir, tests/e2e tests/support,
            hw/sequence hw/base, hw/sequence hw/spec, hw/ref hw/model, sim/cosim/stream hw/sequence, sim/cosim/lockstep sim/cosim/stream, sim/cosim/replay sim/cosim/lockstep,
            sim/cosim/network sim/cosim/replay, sim/cosim/block sim/cosim/stimulus, tests/unit/hw_sequence hw/sequence,
            compiler/import compiler/ir, compiler/import compiler/import/tosa, compiler/import/tosa compiler/import,
            compiler/import/mlir compiler/import/tosa, compiler/import/tosa compiler/import/tosa, compiler/import/tosa compiler/ir, compiler/import/onnx hw/package,
            compiler/export compiler/ir, sim/flow compiler/import, sim/flow compiler/export, compiler/schedule compiler/passes,
            sim/flow compiler/emit, sim/flow sim/report, sim/cli sim/flow, sim/flow compiler/import/boundary,
            compiler/emit compiler/schedule, sim/mem sim/kit, tests/unit/compiler_import compiler/import/tosa,
            compiler/export/aimet compiler/import/aimet, sim/flow compiler/import/aimet, sim/flow compiler/export/aimet,
            firmware/boot firmware/gen, sim/riscv hw/spec, tests/unit/sim_riscv sim/riscv, sim/gdb hw/spec, sim/soc sim/gdb, sim/flow sim/gdb, sim/flow/rtl sim/cosim/network, sim/flow/rtl sim/flow/run, sim/flow/run sim/flow/rtl, sim/cli sim/flow/rtl, sim/cli hw/config, sim/host sim/soc, python/binding hw/base, python/binding sim/flow"""
        forbidden = """compiler/import/aimet compiler/ir, compiler/import/tosa compiler/import/aimet,
            compiler/import/aimet compiler/export/aimet, hw/base hw/spec, hw/spec hw/config, hw/config hw/package, hw/package hw/model, hw/package hw/timing,
            hw/gen hw/model, hw/gen compiler/ir, hw/model hw/config, hw/model hw/timing, hw/timing hw/model, hw/timing sim/kit,
            hw/base firmware/gen, compiler/ir hw/model, compiler/ir hw/timing, compiler/passes hw/timing, compiler/emit hw/model,
            compiler/schedule hw/model, compiler/cost hw/model, compiler/reference hw/timing, compiler/reference hw/package,
            compiler/reference compiler/schedule, compiler/reference sim/kernels, compiler/emit sim/kit, sim/units sim/soc,
            sim/units sim/check, sim/units sim/report, sim/units sim/cosim/block, sim/cosim/stimulus sim/cosim/block, sim/cosim/block sim/cosim/stream, sim/cosim/stream sim/cosim/lockstep,
            sim/cosim/lockstep sim/cosim/memory, sim/cosim/lockstep sim/cosim/replay, sim/cosim/memory sim/cosim/replay, sim/cosim/replay sim/cosim/network, sim/units compiler/ir, sim/soc compiler/emit,
            sim/check compiler/reference, sim/report sim/cli, sim/soc tests/support, compiler/ir tests/support,
            hw/base tests/support, hw/novel hw/base, firmware/boot hw/spec, hw/timing hw/sequence, hw/sequence hw/timing,
            hw/sequence hw/config, hw/sequence hw/package, hw/sequence hw/model, hw/sequence sim/kernels, hw/package hw/sequence,
            hw/ref hw/timing, hw/model hw/ref, hw/gen hw/sequence, compiler/cost hw/sequence, compiler/schedule hw/sequence, sim/kernels hw/sequence,
            sim/units hw/sequence, sim/soc hw/sequence, sim/cli hw/sequence,
            compiler/import/tosa compiler/import/onnx, compiler/import/tosa compiler/import/mlir, compiler/import/mlir compiler/import/onnx, compiler/import/tosa compiler/export, compiler/import compiler/export,
            compiler/export compiler/import, compiler/export compiler/import/tosa, compiler/ir compiler/import/tosa,
            compiler/ir compiler/passes, compiler/import compiler/reference, compiler/import/onnx compiler/reference,
            compiler/cost compiler/passes, compiler/passes compiler/schedule, compiler/passes compiler/import,
            compiler/schedule compiler/emit, compiler/emit compiler/import, sim/cli compiler/import/tosa, sim/kit sim/mem,
            sim/mem sim/units, sim/kernels sim/kit, sim/riscv sim/kit, sim/riscv hw/timing, sim/gdb sim/kit, sim/gdb sim/riscv, sim/gdb sim/soc, sim/riscv sim/gdb, sim/units sim/riscv, sim/check sim/soc, sim/soc sim/report, sim/explain sim/report, sim/flow sim/cli, sim/flow sim/host, sim/flow/run sim/cosim/network, sim/flow/run sim/cosim, sim/flow/rtl sim/cli, sim/cosim sim/flow/rtl, sim/flow compiler/import/tosa, sim/report sim/flow,
            sim/cosim/network sim/flow, compiler/emit sim/flow, sim/host sim/units, sim/cli sim/host, sim/cli sim/cosim/network, sim/cli sim/soc, sim/cli hw/timing, sim/cli hw/package, sim/cli compiler/ir, sim/cli compiler/emit, sim/soc sim/host,
            python/binding sim/flow/rtl, python/binding sim/report, python/binding sim/cli, python/binding compiler/ir, sim/flow python/binding"""
        for pairs, is_allowed in ((allowed, True), (forbidden, False)):
            for pair in pairs.split(","):
                source, target = pair.split()
                self.assert_arrow(f"{source}/a.cpp", f"{target}/b.hpp", is_allowed)

    def test_arrows_of_rooms_of_the_fourth_level(self):
        top, other = "compiler/import/quantized", "compiler/import/onnx"
        nodes, functions, operators, boundary = (f"{top}/{room}" for room in ("nodes", "functions", "operators", "boundary"))
        allowed = ((top, operators), (operators, top), (operators, functions), (functions, nodes), (boundary, operators),
                   (nodes, nodes), (nodes, "hw/model"), (other, top), ("tests/unit/x", functions), (f"{nodes}/deeper", nodes))
        forbidden = ((nodes, functions), (functions, operators), (operators, boundary), (other, operators), ("sim/flow", nodes),
                     ("compiler/import", boundary), (operators, other), (functions, "hw/timing"))
        for pairs, is_allowed in ((allowed, True), (forbidden, False)):
            for source, target in pairs:
                self.assert_arrow(f"{source}/a.cpp", f"{target}/b.hpp", is_allowed)

    def test_arrows_of_other_spellings(self):
        self.assert_bad("arrows", {"hw/base/a.hpp": f"{SPDX}#  include <sim/kit/b.hpp>\n"}, "hw/base/a.hpp:2: hw/base may not")
        self.assert_bad("arrows", {"hw/base/a.cpp": f'{SPDX}#include "b.hpp"\n'}, "not a path from the root")
        self.assert_bad("arrows", {"hw/base/a.cpp": f'{SPDX}#include "../spec/b.hpp"\n'}, "not a path from the root")

    def test_foreign_headers(self):
        flat = f"{SPDX}#include <flatbuffers/flatbuffers.h>\n"
        made = f'{SPDX}#include "tosa_generated.h"\n'
        systemc = f"{SPDX}#include <systemc>\n"
        for text in (flat, made):
            self.assert_good("arrows", {f"{folder}/a.cpp": text for folder in ("compiler/import/tosa", "compiler/export", "tests/x")})
            for folder in ("compiler/ir", "compiler/import", "compiler/import/onnx", "sim/cli"):
                self.assert_bad("arrows", {f"{folder}/a.cpp": text}, "is seen by compiler/import/tosa, compiler/import/mlir, compiler/export only")
        for header in ("onnx/onnx_pb.h", "google/protobuf/message.h"):
            text = f"{SPDX}#include <{header}>\n"
            self.assert_good("arrows", {"compiler/import/onnx/a.cpp": text, "compiler/import/qonnx/a.cpp": text})
            self.assert_bad("arrows", {"compiler/import/tosa/a.cpp": text}, "is seen by compiler/import/onnx")
        self.assert_good("arrows", {"sim/units/a.cpp": systemc, "tests/unit/sim_units/a.cpp": systemc})
        self.assert_bad("arrows", {"hw/timing/a.cpp": systemc}, "systemc is seen by sim only")
        self.assert_bad("arrows", {"compiler/ir/a.hpp": f"{SPDX}#include <tlm_utils/x.h>\n"}, "tlm_utils/x.h is seen by sim only")

    def test_heavy_headers(self):
        for header, home in (("CLI/CLI.hpp", "sim/cli/options"), ("nlohmann/json.hpp", "sim/report/json"),
                             ("nlohmann/json.hpp", "compiler/import/aimet/a"),
                             ("nlohmann/json.hpp", "compiler/export/aimet/write"), ("toml++/toml.h", "hw/config/toml_config")):
            text = f"{SPDX}#include <{header}>\n"
            self.assert_good("heavy_headers", {f"{home}.cpp": text})
            self.assert_bad("heavy_headers", {f"{home}.hpp": text}, "in a header")
            self.assert_bad("heavy_headers", {f"{home}.cpp": text, "hw/base/b.cpp": text}, "b.cpp:1: ")
            self.assert_bad("heavy_headers", {"sim/check/other.cpp": text}, "header outside ")
            self.assert_bad("heavy_headers", {"compiler/import/other.cpp": text}, "header outside ")

    def test_model_signatures(self):
        good = SPDX + """#pragma once
            #include <span>
            // Takes a std::vector<int> in words only; int* too.
            struct RescaleSpec { int32_t multiplier; int8_t shift; };
            int32_t rescale(int64_t value, const RescaleSpec& spec, bool is_double);
            int16_t lookup(int16_t value, std::span<const int16_t, 513> table);
            int8_t look(int8_t value, const std::array<int8_t, 256>& table);
            using Table = std::array<int16_t, 513>;
            constexpr int64_t mul(int64_t a, int64_t b) { return wrap(a * b) + wrap((a) * b); }
            constexpr int8_t at(const Table& table, int i) { return table[i]; }
            """
        self.assert_good("model_signatures", {"hw/model/a.hpp": good})
        for bad in (
            "int32_t sum(std::span<const int32_t> values);",
            "int32_t sum(int32_t first,\n    const std::vector<int32_t>& rest);",
            "int32_t sum(const int32_t* values, int count);",
            "int32_t sum(int count, const int32_t* values);",
            "void scale(int32_t*);",
            "int32_t sum(int32_t values[4]);",
            "int32_t sum(const base::Tensor& values);",
            "struct Row { std::array<int32_t, 4> values; };",
            "std::vector<int> acceptable(int n);",
            "int f(const Table& table, std::span<int> values);",
        ):
            self.assert_bad("model_signatures", {"hw/model/a.hpp": f"{SPDX}{bad}\n"}, "scalars and tables only")
            self.assert_good("model_signatures", {"hw/timing/a.hpp": f"{SPDX}{bad}\n"})

    def test_file_sizes(self):
        reason = "// Long because: one table.\n"
        self.assert_good("file_sizes", {"hw/base/a.cpp": "x\n" * 400, "a.md": "x\n" * 900})
        self.assert_bad("file_sizes", {"hw/base/a.cpp": "x\n" * 401}, "Long because")
        self.assert_good("file_sizes", {"hw/base/a.cpp": reason + "x\n" * 599})
        self.assert_bad("file_sizes", {"hw/base/a.cpp": reason + "x\n" * 600}, "split it")
        self.assert_bad("file_sizes", {"tests/a.py": "x\n" * 601}, "split it")
        self.assert_bad("file_sizes", {"hw/base/a.cpp": "// Long because:\n" + "x\n" * 500}, "Long because")
        self.assert_good("file_sizes", {"hw/base/a.hpp": SPDX + "// Generated by specgen.\n" + "x\n" * 900})

    def test_ascii(self):
        self.assert_good("ascii", {"hw/base/a.cpp": "\tx\n", "a.md": "x\n"})
        self.assert_bad("ascii", {"hw/base/a.cpp": b"ok\n\xc3\xa9\n"}, "a.cpp:2: byte 0xc3")
        self.assert_bad("ascii", {"docs/a.md": "a \u2014 b\n"}, "a.md:1: byte 0xe2")
        self.assert_bad("ascii", {"hw/base/a.cpp": b"x\r\n"}, "byte 0x0d")

    def test_test_names(self):
        self.assert_good("test_names", {"tests/unit/a.cpp": SPDX + 'TEST_CASE("one, two: three") {}\nint a; // TEST_CASE\n'})
        self.assert_bad("test_names", {"tests/unit/a.cpp": SPDX + 'TEST_CASE("one; two") {}\n'}, "a.cpp:2: a test's name with ';'")

    def test_batches(self):
        meant = f"{SPDX}using flow::number_of;\nint a() {{ return number_of(1); }}\n"
        hidden = f"{SPDX}namespace {{\n\nint64_t number_of(const std::string& text) {{\n  return 0;\n}}\n\n}}  // namespace\n"
        self.assert_bad("batches", {"sim/cli/a.cpp": meant, "sim/cli/b.cpp": hidden}, "sim/cli/a.cpp:2: sim/cli/b.cpp has a function number_of")
        self.assert_good("batches", {"sim/cli/a.cpp": meant, "sim/flow/b.cpp": hidden})
        self.assert_good("batches", {"sim/cli/a.cpp": meant.replace("using", "// using"), "sim/cli/b.cpp": hidden})

    def test_spdx(self):
        hashed = "# SPDX-License-Identifier: Apache-2.0\n"
        self.assert_good("spdx", {"hw/base/a.cpp": SPDX, "CMakeLists.txt": hashed, "dev": "#!/usr/bin/env bash\n" + hashed})
        self.assert_good("spdx", {"a.js": SPDX, "a.css": f"/* {SPDX[3:-1]} */\n", "hw/ref/a.h": f"/* {SPDX[3:-1]} */\n", "a.html": f"<!-- {SPDX[3:-1]} -->\n"})
        for path in ("hw/base/a.hpp", "hw/CMakeLists.txt", "a.py", "dev", ".ci/run", "hw/rtl/a.sv", "a.js", "a.css", "a.html"):
            self.assert_bad("spdx", {path: "x\n"}, f"{path}:1:")
        self.assert_bad("spdx", {"hw/base/a.hpp": "\n" + SPDX}, "first line")
        self.assert_bad("spdx", {"hw/base/a.hpp": ""}, "first line")
        self.assert_bad("spdx", {"hw/base/a.hpp": SPDX.replace("Apache-2.0", "MIT")}, "first line")

    def test_commented_out_code(self):
        good = SPDX + """// Sampled at the start; committed at the end.
            // The rule (section 4): a < b; then c follows,
            // if it fits. For each row, wait; return later
            /// Returns x = y * 2 where the shift is 0, else 1.
            // namespace vernier::base
            // In a test:
            //   const int y = f(x);
            //   g(y);
            int x = 0;  // in cycles; never negative
            """
        self.assert_good("commented_out_code", {"hw/base/a.cpp": good, "a.py": "# Imports are slow: do it once.\nimport os\n"})
        for bad in (
            "foo(bar);",
            "queue_->push(x, y);",
            "int x = 3;",
            "total += x;",
            "return x;",
            "if (x > 0) {",
            "}",
            "for (int i = 0; i < n; ++i) sum += i;",
            "#include <vector>",
            "int64_t count_;",
            "++i;",
        ):
            self.assert_bad("commented_out_code", {"hw/base/a.cpp": f"{SPDX}  // {bad}\n"}, "a.cpp:2: commented-out code")
        self.assert_bad("commented_out_code", {"hw/base/a.cpp": f"{SPDX}// In a test:\n// f(x);\n"}, "a.cpp:3")
        self.assert_bad("commented_out_code", {"hw/base/a.cpp": f"{SPDX}// So:\nint x;\n//   f(x);\n"}, "a.cpp:4")
        self.assert_bad("commented_out_code", {"hw/base/a.cpp": f"{SPDX}#if 0\n"}, "commented-out code")
        for bad in ("import os", "def f(x):", "print(x)", "add_subdirectory(rtl)"):
            self.assert_bad("commented_out_code", {"a.py": f"# {bad}\n"}, "a.py:1: commented-out code")

    def test_machine_paths(self):
        good = "/usr/share/x ../work/x root/home/x $HOME/tmp/x build/tmp/x https://a.example/work/b"
        self.assert_good("machine_paths", {"hw/base/a.cpp": good})
        for top in ("work", "home", "tmp", "root"):
            self.assert_bad("machine_paths", {"a.py": f'open("/{top}/x")\n'}, "a.py:1: path of one machine")
            self.assert_bad("machine_paths", {"docs/a.md": f"see /{top}/x\n"}, "a.md:1: path of one machine")

    def test_readmes(self):
        self.assert_good("readmes", {"hw/base/README.md": README, "hw/base/a.hpp": SPDX, "docs/x/a.md": "x\n"})
        self.assert_bad("readmes", {"hw/base/a.hpp": SPDX}, "hw/base:1: has no README.md")
        self.assert_bad("readmes", {"tests/e2e/demo/run.sh": "x"}, "tests/e2e:1: has no README.md")
        self.assert_bad("readmes", {"hw/base/README.md": "x\n"}, "a page has 3 to")
        self.assert_bad("readmes", {"hw/base/README.md": "x\n" * 61}, "a page has 3 to")

    def test_sentences(self):
        words = "word " * 19
        good = f"# {words}x\n{words}end. {words}end;\n- {words}end\n- {words}[a](b/c d/e f.md)\n| {words}| {words}x |\n```\n{words * 3}\n```\n"
        self.assert_good("sentences", {"README.md": good, "CHANGELOG.md": good, "docs/a.md": words * 9})
        for page in ("README.md", "CHANGELOG.md"):
            self.assert_bad("sentences", {page: f"x\n\n{words}\nor x.\n"}, f"{page}:3: a sentence of 21 words, at most 20: 'word")
            self.assert_bad("sentences", {page: f"- {words}`a b` x.\n"}, "a sentence of 21 words")
            self.assert_bad("sentences", {page: f"| x | {words} or x |\n"}, "a sentence of 21 words")
            self.assert_bad("sentences", {page: f"- x\n  {words}v1.0 y.\n"}, "a sentence of 22 words")

    def test_decisions(self):
        index = {"docs/decisions/README.md": "[0001](0001-a.md) [0001](0001-b.md) [x](first.md)\n"}
        self.assert_good("decisions", {**index, "docs/decisions/0001-a.md": "x\n"})
        self.assert_bad("decisions", {**index, "docs/decisions/0002-c.md": "x\n"}, "does not list 0002-c.md")
        self.assert_bad("decisions", {"docs/decisions/0001-a.md": "x\n"}, "does not list 0001-a.md")
        self.assert_bad("decisions", {**index, "docs/decisions/first.md": "x\n"}, "is named NNNN")
        self.assert_bad(
            "decisions", {**index, "docs/decisions/0001-a.md": "x\n", "docs/decisions/0001-b.md": "x\n"}, "has the number of"
        )

    def test_spec_sources(self):
        def bad(text, expected, count=1):
            self.assert_bad("spec_sources", {**others, "hw/spec/a.hpp": f"{SPDX}namespace vernier::spec {{\n{text}\n}}\n"}, expected, count)

        def good(text):
            self.assert_good("spec_sources", {**others, "hw/spec/a.hpp": f"{SPDX}namespace vernier::spec {{\n{text}\n}}\n"})

        others = {"docs/decisions/0002-machine.md": "# 0002\n", "tests/cosim/a_test.cpp": SPDX, "hw/rtl/npu_a.sv": SPDX}
        constant = "inline constexpr int kDepth = 4;"
        bad(constant, "'inline constexpr int kDepth = 4;' has the number 4 and no source")
        bad(f"// Words of a lane.\n{constant}\n\n// [decision 0002]", "has the number 4")
        for source in ("decision 0002", "measured on RTL, tests/cosim/a_test.cpp", "RTL hw/rtl/npu_a.sv", "TOSA 1.0 RESCALE", "data sheet B",
                       "standard SI", "from kDepth", "decision 0002; TOSA 1.0 TABLE"):
            good(f"{constant}  // [{source}]")
            good(f"/// Words of a\n/// lane [{source}].\n{constant}")
        for source, expected in (("decision 0003", "there is no decision 0003"), ("measured on RTL, tests/cosim/b.cpp", "there is no file"),
                                 ("measured on RTL, hw/rtl/npu_a.sv", "is no test"), ("RTL tests/cosim/a_test.cpp", "is no file of hw/rtl"),
                                 ("RTL hw/rtl/npu_b.sv", "there is no file"), ("from kWidth", "has no kWidth"), ("decision", "no known form"),
                                 ("TOSA RESCALE", "no known form"), ("decision 0002; from kWidth", "has no kWidth")):
            bad(f"{constant}  // [{source}]", expected)
        # A source belongs to its declaration alone.
        bad(f"inline constexpr int kWidth = 8;  // [decision 0002]\n{constant}", "kDepth = 4")
        bad("inline constexpr int kCycles = 1;", "the number 1")
        bad("enum class Mode : uint8_t { First = 0 };", "the number 0")
        bad("inline constexpr std::array<Row, 2> kRows{{\n    {3, true},\n    {5, true},\n}};", "the number 3")
        bad("inline constexpr int64_t kMost = int64_t{1}\n                                 << 31;", "the number 1")
        bad("constexpr int bytes(int lanes) {\n  return 2 * lanes;\n}", "the number 2")
        bad("struct Row {\n  int bits = 32;\n};", "the number 32")
        good("constexpr int next(int lanes) {\n  if (lanes == 0) return 1;\n  return lanes + 1;\n}")
        good('inline constexpr std::array<std::string_view, 3> kNames{"a 4", "b", "c"};  // of 2')
        good("static_assert(sizeof(int) == 4);")
        good("inline constexpr int kBits = [] {\n  int bits = 0;\n  return bits;\n}();")
        self.assert_good("spec_sources", {"hw/timing/a.hpp": f"{SPDX}{constant}\n"})

    def test_build_folders_are_not_looked_at(self):
        bad = "no licence\n"
        self.assert_good("spdx", {"build/release/a.cpp": bad, ".git/a.py": bad, "tests/__pycache__/a.py": bad})

    def test_comments_and_strings_are_blanked(self):
        text = 'int a; // "x\nconst char* b = "// c"; /* d\n e */ int f = 1\'000; char g = \'"\';'
        self.assertEqual(without_comments(text), 'int a;  \nconst char* b = ""; \n int f = 1000; char g = \' \';')

    def test_a_source_is_known_as_tidy_until_what_it_was_made_of_changes(self):
        with tempfile.TemporaryDirectory() as folder:
            header = os.path.join(folder, "a.hpp")

            def key(text="int a;", command="c++ -c a.cpp", shared=b"version 14"):
                pathlib.Path(header).write_text(text)
                return tidy.key_of(command, [header], shared, tidy.Checksums())

            self.assertEqual(key(), key())
            keys = {key(), key(text="int b;"), key(command="c++ -O3 -c a.cpp"), key(shared=b"version 15")}
            self.assertEqual(len(keys), 4)


if __name__ == "__main__":
    unittest.main()

// SPDX-License-Identifier: Apache-2.0
// RTL from elsewhere: what lies in a folder, ports, depth, answers. Blocks in C++; what is built is tested in tests/e2e.
#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "sim/cosim/block/child_process.hpp"
#include "sim/cosim/block/rtl_build.hpp"
#include "sim/cosim/block/rtl_cache.hpp"
#include "sim/cosim/block/rtl_files.hpp"
#include "sim/cosim/block/verilated_ports.hpp"
#include "sim/cosim/lockstep/foreign_block.hpp"
#include "sim/cosim/network/cosim.hpp"
#include "tests/cosim/array_model_block.hpp"
#include "tests/support/temporary_directory.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

using namespace vernier;
using namespace vernier::cosim;
using Catch::Matchers::Contains;

namespace {

constexpr int kForeignLanes = 8;

CosimReport run(std::string_view unit, std::unique_ptr<RtlBlock> block, bool is_strict) {
  CosimOptions options{std::string(unit), "v64", kForeignLanes, 1000, 7};
  options.is_foreign = true;
  options.is_strict = is_strict;
  return run_cosim(options, std::move(block));
}

std::unique_ptr<RtlBlock> lane_block(std::string_view unit, Flaw flaw) {
  return make_model_block("npu_" + std::string(unit) + "_unit", kForeignLanes, flaw);
}

/// The header of a block with the ports of hw/spec, as Verilator writes them.
std::vector<VerilatedPort> right_ports(const spec::RtlBlock& block) {
  std::vector<VerilatedPort> ports;
  for (const spec::RtlPort& port : block.ports)
    ports.push_back({std::string(port.name), port.is_output, port.bits(kForeignLanes)});
  return ports;
}

}  // namespace

TEST_CASE("foreign: the depth of a unit is measured, and its results have to keep to it") {
  for (const std::string_view unit : {"rescale", "table"}) {
    const int64_t ours = unit == "rescale" ? spec::kRescalePipelineCycles : spec::kTablePipelineCycles;
    for (const auto& [flaw, cycles] :
         {std::pair(Flaw::None, ours), std::pair(Flaw::Late, ours + 1), std::pair(Flaw::Early, ours - 1)}) {
      const CosimReport relaxed = run(unit, lane_block(unit, flaw), false);
      INFO(unit << cosim_text(relaxed));
      CHECK(relaxed.latency_cycles == cycles);
      CHECK(relaxed.result.mismatches == 0);
      CHECK(relaxed.result.cycle_mismatches == 0);
      CHECK(relaxed.result.rtl_cycles - relaxed.result.model_cycles == cycles - ours);
      CHECK((cosim_text(relaxed).find("latency: RTL ") != std::string::npos) == (flaw != Flaw::None));
      const CosimReport strict = run(unit, lane_block(unit, flaw), true);
      CHECK(strict.latency_cycles == cycles);
      CHECK((strict.result.mismatches == 0) == (flaw == Flaw::None));
      CHECK((strict.result.cycle_mismatches == 0) == (flaw == Flaw::None));
    }
    CHECK(run(unit, lane_block(unit, Flaw::Zeros), false).result.mismatches > 0);
    CHECK(run(unit, lane_block(unit, Flaw::WrongTag), false).result.mismatches > 0);
    CHECK_THROWS_WITH(run(unit, lane_block(unit, Flaw::NoResult), false),
                      Contains("_valid_o did not come in 10000 cycles after a vector"));
  }
}

TEST_CASE("foreign: edges of an array may differ, its values may not, and it has to answer") {
  const auto array = [](ArrayFlaw flaw) {
    ClockedBlock block(make_array_model(kForeignLanes, flaw), *spec::rtl_block_of_unit("datapath"), kForeignLanes);
    const spec::Datapath datapath{kForeignLanes, 4, 2};
    require_answer(block, datapath);
  };
  CHECK_NOTHROW(array(ArrayFlaw::None));
  CHECK_NOTHROW(array(ArrayFlaw::Late));
  CHECK_THROWS_AS(array(ArrayFlaw::NotReady), Hang);
  CHECK_THROWS_WITH(array(ArrayFlaw::NoResult), Contains("npu_datapath: out_valid_o never came for a command of "));
}

TEST_CASE("foreign: ports are read from Verilator's header and compared with hw/spec") {
  const std::vector<VerilatedPort> ports = ports_of_header(
      "  VL_IN8(&clk_i,0,0);\n    VL_OUT8(&scale_valid_o,0,0);\n VL_INW(&scale_value_i,383,0,12);\n  VL_OUT64(&x,47,0);\n"
      "  CData/*0:0*/ __Vclk;\n");
  REQUIRE(ports.size() == 4);
  CHECK((ports[0].name == "clk_i" && !ports[0].is_output && ports[0].bits == 1));
  CHECK((ports[1].name == "scale_valid_o" && ports[1].is_output));
  CHECK((ports[2].name == "scale_value_i" && ports[2].bits == 384));
  CHECK((ports[3].is_output && ports[3].bits == 48));
  for (const spec::RtlBlock& block : spec::kRtlBlocks)
    CHECK(port_mistakes(block, kForeignLanes, right_ports(block)).empty());
  const spec::RtlBlock& rescale = *spec::rtl_block_of_unit("rescale");
  std::vector<VerilatedPort> wrong = right_ports(rescale);
  wrong[4].bits = 5;
  wrong[3].is_output = true;
  CHECK_THAT(
      port_mistakes(rescale, kForeignLanes, wrong),
      Contains("has 5 bits of scale_tag_i, wanted are 8") && Contains("has scale_valid_i as an output, wanted is an input"));
  wrong = right_ports(rescale);
  wrong.erase(wrong.begin() + 2);
  wrong.push_back({"mine_i", false, 3});
  wrong.push_back({"mine_o", true, 3});  // nobody has to read it
  CHECK(port_mistakes(rescale, kForeignLanes, wrong) ==
        "has no input en_i of 1 bits, has an input mine_i, which nobody drives");
  CHECK_THAT(port_mistakes(rescale, kForeignLanes, {}), Contains("and 17 more"));
}

TEST_CASE("foreign: names of modules, without comments and texts") {
  CHECK(defined_modules("// module a;\n/* module b; */ module c #(int N) (); endmodule\npackage automatic p; endpackage "
                        "module\n  d; $display(\"module e\"); endmodule\ninterface f; endinterface"
                        "(* keep *)module g; virtual interface f h; endmodule\nmacromodule i; endmodule\n"
                        "extern module k; interface class l; endclass") ==
        std::vector<std::string>{"c", "p", "d", "f", "g", "i"});
}

TEST_CASE("foreign: a folder's sources, packages first, or those of its list") {
  const tests::TemporaryDirectory folder;
  const auto write = [&](const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder / name).parent_path());
    base::write_text_file(folder / name, text);
  };
  write("b.sv", "module npu_table_unit; endmodule");
  write("z.sv", "package mine; endpackage");
  write("notes.txt", "module not_a_source; endmodule");
  const RtlFolder plain = read_rtl_folder(folder.path());
  REQUIRE(plain.sources.size() == 2);
  CHECK(plain.sources[0].filename() == "z.sv");
  CHECK(plain.modules.contains("npu_table_unit"));
  CHECK_FALSE(plain.modules.contains("not_a_source"));
  write("in/x.svh", "");
  write("my table.sv", "module my_table; endmodule");
  write("a#b.sv", "module a; endmodule");
  write("files.f",
        "# a list\n b.sv // a unit\n-Iin +define+A -DB=2\n\"my table.sv\" a#b.sv # two more\n"
        "/* -y no */ +define+MODE=\"fast // mode\" +incdir+\"in\"\n");
  const RtlFolder listed = read_rtl_folder(folder.path());
  REQUIRE(listed.sources.size() == 3);
  CHECK((listed.sources[1].filename() == "my table.sv" && listed.sources[2].filename() == "a#b.sv"));
  CHECK(listed.defines == std::vector<std::string>{"A", "B=2", "MODE=\"fast // mode\""});
  CHECK(listed.include_folders.size() == 2);
  const RtlBuilder builder(plain);
  CHECK(builder.concerns("npu_table_unit"));
  CHECK(builder.concerns("npu_datapath"));
  CHECK_FALSE(builder.concerns("npu_rescale_unit"));
  CHECK_FALSE(builder.concerns("npu_mac_array"));
  CHECK(builder.has_only_lanes());
  write("b.sv", "module npu_mac_drain; endmodule");
  CHECK_FALSE(RtlBuilder(read_rtl_folder(folder.path())).has_only_lanes());
}

TEST_CASE("foreign: what is wrong with a folder's texts is told, and only that") {
  const tests::TemporaryDirectory folder;
  const auto write = [&](const std::string& name, const std::string& text) { base::write_text_file(folder / name, text); };
  for (const char* version : {"3", "32'd3", "'h3", "32 'sd 3"}) {
    write("b.sv", fmt::format("module npu_table_unit; localparam int InterfaceVersion = {}; endmodule", version));
    CHECK_THROWS_WITH(read_rtl_folder(folder.path()), Contains("is written for interface version 3, wanted is "));
  }
  const std::string right = std::to_string(spec::kRtlInterfaceVersion);
  for (const std::string& version : {right, "32'd" + right, std::string("OTHERS")}) {
    write("b.sv", fmt::format("module npu_table_unit; localparam int InterfaceVersion = {}; endmodule", version));
    CHECK_NOTHROW(read_rtl_folder(folder.path()));
  }
  // Which of two of one file is there is for Verilator to know, a variable is no definition.
  write("b.sv", "`ifdef A\nmodule a; endmodule\n`else\nmodule a; virtual interface bus x; endmodule\n`endif\n");
  write("c.sv", "module c; virtual interface bus y; endmodule interface bus; endinterface");
  CHECK(read_rtl_folder(folder.path()).modules.size() == 3);
  write("d.sv", "module a; endmodule");
  CHECK_THROWS_WITH(read_rtl_folder(folder.path()), Contains("'a' is defined in b.sv and in d.sv"));
  write("files.f", "b.sv\nc.sv ./b.sv\n");
  CHECK_THROWS_WITH(read_rtl_folder(folder.path()), Contains("files.f:2: 'b.sv' is listed twice"));
  write("files.f", "\"b.sv\n");
  CHECK_THROWS_WITH(read_rtl_folder(folder.path()), Contains("files.f:1: ") && Contains("without a second one"));
  for (const char* name : {"$HOME/b.sv", "+incdir+$X"}) {
    write("files.f", name);
    CHECK_THROWS_WITH(read_rtl_folder(folder.path()), Contains("has a '$', which Verilator takes for a variable"));
  }
  std::filesystem::create_directories(folder / "a$b");
  CHECK_THROWS_WITH(read_rtl_folder(folder / "a$b"), Contains("--rtl: ") && Contains("has a '$'"));
}

TEST_CASE("foreign: what is kept is told from what was damaged, and leftovers go") {
  const tests::TemporaryDirectory folder;
  const std::filesystem::path kept = folder / "kept.so", old_one = folder / "tmp.old", new_one = folder / "tmp.new";
  CHECK_FALSE(is_kept_whole(kept));
  base::write_text_file(folder / "built", std::string(1000, 'x'));
  keep_file(folder / "built", kept);
  CHECK(is_kept_whole(kept));
  const std::string text = base::read_text_file(kept);
  for (const std::string& damaged :
       {text.substr(0, 500), text.substr(0, text.size() - 1), "y" + text.substr(1), std::string()}) {
    base::write_text_file(kept, damaged);
    CHECK_FALSE(is_kept_whole(kept));
  }
  std::filesystem::create_directories(old_one / "in");
  std::filesystem::create_directories(new_one);
  const auto now = std::filesystem::file_time_type::clock::now();
  std::filesystem::last_write_time(old_one, now - std::chrono::minutes(70));
  std::filesystem::last_write_time(kept, now - std::chrono::minutes(70));
  remove_leftovers(folder.path());
  CHECK_FALSE(std::filesystem::exists(old_one));
  CHECK(std::filesystem::exists(new_one));
  CHECK(std::filesystem::exists(kept));
}

TEST_CASE("foreign: the program carries its RTL") {
  for (const char* name : {"npu_spec_pkg.sv", "npu_datapath.sv", "npu_mac_lane.sv", "rtl_block.hpp", "verilated_stop.cpp",
                           "binding_npu_datapath.cpp", "binding_npu_rescale_unit.cpp"}) {
    const auto files = rtl_files();
    CHECK(std::ranges::any_of(files, [&](const RtlFile& file) { return file.name == name && file.text.size() > 100; }));
  }
}

TEST_CASE("foreign: programs run side by side, and what they say is kept") {
  const tests::TemporaryDirectory folder;
  const auto shell = find_program("sh");
  REQUIRE(shell);
  CHECK_FALSE(find_program("no-program-has-this-name"));
  const auto command = [&](const std::string& text) { return std::vector<std::string>{shell->string(), "-c", text}; };
  const std::vector<Finished> all =
      run_all({command("echo one; echo two >&2; pwd"), command("exit 3"), command("kill -9 $$")}, folder.path(), 3);
  REQUIRE(all.size() == 3);
  CHECK(all[0].exit_code == 0);
  CHECK_THAT(all[0].output, Contains("one\ntwo\n") && Contains(folder.path().filename().string()));
  CHECK(all[1].exit_code == 3);
  CHECK(all[2].exit_code == 128 + 9);
  // Nothing is started after a failure.
  (void)run_all({command("exit 1"), command("touch started")}, folder.path(), 1);
  CHECK_FALSE(std::filesystem::exists(folder / "started"));
}

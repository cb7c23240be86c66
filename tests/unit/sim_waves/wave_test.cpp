// SPDX-License-Identifier: Apache-2.0
#include "sim/waves/wave.hpp"

#include "sim/waves/gtkw.hpp"
#include "sim/waves/machine_wave.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::waves;

namespace {

/// Five signals of every kind, watched for 20 cycles.
struct Watched {
  std::vector<kit::Signal> signals{{"npu.unit", "queue_depth", kit::SignalKind::Count},
                                   {"npu.unit", "command", kit::SignalKind::Index},
                                   {"npu.memory", "read", kit::SignalKind::Flow, {}, "bytes"},
                                   {"npu.unit", "state", kit::SignalKind::State, {"busy", "idle", "waiting"}}};
  std::vector<int32_t> layers{0, -1, 1};
  std::vector<std::string> names{"first layer", "second"};
  Recording recording;

  Watched() {
    const auto change = [&](uint32_t signal, int64_t cycle, int64_t value) {
      recording.changed(kit::SignalId{signal}, cycle, value);
    };
    change(0, 0, 0);
    change(0, 3, 1);
    change(0, 12, 30);
    change(1, 0, kit::kNoIndex);
    change(1, 5, 0);
    change(1, 9, 2);
    change(1, 15, 1);
    recording.moved(kit::SignalId{2}, 4, 8, 6);
    change(3, 0, 1);
    change(3, 5, 2);
    change(3, 7, 0);
  }
  [[nodiscard]] Wave wave() const { return machine_wave(signals, recording, {layers, names}, 20); }
};

std::string text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TEST_CASE("The wave of a machine as VCD: scopes, values, and the layer beside the command") {
  CHECK(text_of(to_bytes(Watched().wave(), WaveFormat::Vcd, {0, 20})) ==
        R"($comment A cycle is a nanosecond, whatever the clock: the time axis counts cycles. $end
$timescale 1ps $end
$scope module npu $end
$scope module unit $end
$var wire 5 ! queue_depth [4:0] $end
$var wire 32 " command [31:0] $end
$var string 1 # layer $end
$var string 1 % state $end
$upscope $end
$scope module memory $end
$var real 64 $ read_bytes_per_cycle $end
$upscope $end
$upscope $end
$enddefinitions $end
#0
b0 !
bzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz "
s #
r0 $
sidle %
#3000
b1 !
#4000
r1.5 $
#5000
b0 "
sfirst_layer #
swaiting %
#7000
sbusy %
#8000
r0 $
#9000
b10 "
ssecond #
#12000
b11110 !
#15000
b1 "
s #
#20000
)");
}

TEST_CASE("A window begins with the values that hold there") {
  const std::string text = text_of(to_bytes(Watched().wave(), WaveFormat::Vcd, {6, 9}));
  CHECK(text.substr(text.find("#")) != text);
  CHECK(text.substr(text.find("$enddefinitions $end\n") + 21) ==
        "#6000\nb1 !\nb0 \"\nsfirst_layer #\nr1.5 $\nswaiting %\n#7000\nsbusy %\n#8000\nr0 $\n#9000\nb10 \"\nssecond #\n");
}

TEST_CASE("A scope keeps what matches, and nothing is an error that names what there is") {
  Wave wave = Watched().wave();
  keep_scope(wave, "npu.unit.*a*");
  REQUIRE(wave.variables.size() == 3);
  CHECK(wave.variables[0].name == "command");
  CHECK(wave.variables[1].name == "layer");
  CHECK(wave.variables[2].name == "state");
  for (const Event& event : wave.events) CHECK(event.variable < 3);
  CHECK_THROWS_WITH(keep_scope(wave, "npu.nothing*"),
                    "--wave-scope: 'npu.nothing*' matches no signal, scopes are npu.unit; 'npu.unit.*' is all of the first");
}

TEST_CASE("The format is the file's ending") {
  CHECK(wave_format_of("a/b.vcd") == WaveFormat::Vcd);
  if (has_fst_writer()) CHECK(wave_format_of("b.fst") == WaveFormat::Fst);
  CHECK_THROWS_WITH(wave_format_of("b.vcd.gz"), "b.vcd.gz: a wave's file ends in .vcd or .fst");
}

TEST_CASE("The same wave gives the same bytes of FST") {
  if (!has_fst_writer()) return;
  const std::vector<std::byte> bytes = to_bytes(Watched().wave(), WaveFormat::Fst, {0, 20});
  CHECK(bytes.size() > 100);
  CHECK(bytes == to_bytes(Watched().wave(), WaveFormat::Fst, {0, 20}));
}

TEST_CASE("GTKWave's view lists what changes in the window, units first, states by their names") {
  const std::string view = gtkwave_view(Watched().wave(), "folder/out.vcd", {0, 11}, {5});
  CHECK(view.find("[dumpfile] \"out.vcd\"\n[timestart] 0\n") != std::string::npos);
  CHECK(view.find(" 5000 -1 ") != std::string::npos);
  CHECK(view.substr(view.find("@800200")) == R"(@800200
-npu.unit
@24
[color] 0
npu.unit.queue_depth[4:0]
@24
[color] 4
npu.unit.command[31:0]
@820
[color] 2
npu.unit.layer
@100000028
[color] 3
npu.unit.state
@1000200
-npu.unit
@800200
-npu.memory
@8022
[color] 0
npu.memory.read_bytes_per_cycle
@20000
-
@1000200
-npu.memory
)");
  const std::string later = gtkwave_view(Watched().wave(), "out.vcd", {13, 20});
  CHECK(later.find("queue_depth") == std::string::npos);
  CHECK(later.find("npu.unit.command") != std::string::npos);
}

TEST_CASE("GTKWave's view divides the signals of RTL by streams, and shows results lane by lane") {
  Wave wave;
  std::vector<std::string> names{"clk_i", "out_valid_o", "out_value_o", "out_mask_o", "act_valid_i"};
  for (int i = 0; i < 9; ++i) names.push_back("act_part" + std::to_string(i) + "_i");
  for (const std::string& name : names) {
    wave.variables.push_back({"npu.rtl0.block", name, VariableKind::Bits,
                              name == "out_value_o"  ? 72
                              : name == "out_mask_o" ? 3
                                                     : 1});
    wave.events.push_back({0, wave.variables.size() - 1, uint64_t{0}});
    // The mask stays the same: nothing to look at.
    if (name != "out_mask_o") wave.events.push_back({kTimesPerCycle, wave.variables.size() - 1, uint64_t{1}});
  }
  wave.end_time = 4 * kTimesPerCycle;
  const std::string view = gtkwave_view(wave, "out.vcd", {0, 4});
  CHECK(view.find("@800200\n-npu.rtl0.block\n@28\n[color] 0\nnpu.rtl0.block.clk_i\n@800200\n-out_*\n") != std::string::npos);
  CHECK(view.find("@c00200\n-act_*\n") != std::string::npos);
  CHECK(view.find("@1401200\n-act_*\n") != std::string::npos);
  CHECK(view.find("block.out_mask_o") == std::string::npos);
  // The lowest lane has the lowest bits, which a view counts last.
  const std::string word = "npu.rtl0.block.out_value_o[71:0]";
  CHECK(view.find("@420\n[color] 0\n#{out_value_o lane 0} (48)" + word + " (49)" + word) != std::string::npos);
  CHECK(view.find("#{out_value_o lane 2} (0)" + word + " (1)" + word) != std::string::npos);
  CHECK(view.find("(23)" + word + "\n") != std::string::npos);
  CHECK(view.find("lane 3") == std::string::npos);
}

TEST_CASE("GTKWave's view says which command is there where nothing changes") {
  Wave wave;
  wave.variables = {{"npu.unit", "command", VariableKind::Bits, 32},
                    {"npu.unit", "layer", VariableKind::Text},
                    {"npu.unit", "queue_depth", VariableKind::Bits, 4},
                    {"npu.idle", "command", VariableKind::Bits, 32}};
  wave.events = {{0, 0, uint64_t{7}}, {0, 1, std::string("conv")}, {0, 2, uint64_t{1}}, {0, 3, std::string(32, 'z')}};
  wave.end_time = 20 * kTimesPerCycle;
  const std::string view = gtkwave_view(wave, "out.vcd", {5, 10});
  CHECK(view.find("npu.unit.command") != std::string::npos);
  CHECK(view.find("npu.unit.layer") != std::string::npos);
  CHECK(view.find("queue_depth") == std::string::npos);
  CHECK(view.find("npu.idle") == std::string::npos);
}

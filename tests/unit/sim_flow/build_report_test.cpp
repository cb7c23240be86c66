// SPDX-License-Identifier: Apache-2.0
// From a package, a job and a check to a report: every number of theirs differs from every other one, so that a field that
// is copied from its neighbour shows.
#include "sim/flow/run/build_report.hpp"

#include "hw/base/checksum.hpp"
#include "sim/explain/bound_detail.hpp"
#include "tests/support/stream_assembler.hpp"

#include <catch2/catch.hpp>
#include <fmt/ranges.h>

namespace vernier::flow {
namespace {

using namespace support;

/// Two layers, three commands and END; sizes that differ.
package::Package made_package() {
  StreamAssembler stream(config::preset_config("v64", "test"));
  stream.layer("first").add(dma_copy(Queue::Dma1, external(0), sram(0), 64)).add(vector_add(0, 4096, 64, 1));
  stream.layer("second").add(pointwise(stream.package().config, 2, 2, 0, 512, 640, 768)).end();
  stream.data(sram(512), std::vector<std::byte>(70)).data(sram(640), std::vector<std::byte>(5));
  package::Package& package = stream.package();
  package.model_name = "net.tosa";
  package.model_sha256 = "abc";
  package.optimize = 0;
  package.sram_peak_bytes = 9001;
  package.sram_peak = {9002, 9003, 9004};
  package.external_bytes = 9005;
  package.weight_bytes = 9006;
  package.planned_sram_bytes = 9010;
  package.layers[0] = {"first", {"ADD", "CLAMP"}, 9007, {"ADD", {}, {}, 0}};
  package.layers[1] = {"second", {"CONV2D"}, 9008, {"CONV2D", {1, 2}, {3, 4}, 5}};
  package.folded = {{"t1", "constant"}, {"t2", "fused into CONV2D"}};
  return package;
}

units::CommandRecord made_command(int32_t layer, spec::Queue queue, units::Work work, int64_t first_number) {
  units::CommandRecord command;
  command.layer_idx = layer;
  command.queue = queue;
  command.work = work;
  command.dispatch_cycle = first_number;
  command.start_cycle = first_number + 1;
  command.end_cycle = first_number + 900;
  command.traffic = {first_number + 3, first_number + 4, first_number + 5, first_number + 6};
  return command;
}

constexpr kit::Bucket stall(timing::Stall name) { return kit::Bucket::stall(static_cast<size_t>(name)); }

soc::JobResult made_job() {
  soc::JobResult job;
  job.cycles = 7001;
  job.traffic = {7002, 7003, 7004, 7005};
  job.sram_peak_bytes = 7006;
  job.num_commands = 7007;
  int64_t number = 7100;
  for (const char* name : {"mac_array", "dma"}) {
    kit::Statistics& unit = job.units.child(name);
    unit.add("busy_cycles", ++number);
    unit.add("idle_cycles", ++number);
    unit.child("stall_cycles").add("dma", ++number);
    unit.child("stall_cycles").add("weight_load", 0);
    unit.child("stall_cycles").add("control_cpu", ++number);
  }
  for (int64_t layer = 0; layer < 2; ++layer) {
    const int64_t base = 7200 + 100 * layer;
    units::LayerCount count;
    count.attributed_cycles = base + 1;
    count.attributed_by[static_cast<size_t>(units::Cause::VectorUnit)] = base + 2;
    count.first_cycle = base + 3;
    count.last_cycle = base + 4;
    count.in_flight_cycles = base + 5;
    count.working_cycles = base + 6;
    count.traffic = {base + 7, base + 8, base + 9, base + 10};
    job.layers.push_back(count);
  }
  job.commands = {made_command(0, spec::Queue::Dma1, units::Work::Load, 8000),
                  made_command(0, spec::Queue::VectorUnit, units::Work::Vector, 8100),
                  made_command(1, spec::Queue::MacArray, units::Work::Array, 8200),
                  made_command(1, spec::Queue::Dma0, units::Work::None, 8300)};
  job.shares = {{stall(timing::Stall::ExternalMemory), 11},
                {kit::Bucket::busy(), 13},
                {stall(timing::Stall::CommandIssue), 17},
                {stall(timing::Stall::WeightLoad), 19},
                {kit::Bucket::busy(), 23},
                {stall(timing::Stall::PipelineFill), 29},
                {kit::Bucket::busy(), 31},
                {stall(timing::Stall::Dma), 37}};
  job.commands[0].main.shares = {0, 2};
  job.commands[0].waits = {2, 1};
  job.commands[2].main = {8201, 8300, 50, {3, 2}};
  job.commands[2].drain = {8341, 8400, 50, {5, 2}};
  job.commands[2].waits = {7, 1};
  job.queues = {{{61, 62, 63}, {64, 65, 66}, {67, 68, 0}, {70, 71, 72}}};
  return job;
}

using Named = std::vector<std::pair<std::string, int64_t>>;
Named named(const std::vector<std::pair<std::string_view, int64_t>>& views) { return {views.begin(), views.end()}; }

void check_traffic(const report::Traffic& traffic, int64_t first_number) {
  CHECK(traffic.sram_read_bytes == first_number);
  CHECK(traffic.sram_write_bytes == first_number + 1);
  CHECK(traffic.external_read_bytes == first_number + 2);
  CHECK(traffic.external_write_bytes == first_number + 3);
}

TEST_CASE("What every back end reports comes from the package") {
  const package::Package package = made_package();
  const report::Report report = base_report(package, "folder/net.tosa", "some backend");
  CHECK(report.backend == "some backend");
  CHECK(report.model_file == "folder/net.tosa");
  CHECK(report.model_name == "net.tosa");
  CHECK(report.model_sha256 == "abc");
  CHECK(report.optimize == 0);
  CHECK(report.config == package.config);
  REQUIRE(report.layers.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    const report::Layer& layer = report.layers[i];
    CHECK(layer.layer_idx == static_cast<int64_t>(i));
    CHECK(layer.name == package.layers[i].name);
    CHECK(layer.source_name == package.layers[i].name);
    CHECK(layer.operators == package.layers[i].operators);
    CHECK(layer.macs == package.layers[i].macs);
    CHECK(layer.main_operator == package.layers[i].main_operator);
    CHECK(layer.attributed_cycles == 0);
  }
  CHECK(report.macs() == 9007 + 9008);
  CHECK(report.cycles == 0);
  CHECK(report.check.result == "skipped");
}

TEST_CASE("A simulation adds its totals, and the package's sizes") {
  const package::Package package = made_package();
  report::Report report = base_report(package, "f", "sim");
  add_simulation(report, package, made_job());
  CHECK(report.cycles == 7001);
  check_traffic(report.traffic, 7002);
  CHECK(report.sram_written_peak_bytes == 7006);
  CHECK(report.commands == 7007);
  CHECK(report.sram_peak_bytes == 9001);
  CHECK(report.sram_peak == package::SramPeak{9002, 9003, 9004});
  CHECK(report.external_footprint_bytes == 9005);
  CHECK(report.weight_bytes == 9006);
  CHECK(report.planned_sram_bytes == 9010);
  CHECK(report.notes.empty());
  CHECK(report.image_bytes == static_cast<int64_t>(package.stream.size()) + 70 + 5);
  CHECK_FALSE(report.approximations.empty());
}

TEST_CASE("The table of a package's steps is part of what lies in memory before a job") {
  const package::Package package = made_package();
  package::Package twice = package;
  twice.flow.streams = {{0, static_cast<int64_t>(package.stream.size())}};
  twice.flow.steps = {{}, {}};  // runs the stream, and runs it again
  report::Report report = base_report(package, "f", "sim"), of_twice = base_report(twice, "f", "sim");
  add_simulation(report, package, made_job());
  add_simulation(of_twice, twice, made_job());
  CHECK(of_twice.image_bytes == report.image_bytes + 2 * 8);  // two words for each step
}

TEST_CASE("Blocks of SRAM live from the start of their first command to the end of their last one") {
  package::Package package = made_package();
  package.sram_blocks = {
      {"from the beginning", true, 11, 13, -1, 1}, {"between", false, 17, 19, 1, 2}, {"to the end", false, 23, 29, 2, 3}};
  report::Report report = base_report(package, "f", "sim");
  add_simulation(report, package, made_job());
  REQUIRE(report.sram_blocks.size() == 3);
  CHECK(report.sram_blocks[0].name == "from the beginning");
  CHECK(report.sram_blocks[0].is_constant);
  CHECK(report.sram_blocks[0].begin_byte == 11);
  CHECK(report.sram_blocks[0].end_byte == 13);
  CHECK(report.sram_blocks[0].first_cycle == 0);
  CHECK(report.sram_blocks[0].end_cycle == 9000);
  CHECK_FALSE(report.sram_blocks[1].is_constant);
  CHECK(report.sram_blocks[1].first_cycle == 8101);
  CHECK(report.sram_blocks[1].end_cycle == 9100);
  CHECK(report.sram_blocks[2].first_cycle == 8201);
  CHECK(report.sram_blocks[2].end_cycle == 7001);  // the run's, of command 3, which is END
}

TEST_CASE("Maps that leave no room for weights are told, with the size that would do") {
  package::Package package = made_package();
  package.config.sram_bytes = 65'536;
  package.least_sram_bytes = 90'112;
  report::Report report = base_report(package, "f", "sim");
  add_simulation(report, package, made_job());
  CHECK(report.notes == std::vector<std::string>{
                            "the maps leave no room for weights, or little: of 64 KiB of SRAM the network needs 88 KiB at "
                            "least; with 4 times that, weights come ahead in time"});
}

TEST_CASE("A simulation adds each unit's busy, idle and stall cycles, those above zero") {
  const package::Package package = made_package();
  report::Report report = base_report(package, "f", "sim");
  add_simulation(report, package, made_job());
  REQUIRE(report.units.size() == 2);
  CHECK(report.units[0].name == "mac_array");
  CHECK(report.units[0].busy_cycles == 7101);
  CHECK(report.units[0].idle_cycles == 7102);
  CHECK(report.units[0].stall_cycles == Named{{"dma", 7103}, {"control_cpu", 7104}});
  CHECK(report.units[1].name == "dma");
  CHECK(report.units[1].busy_cycles == 7105);
  CHECK(report.units[1].idle_cycles == 7106);
  CHECK(report.units[1].stall_cycles == Named{{"dma", 7107}, {"control_cpu", 7108}});
}

TEST_CASE("A simulation adds how full each queue was, and the depth that would do where it held nothing up") {
  const package::Package package = made_package();
  report::Report report = base_report(package, "f", "sim");
  add_simulation(report, package, made_job());
  REQUIRE(report.queues.size() == 4);
  for (size_t i = 0; i < 4; ++i) {
    const report::QueueFill& queue = report.queues[i];
    const auto base = static_cast<int64_t>(61 + 3 * i);
    CHECK(queue.name == spec::kQueueNames[i]);
    CHECK(queue.depth_commands == package.config.queue_depth);
    CHECK(queue.most_commands == base);
    CHECK(queue.full_cycles == base + 1);
    CHECK(queue.holding_cycles == (i == 2 ? 0 : base + 2));
    CHECK(queue.least_depth_commands() == (i == 2 ? std::optional<int64_t>(67) : std::nullopt));
  }
  CHECK(report.command_list[1].dispatch_cycle == 8100);
}

TEST_CASE("A simulation adds each layer's cycles and bytes") {
  const package::Package package = made_package();
  report::Report report = base_report(package, "f", "sim");
  const soc::JobResult job = made_job();
  const std::vector<explain::LayerWork> work = explain::work_of_layers(package, job);
  add_simulation(report, package, job);
  for (size_t i = 0; i < 2; ++i) {
    const report::Layer& layer = report.layers[i];
    const int64_t base = 7200 + 100 * static_cast<int64_t>(i);
    CHECK(layer.attributed_cycles == base + 1);
    CHECK(layer.attributed_cycles_by == Named{{"vector_unit", base + 2}});
    CHECK(layer.first_cycle == base + 3);
    CHECK(layer.last_cycle == base + 4);
    CHECK(layer.in_flight_cycles == base + 5);
    CHECK(layer.working_cycles == base + 6);
    check_traffic(layer.traffic, base + 7);
    CHECK(layer.bound_by == "vector");
    CHECK(layer.bound_detail == explain::bound_detail(job.layers[i], "vector", work[i], package.config));
    CHECK_FALSE(layer.spent_cycles.empty());
  }
}

TEST_CASE("A simulation adds each command's flight, bytes, busy cycles, stalls and waits") {
  const package::Package package = made_package();
  report::Report report = base_report(package, "f", "sim");
  add_simulation(report, package, made_job());
  REQUIRE(report.command_list.size() == 4);
  const std::vector<std::string_view> units{"dma", "vector_unit", "mac_array", "command_processor"};
  const std::vector<std::string_view> queues{"dma1", "vec", "mac", ""};
  for (size_t i = 0; i < 4; ++i) {
    CAPTURE(i);
    const report::Command& command = report.command_list[i];
    const int64_t base = 8000 + 100 * static_cast<int64_t>(i);
    CHECK(command.layer_idx == (i < 2 ? 0 : 1));
    CHECK(command.unit == units[i]);
    CHECK(command.queue == queues[i]);
    CHECK(command.start_cycle == base + 1);
    CHECK(command.end_cycle == base + 900);
    check_traffic(command.traffic, base + 3);
  }
  CHECK(report.command_list[0].busy_cycles == 13);
  CHECK(named(report.command_list[0].stall_cycles) == Named{{"external_memory", 11}});
  CHECK(named(report.command_list[0].wait_cycles) == Named{{"command_issue", 17}});
  CHECK(report.command_list[1].busy_cycles == 0);
  CHECK(report.command_list[1].stall_cycles.empty());
  CHECK(report.command_list[1].wait_cycles.empty());
  // Main and drain together; between them it waited for the rescale unit, from 8300 to 8341.
  CHECK(report.command_list[2].busy_cycles == 23 + 31);
  CHECK(named(report.command_list[2].stall_cycles) ==
        Named{{"pipeline_fill", 29}, {"weight_load", 19}, {"rescale_contention", 41}});
  CHECK(named(report.command_list[2].wait_cycles) == Named{{"dma", 37}});
}

TEST_CASE("A copy, a store and a load are the DMA's") {
  const package::Package package = made_package();
  for (const units::Work work : {units::Work::Copy, units::Work::Load, units::Work::Store}) {
    soc::JobResult job = made_job();
    job.commands[0].work = work;
    report::Report report = base_report(package, "f", "sim");
    add_simulation(report, package, job);
    CHECK(report.command_list[0].unit == "dma");
  }
}

check::Outcome made_outcome(bool is_match) {
  check::Outcome outcome;
  outcome.elements_compared = 6001;
  outcome.tensors_compared = 6002;
  if (is_match) return outcome;
  outcome.elements_different = 6003;
  outcome.first = check::Difference{"y", {6004, 6005}, 6006, 6007, {2, 6008}};
  return outcome;
}

TEST_CASE("A check that matches has counts and no difference") {
  const package::Package package = made_package();
  report::Report report = base_report(package, "f", "sim");
  add_check(report, package, made_outcome(true), false);
  CHECK(report.check.result == "match");
  CHECK(report.check.elements_compared == 6001);
  CHECK(report.check.tensors_compared == 6002);
  CHECK(report.check.elements_different == 0);
  CHECK_FALSE(report.check.first_difference);
  CHECK(report.check.folded.empty());
}

TEST_CASE("A mismatch tells its first difference, with the layer of the command that wrote it") {
  const package::Package package = made_package();
  report::Report report = base_report(package, "f", "sim");
  report.command_list.resize(3);
  report.command_list[2].unit = "vector_unit";
  report.command_list[2].start_cycle = 6009;
  add_check(report, package, made_outcome(false), true);
  CHECK(report.check.result == "mismatch");
  CHECK(report.check.elements_different == 6003);
  REQUIRE(report.check.first_difference);
  const report::FirstDifference& first = *report.check.first_difference;
  CHECK(first.tensor == "y");
  CHECK(first.coordinates == base::Shape{6004, 6005});
  CHECK(first.expected == 6006);
  CHECK(first.actual == 6007);
  CHECK(first.layer_idx == 1);
  CHECK(first.command_idx == 2);
  CHECK(first.cycle == 6008);
  CHECK(first.layer_name == package.layers[1].name);
  CHECK(first.operators == fmt::format("{}", fmt::join(package.layers[1].operators, ", ")));
  CHECK(first.unit == "vector_unit");
  CHECK(first.start_cycle == 6009);
  using Folded = std::vector<std::pair<std::string, std::string>>;
  CHECK(report.check.folded == Folded{{"t1", "constant"}, {"t2", "fused into CONV2D"}});

  check::Outcome unknown = made_outcome(false);
  unknown.first->origin = {-1, -1};
  add_check(report, package, unknown, false);
  CHECK(report.check.first_difference->layer_idx == -1);
  CHECK(report.check.first_difference->command_idx == -1);
}

}  // namespace
}  // namespace vernier::flow

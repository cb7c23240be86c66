// SPDX-License-Identifier: Apache-2.0
// What is said of commands of each kind: from their fields alone.
#include "hw/spec/latency.hpp"
#include "tests/unit/sim_explain/made_job.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::explain;
using spec::VectorOp;
using timing::Stall;
using units::Cause;

namespace {

/// A convolution on v256 with planes of 16 channels; `rows` x `columns` pixels out.
spec::MacCommand array_command(int64_t reduction, int64_t channels, int64_t rows = 4, int64_t columns = 16) {
  spec::MacCommand mac = support::pointwise(config::preset_config("v256", "test"), rows, columns, 0, 0, 0, 0);
  mac.in_channels = mac.reduction_end = reduction;
  mac.input.pixel_pitch_bytes = 16;
  mac.out_channels = channels;
  return mac;
}
spec::MacCommand depthwise(int64_t taps, int64_t channels, int64_t stride = 1) {
  spec::MacCommand mac = array_command(taps, channels);
  mac.mode = spec::MacMode::Depthwise;
  mac.stride_rows = mac.stride_columns = stride;
  return mac;
}

/// Of a layer of one command of the array that takes `busy` cycles.
std::string array_words(const spec::MacCommand& mac, int64_t busy) {
  return MadeJob().add(mac, busy).counts(Cause::Array, busy).words();
}

spec::VectorCommand vector_of(std::initializer_list<VectorOp> body, int64_t lanes, int64_t rows = 10) {
  spec::VectorCommand vector;
  vector.counts[4] = rows;
  vector.lanes = lanes;
  vector.streams.resize(1);
  for (const VectorOp op : body) {
    spec::VectorStep step;
    step.op = op;
    vector.steps.push_back(step);
  }
  return vector;
}
std::string vector_words_of(const spec::VectorCommand& vector) {
  return MadeJob().add(vector, 100).counts(Cause::VectorUnit, 100).words();
}

spec::Command copy_in_sram(int64_t runs, int64_t run_bytes) {
  spec::DmaCommand dma;
  dma.counts[4] = runs;
  dma.run_bytes = run_bytes;
  return {{spec::Queue::Dma0, 0, 0}, dma};
}
constexpr timing::Traffic kInSram{16, 16, 0, 0};

}  // namespace

TEST_CASE("The array: what it multiplies in vain") {
  CHECK(array_words(array_command(64, 64), 4 * 4 * 64) == "compute: rows fill 100 % of the array");
  CHECK(array_words(depthwise(9, 16), 64) == "compute: 9 of 16 taps");
  CHECK(array_words(depthwise(25, 16), 2 * 64) == "compute: 25 taps in 2 windows of 16");
  CHECK(array_words(array_command(16, 17), 2 * 64) == "compute: 17 output channels fill 2 blocks of 16");
  CHECK(array_words(array_command(16, 10), 64) == "compute: 10 output channels fill a block of 16");
  CHECK(array_words(array_command(16, 1), 64) == "compute: 1 output channel fills a block of 16");
  CHECK(array_words(array_command(27, 16), 2 * 64) == "compute: a reduction of 27 in 2 steps of 16");
  CHECK(array_words(array_command(8, 16), 64) == "compute: a reduction of 8 in a step of 16");
  CHECK(array_words(array_command(27, 20), 4 * 64) ==
        "compute: 20 output channels fill 2 blocks of 16, a reduction of 27 in 2 steps of 16");
}

TEST_CASE("The array: its stalls are no wasted multiplications") {
  MadeJob job;
  job.add(array_command(64, 64), 4 * 4 * 64).stalls(Stall::WeightLoad, 300).counts(Cause::Array, 4 * 4 * 64);
  CHECK(job.words() == "compute: rows fill 100 % of the array");
}

TEST_CASE("Of several commands the one that was longest in flight speaks, wherever it stands") {
  const spec::VectorCommand with_table = vector_of({VectorOp::Load, VectorOp::Table, VectorOp::Table, VectorOp::Store}, 160);
  const spec::VectorCommand adding = vector_of({VectorOp::Load, VectorOp::Add, VectorOp::Store}, 160);
  for (const auto& [first, second] : {std::pair(200, 100), std::pair(100, 200)}) {
    MadeJob job;
    job.add(with_table, first).add(adding, second).counts(Cause::VectorUnit, 300);
    CHECK(job.words() ==
          (first > second ? "vector: 2 table look-ups for each vector" : "vector: a vector of 16 elements per cycle"));
  }
}

TEST_CASE("The array: lanes that pixels share, wide operands, operands that take longer") {
  spec::MacCommand split = array_command(16, 8, 4, 5);
  split.lane_split_log2 = 1;
  CHECK(array_words(split, 4 * 3) == "compute: rows of 5 pixels fill 3 groups of 2");
  spec::MacCommand wide = array_command(16, 16);
  wide.input.type = base::ElementType::Int16;
  CHECK(array_words(wide, 2 * 64) == "compute: 16-bit activations take 2 passes");
  wide.weight_type = base::ElementType::Int16;
  CHECK(array_words(wide, 4 * 64) == "compute: 16-bit operands take 4 passes");
  CHECK(array_words(depthwise(16, 16, 2), 96) == "compute: a window at stride 2 takes 1.5 cycles");
  CHECK(array_words(depthwise(16, 16), 80) == "compute: a window takes 1.2 cycles");
  spec::MacCommand dense = array_command(48, 16);
  dense.in_channels = 4;
  dense.kernel_rows = 4;
  dense.kernel_columns = 3;
  dense.input.pixel_pitch_bytes = 4;
  CHECK(array_words(dense, 2 * 3 * 64) == "compute: operands in runs of 12 B take 2.0 cycles a row");
}

TEST_CASE("The array: a waste of less than one part in twenty is not named, the largest command speaks") {
  CHECK(array_words(array_command(63, 64), 4 * 4 * 64) == "compute: rows fill 98 % of the array");
  MadeJob job;
  job.add(array_command(16, 17), 128).add(array_command(16, 33), 192).counts(Cause::Array, 320);
  CHECK(job.words() == "compute: 17 output channels fill 2 blocks of 16");  // both waste 15; the first one
  job.add(array_command(16, 34, 8), 384);
  CHECK(job.words() == "compute: 34 output channels fill 3 blocks of 16");
}

TEST_CASE("The array: drains, weight tiles, banks, ports, its own rescales") {
  MadeJob drains;
  drains.add(array_command(16, 16), 10).add(array_command(16, 16), 10).counts(Cause::Epilogue, 50);
  CHECK(drains.words() == "compute: the last rows of 2 commands leave the array");
  const auto stalled = [](const spec::MacCommand& mac, Stall stall) {
    MadeJob job;
    job.layer().working_cycles = 10;
    job.layer().traffic = {601, 32, 0, 0};
    return job.add(mac, 10).counts(stall, 50).words();
  };
  CHECK(stalled(array_command(640, 128, 1, 1), Stall::WeightLoad) ==
        "sram: a weight tile takes 4 cycles to load and serves 1 row");
  CHECK(stalled(array_command(16, 128, 8, 16), Stall::WeightLoad) ==
        "sram: a weight tile takes 4 cycles to load and serves 128 rows");  // a single step keeps it
  spec::MacCommand narrow = array_command(640, 128, 1, 1);
  narrow.weight_type = base::ElementType::Int4;  // half the words, but four tile rows a cycle
  CHECK(stalled(narrow, Stall::WeightLoad) == "sram: a weight tile takes 4 cycles to load and serves 1 row");
  spec::MacCommand strided = array_command(64, 16);
  strided.stride_rows = 2;
  strided.input.row_pitch_bytes = 256;
  CHECK(stalled(strided, Stall::BankConflict) ==
        "sram: operands of one cycle in the same bank at stride 2: rows 256 B apart");
  CHECK(stalled(strided, Stall::PortContention) == "sram: SRAM ports: 60 of 64 B per cycle read, 3 of 32 written");
  spec::MacCommand residual = array_command(32, 16);
  residual.residual = true;
  CHECK(stalled(residual, Stall::RescaleContention) ==
        "vector: a row leaves in 4 cycles of the rescale unit, and is computed in 2 cycles");
  CHECK(stalled(residual, Stall::PipelineFill) == "control: pipelines fill for 50 of 50 cycles in 1 command");
}

TEST_CASE("The vector unit: the slot that is used most, lanes without an element") {
  using enum VectorOp;
  CHECK(vector_words_of(vector_of({Load, Add, Store}, 160)) == "vector: a vector of 16 elements per cycle");
  CHECK(vector_words_of(vector_of({Load, Load, Add, Store}, 160)) == "vector: 2 loads for each vector");
  CHECK(vector_words_of(vector_of({Load, Rescale, Mul, Rescale, Store}, 10)) ==
        "vector: 3 multiplications for each vector, 10 of 16 lanes");
  CHECK(vector_words_of(vector_of({Load, Table, Table, Store}, 20)) ==
        "vector: 2 table look-ups for each vector, 20 elements in 2 vectors of 16");
  CHECK(vector_words_of(vector_of({Load, IntDiv, Store}, 160)) ==
        fmt::format("vector: a division takes {} cycles", spec::kIntDivCycles));
  spec::VectorCommand wide = vector_of({Load, Wrap, Store}, 160);
  wide.streams[0].type = base::ElementType::Int48;
  CHECK(vector_words_of(wide) == "vector: 2 loads for each vector");

  spec::VectorCommand pool = vector_of({LoadMaximum}, 16, 49);
  pool.kept_loops = 4;
  CHECK(vector_words_of(pool) == "vector: 49 vectors for each result, two per cycle");
  spec::VectorCommand reduction = vector_of({Load, ReduceMax}, 16, 3);
  CHECK(vector_words_of(reduction) == "vector: 4 arithmetic steps for each vector, across the lanes");
  spec::VectorCommand finals = vector_of({LoadAdd, Mul, Mul, Mul, Store}, 16, 2);
  finals.kept_loops = 4;
  for (size_t i = 1; i < finals.steps.size(); ++i) finals.steps[i].phase = spec::VectorPhase::Final;
  CHECK(vector_words_of(finals) == "vector: 3 multiplications for each result");
  CHECK(MadeJob().add(vector_of({Load, Rescale, Store}, 16), 9).counts(Stall::RescaleContention, 9).words() ==
        "vector: its lanes serve the array's epilogue first");
  CHECK(MadeJob().add(vector_of({Load, Store}, 16), 9).counts(Stall::BankConflict, 9).words() ==
        "sram: vectors whose words lie in the same bank");
}

TEST_CASE("Copies inside SRAM") {
  const auto copies = [](const spec::Command& command, Cause cause) {
    return MadeJob().add(command, 50, 60, kInSram).counts(cause, 50).words();
  };
  CHECK(copies(copy_in_sram(1568, 4), Cause::DmaInSram) == "sram: 1,568 runs of 4 B copied, one per cycle");
  CHECK(copies(copy_in_sram(1, 4096), Cause::DmaInSram) == "sram: 4,096 B copied at 32 B per cycle");
  CHECK(copies(copy_in_sram(2, 64), Cause::WaitsForCopy) == "sram: waits for 128 B copied at 32 B per cycle");
  CHECK(copies(support::dma_fill(spec::Queue::Dma0, support::sram(0), 640, 0), Cause::DmaInSram) ==
        "sram: 640 B filled at 32 B per cycle");
  CHECK(copies(support::table_fill(spec::Queue::Dma0, 0, 0, base::ElementType::Int16, 1026), Cause::WaitsForCopy) ==
        "sram: waits for a table of 1,026 B, a word per cycle");
  spec::DmaCommand turn;
  turn.kind = spec::DmaKind::Transpose;
  turn.counts = {1, 1, 1, 3, 50176};
  CHECK(copies({{spec::Queue::Dma0, 0, 0}, turn}, Cause::DmaInSram) ==
        "sram: 150,528 elements of 1 B through the corner turner");
  CHECK(MadeJob().counts(Cause::WaitsForCopy, 9).words() ==
        "sram: waits for a copy of another layer, or for a table that is filled");
}

TEST_CASE("The outside: bandwidth, or a latency for each of many small transfers") {
  const auto outside = [](int64_t loads, int64_t loaded, int64_t stored, base::Ratio rate) {
    MadeJob job;
    job.config().external.bytes_per_cycle = rate;
    for (int64_t i = 0; i < loads; ++i) job.add(copy_in_sram(1, 64), 4, 104, {0, 64, loaded, 0});
    if (stored > 0) job.add(copy_in_sram(1, 64), 4, 104, {64, 0, 0, stored});
    return job.counts(Cause::WaitsForLoad, 200).words();
  };
  CHECK(outside(2, 4096, 0, 16) == "external: loads 8,192 B at 16 B per cycle");
  CHECK(outside(1, 4096, 3200, 16) == "external: loads 4,096 B, stores 3,200 B at 16 B per cycle");
  CHECK(outside(0, 0, 3200, {1, 125}) == "external: stores 3,200 B at 1/125 B per cycle");
  CHECK(outside(3, 64, 0, 16) == "external: loads 192 B in 3 transfers, each with a latency of 100 cycles");
  // Two latencies are 200 cycles: 198 and 200 of bandwidth.
  CHECK(outside(2, 1584, 0, 16) == "external: loads 3,168 B in 2 transfers, each with a latency of 100 cycles");
  CHECK(outside(2, 1600, 0, 16) == "external: loads 3,200 B at 16 B per cycle");
  CHECK(outside(0, 0, 0, 16) == "external: waits for a load of another layer");
  CHECK(MadeJob().add(copy_in_sram(1, 64), 4, 104, {64, 0, 0, 6400}).counts(Stall::ExternalMemory, 100).words() ==
        "external: stores 6,400 B at 16 B per cycle");
}

TEST_CASE("The bound that comes next is named from a fifth of the cycles on") {
  const auto with = [](int64_t waits) {
    return MadeJob().add(depthwise(9, 16), 64).counts(Cause::Array, 64).counts(Cause::WaitsForLoad, waits).words();
  };
  CHECK(with(15) == "compute: 9 of 16 taps");
  CHECK(with(16) == "compute: 9 of 16 taps, 20 % of its cycles external");
  spec::MacCommand pointwise = array_command(16, 16);
  pointwise.rescale = pointwise.residual = true;
  CHECK(MadeJob().add(pointwise, 64).counts(Cause::Array, 64).counts(Stall::RescaleContention, 60).words() ==
        "compute: rows fill 100 % of the array, 48 % of its cycles vector: a row leaves in 4 cycles of the rescale unit, "
        "and is "
        "computed in 1 cycle");
  CHECK(MadeJob().counts(Cause::NothingAtWork, 5).words() == "control: its commands are issued, tokens are on their way");
}

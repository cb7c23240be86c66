// SPDX-License-Identifier: Apache-2.0
#include "sim/explain/data_use.hpp"

#include "tests/support/stream_assembler.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::explain;
using namespace vernier::support;

namespace vernier::explain {
static std::ostream& operator<<(std::ostream& out, const BytesInUse& use) { return out << use.cycle << ": " << use.bytes; }
static std::ostream& operator<<(std::ostream& out, const DataSource& source) {
  return out << source.bytes << " of " << source.writer_idx;
}
}  // namespace vernier::explain

namespace {

/// Commands with the cycles in which they ran; the stream lies outside, so that only data is in SRAM.
class Job {
 public:
  Job& add(const spec::Command& command, units::Work work, int64_t start_cycle, int64_t end_cycle) {
    stream_.add(command);
    units::CommandRecord record;
    record.queue = command.header.queue;
    record.work = work;
    record.start_cycle = start_cycle;
    record.end_cycle = end_cycle;
    job_.commands.push_back(record);
    job_.cycles = std::max(job_.cycles, end_cycle);
    return *this;
  }
  Job& load(int64_t to, int64_t bytes, int64_t start_cycle, int64_t end_cycle) {
    return add(dma_copy(Queue::Dma0, external(0), sram(to), bytes), units::Work::Load, start_cycle, end_cycle);
  }
  Job& store(int64_t from, int64_t bytes, int64_t start_cycle, int64_t end_cycle) {
    return add(dma_copy(Queue::Dma1, sram(from), external(4096), bytes), units::Work::Store, start_cycle, end_cycle);
  }
  Job& vector(int64_t from, int64_t to, int64_t bytes, int64_t start_cycle, int64_t end_cycle) {
    return add(vector_add(from, to, bytes, 1), units::Work::Vector, start_cycle, end_cycle);
  }
  /// The network's output, or an input, as a row of bytes in SRAM.
  Job& tensor(int64_t at, int64_t bytes, bool is_output) {
    package::Package& package = stream_.package();
    (is_output ? package.outputs : package.inputs).push_back(static_cast<int32_t>(package.tensors.size()));
    package.tensors.push_back({"t", base::ElementType::Int8, {bytes}, {sram(at), {}, 1, 1}});
    return *this;
  }
  package::Package& package() { return stream_.package(); }
  soc::JobResult& job() { return job_; }
  DataUse use() {
    stream_.package().stream_address = external(1 << 20);
    return data_use_of(stream_.package(), job_);
  }

 private:
  StreamAssembler stream_{config::preset_config("v256", "test")};
  soc::JobResult job_;
};

using Uses = std::vector<BytesInUse>;
using Sources = std::vector<DataSource>;

}  // namespace

TEST_CASE("Bytes are in use from the start of who writes them to the end of who reads them last") {
  Job job;
  job.load(0, 64, 10, 20).vector(0, 1000, 48, 25, 40).vector(16, 2000, 16, 42, 50).store(1000, 48, 45, 80);
  const DataUse use = job.use();
  // 64 from 10; 48 more from 25; at 40 the 48 of the first command that nobody reads again go (16 stay to 50: bytes 16..31);
  // what command 2 writes and nobody reads is in use while it is written.
  CHECK(use.sram == Uses{{0, 0}, {10, 64}, {20, 48}, {25, 96}, {40, 64}, {42, 80}, {50, 48}, {80, 0}});
  CHECK(use.sources == std::vector<Sources>{{}, {{0, 48}}, {{0, 16}}, {{1, 48}}});
}

TEST_CASE("In-place work holds a byte once, and the next reader reads what was written last") {
  Job job;
  job.load(0, 64, 0, 10).vector(0, 0, 64, 15, 30).vector(0, 0, 32, 35, 50).store(0, 64, 55, 60);
  const DataUse use = job.use();
  CHECK(use.sram == Uses{{0, 64}, {60, 0}});
  CHECK(use.sources == std::vector<Sources>{{}, {{0, 64}}, {{1, 32}}, {{1, 32}, {2, 32}}});
}

TEST_CASE("Inputs and the image are there from cycle 0, outputs to the end, and what no command wrote has no source") {
  Job job;
  job.tensor(0, 64, false).tensor(200, 64, true).vector(0, 200, 64, 10, 20).vector(0, 300, 8, 30, 40);
  job.package().image = {{sram(500), std::vector<std::byte>(10)}, {external(7), std::vector<std::byte>(99)}};
  job.job().cycles = 100;
  const DataUse use = job.use();
  // The image's ten bytes are read by nobody: they take place, and are not in use.
  CHECK(use.sram == Uses{{0, 64}, {10, 128}, {20, 72}, {30, 80}, {40, 64}, {100, 0}});
  CHECK(use.sources == std::vector<Sources>{{}, {}});
}

TEST_CASE("Data that goes through external memory has its writer, too") {
  Job job;
  job.vector(0, 100, 64, 0, 10).store(100, 64, 15, 30);
  job.add(dma_copy(Queue::Dma0, external(4096 + 32), sram(900), 64), units::Work::Load, 40, 60);
  CHECK(job.use().sources == std::vector<Sources>{{}, {{0, 64}}, {{1, 32}}});
}

TEST_CASE("A command that was in flight when the machine stopped reads until then, and writes nothing") {
  Job job;
  job.load(0, 64, 0, 10).vector(0, 100, 64, 20, -1);
  job.job().cycles = 33;
  CHECK(job.use().sram == Uses{{0, 64}, {33, 0}});
}

TEST_CASE("A stream in SRAM is in use until its last command is dispatched") {
  Job job;
  job.load(0, 16, 5, 10);
  job.job().commands.back().dispatch_cycle = 3;
  package::Package& package = job.package();
  const auto bytes = static_cast<int64_t>(package.stream.size());
  const DataUse use = data_use_of(package, job.job());
  CHECK(use.sram == Uses{{0, bytes}, {3, 0}, {5, 16}, {10, 0}});
}

TEST_CASE("A tensor in planes: whole blocks of channels, and a shorter last one") {
  Job job;
  package::Package& package = job.package();
  package.outputs = {0};
  // 2 x 3 pixels of 20 channels, planes of 16: 96 bytes in the first plane, 4 of each pixel of the second.
  package.tensors = {{"t", base::ElementType::Int8, {2, 3, 20}, {sram(0), {48, 16}, 16, 1000}}};
  job.load(0, 96, 0, 10).load(1000, 96, 0, 10);
  job.job().cycles = 50;
  CHECK(job.use().sram == Uses{{0, 192}, {10, 120}, {50, 0}});
}

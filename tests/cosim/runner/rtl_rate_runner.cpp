// SPDX-License-Identifier: Apache-2.0
// rtl_rate_runner UNIT FILE.vnpu: how fast mac_array or datapath co-simulates. Each MAC command of the package runs from
// idle at the ideal pace and is compared; random bytes are in the maps that no command has written. Prints the cycles of the
// block and the seconds of CPU time of the same sequences. Exit code 3 for a mismatch, 2 for anything else that is wrong.
#include "hw/base/file.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/package.hpp"
#include "sim/cosim/lockstep/array_lock_step.hpp"
#include "sim/cosim/network/cosim.hpp"
#include "sim/cosim/replay/sampled_command.hpp"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <span>

namespace {

using namespace vernier;
constexpr int kBadInput = 2, kMismatch = 3;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

int run(std::string_view unit, const std::filesystem::path& file) {
  const package::Package package = package::from_bytes(file.string(), base::read_file(file));
  const spec::Datapath datapath = package.config.datapath;
  const auto lanes = static_cast<int>(datapath.lanes);
  const spec::RtlBlock* description = spec::rtl_block_of_unit(unit);
  cosim::ClockedBlock block(cosim::make_unit(unit, lanes), *description, lanes);
  cosim::ArrayLockStep lock_step(block, datapath);
  cosim::Random random(1);
  std::vector<std::byte> sram(static_cast<size_t>(package.sram_peak_bytes));
  for (std::byte& byte : sram) byte = static_cast<std::byte>(random.bits() >> 23);
  for (const package::Segment& segment : package.image) {
    if (segment.address.space != base::MemorySpace::Sram) continue;
    std::ranges::copy(segment.bytes, sram.begin() + static_cast<int64_t>(segment.address.offset));
  }
  int64_t cycles = 0;
  double seconds = 0;
  for (std::span<const std::byte> stream = package.stream; !stream.empty();) {
    const package::Decoded decoded = package::decode(stream);
    stream = stream.subspan(static_cast<size_t>(decoded.length_bytes));
    const auto* m = std::get_if<spec::MacCommand>(&decoded.command.body);
    if (m == nullptr) continue;
    cosim::Sequence sequence{.works = {cosim::sample_command(*m, datapath, sram)}};
    const int64_t first_cycle = block.cycle();
    const double start = cpu_seconds();
    lock_step.run_sequence(std::move(sequence));
    seconds += cpu_seconds() - start;
    cycles += block.cycle() - first_cycle;
  }
  fmt::print("{} {:.3f}\n", cycles, seconds);
  for (const cosim::Mismatch& mismatch : lock_step.result().first_mismatches) fmt::print(stderr, "{}\n", mismatch.print());
  return lock_step.result().mismatches == 0 ? 0 : kMismatch;
}

}  // namespace

// SystemC's library, which is among what is linked, asks for it.
extern "C" int sc_main(int /*argc*/, char** /*argv*/) { return 0; }

int main(int argc, char** argv) {
  const std::span arguments(argv, static_cast<size_t>(argc));
  if (arguments.size() != 3) return kBadInput;
  try {
    return run(arguments[1], arguments[2]);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rtl_rate_runner: {}\n", error.what());
    return kBadInput;
  }
}

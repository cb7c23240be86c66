// SPDX-License-Identifier: Apache-2.0
#include "sim/soc/kept.hpp"

#include "tests/unit/sim_soc/machine_fixture.hpp"

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;

namespace {

/// With a clock that no other test has.
config::MachineConfig own_machine(int64_t clock_hz) {
  config::MachineConfig config = v256();
  config.clock_hz = clock_hz;
  return config;
}

const Npu* place_of_kept(const config::MachineConfig& config, Control control = Control::Direct) {
  KeptNpu npu(config, control);
  npu.keep();
  return &npu.machine();
}

}  // namespace

TEST_CASE("A machine that is kept is the next one of its configuration, and of its control") {
  const config::MachineConfig one = own_machine(1001), other = own_machine(1002);
  const Npu* first = place_of_kept(one);
  CHECK(place_of_kept(other) != first);
  CHECK(place_of_kept(one, Control::Cpu) != first);
  CHECK(place_of_kept(one) == first);
}

TEST_CASE("A machine belongs to one holder at a time") {
  const config::MachineConfig config = own_machine(1003);
  const Npu* first = place_of_kept(config);
  KeptNpu holder(config), other(config);
  CHECK(&holder.machine() == first);
  CHECK(&other.machine() != first);
}

TEST_CASE("A machine that is kept gives the next job what a new one gives it") {
  const config::MachineConfig config = own_machine(1003);
  StreamAssembler stream(config);
  stream.ramp(external(0), 64, 5).add(dma_copy(Queue::Dma0, external(0), sram(0x100), 64)).end();
  const JobResult anew = run(stream);
  for (int i = 0; i < 3; ++i) {
    KeptNpu npu(config);
    const JobResult again = run(npu.machine(), stream);
    npu.keep();
    require_done(again);
    CHECK(again.cycles == anew.cycles);
  }
}

TEST_CASE("The machine that was used longest ago is let go first") {
  config::MachineConfig config = v256();
  const auto nth = [&](size_t i) {
    config.clock_hz = static_cast<int64_t>(1'000'000 + i);
    return place_of_kept(config);
  };
  std::vector<const Npu*> places;
  for (size_t i = 0; i < kMostKept; ++i) places.push_back(nth(i));
  CHECK(nth(1) == places[1]);
  CHECK(nth(kMostKept - 1) == places[kMostKept - 1]);
  nth(kMostKept);  // the first of them goes
  CHECK(nth(1) == places[1]);
  CHECK(nth(2) == places[2]);
}

TEST_CASE("A device that is kept is as a new one, also after a job that was cancelled on its way") {
  const config::MachineConfig config = own_machine(1004);
  StreamAssembler stream(config);
  stream.ramp(external(0), 64, 5).add(dma_copy(Queue::Dma0, external(0), sram(0x100), 64)).end();
  std::vector<int64_t> courses;
  const Device* first = nullptr;
  for (int i = 0; i < 3; ++i) {
    KeptDevice kept(config);
    Device& device = kept.machine();
    if (i == 0) first = &device;
    CHECK(&device == first);
    CHECK(device.now() == 0);
    CHECK(device.read_register("ENDED_JOB") == 0);
    JobRequest request;
    request.network = device.load(stream.package());
    const int32_t job = device.submit(request);
    device.run_until_idle();
    courses.push_back(device.job(job).end_cycle);
    const int32_t cancelled = device.submit(request);
    device.run_for(5);
    CHECK(device.cancel(cancelled));
    kept.keep();
  }
  CHECK(courses == std::vector<int64_t>(3, courses[0]));
}

TEST_CASE("A device that was switched off and on is as a new one, whatever ran before") {
  StreamAssembler good(v256()), bad(v256());
  good.ramp(external(0), 64, 5).add(dma_copy(Queue::Dma0, external(0), sram(0x100), 64)).end();
  bad.add(dma_copy(Queue::Dma1, sram(512), sram(1024), 64)).end();  // it reads what nobody has written
  for (const Control control : {Control::Direct, Control::Cpu}) {
    Device device(v256(), {.control = control});
    const auto course = [&](StreamAssembler& stream) {
      JobRequest request;
      request.network = device.load(stream.package());
      const int32_t job = device.submit(std::move(request));
      device.run_until_idle();
      return std::vector<int64_t>{static_cast<int64_t>(device.job(job).outcome),
                                  device.job(job).start_cycle,
                                  device.job(job).told_cycle,
                                  device.now(),
                                  device.read_register("JOB"),
                                  device.read_register("ENDED_CYCLES_LOW")};
    };
    const std::vector<int64_t> first = course(good);
    CHECK(course(bad)[0] == static_cast<int64_t>(spec::JobOutcome::Fault));
    device.power_on();
    CHECK_FALSE(device.has_network(1));
    CHECK(device.read_register("ENDED_JOB") == 0);
    CHECK(course(good) == first);
  }
}

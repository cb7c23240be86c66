// SPDX-License-Identifier: Apache-2.0
// The machine's own walk over the steps of a job: firmware that starts another stream, or tells another end, is found.
#include "sim/soc/flow_job.hpp"

#include "sim/mem/plain_memory.hpp"
#include "tests/unit/sim_soc/flow_network.hpp"

using namespace vernier;
using namespace vernier::soc;
using namespace vernier::support;
using Catch::Matchers::Contains;

namespace {

/// Memory of a test: one for both spaces.
class FlowMemory : public mem::PlainMemory {
 public:
  FlowMemory() : PlainMemory(storage_) {}
  void put(base::Address at, int value) {
    const auto byte = static_cast<std::byte>(value);
    write(static_cast<int64_t>(at.offset), std::span(&byte, 1));
  }

 private:
  mem::Storage storage_{0x1'0000};
};

/// Load; then a loop of add and count down; then store. Rows of the table: 0, 1 (while), 2, 3, 4 (jump), 5; 6 is its end.
FlowNetwork followed_network() {
  FlowNetwork network;
  network.load().loop().while_not_zero(counter(0));
  network.add(1).count_down(0).end();
  network.store().most_commands(9);
  return network;
}

struct FollowedJob {
  FollowedJob() { memory.put(counter(0), 1); }
  std::string start(size_t stream) {
    const package::StreamPart& part = network.package().flow.streams.at(stream);
    base::Address at = network.package().stream_address;
    at.offset += static_cast<uint64_t>(part.begin_byte);
    return job.starting(both, at, part.num_bytes, 7);
  }
  void end(int64_t num_commands = 2, JobStatus status = Done{}) {
    JobResult result;
    result.status = std::move(status);
    result.num_commands = num_commands;
    job.ended(std::move(result));
  }
  std::string told(spec::JobOutcome outcome, uint32_t step, uint32_t num_commands) {
    ControlPath::Completion completion;
    completion.outcome = outcome;
    completion.step = step;
    completion.num_commands = num_commands;
    return job.wrong_end(both, completion);
  }

  FlowNetwork network = followed_network();
  FlowMemory memory;
  JobMemory both{&memory, &memory};
  FlowJob job{network.package()};
};

constexpr size_t kLoad = 0, kStore = 1, kAdd = 2, kCountDown = 3;  // streams of FlowNetwork

}  // namespace

TEST_CASE("Steps of a job: only the stream that they say may start") {
  FollowedJob followed;
  CHECK_THAT(followed.start(kStore), Contains("the firmware starts") && Contains("step 0 has"));
  FollowedJob again;
  CHECK(again.start(kLoad).empty());
  again.end(1);
  CHECK(again.start(kAdd).empty());
  again.end(1);
  CHECK(again.start(kCountDown).empty());
  again.end(1);
  again.memory.put(counter(0), 0);
  CHECK(again.start(kStore).empty());
  again.end(1);
  CHECK_THAT(again.start(kStore), Contains("the steps are at their end"));
  FollowedJob zero;
  zero.memory.put(counter(0), 0);
  CHECK(zero.start(kLoad).empty());
  zero.end();
  CHECK_THAT(zero.start(kAdd), Contains("step 6 has"));
}

TEST_CASE("Steps of a job: a stream of another length is another one, and none starts after the limit") {
  FollowedJob followed;
  const package::StreamPart& part = followed.network.package().flow.streams.at(kLoad);
  CHECK_THAT(followed.job.starting(followed.both, followed.network.package().stream_address, part.num_bytes - 16, 0),
             Contains("the firmware starts"));
  FollowedJob limited;
  CHECK(limited.start(kLoad).empty());
  limited.end(9);
  CHECK_THAT(limited.start(kAdd), Contains("starts a stream after 9 commands, allowed are 9"));
}

TEST_CASE("Steps of a job: the end that the firmware tells has to be theirs") {
  using Outcome = spec::JobOutcome;
  FollowedJob followed;
  REQUIRE(followed.start(kLoad).empty());
  followed.end(2);
  CHECK_THAT(followed.told(Outcome::Done, 6, 2), Contains("tells outcome 1 after 2 commands, and step 3 is next"));
  CHECK_THAT(followed.told(Outcome::LimitReached, 2, 2), Contains("tells outcome 7 after 2 commands, and step 3 is next"));
  CHECK(followed.told(Outcome::Cancelled, 2, 2).empty());
  CHECK(followed.told(Outcome::TimedOut, 2, 2).empty());
  CHECK_THAT(followed.told(Outcome::Refused, 2, 2), Contains("tells outcome 4"));
  CHECK_THAT(followed.told(Outcome::Cancelled, 0, 2), Contains("tells step 0"));
  REQUIRE(followed.start(kAdd).empty());
  followed.end(7);
  CHECK(followed.told(Outcome::LimitReached, 3, 9).empty());
  CHECK_THAT(followed.told(Outcome::Done, 6, 9), Contains("which are all that are allowed"));
  CHECK_THAT(followed.told(Outcome::LimitReached, 2, 9),
             Contains("tells step 2 after 9 commands, the machine is at 3 after 9"));
  CHECK_THAT(followed.told(Outcome::LimitReached, 3, 8), Contains("tells step 3 after 8 commands"));
  const JobResult over = followed.job.take_result(Outcome::LimitReached);
  CHECK(std::get<LimitReached>(over.status).most_commands == 9);
  REQUIRE(over.streams.size() == 2);
  CHECK(over.streams[1].wait_cycles == 7);

  FollowedJob whole;
  whole.memory.put(counter(0), 0);
  REQUIRE(whole.start(kLoad).empty());
  whole.end(2);
  REQUIRE(whole.start(kStore).empty());
  whole.end(2);
  CHECK(whole.told(Outcome::Done, 6, 4).empty());
  CHECK_THAT(whole.told(Outcome::Cancelled, 6, 4), Contains("and the steps are at their end"));
  CHECK_THAT(whole.told(Outcome::LimitReached, 6, 4), Contains("and the steps are at their end"));
  CHECK_THAT(whole.told(Outcome::Done, 5, 4), Contains("tells step 5 after 4 commands, the machine is at 6"));

  FollowedJob faulty;
  REQUIRE(faulty.start(kLoad).empty());
  faulty.end(2);
  REQUIRE(faulty.start(kAdd).empty());
  faulty.end(1, Fault{spec::FaultCode::Hazard, "detail", 0, 16});
  CHECK(faulty.told(Outcome::Fault, 2, 3).empty());
  CHECK_THAT(faulty.told(Outcome::Fault, 3, 3), Contains("tells step 3 after 3 commands, the machine is at 2"));
  const JobResult result = faulty.job.take_result(Outcome::Fault);
  CHECK(std::get<Fault>(result.status).command_idx == faulty.network.package().flow.streams.at(kAdd).first_command);
  CHECK(std::get<Fault>(result.status).detail == "stream 2 in step 3, run 1 of the job: detail");
}

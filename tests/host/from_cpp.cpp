// SPDX-License-Identifier: Apache-2.0
// The C interface from C++: two devices in one process, used by two threads at once, and a pipeline of jobs that arrive over
// time.
#include "sim/host/vernier.h"

#include <cstdio>
#include <string>
#include <thread>
#include <vector>

namespace {

int num_failures = 0;

void check(bool is_right, int line, const char* what) {
  if (is_right) return;
  ++num_failures;
  std::fprintf(stderr, "line %d: %s; message: %s\n", line, what, vernier_message());
}
#define CHECK(condition) check(condition, __LINE__, #condition)

/// Cycles at which each of `count` jobs was told, with arrivals every `period` cycles.
std::vector<int64_t> run_pipeline(const char* package, int32_t control, int32_t count, int64_t period) {
  const vernier_options options{"v256", control, nullptr, nullptr, nullptr};
  vernier_device* device = nullptr;
  int32_t network = 0;
  vernier_tensor input{};
  CHECK(vernier_open(&options, &device) == VERNIER_OK);
  CHECK(vernier_load(device, package, &network) == VERNIER_OK);
  CHECK(vernier_tensor_info(device, network, VERNIER_INPUT, 0, &input) == VERNIER_OK);
  const std::vector<signed char> pixels(input.num_bytes, 5);
  const vernier_buffer buffer{pixels.data(), pixels.size()};
  int64_t now = 0;
  CHECK(vernier_cycles(device, &now) == VERNIER_OK);
  std::vector<int32_t> jobs(static_cast<size_t>(count));
  for (int32_t i = 0; i < count; ++i) {
    const vernier_request request{&buffer, 1, 0, now + i * period, 0, 0};
    CHECK(vernier_submit(device, network, &request, &jobs[static_cast<size_t>(i)]) == VERNIER_OK);
  }
  std::vector<int64_t> told;
  for (const int32_t job : jobs) {
    vernier_job info{};
    CHECK(vernier_wait(device, job, -1) == VERNIER_OK);
    CHECK(vernier_job_info(device, job, &info) == VERNIER_OK);
    CHECK(info.outcome == VERNIER_JOB_DONE);
    told.push_back(info.told_cycle - now);
    CHECK(vernier_release(device, job) == VERNIER_OK);
  }
  CHECK(vernier_close(device) == VERNIER_OK);
  return told;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const char* const package = argv[1];
  const std::vector<int64_t> alone = run_pipeline(package, VERNIER_CONTROL_CPU, 5, 10'000);
  // Far apart, each takes as long as the others (the first comes while the firmware has not gone to sleep yet); close
  // together they queue.
  for (size_t i = 1; i < alone.size(); ++i) CHECK(alone[i] - static_cast<int64_t>(i) * 10'000 == alone[1] - 10'000);
  const std::vector<int64_t> queued = run_pipeline(package, VERNIER_CONTROL_CPU, 5, 1);
  CHECK(queued[4] > 4 * (alone[0] - 2000));
  CHECK(queued[4] < alone[4]);
  std::vector<int64_t> first, second;
  std::thread one([&] { first = run_pipeline(package, VERNIER_CONTROL_CPU, 5, 10'000); });
  std::thread other([&] { second = run_pipeline(package, VERNIER_CONTROL_DIRECT, 5, 10'000); });
  one.join();
  other.join();
  CHECK(first == alone);
  CHECK(second.size() == alone.size() && second[0] < alone[0]);
  return num_failures == 0 ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0
// What it costs that a machine can be watched: bench_observer MODEL [JOBS]. Prints the time of a job that nobody watches, of
// one that is recorded, and how much of the former the signals are that nobody hears.
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/soc/npu.hpp"
#include "sim/waves/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>

using namespace vernier;

namespace {

/// Counts what it is told.
class Counter : public kit::SignalObserver {
 public:
  void changed(kit::SignalId /*signal*/, int64_t /*cycle*/, int64_t /*value*/) override { ++told_; }
  void moved(kit::SignalId /*signal*/, int64_t /*start*/, int64_t /*end*/, int64_t /*amount*/) override { ++told_; }
  void handed_over(kit::SignalId /*signal*/, const kit::Handover& /*handover*/) override { ++told_; }
  [[nodiscard]] int64_t told() const { return told_; }

 private:
  int64_t told_ = 0;
};

/// The least of several times, in seconds.
template <typename Work>
double least_seconds(int64_t times, const Work& work) {
  double least = 1e9;
  for (int64_t i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return least;
}

void measure(const std::string& file, int64_t jobs) {
  const flow::MachineOptions machine;
  const flow::Model model = flow::load_model(file, machine);
  const package::Package package = flow::package_of(model, machine);
  const std::vector<base::Tensor> inputs = flow::zero_inputs(flow::ends_of(package).inputs);
  soc::Npu npu(package.config);
  soc::JobOptions options;
  options.values = false;  // cycles alone: what a signal costs is most of all there
  const double unwatched = least_seconds(jobs, [&] { (void)npu.run(package, inputs, options); });

  Counter counter;
  options.watcher = &counter;
  (void)npu.run(package, inputs, options);
  const double recorded = least_seconds(jobs, [&] {
    waves::Recording recording;
    options.watcher = &recording;
    (void)npu.run(package, inputs, options);
  });

  kit::Signals unheard;
  const kit::SignalId signal = unheard.declare({"bench", "signal"});
  const double silent = least_seconds(jobs, [&] {
    for (int64_t i = 0; i < counter.told(); ++i) {
      unheard.change(signal, i, i);
      asm volatile("" : : "r"(&unheard) : "memory");  // the test is made anew each time
    }
  });
  fmt::print("{}: a job without values takes {:.3f} ms, recorded {:.3f} ms; its {} signals, unheard, {:.4f} ms: {:.2f} %\n",
             file, unwatched * 1e3, recorded * 1e3, counter.told(), silent * 1e3, 100 * silent / unwatched);
}

}  // namespace

extern "C" int sc_main(int argc, char** argv) {
  try {
    if (argc < 2) {
      fmt::print(stderr, "usage: {} MODEL [JOBS]\n", argv[0]);
      return 2;
    }
    measure(argv[1], argc > 2 ? std::max<int64_t>(std::atoll(argv[2]), 1) : 20);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 2;
  }
}

// SPDX-License-Identifier: Apache-2.0
// A job that goes on as far as it is told, and what stands in the machine then.
//
// Cycles are those of the job, from 0 on, as a report has them. At cycle C everything of C and before has happened. The
// machine runs once without values first, so that it is known when each command starts and ends.
#pragma once

#include "sim/flow/look/memory_dump.hpp"
#include "sim/flow/model/inputs.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/flow/run/failure.hpp"
#include "sim/soc/kept.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::flow {

struct SessionRequest {
  std::shared_ptr<const Model> model{};                // of load_model()
  std::shared_ptr<const package::Package> compiled{};  // of package_of()
  InputArrays arrays{};                                // none: drawn from the seed
  uint64_t seed = 1;
};

/// Commands of one queue, by index in the stream, at a cycle.
struct QueueState {
  std::string_view name;           // of spec::kQueueNames
  std::optional<int64_t> running;  // starts at the cycle or before, and ends after it
  std::vector<int64_t> waiting;    // dispatched, in order
};

struct RegisterValue {
  std::string_view name;
  uint32_t value = 0;
};

class Session {
 public:
  /// UserError for a package with control flow, whose cycles depend on values, and for inputs that do not fit.
  explicit Session(const SessionRequest& request);
  /// The machine is kept for the next session of its configuration.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Why there is nothing to look at: the machine stops or hangs. The rest is not to be called then.
  [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

  [[nodiscard]] int64_t cycle() const { return cycle_; }
  [[nodiscard]] int64_t cycles() const { return timed_.cycles; }  // of the whole job
  [[nodiscard]] int64_t num_commands() const { return static_cast<int64_t>(timed_.commands.size()); }
  [[nodiscard]] bool has_ended() const { return cycle_ >= timed_.cycles; }

  // UserError for a cycle that is before the present one or beyond the end, and a command or a layer that there is not or
  // that is over.
  void run_to_cycle(int64_t cycle);
  void run_to_command(int64_t command_idx);     // it has ended
  void run_to_layer(const std::string& layer);  // its first command starts; by name, shortened name or number
  void run_to_end() { run_to_cycle(timed_.cycles); }
  /// Until the next command ends: its index. Of several that end in one cycle, the first. None: all have ended.
  std::optional<int64_t> step();
  /// The same job from its beginning to that cycle, which may be before the present one.
  void restore(int64_t cycle);

  /// Bytes as they are now. UserError where they do not lie in what the program has of the memory.
  [[nodiscard]] std::vector<std::byte> read(base::MemorySpace space, int64_t offset, int64_t num_bytes) const;
  /// What the program has of the memory, in bytes.
  [[nodiscard]] int64_t memory_bytes(base::MemorySpace space) const;
  /// The sums of the command that is on the array: after its last product (D-022). UserError where none is there.
  [[nodiscard]] DumpedTensor accumulators() const;
  [[nodiscard]] std::vector<RegisterValue> registers() const;
  [[nodiscard]] std::vector<QueueState> queues() const;
  /// Of a job that has ended.
  [[nodiscard]] const std::vector<base::Tensor>& outputs() const;
  [[nodiscard]] std::vector<End> output_ends() const { return ends_of(*package_).outputs; }

 private:
  void begin();
  void end_job();

  std::shared_ptr<const package::Package> package_;
  std::vector<base::Tensor> inputs_;
  soc::JobResult timed_;  // the job without values
  std::optional<Failure> failure_;
  std::optional<soc::KeptDevice> device_;
  int32_t network_ = 0, job_ = 0;
  int64_t cycle_ = 0;
};

}  // namespace vernier::flow

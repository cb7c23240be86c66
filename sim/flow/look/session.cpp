// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/look/session.hpp"

#include "hw/base/error.hpp"
#include "hw/spec/registers.hpp"
#include "sim/flow/look/accumulator_dump.hpp"
#include "sim/flow/model/ends.hpp"
#include "sim/flow/model/layer_choice.hpp"
#include "sim/flow/model/timed_job.hpp"

#include <algorithm>
#include <utility>

namespace vernier::flow {

Session::Session(const SessionRequest& request)
    : package_(request.compiled),
      inputs_(make_inputs(ends_of(*request.compiled).inputs, {}, request.seed, request.model->open_inputs, request.arrays)) {
  const std::string& file = request.model->file;
  if (!package_->flow.steps.empty())
    throw base::UserError(file, "has control flow, whose cycles depend on values; allowed in a session is one stream");
  timed_ = timed_job(*package_);
  if (!timed_.is_done()) {
    failure_ = Failure{file, MachineFailure{timed_.status, timed_.cycles}};
    return;
  }
  begin();
}

Session::~Session() {
  if (!device_) return;
  end_job();
  device_->keep();
}

void Session::begin() {
  if (device_) {
    end_job();
    device_->machine().power_on();
  } else {
    device_.emplace(package_->config);
  }
  soc::Device& device = device_->machine();
  network_ = device.load(*package_);
  soc::JobRequest job;
  job.network = network_;
  job.inputs = inputs_;
  job_ = device.submit(std::move(job));
  cycle_ = 0;
  device.run_for(1);  // cycle 0, and so always one more than have passed
}

void Session::end_job() { device_->machine().cancel(job_); }

void Session::run_to_cycle(int64_t cycle) {
  if (cycle < cycle_ || cycle > timed_.cycles)
    throw base::UserError("cycle", "found {}, expected {} to {}; restore goes back", cycle, cycle_, timed_.cycles);
  device_->machine().run_for(cycle - cycle_);
  cycle_ = cycle;
}

void Session::run_to_command(int64_t command_idx) {
  if (command_idx < 0 || command_idx >= num_commands())
    throw base::UserError("command", "found {}, expected 0 to {}", command_idx, num_commands() - 1);
  const int64_t end_cycle = timed_.commands[static_cast<int32_t>(command_idx)].end_cycle;
  if (end_cycle < cycle_)
    throw base::UserError("command", "{} has ended in cycle {}, and it is cycle {}; restore goes back", command_idx,
                          end_cycle, cycle_);
  run_to_cycle(end_cycle);
}

void Session::run_to_layer(const std::string& layer) {
  const auto layer_idx = static_cast<int32_t>(choose_layer("layer", layer, *package_));
  std::optional<int64_t> start_cycle;
  for (const units::CommandRecord& command : timed_.commands) {
    if (command.layer_idx == layer_idx && command.start_cycle >= 0)
      start_cycle = std::min(start_cycle.value_or(command.start_cycle), command.start_cycle);
  }
  if (!start_cycle) throw base::UserError("layer", "'{}' has no command of its own", layer);
  if (*start_cycle < cycle_)
    throw base::UserError("layer", "'{}' has begun in cycle {}, and it is cycle {}; restore goes back", layer, *start_cycle,
                          cycle_);
  run_to_cycle(*start_cycle);
}

std::optional<int64_t> Session::step() {
  std::optional<int64_t> next;
  const auto end_of = [&](int64_t idx) { return timed_.commands[static_cast<int32_t>(idx)].end_cycle; };
  for (int64_t i = 0; i < num_commands(); ++i) {
    if (end_of(i) > cycle_ && (!next || end_of(i) < end_of(*next))) next = i;
  }
  if (next) run_to_cycle(end_of(*next));
  return next;
}

void Session::restore(int64_t cycle) {
  if (cycle < 0 || cycle > timed_.cycles) throw base::UserError("cycle", "found {}, expected 0 to {}", cycle, timed_.cycles);
  begin();
  run_to_cycle(cycle);
}

int64_t Session::memory_bytes(base::MemorySpace space) const {
  const soc::NetworkPlace place = device_->machine().place(network_);
  return space == base::MemorySpace::Sram ? place.sram_bytes : place.external_bytes;
}

std::vector<std::byte> Session::read(base::MemorySpace space, int64_t offset, int64_t num_bytes) const {
  const int64_t size = memory_bytes(space);
  if (offset < 0 || num_bytes < 0 || offset > size || num_bytes > size - offset)
    throw base::UserError("address", "found {} bytes from {} on, the program has {} of this memory", num_bytes, offset,
                          size);
  std::vector<std::byte> bytes(static_cast<size_t>(num_bytes));
  device_->machine().read(network_, {space, static_cast<uint64_t>(offset)}, bytes);
  return bytes;
}

DumpedTensor Session::accumulators() const {
  const int32_t command_idx = command_on_array(timed_, cycle_);
  if (command_idx < 0) throw base::UserError("accumulators", "no command is on the MAC array in cycle {}", cycle_);
  return dump_command_sums(*package_, inputs_, command_idx).sums.value();
}

std::vector<RegisterValue> Session::registers() const {
  std::vector<RegisterValue> values;
  for (const spec::Register& one : spec::kRegisters)
    values.push_back({one.name, device_->machine().read_register(one.name)});
  return values;
}

std::vector<QueueState> Session::queues() const {
  std::vector<QueueState> queues;
  for (const std::string_view name : spec::kQueueNames) queues.push_back({name, {}, {}});
  for (int64_t i = 0; i < num_commands(); ++i) {
    const units::CommandRecord& command = timed_.commands[static_cast<int32_t>(i)];
    if (command.dispatch_cycle < 0 || command.dispatch_cycle > cycle_ || command.end_cycle <= cycle_) continue;
    QueueState& queue = queues[static_cast<size_t>(command.queue)];
    if (command.start_cycle >= 0 && command.start_cycle <= cycle_) {
      queue.running = i;
    } else {
      queue.waiting.push_back(i);
    }
  }
  return queues;
}

const std::vector<base::Tensor>& Session::outputs() const {
  if (!has_ended()) throw base::UserError("outputs", "the job is in cycle {} of {}", cycle_, timed_.cycles);
  return device_->machine().job(job_).result.value().outputs;
}

}  // namespace vernier::flow

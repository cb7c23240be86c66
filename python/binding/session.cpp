// SPDX-License-Identifier: Apache-2.0
#include "python/binding/session.hpp"

#include "python/binding/without_python.hpp"
#include "sim/flow/files/output_files.hpp"
#include "sim/flow/look/dump_text.hpp"

#include <nanobind/stl/string.h>

namespace vernier::python {
namespace {

base::MemorySpace space_of(bool is_external) { return is_external ? base::MemorySpace::External : base::MemorySpace::Sram; }

template <typename Work>
auto in_turn(const Work& work) {
  return without_python([&](const flow::Observer& /*observer*/) { return work(); });
}

}  // namespace

Session::Session(const flow::SessionRequest& request)
    : session_(in_turn([&] { return std::make_unique<flow::Session>(request); })) {}

/// Another thread may be simulating.
Session::~Session() {
  const std::lock_guard lock(one_at_a_time());
  session_.reset();
}

Lines Session::failure() const { return session_->failure() ? flow::messages(*session_->failure()) : Lines(); }

void Session::run_to_cycle(int64_t cycle) {
  in_turn([&] { return session_->run_to_cycle(cycle), true; });
}
void Session::run_to_command(int64_t command_idx) {
  in_turn([&] { return session_->run_to_command(command_idx), true; });
}
void Session::run_to_layer(const std::string& layer) {
  in_turn([&] { return session_->run_to_layer(layer), true; });
}
std::optional<int64_t> Session::step() {
  return in_turn([&] { return session_->step(); });
}
void Session::restore(int64_t cycle) {
  in_turn([&] { return session_->restore(cycle), true; });
}

int64_t Session::memory_bytes(bool is_external) const { return session_->memory_bytes(space_of(is_external)); }

nanobind::object Session::read(bool is_external, int64_t offset, int64_t num_bytes) const {
  std::vector<std::byte> bytes = in_turn([&] { return session_->read(space_of(is_external), offset, num_bytes); });
  return to_numpy({"uint8", {num_bytes}, std::move(bytes)});
}

nanobind::object Session::accumulators() const {
  return to_numpy(flow::to_array(in_turn([&] { return session_->accumulators(); })));
}

std::vector<std::pair<std::string, uint32_t>> Session::registers() const {
  std::vector<std::pair<std::string, uint32_t>> values;
  for (const flow::RegisterValue& one : in_turn([&] { return session_->registers(); }))
    values.emplace_back(one.name, one.value);
  return values;
}

std::vector<Session::Queue> Session::queues() const {
  std::vector<Queue> queues;
  for (flow::QueueState& queue : session_->queues())
    queues.emplace_back(queue.name, queue.running, std::move(queue.waiting));
  return queues;
}

std::vector<nanobind::object> Session::outputs() const {
  const std::vector<base::Tensor>& outputs = session_->outputs();
  const std::vector<flow::End> ends = session_->output_ends();
  std::vector<nanobind::object> arrays;
  for (size_t i = 0; i < outputs.size(); ++i)
    arrays.push_back(nanobind::make_tuple(ends[i].name, to_numpy(flow::array_of(ends[i], outputs[i]))));
  return arrays;
}

}  // namespace vernier::python

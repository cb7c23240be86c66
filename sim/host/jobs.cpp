// SPDX-License-Identifier: Apache-2.0
// The functions of vernier.h about jobs.
#include "sim/host/handles.hpp"
#include "sim/host/text.hpp"
#include "sim/host/vernier.h"
#include "sim/soc/job_events.hpp"

#include <array>
#include <cstring>
#include <string>
#include <utility>
#include <variant>

using namespace vernier;
using host::guarded;
using host::need;
using host::refuse;

namespace {

/// The host's inputs as tensors of the package.
std::vector<base::Tensor> tensors_of(const package::Package& package, const vernier_request& request) {
  const auto num_inputs = static_cast<int32_t>(package.inputs.size());
  if (request.num_inputs != num_inputs)
    refuse(VERNIER_BAD_ARGUMENT, "request.num_inputs is {}; the network has {}", request.num_inputs, num_inputs);
  if (num_inputs > 0) need(request.inputs, "request.inputs");
  std::vector<base::Tensor> tensors;
  for (int32_t i = 0; i < num_inputs; ++i) {
    const package::TensorEntry& entry = package.tensors[package.inputs[static_cast<size_t>(i)]];
    const vernier_buffer& buffer = request.inputs[i];
    base::Tensor tensor(entry.type, entry.shape);
    if (buffer.num_bytes != tensor.bytes().size())
      refuse(VERNIER_BAD_ARGUMENT, "input {} ({}) has {} bytes; expected {}", i, entry.name, buffer.num_bytes,
             tensor.bytes().size());
    if (buffer.num_bytes > 0) {
      need(buffer.data, "request.inputs[].data");
      std::memcpy(tensor.bytes().data(), buffer.data, buffer.num_bytes);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

int32_t wait(vernier_device* handle, int32_t number, int64_t most_cycles) {
  soc::Device& device = host::device_with_job(handle, number);
  if (device.job(number).has_ended()) return VERNIER_OK;
  host::need_running(device);
  const bool has_ended =
      device.run_until_ended(number, most_cycles < 0 ? std::nullopt : std::optional<int64_t>(most_cycles));
  host::need_running(device);
  return has_ended ? VERNIER_OK : VERNIER_RUNNING;
}

/// A job that has started and ended. Refuses others.
const soc::JobResult& result_of(vernier_device* handle, int32_t number) {
  const soc::DeviceJob& job = host::device_with_job(handle, number).job(number);
  if (!job.has_ended()) refuse(VERNIER_BUSY, "job {} has not ended", number);
  if (!job.result) refuse(VERNIER_BAD_ARGUMENT, "job {} ended before it started", number);
  return *job.result;
}

}  // namespace

int32_t vernier_submit(vernier_device* device, int32_t network, const vernier_request* request, int32_t* job) {
  return guarded(VERNIER_BAD_ARGUMENT, [&] {
    need(request, "request");
    need(job, "job");
    soc::Device& to = host::device_with_network(device, network);
    host::need_running(to);
    constexpr int64_t kMostArrival = int64_t{1} << 48;
    const auto is_word = [](int64_t cycles) { return cycles >= 0 && cycles <= UINT32_MAX; };
    if (!is_word(request->time_out_cycles) || !is_word(request->watchdog_cycles) || request->arrival_cycle < 0 ||
        request->arrival_cycle > kMostArrival)
      refuse(
          VERNIER_BAD_ARGUMENT,
          "request.arrival_cycle is 0 to 2^48, time_out_cycles and watchdog_cycles are 0 to 2^32 - 1; found {}, {} and {}",
          request->arrival_cycle, request->time_out_cycles, request->watchdog_cycles);
    soc::JobRequest wanted;
    wanted.network = network;
    wanted.inputs = tensors_of(to.network(network), *request);
    wanted.priority = request->priority;
    wanted.arrival_cycle = request->arrival_cycle;
    wanted.time_out_cycles = request->time_out_cycles;
    wanted.watchdog_cycles = request->watchdog_cycles;
    *job = to.submit(std::move(wanted));
    return VERNIER_OK;
  });
}

int32_t vernier_wait(vernier_device* device, int32_t job, int64_t most_cycles) {
  return guarded(VERNIER_DEVICE_FAILED, [&] { return wait(device, job, most_cycles); });
}

int32_t vernier_poll(vernier_device* device, int32_t job) {
  return guarded(VERNIER_DEVICE_FAILED, [&] { return wait(device, job, VERNIER_POLL_CYCLES); });
}

int32_t vernier_cancel(vernier_device* device, int32_t job) {
  return guarded(VERNIER_BAD_ARGUMENT, [&] {
    soc::Device& of = host::device_with_job(device, job);
    if (!of.cancel(job)) refuse(VERNIER_ENDED, "job {} has ended already", job);
    return VERNIER_OK;
  });
}

int32_t vernier_release(vernier_device* device, int32_t job) {
  return guarded(VERNIER_BUSY, [&] {
    soc::Device& of = host::device_with_job(device, job);
    if (!of.job(job).has_ended()) refuse(VERNIER_BUSY, "job {} has not ended", job);
    of.take(job);
    return VERNIER_OK;
  });
}

int32_t vernier_job_info(vernier_device* device, int32_t job, vernier_job* info) {
  return guarded(VERNIER_BAD_ARGUMENT, [&] {
    need(info, "info");
    const soc::DeviceJob& found = host::device_with_job(device, job).job(job);
    *info = {static_cast<int32_t>(found.outcome), found.arrival_cycle, found.start_cycle, found.end_cycle, found.told_cycle};
    return VERNIER_OK;
  });
}

int32_t vernier_output(vernier_device* device, int32_t job, int32_t index, void* data, size_t num_bytes) {
  return guarded(VERNIER_BAD_ARGUMENT, [&] {
    need(data, "data");
    const soc::JobResult& result = result_of(device, job);
    if (!result.is_done()) refuse(VERNIER_BAD_ARGUMENT, "job {} is not done: it has no outputs", job);
    if (index < 0 || index >= static_cast<int32_t>(result.outputs.size()))
      refuse(VERNIER_BAD_NUMBER, "output {}; the network has {}", index, result.outputs.size());
    const base::Tensor& output = result.outputs[static_cast<size_t>(index)];
    if (num_bytes != output.bytes().size())
      refuse(VERNIER_BAD_ARGUMENT, "room for {} bytes; output {} has {}", num_bytes, index, output.bytes().size());
    std::memcpy(data, output.bytes().data(), num_bytes);
    return VERNIER_OK;
  });
}

int32_t vernier_job_fault(vernier_device* device, int32_t job, vernier_fault* fault) {
  return guarded(VERNIER_BAD_ARGUMENT, [&] {
    need(fault, "fault");
    const soc::JobResult& result = result_of(device, job);
    vernier_fault record{};
    record.command = record.memory = -1;
    if (const auto* stopped = std::get_if<soc::Fault>(&result.status)) {
      soc::Device& of = host::device_of(device);
      record.code = static_cast<int32_t>(stopped->code);
      host::copy_text(record.code_name, spec::to_string(stopped->code));
      record.command = stopped->command_idx;
      record.stream_byte = stopped->stream_offset_bytes;
      if (stopped->access) {
        record.memory = stopped->access->space == base::MemorySpace::Sram ? VERNIER_SRAM : VERNIER_EXTERNAL;
        record.address = static_cast<int64_t>(stopped->access->offset);
      }
      host::copy_text(record.layer, host::layer_name(of, of.job(job).network, stopped->command_idx));
      host::copy_text(record.text, stopped->detail);
    } else if (const auto* hang = std::get_if<soc::Hang>(&result.status)) {
      host::copy_text(record.code_name, "watchdog");
      host::copy_text(record.text, hang->wait_for);
    } else {
      refuse(VERNIER_BAD_ARGUMENT, "job {} ended neither at a fault nor by its watchdog", job);
    }
    *fault = record;
    return VERNIER_OK;
  });
}

// ------------------------------------------------------------------------------------------------------------- counters

namespace {

const std::array<std::string, spec::kPmuEvents.size()>& event_names() {
  static const auto kNames = [] {
    std::array<std::string, spec::kPmuEvents.size()> names;
    for (size_t i = 0; i < names.size(); ++i) names[i] = soc::name_of(spec::kPmuEvents[i]);
    return names;
  }();
  return kNames;
}

bool is_event(int32_t event) { return event >= 0 && event < static_cast<int32_t>(spec::kPmuEvents.size()); }

}  // namespace

int32_t vernier_num_events() { return static_cast<int32_t>(spec::kPmuEvents.size()); }

const char* vernier_event_name(int32_t event) {
  return is_event(event) ? event_names()[static_cast<size_t>(event)].c_str() : nullptr;
}

int32_t vernier_event_count(vernier_device* device, int32_t job, int32_t event, int64_t* count) {
  return guarded(VERNIER_BAD_ARGUMENT, [&] {
    need(count, "count");
    if (!is_event(event)) refuse(VERNIER_BAD_NUMBER, "event {}; there are {}", event, spec::kPmuEvents.size());
    *count = soc::count_of(spec::kPmuEvents[static_cast<size_t>(event)], result_of(device, job));
    return VERNIER_OK;
  });
}

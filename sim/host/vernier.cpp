// SPDX-License-Identifier: Apache-2.0
// The functions of vernier.h about devices, networks and time.
#include "sim/host/vernier.h"

#include "hw/base/file.hpp"
#include "hw/package/stream_check.hpp"
#include "sim/host/handles.hpp"
#include "sim/host/text.hpp"

#include <cstring>
#include <limits>
#include <span>
#include <vector>

using namespace vernier;
using host::guarded;
using host::need;
using host::refuse;

int32_t vernier_host_version() { return VERNIER_HOST_VERSION; }

int32_t vernier_open(const vernier_options* options, vernier_device** device) {
  return guarded(VERNIER_BAD_FILE, [&] {
    need(options, "options");
    need(device, "device");
    need(options->config, "options.config");
    if (options->control != VERNIER_CONTROL_DIRECT && options->control != VERNIER_CONTROL_CPU)
      refuse(VERNIER_BAD_ARGUMENT, "options.control is {}; allowed are VERNIER_CONTROL_DIRECT and VERNIER_CONTROL_CPU",
             options->control);
    if (options->firmware != nullptr && options->control != VERNIER_CONTROL_CPU)
      refuse(VERNIER_BAD_ARGUMENT, "options.firmware is for VERNIER_CONTROL_CPU");
    auto opened = std::make_unique<vernier_device>();
    soc::DeviceOptions chosen;
    chosen.control = options->control == VERNIER_CONTROL_CPU ? soc::Control::Cpu : soc::Control::Direct;
    if (options->firmware != nullptr) {
      opened->firmware = std::make_unique<soc::FirmwareProgram>(
          soc::parse_firmware_elf(base::read_file(options->firmware), options->firmware));
      chosen.firmware = opened->firmware.get();
    }
    if (options->on_console != nullptr) {
      chosen.on_console = [sink = options->on_console, context = options->context](int64_t cycle, const std::string& line) {
        sink(context, cycle, line.c_str());
      };
    }
    opened->device = std::make_unique<soc::Device>(config::load_config(options->config), std::move(chosen));
    *device = host::keep(std::move(opened));
    return VERNIER_OK;
  });
}

int32_t vernier_close(vernier_device* device) {
  return guarded(VERNIER_BAD_HANDLE, [&] {
    host::close(device);
    return VERNIER_OK;
  });
}

// ------------------------------------------------------------------------------------------------------------- networks

namespace {

int32_t load(vernier_device* handle, const std::string& file, std::span<const std::byte> bytes, int32_t* network) {
  soc::Device& device = host::device_of(handle);
  package::Package package = package::from_bytes(file, bytes);
  package::check_streams(file, package);
  try {
    *network = device.load(std::move(package), file);
  } catch (const base::UserError& error) {
    refuse(VERNIER_NO_FIT, "{}", error.what());
  }
  return VERNIER_OK;
}

/// Into package.tensors, by the direction.
const package::TensorEntry& tensor_of(const package::Package& package, int32_t direction, int32_t index) {
  if (direction != VERNIER_INPUT && direction != VERNIER_OUTPUT)
    refuse(VERNIER_BAD_ARGUMENT, "direction is {}; allowed are VERNIER_INPUT and VERNIER_OUTPUT", direction);
  const std::vector<int32_t>& tensors = direction == VERNIER_INPUT ? package.inputs : package.outputs;
  if (index < 0 || index >= static_cast<int32_t>(tensors.size()))
    refuse(VERNIER_BAD_NUMBER, "tensor {}; the network has {} of that direction", index, tensors.size());
  return package.tensors[tensors[static_cast<size_t>(index)]];
}

}  // namespace

int32_t vernier_load(vernier_device* device, const char* file, int32_t* network) {
  return guarded(VERNIER_BAD_FILE, [&] {
    need(file, "file");
    need(network, "network");
    host::device_of(device);
    return load(device, file, base::read_file(file), network);
  });
}

int32_t vernier_load_bytes(vernier_device* device, const void* bytes, size_t num_bytes, int32_t* network) {
  return guarded(VERNIER_BAD_FILE, [&] {
    need(bytes, "bytes");
    need(network, "network");
    return load(device, "package", {static_cast<const std::byte*>(bytes), num_bytes}, network);
  });
}

int32_t vernier_unload(vernier_device* device, int32_t network) {
  return guarded(VERNIER_BUSY, [&] {
    host::device_with_network(device, network).unload(network);
    return VERNIER_OK;
  });
}

int32_t vernier_num_tensors(vernier_device* device, int32_t network, int32_t direction, int32_t* count) {
  return guarded(VERNIER_BAD_ARGUMENT, [&] {
    need(count, "count");
    const package::Package& package = host::device_with_network(device, network).network(network);
    if (direction != VERNIER_INPUT && direction != VERNIER_OUTPUT)
      refuse(VERNIER_BAD_ARGUMENT, "direction is {}; allowed are VERNIER_INPUT and VERNIER_OUTPUT", direction);
    *count = static_cast<int32_t>((direction == VERNIER_INPUT ? package.inputs : package.outputs).size());
    return VERNIER_OK;
  });
}

int32_t vernier_tensor_info(vernier_device* device, int32_t network, int32_t direction, int32_t index,
                            vernier_tensor* tensor) {
  return guarded(VERNIER_BAD_ARGUMENT, [&] {
    need(tensor, "tensor");
    const package::Package& package = host::device_with_network(device, network).network(network);
    const package::TensorEntry& entry = tensor_of(package, direction, index);
    if (entry.shape.size() > VERNIER_MAX_RANK)
      refuse(VERNIER_BAD_ARGUMENT, "the tensor has rank {}; vernier_tensor has room for {}", entry.shape.size(),
             VERNIER_MAX_RANK);
    *tensor = {};
    host::copy_text(tensor->name, entry.name);
    host::copy_text(tensor->type, base::to_string(entry.type));
    tensor->element_bytes = base::stored_bytes(entry.type);
    tensor->rank = static_cast<int32_t>(entry.shape.size());
    for (size_t i = 0; i < entry.shape.size(); ++i) tensor->shape[i] = entry.shape[i];
    tensor->num_bytes = static_cast<size_t>(base::num_elements(entry.shape) * base::stored_bytes(entry.type));
    return VERNIER_OK;
  });
}

int32_t vernier_network_place(vernier_device* device, int32_t network, vernier_place* place) {
  return guarded(VERNIER_BAD_ARGUMENT, [&] {
    need(place, "place");
    const soc::NetworkPlace found = host::device_with_network(device, network).place(network);
    *place = {found.sram_base, found.sram_bytes, found.external_base, found.external_bytes};
    return VERNIER_OK;
  });
}

// ----------------------------------------------------------------------------------------------------------------- time

int32_t vernier_cycles(vernier_device* device, int64_t* cycles) {
  return guarded(VERNIER_BAD_ARGUMENT, [&] {
    need(cycles, "cycles");
    *cycles = host::device_of(device).now();
    return VERNIER_OK;
  });
}

int32_t vernier_step(vernier_device* device, int64_t cycles) {
  return guarded(VERNIER_DEVICE_FAILED, [&] {
    soc::Device& stepped = host::device_of(device);
    constexpr int64_t kMost = int64_t{1} << 48;
    if (cycles < 0 || cycles > kMost) refuse(VERNIER_BAD_ARGUMENT, "{} cycles; allowed are 0 to 2^48", cycles);
    host::need_running(stepped);
    stepped.run_for(cycles);
    host::need_running(stepped);
    return VERNIER_OK;
  });
}

int32_t vernier_step_command(vernier_device* device) {
  return guarded(VERNIER_DEVICE_FAILED, [&] {
    soc::Device& stepped = host::device_of(device);
    host::need_running(stepped);
    if (stepped.step_command()) return int32_t{VERNIER_OK};
    host::need_running(stepped);
    refuse(VERNIER_ENDED, "nothing runs, and no job waits");
  });
}

int32_t vernier_num_stepped(vernier_device* device, int32_t* count) {
  return guarded(VERNIER_BAD_ARGUMENT, [&] {
    need(count, "count");
    *count = static_cast<int32_t>(host::device_of(device).stepped_commands().size());
    return VERNIER_OK;
  });
}

int32_t vernier_stepped(vernier_device* device, int32_t index, vernier_command* command) {
  return guarded(VERNIER_BAD_ARGUMENT, [&] {
    need(command, "command");
    const soc::Device& of = host::device_of(device);
    const std::vector<soc::EndedCommand>& all = of.stepped_commands();
    if (index < 0 || static_cast<size_t>(index) >= all.size())
      refuse(VERNIER_BAD_ARGUMENT, "command {} of the last step; it ended {}", index, all.size());
    const soc::EndedCommand& ended = all[static_cast<size_t>(index)];
    const auto job = static_cast<int32_t>(ended.job);
    vernier_command record{};
    record.job = job;
    record.command = ended.command_idx;
    record.start_cycle = ended.start_cycle;
    record.end_cycle = ended.end_cycle;
    if (ended.queue) host::copy_text(record.queue, spec::kQueueNames[static_cast<size_t>(*ended.queue)]);
    if (of.has_job(job)) host::copy_text(record.layer, host::layer_name(of, of.job(job).network, ended.command_idx));
    *command = record;
    return VERNIER_OK;
  });
}

int32_t vernier_read(vernier_device* device, int32_t network, int32_t memory, int64_t offset, void* data, size_t num_bytes) {
  return guarded(VERNIER_BAD_ARGUMENT, [&] {
    need(data, "data");
    soc::Device& read = host::device_with_network(device, network);
    if (memory != VERNIER_SRAM && memory != VERNIER_EXTERNAL)
      refuse(VERNIER_BAD_ARGUMENT, "memory is {}; allowed are VERNIER_SRAM and VERNIER_EXTERNAL", memory);
    const bool is_sram = memory == VERNIER_SRAM;
    const soc::NetworkPlace place = read.place(network);
    const int64_t size = is_sram ? place.sram_bytes : place.external_bytes;
    if (offset < 0 || offset > size || num_bytes > static_cast<uint64_t>(size - offset))
      refuse(VERNIER_BAD_ARGUMENT, "{} bytes from {} on; the network has {} bytes of that memory", num_bytes, offset, size);
    const auto space = is_sram ? base::MemorySpace::Sram : base::MemorySpace::External;
    read.read(network, {space, static_cast<uint64_t>(offset)}, {static_cast<std::byte*>(data), num_bytes});
    return VERNIER_OK;
  });
}

// SPDX-License-Identifier: Apache-2.0
// A flow::Session for Python: each call waits for its turn, and works while other threads of Python do.
#pragma once

#include "python/binding/arrays.hpp"
#include "python/binding/network.hpp"
#include "sim/flow/look/session.hpp"

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace vernier::python {

class Session {
 public:
  explicit Session(const flow::SessionRequest& request);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  [[nodiscard]] Lines failure() const;
  [[nodiscard]] int64_t cycle() const { return session_->cycle(); }
  [[nodiscard]] int64_t cycles() const { return session_->cycles(); }
  [[nodiscard]] int64_t num_commands() const { return session_->num_commands(); }
  void run_to_cycle(int64_t cycle);
  void run_to_command(int64_t command_idx);
  void run_to_layer(const std::string& layer);
  std::optional<int64_t> step();
  void restore(int64_t cycle);
  [[nodiscard]] int64_t memory_bytes(bool is_external) const;
  [[nodiscard]] nanobind::object read(bool is_external, int64_t offset, int64_t num_bytes) const;  // uint8
  [[nodiscard]] nanobind::object accumulators() const;                                             // int64
  [[nodiscard]] std::vector<std::pair<std::string, uint32_t>> registers() const;
  using Queue =
      std::tuple<std::string, std::optional<int64_t>, std::vector<int64_t>>;  // name, command that runs, those that wait
  [[nodiscard]] std::vector<Queue> queues() const;
  [[nodiscard]] std::vector<nanobind::object> outputs() const;

 private:
  std::unique_ptr<flow::Session> session_;
};

}  // namespace vernier::python

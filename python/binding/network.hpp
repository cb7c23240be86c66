// SPDX-License-Identifier: Apache-2.0
// What the package vernier holds: a network that is read, a program that is compiled, a run that has come to its end. The
// classes of the package are written in Python, over these.
#pragma once

#include "python/binding/arrays.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/flow/run/run.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace vernier::python {

/// (name, numpy's types of it as a message lists them, shape): of an input what may be given, of an output what it gives.
struct EndText {
  std::string name, dtypes;
  base::Shape shape;
};

class Finished {
 public:
  explicit Finished(flow::RunResult result) : result_(std::move(result)) {}

  /// Lines about a machine that stopped; none where the run came to its end, and nothing below is there otherwise.
  [[nodiscard]] std::vector<std::string> failure() const;
  [[nodiscard]] int verdict() const { return static_cast<int>(result_.verdict()); }
  [[nodiscard]] std::string json() const { return report::to_json(result_.report); }
  [[nodiscard]] std::string csv() const { return report::to_csv(result_.report); }
  [[nodiscard]] std::string html() const { return report::to_html(result_.report); }
  [[nodiscard]] std::string text(int64_t width_columns) const;
  [[nodiscard]] std::string summary() const { return report::to_summary(result_.report); }
  /// A tuple for each output: its name, its integers, and the floats that these stand for or None.
  [[nodiscard]] std::vector<nanobind::object> outputs() const;

 private:
  flow::RunResult result_;
};

class Program {
 public:
  Program(std::shared_ptr<const flow::Model> model, flow::MachineOptions machine,
          std::shared_ptr<const package::Package> package)
      : model_(std::move(model)), machine_(std::move(machine)), package_(std::move(package)) {}

  using Inputs = std::map<std::string, std::pair<std::string, GivenArray>>;  // by name: numpy's name of the type, the array
  [[nodiscard]] Finished run(const std::string& command_line, const Inputs& inputs, bool check, bool check_all,
                             uint64_t seed, int64_t iterations) const;
  [[nodiscard]] Finished estimate(const std::string& command_line) const;

 private:
  [[nodiscard]] flow::RunRequest request(const std::string& command_line) const;

  std::shared_ptr<const flow::Model> model_;
  flow::MachineOptions machine_;
  std::shared_ptr<const package::Package> package_;
};

class Network {
 public:
  struct ReadOptions {
    std::string level = "8k";
    std::optional<int64_t> batch{};
    std::map<std::string, base::Shape> shapes{};
    std::optional<std::string> encodings{}, signature{}, tflite_rounding{};
  };
  static Network load(const std::string& file, const ReadOptions& options);

  struct CompileOptions {
    std::optional<std::string> config{}, memory{}, sram_bytes{};
    std::optional<int64_t> optimize{};
    std::map<std::string, std::string> sets{};
  };
  [[nodiscard]] Program compile(const CompileOptions& options) const;

  [[nodiscard]] std::vector<EndText> inputs() const;
  [[nodiscard]] std::vector<EndText> outputs() const;
  [[nodiscard]] const std::vector<std::string>& notes() const { return model_->notes; }

 private:
  Network(std::shared_ptr<const flow::Model> model, flow::MachineOptions options)
      : model_(std::move(model)), options_(std::move(options)) {}

  std::shared_ptr<const flow::Model> model_;
  flow::MachineOptions options_;  // with which it was read
};

}  // namespace vernier::python

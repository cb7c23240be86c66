// SPDX-License-Identifier: Apache-2.0
// What the package vernier holds: a network that is read, a program that is compiled, a run that has come to its end. The
// classes of the package are written in Python, over these.
#pragma once

#include "python/binding/arrays.hpp"
#include "sim/flow/look/session.hpp"
#include "sim/flow/model/model.hpp"
#include "sim/flow/run/run.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace vernier::python {

/// (name, numpy's types of it as a message lists them, shape): of an input what may be given, of an output what it gives.
struct EndText {
  std::string name, dtypes;
  base::Shape shape;
};

/// Lines about a machine that stopped; none where it came to its end.
using Lines = std::vector<std::string>;

class Finished {
 public:
  Finished(flow::RunRequest request, flow::RunResult result) : request_(std::move(request)), result_(std::move(result)) {}

  /// Where there are lines, there is nothing of what follows.
  [[nodiscard]] Lines failure() const { return lines_of(result_.failure); }
  [[nodiscard]] int verdict() const { return static_cast<int>(result_.verdict()); }
  [[nodiscard]] std::string json() const { return report::to_json(result_.report); }
  [[nodiscard]] std::string csv() const { return report::to_csv(result_.report); }
  [[nodiscard]] std::string html() const { return report::to_html(result_.report); }
  [[nodiscard]] std::string text(int64_t width_columns) const;
  [[nodiscard]] std::string summary() const { return report::to_summary(result_.report); }
  /// A tuple for each output: its name, its integers, and the floats that these stand for or None.
  [[nodiscard]] std::vector<nanobind::object> outputs() const;
  /// Name and integers of each variable, as the last iteration left it.
  [[nodiscard]] std::vector<nanobind::object> variables() const;

  // The same job again, to look into it.
  struct TraceChoice {
    std::vector<std::string> waves{}, timelines{};
    std::optional<std::string> scope{}, layer{};
    std::optional<std::pair<int64_t, int64_t>> cycles{};
  };
  [[nodiscard]] Lines trace(const TraceChoice& choice) const;
  /// With JSON and text of `vernier explain`.
  [[nodiscard]] std::tuple<Lines, std::string, std::string> explain(const std::string& layer, int64_t width_columns) const;
  /// With the array, None where the machine stopped.
  [[nodiscard]] std::pair<Lines, nanobind::object> tensor(const std::string& name) const;
  [[nodiscard]] bool has_values() const { return request_.values; }

 private:
  static Lines lines_of(const std::optional<flow::Failure>& failure);

  flow::RunRequest request_;
  flow::RunResult result_;
};

class Program {
 public:
  Program(std::shared_ptr<const flow::Model> model, flow::MachineOptions machine,
          std::shared_ptr<const package::Package> package)
      : model_(std::move(model)), machine_(std::move(machine)), package_(std::move(package)) {}

  struct RunOptions {
    GivenArrays inputs{}, variables{};
    bool check = true, check_all = false;
    uint64_t seed = 1;
    int64_t iterations = 1;
    std::vector<std::string> carries{};  // OUTPUT=INPUT
    std::optional<std::string> control{}, injection{};
    bool reruns = false;  // around a mismatch, with its wave in the working folder
  };
  [[nodiscard]] Finished run(const std::string& command_line, const RunOptions& options) const;
  [[nodiscard]] Finished estimate(const std::string& command_line, bool finds_least_bandwidth) const;
  /// What a session begins with.
  [[nodiscard]] flow::SessionRequest session(const GivenArrays& inputs, uint64_t seed) const;

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

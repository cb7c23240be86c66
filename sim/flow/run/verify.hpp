// SPDX-License-Identifier: Apache-2.0
// Tests of the TOSA conformance suite: the network, inputs and outputs that a desc.json names, run on a back end.
#pragma once

#include "sim/flow/model/machine_options.hpp"
#include "sim/flow/observer.hpp"
#include "sim/flow/run/verdict.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vernier::flow {

/// What a test asks for: the members of its desc.json that say what to run.
struct ConformanceTest {
  std::string desc;  // the file
  std::string tosa_file;
  std::vector<std::string> input_names, input_files, output_names, output_files;  // files in the folder of the desc
  bool expects_error = false;  // "expected_failure": the network is no legal TOSA, or its data are not
};

/// UserError, naming the file, for what is no JSON, lacks a member or has names and files that do not go together.
ConformanceTest read_conformance_test(const std::string& desc);

/// The files desc.json in the folder and below, in the order of their names. UserError where there is none.
std::vector<std::string> find_conformance_tests(const std::string& folder);

struct VerifyRequest {
  std::vector<std::string> descs;  // files, or folders with any number of them
  MachineOptions machine{};
  std::string backend = "sim";              // sim, rtl, reference
  std::optional<std::string> output_dir{};  // of the outputs; absent: beside each desc
  std::vector<std::string> report_files{};  // FILE.json
};

/// Whether it is for one desc, and for no folder: then the test's error is the caller's, and there is no summary.
bool is_for_one_test(const VerifyRequest& request);

/// How a test ended. It is as the desc expects when an ERROR_IF ended as an error, and everything else well.
struct VerifiedTest {
  std::string desc;
  bool expects_error = false;
  bool is_error = false;            // of TOSA, of a file, or of the machine's limits: `finding` says it
  Verdict verdict = Verdict::Good;  // of a test that ran; Good with `is_error`
  std::string finding;              // the first one, a line; empty: none

  /// That of the program `vernier` with this test alone; an error is 2.
  [[nodiscard]] int exit_code() const { return is_error ? 2 : static_cast<int>(verdict); }
  [[nodiscard]] bool is_as_expected() const { return expects_error ? is_error : !is_error && verdict == Verdict::Good; }
};

using TestSink = std::function<void(const VerifiedTest& test)>;

/// Runs the tests one after the other. The outputs of each stand in its folder, or in `output_dir`, by the names that the
/// desc gives; a test that ends with an error or stops leaves none. `on_test` is told of each as it ends. UserError for a
/// request that no test can be run for, and that of the test itself where is_for_one_test(); nothing is written then.
std::vector<VerifiedTest> verify(const VerifyRequest& request, const TestSink& on_test, const Observer& observer = {});

/// All that is known of the tests, schema vernier-verify/1.
std::string to_json(const std::vector<VerifiedTest>& tests, const std::string& backend);

}  // namespace vernier::flow

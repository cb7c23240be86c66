// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/run/verify.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"
#include "hw/base/npy.hpp"
#include "sim/flow/files/output_files.hpp"
#include "sim/flow/files/places.hpp"
#include "sim/flow/files/version.hpp"
#include "sim/flow/model/choices.hpp"
#include "sim/flow/run/run.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

namespace vernier::flow {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDescName = "desc.json";

const nlohmann::json& member_of(const nlohmann::json& desc, const char* key, const std::string& file) {
  if (!desc.is_object() || !desc.contains(key))
    throw base::UserError(file, "has no '{}', which the desc.json of a conformance test has", key);
  return desc[key];
}

std::string text_of(const nlohmann::json& value, const char* key, const std::string& file) {
  if (!value.is_string()) throw base::UserError(file, "'{}' has {}, expected text", key, value.dump());
  return value.get<std::string>();
}

std::vector<std::string> texts_of(const nlohmann::json& desc, const char* key, const std::string& file) {
  const nlohmann::json& list = member_of(desc, key, file);
  if (!list.is_array()) throw base::UserError(file, "'{}' has {}, expected a list of texts", key, list.dump());
  std::vector<std::string> texts;
  for (const nlohmann::json& value : list) texts.push_back(text_of(value, key, file));
  return texts;
}

void require_as_many(const ConformanceTest& test, const char* what, const std::vector<std::string>& names,
                     const std::vector<std::string>& files) {
  if (names.size() != files.size())
    throw base::UserError(test.desc, "names {} {} and {} files of them", names.size(), what, files.size());
}

/// A file in the folder of the desc.
std::string beside(const std::string& desc, const std::string& name) {
  return (fs::path(desc).parent_path() / name).string();
}

std::string shapes_note(const End& end) {
  return fmt::format("'{}' {}{}", end.name, base::to_string(end.type), base::to_string(end.shape));
}

/// The outputs that the desc names, by the names of their files.
void write_outputs(const ConformanceTest& test, const RunResult& result, const std::optional<std::string>& folder) {
  base::FileSet files;
  if (folder) files.make_directory(*folder);
  for (size_t i = 0; i < test.output_names.size(); ++i) {
    const auto is_named = [&](const End& end) { return end.name == test.output_names[i]; };
    const auto end = std::find_if(result.output_ends.begin(), result.output_ends.end(), is_named);
    if (end == result.output_ends.end()) {
      std::string there;
      for (const End& other : result.output_ends) there += (there.empty() ? "" : ", ") + shapes_note(other);
      throw base::UserError(test.desc, "names the output '{}', the network has {}", test.output_names[i], there);
    }
    const base::Tensor& values = result.outputs.at(static_cast<size_t>(end - result.output_ends.begin()));
    const fs::path place = (folder ? fs::path(*folder) : fs::path(test.desc).parent_path()) / test.output_files[i];
    files.add_text(place, base::to_npy(array_of(*end, values)));
  }
  files.commit();
}

std::string finding_of(const RunResult& result) {
  if (result.failure) return messages(*result.failure).front();
  if (result.verdict() == Verdict::Mismatch) return result.report.model_file + ": values differ from the reference's";
  return result.report.warnings.empty() ? "" : result.report.warnings.front();
}

VerifiedTest run_test(const ConformanceTest& test, const VerifyRequest& request, const Observer& observer) {
  VerifiedTest verified;
  verified.desc = test.desc;
  verified.expects_error = test.expects_error;
  RunRequest run_request;
  run_request.model = beside(test.desc, test.tosa_file);
  run_request.machine = request.machine;
  run_request.backend = request.backend;
  run_request.finds_least_bandwidth = false;
  for (size_t i = 0; i < test.input_names.size(); ++i)
    run_request.inputs.push_back(test.input_names[i] + "=" + beside(test.desc, test.input_files[i]));
  const RunResult result = run(run_request, observer);
  verified.verdict = result.verdict();
  verified.finding = finding_of(result);
  if (!result.failure) write_outputs(test, result, request.output_dir);
  return verified;
}

/// Two tests of one folder would write the same files, and only the last would be left.
void refuse_shared_outputs(const std::vector<std::string>& descs, const VerifyRequest& request) {
  if (request.output_dir && descs.size() > 1)
    throw base::UserError("--output-dir", "is for one test, there are {}: their outputs would have the same names",
                          descs.size());
}

}  // namespace

ConformanceTest read_conformance_test(const std::string& desc) {
  ConformanceTest test;
  test.desc = desc;
  const std::string text = base::read_text_file(desc);
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded()) throw base::UserError(desc, "is no JSON");
  test.tosa_file = text_of(member_of(json, "tosa_file", desc), "tosa_file", desc);
  test.input_names = texts_of(json, "ifm_name", desc);
  test.input_files = texts_of(json, "ifm_file", desc);
  test.output_names = texts_of(json, "ofm_name", desc);
  test.output_files = texts_of(json, "ofm_file", desc);
  const nlohmann::json& expects_error = member_of(json, "expected_failure", desc);
  if (!expects_error.is_boolean())
    throw base::UserError(desc, "'expected_failure' has {}, expected true or false", expects_error.dump());
  test.expects_error = expects_error.get<bool>();
  require_as_many(test, "inputs", test.input_names, test.input_files);
  require_as_many(test, "outputs", test.output_names, test.output_files);
  return test;
}

bool is_for_one_test(const VerifyRequest& request) {
  return request.descs.size() == 1 && !fs::is_directory(request.descs.front());
}

std::vector<std::string> find_conformance_tests(const std::string& folder) {
  std::set<std::string> descs;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == kDescName) descs.insert(entry.path().string());
  }
  if (descs.empty()) throw base::UserError(folder, "has no {} in it or below", kDescName);
  return {descs.begin(), descs.end()};
}

std::vector<VerifiedTest> verify(const VerifyRequest& request, const TestSink& on_test, const Observer& observer) {
  check_choice("--backend", request.backend, {"sim", "rtl", "reference"});
  std::vector<std::string> descs;
  for (const std::string& desc : request.descs) {
    if (!fs::is_directory(desc)) {
      descs.push_back(desc);
      continue;
    }
    const std::vector<std::string> found = find_conformance_tests(desc);
    descs.insert(descs.end(), found.begin(), found.end());
  }
  refuse_shared_outputs(descs, request);
  for (const std::string& file : request.report_files) check_file_place("--report", file, {".json"}, " or -");
  refuse_overwriting(places_of("--desc", descs), places_of("--report", request.report_files));
  std::vector<VerifiedTest> tests;
  for (const std::string& desc : descs) {
    if (descs.size() > 1) observer.phase(fmt::format("test {} of {}", tests.size() + 1, descs.size()));
    VerifiedTest verified;
    verified.desc = desc;
    try {
      const ConformanceTest test = read_conformance_test(desc);
      verified.expects_error = test.expects_error;
      verified = run_test(test, request, observer);
    } catch (const base::UserError& error) {
      const std::string text = error.what();
      verified.finding = text.substr(0, text.find('\n'));
      if (is_for_one_test(request)) throw base::UserErrors({verified.finding});
      verified.is_error = true;
    }
    tests.push_back(verified);
    if (on_test) on_test(tests.back());
  }
  base::FileSet files;
  for (const std::string& file : request.report_files) files.add_text(file, to_json(tests, request.backend));
  files.commit();
  return tests;
}

std::string to_json(const std::vector<VerifiedTest>& tests, const std::string& backend) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const VerifiedTest& test : tests) {
    list.push_back({{"desc", test.desc},
                    {"expected_failure", test.expects_error},
                    {"exit_code", test.exit_code()},
                    {"as_expected", test.is_as_expected()},
                    {"finding", test.finding}});
  }
  const nlohmann::ordered_json json = {{"schema", "vernier-verify/1"},
                                       {"tool_version", tool_version()},
                                       {"backend", backend},
                                       {"num_tests", tests.size()},
                                       {"num_as_expected", std::ranges::count_if(tests, &VerifiedTest::is_as_expected)},
                                       {"tests", std::move(list)}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace vernier::flow

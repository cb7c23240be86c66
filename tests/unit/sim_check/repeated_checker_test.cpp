// SPDX-License-Identifier: Apache-2.0
#include "sim/check/repeated_checker.hpp"

#include <catch2/catch.hpp>

namespace vernier::check {
namespace {

base::Tensor tensor(std::initializer_list<int64_t> values) {
  base::Tensor result(base::ElementType::Int8, {static_cast<int64_t>(values.size())});
  int64_t i = 0;
  for (const int64_t value : values) result.set(i++, value);
  return result;
}

/// A job that leaves an inner tensor in two pieces, and an output.
void add_job(RepeatedChecker& jobs, int64_t inner, int64_t output, int64_t cycle) {
  Checker& checker = jobs.begin_job();
  checker.add_actual("inner", {2}, {0}, tensor({1}), {0, cycle});
  checker.add_actual("inner", {2}, {1}, tensor({inner}), {1, cycle});
  checker.add_actual("output", {1}, {0}, tensor({output}), {2, cycle});
  jobs.end_job();
}

Outcome judged(RepeatedChecker& jobs) {
  jobs.add_expected("inner", tensor({1, 2}));
  jobs.add_expected("elsewhere", tensor({9}));
  jobs.add_expected("output", tensor({3}));
  return jobs.outcome();
}

TEST_CASE("repeated checker: jobs that agree count once") {
  RepeatedChecker jobs;
  for (int64_t i = 0; i < 5; ++i) add_job(jobs, 2, 3, 10 * i);
  const Outcome outcome = judged(jobs);
  CHECK(outcome.is_match());
  CHECK(outcome.tensors_compared == 2);
  CHECK(outcome.elements_compared == 3);
  CHECK(jobs.num_jobs() == 5);
}

TEST_CASE("repeated checker: a difference in any one job, inner tensor or output, is found") {
  for (int64_t bad = 0; bad < 4; ++bad) {
    for (const bool is_inner : {true, false}) {
      CAPTURE(bad, is_inner);
      RepeatedChecker jobs;
      for (int64_t i = 0; i < 4; ++i) add_job(jobs, i == bad && is_inner ? 7 : 2, i == bad && !is_inner ? 7 : 3, 10 * i);
      const Outcome outcome = judged(jobs);
      CHECK(outcome.elements_different == 1);
      REQUIRE(outcome.first.has_value());
      CHECK(outcome.first->tensor == (is_inner ? "inner" : "output"));
      CHECK(outcome.first->actual == 7);
      CHECK(outcome.first->origin.command_idx == (is_inner ? 1 : 2));
      CHECK(outcome.first->origin.cycle == 10 * bad);
    }
  }
}

TEST_CASE("checker: stored bits that no value of the type has are a difference") {
  using base::ElementType;
  // Of int48 64 bits are stored, of bool and int4 8.
  for (const auto& [type, byte] :
       {std::pair(ElementType::Int48, 7U), std::pair(ElementType::Bool, 0U), std::pair(ElementType::Int4, 0U)}) {
    CAPTURE(base::to_string(type));
    base::Tensor expected(type, {1});
    expected.set(0, 1);
    base::Tensor actual = expected;
    actual.bytes()[byte] |= std::byte{0x40};
    Checker checker;
    checker.add_actual("output", {1}, {0}, actual, {});
    checker.add_expected("output", expected);
    CHECK(checker.outcome().elements_different == 1);
  }
}

TEST_CASE("repeated checker: when every job is wrong alike, it is a difference") {
  RepeatedChecker jobs;
  for (int64_t i = 0; i < 3; ++i) add_job(jobs, 2, 4, i);
  CHECK(judged(jobs).elements_different == 1);
}

TEST_CASE("repeated checker: a piece that one job lacks is a difference") {
  RepeatedChecker jobs;
  add_job(jobs, 2, 3, 0);
  Checker& checker = jobs.begin_job();
  checker.add_actual("inner", {2}, {0}, tensor({1}), {0, 1});
  checker.add_actual("output", {1}, {0}, tensor({3}), {2, 1});
  jobs.end_job();
  CHECK(judged(jobs).elements_different == 1);
}

}  // namespace
}  // namespace vernier::check

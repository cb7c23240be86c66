// SPDX-License-Identifier: Apache-2.0
// Each field of the array's command at the ends of what package::check takes, and every value of the narrow ones: a new
// field is in these tests as soon as visit_fields() has it. Where the program has no RTL, they say so and check nothing.
#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/package/range.hpp"
#include "hw/spec/command_fields.hpp"
#include "sim/cosim/lockstep/array_lock_step.hpp"
#include "sim/cosim/network/cosim.hpp"
#include "tests/cosim/array_checks.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <numeric>
#include <optional>
#include <set>

using namespace vernier;
using namespace vernier::cosim;

namespace {

constexpr spec::Datapath kEightLanes{8, 4, 2};
constexpr int kNarrowBits = 3, kFewBits = 7;
constexpr int64_t kMostRows = 150'000;   // through the array
constexpr int64_t kMostBytes = 1 << 20;  // that a command reads

/// The fields of a command that has all of them.
std::vector<spec::FieldInfo> all_fields() {
  std::vector<spec::FieldInfo> fields;
  const auto take = [&](const spec::FieldInfo& info, const auto&) { fields.push_back(info); };
  spec::MacCommand command;
  command.residual = true;
  spec::visit_fields(take, command);
  return fields;
}

/// The field's number; none where the command does not have it.
std::optional<int64_t> value_of(const spec::MacCommand& command, size_t field) {
  std::optional<int64_t> value;
  size_t number = 0;
  const auto look = [&](const spec::FieldInfo&, const auto& member) {
    if (number++ == field) value = static_cast<int64_t>(member);
  };
  spec::visit_fields(look, command);
  return value;
}

void set_field(spec::MacCommand& command, size_t field, int64_t value) {
  size_t number = 0;
  const auto set = [&](const spec::FieldInfo&, auto& member) {
    using Member = std::remove_reference_t<decltype(member)>;
    if (number++ == field) member = static_cast<Member>(value);
  };
  spec::visit_fields(set, command);
}

/// All values of a field of few bits; of a wide one those at powers of two, its ends among them.
std::set<int64_t> values_of(const spec::FieldInfo& info) {
  std::set<int64_t> values;
  const int bits = info.is_signed ? info.width_bits - 1 : info.width_bits;
  const int64_t greatest = (int64_t{1} << bits) - 1, least = info.is_signed ? -greatest - 1 : 0;
  if (info.width_bits <= kFewBits && !info.is_signed) {
    for (int64_t value = 0; value <= greatest; ++value) values.insert(value);
    return values;
  }
  for (int bit = 0; bit <= bits; ++bit) {
    const int64_t power = int64_t{1} << bit;
    for (const int64_t value : {power, power - 1, -power, -power + 1}) {
      if (value >= least && value <= greatest) values.insert(value);
    }
  }
  return values;
}

/// Whether the machine takes it: no reserved encoding, which encode() refuses, and what package::check wants.
bool is_legal(const spec::MacCommand& command) {
  const spec::Command whole{{spec::Queue::MacArray, 0, 0}, command};
  std::vector<std::byte> stream;
  try {
    package::encode(whole, stream);
  } catch (const base::InternalError&) {
    return false;
  }
  return cosim::is_legal(command, kEightLanes);
}

/// Whether the results lie within so much memory as a test has, each element in bytes of its own.
bool has_plain_results(const spec::MacCommand& m, const std::vector<package::Range>& ranges) {
  std::vector<std::pair<int64_t, int64_t>> runs;  // begin, end
  int64_t num_bytes = 0;
  for (const package::Range& range : ranges) {
    if (!range.is_write) continue;
    if (range.end() - range.base > kMostBytes) return false;
    package::for_each_run(range, [&](int64_t offset, int64_t bytes) {
      runs.emplace_back(offset, offset + bytes);
      num_bytes += bytes;
    });
  }
  std::ranges::sort(runs);
  for (size_t i = 1; i < runs.size(); ++i) {
    if (runs[i].first < runs[i - 1].second) return false;
  }
  return runs.back().second - runs.front().first <= kMostBytes &&
         num_bytes == m.out_rows * m.out_columns * m.out_channels * base::stored_bytes(m.output.type);
}

/// Makes the memory as large as what the command reads, with the parameters of `before` where it has its own. False where
/// that is more than a test can have.
bool fit_memory(Work& array, const spec::MacCommand& before) {
  int64_t end = static_cast<int64_t>(array.bytes.size());
  const std::vector<package::Range> ranges = package::ranges_of(array.command, kEightLanes);
  for (const package::Range& range : ranges) {
    if (range.base < 0) return false;
    if (!range.is_write) end = std::max(end, range.end());
  }
  if (end > kMostBytes || (array.mac().last && !has_plain_results(array.mac(), ranges))) return false;
  const std::vector<std::byte> old = array.bytes;
  array.bytes.resize(static_cast<size_t>(end));
  for (size_t i = old.size(); i < array.bytes.size(); ++i) array.bytes[i] = static_cast<std::byte>(i * 0x9E3779B9U >> 24);
  const int64_t last = before.out_channels - 1, begin = array.mac().parameter_base;
  for (int64_t i = 0; i < array.mac().out_channels * spec::kChannelParameterBytes; ++i) {
    const int64_t channel = std::min(i / spec::kChannelParameterBytes, last);
    const int64_t from = before.parameter_base + channel * spec::kChannelParameterBytes + i % spec::kChannelParameterBytes;
    array.bytes[static_cast<size_t>(begin + i)] = old[static_cast<size_t>(from)];
  }
  return true;
}

bool is_short(const spec::MacCommand& m) {
  const int64_t steps = (m.reduction_end - m.reduction_begin) / kEightLanes.lanes + 1;
  return steps < kMostRows && m.out_rows * m.out_columns < kMostRows &&
         m.out_rows * m.out_columns * steps * (m.out_channels / kEightLanes.lanes + 1) < kMostRows;
}

/// Single commands that begin a reduction and end it.
std::vector<Work> draw_commands(size_t num, Random& random) {
  std::vector<Work> commands;
  while (commands.size() < num) {
    std::vector<Work> sequence = works_of(draw_array_sequence(kEightLanes, random));
    for (Work& array : sequence) {
      if (array.mac().first && array.mac().last) commands.push_back(std::move(array));
    }
  }
  return commands;
}

class Plan {
 public:
  explicit Plan(uint64_t seed) : random_(seed), commands_(draw_commands(400, random_)) {}

  /// A command with that value, legal and with RTL, short enough; none where there is none.
  std::optional<Work> command_with(size_t field, int64_t value) {
    for (int tries = 0; tries < 600; ++tries) {
      Work array = commands_[static_cast<size_t>(random_.within(0, static_cast<int64_t>(commands_.size()) - 1))];
      const spec::MacCommand before = array.mac();
      if (!value_of(before, field)) continue;
      set_field(array.mac(), field, value);
      const bool is_taken = is_legal(array.mac()) && is_short(array.mac()) && fit_memory(array, before);
      if (is_taken) return array;
    }
    return std::nullopt;
  }

 private:
  Random random_;
  std::vector<Work> commands_;
};

/// The command, after one that begins its reduction where it does not.
std::vector<Work> with_beginning(const Work& array) {
  if (array.mac().first) return {array};
  Work beginning = array;
  beginning.mac().first = true;
  beginning.mac().last = false;
  return {beginning, array};
}

/// Runs the values of a field: all of a narrow one, of a wide one the two least, the two greatest and one between of those
/// that are taken. Returns what ran.
std::set<int64_t> run_field(Plan& plan, ArrayLockStep& lock_step, size_t field, const spec::FieldInfo& info) {
  const std::set<int64_t> values = values_of(info);
  std::set<int64_t> ran;
  const bool is_narrow = info.width_bits <= kNarrowBits;
  const auto run = [&](int64_t value) {
    const std::optional<Work> array = plan.command_with(field, value);
    if (!array) return false;
    lock_step.run_sequence({with_beginning(*array), ArrayPace::Ideal});
    ran.insert(value);
    return true;
  };
  const auto run_first = [&](auto begin, auto end) {
    for (int left = is_narrow ? 1 << kNarrowBits : 2; begin != end && left > 0; ++begin) left -= run(*begin) ? 1 : 0;
  };
  run_first(values.begin(), values.end());
  if (is_narrow) return ran;
  run_first(values.rbegin(), values.rend());
  if (ran.size() > 2) run(std::midpoint(*ran.begin(), *ran.rbegin()));
  return ran;
}

}  // namespace

TEST_CASE("fields: each at the ends of what is legal") {
  if (rtl_blocks().empty()) {
    WARN("skipped: this program was built without Verilator");
    return;
  }
  // What else these fields may hold has no RTL yet, or is refused.
  const std::set<std::string_view> of_one_value{"addend_type"};
  const std::map<std::string_view, std::pair<int64_t, int64_t>> ends{{"lane_split_log2", {0, 2}},
                                                                     {"row_tile_rows", {1, 64}},
                                                                     {"weight_order", {0, 2}},
                                                                     {"rounding", {0, 3}},
                                                                     {"input_zero_point", {-128, 255}},
                                                                     {"kernel_rows", {1, 16383}},
                                                                     {"kernel_columns", {1, 16383}},
                                                                     {"origin_row", {-131072, 131071}},
                                                                     {"origin_column", {-131072, 131071}},
                                                                     {"weight_zero_point", {-128, 127}},
                                                                     {"out_rows", {1, 65535}},
                                                                     {"out_columns", {1, 65535}},
                                                                     {"out_channels", {1, 65535}},
                                                                     {"clamp_min", {INT32_MIN, INT32_MAX}},
                                                                     {"clamp_max", {INT32_MIN, INT32_MAX}},
                                                                     {"residual_zero_point", {-128, 255}},
                                                                     {"addend_zero_point", {-128, 255}},
                                                                     {"sum_zero_point", {-128, 255}},
                                                                     {"own_multiplier", {0, INT32_MAX}},
                                                                     {"own_shift", {2, 62}},
                                                                     {"addend_multiplier", {0, INT32_MAX}},
                                                                     {"addend_shift", {2, 62}},
                                                                     {"sum_multiplier", {0, INT32_MAX}},
                                                                     {"sum_shift", {2, 62}},
                                                                     {"sum_clamp_min", {-128, 255}},
                                                                     {"sum_clamp_max", {-128, 255}}};
  Plan plan(3);
  ClockedBlock block(make_rtl_block("npu_datapath", 8), *spec::rtl_block_of_unit("datapath"), 8);
  ArrayLockStep lock_step(block, kEightLanes);
  const std::vector<spec::FieldInfo> fields = all_fields();
  size_t num_ends = 0;
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::string_view name = fields[i].name;
    const std::set<int64_t> ran = run_field(plan, lock_step, i, fields[i]);
    INFO(name << " ran with " << fmt::format("{}", fmt::join(ran, ", ")));
    REQUIRE_FALSE(ran.empty());
    CHECK((ran.size() == 1) == of_one_value.contains(name));
    const auto wanted = ends.find(name);
    if (wanted == ends.end()) continue;
    ++num_ends;
    CHECK(*ran.begin() == wanted->second.first);
    CHECK(*ran.rbegin() == wanted->second.second);
  }
  CHECK(num_ends == ends.size());
  check_equal(lock_step.result());
}

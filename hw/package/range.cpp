// SPDX-License-Identifier: Apache-2.0
// Boxes of bytes: their normal form, and whether two of them share a byte.
#include "hw/package/range.hpp"

#include "hw/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace vernier::package {
namespace {

/// One dimension of a box: count starts, stride bytes apart.
struct Dim {
  int64_t count;
  int64_t stride;
};

struct Dims {
  std::array<Dim, kRangeDims> items{};
  size_t size = 0;
  void erase(size_t at) {
    for (size_t i = at; i + 1 < size; ++i) items[i] = items[i + 1];
    --size;
  }
};

/// Dimensions are in descending order of strides. Merges what gives the same set of bytes with less: an inner dimension
/// whose runs touch, and an outer one that continues the inner one's grid without a gap.
void merge(Dims& dims, int64_t& run_bytes) {
  while (dims.size > 0 && dims.items[dims.size - 1].stride <= run_bytes) {
    const Dim& inner = dims.items[dims.size - 1];
    run_bytes += (inner.count - 1) * inner.stride;
    --dims.size;
  }
  for (size_t i = dims.size; i-- > 1;) {
    const Dim& outer = dims.items[i - 1];
    Dim& inner = dims.items[i];
    const int64_t step = outer.stride / inner.stride;
    if (outer.stride % inner.stride != 0 || step > inner.count) continue;
    inner.count += (outer.count - 1) * step;
    dims.erase(i - 1);
  }
}

int64_t saturating_product(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/// Decides whether first + sum(k_d * stride_d) can lie in (low, high) for some k_d in [least_d, most_d]. The difference
/// between a run of one box and a run of another has this form; they share a byte when it lies in (-bytes of a, bytes of b).
class OffsetSearch {
 public:
  OffsetSearch(const Range& a, const Range& b) : low_(-a.run_bytes), high_(b.run_bytes) {
    for (size_t i = 0; i < kRangeDims; ++i) {
      if (a.counts[i] > 1) add(a.strides[i], 0, a.counts[i] - 1);
      if (b.counts[i] > 1) add(b.strides[i], -(b.counts[i] - 1), 0);
    }
    std::sort(steps_.begin(), steps_.begin() + static_cast<std::ptrdiff_t>(size_),
              [](const Step& x, const Step& y) { return x.stride > y.stride; });
    for (size_t i = size_; i-- > 0;) {
      const Step& step = steps_[i];
      reach_[i] = {reach_[i + 1].least + step.least * step.stride, reach_[i + 1].most + step.most * step.stride,
                   std::gcd(reach_[i + 1].grid, step.stride)};
    }
  }

  bool exists(int64_t offset, size_t at = 0) {
    const Reach& reach = reach_[at];
    // What is still to come reaches only [least, most], on a grid: some point of it must lie between low and high.
    const int64_t least = std::max(low_ + 1, offset + reach.least);
    const int64_t most = std::min(high_ - 1, offset + reach.most);
    if (least > most) return false;
    if (reach.grid != 0 &&
        base::floor_div(most - offset, reach.grid) < base::floor_div(least - 1 - offset, reach.grid) + 1) {
      return false;
    }
    if (at == size_ || --budget_ < 0) return true;
    const Step& step = steps_[at];
    const Reach& rest = reach_[at + 1];
    const int64_t first = std::max(step.least, base::floor_div(low_ - offset - rest.most, step.stride) + 1);
    const int64_t last = std::min(step.most, base::floor_div(high_ - 1 - offset - rest.least, step.stride));
    for (int64_t k = first; k <= last; ++k) {
      if (exists(offset + k * step.stride, at + 1)) return true;
    }
    return false;
  }

 private:
  struct Step {
    int64_t stride, least, most;
  };
  struct Reach {
    int64_t least = 0, most = 0, grid = 0;
  };
  void add(int64_t stride, int64_t least, int64_t most) {
    for (size_t i = 0; i < size_; ++i) {
      if (steps_[i].stride != stride) continue;
      steps_[i].least += least;
      steps_[i].most += most;
      return;
    }
    steps_[size_++] = {stride, least, most};
  }

  int64_t low_, high_;
  std::array<Step, 2 * kRangeDims> steps_{};
  std::array<Reach, 2 * kRangeDims + 1> reach_{};
  size_t size_ = 0;
  int64_t budget_ = kMaxOverlapCandidates;
};

}  // namespace

int64_t Range::end() const {
  int64_t last = base;
  for (size_t i = 0; i < kRangeDims; ++i) last += (counts[i] - 1) * strides[i];
  return last + run_bytes;
}

int64_t Range::num_bytes() const {
  int64_t bytes = run_bytes;
  for (const int64_t count : counts) bytes = saturating_product(bytes, count);
  return bytes;
}

Range make_range(Storage storage, bool is_write, int64_t base, std::array<int64_t, kRangeDims> counts,
                 std::array<int64_t, kRangeDims> strides, int64_t run_bytes, std::string_view what) {
  VERNIER_CHECK(run_bytes >= 1, "a range of {} has runs of {} bytes", what, run_bytes);
  Range range{storage, is_write, base, {1, 1, 1, 1, 1, 1}, {}, run_bytes, what};
  Dims dims;
  for (size_t i = 0; i < kRangeDims; ++i) {
    VERNIER_CHECK(counts[i] >= 1, "a range of {} has a count of {}", what, counts[i]);
    if (counts[i] == 1 || strides[i] == 0) continue;
    if (strides[i] < 0) range.base += (counts[i] - 1) * strides[i];
    dims.items[dims.size++] = {counts[i], std::abs(strides[i])};
  }
  std::stable_sort(dims.items.begin(), dims.items.begin() + static_cast<std::ptrdiff_t>(dims.size),
                   [](const Dim& x, const Dim& y) { return x.stride > y.stride; });
  for (size_t before = dims.size + 1; dims.size < before;) {
    before = dims.size;
    merge(dims, range.run_bytes);
  }
  for (size_t i = 0; i < dims.size; ++i) {
    const size_t at = kRangeDims - dims.size + i;
    range.counts[at] = dims.items[i].count;
    range.strides[at] = dims.items[i].stride;
  }
  return range;
}

std::string why_outside(const Range& range, std::string_view memory, int64_t size_bytes) {
  if (range.base >= 0 && range.end() <= size_bytes) return "";
  return fmt::format("{} is bytes {} to {} of {}, which has {}", range.what, range.base, range.end() - 1, memory,
                     size_bytes);
}

void for_each_run(const Range& range, const std::function<void(int64_t offset, int64_t bytes)>& visit) {
  std::array<int64_t, kRangeDims> index{};
  int64_t offset = range.base;
  while (true) {
    visit(offset, range.run_bytes);
    size_t d = kRangeDims;
    while (d-- > 0) {
      offset += range.strides[d];
      if (++index[d] < range.counts[d]) break;
      offset -= range.counts[d] * range.strides[d];
      index[d] = 0;
      if (d == 0) return;
    }
  }
}

bool overlaps(const Range& a, const Range& b) {
  if (a.storage != b.storage || a.base >= b.end() || b.base >= a.end()) return false;
  return OffsetSearch(a, b).exists(a.base - b.base);
}

Conflict conflict_between(const std::vector<Range>& earlier, const std::vector<Range>& later) {
  Conflict conflict;
  for (const Range& first : earlier) {
    for (const Range& second : later) {
      if (!first.is_write && !second.is_write) continue;
      bool& found = !first.is_write   ? conflict.write_after_read
                    : second.is_write ? conflict.write_after_write
                                      : conflict.read_after_write;
      found = found || overlaps(first, second);
    }
  }
  return conflict;
}

}  // namespace vernier::package

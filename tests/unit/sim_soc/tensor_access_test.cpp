// SPDX-License-Identifier: Apache-2.0
// Tensors into simulated memory and out of it, element by element by package::offset_of.
#include "sim/soc/tensor_access.hpp"

#include "hw/base/error.hpp"
#include "sim/kit/simulation_context.hpp"
#include "sim/mem/memory.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <set>

using namespace vernier;
using namespace vernier::soc;

namespace {

struct Fixture {
  kit::SimulationContext context;
  kit::JobClock clock;
  mem::Memory memory{"memory", clock, 65536};
};

base::Tensor ramp(base::ElementType type, const base::Shape& shape) {
  base::Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor.set(i, 1 + i);
  return tensor;
}

int64_t element_at(const mem::StorageView storage, int64_t offset, base::ElementType type) {
  base::Tensor one(type, {1});
  std::memcpy(one.bytes().data(), storage.bytes().data() + offset, one.bytes().size());
  return one.at(0);
}

/// 2 x 3 x 5 x 37 in planes of 16 channels with gaps between pixels, rows and planes.
package::Placement planes(base::ElementType type) {
  const int64_t element = base::stored_bytes(type);
  return {{base::MemorySpace::Sram, 96}, {6400 * element, 400 * element, 20 * element}, 16, 2000 * element};
}

}  // namespace

TEST_CASE("A tensor in planes of channels: every element where its placement says, and no other byte written") {
  for (const base::ElementType type : {base::ElementType::Int8, base::ElementType::Int16}) {
    Fixture fixture;
    const package::Placement placement = planes(type);
    const base::Tensor tensor = ramp(type, {2, 3, 5, 37});
    write_tensor(fixture.memory, placement, tensor);
    const mem::StorageView storage = fixture.memory.storage();
    std::set<int64_t> written;
    int64_t index = 0;
    for (int64_t n = 0; n < 2; ++n) {
      for (int64_t y = 0; y < 3; ++y) {
        for (int64_t x = 0; x < 5; ++x) {
          for (int64_t c = 0; c < 37; ++c) {
            const int64_t offset = package::offset_of(placement, {n, y, x, c}, type);
            REQUIRE(element_at(storage, offset, type) == tensor.at(index++));
            for (int64_t byte = 0; byte < base::stored_bytes(type); ++byte) written.insert(offset + byte);
          }
        }
      }
    }
    for (int64_t byte = 0; byte < storage.size_bytes(); ++byte) {
      if (storage.first_unwritten(byte, 1).has_value() == written.contains(byte)) FAIL("byte " << byte);
    }
    CHECK(read_box(storage, placement, type, {0, 0, 0, 0}, {2, 3, 5, 37}) == tensor);
  }
}

TEST_CASE("A box of a tensor, from the middle of a block of channels to the middle of another") {
  Fixture fixture;
  const package::Placement placement = planes(base::ElementType::Int8);
  const base::Tensor tensor = ramp(base::ElementType::Int8, {2, 3, 5, 37});
  write_tensor(fixture.memory, placement, tensor);
  const base::Shape begin{1, 1, 2, 7}, extent{1, 2, 3, 28};
  const base::Tensor box = read_box(fixture.memory.storage(), placement, base::ElementType::Int8, begin, extent);
  int64_t index = 0;
  for (int64_t y = 1; y < 3; ++y) {
    for (int64_t x = 2; x < 5; ++x) {
      for (int64_t c = 7; c < 35; ++c) CHECK(box.at(index++) == tensor.at(((3 + y) * 5 + x) * 37 + c));
    }
  }
}

TEST_CASE("A box of every second row and every third column") {
  Fixture fixture;
  const package::Placement placement{{base::MemorySpace::Sram, 32}, {500, 20}, 1, 1};
  const base::Tensor tensor = ramp(base::ElementType::Int8, {7, 11, 4});
  write_tensor(fixture.memory, placement, tensor);
  const base::Tensor box =
      read_box(fixture.memory.storage(), placement, base::ElementType::Int8, {1, 2, 1}, {3, 3, 2}, {2, 3, 1});
  int64_t index = 0;
  for (const int64_t y : {1, 3, 5}) {
    for (const int64_t x : {2, 5, 8}) {
      for (const int64_t c : {1, 2}) CHECK(box.at(index++) == tensor.at((y * 11 + x) * 4 + c));
    }
  }
}

TEST_CASE("What lies outside the memory is refused, and ranks 0 and 1 need no strides") {
  Fixture fixture;
  const package::Placement last{{base::MemorySpace::Sram, 65535}, {}, 1, 1};
  write_tensor(fixture.memory, last, ramp(base::ElementType::Int8, {}));
  CHECK(read_box(fixture.memory.storage(), last, base::ElementType::Int8, {}, {}).at(0) == 1);
  CHECK_THROWS_AS(write_tensor(fixture.memory, last, ramp(base::ElementType::Int8, {2})), base::InternalError);
  CHECK_THROWS_AS(read_box(fixture.memory.storage(), last, base::ElementType::Int8, {0}, {2}), base::InternalError);
}

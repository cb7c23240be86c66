// SPDX-License-Identifier: Apache-2.0
// Layouts and the views on them, element by element: each has a place of its own, and a view finds what the tensor has
// there.
#include "compiler/passes/placements.hpp"

#include "hw/spec/machine.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <set>
#include <tuple>
#include <vector>

using namespace vernier;
using base::ElementType;
using base::Shape;

namespace {

/// Every index of a shape of at least one dimension.
void for_each_index(const Shape& shape, const std::function<void(const Shape&)>& visit) {
  Shape index(shape.size(), 0);
  for (;;) {
    visit(index);
    size_t dim = shape.size();
    while (dim > 0 && ++index[dim - 1] == shape[dim - 1]) index[--dim] = 0;
    if (dim == 0) return;
  }
}

/// Elements do not overlap and lie in the bytes that the layout takes.
void check_places(const package::Placement& placement, const Shape& shape, ElementType type) {
  std::set<int64_t> places;
  const int64_t bytes = passes::placed_bytes(placement, shape, type);
  for_each_index(shape, [&](const Shape& index) {
    const int64_t offset = package::offset_of(placement, index, type);
    REQUIRE(offset % base::stored_bytes(type) == 0);
    REQUIRE(offset >= 0);
    REQUIRE(offset + base::stored_bytes(type) <= bytes);
    REQUIRE(places.insert(offset).second);
  });
  CHECK(*places.rbegin() + base::stored_bytes(type) == bytes);
}

/// `index` of the view is `of(index)` of the tensor.
void check_view(const package::Placement& view, const Shape& shape, const package::Placement& placement, ElementType type,
                const std::function<Shape(const Shape&)>& of) {
  for_each_index(shape, [&](const Shape& index) {
    REQUIRE(package::offset_of(view, index, type) == package::offset_of(placement, of(index), type));
  });
}

}  // namespace

TEST_CASE("a dense tensor has its elements side by side") {
  for (const Shape& shape : {Shape{5}, Shape{3, 4}, Shape{2, 3, 4}, Shape{2, 1, 3, 40}}) {
    for (const ElementType type : {ElementType::Int8, ElementType::Int16, ElementType::Int32}) {
      const package::Placement dense = passes::dense_placement(shape, type);
      CAPTURE(base::to_string(shape));
      check_places(dense, shape, type);
      CHECK(passes::placed_bytes(dense, shape, type) == base::num_elements(shape) * base::stored_bytes(type));
      CHECK(passes::is_dense(dense, shape, type));
      CHECK_FALSE(passes::has_planes(dense, shape, type));
    }
  }
}

TEST_CASE("planes have a place for each element, and rows whose neighbours meet in different banks") {
  for (const ElementType type : {ElementType::Int8, ElementType::Int16}) {
    for (const int64_t lanes : {int64_t{8}, int64_t{16}}) {
      for (const std::optional<int64_t> stride : {std::optional<int64_t>{}, {0}, {1}, {2}}) {
        for (int64_t width = 1; width <= 9; ++width) {
          const Shape shape{3, 2, width, 2 * lanes};
          const package::Placement planes = passes::planes_placement(shape, type, lanes, stride);
          CAPTURE(lanes, width, stride.value_or(-1));
          check_places(planes, shape, type);
          CHECK(passes::has_planes(planes, shape, type));
          CHECK_FALSE(passes::is_dense(planes, shape, type));
          const int64_t row_words = planes.strides_bytes[1] / lanes, phase = row_words % spec::kNumSramBanks;
          CHECK(planes.strides_bytes[1] % lanes == 0);
          CHECK(row_words >= width * base::stored_bytes(type));
          if (!stride) CHECK(row_words == width * base::stored_bytes(type));
          if (stride) CHECK(phase % 4 != 0);
          if (stride.value_or(0) > 0 && type == ElementType::Int8) CHECK((phase == 3 || (phase == 5 && *stride == 1)));
        }
      }
    }
  }
}

TEST_CASE("channels have planes where their blocks do not follow each other") {
  package::Placement placement;
  placement.channel_block = 16;
  for (const auto& [pitch_bytes, type, channels, has_planes] :
       std::vector<std::tuple<int64_t, ElementType, int64_t, bool>>{{16, ElementType::Int8, 48, false},
                                                                    {32, ElementType::Int16, 48, false},
                                                                    {17, ElementType::Int8, 48, true},
                                                                    {18, ElementType::Int16, 48, true},
                                                                    {64, ElementType::Int8, 17, true},
                                                                    {64, ElementType::Int8, 16, false}}) {
    CAPTURE(pitch_bytes, channels);
    placement.block_pitch_bytes = pitch_bytes;
    CHECK(passes::has_planes(placement, {1, 2, 2, channels}, type) == has_planes);
  }
}

TEST_CASE("a part, another shape and another order of the dimensions find the elements where they are") {
  for (const ElementType type : {ElementType::Int8, ElementType::Int16}) {
    const Shape whole{2, 3, 4, 16};
    const package::Placement dense = passes::dense_placement(whole, type);
    const package::Placement planes = passes::planes_placement(whole, type, 8, 1);
    for (const package::Placement* placement : {&dense, &planes}) {
      const Shape begin{1, 1, 2, placement == &dense ? 5 : 0};
      check_view(passes::slice_placement(*placement, begin, type), {1, 2, 2, placement == &dense ? 11 : 16}, *placement,
                 type, [&](const Shape& i) {
                   return Shape{i[0] + begin[0], i[1] + begin[1], i[2] + begin[2], i[3] + begin[3]};
                 });
    }
    CHECK_THROWS_AS(passes::slice_placement(planes, {0, 0, 0, 8}, type), base::InternalError);
    // A row of one image, with dimensions of one element put in and left out.
    package::Placement row = passes::slice_placement(dense, {1, 2, 0, 0}, type);
    row.strides_bytes[2] = 3 * 16 * base::stored_bytes(type);  // not dense
    check_view(passes::renamed_placement(row, {1, 1, 4, 16}, {4, 1, 1, 16}, type), {4, 1, 1, 16}, row, type,
               [](const Shape& i) {
                 return Shape{0, 0, i[0], i[3]};
               });
    check_view(passes::renamed_placement(row, {1, 1, 4, 16}, {4, 16}, type), {4, 16}, row, type, [](const Shape& i) {
      return Shape{0, 0, i[0], i[1]};
    });
    CHECK_THROWS_AS(passes::renamed_placement(row, {1, 1, 4, 16}, {2, 2, 16}, type), base::InternalError);
    CHECK(passes::is_dense(passes::renamed_placement(dense, whole, {6, 64}, type), {6, 64}, type));
    for (const std::vector<int64_t>& perms : {std::vector<int64_t>{0, 1, 2, 3}, {0, 2, 1, 3}, {3, 0, 1, 2}, {0, 3, 2, 1}}) {
      Shape shape(4);
      for (size_t d = 0; d < 4; ++d) shape[d] = whole[static_cast<size_t>(perms[d])];
      CAPTURE(base::to_string(shape));
      check_view(passes::transposed_placement(dense, perms, type), shape, dense, type, [&](const Shape& i) {
        Shape of(4);
        for (size_t d = 0; d < 4; ++d) of[static_cast<size_t>(perms[d])] = i[d];
        return of;
      });
    }
  }
}

TEST_CASE("a feature map says where the pixels and blocks of an image are") {
  for (const ElementType type : {ElementType::Int8, ElementType::Int16}) {
    const Shape shape{3, 2, 5, 32};
    const package::Placement dense = passes::dense_placement(shape, type);
    const package::Placement planes = passes::planes_placement(shape, type, 16, 1);
    for (const package::Placement* placement : {&dense, &planes}) {
      const spec::FeatureMap map = passes::feature_map(*placement, shape, type, 2, 16);
      CHECK(map.type == type);
      for_each_index({2, 5, 2, 16}, [&](const Shape& i) {
        const int64_t place = map.base + i[0] * map.row_pitch_bytes + i[1] * map.pixel_pitch_bytes +
                              i[2] * map.block_pitch_bytes + i[3] * base::stored_bytes(type);
        REQUIRE(place == package::offset_of(*placement, {2, i[0], i[1], 16 * i[2] + i[3]}, type));
      });
    }
    CHECK_THROWS_AS(passes::feature_map(planes, shape, type, 0, 8), base::InternalError);
  }
}

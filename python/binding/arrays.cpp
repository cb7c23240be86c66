// SPDX-License-Identifier: Apache-2.0
#include "python/binding/arrays.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace vernier::python {
namespace {

nanobind::dlpack::dtype dtype_named(const std::string& name) {
  if (name == "bool") return nanobind::dtype<bool>();
  if (name == "int8") return nanobind::dtype<int8_t>();
  if (name == "uint8") return nanobind::dtype<uint8_t>();
  if (name == "int16") return nanobind::dtype<int16_t>();
  if (name == "uint16") return nanobind::dtype<uint16_t>();
  if (name == "int32") return nanobind::dtype<int32_t>();
  if (name == "int64") return nanobind::dtype<int64_t>();
  VERNIER_CHECK(name == "float32", "an array of '{}'", name);
  return nanobind::dtype<float>();
}

/// Whether elements follow each other as in C.
bool is_in_order(const GivenArray& given) {
  int64_t stride = 1;
  for (size_t axis = given.ndim(); axis-- > 0;) {
    if (given.shape(axis) > 1 && given.stride(axis) != stride) return false;
    stride *= static_cast<int64_t>(given.shape(axis));
  }
  return true;
}

/// The elements from `axis` on, the last axis fastest.
void add_in_order(const GivenArray& given, size_t axis, const std::byte* at, std::vector<std::byte>& data) {
  const auto item_bytes = static_cast<int64_t>(given.itemsize());
  if (axis == given.ndim()) {
    data.insert(data.end(), at, at + item_bytes);
    return;
  }
  for (size_t i = 0; i < given.shape(axis); ++i)
    add_in_order(given, axis + 1, at + static_cast<int64_t>(i) * given.stride(axis) * item_bytes, data);
}

}  // namespace

base::NpyArray to_array(const std::string& dtype, const GivenArray& given, bool is_swapped) {
  base::NpyArray array{.dtype = dtype, .shape = {}, .data = {}};
  for (size_t i = 0; i < given.ndim(); ++i) array.shape.push_back(static_cast<int64_t>(given.shape(i)));
  if (given.nbytes() == 0) return array;
  const auto* first = static_cast<const std::byte*>(given.data());
  if (is_in_order(given)) {
    array.data.assign(first, first + given.nbytes());
  } else {
    array.data.reserve(given.nbytes());
    add_in_order(given, 0, first, array.data);
  }
  if (is_swapped) {
    const auto item_bytes = static_cast<int64_t>(given.itemsize());
    for (auto item = array.data.begin(); item != array.data.end(); item += item_bytes) std::reverse(item, item + item_bytes);
  }
  return array;
}

nanobind::object to_numpy(base::NpyArray array) {
  auto data = std::make_unique<std::vector<std::byte>>(std::move(array.data));
  std::vector<size_t> shape;
  for (const int64_t size : array.shape) shape.push_back(static_cast<size_t>(size));
  void* first = data->data();
  const nanobind::capsule owner(data.release(),
                                [](void* held) noexcept { delete static_cast<std::vector<std::byte>*>(held); });
  return nanobind::cast(
      nanobind::ndarray<nanobind::numpy>(first, shape.size(), shape.data(), owner, nullptr, dtype_named(array.dtype)));
}

}  // namespace vernier::python

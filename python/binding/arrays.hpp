// SPDX-License-Identifier: Apache-2.0
// Arrays of numpy to arrays of sim/flow and back, each copied once.
#pragma once

#include "hw/base/npy.hpp"

#include <map>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <string>
#include <tuple>

namespace vernier::python {

/// In any order of elements.
using GivenArray = nanobind::ndarray<nanobind::ro, nanobind::device::cpu>;
/// By name: numpy's name of the type, the array, and whether its elements are in the other byte order.
using GivenArrays = std::map<std::string, std::tuple<std::string, GivenArray, bool>>;

/// `dtype` is numpy's name; the package has seen that it is one of base::NpyArray.
base::NpyArray to_array(const std::string& dtype, const GivenArray& given, bool is_swapped);

/// An array of numpy that owns its data.
nanobind::object to_numpy(base::NpyArray array);

}  // namespace vernier::python

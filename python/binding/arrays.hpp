// SPDX-License-Identifier: Apache-2.0
// Arrays of numpy to arrays of sim/flow and back, each copied once.
#pragma once

#include "hw/base/npy.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <string>

namespace vernier::python {

using GivenArray = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;

/// `dtype` is numpy's name; the package has seen that it is one of base::NpyArray, and the byte order this machine's.
base::NpyArray to_array(const std::string& dtype, const GivenArray& given);

/// An array of numpy that owns its data.
nanobind::object to_numpy(base::NpyArray array);

}  // namespace vernier::python

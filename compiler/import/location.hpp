// SPDX-License-Identifier: Apache-2.0
// Locations of MLIR, which name the layers of the source: in MLIR text, and as text in .tosa files.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace vernier::import {

/// The loc(...) that an alias stands for; empty where there is none of that name.
using LocationAlias = std::function<std::string_view(std::string_view name)>;

/// The name that a location gives: NAME of loc("NAME"(...)) and loc("NAME"), escapes undone; the names of fused[...] joined
/// by
/// ";", each once; of a callsite(... at ...) the first that has one. "" for a place in a file, for what is unknown, and for
/// what is no location. At most 4,096 bytes.
std::string location_name(std::string_view text, const LocationAlias& alias = {});

}  // namespace vernier::import

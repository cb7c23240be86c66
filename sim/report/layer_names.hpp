// SPDX-License-Identifier: Apache-2.0
// Names of layers as people tell them apart. Converters give names such as
// "resnet50_1/conv2_block1_1_relu_1/Relu;resnet50_1/conv2_block1_1_bn_1/batchnorm/add_1;...": most of it stands in every
// row of a table. Short: "conv2_block1_1".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vernier::report {

struct ShortNames {
  std::vector<std::string> names;     // by layer
  std::string prefix;                 // left out in front of most names; may be empty
  std::vector<std::string> suffixes;  // left out at the end of many names
};

/// Shortens the names of one network's layers:
/// 1. Of the names that a converter joined by ';' the first stays, or, where another layer has that one too, the first that
///    no other layer has.
/// 2. The beginning that most names have, at least half of them, is left out, the longest such one. It ends with '/' or '.',
///    and a letter follows.
/// 3. Endings that at least a quarter (and two) of the names have are left out, the one that saves most first. An ending
///    begins with '/' or '_' and then a letter: numbers stay.
/// Names that were different stay different, and none becomes empty.
ShortNames shorten_layer_names(const std::vector<std::string>& full_names);

/// Each name in at most that many columns (4 or more): "..." takes the place of the beginning, the middle or the end, for
/// all names alike, where it leaves most names different.
std::vector<std::string> fit_names(const std::vector<std::string>& names, int64_t columns);

}  // namespace vernier::report

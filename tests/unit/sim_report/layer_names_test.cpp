// SPDX-License-Identifier: Apache-2.0
#include "sim/report/layer_names.hpp"

#include <catch2/catch.hpp>

#include <set>

namespace vernier::report {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("what most names begin with and many end with is left out") {
  const ShortNames found = shorten_layer_names(
      {"resnet50_1/conv1_relu_1/Relu;resnet50_1/conv1_bn_1/batchnorm/add_1", "resnet50_1/pool1_pool_1/MaxPool2d",
       "resnet50_1/conv2_block1_0_bn_1/batchnorm/add_1", "resnet50_1/conv2_block1_1_relu_1/Relu",
       "resnet50_1/conv2_block1_2_relu_1/Relu", "resnet50_1/conv2_block1_3_bn_1/batchnorm/add_1", "Identity"});
  CHECK(found.names == Names{"conv1", "pool1_pool_1/MaxPool2d", "conv2_block1_0", "conv2_block1_1", "conv2_block1_2",
                             "conv2_block1_3", "Identity"});
  CHECK(found.prefix == "resnet50_1/");
  CHECK(found.suffixes == Names{"_bn_1/batchnorm/add_1", "_relu_1/Relu"});
}

TEST_CASE("an ending that is no path is left out too, and numbers stay") {
  const ShortNames found = shorten_layer_names(
      {"input.9_te_transform", "input.13_te_transform", "input.13_te_transform_1", "fuse_transform_24", "y.2_te_transform"});
  CHECK(found.names == Names{"input.9", "input.13", "input.13_te_transform_1", "fuse_transform_24", "y.2"});
  CHECK(found.prefix.empty());
  CHECK(found.suffixes == Names{"_te_transform"});
  CHECK(shorten_layer_names({"layer_1", "layer_2", "layer_3"}).names == Names{"layer_1", "layer_2", "layer_3"});
  CHECK(shorten_layer_names({"features.0.conv", "features.1.conv"}).names == Names{"features.0.conv", "features.1.conv"});
  CHECK(shorten_layer_names({"model.stem.conv", "model.head.conv"}).names == Names{"stem.conv", "head.conv"});
}

TEST_CASE("names that were different stay different") {
  const ShortNames found = shorten_layer_names({"a/one/Relu", "a/one/Add", "a/two/Relu", "a/two/Add"});
  CHECK(found.names == Names{"one", "one/Add", "two", "two/Add"});
  CHECK(found.suffixes == Names{"/Relu"});  // without "/Add" too they would be the same
  // Without the prefix the first and the last would be the same.
  CHECK(shorten_layer_names({"a/conv", "a/pool", "conv"}).names == Names{"a/conv", "a/pool", "conv"});
  CHECK(shorten_layer_names({"m/Relu", "m/x/Relu", "m/y/Relu"}).names == Names{"Relu", "x", "y"});
}

TEST_CASE("of joined names one is taken that no other layer has") {
  const ShortNames found =
      shorten_layer_names({"f/norm/mul_2;f/dense_1/BiasAdd", "f/norm/mul_2;f/dense_2/BiasAdd;", "f/other/sub;f/x"});
  CHECK(found.names == Names{"dense_1", "dense_2", "other/sub"});
  CHECK(shorten_layer_names({"same", "same", "other"}).names == Names{"same", "same", "other"});
  CHECK(shorten_layer_names({"same;a", "same;a"}).names == Names{"same", "same"});
}

TEST_CASE("a network of one layer, of none, of odd names") {
  CHECK(shorten_layer_names({}).names.empty());
  CHECK(shorten_layer_names({"model/conv/Relu"}).names == Names{"model/conv/Relu"});
  CHECK(shorten_layer_names({"", ";", "/", "_a", "//"}).names.size() == 5);
  const Names endings{"x/Relu", "Relu", "/Relu", "y/Relu"};
  const ShortNames found = shorten_layer_names(endings);
  for (const std::string& name : found.names) CHECK_FALSE(name.empty());
  CHECK(std::set<std::string>(found.names.begin(), found.names.end()).size() == endings.size());
}

TEST_CASE("names are cut where most of them stay different") {
  CHECK(fit_names({"long_name_1/x", "long_name_2/x"}, 10) == Names{"...ame_1/x", "...ame_2/x"});
  CHECK(fit_names({"first_of_all_the_same", "second_of_all_the_same"}, 10) == Names{"firs...ame", "seco...ame"});
  CHECK(fit_names({"short", "as it is"}, 8) == Names{"short", "as it is"});
  CHECK(fit_names({"abcdefghij"}, 4) == Names{"...j"});
}

}  // namespace
}  // namespace vernier::report

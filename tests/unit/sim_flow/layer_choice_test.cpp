// SPDX-License-Identifier: Apache-2.0
#include "sim/flow/model/layer_choice.hpp"

#include "hw/base/error.hpp"

#include <catch2/catch.hpp>

namespace vernier::flow {
namespace {

const std::vector<std::string> kFull{"net/conv_1/Relu;net/conv_1/conv", "net/conv_10/Relu", "net/pool", "2",
                                     "net/pool/head"};
const std::vector<std::string> kShort{"conv_1", "conv_10", "pool", "2", "head"};

int64_t chosen(const std::string& wanted) { return choose_layer("--layer", wanted, kFull, kShort); }

std::string layer_refusal(const std::string& wanted) {
  try {
    return fmt::format("layer {}", chosen(wanted));
  } catch (const base::UserError& error) {
    return error.what();
  }
}

TEST_CASE("a layer by its full name, its shortened name, its number, a part of its name") {
  CHECK(chosen("net/conv_1/Relu;net/conv_1/conv") == 0);
  CHECK(chosen("conv_1") == 0);  // though conv_10 begins with it
  CHECK(chosen("pool") == 2);    // though head has it in its full name
  CHECK(chosen("net/pool") == 2);
  CHECK(chosen("4") == 4);
  CHECK(chosen("0") == 0);
  CHECK(chosen("2") == 3);  // a name wins over a number
  CHECK(chosen("v_10/") == 1);
}

TEST_CASE("a layer by its shortened name as a narrow table cuts it") {
  CHECK(chosen("...v_10") == 1);    // of the shortened name, though no full name ends so
  CHECK(chosen("con..._1") == 0);   // conv_10 ends otherwise
  CHECK(chosen("h...") == 4);       // shortened names are looked at first
  CHECK(chosen("net/...ad") == 4);  // full names then
  CHECK(chosen("...10/Relu") == 1);
  CHECK(layer_refusal("co...") ==
        "--layer: 'co...' is in the names of 2 layers, wanted is one of them:\n--layer:   0 conv_1\n--layer:   1 conv_10");
  CHECK_THAT(layer_refusal("conv...v_1"), Catch::Matchers::Contains("no layer"));  // the two parts do not overlap
  CHECK_THAT(layer_refusal("..."), Catch::Matchers::Contains("no layer '...'"));
}

TEST_CASE("several layers that match are listed, and none has a suggestion") {
  CHECK(layer_refusal("conv") ==
        "--layer: 'conv' is in the names of 2 layers, wanted is one of them:\n--layer:   0 conv_1\n--layer:   1 conv_10");
  // What was asked for is in each line, and numbers are aligned.
  std::vector<std::string> full(11, "net/part/conv"), shown(11, "conv");
  full[3] = "net/stem/conv;norm";
  shown[3] = "norm";
  full[10] = "net/stem/conv";
  CHECK_THROWS_WITH(choose_layer("--layer", "stem", full, shown),
                    "--layer: 'stem' is in the names of 2 layers, wanted is one of them:\n"
                    "--layer:    3 net/stem/conv;norm\n--layer:   10 net/stem/conv");
  CHECK(layer_refusal("5") == "--layer: 5 is no layer, the layers are 0 to 4");
  CHECK(layer_refusal("poll") ==
        "--layer: no layer 'poll', did you mean 'pool'?; allowed are a name, a part of one, or 0 to 4");
  CHECK(layer_refusal("") == "--layer: no layer ''; allowed are a name, a part of one, or 0 to 4");
  CHECK(layer_refusal("-1") == "--layer: no layer '-1'; allowed are a name, a part of one, or 0 to 4");
}

}  // namespace
}  // namespace vernier::flow

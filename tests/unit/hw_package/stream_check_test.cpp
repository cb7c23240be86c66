// SPDX-License-Identifier: Apache-2.0
// What a loader refuses of a package's streams, before anything runs.
#include "hw/package/stream_check.hpp"

#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"
#include "tests/unit/hw_package/samples.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <string>
#include <vector>

using namespace vernier;
using namespace vernier::package;
using Catch::Matchers::Contains;

namespace {

Package package_with(const std::vector<spec::Command>& commands) {
  Package package;
  package.config = config::preset_config("v256", "test");
  package.layers = {{"first", {}, 0}};
  for (const spec::Command& command : commands) encode(command, package.stream);
  package.command_layers = std::vector<int32_t>(commands.size(), 0);
  return package;
}

std::string refusal_of(const Package& package) {
  try {
    check_streams("p.vnpu", package);
  } catch (const base::UserError& error) {
    const std::string message = error.what();
    CHECK(message.rfind("p.vnpu: ", 0) == 0);
    CHECK(message.find('\n') == std::string::npos);
    return message;
  }
  return "";
}

/// What is said of a command after another one, and with END behind it.
std::string refusal_of(const spec::Command& command) {
  const std::string said = refusal_of(package_with({samples::copy(), command, samples::end()}));
  if (!said.empty()) CHECK_THAT(said, Contains("command 1 (layer first) at stream offset 0x"));
  return said;
}

std::string refusal_of_copy(const std::function<void(spec::DmaCommand&)>& change) {
  spec::Command command = samples::copy();
  change(std::get<spec::DmaCommand>(command.body));
  return refusal_of(command);
}
std::string refusal_of_convolution(const std::function<void(spec::MacCommand&)>& change) {
  spec::Command command = samples::convolution();
  change(std::get<spec::MacCommand>(command.body));
  return refusal_of(command);
}
/// Of a command that loads that stream into a register.
std::string refusal_of_load(const spec::VectorStream& stream, int64_t lanes) {
  spec::VectorCommand vector;
  vector.lanes = lanes;
  vector.streams = {stream};
  vector.steps = {{spec::VectorOp::Load, spec::VectorPhase::Body}};
  vector.steps[0].type = base::ElementType::Int32;
  return refusal_of(spec::Command{samples::softmax_sum().header, vector});
}

}  // namespace

TEST_CASE("Loader: good streams are taken") {
  CHECK(refusal_of(package_with(
            {samples::copy(), samples::convolution(), samples::depthwise(), samples::softmax_sum(), samples::end()})) == "");
  CHECK(refusal_of_convolution([](spec::MacCommand&) {}) == "");
}

TEST_CASE("Loader: an unknown opcode and a reserved bit") {
  const Package good = package_with({samples::copy(), samples::end()});
  Package bad = good;
  bad.stream[0] = std::byte{0x77};
  CHECK_THAT(refusal_of(bad), Contains("illegal opcode: command 0 (layer first) at stream offset 0x0: opcode is 0x77"));
  int num_refused = 0;  // not every bit is a field of its own, and many values are good
  for (size_t bit = 0; bit < 8 * good.stream.size(); ++bit) {
    bad = good;
    bad.stream[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    num_refused += refusal_of(bad).empty() ? 0 : 1;
  }
  CHECK(num_refused > 100);
}

TEST_CASE("Loader: a last command that is cut, no END, and what follows it") {
  Package cut = package_with({samples::end(), samples::copy()});
  cut.stream.erase(cut.stream.begin(), cut.stream.begin() + 16);  // the END
  cut.command_layers = {0};
  cut.stream.resize(cut.stream.size() - 16);
  CHECK_THAT(refusal_of(cut), Contains("bad length: command 0 (layer first) at stream offset 0x0: "));
  CHECK_THAT(refusal_of(package_with({samples::copy()})), Contains("stream end: command 1 at stream offset 0x"));
  CHECK_THAT(refusal_of(package_with({samples::end(), samples::copy()})),
             Contains("bad length: command 1 (layer first) at stream offset 0x10: it follows END"));
}

TEST_CASE("Loader: commands that the package does not know, or knows and has not") {
  Package package = package_with({samples::copy(), samples::end()});
  package.command_layers = {0};
  CHECK_THAT(refusal_of(package), Contains("it knows the layers of 1 commands, its stream has 2"));
  package.command_layers = {0, 0, 0};
  CHECK_THAT(refusal_of(package), Contains("it knows the layers of 3 commands, its stream has 2"));
}

TEST_CASE("Loader: a length that was never set") {
  CHECK_THAT(refusal_of_copy([](auto& dma) { dma.run_bytes = 0; }), Contains("zero count: "));
  CHECK_THAT(refusal_of_copy([](auto& dma) { dma.counts[4] = 0; }), Contains("zero count: "));
  CHECK_THAT(refusal_of_convolution([](auto& mac) { mac.out_rows = 0; }), Contains("zero count: "));
}

TEST_CASE("Loader: products of lengths that overflow") {
  constexpr int64_t kMany = (int64_t{1} << 24) - 1, kLong = INT32_MAX;  // the most that the fields hold
  CHECK_THAT(refusal_of_copy([](auto& dma) {
               dma.counts = {kMany, kMany, kMany, kMany, kMany};
               dma.src.strides_bytes = dma.dst.strides_bytes = {kLong, kLong, kLong, kLong, kLong};
             }),
             Contains("limit exceeded"));
  CHECK_THAT(refusal_of_convolution([](auto& mac) {
               mac.kernel_rows = mac.kernel_columns = mac.in_channels = 4095;
               mac.reduction_end = 0xFFFF'FFFF;
             }),
             Contains("out of range") || Contains("limit exceeded"));
}

TEST_CASE("Loader: padding that makes an extent negative, and a stride with a sign") {
  // Rows of the input that lie before the first one are padding, and not read; a map that begins before byte 0 is.
  CHECK(refusal_of_convolution([](auto& mac) { mac.origin_row = -1; }) == "");
  CHECK_THAT(refusal_of_convolution([](auto& mac) { mac.input.row_pitch_bytes = -mac.input.row_pitch_bytes; }),
             Contains("address out of range") || Contains("limit exceeded") || Contains("unsupported mode"));
  CHECK_THAT(refusal_of_copy([](auto& dma) {
               dma.dst.base.offset = 0;
               dma.dst.strides_bytes[4] = -1024;
             }),
             Contains("destination is bytes -"));
}

TEST_CASE("Loader: the last byte of a memory, with elements of 8, 16 and 32 bits") {
  const int64_t sram_bytes = config::preset_config("v256", "test").sram_bytes;
  for (const auto type : {base::ElementType::Int8, base::ElementType::Int16, base::ElementType::Int32}) {
    for (const int64_t beyond : {0, 1}) {
      const int64_t element = base::stored_bytes(type);
      INFO("element of " << element << " bytes, " << beyond << " beyond the last one");
      const std::string said = refusal_of_load({sram_bytes - element + beyond * element, type}, 1);
      if (beyond == 0) CHECK(said == "");
      if (beyond == 1) CHECK_THAT(said, Contains("address out of range") && Contains(std::to_string(sram_bytes)));
    }
  }
}

TEST_CASE("Loader: a scalar operand is one element, at the last byte of a memory and after it") {
  const int64_t sram_bytes = config::preset_config("v256", "test").sram_bytes;
  for (const int64_t beyond : {0, 1}) {
    const std::string said = refusal_of_load({sram_bytes - 1 + beyond, base::ElementType::Int8, false, 0}, 16);
    if (beyond == 0) CHECK(said == "");
    if (beyond == 1) CHECK_THAT(said, Contains("address out of range"));
  }
}

TEST_CASE("Loader: addresses beyond 32 bits and beyond their memory") {
  CHECK_THAT(refusal_of_copy([](auto& dma) { dma.dst.base.offset = 0xFFFF'FFFF; }), Contains("address out of range"));
  CHECK_THAT(refusal_of_copy([](auto& dma) { dma.src.strides_bytes[3] = INT32_MAX; }), Contains("address out of range"));
  CHECK_THAT(refusal_of_copy([](auto& dma) { dma.src.base.offset = 0xFFFF'FFFF; }), Contains("address out of range"));
  CHECK_THAT(refusal_of_convolution([](auto& mac) { mac.weight_base = 0xFFFF'FF00; }),
             Contains("address out of range") && Contains("weights is bytes"));
}

// SPDX-License-Identifier: Apache-2.0
#include "hw/base/error.hpp"
#include "hw/package/command_codec.hpp"
#include "hw/spec/command_fields.hpp"
#include "tests/unit/hw_package/samples.hpp"

#include <catch2/catch.hpp>

using namespace vernier;
using namespace vernier::package;
using spec::FaultCode;

namespace {

std::vector<std::byte> encoded(const spec::Command& command) {
  std::vector<std::byte> bytes;
  encode(command, bytes);
  return bytes;
}

std::vector<spec::Command> fixed_samples() {
  return {samples::end(), samples::copy(), samples::convolution(), samples::depthwise(), samples::softmax_sum()};
}

}  // namespace

TEST_CASE("a command survives its encoding") {
  constexpr uint32_t kSeed = 7;
  INFO("seed " << kSeed);
  samples::Random random(kSeed);
  std::vector<spec::Command> commands = fixed_samples();
  for (int i = 0; i < 200; ++i) {
    commands.push_back(samples::random_mac(random, 16));
    commands.push_back(samples::random_vector(random, 16));
    commands.push_back(samples::random_dma(random));
  }
  std::vector<std::byte> stream;
  for (const spec::Command& command : commands) encode(command, stream);
  size_t at = 0;
  for (const spec::Command& command : commands) {
    const Decoded decoded = decode(std::span(stream).subspan(at));
    INFO(print(command) << "\n" << decoded.detail);
    REQUIRE(decoded.fault == FaultCode::None);
    REQUIRE(decoded.command == command);
    REQUIRE(decoded.length_bytes % spec::kCommandUnitBytes == 0);
    at += static_cast<size_t>(decoded.length_bytes);
  }
  REQUIRE(at == stream.size());
}

TEST_CASE("the first word of a command is opcode, length, queue, wait, signal") {
  const std::vector<std::byte> bytes = encoded(samples::copy());
  CHECK(bytes[0] == std::byte{0x10});
  CHECK(static_cast<size_t>(bytes[1]) * spec::kCommandUnitBytes == bytes.size());
  CHECK(bytes[2] == std::byte{0x41});  // queue dma1 in the low half, wait for mac (bit 2) in the high half
  CHECK(bytes[3] == std::byte{0x08});  // signal vec
  CHECK(encoded(samples::end()).size() == spec::kCommandUnitBytes);
}

TEST_CASE("every bit of a command is a field or a fault") {
  for (const spec::Command& command : fixed_samples()) {
    const std::vector<std::byte> bytes = encoded(command);
    for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
      std::vector<std::byte> flipped = bytes;
      flipped[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
      flipped.resize(flipped.size() + 4096);  // so that a longer length is there
      const Decoded decoded = decode(flipped);
      INFO(mnemonic(command) << " bit " << bit << ": " << decoded.detail);
      REQUIRE(decoded.length_bytes >= spec::kCommandUnitBytes);
      if (decoded.fault != FaultCode::None) {
        REQUIRE_FALSE(decoded.detail.empty());
        continue;
      }
      REQUIRE_FALSE(decoded.command == command);
      std::vector<std::byte> again = encoded(decoded.command);
      REQUIRE(std::equal(again.begin(), again.end(), flipped.begin()));
    }
  }
}

TEST_CASE("a truncated command has a bad length") {
  for (const spec::Command& command : fixed_samples()) {
    const std::vector<std::byte> bytes = encoded(command);
    for (size_t size = 0; size < bytes.size(); ++size) {
      REQUIRE(decode(std::span(bytes).first(size)).fault == FaultCode::BadLength);
    }
  }
}

TEST_CASE("illegal opcodes, queues and reserved values have their fault") {
  std::vector<std::byte> bytes = encoded(samples::convolution());
  const auto fault_with = [&](size_t at, std::byte value) {
    std::vector<std::byte> changed = bytes;
    changed[at] = value;
    return decode(changed).fault;
  };
  CHECK(fault_with(0, std::byte{0x00}) == FaultCode::IllegalOpcode);
  CHECK(fault_with(0, std::byte{0xFF}) == FaultCode::IllegalOpcode);
  CHECK(fault_with(2, std::byte{0x13}) == FaultCode::IllegalOpcode);  // vec does not take MAC commands
  CHECK(fault_with(2, std::byte{0x14}) == FaultCode::IllegalOpcode);  // there is no queue 4
  CHECK(fault_with(1, std::byte{0}) == FaultCode::BadLength);
  CHECK(fault_with(1, std::byte{1}) == FaultCode::BadLength);
  CHECK(fault_with(3, std::byte{0x42}) == FaultCode::ReservedEncoding);             // padding of the header word
  CHECK(fault_with(4, bytes[4] | std::byte{0x03}) == FaultCode::ReservedEncoding);  // mode 3
  CHECK(fault_with(bytes.size() - 1, std::byte{1}) == FaultCode::ReservedEncoding);
}

TEST_CASE("random bytes are decoded or refused, never more") {
  constexpr uint32_t kSeed = 11;
  INFO("seed " << kSeed);
  samples::Random random(kSeed);
  constexpr std::array<uint8_t, 4> kOpcodes{0x01, 0x10, 0x20, 0x30};
  for (int i = 0; i < 20000; ++i) {
    std::vector<std::byte> bytes(static_cast<size_t>(random.between(0, 300)));
    for (std::byte& byte : bytes)
      byte = random.between(0, 3) == 0 ? static_cast<std::byte>(random.between(0, 255)) : std::byte{0};
    if (bytes.size() > 2) bytes[0] = static_cast<std::byte>(kOpcodes[static_cast<size_t>(random.between(0, 3))]);
    const Decoded decoded = decode(bytes);
    if (decoded.fault != FaultCode::None) continue;
    print(decoded.command);
    check(decoded.command, spec::kPresets[1].datapath);
  }
}

TEST_CASE("a value that does not fit its field is our mistake") {
  spec::Command command = samples::copy();
  std::get<spec::DmaCommand>(command.body).run_bytes = int64_t{1} << 32;
  std::vector<std::byte> bytes;
  CHECK_THROWS_AS(encode(command, bytes), base::InternalError);
  command = samples::copy();
  command.header.queue = spec::Queue::MacArray;
  CHECK_THROWS_AS(encode(command, bytes), base::InternalError);
}

TEST_CASE("commands print on one line, vector programs with a line a stream and step") {
  CHECK(print(samples::end()) == "end q=dma0");
  CHECK(print(samples::copy()) ==
        "dma q=dma1 wait=mac signal=vec copy counts=1x1x1x3x5 run_bytes=24 src=ext:0x1000 src_strides=0,0,0,4096,64 "
        "dst=sram:0x200 dst_strides=0,0,0,120,24");
  spec::Command limited = samples::end();
  limited.header.queue_limit = 2;
  CHECK(print(limited) == "end q=dma0 queue_limit=8");
  const std::string conv = print(samples::convolution());
  CHECK(conv.find('\n') == std::string::npos);
  CHECK(conv.find("conv k=3x3 out_shape=8x8x24 in_shape=8x8x32") != std::string::npos);
  const std::string program = print(samples::softmax_sum());
  CHECK(std::count(program.begin(), program.end(), '\n') == 2 + 6);
  CHECK(program.find("final @16 store stream1, r2") != std::string::npos);
  CHECK(program.find("body  @3 table r1, r0 slot=1 as int32") != std::string::npos);
}

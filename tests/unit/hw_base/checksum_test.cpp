// SPDX-License-Identifier: Apache-2.0
#include "hw/base/checksum.hpp"

#include <catch2/catch.hpp>

#include <string_view>

namespace vernier::base {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

TEST_CASE("crc32 of the standard check string") {  // "123456789" -> cbf43926, the check value of CRC-32/ISO-HDLC
  CHECK(crc32(bytes_of("123456789")) == 0xCBF43926U);
  CHECK(crc32(bytes_of("6789"), crc32(bytes_of("12345"))) == 0xCBF43926U);
  CHECK(crc32({}) == 0);
}

TEST_CASE("sha256 of the examples of FIPS 180-4") {
  CHECK(sha256_hex(bytes_of("abc")) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex(bytes_of("")) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex(bytes_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")) ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

}  // namespace
}  // namespace vernier::base

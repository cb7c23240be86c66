// SPDX-License-Identifier: Apache-2.0
#include "hw/base/npz.hpp"

#include "hw/base/error.hpp"

#include <catch2/catch.hpp>

#include <cstring>
#include <zlib.h>

namespace vernier::base {
namespace {

using Catch::Matchers::Contains;

/// An array of an archive, and what its headers say of it where that is not the truth.
struct Member {
  std::string name{}, data{};
  bool is_deflated = false;
  int method = -1, flags = 0;
  int64_t num_bytes = -1, packed_bytes = -1, local_at = -1, checksum = -1;
};

void put(std::string& text, uint64_t number, int num_bytes) {
  for (int i = 0; i < num_bytes; ++i) text += static_cast<char>((number >> (8 * i)) & 0xFFU);
}

std::string deflated(const std::string& data) {
  std::string packed(compressBound(data.size()) + 64, '\0');
  z_stream stream{};
  REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string input = data;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// Versions, flags, way of compression, time, checksum, sizes, length of the name, extra field.
void put_common(std::string& text, const Member& member, uint64_t packed_bytes) {
  put(text, 20, 2);
  put(text, static_cast<uint64_t>(member.flags), 2);
  put(text, static_cast<uint64_t>(member.method >= 0 ? member.method : member.is_deflated ? 8 : 0), 2);
  put(text, 0, 4);
  const auto* data = reinterpret_cast<const Bytef*>(member.data.data());
  put(text, member.checksum >= 0 ? static_cast<uint64_t>(member.checksum) : crc32_z(0, data, member.data.size()), 4);
  put(text, member.packed_bytes >= 0 ? static_cast<uint64_t>(member.packed_bytes) : packed_bytes, 4);
  put(text, member.num_bytes >= 0 ? static_cast<uint64_t>(member.num_bytes) : member.data.size(), 4);
  put(text, member.name.size(), 2);
}

std::string archive_of(const std::vector<Member>& members, const std::string& comment = "") {
  std::string text, directory;
  for (const Member& member : members) {
    const uint64_t at = text.size();
    const std::string packed = member.is_deflated ? deflated(member.data) : member.data;
    put(text, 0x04034B50, 4);
    put_common(text, member, packed.size());
    put(text, 4, 2);  // an extra field, as numpy writes one
    text += member.name + "abcd" + packed;
    put(directory, 0x02014B50, 4);
    put(directory, 20, 2);
    put_common(directory, member, packed.size());
    put(directory, 0, 12);  // extra field, comment, disk, attributes: 2 + 2 + 2 + 2 + 4
    put(directory, member.local_at >= 0 ? static_cast<uint64_t>(member.local_at) : at, 4);
    directory += member.name;
  }
  const uint64_t at = text.size();
  text += directory;
  put(text, 0x06054B50, 4);
  put(text, 0, 4);
  put(text, members.size(), 2);
  put(text, members.size(), 2);
  put(text, directory.size(), 4);
  put(text, at, 4);
  put(text, comment.size(), 2);
  return text + comment;
}

std::string npy_of(const std::string& descr, int64_t count, char value) {
  const size_t num_bytes = descr == "<f4" ? 4 : 1;
  std::string header = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" + std::to_string(count) + ",), }\n";
  std::string text = "\x93NUMPY";
  text += {'\x01', '\x00', static_cast<char>(header.size()), '\x00'};
  return text + header + std::string(static_cast<size_t>(count) * num_bytes, value);
}

std::vector<NamedArray> parsed(const std::string& text) {
  return parse_npz("a.npz", {reinterpret_cast<const std::byte*>(text.data()), text.size()});
}

std::string error_of(const std::string& text) {
  try {
    parsed(text);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("npz: stored and deflated arrays, in the order of the directory, with any comment after it") {
  const std::vector<Member> members{{"x.npy", npy_of("|i1", 1000, 7), true}, {"folder/y.npy", npy_of("<f4", 3, 0)}};
  for (const std::string& comment : {std::string(), std::string("a comment"), std::string(65535, 'P')}) {
    const std::vector<NamedArray> arrays = parsed(archive_of(members, comment));
    REQUIRE(arrays.size() == 2);
    CHECK(arrays[0].name == "x");
    CHECK(arrays[0].array.dtype == "int8");
    CHECK(arrays[0].array.shape == Shape{1000});
    CHECK(arrays[0].array.data == std::vector<std::byte>(1000, std::byte{7}));
    CHECK(arrays[1].name == "folder/y");
    CHECK(arrays[1].array.dtype == "float32");
  }
  CHECK(parsed(archive_of({})).empty());
}

TEST_CASE("npz: each way a file can be wrong is one line that says which") {
  const std::string good = npy_of("|i1", 100, 7);
  const auto wrong = [&](Member member) {
    member.name = "x.npy";
    member.data = good;
    return error_of(archive_of({member}));
  };
  CHECK(error_of("") == "a.npz: is empty, expected a .npz file");
  CHECK(error_of(good) == "a.npz: is not a .npz file: does not start with PK");
  CHECK(error_of(archive_of({{"x.txt", good}})) == "a.npz: holds a file 'x.txt', allowed are arrays, NAME.npy");
  CHECK(error_of(archive_of({{"x.npy", good}, {"x.npy", good}})) ==
        "a.npz: holds two arrays 'x', expected one of each name");
  CHECK_THAT(wrong({.flags = 1}), Contains("a.npz: array 'x': is encrypted"));
  CHECK_THAT(wrong({.method = 12}), Contains("is compressed by method 12"));
  CHECK_THAT(wrong({.method = 8}), Contains("its deflated data are not"));
  CHECK_THAT(wrong({.num_bytes = 99}), Contains("bytes are stored as"));
  CHECK_THAT(wrong({.is_deflated = true, .num_bytes = 99}), Contains("its deflated data are not 99 bytes"));
  CHECK_THAT(wrong({.is_deflated = true, .num_bytes = 4000000}), Contains("4000000 bytes cannot be deflated to"));
  CHECK_THAT(wrong({.is_deflated = true, .packed_bytes = 100000}), Contains("go beyond the"));
  CHECK_THAT(wrong({.num_bytes = 0xFFFFFFFF}), Contains("has 4 GiB or more"));
  CHECK_THAT(wrong({.local_at = 5}), Contains("there is no file at byte 5"));
  CHECK_THAT(wrong({.local_at = 0x7FFFFFFF}), Contains("there is no file at byte"));
  CHECK_THAT(wrong({.checksum = 1}), Contains("the checksum of its data is not the archive's"));
  CHECK_THAT(error_of(archive_of({{"x.npy", good.substr(0, good.size() - 1)}})), Contains("a.npz: array 'x': is truncated"));
}

TEST_CASE("npz: a file that is cut anywhere, or has one wrong byte, is read or refused and nothing else") {
  const std::string whole = archive_of({{"x.npy", npy_of("|i1", 40, 7), true}, {"y.npy", npy_of("<f4", 3, 0)}});
  for (size_t size = 0; size < whole.size(); ++size) CHECK(error_of(whole.substr(0, size)) != "");
  int num_refused = 0;
  for (size_t at = 0; at < whole.size(); ++at) {
    for (const char bit : {'\x01', '\x10', '\x80'}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ bit);
      num_refused += error_of(damaged).empty() ? 0 : 1;
    }
  }
  CHECK(num_refused > static_cast<int>(whole.size()));
}

}  // namespace
}  // namespace vernier::base

// SPDX-License-Identifier: Apache-2.0
#include "hw/base/npz.hpp"

#include "hw/base/error.hpp"
#include "hw/base/file.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <zlib.h>

namespace vernier::base {
namespace {

// Of the ZIP format (APPNOTE.TXT 6.3): signatures of its three kinds of header, and what they are long without their names.
constexpr uint32_t kLocalSignature = 0x04034B50, kEntrySignature = 0x02014B50, kEndSignature = 0x06054B50;
constexpr size_t kLocalBytes = 30, kEntryBytes = 46, kEndBytes = 22, kMostCommentBytes = 0xFFFF;
constexpr uint32_t kIsInZip64 = 0xFFFFFFFF;  // a size or place that stands elsewhere, because it does not fit 32 bits
constexpr uint16_t kStored = 0, kDeflated = 8;
/// Deflate makes at most so many bytes of one (a run of 258 in two bits); a file that claims more is damaged.
constexpr uint64_t kMostInflation = 1032;

using Bytes = std::span<const std::byte>;

/// A number of the file, little-endian; who asks has seen that it is there.
template <typename Number>
Number number_at(Bytes bytes, size_t at) {
  Number number = 0;
  std::memcpy(&number, bytes.data() + at, sizeof number);
  return number;
}

struct Entry {
  std::string name;
  uint16_t flags = 0, method = 0;
  uint32_t checksum = 0, packed_bytes = 0, num_bytes = 0, local_at = 0;
};

/// Where the record is that ends the archive: behind it there is nothing but a comment of the length that it says.
std::optional<size_t> find_end(Bytes bytes) {
  if (bytes.size() < kEndBytes) return std::nullopt;
  const size_t last = bytes.size() - kEndBytes;
  for (size_t back = 0; back <= std::min(last, kMostCommentBytes); ++back) {
    const size_t at = last - back;
    if (number_at<uint32_t>(bytes, at) == kEndSignature && number_at<uint16_t>(bytes, at + 20) == back) return at;
  }
  return std::nullopt;
}

/// Reads the entry at `at`, and moves there to the next one.
Entry read_entry(const std::string& file, Bytes bytes, size_t& at, size_t end) {
  if (end - at < kEntryBytes || number_at<uint32_t>(bytes, at) != kEntrySignature)
    throw UserError(file, "is damaged: its directory has no entry at byte {}", at);
  Entry entry;
  entry.flags = number_at<uint16_t>(bytes, at + 8);
  entry.method = number_at<uint16_t>(bytes, at + 10);
  entry.checksum = number_at<uint32_t>(bytes, at + 16);
  entry.packed_bytes = number_at<uint32_t>(bytes, at + 20);
  entry.num_bytes = number_at<uint32_t>(bytes, at + 24);
  entry.local_at = number_at<uint32_t>(bytes, at + 42);
  const size_t name_bytes = number_at<uint16_t>(bytes, at + 28);
  const size_t whole = kEntryBytes + name_bytes + number_at<uint16_t>(bytes, at + 30) + number_at<uint16_t>(bytes, at + 32);
  if (end - at < whole) throw UserError(file, "is damaged: the entry at byte {} of its directory is cut off", at);
  entry.name.assign(reinterpret_cast<const char*>(bytes.data()) + at + kEntryBytes, name_bytes);
  at += whole;
  return entry;
}

std::vector<Entry> read_directory(const std::string& file, Bytes bytes) {
  const std::optional<size_t> end = find_end(bytes);
  if (!end) throw UserError(file, "is truncated: the directory at the end of a .npz file is missing");
  const auto num_entries = number_at<uint16_t>(bytes, *end + 10);
  const auto directory_bytes = number_at<uint32_t>(bytes, *end + 12), directory_at = number_at<uint32_t>(bytes, *end + 16);
  if (number_at<uint16_t>(bytes, *end + 4) != 0 || number_at<uint16_t>(bytes, *end + 8) != num_entries)
    throw UserError(file, "is an archive in several parts, expected one");
  if (directory_at == kIsInZip64 || num_entries == UINT16_MAX)
    throw UserError(file, "has 4 GiB or 65,535 arrays or more, allowed are less");
  if (uint64_t{directory_at} + directory_bytes > *end)
    throw UserError(file, "is damaged: its directory, {} bytes at {}, does not end before byte {}", directory_bytes,
                    directory_at, *end);
  std::vector<Entry> entries;
  size_t at = directory_at;
  for (int i = 0; i < num_entries; ++i)
    entries.push_back(read_entry(file, bytes, at, size_t{directory_at} + directory_bytes));
  return entries;
}

/// The bytes of an entry as they lie in the archive.
Bytes packed_data(const std::string& subject, Bytes bytes, const Entry& entry) {
  if (entry.packed_bytes == kIsInZip64 || entry.num_bytes == kIsInZip64 || entry.local_at == kIsInZip64)
    throw UserError(subject, "has 4 GiB or more, allowed is less");
  const auto is_there = [&](uint64_t from, uint64_t num_bytes) { return from + num_bytes <= bytes.size(); };
  if (!is_there(entry.local_at, kLocalBytes) || number_at<uint32_t>(bytes, entry.local_at) != kLocalSignature)
    throw UserError(subject, "is damaged: there is no file at byte {} of the archive", entry.local_at);
  const uint64_t data_at = uint64_t{entry.local_at} + kLocalBytes + number_at<uint16_t>(bytes, entry.local_at + 26U) +
                           number_at<uint16_t>(bytes, entry.local_at + 28U);
  if (!is_there(data_at, entry.packed_bytes))
    throw UserError(subject, "is truncated: {} bytes at {} go beyond the {} bytes of the archive", entry.packed_bytes,
                    data_at, bytes.size());
  return bytes.subspan(data_at, entry.packed_bytes);
}

std::vector<std::byte> inflated(const std::string& subject, Bytes packed, uint32_t num_bytes) {
  if (num_bytes > kMostInflation * packed.size() + kMostInflation)
    throw UserError(subject, "is damaged: {} bytes cannot be deflated to {}", num_bytes, packed.size());
  std::vector<std::byte> data(num_bytes);
  z_stream stream{};
  constexpr int kRawDeflate = -15;  // without zlib's own header, with the largest window
  VERNIER_CHECK(::inflateInit2(&stream, kRawDeflate) == Z_OK, "zlib does not start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));  // zlib's type; it writes nothing there
  stream.avail_in = static_cast<uInt>(packed.size());
  std::byte nothing{};
  stream.next_out = reinterpret_cast<Bytef*>(data.empty() ? &nothing : data.data());
  stream.avail_out = static_cast<uInt>(data.size());
  const int status = ::inflate(&stream, Z_FINISH);
  const bool is_whole = status == Z_STREAM_END && stream.avail_out == 0 && stream.avail_in == 0;
  ::inflateEnd(&stream);
  if (!is_whole) throw UserError(subject, "is damaged: its deflated data are not {} bytes", num_bytes);
  return data;
}

std::vector<std::byte> data_of(const std::string& subject, Bytes bytes, const Entry& entry) {
  constexpr uint16_t kIsEncrypted = 1;
  if ((entry.flags & kIsEncrypted) != 0) throw UserError(subject, "is encrypted, expected plain data");
  if (entry.method != kStored && entry.method != kDeflated)
    throw UserError(subject, "is compressed by method {} of ZIP, allowed are 0 (stored) and 8 (deflated)", entry.method);
  const Bytes packed = packed_data(subject, bytes, entry);
  if (entry.method == kStored && packed.size() != entry.num_bytes)
    throw UserError(subject, "is damaged: {} bytes are stored as {}", entry.num_bytes, packed.size());
  std::vector<std::byte> data = entry.method == kStored ? std::vector<std::byte>(packed.begin(), packed.end())
                                                        : inflated(subject, packed, entry.num_bytes);
  const uLong checksum = ::crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size());
  if (checksum != entry.checksum) throw UserError(subject, "is damaged: the checksum of its data is not the archive's");
  return data;
}

}  // namespace

bool is_zip(Bytes bytes) {
  if (bytes.size() < sizeof(uint32_t)) return false;
  const auto signature = number_at<uint32_t>(bytes, 0);
  return signature == kLocalSignature || signature == kEndSignature;  // the latter without any array
}

std::vector<NamedArray> parse_npz(const std::string& subject, Bytes bytes) {
  if (bytes.empty()) throw UserError(subject, "is empty, expected a .npz file");
  if (!is_zip(bytes)) throw UserError(subject, "is not a .npz file: does not start with PK");
  std::vector<NamedArray> arrays;
  for (const Entry& entry : read_directory(subject, bytes)) {
    constexpr std::string_view kEnding = ".npy";
    std::string name = entry.name;
    if (!name.ends_with(kEnding)) throw UserError(subject, "holds a file '{}', allowed are arrays, NAME.npy", name);
    name.resize(name.size() - kEnding.size());
    if (std::ranges::find(arrays, name, &NamedArray::name) != arrays.end())
      throw UserError(subject, "holds two arrays '{}', expected one of each name", name);
    const std::string array_subject = fmt::format("{}: array '{}'", subject, name);
    arrays.push_back({name, parse_npy_array(array_subject, data_of(array_subject, bytes, entry))});
  }
  return arrays;
}

std::vector<NamedArray> read_npz(const std::filesystem::path& path) { return parse_npz(path.string(), read_file(path)); }

}  // namespace vernier::base

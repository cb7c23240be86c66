// SPDX-License-Identifier: Apache-2.0
#include "hw/base/checksum.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace vernier::base {
namespace {

using Tables = std::array<std::array<uint32_t, 256>, 8>;

/// Slicing by eight: table k advances a byte that lies k bytes before the end of the group.
constexpr Tables make_crc_tables() {
  Tables tables{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc & 1U) != 0 ? (crc >> 1U) ^ 0xEDB88320U : crc >> 1U;
    tables[0][i] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t i = 0; i < 256; ++i) tables[k][i] = (tables[k - 1][i] >> 8U) ^ tables[0][tables[k - 1][i] & 0xFFU];
  }
  return tables;
}
constexpr Tables kCrcTables = make_crc_tables();

/// First 32 bits of the fractional parts of the square or cube roots of the first primes (FIPS 180-4, 4.2.2 and 5.3.3).
constexpr uint32_t root_fraction(uint32_t prime, int degree) {
  // Integer root of prime * 2^(32*degree) by bisection in 128 bits; its low 32 bits are the fraction.
  const unsigned __int128 target = static_cast<unsigned __int128>(prime) << static_cast<unsigned>(32 * degree);
  uint64_t low = 0;
  uint64_t high = uint64_t{1} << 37U;
  while (high - low > 1) {
    const uint64_t middle = (low + high) / 2;
    unsigned __int128 power = middle;
    for (int i = 1; i < degree; ++i) power *= middle;
    (power <= target ? low : high) = middle;
  }
  return static_cast<uint32_t>(low);
}
constexpr std::array<uint32_t, 64> make_primes() {
  std::array<uint32_t, 64> primes{};
  size_t count = 0;
  for (uint32_t candidate = 2; count < primes.size(); ++candidate) {
    bool is_prime = true;
    for (uint32_t d = 2; d * d <= candidate; ++d) is_prime = is_prime && candidate % d != 0;
    if (is_prime) primes[count++] = candidate;
  }
  return primes;
}
constexpr std::array<uint32_t, 64> kPrimes = make_primes();
constexpr std::array<uint32_t, 64> kRound = [] {
  std::array<uint32_t, 64> result{};
  for (size_t i = 0; i < 64; ++i) result[i] = root_fraction(kPrimes[i], 3);
  return result;
}();
static_assert(kRound[0] == 0x428a2f98U && kRound[63] == 0xc67178f2U);

using State = std::array<uint32_t, 8>;

void sha256_block(State& state, const std::byte* block) {
  std::array<uint32_t, 64> w{};
  for (size_t i = 0; i < 16; ++i) {
    for (size_t b = 0; b < 4; ++b) w[i] = (w[i] << 8U) | std::to_integer<uint32_t>(block[4 * i + b]);
  }
  for (size_t i = 16; i < 64; ++i) {
    const uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3U);
    const uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10U);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t i = 0; i < 64; ++i) {
    const uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[i] + w[i];
    const uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + t2;
  }
  const State add{a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state[i] += add[i];
}

}  // namespace

uint32_t crc32(std::span<const std::byte> bytes, uint32_t seed) {
  uint32_t crc = ~seed;
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint32_t next = 0;
    for (size_t k = 0; k < 8; ++k) {
      uint32_t value = std::to_integer<uint32_t>(bytes[i + k]);
      if (k < 4) value ^= (crc >> (8U * static_cast<uint32_t>(k))) & 0xFFU;
      next ^= kCrcTables[7 - k][value];
    }
    crc = next;
  }
  for (; i < bytes.size(); ++i) crc = (crc >> 8U) ^ kCrcTables[0][(crc ^ std::to_integer<uint32_t>(bytes[i])) & 0xFFU];
  return ~crc;
}

std::string sha256_hex(std::span<const std::byte> bytes) {
  State state{};
  for (size_t i = 0; i < 8; ++i) state[i] = root_fraction(kPrimes[i], 2);
  size_t at = 0;
  for (; at + 64 <= bytes.size(); at += 64) sha256_block(state, bytes.data() + at);
  std::array<std::byte, 128> tail{};
  const size_t rest = bytes.size() - at;
  for (size_t i = 0; i < rest; ++i) tail[i] = bytes[at + i];
  tail[rest] = std::byte{0x80};
  const size_t tail_size = rest + 9 <= 64 ? 64 : 128;
  const uint64_t num_bits = static_cast<uint64_t>(bytes.size()) * 8;
  for (size_t i = 0; i < 8; ++i) tail[tail_size - 1 - i] = static_cast<std::byte>(num_bits >> (8 * i));
  for (size_t i = 0; i < tail_size; i += 64) sha256_block(state, tail.data() + i);
  std::string text;
  for (const uint32_t word : state) text += fmt::format("{:08x}", word);
  return text;
}

}  // namespace vernier::base

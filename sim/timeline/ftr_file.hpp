// SPDX-License-Identifier: Apache-2.0
// A file of transactions in MINRES's FTR: streams of generators, their transactions with attributes, relations between them.
// The format is that of github.com/Minres/LWTR4SC, src/ftr/ftr_writer.h, which describes it: an array of tagged chunks in
// CBOR. Chunks are not compressed, which the format leaves to the writer.
#pragma once

#include "sim/timeline/cbor.hpp"
#include "sim/timeline/timeline_writer.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vernier::timeline {

class FtrFile {
 public:
  /// A cycle is a nanosecond, as in waves, and the file's unit of time; this is its power of ten, in seconds. The crate
  /// ftr_parser 0.3.0, and with it Surfer, expects other numbers (-12 for nanoseconds) and shows this one as cycles without
  /// a unit.
  static constexpr int kTimescaleExponent = -9;

  /// Returns its id. Streams come before their generators, and all before the first transaction.
  uint64_t add_stream(std::string_view name, std::string_view kind);
  uint64_t add_generator(uint64_t stream, std::string_view name);
  /// Those of one stream in ascending order of their starts; they may overlap. `id` belongs to no other transaction of the
  /// file.
  void add_transaction(uint64_t generator, uint64_t id, int64_t start_cycle, int64_t end_cycle,
                       const std::vector<Argument>& attributes);
  /// Between transactions by their ids, which may come later.
  void add_relation(std::string_view name, uint64_t from_generator, uint64_t from_id, uint64_t to_generator, uint64_t to_id);
  [[nodiscard]] std::vector<std::byte> finish() const;

 private:
  struct Stream {
    Cbor transactions;
    int64_t start_time = INT64_MAX, end_time = 0;
  };
  uint64_t text(std::string_view text);
  std::map<std::string, uint64_t, std::less<>> texts_{{"", 0}};
  std::vector<std::string> dictionary_{""};
  Cbor directory_, relations_;
  std::vector<Stream> streams_;                // by id - 1
  std::vector<uint64_t> stream_of_generator_;  // by id - 1
};

}  // namespace vernier::timeline

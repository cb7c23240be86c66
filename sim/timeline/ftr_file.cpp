// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline/ftr_file.hpp"

#include "hw/base/error.hpp"

#include <algorithm>
#include <span>

namespace vernier::timeline {
namespace {

constexpr uint64_t kSelfDescribed = 55799, kEpoch = 1;  // tags of CBOR itself
// Tags of chunks, of entries of the directory, and of parts of a transaction.
constexpr uint64_t kInfo = 6, kDictionary = 8, kDirectory = 10, kTransactions = 12, kRelations = 14;
constexpr uint64_t kStream = 16, kGenerator = 17;
constexpr uint64_t kEvent = 6, kAttribute = 8;
// Types of attributes.
constexpr uint64_t kInteger = 2, kString = 10;

}  // namespace

uint64_t FtrFile::text(std::string_view text) {
  const auto [entry, is_new] = texts_.try_emplace(std::string(text), dictionary_.size());
  if (is_new) dictionary_.emplace_back(text);
  return entry->second;
}

uint64_t FtrFile::add_stream(std::string_view name, std::string_view kind) {
  streams_.emplace_back();
  directory_.add_tag(kStream);
  directory_.begin_array(3);
  directory_.add_unsigned(streams_.size());
  directory_.add_unsigned(text(name));
  directory_.add_unsigned(text(kind));
  return streams_.size();
}

uint64_t FtrFile::add_generator(uint64_t stream, std::string_view name) {
  VERNIER_CHECK(stream >= 1 && stream <= streams_.size(), "a generator of stream {}", stream);
  stream_of_generator_.push_back(stream);
  directory_.add_tag(kGenerator);
  directory_.begin_array(3);
  directory_.add_unsigned(stream_of_generator_.size());
  directory_.add_unsigned(text(name));
  directory_.add_unsigned(stream);
  return stream_of_generator_.size();
}

void FtrFile::add_transaction(uint64_t generator, uint64_t id, int64_t start_cycle, int64_t end_cycle,
                              const std::vector<Argument>& attributes) {
  Stream& stream = streams_.at(stream_of_generator_.at(generator - 1) - 1);
  stream.start_time = std::min(stream.start_time, start_cycle);
  stream.end_time = std::max(stream.end_time, end_cycle);
  Cbor& out = stream.transactions;
  out.begin_array(attributes.size() + 1);
  out.add_tag(kEvent);
  out.begin_array(4);
  out.add_unsigned(id);
  out.add_unsigned(generator);
  out.add_integer(start_cycle);
  out.add_integer(end_cycle);
  for (const Argument& attribute : attributes) {
    const auto* number = std::get_if<int64_t>(&attribute.value);
    out.add_tag(kAttribute);
    out.begin_array(3);
    out.add_unsigned(text(attribute.name));
    out.add_unsigned(number != nullptr ? kInteger : kString);
    number != nullptr ? out.add_integer(*number) : out.add_unsigned(text(std::get<std::string>(attribute.value)));
  }
}

void FtrFile::add_relation(std::string_view name, uint64_t from_generator, uint64_t from_id, uint64_t to_generator,
                           uint64_t to_id) {
  relations_.begin_array(5);
  relations_.add_unsigned(text(name));
  relations_.add_unsigned(from_id);
  relations_.add_unsigned(to_id);
  relations_.add_unsigned(stream_of_generator_.at(from_generator - 1));
  relations_.add_unsigned(stream_of_generator_.at(to_generator - 1));
}

std::vector<std::byte> FtrFile::finish() const {
  Cbor file;
  const auto add_list = [&file](const Cbor& items) {
    Cbor list;
    list.begin_array();
    list.append(items);
    list.end();
    file.add_items(list);
  };
  file.add_tag(kSelfDescribed);
  file.begin_array();
  Cbor info;
  info.begin_array(2);
  info.add_integer(kTimescaleExponent);
  info.add_tag(kEpoch);
  info.add_unsigned(0);  // when it was made: the same job gives the same bytes
  file.add_tag(kInfo);
  file.add_items(info);

  Cbor dictionary;
  dictionary.begin_map(dictionary_.size());
  for (size_t i = 0; i < dictionary_.size(); ++i) {
    dictionary.add_unsigned(i);
    dictionary.add_text(dictionary_[i]);
  }
  file.add_tag(kDictionary);
  file.add_items(dictionary);
  file.add_tag(kDirectory);
  add_list(directory_);
  for (size_t i = 0; i < streams_.size(); ++i) {
    const Stream& stream = streams_[i];
    if (stream.transactions.bytes().empty()) continue;
    file.add_tag(kTransactions);
    file.begin_array(4);
    file.add_unsigned(i + 1);
    file.add_integer(stream.start_time);
    file.add_integer(stream.end_time);
    add_list(stream.transactions);
  }
  file.add_tag(kRelations);
  add_list(relations_);
  file.end();
  const auto bytes = std::as_bytes(std::span(file.bytes()));
  return {bytes.begin(), bytes.end()};
}

}  // namespace vernier::timeline

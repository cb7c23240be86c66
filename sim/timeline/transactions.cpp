// SPDX-License-Identifier: Apache-2.0
#include "sim/timeline/transactions.hpp"

#include "hw/base/error.hpp"
#include "hw/base/text.hpp"
#include "sim/explain/data_use.hpp"
#include "sim/timeline/command_facts.hpp"
#include "sim/timeline/ftr_file.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fnmatch.h>
#include <set>

namespace vernier::timeline {
namespace {

enum class Direction : uint8_t { Read, Write };
constexpr std::array<std::string_view, 2> kDirectionNames{"read", "write"};

/// A transaction before it is in the file.
struct Transaction {
  uint64_t generator = 0, id = 0;
  int64_t start_cycle = 0, end_cycle = 0;
  std::vector<Argument> attributes;
};

class Recorder {
 public:
  Recorder(const WatchedJob& watched, const waves::Window& window, const std::optional<std::string>& scope)
      : watched_(watched),
        job_(watched.job),
        window_(window),
        scope_(scope),
        facts_(watched.package, watched.job, watched.layer_names),
        next_id_(kIdsPerCommand * watched.job.commands.size() + 1) {}

  std::vector<std::byte> run() {
    declare();
    find_commands();
    find_fetches();
    find_tokens();
    // The reader shows overlapping transactions in rows, which it finds in the order of the file.
    std::stable_sort(transactions_.begin(), transactions_.end(),
                     [](const Transaction& a, const Transaction& b) { return a.start_cycle < b.start_cycle; });
    for (const Transaction& t : transactions_) {
      file_.add_transaction(t.generator, t.id, t.start_cycle, t.end_cycle, t.attributes);
      kept_.insert(t.id);
    }
    const explain::DataUse use = explain::data_use_of(watched_.package, job_);
    for (size_t reader = 0; reader < use.sources.size(); ++reader) {
      for (const explain::DataSource& source : use.sources[reader])
        relations_.push_back({"data", command_of(static_cast<size_t>(source.writer_idx)), command_of(reader)});
    }
    for (const Relation& relation : relations_) {
      if (!kept_.contains(relation.from.id) || !kept_.contains(relation.to.id)) continue;
      file_.add_relation(relation.name, relation.from.generator, relation.from.id, relation.to.generator, relation.to.id);
    }
    return file_.finish();
  }

 private:
  struct Place {
    uint64_t generator = 0, id = 0;
  };
  struct Relation {
    std::string_view name;
    Place from, to;
  };
  // A command, its fetch, what it reads and writes outside, what its fetch reads there.
  static constexpr uint64_t kIdsPerCommand = 5;
  static uint64_t first_id(size_t command_idx) { return kIdsPerCommand * command_idx + 1; }

  void declare() {
    const auto add_stream = [&](const std::string& name, std::string_view kind) {
      streams_.push_back(name);
      return file_.add_stream(name, kind);
    };
    constexpr std::array<std::string_view, spec::kNumQueues> kScopes{"npu.dma.channel0", "npu.dma.channel1", "npu.mac_array",
                                                                     "npu.vector_unit"};
    for (size_t queue = 0; queue < spec::kNumQueues; ++queue)
      command_generators_[queue] = add_generator(add_stream(std::string(kScopes[queue]), "commands"), "command");
    fetch_generator_ = add_generator(add_stream("npu.command_processor", "fetches"), "fetch");
    const uint64_t external = add_stream("npu.external", "burst groups");
    for (size_t i = 0; i < kDirectionNames.size(); ++i) burst_generators_[i] = add_generator(external, kDirectionNames[i]);
    const uint64_t tokens = add_stream("npu.token_bank", "tokens");
    for (size_t giver = 0; giver < spec::kNumQueues; ++giver) {
      for (size_t taker = 0; taker < spec::kNumQueues; ++taker)
        token_generators_[giver][taker] =
            add_generator(tokens, fmt::format("{}_to_{}", spec::kQueueNames[giver], spec::kQueueNames[taker]));
    }
    if (scope_ && wanted_.empty())
      throw base::UserError("--wave-scope", "'{}' matches no transaction, there are {}", base::printable(*scope_),
                            fmt::join(paths_, ", "));
  }
  uint64_t add_generator(uint64_t stream, std::string_view name) {
    const uint64_t id = file_.add_generator(stream, name);
    paths_.push_back(streams_[stream - 1] + "." + std::string(name));
    if (!scope_ || fnmatch(scope_->c_str(), paths_.back().c_str(), 0) == 0) wanted_.insert(id);
    return id;
  }

  void add(Transaction transaction) {
    if (!wanted_.contains(transaction.generator)) return;
    if (transaction.end_cycle <= window_.from_cycle || transaction.start_cycle >= window_.to_cycle) return;
    transactions_.push_back(std::move(transaction));
  }
  [[nodiscard]] Place command_of(size_t command_idx) const {
    return {command_generators_[static_cast<size_t>(job_.commands[command_idx].queue)], first_id(command_idx)};
  }

  void find_commands() {
    for (size_t i = 0; i < job_.commands.size(); ++i) {
      const units::CommandRecord& record = job_.commands[i];
      if (record.work == units::Work::None) continue;
      const Place place = command_of(i);
      const int64_t end = record.end_cycle < 0 ? job_.cycles : record.end_cycle;
      add({place.generator, place.id, record.start_cycle, end, facts_.whole(i)});
      const timing::Traffic own = facts_.own_traffic(i);
      add_bursts(i, Direction::Read, own.external_read_bytes, record.main);
      add_bursts(i, Direction::Write, own.external_write_bytes, record.main);
    }
  }
  void add_bursts(size_t command_idx, Direction direction, int64_t bytes, const units::PhaseRecord& phase) {
    if (bytes == 0) return;
    const auto index = static_cast<size_t>(direction);
    const Place place{burst_generators_[index], first_id(command_idx) + 2 + index};
    add({place.generator,
         place.id,
         phase.start_cycle,
         facts_.end_of(phase),
         {{"command_idx", facts_.number(command_idx)},
          {"bytes", bytes},
          {"bursts", base::ceil_div(bytes, watched_.package.config.external.burst_bytes)}}});
    relations_.push_back({"moves", command_of(command_idx), place});
  }

  void find_fetches() {
    for_each_fetch(watched_, [&](size_t command_idx, int64_t begin, int64_t end) {
      const Place place{fetch_generator_, first_id(command_idx) + 1};
      add({place.generator, place.id, begin, end, facts_.identity(command_idx)});
      if (job_.commands[command_idx].work != units::Work::None)
        relations_.push_back({"issues", place, command_of(command_idx)});
      const timing::Phase fetch = facts_.fetch_phase(command_idx);
      const int64_t bytes = fetch.demand[static_cast<size_t>(timing::Resource::ExternalRead)];
      if (bytes == 0) return;
      // A stream is read on and on: its bursts are not those of one command.
      const Place moved{burst_generators_[0], first_id(command_idx) + 4};
      add({moved.generator,
           moved.id,
           begin,
           std::min(end, begin + fetch.cycles),
           {{"command_idx", facts_.number(command_idx)}, {"bytes", bytes}}});
      relations_.push_back({"moves", place, moved});
    });
  }

  void find_tokens() {
    for_each_token(watched_, [&](size_t giver_queue, size_t taker_queue, const kit::Handover& token) {
      const Place place{token_generators_[giver_queue][taker_queue], next_id_++};
      const auto giver_idx = static_cast<size_t>(token.giver_idx), taker_idx = static_cast<size_t>(token.taker_idx);
      const Place giver = command_of(giver_idx), taker = command_of(taker_idx);
      add({place.generator,
           place.id,
           token.given_cycle,
           token.taken_cycle,
           {{"giver_command_idx", facts_.number(giver_idx)}, {"taker_command_idx", facts_.number(taker_idx)}}});
      relations_.push_back({"token", giver, taker});
      relations_.push_back({"gives", giver, place});
      relations_.push_back({"starts", place, taker});
    });
  }

  const WatchedJob& watched_;
  const soc::JobResult& job_;
  const waves::Window& window_;
  const std::optional<std::string>& scope_;
  CommandFacts facts_;
  uint64_t next_id_;  // of tokens
  FtrFile file_;
  std::vector<std::string> streams_, paths_;
  std::set<uint64_t> wanted_, kept_;  // generators, transactions
  std::array<uint64_t, spec::kNumQueues> command_generators_{};
  std::array<uint64_t, kDirectionNames.size()> burst_generators_{};
  std::array<std::array<uint64_t, spec::kNumQueues>, spec::kNumQueues> token_generators_{};
  uint64_t fetch_generator_ = 0;
  std::vector<Transaction> transactions_;
  std::vector<Relation> relations_;
};

}  // namespace

std::vector<std::byte> to_transactions(const WatchedJob& watched, const waves::Window& window,
                                       const std::optional<std::string>& scope) {
  return Recorder(watched, window, scope).run();
}

}  // namespace vernier::timeline

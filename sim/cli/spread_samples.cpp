// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/spread_samples.hpp"

#include "hw/base/error.hpp"
#include "sim/cli/exit_code.hpp"
#include "sim/cli/workers.hpp"

#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <map>
#include <new>
#include <string>
#include <unistd.h>

namespace vernier::cli {
namespace {

/// In the process of a piece: it ends here, since all else is the affair of the one that it was forked from.
[[noreturn]] void end_as_worker(const Workers& workers, size_t piece,
                                const std::function<std::string(size_t piece)>& work) noexcept {
  int exit_code = kExitSuccess;
  try {
    workers.send(work(piece));
  } catch (const std::bad_alloc&) {
    std::fputs("memory ran out", stderr);
    exit_code = kExitBadInput;
  } catch (const std::exception& error) {
    std::fputs(error.what(), stderr);
    exit_code = kExitInternal;
  }
  std::fflush(stderr);
  ::_exit(exit_code);
}

void check_piece(const Finished& finished) {
  if (finished.signal == 0 && finished.exit_code == kExitSuccess) return;
  const bool lacks_memory = finished.signal == SIGKILL || finished.exit_code == kExitBadInput;
  const std::string how = finished.signal != 0 ? fmt::format("signal {} ({})", finished.signal, ::strsignal(finished.signal))
                                               : finished.error_text;
  if (lacks_memory)
    throw base::EnvironmentError("--inputs", "a process of samples was ended: {}; --jobs 1 needs least memory", how);
  VERNIER_CHECK(false, "a process of samples was ended: {}", how);
}

}  // namespace

flow::Spread spread_over_workers(std::optional<int64_t> jobs) {
  const size_t num_jobs = jobs ? static_cast<size_t>(*jobs) : num_processors();
  if (num_jobs == 1) return {};
  return [num_jobs](size_t num_pieces, const std::function<std::string(size_t piece)>& work,
                    const std::function<void(size_t piece, const std::string& result)>& take) {
    Workers workers;
    std::map<size_t, std::string> waiting;  // results of pieces that are not the next one
    size_t next_taken = 0;
    for (size_t next = 0; next < num_pieces || workers.num_running() > 0;) {
      if (next < num_pieces && workers.num_running() < num_jobs) {
        const size_t piece = next++;
        if (workers.start(piece)) end_as_worker(workers, piece, work);
        continue;
      }
      Finished finished = workers.wait();
      check_piece(finished);
      waiting.emplace(finished.idx, std::move(finished.output));
      for (auto piece = waiting.find(next_taken); piece != waiting.end(); piece = waiting.find(++next_taken)) {
        take(piece->first, piece->second);
        waiting.erase(piece);
      }
    }
  };
}

}  // namespace vernier::cli

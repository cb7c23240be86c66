// SPDX-License-Identifier: Apache-2.0
#include "compiler/schedule/schedule.hpp"

#include "compiler/schedule/least_rung.hpp"
#include "compiler/schedule/race.hpp"
#include "compiler/schedule/rungs.hpp"
#include "compiler/schedule/trials.hpp"
#include "hw/base/error.hpp"
#include "hw/spec/registers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

namespace vernier::schedule {
namespace {

/// Commands that one compilation makes, arranges and plays in all its trials: what host time is spent on. The first
/// candidates may use more.
constexpr int64_t kWorkCommands = 800'000, kMostWorkCommands = 1'800'000;
/// Of longer plans one is carried out, not one for the rung and one for the whole SRAM.
constexpr int64_t kTwiceCommands = 150'000;
/// The same for rooms of smaller sizes, besides.
constexpr int64_t kRoomWorkCommands = 150'000;
/// The same for plans of a short program that are made for sizes far below the SRAM, besides.
constexpr int64_t kFarWorkCommands = 300'000;
/// Rungs below its own that a short program is planned for as well: a quarter of the SRAM. Measured on KWS in 4 to 20 KiB,
/// in steps of 256 B on v1024: without them 3.4 % above a smaller SRAM at the worst size, with them 0.5 %.
constexpr int kSmallerRungs = 8;
/// A program of few commands is searched for in so many smaller sizes of SRAM per octave.
constexpr int64_t kSearchesPerOctave = 2;
/// In memory mode sram, the sizes of SRAM for which stripes are cut, too, where a schedule has at most so many commands.
/// Without them a fifth of 25 drawn inverted-residual networks took up to 5.4 % more cycles in memory mode sram than with
/// the weights outside (v64), with them none.
constexpr std::array<int64_t, 4> kSmallerSets{256 << 10, 64 << 10, 16 << 10, 4 << 10};
constexpr size_t kMostRestriped = 100;
constexpr int64_t kNoSize = int64_t{1} << 60;  // of SRAM: more than any machine has

class Scheduler {
 public:
  Scheduler(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
            const Options& options)
      : trials_(program, graph, config, options) {}

  /// None when nothing fits; need() says what would.
  std::optional<Schedule> run() {
    if (!(task_.stages_constants() ? run_with_memory() : run_in_sram())) return std::nullopt;
    trials_.try_shorter_queues();
    Schedule best = std::move(*trials_.best());
    best.plans = trials_.plans();
    best.image = std::move(task_.image);
    best.image.bytes.resize(static_cast<size_t>(best.image_bytes));
    return best;
  }

  /// After run() or without it.
  std::optional<SramNeed> need(int64_t most_work) {
    most_search_work_ = most_work == kNever ? kNever : most_work + search_work();
    if (least_bytes_ == 0 && task_.stages_constants()) {
      find_least();
    } else if (least_bytes_ == 0) {
      find_least_in_sram(trials_.num_attempts() > 0 ? config().sram_bytes : 0);
    }
    if (is_searched_enough()) return std::nullopt;
    return SramNeed{least_bytes_ == kNoSize ? 0 : least_bytes_, trials_.num_attempts()};
  }

  /// Whether the least parts of each step find room in the SRAM, but are too many. After run().
  bool has_too_many_commands() {
    if (!task_.stages_constants()) return is_too_long_;
    const Candidate candidate = plan_for(config().sram_bytes / step_bytes() * step_bytes());
    return candidate.plan->fits && candidate.plan->num_commands > most_commands();
  }

 private:
  [[nodiscard]] const config::MachineConfig& config() const { return trials_.config(); }
  [[nodiscard]] int64_t step_bytes() const { return trials_.step_bytes(); }
  [[nodiscard]] int64_t most_commands() const { return task_.options.most_commands; }
  [[nodiscard]] int64_t search_work() const { return trials_.arranged_commands() + planned_steps_; }
  [[nodiscard]] bool is_searched_enough() const { return search_work() > most_search_work_; }

  /// The plan that a search for the least size asks for.
  Candidate plan_for(int64_t bytes) {
    Candidate candidate = make_candidate(task_, trials_.machines(), bytes, 0, Ends::Exposed);
    planned_steps_ += static_cast<int64_t>(task_.steps.size());
    return candidate;
  }
  bool is_promising(int64_t bytes) {
    const Candidate candidate = plan_for(bytes);
    return candidate.plan->fits && candidate.plan->num_commands <= most_commands();
  }

  /// Whether there is a schedule.
  bool run_in_sram() {
    trials_.plans().of = "order of the stream";
    int64_t bound_cycles = 0;
    const bool fits = try_in_sram([&](Attempt& attempt) {
      trials_.keep_best_order(attempt, "as laid out");
      if (trials_.has_choice()) bound_cycles = attempt.lower_bound_cycles();
    });
    if (fits && trials_.has_choice() && best()->commands.size() <= kMostRestriped) try_smaller_stripes(bound_cycles);
    return fits;
  }

  /// Where the array and the vector unit take turns, shorter stripes overlap more, and cost more fills of pipelines. The
  /// first schedule, `plain`, has the fewest commands; another one has to save a hundredth.
  void try_smaller_stripes(int64_t plain_bound_cycles) {
    const int64_t most_cycles = 99 * best()->cycles / 100;
    if (plain_bound_cycles >= most_cycles) return;
    Trials::Best plain = trials_.take_best();
    const MemoryPlan plan = plan_without_memory(task_.steps, task_.program);
    PlannedFor planned_for{config()};
    for (const int64_t bytes : kSmallerSets) {
      if (bytes >= config().sram_bytes) continue;
      Attempt attempt(task_, plan, planned_for, trials_.rules(bytes));
      trials_.count(attempt);
      if (attempt.is_too_long() || attempt.lower_bound_cycles() >= most_cycles) continue;
      if (attempt.fit({config().sram_bytes})) trials_.keep_best_order(attempt, fmt::format("stripes for {} B", bytes));
    }
    if (!best() || best()->cycles > most_cycles) trials_.put_best(std::move(plain));
  }

  /// Whether the SRAM has room; `take` gets what fits.
  bool try_in_sram(const std::function<void(Attempt&)>& take) {
    const MemoryPlan plan = plan_without_memory(task_.steps, task_.program);
    PlannedFor planned_for{config()};
    for (const int64_t working_set_bytes : {config().sram_bytes, int64_t{0}}) {  // 0: fewest commands, which take room
      Attempt attempt(task_, plan, planned_for, trials_.rules(working_set_bytes));
      is_too_long_ = attempt.is_too_long();
      const bool fits = !is_too_long_ && attempt.fit({config().sram_bytes});
      trials_.count(attempt);
      if (is_too_long_) continue;
      needed_bytes_ = attempt.total_bytes();
      if (!fits) continue;
      take(attempt);
      return true;
    }
    return false;
  }

  /// Finds the least SRAM that holds the program in memory mode sram. `refused_bytes` is a size that has been refused, 0
  /// where none has. Afterwards the trials have another size.
  void find_least_in_sram(int64_t refused_bytes) {
    const auto fits_in = [&](int64_t bytes) {
      trials_.set_sram_bytes(bytes);
      return try_in_sram([](Attempt&) {});
    };
    const int64_t step = step_bytes();
    fits_in(0);  // tells what is needed, in the same way whatever has been refused
    if (is_too_long_) {
      least_bytes_ = kNoSize;
      return;
    }
    int64_t too_small = refused_bytes / step * step;
    int64_t enough = std::max(base::round_up(needed_bytes_, step), too_small + step);
    if (fits_in(enough)) {
      while (enough - step > too_small && !is_searched_enough() && fits_in(enough - step)) enough -= step;
    } else {
      do {
        too_small = enough;
        enough += base::round_up(std::max<int64_t>(1, enough / 32), step);
      } while (!is_searched_enough() && !fits_in(enough));
      while (enough - too_small > step && !is_searched_enough()) {
        const int64_t middle = too_small + (enough - too_small) / (2 * step) * step;
        (fits_in(middle) ? enough : too_small) = middle;
      }
    }
    least_bytes_ = enough;
  }

  /// The best of the candidates: first those for the rung at most and, of a short program, for smaller sizes, so that two
  /// sizes between the same rungs have them in common, then those that the whole SRAM has besides. A size below the least
  /// one is refused, whatever candidates might fit it: a larger one may not find them. Where none fits: the plan of the
  /// least size.
  bool run_with_memory() {
    const int64_t rung_bytes = rung_at_most(config().sram_bytes, step_bytes());
    if (!is_sure_to_fit(rung_bytes)) find_least();
    if (least_bytes_ > config().sram_bytes) return false;
    const int64_t sram_bytes = trials_.set_sram_bytes(rung_bytes);
    const Found found = search();
    if (found.are_few) {
      search_as_on_smaller_machines(rung_bytes);
      trials_.begin_search(sram_bytes);
    } else {
      if (found.are_short) search_smaller_rungs(rung_bytes);
      trials_.set_sram_bytes(rung_bytes);
      if (found.are_short && best() && !is_good_enough()) search_far_below();
      trials_.set_sram_bytes(sram_bytes);
    }
    const bool has_more = sram_bytes - rung_bytes >= step_bytes();
    const bool has_time = !best() || !found.are_long || static_cast<int64_t>(best()->commands.size()) <= kTwiceCommands;
    if (has_more && has_time && !(best() && is_good_enough())) {
      search();
    }
    if (!best() && trials_.too_much_outside()) throw TooMuchOutside(*trials_.too_much_outside());
    if (!best()) {
      if (least_bytes_ == 0) find_least();
      if (least_bytes_ > sram_bytes) return false;
      trials_.set_sram_bytes(least_bytes_);
      trials_.carry_out(plan_for(least_bytes_));
      trials_.set_sram_bytes(sram_bytes);
    }
    if (leaves_no_room_for_weights(least_bytes_ == 0 ? plan_for(rung_bytes).plan->least_bytes : least_bytes_))
      best()->least_bytes = least_bytes_;
    return best().has_value();
  }

  /// Whether a plan for that rung has so few commands, and so much room, that nobody needs to search for the least size.
  bool is_sure_to_fit(int64_t rung_bytes) {
    const std::shared_ptr<const MemoryPlan> plan = plan_for(rung_bytes).plan;
    return plan->fits && 10 * plan->num_commands < 8 * most_commands() && rung_bytes >= 2 * plan->least_bytes;
  }

  /// What fits a smaller SRAM fits this one: each of the usual sizes below it is searched by itself, so that no schedule of
  /// a smaller machine is lost. The greedy orders of more room would lose some. Where no plan could take fewer cycles than
  /// the best schedule, smaller sizes have none either: their plans copy more.
  void search_as_on_smaller_machines(int64_t rung_bytes) {
    for (int64_t bytes = size_below(rung_bytes); bytes > 0; bytes = size_below(bytes)) {
      trials_.begin_search(bytes);
      search();
      if (best() && trials_.least_bound_cycles() >= best()->cycles) return;
    }
  }

  [[nodiscard]] int64_t size_below(int64_t bytes) const {
    const int64_t spacing = spacing_bytes(bytes - 1, step_bytes(), kSearchesPerOctave);
    return (bytes - 1) / spacing * spacing;
  }

  /// What fits a smaller SRAM fits this one.
  void search_smaller_rungs(int64_t rung_bytes) {
    for (int i = 0; i < kSmallerRungs && rung_bytes > step_bytes() && best() && !is_good_enough(); ++i) {
      rung_bytes = rung_at_most(rung_bytes - 1, step_bytes());
      trials_.set_sram_bytes(rung_bytes);
      search();
    }
  }

  /// The best of plans for sizes far below the SRAM.
  void search_far_below() {
    const int64_t most_work = trials_.work_commands() + kFarWorkCommands;
    for (const Candidate& candidate : make_far_candidates(task_, trials_.machines())) {
      if (is_good_enough() || trials_.work_commands() > most_work) return;
      trials_.carry_out(candidate);
    }
  }

  struct Found {
    bool are_long = false, are_short = false, are_few = false;  // the plans
  };

  /// Carries out candidates for the SRAM that there is.
  Found search() {
    Candidates candidates = make_candidates(task_, trials_.machines());
    const Found found{candidates.are_long, candidates.are_short, candidates.are_few};
    const int64_t work_before = found.are_few ? trials_.work_commands() : least_work_commands_;
    Race race(std::move(candidates), config().sram_bytes, step_bytes());
    std::vector<Result> results;
    bool is_first = true;
    while (const Candidate* candidate = race.next(trials_.best_of_search())) {
      const int64_t most_work = race.has_tried_first() ? kWorkCommands : kMostWorkCommands;
      if (!is_first && trials_.best_of_search() && trials_.work_commands() - work_before > most_work) break;
      is_first = false;
      const std::optional<int64_t> cycles = trials_.carry_out(*candidate);
      race.tell(cycles);
      if (cycles) results.push_back({*cycles, candidate});
      if (trials_.best_of_search() && (!trials_.has_choice() || (race.has_tried_first() && is_good_enough()))) break;
    }
    if (best() && !found.are_long && !found.are_short && !is_good_enough()) try_smaller_rooms(std::move(results));
    return found;
  }

  struct Result {
    int64_t cycles;
    const Candidate* candidate;
  };

  /// A larger room is not always the better one. So the best candidates get the rooms that smaller sizes of SRAM would give
  /// them, as long as host time allows.
  void try_smaller_rooms(std::vector<Result> results) {
    std::stable_sort(results.begin(), results.end(), [](const Result& a, const Result& b) { return a.cycles < b.cycles; });
    int64_t work_left = kRoomWorkCommands;
    for (const Result& result : results) {
      const Candidate& candidate = *result.candidate;
      if (candidate.plan->num_commands > Trials::kManyCommands) continue;
      // To arrange and to play a schedule and one that is sorted: about four times its commands.
      const auto num_rooms = static_cast<size_t>(work_left / (1 + 4 * candidate.plan->num_commands));
      const std::vector<int64_t> rooms = smaller_rooms(candidate.planned_bytes, num_rooms);
      const int64_t work_before = trials_.work_commands();
      if (!rooms.empty()) trials_.carry_out(candidate, rooms);
      work_left -= std::min(work_left, trials_.work_commands() - work_before);
    }
  }

  /// Rungs between what a plan is made for and the SRAM, half of it at least, the largest first.
  [[nodiscard]] std::vector<int64_t> smaller_rooms(int64_t planned_bytes, size_t most) const {
    const int64_t step = step_bytes(), least = std::max(planned_bytes + 1, config().sram_bytes / 2);
    std::vector<int64_t> rooms;
    for (int64_t bytes = rung_at_most(config().sram_bytes - 1, step); bytes >= least && rooms.size() < most;
         bytes = rung_at_most(bytes - 1, step)) {
      rooms.push_back(bytes);
    }
    return rooms;
  }

  /// Whether nobody asks for a better schedule than the best, or no plan that has been carried out, however it is ordered,
  /// could be a thousandth better.
  [[nodiscard]] bool is_good_enough() {
    const int64_t bound_cycles = trials_.least_bound_cycles();
    const std::optional<int64_t> cycles = trials_.best_of_search();
    return !trials_.has_choice() || (cycles && *cycles - bound_cycles <= bound_cycles / 1000);
  }

  /// In memory mode weights-external, where all maps stay: whether the SRAM is less than four times the least that works.
  /// `near_bytes` is near that, or below it.
  [[nodiscard]] bool leaves_no_room_for_weights(int64_t near_bytes) {
    if (config().memory_mode != spec::MemoryMode::WeightsExternal || config().sram_bytes >= 8 * near_bytes) return false;
    if (least_bytes_ == 0) find_least();
    if (least_bytes_ == kNoSize) return false;
    return config().sram_bytes < 4 * least_bytes_;
  }

  /// Finds the least rung that works: by the size of plans first, for to carry out long ones takes long. It is the same
  /// whatever the SRAM is.
  void find_least() {
    const int64_t work_before = trials_.work_commands();
    search_least();
    least_work_commands_ += trials_.work_commands() - work_before;
  }

  void search_least() {
    const int64_t step = step_bytes(), least = base::round_up(std::max<int64_t>(1, plan_for(step).plan->least_bytes), step);
    const int64_t most = std::max(rung_above(least, step), spec::kMaxSramBytes);
    least_bytes_ = kNoSize;
    const auto promising = least_rung(least, most, step, [this](int64_t bytes) { return is_promising(bytes); });
    if (!promising) return;
    const std::optional<TooMuchOutside>& too_much = trials_.too_much_outside();
    for (int64_t bytes = *promising; bytes <= most && !is_searched_enough(); bytes = rung_above(bytes, step)) {
      const int64_t there_is = trials_.set_sram_bytes(bytes);
      const bool fits = trials_.fits(plan_for(bytes));
      trials_.set_sram_bytes(there_is);
      if (fits) {
        least_bytes_ = bytes;
        return;
      }
      if (too_much && bytes >= there_is) throw TooMuchOutside(*too_much);
    }
  }

  std::optional<Schedule>& best() { return trials_.best(); }

  Trials trials_;
  Task& task_ = trials_.task();
  int64_t planned_steps_ = 0, most_search_work_ = kNever;  // of need()
  int64_t needed_bytes_ = 0;                               // of the last attempt in memory mode sram
  bool is_too_long_ = false;                               // that attempt
  int64_t least_bytes_ = 0;                                // what need() found; 0: nothing has been searched
  int64_t least_work_commands_ = 0;                        // that this search took
};

}  // namespace

std::optional<Schedule> try_schedule(const passes::Program& program, const ir::Graph& graph,
                                     const config::MachineConfig& config, const Options& options) {
  return Scheduler(program, graph, config, options).run();
}

Schedule make_schedule(const passes::Program& program, const ir::Graph& graph, const config::MachineConfig& config,
                       const Options& options) {
  Scheduler scheduler(program, graph, config, options);
  std::optional<Schedule> schedule = scheduler.run();
  if (schedule) return std::move(*schedule);
  const bool has_too_many_commands = scheduler.has_too_many_commands();
  throw TooLittleSram(scheduler.need(kNever).value(), has_too_many_commands);
}

std::optional<SramNeed> sram_need(const passes::Program& program, const ir::Graph& graph,
                                  const config::MachineConfig& config, const Options& options, int64_t most_work) {
  return Scheduler(program, graph, config, options).need(most_work);
}

}  // namespace vernier::schedule

# SPDX-License-Identifier: Apache-2.0
"""Faults in what the machine tells those who watch it: waves and timelines."""

WATCHED_FAULTS = (
    ("watched: a command enters its queue untold", "sim/units/queued_unit.cpp",
     "queue_.push_back(std::move(command));\n  queue_changed();", "queue_.push_back(std::move(command));", ("test_sim_soc",)),
    ("watched: a command leaves its queue untold", "sim/units/queued_unit.cpp", "queue_.pop_front();\n  queue_changed();",
     "queue_.pop_front();", ("test_sim_soc",)),
    ("watched: a drain counts as a main phase", "sim/units/queued_unit.cpp",
     "show(is_drain ? drain_command_ : command_, running.issued.command_idx);", "show(command_, running.issued.command_idx);", ("test_sim_soc",)),
    ("watched: a phase has no end", "sim/units/queued_unit.cpp", "  show(is_drain ? drain_command_ : command_, kit::kNoIndex);\n", "", ("test_sim_soc",)),
    ("watched: a token is taken untold", "sim/units/token_bank.cpp",
     "now()});\n    show_count(giver, static_cast<size_t>(taker));", "now()});", ("test_sim_soc",)),
    ("watched: a token is given untold", "sim/units/token_bank.cpp",
     "    show_count(static_cast<size_t>(giver), taker);\n    if (listeners_", "    if (listeners_", ("test_sim_soc",)),
    ("watched: a unit's state comes late", "sim/kit/state_tracker.cpp", "shown_.change(merged_until_, bucket);",
     "shown_.change(merged_until_ + cycles, bucket);", ("test_sim_soc",)),
    ("watched: one resource's bytes are another's", "sim/mem/in_flight_arbiter.cpp", "client.demand[i]);", "client.demand[0]);", ("test_sim_soc",)),
    ("watched: the last value of a cycle is dropped", "sim/waves/recording.cpp", "list.pop_back();\n", "(void)list.size();\n", ("test_sim_waves", "test_sim_soc")),
    ("watched: a rate keeps what has ended", "sim/waves/recording.cpp", "return stretch.end_cycle <= edge;",
     "return stretch.end_cycle < edge;", ("test_sim_waves",)),
)

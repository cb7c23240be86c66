# SPDX-License-Identifier: Apache-2.0
"""Faults of the mutants' table: the timer and the watchdog of the system around the control CPU, and what firmware may hold."""

SOC = ("test_sim_soc",)

SYSTEM_FAULTS = (
    ("the timer is due a cycle late", "sim/soc/timer.cpp", "time() >= compare_;", "time() > compare_;", SOC),
    ("the timer forgets an earlier COMPARE", "sim/soc/timer.cpp",
     "  if (index != kCompareLow && index != kCompareHigh) return;\n  due_event_.cancel();\n",
     "  if (index != kCompareLow && index != kCompareHigh) return;\n", SOC),
    ("the timer's line stays high after reset", "sim/soc/timer.cpp",
     "  due_event_.cancel();\n  due_event_.notify(sc_core::SC_ZERO_TIME);\n}\n\nvoid Timer::b_transport",
     "  due_event_.cancel();\n}\n\nvoid Timer::b_transport", SOC),
    ("halves of COMPARE in each other's place", "sim/soc/timer.cpp", "(compare_ & ~kLow) | value", "(compare_ & kLow) | value", SOC),
    ("commands do not put off the system's watchdog", "sim/soc/system_watchdog.cpp", "std::max(fed_cycle_, progress().last_end_cycle)",
     "fed_cycle_", SOC),
    ("FEED puts off stuck alone", "sim/soc/system_watchdog.cpp", "std::optional(fed_cycle_ + slow_cycles_)",
     "std::optional(int64_t{slow_cycles_})", SOC),
    ("FEED does not begin the count of commands anew", "sim/soc/system_watchdog.cpp",
     "    fed_commands_ = progress().num_commands;\n", "", SOC),
    ("both limits at once are slow", "sim/soc/system_watchdog.cpp", "stuck && stuck == due_cycle()",
     "stuck && stuck == due_cycle() && stuck != slow_cycle()", SOC),
    ("the system's watchdog fires in the cycle in which it is fed", "sim/soc/control_path.cpp",
     "to_next_event > kit::to_time(left)", "to_next_event >= kit::to_time(left)", SOC),
    ("limits hold from the next step on", "sim/soc/control_path.cpp",
     "  system_.watchdog.on_change([] { sc_core::sc_pause(); });  // the host goes on for as long as it now may\n", "", SOC),
    ("the NPU's cycles are the system's", "sim/soc/control_path.cpp", "start_cycle_ + npu_.command_log.last_end_cycle() : 0",
     "npu_.command_log.last_end_cycle() : 0", SOC),
    ("a step of the host lets no time pass", "sim/soc/control_path.cpp", "std::max(to_next_event, kit::to_time(std::min(kStepCycles, left)))",
     "kit::to_time(std::min(kStepCycles, left))", SOC),
    ("the system's watchdog is not reset", "sim/soc/control_system.cpp", "  watchdog.reset();\n", "", SOC),
    ("a segment may begin outside", "sim/soc/firmware_program.cpp", "address >= base && address - base + num_bytes",
     "address - base + num_bytes", SOC),
    ("a segment may end outside", "sim/soc/firmware_program.cpp", "address - base + num_bytes <= spec::cpu_window(id).size_bytes",
     "address - base <= spec::cpu_window(id).size_bytes", SOC),
)

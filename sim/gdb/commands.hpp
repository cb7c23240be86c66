// SPDX-License-Identifier: Apache-2.0
// The packets that read or write registers, memory and breakpoints, and the queries: arguments in, the payload of the reply
// out. None of them makes the CPU run.
#pragma once

#include "sim/gdb/breakpoints.hpp"
#include "sim/gdb/cursor.hpp"
#include "sim/gdb/target.hpp"

#include <string>
#include <string_view>

namespace vernier::gdb {

inline constexpr std::string_view kOk = "OK";
inline constexpr std::string_view kUnknown = "";          // the reply to a packet that is not served
inline constexpr std::string_view kBadArguments = "E16";  // EINVAL
inline constexpr std::string_view kBadAddress = "E0e";    // EFAULT

/// Two hex digits for each byte.
std::string hex_of(std::string_view bytes);

std::string read_registers(const Target& target);                   // g
std::string write_registers(Target& target, Cursor arguments);      // G
std::string read_register(const Target& target, Cursor arguments);  // p
std::string write_register(Target& target, Cursor arguments);       // P
std::string read_memory(Target& target, Cursor arguments);          // m: fewer bytes where not all can be read
std::string write_memory(Target& target, Cursor arguments);         // M
std::string write_binary_memory(Target& target, Cursor arguments);  // X
std::string insert(Breakpoints& breakpoints, Cursor arguments);     // Z
std::string remove(Breakpoints& breakpoints, Cursor arguments);     // z
std::string query(const Target& target, Cursor packet);             // q
/// A thread of the protocol: ours, any, or all.
bool is_our_thread(std::string_view thread);

}  // namespace vernier::gdb

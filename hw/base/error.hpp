// SPDX-License-Identifier: Apache-2.0
// The three kinds of error of the project. What a user did wrong is a UserError (one line, exit code 2, caught once in the
// command line); what we did wrong is an InternalError thrown by VERNIER_CHECK (exit code 70); what the modelled machine
// does wrong is neither: it is a status register and an interrupt (hw/spec/status.hpp).
#pragma once

#include "hw/base/text.hpp"

#include <fmt/ranges.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace vernier::base {

/// A mistake in what the user gave: file, option, configuration, tensor, command stream.
/// The text is one line: what was found, what is allowed, where. `subject` is the file or option at fault.
class UserError : public std::runtime_error {
 public:
  UserError(std::string_view subject, std::string_view message)
      : std::runtime_error(printable(fmt::format("{}: {}", subject, message))) {}
  template <typename... Args>
  UserError(std::string_view subject, fmt::format_string<Args...> format, Args&&... args)
      : UserError(subject, std::string_view(fmt::format(format, std::forward<Args>(args)...))) {}

 protected:
  explicit UserError(const std::string& lines) : std::runtime_error(lines) {}
};

/// Several mistakes at once: what() has a line for each, without a newline at the end.
class UserErrors : public UserError {
 public:
  /// `mistakes` are texts of UserErrors, one or more.
  explicit UserErrors(const std::vector<std::string>& mistakes) : UserError(fmt::format("{}", fmt::join(mistakes, "\n"))) {}
};

/// What the computer could not give: memory, address space, a process. Like any UserError it ends with exit code 2; `what`
/// says what was wanted, and how much.
class EnvironmentError : public UserError {
  using UserError::UserError;
};

/// A broken promise inside the program itself.
class InternalError : public std::logic_error {
  using std::logic_error::logic_error;
};

[[noreturn]] void throw_internal_error(const char* file, int line, const char* condition, const std::string& message);

}  // namespace vernier::base

/// Always on. The message is a fmt format string with its arguments and says what was expected.
#define VERNIER_CHECK(condition, ...)                                                                    \
  do {                                                                                                   \
    if (!(condition)) [[unlikely]] {                                                                     \
      ::vernier::base::throw_internal_error(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
    }                                                                                                    \
  } while (false)

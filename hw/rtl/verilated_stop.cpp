// SPDX-License-Identifier: Apache-2.0
// RTL that stops itself becomes an exception, where Verilator's run-time library would end the program.
#include <stdexcept>
#include <string>
#include <verilated.h>

namespace {

[[noreturn]] void throw_stop(const std::string& by, const char* file, int line) {
  throw std::runtime_error("the RTL stopped itself at " + std::string(file) + ":" + std::to_string(line) + ", by " + by);
}

}  // namespace

// Called by Verilated code, whose run-time library leaves them to us (VL_USER_STOP, VL_USER_FINISH, VL_USER_FATAL).
void vl_stop(const char* file, int line, const char* /*hierarchy*/) {
  throw_stop("$stop, $fatal, $error or an assertion", file, line);
}
void vl_finish(const char* file, int line, const char* /*hierarchy*/) { throw_stop("$finish", file, line); }
void vl_fatal(const char* file, int line, const char* /*hierarchy*/, const char* what) { throw_stop(what, file, line); }

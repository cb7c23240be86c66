// SPDX-License-Identifier: Apache-2.0
#include "python/binding/interrupts.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace vernier::python {
namespace {

volatile std::sig_atomic_t g_is_interrupted = 0;
void (*volatile g_former_handler)(int) = nullptr;

extern "C" void note_interrupt(int signal) {
  g_is_interrupted = 1;
  if (g_former_handler != nullptr) g_former_handler(signal);
}

bool is_main_thread() { return ::syscall(SYS_gettid) == ::getpid(); }

void throw_if_interrupted() {
  if (g_is_interrupted != 0) throw Interrupted();
}

}  // namespace

InterruptWatch::InterruptWatch() {
  g_is_interrupted = 0;
  if (!is_main_thread() || ::sigaction(SIGINT, nullptr, &former_) != 0) return;
  const bool is_plain_handler = (former_.sa_flags & SA_SIGINFO) == 0;
  if (!is_plain_handler || former_.sa_handler == SIG_DFL || former_.sa_handler == SIG_IGN) return;
  g_former_handler = former_.sa_handler;
  struct sigaction own = former_;
  own.sa_handler = note_interrupt;
  is_watching_ = ::sigaction(SIGINT, &own, nullptr) == 0;
}

InterruptWatch::~InterruptWatch() {
  if (is_watching_) ::sigaction(SIGINT, &former_, nullptr);
  g_former_handler = nullptr;
}

flow::Observer InterruptWatch::observer() const {
  if (!is_watching_) return {};
  const auto look = [](const std::string&) { throw_if_interrupted(); };
  return {.on_phase = look, .on_detail = look};
}

}  // namespace vernier::python

#include "interrupt.h"

#include <csignal>
#include <initializer_list>

namespace dpfermi::cli {
namespace {

volatile std::sig_atomic_t g_requested = 0;

void remember(int) {
  g_requested = 1;
}

/// A signal that whoever started the process wants ignored stays ignored.
void set_handler(void (*handler)(int)) {
  for (const int signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    if (sigaction(signal, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = handler;
    action.sa_flags = SA_RESETHAND | SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

Interrupt::Interrupt() {
  g_requested = 0;
  set_handler(remember);
}

Interrupt::~Interrupt() {
  set_handler(SIG_DFL);
}

bool Interrupt::requested() {
  return g_requested != 0;
}

}  // namespace dpfermi::cli

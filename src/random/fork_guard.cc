#include "dpfermi/random/fork_guard.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>

namespace dpfermi {
namespace {

std::atomic<std::uint64_t> fork_generation{0};

void count_fork() {
  fork_generation.fetch_add(1, std::memory_order_relaxed);
}

/// Without the handler (out of memory at start) every check must fail.
bool handler_installed() {
  static const bool installed = pthread_atfork(nullptr, nullptr, count_fork) == 0;
  return installed;
}

}  // namespace

ForkGuard::ForkGuard()
    : generation_(handler_installed() ? fork_generation.load(std::memory_order_relaxed)
                                      : ~std::uint64_t{0}),
      process_(getpid()) {}

bool ForkGuard::in_same_process() const {
  return generation_ == fork_generation.load(std::memory_order_relaxed) && process_ == getpid();
}

}  // namespace dpfermi

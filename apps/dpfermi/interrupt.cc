#include "interrupt.h"

#include <csignal>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <vector>

namespace dpfermi::cli {
namespace {

volatile std::sig_atomic_t g_requested = 0;
std::mutex g_mutex;
int g_living = 0;  ///< how many Interrupts there are

void remember(int) {
  g_requested = 1;
}

/// A signal that the parent process set to be ignored stays ignored.
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

class WaitingObserver final : public Observer {
 public:
  void begin_task(const Task&) override {
    const std::lock_guard lock(mutex_);
    interrupts_.push_back(std::make_unique<Interrupt>());
  }
  void end_task() override {
    const std::lock_guard lock(mutex_);
    interrupts_.pop_back();
  }
  bool interrupted() override { return Interrupt::requested(); }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Interrupt>> interrupts_;
};

}  // namespace

Interrupt::Interrupt() {
  const std::lock_guard lock(g_mutex);
  if (g_living++ > 0) return;
  g_requested = 0;
  set_handler(remember);
}

Interrupt::~Interrupt() {
  const std::lock_guard lock(g_mutex);
  if (--g_living == 0) set_handler(SIG_DFL);
}

bool Interrupt::requested() {
  return g_requested != 0;
}

Observer& waiting_observer() {
  static WaitingObserver observer;
  return observer;
}

}  // namespace dpfermi::cli

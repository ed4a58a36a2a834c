#include "torch/team.h"

#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>

namespace dpfermi::deep {
namespace {

/// The first of several threads' exceptions.
class FirstFailure {
 public:
  /// Whether `work` came to its end.
  template <class F>
  bool keep(const F& work) {
    try {
      work();
      return true;
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      return false;
    }
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// OpenMP's number of threads and libtorch's mode are each thread's own.
void compute(const Workers::Task& task, std::size_t index, unsigned worker) {
  at::set_num_threads(1);
  const c10::NoGradGuard no_gradients;
  task(index, worker);
}

template <class Function>
Function* symbol(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

}  // namespace

void Team::each(std::size_t tasks, const Workers::Task& task) {
  FirstFailure failure;
  workers_.run(tasks, [&](std::size_t index, unsigned worker) {
    failure.keep([&] { compute(task, index, worker); });
  });
  failure.rethrow();
}

void Team::each_in_order(std::size_t tasks, const Workers::Task& task, const Workers::Task& then) {
  FirstFailure failure;
  std::atomic<std::size_t> turn = 0;
  workers_.run(tasks, [&](std::size_t index, unsigned worker) {
    const bool done = failure.keep([&] { compute(task, index, worker); });
    for (std::size_t now = turn; now != index; now = turn) turn.wait(now);
    if (done) failure.keep([&] { then(index, worker); });
    turn = index + 1;
    turn.notify_all();
  });
  failure.rethrow();
}

std::variant<unsigned, Problem> team_size(std::uint32_t wanted) {
  constexpr std::uint32_t kMost = 1024;
  if (wanted > kMost) return Problem{"more than 1024 workers are none; use one a processor"};
  if (auto* set_threads = symbol<void(int)>("openblas_set_num_threads")) set_threads(1);
  auto* parallel = symbol<int()>("openblas_get_parallel");
  const bool unsafe = parallel != nullptr && parallel() == 0;
  if (unsafe && wanted > 1) {
    return Problem{
        "this OpenBLAS is built for one thread and gives several wrong numbers; install "
        "libopenblas0-pthread or use one worker"};
  }
  if (unsafe) return 1U;
  return wanted > 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace dpfermi::deep

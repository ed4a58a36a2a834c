#pragma once

/// A team of threads that lives as long as a run. Work is cut into numbered tasks by the caller, by
/// data and never by threads, so that a result put together in the order of the tasks (or from
/// integers) does not depend on how many threads there are.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace dpfermi {

class Team;  // core/team.h

class Workers {
 public:
  /// The calling thread is worker 0; `threads` - 1 more are started. `team`: the processes that
  /// share the work out among them before it comes to threads; null: this one.
  explicit Workers(unsigned threads = 1, Team* team = nullptr);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  Workers(Workers&&) = delete;
  Workers& operator=(Workers&&) = delete;

  unsigned count() const { return static_cast<unsigned>(threads_.size()) + 1; }

  Team* team() const { return team_; }

  /// Calls task(index, worker) once for every index in [0, tasks) and returns when all are done;
  /// `worker` < count() names the thread, for scratch memory. One caller at a time; tasks do not
  /// throw.
  using Task = std::function<void(std::size_t index, unsigned worker)>;
  void run(std::size_t tasks, const Task& task);

  /// Asks `stop` between tasks, on the calling thread. Once it says so all tasks that are left, of
  /// this run and of later ones, are passed over: their results are missing, and
  /// the caller that set this must look at stopped() and end.
  void stop_when(std::function<bool()> stop) { asked_ = std::move(stop); }
  bool stopped() const { return passed_over_; }

 private:
  void serve(unsigned worker);
  void take_tasks(unsigned worker);

  Team* team_;
  std::vector<std::thread> threads_;
  const Task* task_ = nullptr;
  std::size_t tasks_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::uint32_t> round_ = 0;  ///< grows by one for every run
  std::atomic<std::uint32_t> busy_ = 0;   ///< helpers that have not finished this round
  std::atomic<bool> stop_ = false;
  std::function<bool()> asked_;
  std::atomic<bool> passed_over_ = false;
};

/// Runs the tasks on `workers`, or on the calling thread as worker 0 where there are none.
void run_tasks(Workers* workers, std::size_t tasks, const Workers::Task& task);

}  // namespace dpfermi

#include "dpfermi/core/workers.h"

#include <algorithm>

namespace dpfermi {

Workers::Workers(unsigned threads, Team* team) : team_(team) {
  for (unsigned worker = 1; worker < std::max(1U, threads); ++worker) {
    threads_.emplace_back([this, worker] { serve(worker); });
  }
}

Workers::~Workers() {
  stop_ = true;
  ++round_;
  round_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::run(std::size_t tasks, const Task& task) {
  task_ = &task;
  tasks_ = tasks;
  next_ = 0;
  if (threads_.empty() || tasks < 2) {
    take_tasks(0);
    return;
  }
  busy_ = static_cast<std::uint32_t>(threads_.size());
  ++round_;
  round_.notify_all();
  take_tasks(0);
  for (std::uint32_t left = busy_; left != 0; left = busy_) busy_.wait(left);
}

void Workers::serve(unsigned worker) {
  for (std::uint32_t seen = 0;; ++seen) {
    round_.wait(seen);
    if (stop_) return;
    take_tasks(worker);
    if (--busy_ == 0) busy_.notify_one();
  }
}

void Workers::take_tasks(unsigned worker) {
  for (std::size_t i = next_++; i < tasks_; i = next_++) {
    if (worker == 0 && asked_ && asked_()) passed_over_ = true;
    if (passed_over_) return;
    (*task_)(i, worker);
  }
}

void run_tasks(Workers* workers, std::size_t tasks, const Workers::Task& task) {
  if (workers != nullptr) return workers->run(tasks, task);
  for (std::size_t i = 0; i < tasks; ++i) task(i, 0);
}

}  // namespace dpfermi

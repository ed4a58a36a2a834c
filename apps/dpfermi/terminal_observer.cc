#include "terminal_observer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "interrupt.h"
#include "progress.h"

namespace dpfermi::cli {

struct TerminalObserver::Shown {
  Shown(const Context& context, const Task& task, bool catches)
      : progress(context, task.name,
                 task.unhurried ? Progress::Elsewhere::kLines : Progress::Elsewhere::kSilent) {
    if (catches) interrupt.emplace();
  }

  Progress progress;
  std::optional<Interrupt> interrupt;
};

TerminalObserver::TerminalObserver(const Context& context) : context_(&context) {}
TerminalObserver::~TerminalObserver() = default;

void TerminalObserver::begin_task(const Task& task) {
  const bool caught =
      std::ranges::any_of(tasks_, [](const auto& outer) { return outer->interrupt.has_value(); });
  tasks_.push_back(std::make_unique<Shown>(*context_, task, task.stops && !caught));
}

void TerminalObserver::advance_task(double done, double total) {
  tasks_.back()->progress.update(done, total);
}

void TerminalObserver::end_task() {
  tasks_.pop_back();
}

void TerminalObserver::show_progress(std::string_view line) {
  if (context_->quiet) return;
  if (::isatty(STDERR_FILENO) == 1) {
    fmt::print(stderr, "\r{}  ", line);
    return;
  }
  const auto now = std::chrono::steady_clock::now();
  if (line_shown_ && now - *line_shown_ < Progress::kBetweenLines) return;
  fmt::print(stderr, "{}\n", line);
  line_shown_ = now;
}

void TerminalObserver::end_progress() {
  line_shown_.reset();
  if (!context_->quiet && ::isatty(STDERR_FILENO) == 1) fmt::print(stderr, "\n");
}

bool TerminalObserver::interrupted() {
  return Interrupt::requested();
}

}  // namespace dpfermi::cli

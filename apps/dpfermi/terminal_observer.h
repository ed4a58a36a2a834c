#pragma once

/// What long work says, on stderr, and Ctrl-C as the wish to end it.

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cli.h"
#include "dpfermi/core/observer.h"

namespace dpfermi::cli {

class TerminalObserver final : public Observer {
 public:
  explicit TerminalObserver(const Context& context);
  ~TerminalObserver() override;
  TerminalObserver(const TerminalObserver&) = delete;
  TerminalObserver& operator=(const TerminalObserver&) = delete;

  void note(std::string_view line) override { context_->note(line); }
  void begin_task(const Task& task) override;
  void advance_task(double done, double total) override;
  void end_task() override;
  void show_progress(std::string_view line) override;
  void end_progress() override;
  bool interrupted() override;

 private:
  struct Shown;  ///< a task and its line

  const Context* context_;
  std::vector<std::unique_ptr<Shown>> tasks_;  ///< the innermost last
  std::optional<std::chrono::steady_clock::time_point> line_shown_;
};

}  // namespace dpfermi::cli

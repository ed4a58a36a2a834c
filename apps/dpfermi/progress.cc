#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace dpfermi::cli {

Progress::Progress(const Context& context, std::string label)
    : label_(std::move(label)), visible_(!context.quiet && ::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (visible_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(double done, double total) {
  const Clock::time_point now = Clock::now();
  if (!visible_ || now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  if (total > 0 && done > 0) {
    fmt::print(stderr, "\r\x1b[K{}: {:.0f} %, {:.0f} s left", label_, 100 * done / total,
               elapsed * (total - done) / done);
  } else {
    fmt::print(stderr, "\r\x1b[K{}: {:.0f} s", label_, elapsed);
  }
  std::fflush(stderr);
}

}  // namespace dpfermi::cli

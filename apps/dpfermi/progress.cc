#include "progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace dpfermi::cli {

Progress::Progress(const Context& context, std::string label, Elsewhere elsewhere)
    : label_(std::move(label)),
      terminal_(::isatty(STDERR_FILENO) == 1),
      visible_(!context.quiet && (terminal_ || elsewhere == Elsewhere::kLines)) {}

Progress::~Progress() {
  if (visible_ && terminal_) fmt::print(stderr, "\r\x1b[K");
}

void Progress::update(double done, double total) {
  const Clock::time_point now = Clock::now();
  const Clock::duration between =
      terminal_ ? Clock::duration(std::chrono::milliseconds(100)) : Clock::duration(kBetweenLines);
  if (!visible_ || (drawn_ && now - *drawn_ < between)) return;
  drawn_ = now;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  const std::string far = total > 0 && done > 0
                              ? fmt::format("{:.0f} %, {:.0f} s left", 100 * done / total,
                                            elapsed * (total - done) / done)
                              : fmt::format("{:.0f} s", elapsed);
  fmt::print(stderr, "{}{}: {}{}", terminal_ ? "\r\x1b[K" : "", label_, far, terminal_ ? "" : "\n");
  std::fflush(stderr);
}

}  // namespace dpfermi::cli

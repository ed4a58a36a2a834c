#include "vision/component.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "vision/child.h"
#include "vision/component_network.h"

namespace dpfermi::vision {
namespace fs = std::filesystem;
namespace {

constexpr const char* kName = "dpfermi-deep";

/// Passes on what the pipe says about progress, and returns its last line.
std::string relay(std::FILE* lines, Observer& observer) {
  std::string last;
  std::array<char, 1024> text{};
  while (std::fgets(text.data(), text.size(), lines) != nullptr) {
    last = text.data();
    while (last.ends_with('\n')) last.pop_back();
    if (last.starts_with("epoch ")) observer.show_progress(last);
  }
  observer.end_progress();
  return last;
}

}  // namespace

Result<std::string> find_component() {
  if (const char* given = std::getenv("DPFERMI_DEEP"); given != nullptr && *given != '\0') {
    if (access(given, X_OK) == 0) return given;
    return failed(fmt::format("{}: cannot be run; set $DPFERMI_DEEP to {}", given, kName));
  }
  std::error_code ignored;
  const fs::path beside = fs::read_symlink("/proc/self/exe", ignored).parent_path() / kName;
  if (access(beside.c_str(), X_OK) == 0) return beside.string();
  return failed(fmt::format(
      "deep models need {}, which is not beside this tool; build it with -DDPFERMI_TORCH=ON "
      "(docs/deep.md), or set $DPFERMI_DEEP",
      kName));
}

Status run_component(Observer& observer, const std::string& program,
                     const std::vector<std::string>& words) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    return failed("no pipe can be made; close other programs");
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> lines(::fdopen(ends[0], "r"), &std::fclose);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  const Result<pid_t> child = deep::start_child(program, words, actions);
  ::close(ends[1]);
  if (!child) return tl::unexpected(child.error());
  const std::string last = relay(lines.get(), observer);
  const int status = deep::wait_for_child(*child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  if (WIFSIGNALED(status)) {
    return failed(fmt::format("{} was ended by signal {}", kName, WTERMSIG(status)));
  }
  return failed(deep::reason_of(last));
}

}  // namespace dpfermi::vision

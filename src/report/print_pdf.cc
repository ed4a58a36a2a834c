#include "report/print_pdf.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "core/file.h"
#include "core/scratch_folder.h"

namespace dpfermi {
namespace {

constexpr auto kPatience = std::chrono::seconds(60);

/// Starts a program of $PATH without any output; nothing where there is none of that name.
std::optional<pid_t> start_silently(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  return error == 0 ? std::optional(child) : std::nullopt;
}

/// Whether the program ended well in time; one that does not end is killed.
bool ended_well(pid_t child) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (std::chrono::steady_clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return false;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

Status print_pdf(const std::filesystem::path& page, const std::filesystem::path& out) {
  DPFERMI_ASSIGN(const ScratchFolder scratch, ScratchFolder::create());
  // A copy under a plain name: an address would need the original quoted.
  const std::filesystem::path copy = scratch.path() / "page.html";
  const std::filesystem::path printed = scratch.path() / "page.pdf";
  DPFERMI_ASSIGN(const std::string html, read_text_file(page));
  DPFERMI_TRY(write_file_atomically(copy, html));
  for (const char* name : {"chromium", "chromium-browser", "google-chrome"}) {
    std::vector<std::string> words{name,
                                   "--headless",
                                   "--disable-gpu",
                                   "--no-first-run",
                                   "--no-pdf-header-footer",
                                   "--user-data-dir=" + (scratch.path() / "profile").string(),
                                   "--print-to-pdf=" + printed.string(),
                                   "file://" + copy.string()};
    // Chromium refuses to run as root in its sandbox; the page has no scripts and loads nothing.
    if (geteuid() == 0) words.insert(words.begin() + 1, "--no-sandbox");
    const std::optional<pid_t> child = start_silently(std::move(words));
    if (!child) continue;
    std::error_code error;
    if (!ended_well(*child) || !std::filesystem::exists(printed, error)) {
      return failed(fmt::format("{} did not print the page; print it from a browser", name));
    }
    DPFERMI_ASSIGN(const std::string bytes, read_text_file(printed));
    return write_file_atomically(out, bytes);
  }
  return failed("there is no Chromium in $PATH; print the page from a browser");
}

}  // namespace dpfermi

#include "vision/process.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "vision/child.h"
#include "vision/wire.h"

namespace dpfermi::deep {
namespace {

constexpr const char* kName = "dpfermi-deep";

/// The last line of what a file holds.
std::string last_line(int file) {
  std::array<char, 4096> text{};
  const off_t size = ::lseek(file, 0, SEEK_END);
  const off_t start = std::max<off_t>(0, size - static_cast<off_t>(text.size()));
  const ssize_t got = ::pread(file, text.data(), text.size(), start);
  std::string_view rest(text.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  while (rest.ends_with('\n')) rest.remove_suffix(1);
  return std::string(rest.substr(rest.rfind('\n') + 1));
}

}  // namespace

std::string reason_of(const std::string& last_line) {
  constexpr std::string_view kMissing = "error while loading shared libraries: ";
  if (const std::size_t at = last_line.find(kMissing); at != std::string::npos) {
    return "libtorch is not installed, and deep models need it: apt-get install libtorch-dev (" +
           last_line.substr(at + kMissing.size()) + ")";
  }
  const std::size_t colon = last_line.find(": ");
  return colon == std::string::npos ? std::string(kName) + " failed; run it again"
                                    : last_line.substr(colon + 2);
}

Result<std::unique_ptr<ComponentNetwork::Process>> ComponentNetwork::Process::start(
    const std::string& program, std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return failed("no socket can be made; close other programs");
  }
  const int said = ::memfd_create(kName, MFD_CLOEXEC);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  if (said >= 0) posix_spawn_file_actions_adddup2(&actions, said, STDERR_FILENO);
  const Result<pid_t> child = start_child(program, std::move(words), actions);
  ::close(ends[1]);
  if (!child) {
    ::close(ends[0]);
    if (said >= 0) ::close(said);
    return tl::unexpected(child.error());
  }
  return std::unique_ptr<Process>(new Process(*child, ends[0], said));
}

ComponentNetwork::Process::~Process() {
  ::close(line_);
  if (child_ > 0) wait_for_child(child_);
  if (words_ >= 0) ::close(words_);
}

tl::unexpected<Error> ComponentNetwork::Process::gone() {
  if (child_ <= 0) return failed(std::string(kName) + " has ended; run it again");
  ::shutdown(line_, SHUT_RDWR);
  const int status = wait_for_child(child_);
  child_ = 0;
  if (WIFSIGNALED(status)) {
    return failed(std::string(kName) + " was ended by signal " + std::to_string(WTERMSIG(status)) +
                  "; check the free memory, and run it again");
  }
  return failed(reason_of(last_line(words_)));
}

Status ComponentNetwork::Process::send_bytes(const void* from, std::size_t size) {
  const auto* at = static_cast<const char*>(from);
  while (size > 0) {
    const ssize_t put = ::send(line_, at, size, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return gone();
    at += put;
    size -= static_cast<std::size_t>(put);
  }
  return {};
}

Status ComponentNetwork::Process::receive_bytes(void* to, std::size_t size) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = ::recv(line_, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return gone();
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return {};
}

Status ComponentNetwork::Process::expect(std::size_t bytes) {
  Answer head;
  DPFERMI_TRY(receive(std::span(&head, 1)));
  constexpr std::uint64_t kLongestLine = 1U << 16;
  if (head.wrong != 0 && head.bytes <= kLongestLine) {
    std::string line(head.bytes, '\0');
    DPFERMI_TRY(receive(std::span(line.data(), line.size())));
    return failed(std::move(line));
  }
  if (head.wrong != 0 || head.bytes != bytes) {
    return failed(std::string(kName) + " gives another answer than expected; build both anew");
  }
  return {};
}

}  // namespace dpfermi::deep

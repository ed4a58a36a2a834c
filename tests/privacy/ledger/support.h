#pragma once

/// What the tests of the ledger share: charges, child processes.

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "dpfermi/privacy/ledger/run_ledger.h"
#include "temp_folder.h"

namespace dpfermi::test {

namespace fs = std::filesystem;

/// A fingerprint of data.
inline const std::string kData(64, 'a');

inline PrivacyEvent gaussian(Adjacency adjacency = Adjacency::kSensitive) {
  return PrivacyEvent::create(adjacency, GaussianRelease{3.5}).value();
}

inline Charge cost(double epsilon, double delta, std::string purpose = "a test") {
  return {.purpose = std::move(purpose), .event = gaussian(), .cost = {epsilon, delta}};
}

/// A plan of counts, released once, and of steps: (0.5, 1e-6) for all of it.
inline JointPlan training(std::uint64_t steps, std::uint64_t spare, bool fixed_seed = false) {
  const PrivacyEvent counts =
      PrivacyEvent::create(Adjacency::kSensitive, DiscreteGaussianRelease{8, {1, 1}}).value();
  return {.purpose = "training",
          .parts = {{"counts", counts}, {"steps", gaussian(), steps, spare}},
          .cost = {0.5, 1e-6},
          .fixed_seed = fixed_seed};
}

inline Amount amount(const std::string& text) {
  return Amount::parse(text, Rounding::kUp).value();
}

inline BudgetCap cap(const std::string& epsilon, const std::string& delta) {
  return {amount(epsilon), amount(delta)};
}

inline LedgerFile open_or_create(const fs::path& path) {
  return LedgerFile::open_or_create(path).value();
}

/// A new run on the budget `name`.
inline RunLedger start(const LedgerFile& file, std::string name = "b") {
  return RunLedger::start(file, {.name = std::move(name)}).value();
}

inline BudgetState budget(const LedgerFile& file, const std::string& name = "b") {
  const std::vector<BudgetState> all = file.budgets().value();
  for (const BudgetState& state : all) {
    if (state.name == name) return state;
  }
  ADD_FAILURE() << "no budget " << name;
  return {};
}

inline std::string read_bytes(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

inline void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// A child process running `work`, whose return value becomes its exit status. Lines it writes to
/// the descriptor it is given reach the parent even if it is killed right afterwards.
class Child {
 public:
  explicit Child(const std::function<int(int pipe)>& work) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      ::_exit(work(ends[1]));
    }
    ::close(ends[1]);
    pipe_ = ends[0];
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  Child(Child&& other) noexcept : pid_(other.pid_), pipe_(std::exchange(other.pipe_, -1)) {}
  Child& operator=(Child&&) = delete;
  ~Child() {
    if (pipe_ >= 0) wait();
  }

  /// Waits for the next byte it writes; '\0' at its end.
  char next() {
    char byte = 0;
    if (::read(pipe_, &byte, 1) == 1) output_ += byte;
    return byte;
  }

  /// Everything it wrote, read until its end.
  const std::string& wait() {
    if (pipe_ < 0) return output_;
    char buffer[256];
    for (ssize_t n; (n = ::read(pipe_, buffer, sizeof buffer)) > 0;) {
      output_.append(buffer, static_cast<std::size_t>(n));
    }
    ::close(std::exchange(pipe_, -1));
    ::waitpid(pid_, &status_, 0);
    return output_;
  }
  bool was_killed() const { return WIFSIGNALED(status_) && WTERMSIG(status_) == SIGKILL; }
  int exit_status() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int pipe_ = -1;
  int status_ = 0;
  std::string output_;
};

/// Notifies the parent, past every buffer, of one thing that was granted.
inline void report(int pipe, char what) {
  if (::write(pipe, &what, 1) != 1) ::_exit(90);
}

}  // namespace dpfermi::test

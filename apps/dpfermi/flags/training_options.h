#pragma once

/// The flags that say how to train.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "optimize/training.h"

namespace dpfermi::cli {

class TrainingOptions {
 public:
  void add_to(CLI::App& verb);

  /// What was asked for, as far as flags say; the rest follows from the data.
  Result<TrainingRequest> request() const;

  /// The flags that were given.
  std::vector<std::string> given() const;

  std::optional<std::uint64_t> seed() const { return seed_; }
  unsigned threads() const { return threads_; }

 private:
  void add_goal(CLI::App& verb);
  void add_solver(CLI::App& verb);

  std::string method_{to_string(Method::kAuto)}, fairness_ = "dp", plan_ = "default";
  std::string hidden_, dual_, iterate_;
  TrainingRequest given_;
  std::vector<const CLI::Option*> options_;
  std::optional<std::uint64_t> seed_;
  unsigned threads_ = 1;
};

}  // namespace dpfermi::cli

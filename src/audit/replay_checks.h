#pragma once

/// What a replay holds two runs to; the worst of many replays is kept.

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "audit/rehearsal.h"
#include "audit/release_tape.h"

namespace dpfermi {

/// One run of a replay.
struct Take {
  const ReleaseTape* seen;
  const Rehearsal* run;
};

/// Who differs between two data sets: others have to contribute alike.
struct Differing {
  std::vector<std::uint32_t> units;  ///< none: whichever one unit of a sum, a teacher for instance
  bool vanishes = false;             ///< it is missing in the second (add/remove)
};

/// Of sums, where they are constants.
struct Denominators {
  double batch = 0;     ///< q n
  double everyone = 0;  ///< n, of what is asked about every unit
};

class ReplayChecks {
 public:
  /// One line of the report.
  struct Line {
    std::string attempt, claimed;
    double worst = 0;      ///< of what is measured
    std::string broken{};  ///< how and where it broke first; empty: it held
    std::uint64_t tried = 0;
  };
  enum Check {
    kLength,
    kDistance,
    kCounts,
    kOthers,
    kShared,
    kPath,
    kHidden,
    kFiles,
    kNoise,
    kLedger
  };
  static constexpr std::size_t kChecks = 10;

  explicit ReplayChecks(Adjacency adjacency,
                        std::optional<Denominators> denominators = std::nullopt);

  /// Two runs on neighbours, the second with the releases of the first.
  void compare(const std::string& where, const Differing& differing, const Take& first,
               const Take& second);

  /// Two runs on the same data with other secret batches, the second with the releases of the
  /// first.
  void compare_hidden(const std::string& where, const Take& first, const Take& second);

  /// A run on its own: lengths, denominators, noise, and that the ledger knows of every release.
  void inspect(const std::string& where, const Take& take);

  void fail(Check check, const std::string& what);

  const std::array<Line, kChecks>& lines() const { return lines_; }

 private:
  void compare_counts(const std::string& where, const Take& first, const Take& second);
  void compare_sums(const std::string& where, const Differing& differing, const SeenSum& first,
                    const SeenSum& second);
  void compare_pure(const std::string& where, const SeenPure& first, const SeenPure& second);
  void compare_files(const std::string& where, const Rehearsal& first, const Rehearsal& second);
  void compare_paths(Check check, const std::string& where, const Rehearsal& first,
                     const Rehearsal& second);
  void inspect_sum(const std::string& where, const SeenSum& sum);
  void inspect_pure(const std::string& where, const SeenPure& seen);
  void measure(Check check, double value, bool within, const std::string& where);

  std::optional<Denominators> denominators_;
  std::set<double> distances_;  ///< that charged events allow
  std::array<Line, kChecks> lines_;
};

}  // namespace dpfermi

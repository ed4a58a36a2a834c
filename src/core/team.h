#pragma once

/// The processes that work on one run together. All of them run the same program on the same table
/// and take the same decisions; the work on rows is shared out. The leader alone holds the ledger,
/// the noise and the outputs.
///
/// Calls that exchange something are collective: every process makes the same ones in the same
/// order. What one process fails at ends the run of all of them: the next exchange returns its
/// error everywhere, and so do all later ones.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

class Workers;

/// Numbered pieces of work, [first, last), that belong to one process.
struct Share {
  std::size_t first;
  std::size_t last;

  std::size_t size() const { return last - first; }
};

/// This class itself is a team of one process, for which every exchange is done already. Not
/// thread-safe: one thread at a time.
class Team {
 public:
  Team() = default;
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  Team(Team&&) = delete;
  Team& operator=(Team&&) = delete;
  virtual ~Team() = default;

  /// A process that works alone.
  static Team& alone();

  virtual unsigned rank() const { return 0; }
  virtual unsigned size() const { return 1; }
  bool leads() const { return rank() == 0; }

  /// The pieces of this process, consecutive ones. A function of rank and size alone.
  Share share(std::size_t pieces) const { return share_of(rank(), pieces); }
  Share share_of(unsigned rank, std::size_t pieces) const {
    return {pieces * rank / size(), pieces * (rank + std::size_t{1}) / size()};
  }

  /// The leader gets the sums over all processes, the others get zeros. Integers: the order in
  /// which they are added makes no difference. Requires that no sum overflows.
  virtual Status add_up(std::span<std::int64_t>) { return {}; }

  /// Every process gets the leader's bytes.
  virtual Status hand_out(std::span<std::byte>) { return {}; }

  /// `values` are pieces of one size, and each process has made those of its share; afterwards
  /// every process has all of them, unless the run has ended: status() and every later exchange say
  /// so.
  virtual void gather(std::span<double> /*values*/, std::size_t /*piece*/) {}

  /// Waits for all processes.
  virtual Status meet() { return {}; }

  /// The error that ended the run, of whichever process.
  virtual Status status() const { return {}; }
};

/// Every process gets the leader's values.
template <class Value, std::size_t Size>
Status hand_out(Team& team, std::span<Value, Size> values) {
  return team.hand_out(std::as_writable_bytes(values));
}

/// The processes that share the work of `workers`; this one alone where there are none.
Team& team_of(const Workers* workers);

/// The leader's text.
Result<std::string> hand_out(Team& team, std::string text);

/// The texts of all processes, by rank, at the leader; nothing at the others.
Result<std::vector<std::string>> collect(Team& team, const std::string& text);

/// Fails everywhere unless every process has the leader's text. `what` says for people what the
/// text stands for: "rows".
Status check_alike(Team& team, const std::string& text, std::string_view what);

}  // namespace dpfermi

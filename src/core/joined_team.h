#pragma once

/// A team over a library that carries messages. Before every exchange the processes compare what
/// they are about to do, and whether one of them has failed: then nothing is exchanged but its
/// error.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "core/team.h"

namespace dpfermi {

/// What a library for messages between processes has to offer. All calls but rank() and size() are
/// collective, with arguments of one size. They return when they are done; where a line breaks, the
/// library ends the processes.
class TeamLines {
 public:
  virtual ~TeamLines() = default;

  virtual unsigned rank() const = 0;
  virtual unsigned size() const = 0;

  /// Every process gets the largest values.
  virtual void largest(std::span<std::int64_t> values) = 0;
  /// Process 0 gets the sums; what the others have afterwards is not said.
  virtual void add_up(std::span<std::int64_t> values) = 0;
  /// Every process gets the bytes of process `from`.
  virtual void broadcast(unsigned from, std::span<std::byte> bytes) = 0;
  /// Process r has made values[starts[r]], ..., values[starts[r + 1] - 1]; every process gets all.
  virtual void gather(std::span<double> values, std::span<const std::size_t> starts) = 0;
};

class JoinedTeam final : public Team {
 public:
  explicit JoinedTeam(std::unique_ptr<TeamLines> lines) : lines_(std::move(lines)) {}

  unsigned rank() const override { return lines_->rank(); }
  unsigned size() const override { return lines_->size(); }

  Status add_up(std::span<std::int64_t> values) override;
  Status hand_out(std::span<std::byte> bytes) override;
  void gather(std::span<double> values, std::size_t piece) override;
  Status meet() override;
  Status status() const override;

  /// The last exchange of a process, whose run ended with `own`. Returns how the run of the team
  /// ended: with the error of the lowest rank that failed, or well.
  Status leave(const Status& own);

 private:
  enum class Exchange : std::int64_t { kMeet = 1, kAddUp, kHandOut, kGather, kLeave };

  /// What comes before an exchange of `count` entries.
  Status agree(Exchange exchange, std::size_t count, const Status& own = {});
  /// The error of process `rank`, at every process.
  Error error_of(unsigned rank, const Status& own);
  std::unique_ptr<TeamLines> lines_;
  std::optional<Error> ended_;
};

}  // namespace dpfermi

#pragma once

/// Threads that share the rows on a CPU. Each computes with its own thread: libtorch's
/// (OpenMP's) would wait for each other by spinning, and how they cut a sum may change its last
/// bits. A GPU's model has a team of one.

#include <variant>

#include "dpfermi/core/workers.h"
#include "dpfermi/torch/deep_model.h"

namespace dpfermi::deep {

class Team {
 public:
  explicit Team(unsigned size) : workers_(size) {}

  unsigned size() const { return workers_.count(); }

  /// Calls task(index, worker) for every index below `tasks`. What the first one that fails has
  /// thrown is thrown here, when all are done.
  void each(std::size_t tasks, const Workers::Task& task);

  /// The same, and `then` after each task: one at a time, in the order of the indices, whichever
  /// computed them.
  void each_in_order(std::size_t tasks, const Workers::Task& task, const Workers::Task& then);

 private:
  Workers workers_;
};

/// How many threads may be in a team, `wanted` or (0) as many as there are processors. OpenBLAS
/// without locks returns wrong numbers to several of them: with it there is one, or a Problem where
/// more are asked for. Keeps OpenBLAS from starting threads.
std::variant<unsigned, Problem> team_size(std::uint32_t wanted);

}  // namespace dpfermi::deep

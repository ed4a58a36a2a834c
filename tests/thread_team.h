#pragma once

/// A team whose processes are threads of this one: the exchanges are real, the lines are memory.

#include <algorithm>
#include <barrier>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "core/joined_team.h"

namespace dpfermi {

/// What the threads of a team share.
struct ThreadHub {
  explicit ThreadHub(unsigned size) : turn(size), integers(size), bytes(size), values(size) {}

  std::barrier<> turn;
  std::vector<std::span<std::int64_t>> integers;
  std::vector<std::span<std::byte>> bytes;
  std::vector<std::span<double>> values;
};

class ThreadLines final : public TeamLines {
 public:
  ThreadLines(ThreadHub& hub, unsigned rank) : hub_(&hub), rank_(rank) {}

  unsigned rank() const override { return rank_; }
  unsigned size() const override { return static_cast<unsigned>(hub_->integers.size()); }

  void largest(std::span<std::int64_t> values) override {
    combine(values, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }
  void add_up(std::span<std::int64_t> values) override {
    combine(values, [](std::int64_t a, std::int64_t b) { return a + b; });
  }
  void broadcast(unsigned from, std::span<std::byte> bytes) override {
    hub_->bytes[rank_] = bytes;
    hub_->turn.arrive_and_wait();
    if (rank_ != from) std::ranges::copy(hub_->bytes[from], bytes.begin());
    hub_->turn.arrive_and_wait();
  }
  void gather(std::span<double> values, std::span<const std::size_t> starts) override {
    hub_->values[rank_] = values;
    hub_->turn.arrive_and_wait();
    for (unsigned r = 0; r < size(); ++r) {
      if (r == rank_) continue;
      const std::size_t count = starts[r + 1] - starts[r];
      std::ranges::copy(hub_->values[r].subspan(starts[r], count),
                        values.begin() + static_cast<std::ptrdiff_t>(starts[r]));
    }
    hub_->turn.arrive_and_wait();
  }

 private:
  template <class Operation>
  void combine(std::span<std::int64_t> values, const Operation& operation) {
    hub_->integers[rank_] = values;
    hub_->turn.arrive_and_wait();
    std::vector<std::int64_t> result(hub_->integers[0].begin(), hub_->integers[0].end());
    for (unsigned r = 1; r < size(); ++r) {
      std::ranges::transform(result, hub_->integers[r], result.begin(), operation);
    }
    hub_->turn.arrive_and_wait();
    std::ranges::copy(result, values.begin());
  }

  ThreadHub* hub_;
  unsigned rank_;
};

/// Runs `work` as every process of a team of `size`; how each of them was told that it ended.
inline std::vector<Status> run_team(unsigned size, const std::function<Status(Team&)>& work) {
  ThreadHub hub(size);
  std::vector<Status> ended(size);
  std::vector<std::thread> threads;
  for (unsigned rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      JoinedTeam team(std::make_unique<ThreadLines>(hub, rank));
      ended[rank] = team.leave(work(team));
    });
  }
  for (std::thread& thread : threads) thread.join();
  return ended;
}

}  // namespace dpfermi

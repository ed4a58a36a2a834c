#include "dpfermi/core/workers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>

namespace dpfermi {
namespace {

TEST(Workers, DoEveryTaskOnce) {
  for (const unsigned threads : {1U, 2U, 5U}) {
    Workers workers(threads);
    ASSERT_EQ(workers.count(), threads);
    for (const std::size_t tasks : {0U, 1U, 2U, 7U, 1000U}) {
      for (int round = 0; round < 20; ++round) {
        std::vector<int> done(tasks);
        workers.run(tasks, [&](std::size_t task, unsigned worker) {
          ASSERT_LT(worker, threads);
          ++done[task];
        });
        ASSERT_EQ(std::accumulate(done.begin(), done.end(), 0U), tasks);
      }
    }
  }
}

TEST(Workers, PassOverAllTasksOnceTheyAreToStop) {
  for (const unsigned threads : {1U, 3U}) {
    Workers workers(threads);
    std::atomic<std::size_t> done = 0;
    const Workers::Task task = [&](std::size_t, unsigned) { ++done; };
    workers.run(100, task);
    EXPECT_EQ(done, 100U);
    EXPECT_FALSE(workers.stopped());
    workers.stop_when([&] { return done >= 105; });
    workers.run(1'000'000, task);
    EXPECT_TRUE(workers.stopped());
    EXPECT_LT(done, 1'000'000U);
    const std::size_t before = done;
    workers.run(50, task);
    EXPECT_EQ(done, before);
  }
}

TEST(Workers, MayStayIdle) {
  const Workers workers(4);
  EXPECT_EQ(workers.count(), 4U);
}

}  // namespace
}  // namespace dpfermi

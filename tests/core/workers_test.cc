#include "dpfermi/core/workers.h"

#include <gtest/gtest.h>

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

TEST(Workers, MayStayIdle) {
  const Workers workers(4);
  EXPECT_EQ(workers.count(), 4U);
}

}  // namespace
}  // namespace dpfermi

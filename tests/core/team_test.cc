#include "core/team.h"

#include <gtest/gtest.h>

#include <numeric>

#include "thread_team.h"

namespace dpfermi {
namespace {

TEST(Team, SharesCoverAllPiecesInOrder) {
  for (const unsigned size : {1U, 2U, 7U}) {
    for (const std::size_t pieces : {0U, 1U, 5U, 700U}) {
      const auto ended = run_team(size, [&](Team& team) -> Status {
        EXPECT_EQ(team.share_of(0, pieces).first, 0U);
        EXPECT_EQ(team.share_of(size - 1, pieces).last, pieces);
        if (team.rank() > 0) {
          EXPECT_EQ(team.share(pieces).first, team.share_of(team.rank() - 1, pieces).last);
        }
        return {};
      });
      for (const Status& status : ended) EXPECT_TRUE(status);
    }
  }
}

TEST(Team, TheLeaderGetsTheSumsAndTheOthersZeros) {
  const auto ended = run_team(3, [](Team& team) -> Status {
    std::vector<std::int64_t> values = {1, std::int64_t{10} * team.rank(), -5};
    DPFERMI_TRY(team.add_up(values));
    const std::vector<std::int64_t> sums = {3, 30, -15};
    EXPECT_EQ(values, team.leads() ? sums : std::vector<std::int64_t>(3));
    return {};
  });
  for (const Status& status : ended) EXPECT_TRUE(status);
}

TEST(Team, EveryProcessGetsTheTextOfTheLeader) {
  run_team(4, [](Team& team) -> Status {
    DPFERMI_ASSIGN(const std::string text, hand_out(team, std::string(team.rank() + 3, 'x')));
    EXPECT_EQ(text, "xxx");
    return {};
  });
}

TEST(Team, TheLeaderGetsTheTextsOfAll) {
  const std::vector<std::string> all = {"", "a\nb", "\xff end"};
  run_team(3, [&](Team& team) -> Status {
    DPFERMI_ASSIGN(const std::vector<std::string> texts, collect(team, all[team.rank()]));
    EXPECT_EQ(texts, team.leads() ? all : std::vector<std::string>());
    return {};
  });
}

TEST(Team, OtherTextsThanTheLeadersEndTheRunOfAll) {
  for (const std::string other : {"x", "y"}) {
    const auto ended = run_team(
        3, [&](Team& team) { return check_alike(team, team.rank() == 1 ? other : "x", "rows"); });
    for (const Status& status : ended) {
      ASSERT_EQ(status.has_value(), other == "x");
      if (status) continue;
      EXPECT_TRUE(status.error().message.starts_with("process 1 has other rows"));
    }
  }
}

TEST(Team, EveryProcessGetsThePiecesOfAllOthers) {
  for (const std::size_t pieces : {1U, 2U, 9U}) {
    run_team(4, [&](Team& team) -> Status {
      std::vector<double> values(2 * pieces, -1);
      const Share own = team.share(pieces);
      for (std::size_t i = 2 * own.first; i < 2 * own.last; ++i)
        values[i] = 0.5 + static_cast<double>(i);
      team.gather(values, 2);
      std::vector<double> all(2 * pieces);
      std::iota(all.begin(), all.end(), 0.5);
      EXPECT_EQ(values, all);
      return team.status();
    });
  }
}

TEST(Team, AFailureOfOneProcessEndsTheRunOfAllWithItsError) {
  const auto ended = run_team(3, [](Team& team) -> Status {
    DPFERMI_TRY(team.meet());
    if (team.rank() == 1) return budget_refused("nothing is left");
    std::vector<std::int64_t> values(5);
    const Status status = team.add_up(values);
    EXPECT_FALSE(status);
    EXPECT_FALSE(team.meet());
    EXPECT_FALSE(team.status());
    return status;
  });
  for (const Status& status : ended) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::kBudgetRefused);
    EXPECT_EQ(status.error().message, "nothing is left");
  }
}

TEST(Team, OfSeveralErrorsTheOneOfTheLowestRankIsTold) {
  const auto ended = run_team(4, [](Team& team) -> Status {
    if (team.leads()) return {};
    return failed("rank " + std::to_string(team.rank()));
  });
  for (const Status& status : ended) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "rank 1");
  }
}

TEST(Team, ProcessesThatDoNotDoTheSameAreToldSo) {
  for (const bool same_exchange : {false, true}) {
    const auto ended = run_team(2, [&](Team& team) -> Status {
      std::vector<std::int64_t> values(same_exchange && team.leads() ? 3 : 4);
      if (!same_exchange && team.leads()) return team.meet();
      return team.add_up(values);
    });
    for (const Status& status : ended) {
      ASSERT_FALSE(status);
      EXPECT_NE(status.error().message.find("do not do the same"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace dpfermi

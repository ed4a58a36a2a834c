#include "sketch/whitening.h"

#include <gmock/gmock.h>

#include <atomic>
#include <cmath>

namespace dpfermi {
namespace {

constexpr std::size_t kInputs = 1000;
constexpr std::size_t kRows = 1200;  // two pieces of work for each of four tasks

double entry(std::size_t row, std::size_t input) {
  return std::sin(static_cast<double>(row * kInputs + input));
}

/// A table without zeros, of which rows are counted as they are read.
class Whitenings : public testing::Test {
 protected:
  std::optional<Whitening> create(Workers* workers, const std::function<bool()>& goes_on) {
    const std::vector<double> ridge(kInputs, 0.1);
    return Whitening::create(
        kRows,
        [&](std::size_t row, std::vector<std::pair<std::size_t, double>>& phi) {
          ++read_;
          for (std::size_t j = 0; j < kInputs; ++j) phi.emplace_back(j, entry(row, j));
          return 1.0;
        },
        ridge, workers, goes_on);
  }

  std::atomic<std::size_t> read_ = 0;
};

TEST_F(Whitenings, OfLargeTablesEndWhenTheCallerAsks) {
  EXPECT_FALSE(create(nullptr, [] { return false; }));
  EXPECT_GT(read_, 0U);
  EXPECT_LT(read_, kRows);
}

TEST_F(Whitenings, DoNotDependOnPiecesOrThreads) {
  Workers workers(3);
  const std::optional<Whitening> alone = create(nullptr, {});
  EXPECT_EQ(read_, kRows);
  const std::optional<Whitening> shared = create(&workers, [] { return true; });
  EXPECT_EQ(read_, 2 * kRows);
  ASSERT_TRUE(alone && shared);
  std::vector<double> theta(kInputs);
  for (std::size_t j = 0; j < kInputs; ++j) theta[j] = entry(j, 1);
  const std::vector<double> u = alone->whiten(theta);
  EXPECT_EQ(u, shared->whiten(theta));
  // u^2 is the mean square of the outputs, and the ridge.
  double expected = 0;
  for (std::size_t row = 0; row < kRows; ++row) {
    double output = 0;
    for (std::size_t j = 0; j < kInputs; ++j) output += entry(row, j) * theta[j];
    expected += output * output / kRows;
  }
  double square = 0;
  for (std::size_t j = 0; j < kInputs; ++j) {
    expected += 0.1 * theta[j] * theta[j];
    square += u[j] * u[j];
  }
  EXPECT_NEAR(square / expected, 1, 1e-9);
}

}  // namespace
}  // namespace dpfermi

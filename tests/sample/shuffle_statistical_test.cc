// Computed orders against what a true shuffle would give: positions, pairs, neighbours.
//
// False alarms: 1e-6 for every chi-square test and 6e-7 for every test of 5 standard errors; fewer
// than 60 checks, so 6e-5 for the file.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "random/statistics.h"
#include "sample/index_sampler.h"

namespace dpfermi {
namespace {

using statistics::kChiSquareAlarm;
using statistics::kStandardErrors;

using Order = std::vector<std::uint32_t>;

/// One batch is one epoch where size is units.
ShuffleSampler shuffle(std::uint32_t units, std::uint32_t size, std::uint64_t seed) {
  NoiseSource source{ReproducibleSeed::from_number(seed).value()};
  return ShuffleSampler::create(units, size, source.open(Purpose::kPublicBatch).value()).value();
}

// All orders of three (a grid with a cell too many) and four.
TEST(ShuffleLaw, OrdersOfAFewAreEquallyLikely) {
  for (const auto& [units, orders] :
       std::map<std::uint32_t, std::size_t>{{2, 2}, {3, 6}, {4, 24}}) {
    ShuffleSampler sampler = shuffle(units, units, 5);
    std::map<Order, std::uint64_t> seen;
    for (int i = 0; i < 240000; ++i) ++seen[sampler.next().value()];
    std::vector<std::uint64_t> counts;
    for (const auto& [order, count] : seen) counts.push_back(count);
    ASSERT_EQ(counts.size(), orders);
    EXPECT_GT(statistics::uniform_p(counts), kChiSquareAlarm) << units;
  }
}

// Any position of an epoch holds any unit equally often.
TEST(ShuffleLaw, UnitsAreEquallyLikelyAtAPosition) {
  for (const std::uint32_t units : {5U, 7U, 50U, 257U, 2000U}) {
    ShuffleSampler sampler = shuffle(units, units, 6);
    std::map<std::uint32_t, std::vector<std::uint64_t>> counts;
    for (int i = 0; i < 40000; ++i) {
      const Order order = sampler.next().value();
      for (const std::uint32_t position : {0U, 1U, units / 2, units - 1}) {
        auto& at_position = counts[position];
        at_position.resize(50);
        ++at_position[std::uint64_t{order[position]} * 50 / units];
      }
    }
    for (const auto& [position, at_position] : counts) {
      std::vector<double> probabilities(50);
      for (std::uint32_t unit = 0; unit < units; ++unit) {
        probabilities[std::uint64_t{unit} * 50 / units] += 1.0 / units;
      }
      EXPECT_GT(statistics::chi_square_p(at_position, probabilities), kChiSquareAlarm)
          << units << " " << position;
    }
  }
}

// Two units share a batch with probability (size - 1) / (units - 1), whatever their distance: the
// sides of the grid are 45 cells.
TEST(ShuffleLaw, PairsShareABatchAsOftenAsAnyOther) {
  const std::uint32_t units = 2000;
  const std::uint32_t size = 100;
  ShuffleSampler sampler = shuffle(units, size, 7);
  const std::vector<std::uint32_t> distances{1, 2, 44, 45, 46, 90, 1000};
  std::vector<double> shared(distances.size());
  std::vector<double> pairs(distances.size());
  for (int epoch = 0; epoch < 4000; ++epoch) {
    std::vector<int> batch_of(units);
    for (int batch = 0; batch < 20; ++batch) {
      const Order members = sampler.next().value();
      for (const std::uint32_t unit : members) batch_of[unit] = batch;
    }
    for (std::size_t d = 0; d < distances.size(); ++d) {
      const std::uint32_t distance = distances[d];
      for (std::uint32_t unit = 0; unit + distance < units; ++unit) {
        if (unit / distance % 2 == 1) continue;  // every unit is in one pair
        shared[d] += batch_of[unit] == batch_of[unit + distance] ? 1 : 0;
        ++pairs[d];
      }
    }
  }
  const double p = (size - 1.0) / (units - 1.0);
  for (std::size_t d = 0; d < distances.size(); ++d) {
    EXPECT_LT(std::abs(shared[d] - pairs[d] * p) / std::sqrt(pairs[d] * p * (1 - p)),
              kStandardErrors)
        << distances[d];
  }
}

// Units at positions side by side, or a row or a column of the grid apart, know nothing of each
// other: their differences are uniform, and so are pairs of their leading digits.
TEST(ShuffleLaw, NeighboursInAnOrderAreUnrelated) {
  const std::uint32_t units = 1'000'000;
  for (const std::uint32_t distance : {1U, 2U, 999U, 1000U, 1001U, 64000U}) {
    ShuffleSampler sampler = shuffle(units, units, 8);
    std::vector<std::uint64_t> differences(1000);
    std::vector<std::uint64_t> cells(32 * 32);
    for (int epoch = 0; epoch < 4; ++epoch) {
      const Order order = sampler.next().value();
      for (std::uint32_t i = 0; i + distance < units; ++i) {
        const std::uint32_t here = order[i];
        const std::uint32_t there = order[i + distance];
        ++differences[(there + units - here) % units / 1000];
        ++cells[std::uint64_t{here} * 32 / units * 32 + std::uint64_t{there} * 32 / units];
      }
    }
    EXPECT_GT(statistics::uniform_p(differences), kChiSquareAlarm) << distance;
    EXPECT_GT(statistics::uniform_p(cells), kChiSquareAlarm) << distance;
  }
}

// Two epochs have nothing in common: about one unit keeps its place.
TEST(ShuffleLaw, EpochsAreUnrelated) {
  const std::uint32_t units = 1000;
  ShuffleSampler sampler = shuffle(units, units, 9);
  std::vector<std::uint64_t> kept(12);
  std::vector<double> poisson;
  double probability = std::exp(-1.0);
  for (std::size_t k = 0; k < kept.size(); ++k) {
    poisson.push_back(probability);
    probability /= static_cast<double>(k) + 1;
  }
  for (int i = 0; i < 20000; ++i) {
    const Order first = sampler.next().value();
    const Order second = sampler.next().value();
    std::size_t same = 0;
    for (std::uint32_t position = 0; position < units; ++position) {
      same += first[position] == second[position] ? 1 : 0;
    }
    ++kept[std::min(same, kept.size() - 1)];
  }
  EXPECT_GT(statistics::chi_square_p(kept, poisson), kChiSquareAlarm);
}

}  // namespace
}  // namespace dpfermi

// What dpfermi-deep does, on 2,000 synthetic images of 64 x 64 and three epochs.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "temp_folder.h"
#include "training.h"

namespace dpfermi::deep {
namespace {

constexpr std::uint32_t kImages = 2000;
constexpr std::uint32_t kTrain = 1500;
constexpr std::uint32_t kSide = 64;
constexpr std::size_t kClasses = 3;
constexpr std::size_t kGroups = 2;

/// Noise with stripes: their width encodes the class, their colour the group. Class 0 is three
/// times as frequent in group 0 as in group 1.
struct World {
  std::vector<std::uint8_t> pixels;
  std::vector<std::uint16_t> y;
  std::vector<float> groups;  ///< images x groups, one of them 1
};

World invent() {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::normal_distribution<double> noise(0, 40);
  World world;
  for (std::uint32_t i = 0; i < kImages; ++i) {
    const std::size_t group = uniform(random) < 0.5 ? 0 : 1;
    const bool first = uniform(random) < (group == 0 ? 0.6 : 0.2);
    const std::size_t y = first ? 0 : 1 + (uniform(random) < 0.5 ? 0 : 1);
    const double width = 3.0 + 3.0 * static_cast<double>(y);
    for (std::uint32_t p = 0; p < kSide * kSide; ++p) {
      const double stripe = 30 * std::sin(2 * M_PI * (p % kSide) / width);
      for (std::size_t c = 0; c < 3; ++c) {
        const double tint = c == group ? 25 : 0;
        const double value = 128 + stripe + tint + noise(random);
        world.pixels.push_back(static_cast<std::uint8_t>(std::clamp(value, 0.0, 255.0)));
      }
    }
    world.y.push_back(static_cast<std::uint16_t>(y));
    world.groups.push_back(group == 0 ? 1 : 0);
    world.groups.push_back(group == 0 ? 0 : 1);
  }
  return world;
}

struct Score {
  double error, gap;
};

/// Error on the held-out images, and the largest difference between groups of a class's share.
Score score(DeepModel& model, const World& world) {
  std::vector<std::uint32_t> rows(kImages - kTrain);
  std::iota(rows.begin(), rows.end(), kTrain);
  std::vector<float> f(rows.size() * kClasses);
  EXPECT_FALSE(model.probabilities(rows, f).has_value());
  double wrong = 0;
  std::array<std::array<double, kClasses>, kGroups> chosen{};
  std::array<double, kGroups> sizes{};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto* row = f.data() + i * kClasses;
    const auto best = static_cast<std::size_t>(std::max_element(row, row + kClasses) - row);
    const std::size_t group = world.groups[rows[i] * kGroups] > 0 ? 0 : 1;
    wrong += best == world.y[rows[i]] ? 0 : 1;
    chosen[group][best] += 1;
    sizes[group] += 1;
  }
  double gap = 0;
  for (std::size_t j = 0; j < kClasses; ++j) {
    gap = std::max(gap, std::abs(chosen[0][j] / sizes[0] - chosen[1][j] / sizes[1]));
  }
  return {wrong / static_cast<double>(rows.size()), gap};
}

Score train_and_score(const World& world, double lambda) {
  ModelOptions options;
  options.architecture = Architecture::kSmall;
  options.side = kSide;
  options.classes = kClasses;
  options.chunk = 64;
  auto made = DeepModel::create(options);
  auto& model = std::get<DeepModel>(made);
  EXPECT_FALSE(model.load(world.pixels, world.y).has_value());
  std::vector<std::uint32_t> rows(kTrain);
  std::iota(rows.begin(), rows.end(), 0U);
  TrainingSettings settings;
  settings.epochs = 3;
  settings.batch = 32;
  settings.rate = 3e-3;
  settings.lambda = lambda;
  const std::vector<std::uint16_t> conditions(kImages);
  ProxyPenalty penalty(world.groups, kGroups, kClasses, conditions, 1);
  std::uint32_t ended = 0;
  TrainingHooks hooks;
  hooks.epoch_ended = [&](std::uint32_t epochs) { ended = epochs; };
  train(model, rows, world.y, kClasses, lambda > 0 ? &penalty : nullptr, settings, 0, hooks);
  EXPECT_EQ(ended, 3U);
  return score(model, world);
}

// Fixed seeds throughout. The classes are in the ratio 40 : 30 : 30, so guessing errs in 0.6 of
// all cases; a perfect classifier has a gap of 0.4. Moved views move the stripes, which are told by
// their width alone then: three epochs leave an error of 0.22, where mirror images alone left 0.2.
// Lambda 8 gives 0.40 and a gap of 0.15 here; five other seeds 0.05 to 0.56 and 0.11 to 0.27.
TEST(Training, LearnsAndProxiesMakeItFair) {
  const World world = invent();
  const Score plain = train_and_score(world, 0);
  EXPECT_LT(plain.error, 0.3);
  EXPECT_GT(plain.gap, 0.25);
  const Score fair = train_and_score(world, 8);
  EXPECT_LT(fair.gap, 0.6 * plain.gap);
  EXPECT_LT(fair.error, 0.5);
}

TEST(ProxyPenalty, FunctionalsEqualTheDefinition) {
  // Two groups of two rows with certain proxies, two classes, all in one batch.
  const std::vector<float> proxies = {1, 0, 1, 0, 0, 1, 0, 1};
  const std::vector<float> f = {0.9F, 0.1F, 0.7F, 0.3F, 0.4F, 0.6F, 0.2F, 0.8F};
  const std::vector<std::uint16_t> conditions(4);
  const std::vector<std::uint32_t> rows = {0, 1, 2, 3};
  ProxyPenalty penalty(proxies, 2, 2, conditions, 1);
  penalty.set_marginals(rows);
  for (const float v : penalty.functionals(rows, 3)) EXPECT_EQ(v, 0);
  penalty.add(rows, f, 1);
  const std::vector<float> v = penalty.functionals(rows, 3);
  // P(0) = 0.55, P(0, r=0) = 0.4, P(0, r=1) = 0.15, p_r = 1/2.
  const double w0 = 0.4 / (0.55 * std::sqrt(0.5));
  const double w1 = 0.15 / (0.55 * std::sqrt(0.5));
  EXPECT_NEAR(v[0], 3 * (2 * w0 / std::sqrt(0.5) - w0 * w0 - w1 * w1), 1e-4);
  EXPECT_NEAR(v[4], 3 * (2 * w1 / std::sqrt(0.5) - w0 * w0 - w1 * w1), 1e-4);
}

TEST(NetworkFile, IsWholeOrRefused) {
  const test::TempFolder folder;
  const std::string path = folder / "network";
  write_network(path, {"settings of a run", 2, {1, 2, 3}});
  const NetworkFile read = read_network(path);
  EXPECT_EQ(read.settings, "settings of a run");
  EXPECT_EQ(read.epochs, 2U);
  EXPECT_EQ(read.theta, (std::vector<float>{1, 2, 3}));
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  EXPECT_THROW(read_network(path), Failure);
  std::ofstream(path) << "something else";
  EXPECT_THROW(read_network(path), Failure);
  std::filesystem::remove(path);
  EXPECT_THROW(read_network(path), Failure);
  EXPECT_THROW(write_network("/nowhere/at/all", read), Failure);
}

}  // namespace
}  // namespace dpfermi::deep

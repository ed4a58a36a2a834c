// The program dpfermi-deep as the network of a private run: what it answers, how it fails, and the
// audit of the whole. Needs $DPFERMI_DEEP; `make test-torch` runs it.

#include "vision/component_network.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>

#include "audit/rehearsal.h"
#include "audit/replay.h"
#include "audit/replay_mutants.h"
#include "audit/statistical_tiers.h"
#include "core/mutant.h"
#include "parameter_name.h"
#include "temp_folder.h"

namespace dpfermi::deep {
namespace {

constexpr std::size_t kSide = 16;
constexpr InventedSpec kSpec{.units = 24, .groups = 3, .classes = 3};

std::string program() {
  const char* path = std::getenv("DPFERMI_DEEP");
  return path == nullptr ? "" : path;
}

/// All that a row of a data set says, s aside.
std::string content_of(const Dataset& data, std::size_t row) {
  const auto own = data.x.row(row);
  std::string text = std::to_string(data.y[row]);
  for (const auto number : own.numbers) text += ' ' + std::to_string(number);
  for (const auto one : own.ones) text += ' ' + std::to_string(one);
  return text;
}

/// Synthetic images, one for each row of a synthetic data set. Where they follow from the rows, who
/// replaces a record replaces its image.
class Images {
 public:
  explicit Images(const Dataset& data, bool follow_rows = false) {
    std::string bytes(256, '\0');
    std::mt19937 random(1);
    for (std::size_t row = 0; row < data.rows(); ++row) {
      const std::string content = content_of(data, row);
      std::seed_seq seed(content.begin(), content.end());
      if (follow_rows) random.seed(seed);
      for (std::size_t i = 0; i < kSide * kSide * 3; ++i) bytes += static_cast<char>(random());
    }
    std::ofstream(pack(), std::ios::binary) << bytes;
    std::ofstream(labels(), std::ios::binary)
        .write(reinterpret_cast<const char*>(data.y.data()),
               static_cast<std::streamsize>(2 * data.y.size()));
  }

  std::string pack() const { return (folder_ / "images.pack").string(); }
  std::string labels() const { return (folder_ / "labels").string(); }
  std::vector<std::string> words() const {
    return {
        "serve",   "--images", pack(),      "--labels", labels(), "--side", std::to_string(kSide),
        "--model", "small",    "--classes", "3"};
  }

 private:
  test::TempFolder folder_;
};

TrainingRequest request_for(const DeepNetwork& network,
                            Adjacency adjacency = Adjacency::kSensitive) {
  TrainingRequest request =
      small_request(Method::kDpFermi, adjacency, FairnessNotion::kDemographicParity, kSpec, 6);
  request.tau.reset();
  request.network_scale = {network.parameters(), 10};
  return request;
}

class Component : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_NE(program(), "") << "set $DPFERMI_DEEP to the program";
    audited_ = invented_case("small network", kSpec, {});
    images_ = std::make_unique<Images>(audited_.data);
    auto started = ComponentNetwork::start(program(), images_->words());
    ASSERT_TRUE(started.has_value()) << started.error().message;
    network_ = std::make_shared<ComponentNetwork>(std::move(*started));
    audited_.request = request_for(*network_);
    audited_.network = [](const Dataset&) { return network_; };
  }
  static void TearDownTestSuite() {
    audited_ = {};
    network_.reset();
    images_.reset();
  }

  static AuditCase audited_;
  static std::unique_ptr<Images> images_;
  static std::shared_ptr<ComponentNetwork> network_;
};

AuditCase Component::audited_;
std::unique_ptr<Images> Component::images_;
std::shared_ptr<ComponentNetwork> Component::network_;

/// Functionals of one class each, and who has which.
struct Asked {
  std::vector<double> functionals{1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::vector<std::uint32_t> rows, which;
  NetworkRows of(double loss_weight) const { return {rows, loss_weight, functionals, which}; }
};

Asked ask(std::vector<std::uint32_t> rows) {
  Asked asked;
  for (const std::uint32_t row : rows) asked.which.push_back(row % 3);
  asked.rows = std::move(rows);
  return asked;
}

TEST_F(Component, SumsAreExactSumsOfBoundedRows) {
  const double longest = 0x1p30;
  ASSERT_TRUE(network_->set_parameters(network_->start()).has_value());
  std::vector<std::uint32_t> rows(kSpec.units);
  std::iota(rows.begin(), rows.end(), 0U);
  std::vector<std::int64_t> all(network_->parameters());
  std::vector<double> f(rows.size() * 3);
  ASSERT_TRUE(network_->clipped_sum(ask(rows).of(0), 1e-3, longest, all, f).has_value());
  for (const std::uint32_t row : rows) {
    std::vector<std::int64_t> own(all.size());
    std::vector<double> own_f(3);
    ASSERT_TRUE(network_->clipped_sum(ask({row}).of(0), 1e-3, longest, own, own_f).has_value());
    double square = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] -= own[i];
      square += static_cast<double>(own[i]) * static_cast<double>(own[i]);
    }
    EXPECT_LE(std::sqrt(square), longest);
    EXPECT_GT(std::sqrt(square), 0.999 * longest);  // so small a norm clips everybody
    for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(own_f[j], f[row * 3 + j]);
  }
  EXPECT_EQ(all, std::vector<std::int64_t>(all.size()));
}

TEST_F(Component, UnclippedSumsAreTheGradient) {
  ASSERT_TRUE(network_->set_parameters(network_->start()).has_value());
  const Asked asked = ask({1, 5, 8});
  std::vector<double> mean(network_->parameters());
  std::vector<double> f(9);
  std::vector<std::int64_t> sums(mean.size());
  ASSERT_TRUE(network_->gradient(asked.of(1), mean, f).has_value());
  ASSERT_TRUE(network_->clipped_sum(asked.of(1), 1e3, 0x1p36, sums, f).has_value());
  double largest = 0;
  for (const double entry : mean) largest = std::max(largest, std::abs(entry));
  for (std::size_t i = 0; i < mean.size(); ++i) {
    ASSERT_NEAR(static_cast<double>(sums[i]) * 1e3 * 0x1p-36 / 3, mean[i], 1e-5 * largest);
  }
  std::vector<double> other(9);
  ASSERT_TRUE(network_->probabilities(asked.rows, other).has_value());
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(other[i], f[i], 1e-6);
}

TEST_F(Component, RefusesWithOneLineAndGoesOn) {
  std::vector<std::int64_t> sums(network_->parameters());
  std::vector<double> f(6);
  const auto twice = network_->clipped_sum(ask({4, 4}).of(0), 1, 0x1p30, sums, f);
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(twice.error().message, "a member is named twice; name every row once");
  EXPECT_TRUE(network_->clipped_sum(ask({4, 5}).of(0), 1, 0x1p30, sums, f).has_value());
}

std::string why_not(const std::string& path, std::vector<std::string> words) {
  const auto started = ComponentNetwork::start(path, std::move(words));
  return started ? "" : started.error().message;
}

TEST_F(Component, SaysWhyItCannotStart) {
  std::vector<std::string> words = images_->words();
  words[2] = "/nowhere";
  EXPECT_EQ(why_not(program(), words), "/nowhere: cannot be read; check the path");
  EXPECT_EQ(why_not("/nowhere", {}), "/nowhere: cannot be started; check the file");
  EXPECT_EQ(why_not("/bin/false", {}), "dpfermi-deep failed; run it again");
  const auto started = ComponentNetwork::start(program(), images_->words(), {0, kSpec.units});
  ASSERT_FALSE(started.has_value());
  EXPECT_EQ(started.error().message, "the data has more images than the pack; pack them again");
}

TEST_F(Component, ADeadProgramEndsTheRunWithOneLine) {
  auto started = ComponentNetwork::start(program(), images_->words());
  ASSERT_TRUE(started.has_value());
  std::ifstream children("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  std::vector<pid_t> ids{std::istream_iterator<pid_t>(children), {}};
  ASSERT_EQ(ids.size(), 2U);  // that of all tests, and this one
  ::kill(ids[1], SIGKILL);
  AuditCase audited = audited_;
  auto dying = std::make_shared<ComponentNetwork>(std::move(*started));
  const TrainingPlan plan = plan_of(audited).value();
  ReleaseTap tap;
  const auto run = rehearse(audited.data, plan, {}, tap, {}, [&](const Dataset&) { return dying; });
  ASSERT_TRUE(run.has_value());
  ASSERT_FALSE(run->outcome.has_value());
  EXPECT_NE(run->outcome.error().message.find("was ended by signal 9"), std::string::npos)
      << run->outcome.error().message;
}

std::string all_red(const Result<std::vector<Finding>>& findings) {
  if (!findings) return findings.error().message;
  std::string text = findings->empty() ? "nothing was tried" : "";
  for (const Finding& finding : *findings) {
    if (finding.verdict == Verdict::kGreen) continue;
    text += finding.attempt + ": " + finding.observed + " (" + finding.note + ")\n";
  }
  return text;
}

// T0 has no false alarms; the other two with probability 1e-4 each, and seeds are fixed.
TEST_F(Component, TheAuditIsGreen) {
  EXPECT_EQ(all_red(replay_tier(audited_, {.quick = true})), "");
  EXPECT_EQ(all_red(noise_tier(audited_, {.quick = true})), "");
  EXPECT_EQ(all_red(sampler_tier(audited_, {.quick = true, .effort = 0.5})), "");
}

/// A program that holds the images of a data set, and those.
struct Held {
  explicit Held(const Dataset& data)
      : images(data, true), network(ComponentNetwork::start(program(), images.words()).value()) {}
  Images images;
  ComponentNetwork network;
};

/// Where records are protected, neighbours hold other images: each in a separate program. The
/// data that most runs are on stays in one.
NetworkFor network_for(const Dataset& usual) {
  const auto same = [](const Dataset& a, const Dataset& b) {
    if (a.rows() != b.rows()) return false;
    for (std::size_t row = 0; row < a.rows(); ++row) {
      if (content_of(a, row) != content_of(b, row)) return false;
    }
    return true;
  };
  const auto held = std::make_shared<Held>(usual);
  const auto network_of = [](const std::shared_ptr<Held>& owner) {
    return std::shared_ptr<DeepNetwork>(owner, &owner->network);
  };
  return [=](const Dataset& data) {
    return network_of(same(data, usual) ? held : std::make_shared<Held>(data));
  };
}

class RecordAudit : public testing::TestWithParam<Adjacency> {};

// No public half and a random start: whole gradients are clipped and noised.
TEST_P(RecordAudit, IsGreen) {
  ASSERT_NE(program(), "") << "set $DPFERMI_DEEP to the program";
  AuditCase audited = invented_case("small network", kSpec, {});
  audited.network = network_for(audited.data);
  audited.request = request_for(*audited.network(audited.data), GetParam());
  EXPECT_EQ(all_red(replay_tier(audited, {.quick = true})), "");
  EXPECT_EQ(all_red(noise_tier(audited, {.quick = true})), "");
  EXPECT_EQ(all_red(sampler_tier(audited, {.quick = true, .effort = 0.5})), "");
}

INSTANTIATE_TEST_SUITE_P(Adjacencies, RecordAudit,
                         testing::Values(Adjacency::kReplaceRecord, Adjacency::kAddRemoveRecord),
                         testing_support::by_word);

#ifdef DPFERMI_MUTANTS
TEST_F(Component, PlantedDefectsAreFound) {
  for (const MutantInfo& info : testing_support::replay_mutants()) {
    // What the clip does with numbers that are not finite is in the program, and tested there.
    if (info.mutant == Mutant::kNanSurvivesClip) continue;
    plant(info.mutant);
    const std::string red = all_red(replay_tier(audited_, {.quick = true}));
    plant(Mutant::kNone);
    EXPECT_NE(red, "") << info.defect;
  }
}
#endif

}  // namespace
}  // namespace dpfermi::deep

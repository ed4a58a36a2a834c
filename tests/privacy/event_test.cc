#include "dpfermi/privacy/event.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dpfermi {
namespace {

PrivacyEvent make(PrivacyEvent::Node node, Adjacency adjacency = Adjacency::kSensitive) {
  return PrivacyEvent::create(adjacency, std::move(node)).value();
}

TEST(PrivacyEvent, JsonReadsBackExactly) {
  const PrivacyEvent step =
      make(PoissonGaussianRelease{.q = 0.1 + 0.2, .noise_multiplier = 1.0 / 3});
  const PrivacyEvent counts = make(DiscreteGaussianRelease{.sigma = 20.5, .shifts = {1, -1}});
  const PrivacyEvent open = make(GaussianRelease{std::numeric_limits<double>::infinity()});
  const PrivacyEvent all =
      make(Composition{{counts, step.times(6600), open, make(ExactRelease{})}});
  const std::string text = to_json(all);
  const auto read = parse_event(text);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(to_json(*read), text);
  EXPECT_EQ(describe(*read), describe(all));
}

TEST(PrivacyEvent, RefusesParametersWithoutMeaning) {
  const double nan = std::nan("");
  const PrivacyEvent::Node bad[] = {
      GaussianRelease{-1},
      GaussianRelease{nan},
      LaplaceRelease{nan},
      DiscreteGaussianRelease{1, {}},
      DiscreteGaussianRelease{1, {0}},
      PoissonGaussianRelease{1.5, 1},
      PoissonGaussianRelease{nan, 1},
      RevealedPoissonGaussianRelease{-0.1, 1},
  };
  for (const auto& node : bad) {
    EXPECT_FALSE(PrivacyEvent::create(Adjacency::kSensitive, node)) << node.index();
  }
}

TEST(PrivacyEvent, RefusesMixedAdjacencies) {
  const PrivacyEvent attribute = make(GaussianRelease{1});
  const PrivacyEvent record = make(GaussianRelease{1}, Adjacency::kReplaceRecord);
  EXPECT_FALSE(PrivacyEvent::create(Adjacency::kSensitive, Composition{{attribute, record}}));
}

TEST(PrivacyEvent, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(parse_event("{}"));
  EXPECT_FALSE(parse_event("[1]"));
  EXPECT_FALSE(parse_event(R"({"adjacency":"sensitive","kind":"magic"})"));
  EXPECT_FALSE(parse_event(R"({"adjacency":"everything","kind":"exact"})"));
}

}  // namespace
}  // namespace dpfermi

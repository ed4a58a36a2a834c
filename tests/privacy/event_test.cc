#include "dpfermi/privacy/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "privacy/make_event.h"

namespace dpfermi {
namespace {

using ::testing::HasSubstr;
using testing_support::make_event;

TEST(PrivacyEvent, JsonReadsBackExactly) {
  const PrivacyEvent step =
      make_event(PoissonGaussianRelease{.q = 0.1 + 0.2, .noise_multiplier = 1.0 / 3});
  const PrivacyEvent counts = make_event(DiscreteGaussianRelease{.sigma = 20.5, .shifts = {1, -1}});
  const PrivacyEvent open = make_event(GaussianRelease{std::numeric_limits<double>::infinity()});
  const PrivacyEvent all =
      make_event(Composition{{counts, step.times(6600), open, make_event(ExactRelease{})}});
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
  const PrivacyEvent attribute = make_event(GaussianRelease{1});
  const PrivacyEvent record = make_event(GaussianRelease{1}, Adjacency::kReplaceRecord);
  EXPECT_FALSE(PrivacyEvent::create(Adjacency::kSensitive, Composition{{attribute, record}}));
}

TEST(PrivacyEvent, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(parse_event("{}"));
  EXPECT_FALSE(parse_event("[1]"));
  EXPECT_FALSE(parse_event(R"({"adjacency":"sensitive","kind":"magic"})"));
  EXPECT_FALSE(parse_event(R"({"adjacency":"everything","kind":"exact"})"));
}

std::string complaint(const std::string& text) {
  const auto event = parse_event(text);
  return event ? "accepted" : event.error().message;
}

std::string repeated(const std::string& count) {
  return R"({"adjacency":"sensitive","kind":"repetition","part":{"kind":"exact"},"count":)" +
         count + "}";
}

TEST(PrivacyEvent, CountsAreWholeNumbers) {
  for (const char* count : {"1.9", "0.5", "-1", "-1.0", "1e300", "\"7\"", "null", "[1]"}) {
    EXPECT_THAT(complaint(repeated(count)), HasSubstr("'count'")) << count;
  }
  EXPECT_EQ(complaint(repeated("1e6")), "accepted");
  EXPECT_EQ(complaint(repeated("18446744073709551615")), "accepted");
  const std::string lattice = R"({"adjacency":"sensitive","kind":"discrete-gaussian","sigma":2,)";
  EXPECT_THAT(complaint(lattice + R"("shifts":[1.5]})"), HasSubstr("'shifts'"));
  EXPECT_THAT(complaint(lattice + R"("shifts":1})"), HasSubstr("'shifts'"));
}

TEST(PrivacyEvent, EveryKeyIsKnownAndGivenOnce) {
  const std::string head = R"({"adjacency":"sensitive",)";
  EXPECT_THAT(
      complaint(head + R"("kind":"poisson-gaussian","q":1,"noise_multiplier":1,"sigma":2})"),
      HasSubstr("unknown key 'sigma'"));
  EXPECT_THAT(
      complaint(head + R"("kind":"repetition","cuont":3,"count":1,"part":{"kind":"exact"}})"),
      HasSubstr("did you mean 'count'?"));
  EXPECT_THAT(complaint(head + R"("kind":"gausian","sigma_over_distance":1})"),
              HasSubstr("did you mean 'gaussian'?"));
  EXPECT_THAT(complaint(head + R"("kind":"gaussian"})"), HasSubstr("'sigma_over_distance'"));
  EXPECT_THAT(complaint(head + R"("kind":"gaussian","sigma_over_distance":"1"})"),
              HasSubstr("takes a number"));
  EXPECT_THAT(complaint(head + R"("kind":"exact","kind":"composition"})"), HasSubstr("twice"));
}

TEST(PrivacyEvent, AnInnerAdjacencyMayOnlyAgree) {
  const std::string head = R"({"adjacency":"sensitive","kind":"composition","parts":[)";
  EXPECT_EQ(complaint(head + R"({"kind":"exact","adjacency":"sensitive"}]})"), "accepted");
  EXPECT_THAT(complaint(head + R"({"kind":"exact","adjacency":"replace-record"}]})"),
              HasSubstr("cannot be composed"));
}

TEST(PrivacyEvent, NestingIsLimited) {
  const auto nested = [](int levels) {
    std::string text = R"({"adjacency":"sensitive","kind":"composition","parts":[)";
    for (int i = 0; i < levels; ++i) text += R"({"kind":"repetition","count":1,"part":)";
    text += R"({"kind":"exact"})" + std::string(static_cast<std::size_t>(levels), '}');
    return text + "]}";
  };
  EXPECT_EQ(complaint(nested(60)), "accepted");
  for (const int levels : {80, 300, 200'000}) {
    EXPECT_THAT(complaint(nested(levels)), HasSubstr("deep")) << levels;
  }
  PrivacyEvent event = make_event(Composition{{make_event(GaussianRelease{1})}});
  for (int i = 0; i < 200'000; ++i) event = event.times(1);
  EXPECT_EQ(event.depth(), 3);
  event = make_event(GaussianRelease{1});
  while (const auto next = PrivacyEvent::create(Adjacency::kSensitive, Composition{{event}})) {
    event = *next;
  }
  event = event.times(2);
  EXPECT_EQ(to_json(parse_event(to_json(event)).value()), to_json(event));
}

TEST(PrivacyEvent, RepetitionsOfARepetitionMultiply) {
  const PrivacyEvent once = make_event(GaussianRelease{1});
  EXPECT_EQ(to_json(once.times(6).times(7)), to_json(once.times(42)));
  EXPECT_EQ(std::get<Repetition>(once.times(1ULL << 40).times(1ULL << 40).node()).count, ~0ULL);
  EXPECT_EQ(std::get<Repetition>(once.times(~0ULL).times(0).node()).count, 0U);
}

TEST(PrivacyEvent, BadJsonIsLocated) {
  EXPECT_EQ(complaint("{\"kind\": \"exact\",\n  oops}"), "not valid JSON at line 2, column 3");
  EXPECT_EQ(complaint(""), "not valid JSON at line 1, column 1");
  EXPECT_EQ(complaint("[1e999]"), "number too large at line 1, column 6");
}

}  // namespace
}  // namespace dpfermi

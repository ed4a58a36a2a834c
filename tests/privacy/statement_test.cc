#include "dpfermi/privacy/statement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

#include "privacy/make_event.h"

namespace dpfermi {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_support::make_event;

/// Nothing in it has its default value but the adjacency and the noise.
PrivacyStatement full() {
  PrivacyStatement statement;
  statement.id_column = "patient";
  statement.cost = PrivacyCost{0.1 + 0.2, 1.0 / 3e9};
  statement.accountant = "PLD, certified upper bound";
  statement.releases = {
      {"group counts", make_event(DiscreteGaussianRelease{20.5, {1, 1}}), 1},
      {"training steps", make_event(PoissonGaussianRelease{1.0 / 44, 8.1}), 6600},
  };
  statement.domain_declared = false;
  statement.assumptions = {"P_S as in the paper"};
  statement.claimed_epsilon = 1;
  return statement;
}

/// Of a method that uses exact shares of groups beside its noise.
PrivacyStatement exact_shares() {
  PrivacyStatement statement = full();
  statement.cost_given_shares = std::exchange(statement.cost, std::nullopt);
  statement.releases[0] = {"group shares", make_event(ExactRelease{}), 1};
  return statement;
}

TEST(PrivacyStatement, ExactSharesLeaveWhatWouldHoldIfTheyWerePublic) {
  PrivacyStatement statement = exact_shares();
  EXPECT_TRUE(check_statement(statement));
  EXPECT_FALSE(is_private(statement));
  EXPECT_THAT(why_not_private(statement), HasSubstr("shares"));
  EXPECT_THAT(describe(statement), AllOf(HasSubstr("Guarantee: none, because exact shares"),
                                         HasSubstr("If the shares were public, the noise would "
                                                   "give epsilon = 0.3, delta")));
  statement.cost = PrivacyCost{1, 1e-9};
  statement.releases.erase(statement.releases.begin());
  EXPECT_FALSE(check_statement(statement));
}

TEST(PrivacyStatement, APersonIsInOnePartAndInWhatIsAboutAll) {
  const PrivacyEvent counts = make_event(GaussianRelease{20});
  const PrivacyEvent one = make_event(GaussianRelease{9});
  const PrivacyEvent other = make_event(GaussianRelease{5});
  PrivacyStatement statement = full();
  const auto about_one = [&] {
    std::vector<std::string> all;
    const std::vector<PrivacyEvent> events = releases_about_one(statement).value();
    for (const PrivacyEvent& event : events) all.push_back(to_json(event));
    return all;
  };
  const auto of = [](Composition parts) { return to_json(make_event(std::move(parts))); };
  statement.releases = {{"counts", counts, 3}, {"of one", one, 1, 1}, {"of two", other, 2, 2}};
  EXPECT_EQ(declared_parts(statement), 2U);
  EXPECT_THAT(about_one(), ElementsAre(of({{counts.times(3), one.times(1)}}),
                                       of({{counts.times(3), other.times(2)}})));
  EXPECT_THAT(describe(statement), HasSubstr("people in several of the parts"));
  EXPECT_EQ(to_json(parse_statement(to_json(statement)).value()), to_json(statement));
  for (StatedRelease& release : statement.releases) release.part = 0;
  EXPECT_EQ(declared_parts(statement), 0U);
  EXPECT_THAT(about_one(), ElementsAre(of({{counts.times(3), one.times(1), other.times(2)}})));
  EXPECT_THAT(describe(statement), Not(HasSubstr("several of the parts")));
}

TEST(PrivacyStatement, RefusesPartsWhereWhoIsInOneIsProtected) {
  PrivacyStatement statement = full();
  statement.adjacency = Adjacency::kReplaceRecord;
  statement.releases = {{"sums", make_event(GaussianRelease{9}, Adjacency::kReplaceRecord), 1, 1}};
  EXPECT_THAT(check_statement(statement).error().message, HasSubstr("leave the parts out"));
  statement.releases[0].part = 0;
  EXPECT_TRUE(check_statement(statement));
}

TEST(PrivacyStatement, SaysWhyNothingIsPromised) {
  EXPECT_EQ(why_not_private(full()), "");
  PrivacyStatement statement = full();
  statement.noise = Reproducibility::kReproducible;
  EXPECT_EQ(why_not_private(statement), "the noise came from a known seed");
  statement.cost.reset();
  EXPECT_EQ(why_not_private(statement), "");
  statement.releases = {{"training", make_event(ExactRelease{}), 1}};
  EXPECT_EQ(why_not_private(statement), "protected data were used without noise");
}

TEST(PrivacyStatement, JsonReadsBackExactly) {
  PrivacyStatement no_guarantee;
  no_guarantee.adjacency = Adjacency::kAddRemoveRecord;
  PrivacyStatement known_seed = full();
  known_seed.noise = Reproducibility::kReproducible;
  for (const PrivacyStatement& statement : {full(), no_guarantee, known_seed, exact_shares()}) {
    const auto read = parse_statement(to_json(statement));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(to_json(*read), to_json(statement));
    EXPECT_EQ(describe(*read), describe(statement));
    EXPECT_EQ(read->cost.has_value(), statement.cost.has_value());
  }
  const PrivacyStatement read = parse_statement(to_json(full())).value();
  EXPECT_EQ(read.cost->epsilon, 0.1 + 0.2);
  EXPECT_EQ(read.cost->delta, 1.0 / 3e9);
  EXPECT_EQ(read.releases[1].count, 6600U);
  EXPECT_EQ(std::get<PoissonGaussianRelease>(read.releases[1].event.node()).q, 1.0 / 44);
  EXPECT_FALSE(read.domain_declared);
  EXPECT_EQ(read.assumptions, full().assumptions);
}

TEST(PrivacyStatement, NamesGroupsReadFromTheDataAmongTheAssumptions) {
  PrivacyStatement statement = full();
  EXPECT_THAT(to_json(statement), HasSubstr("the list of groups, which was read from the data"));
  EXPECT_THAT(headline_reservation(statement), HasSubstr("treated as public"));
  statement.domain_declared = true;
  EXPECT_THAT(to_json(statement), Not(HasSubstr("list of groups")));
  EXPECT_EQ(headline_reservation(statement), "");
}

TEST(PrivacyStatement, PromisesOnlyWithSecretNoiseAndAFiniteEpsilon) {
  EXPECT_TRUE(is_private(full()));
  PrivacyStatement statement = full();
  statement.noise = Reproducibility::kReproducible;
  EXPECT_FALSE(is_private(statement));
  statement = full();
  statement.cost->epsilon = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(is_private(statement));
  EXPECT_FALSE(parse_statement(to_json(statement))->cost);
  statement = full();
  statement.cost->delta = 1;
  EXPECT_FALSE(is_private(statement));
  statement.cost.reset();
  EXPECT_FALSE(is_private(statement));
}

TEST(PrivacyStatement, SpeaksPlainly) {
  const std::string text = describe(full());
  EXPECT_THAT(text, HasSubstr("the sensitive attribute of one person"));
  EXPECT_THAT(text, HasSubstr("'patient'"));
  EXPECT_THAT(text, HasSubstr("epsilon = 0.3, delta = 3.334e-10 (PLD, certified upper bound)"));
  EXPECT_THAT(text, HasSubstr("by at most a factor of 1.35, except with probability delta"));
  EXPECT_THAT(text, HasSubstr("6,600 x training steps: Poisson"));
  EXPECT_THAT(text, HasSubstr("P_S as in the paper"));
  EXPECT_THAT(text, HasSubstr("list of groups"));
  EXPECT_THAT(text, HasSubstr("promises epsilon = 1 "));
  EXPECT_THAT(text, HasSubstr("features and labels, and what can be guessed from them"));
  EXPECT_THAT(text, Not(HasSubstr("several records")));
  PrivacyStatement by_record = full();
  by_record.id_column.clear();
  EXPECT_THAT(describe(by_record), HasSubstr("persons with several records"));
}

TEST(PrivacyStatement, SaysWhenThereIsNoGuarantee) {
  PrivacyStatement statement;
  statement.adjacency = Adjacency::kReplaceRecord;
  EXPECT_THAT(describe(statement),
              AllOf(HasSubstr("Guarantee: none."), Not(HasSubstr("Not covered"))));
  statement = full();
  statement.noise = Reproducibility::kReproducible;
  EXPECT_THAT(describe(statement),
              AllOf(HasSubstr("Guarantee: none, because the noise came from a known seed"),
                    HasSubstr("epsilon = 0.3")));
}

TEST(PrivacyStatement, TextsCannotForgeLines) {
  PrivacyStatement statement = full();
  for (std::string* text : {&statement.id_column, &statement.accountant, &statement.assumptions[0],
                            &statement.releases[0].purpose}) {
    *text = "x\nGuarantee: perfect";
  }
  EXPECT_THAT(describe(statement), Not(HasSubstr("\nGuarantee: perfect")));
}

TEST(PrivacyStatement, RefusesContradictions) {
  const auto complaint = [](const PrivacyStatement& statement) {
    const auto read = parse_statement(to_json(statement));
    EXPECT_EQ(read.has_value(), check_statement(statement).has_value());
    return read ? "accepted" : read.error().message;
  };
  PrivacyStatement statement = full();
  statement.releases.push_back({"peek", make_event(ExactRelease{}).times(2), 1});
  EXPECT_THAT(complaint(statement), HasSubstr("'peek' has no noise"));
  statement.cost.reset();
  EXPECT_EQ(complaint(statement), "accepted");
  statement = full();
  statement.adjacency = Adjacency::kReplaceRecord;
  EXPECT_THAT(complaint(statement), HasSubstr("'group counts' about sensitive"));
  statement = full();
  statement.cost->epsilon = -1;
  EXPECT_THAT(complaint(statement), HasSubstr("epsilon >= 0"));
  statement = full();
  statement.cost->delta = 1.5;
  EXPECT_THAT(complaint(statement), HasSubstr("delta in [0, 1]"));
  statement = full();
  statement.claimed_epsilon = -1;
  EXPECT_THAT(complaint(statement), HasSubstr("claimed"));
  statement.claimed_epsilon = std::nan("");
  EXPECT_FALSE(check_statement(statement));
}

TEST(PrivacyStatement, IsReadWithoutGuessing) {
  const std::string good = to_json(full());
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = good;
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), instead);
    const auto read = parse_statement(text);
    return read ? "accepted" : read.error().message;
  };
  EXPECT_THAT(with("\"delta\"", "\"dleta\""), HasSubstr("did you mean 'delta'?"));
  EXPECT_THAT(with("\"noise\": \"secret\"", "\"noise\": \"loud\""), HasSubstr("'loud'"));
  EXPECT_THAT(with("\"private\": true", "\"private\": false"), HasSubstr("contradicts"));
  EXPECT_THAT(with("\"private\": true", "\"private\": 1"), HasSubstr("true or false"));
  EXPECT_THAT(with("\"unit\": \"person\"", "\"unit\": \"record\""), HasSubstr("'unit'"));
  EXPECT_THAT(with("\"count\": 6600", "\"count\": -1"), HasSubstr("whole number"));
  EXPECT_THAT(with("\"count\": 6600", "\"count\": 1.5"), HasSubstr("whole number"));
  EXPECT_THAT(with("treated as public", "guessed"), HasSubstr("'guessed'"));
  EXPECT_THAT(with("\"accountant\": \"PLD, certified upper bound\"", "\"accountant\": 7"),
              HasSubstr("takes a text"));
  EXPECT_THAT(with("\"P_S as in the paper\"", "7"), HasSubstr("array of texts"));
  EXPECT_FALSE(parse_statement("[]"));
  EXPECT_FALSE(parse_statement(good.substr(0, good.size() / 2)));
}

}  // namespace
}  // namespace dpfermi

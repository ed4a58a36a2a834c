// Whole runs on a network that is held elsewhere, with softmax regression in plain loops for one.

#include <gmock/gmock.h>

#include <functional>

#include "optimize/census_data.h"
#include "optimize/linear_network.h"
#include "optimize/training.h"
#include "privacy/research_ledger.h"

namespace dpfermi {
namespace {

using testing_support::census_data;
using testing_support::kFavourable;
using testing_support::LinearNetwork;

const Dataset& short_census() {
  static const Dataset data = census_data({.rows = 400});
  return data;
}

std::size_t parameter_count() {
  return ModelSpec{short_census().x.columns(), short_census().classes, {}}.parameter_count();
}

TrainingRequest short_request(Method method) {
  TrainingRequest request{.method = method};
  if (method != Method::kErm) request.lambda = 2;
  request.tau = 1;
  request.epochs = 10;
  request.batch = 40;
  return request;
}

TrainingRequest network_request(Method method) {
  TrainingRequest request = short_request(method);
  request.network_scale = {parameter_count(), 1 + short_census().x.mean_square()};
  return request;
}

Result<TrainingResult> train_short(const TrainingRequest& request, StepLedger& ledger,
                                   const TrainingHooks& hooks,
                                   const Dataset& data = short_census()) {
  DPFERMI_ASSIGN(const TrainingPlan plan, plan_training(request, data, kFavourable));
  return train(data, plan, ledger, NoiseSource{ReproducibleSeed::from_number(1).value()}, hooks);
}

TEST(NetworkTraining, WithoutNoiseIsTrainingOnTheTable) {
  for (const Method method : {Method::kFermi, Method::kErm}) {
    ResearchLedger ledger;
    TrainingHooks hooks;
    hooks.start = std::vector<double>(parameter_count());
    const TrainingResult table = train_short(short_request(method), ledger, hooks).value();
    LinearNetwork network(short_census(), hooks.start);
    hooks.deep_network = &network;
    const TrainingResult deep = train_short(network_request(method), ledger, hooks).value();
    EXPECT_EQ(deep.steps, table.steps);
    EXPECT_THAT(deep.theta, testing::Pointwise(testing::DoubleNear(1e-9), table.theta));
    EXPECT_GT(std::abs(deep.theta[0]), 1e-3);
    EXPECT_EQ(deep.statement.cost.has_value(), method == Method::kErm);  // s was not read
    EXPECT_TRUE(ledger.plans().empty());
  }
}

TEST(NetworkTraining, ADeadNetworkEndsRunsWithoutNoise) {
  for (const Method method : {Method::kFermi, Method::kErm}) {
    ResearchLedger ledger;
    LinearNetwork network(short_census(), std::vector<double>(parameter_count()));
    network.fails_after = 5;
    TrainingHooks hooks;
    hooks.deep_network = &network;
    const auto result = train_short(network_request(method), ledger, hooks);
    ASSERT_FALSE(result.has_value());
    EXPECT_EQ(result.error().message, "the network has gone; start it again");
  }
}

TEST(NetworkTraining, LambdaZeroIsTheLossAlone) {
  ResearchLedger ledger;
  LinearNetwork network(short_census(), std::vector<double>(parameter_count()));
  TrainingHooks hooks;
  hooks.deep_network = &network;
  TrainingRequest request = network_request(Method::kDpFermi);
  request.lambda = 0;
  const TrainingResult private_one = train_short(request, ledger, hooks).value();
  EXPECT_EQ(private_one.theta,
            train_short(network_request(Method::kErm), ledger, hooks).value().theta);
  EXPECT_TRUE(ledger.plans().empty());
}

/// The message of a run that is refused with nothing charged.
std::string refused(const TrainingRequest& request, const TrainingHooks& hooks,
                    const Dataset& data = short_census()) {
  ResearchLedger ledger;
  const auto result = train_short(request, ledger, hooks, data);
  EXPECT_TRUE(ledger.plans().empty());
  return result ? "" : result.error().message;
}

TEST(NetworkTraining, MisfitsAreRefusedBeforeTheCharge) {
  using testing::HasSubstr;
  const TrainingRequest request = network_request(Method::kDpFermi);
  LinearNetwork network(short_census(), std::vector<double>(parameter_count()));
  TrainingHooks hooks;
  EXPECT_THAT(refused(request, hooks), HasSubstr("bring that one"));
  hooks.deep_network = &network;
  ResearchLedger ledger;
  ASSERT_TRUE(train_short(request, ledger, hooks).has_value());
  ASSERT_EQ(ledger.plans().size(), 1U);  // what is refused below differs in one thing each

  const Dataset fewer = census_data({.rows = 300});
  EXPECT_THAT(refused(request, hooks, fewer), HasSubstr("load the same images"));
  Dataset persons = short_census();
  persons.units[1] = persons.units[0];
  persons.unit_count -= 1;
  EXPECT_THAT(refused(request, hooks, persons), HasSubstr("one image per person"));
  LinearNetwork longer(short_census(), std::vector<double>(parameter_count() + 1));
  hooks.deep_network = &longer;
  EXPECT_THAT(refused(request, hooks), HasSubstr("bring that one"));
  LinearNetwork dead(short_census(), std::vector<double>(parameter_count()));
  dead.fails_after = 0;
  hooks.deep_network = &dead;
  EXPECT_THAT(refused(request, hooks), HasSubstr("the network has gone"));
}

// The same holds for what tables can have wrong.
TEST(NetworkTraining, OtherMisfitsAreRefusedBeforeTheChargeToo) {
  using testing::HasSubstr;
  TrainingRequest request = short_request(Method::kDpFermi);
  TrainingHooks hooks;
  hooks.start = {1, 2, 3};
  EXPECT_THAT(refused(request, hooks), HasSubstr("starting values do not fit"));
  hooks.start.clear();
  request.clip_norm = 1e200;
  EXPECT_THAT(refused(request, hooks), HasSubstr("clipping norm must lie between"));
  request.clip_norm.reset();
  TrainingCheckpoint other;
  other.state.theta = {1};
  hooks.resume = &other;
  EXPECT_THAT(refused(request, hooks), HasSubstr("checkpoint is of another model"));
}

}  // namespace
}  // namespace dpfermi

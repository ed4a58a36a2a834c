#include "baselines/jagielski_post.h"

#include <algorithm>
#include <cmath>

#include "baselines/group_rule.h"
#include "baselines/private_run.h"
#include "privacy/mechanism/laplace_privatizer.h"

namespace dpfermi {
namespace {

constexpr double kPostBeta = 0.05;

/// Rows by decision, group and label, with noise.
Result<DecisionTable> release_table(const Dataset& data, const BaselineOptions& options,
                                    std::span<const std::uint8_t> favours, double epsilon,
                                    ReleasePermit permit, NoiseLane lane) {
  DecisionTable table(data.groups);
  DPFERMI_ASSIGN(LaplacePrivatizer privatizer,
                 LaplacePrivatizer::create(options.adjacency, table.counts.size(), 1, epsilon,
                                           std::move(permit), std::move(lane)));
  const auto one_hot = [&](const std::vector<std::uint16_t>& s, std::uint32_t row,
                           std::span<double> out) {
    const std::size_t y = data.y[row] == options.favourable ? 1 : 0;
    out[DecisionTable::index(favours[row], s[row], y)] = 1;
  };
  DPFERMI_ASSIGN(const LaplaceSums sums,
                 privatizer.release(data.s, static_cast<std::uint32_t>(data.rows()), one_hot));
  table.counts = sums.values();
  table.correct();
  return table;
}

/// What noise may have moved the rates of the smallest group by.
double slack(const DecisionTable& table, std::size_t y, double epsilon) {
  double least = INFINITY;
  for (std::size_t r = 0; r < table.groups; ++r) least = std::min(least, table.rows(r, y));
  return 4 * std::log(8 / kPostBeta) / (least * epsilon);
}

Result<TrainingResult> train_jagielski_post(const Dataset& data, const BaselineOptions& options,
                                            StepLedger& ledger, NoiseSource noise,
                                            const TrainingHooks& hooks) {
  DPFERMI_TRY(refuse_persons(data, "jagielski-post"));
  DPFERMI_ASSIGN(PureRun run, charge_pure("decisions by group and label", options, noise, ledger));
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kLaplaceNoise));
  DPFERMI_ASSIGN(BaseModel base, train_base_model(data, options, std::move(noise), hooks));
  DPFERMI_ASSIGN(const DecisionTable table, release_table(data, options, base.favours, run.epsilon,
                                                          std::move(run.permit), std::move(lane)));
  std::array<double, 2> tolerance = tolerances(options.notion, options.tolerance);
  for (const std::size_t y : {0, 1}) {
    tolerance[y] = std::min(1.0, tolerance[y] + slack(table, y, run.epsilon));
  }
  TrainingResult result = std::move(base.training);
  DPFERMI_ASSIGN(result.rule.group_table, fair_group_table(table, tolerance));
  result.statement = std::move(run.statement);
  return result;
}

}  // namespace

extern const MethodDescriptor methods::jagielski_post = {
    .name = "jagielski-post",
    .origin = "Jagielski et al. 2019, section 3",
    .summary =
        "fair and private: decisions of a plain model, redrawn by group from one "
        "noisy table; needs s to decide",
    .notions = {FairnessNotion::kEqualizedOdds, FairnessNotion::kEqualOpportunity},
    .adjacencies = {Adjacency::kSensitive},
    .knob = Knob::kTolerance,
    .knob_meaning = "largest difference between two groups, before the slack for noise",
    .odds_values = {0, 0.01, 0.03, 0.05, 0.1},
    .minibatch = true,
    .takes_hidden = true,
    .randomised = true,
    .needs_group = true,
    .claim = "equal",
    .train = train_jagielski_post,
};

}  // namespace dpfermi

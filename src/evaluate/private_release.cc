#include "evaluate/private_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/mutant.h"
#include "core/text.h"
#include "data/unit_rows.h"
#include "dpfermi/privacy/accountant/calibrate.h"
#include "dpfermi/privacy/accountant/price.h"
#include "dpfermi/privacy/mechanism/privatizer.h"
#include "privacy/mechanism/counts_privatizer.h"
#include "random/rounded_gaussian.h"

namespace dpfermi {
namespace {

using Groups = std::vector<std::uint16_t>;

constexpr std::size_t kMostReleasedCells = 1'000'000;
constexpr double kLeastSigma = 1;

Status check_request(const EvaluationRequest& request, const Dataset& data) {
  if (!(request.epsilon > 0) || !std::isfinite(request.epsilon)) {
    return usage_error(
        fmt::format("`epsilon` must be a number above 0, not {}", shortest(request.epsilon)));
  }
  if (request.delta && !(*request.delta > 0 && *request.delta < 1)) {
    return usage_error(
        fmt::format("`delta` must lie above 0 and below 1, not {}", shortest(*request.delta)));
  }
  const bool comes_and_goes = request.adjacency == Adjacency::kAddRemoveRecord;
  if (!comes_and_goes && request.declared_units) {
    return usage_error("`declared_units` is for adjacency add-remove-record; leave it out");
  }
  if (comes_and_goes && !request.declared_units && !request.delta) {
    return usage_error(
        "under add-remove-record the number of records is protected; declare it with "
        "`declared_units`, or give `delta`");
  }
  if (data.groups < (features_are_public(request.adjacency) ? 2 : 1)) {
    return usage_error("there are no groups to compare; give a table with the protected columns");
  }
  if (data.groups > kMostReleasedCells / data.classes / data.classes) {
    return usage_error(
        fmt::format("{} groups and {} classes are too many to compare; declare fewer groups",
                    with_thousands(data.groups), with_thousands(data.classes)));
  }
  return {};
}

std::size_t cells_of(const EvaluationPlan& plan) {
  return plan.groups * plan.classes * plan.classes;
}

/// Under `sensitive` a person's rows have public cells (label, decision); only which group's table
/// they are counted in is secret.
bool placed(Adjacency adjacency) {
  return features_are_public(adjacency);
}

/// Where the number of persons is public, the longest that a person's part of the table can be,
/// less its mean.
double person_norm(Adjacency adjacency, std::size_t cells) {
  return adjacency == Adjacency::kReplaceRecord ? std::sqrt(1 - 1 / static_cast<double>(cells)) : 1;
}

/// The event of the release as a function of its noise.
EventFamily release_family(Adjacency adjacency, bool persons) {
  return [=](double noise) {
    if (!persons) return counts_event(adjacency, noise);
    return gaussian_event(adjacency, {SamplingKind::kEveryone, 1.0, 1.0}, noise,
                          placed(adjacency) ? Exchanged::kPlace : Exchanged::kVector);
  };
}

/// Calibrates the plan's noise. What is set aside for the sampler's precision makes the price a
/// little higher than calibrated.
Status plan_noise(const EvaluationRequest& request, double delta, EvaluationPlan& plan) {
  const EventFamily family = release_family(request.adjacency, plan.persons);
  const double variation =
      plan.persons ? static_cast<double>(cells_of(plan)) * RoundedGaussian::kTotalVariation : 0;
  const double least =
      plan.persons ? kLeastSigma / person_norm(request.adjacency, cells_of(plan)) : kLeastSigma;
  for (double target = request.epsilon; target > 0.9 * request.epsilon; target *= 0.999) {
    DPFERMI_ASSIGN(const Calibrated calibrated, calibrate_noise(family, target, delta));
    plan.noise = std::max(calibrated.value, least);
    DPFERMI_ASSIGN(const PrivacyEvent event, family(plan.noise));
    DPFERMI_ASSIGN(plan.charge, priced_charge("evaluation", event, 1, delta, variation));
    if (plan.charge.cost.epsilon > request.epsilon) continue;
    if (mutant(Mutant::kEvaluationUnderpriced)) plan.charge.cost.epsilon /= 2;
    return {};
  }
  return failed(
      fmt::format("the budget of epsilon {} cannot be met; use a larger `epsilon` or `delta`",
                  shortest(request.epsilon)));
}

/// Where a row is counted.
struct Cells {
  std::span<const std::uint16_t> decisions;
  std::span<const std::uint16_t> labels;
  std::size_t classes;

  std::size_t column(std::uint32_t row) const { return labels[row] * classes + decisions[row]; }
  std::size_t of(const Groups& s, std::uint32_t row) const {
    return s[row] * classes * classes + column(row);
  }
};

Result<NoisyTable> release_records(const EvaluationPlan& plan, const Cells& cells,
                                   const Dataset& data, ReleasePermit permit, NoiseLane lane) {
  const Adjacency adjacency = permit.event().adjacency();
  DPFERMI_ASSIGN(
      CountsPrivatizer privatizer,
      CountsPrivatizer::create(adjacency, plan.noise, std::move(permit), std::move(lane)));
  DPFERMI_ASSIGN(
      const NoisyCounts noisy,
      privatizer.release(data.s, static_cast<std::uint32_t>(data.unit_count), cells_of(plan),
                         [&](const Groups& s, std::uint32_t row) { return cells.of(s, row); }));
  NoisyTable table;
  table.counts.assign(noisy.values().begin(), noisy.values().end());
  table.noise = {noisy.sigma(), 1, 0, 0.5};
  return table;
}

/// A person is counted with the mean over their rows.
Result<ClippedSum> sum_persons(const Cells& cells, const Dataset& data, Adjacency adjacency,
                               const Privatizer& privatizer) {
  const auto persons = static_cast<std::uint32_t>(data.unit_count);
  if (placed(adjacency)) {
    const std::vector<std::uint32_t> conditions(data.rows());
    return privatizer.sum_placed(
        data.s, {persons, data.units, conditions},
        [&](std::uint32_t row, std::span<double> out) { out[cells.column(row)] = 1; });
  }
  const UnitRows rows(data);
  const auto person = [&](const Groups& s, std::uint32_t unit, std::span<double> out) {
    for (const std::uint32_t row : rows.of(unit)) out[cells.of(s, row)] += rows.weight(unit);
    if (adjacency == Adjacency::kAddRemoveRecord) return;
    for (double& entry : out) entry -= 1 / static_cast<double>(out.size());
  };
  // The sum is not turned into a mean: the declared denominator is never used.
  DeclaredUnits denominator;
  if (adjacency == Adjacency::kAddRemoveRecord) denominator = 1;
  return privatizer.sum(data.s, Batch::everyone(persons, denominator), person);
}

Result<NoisyTable> release_persons(const EvaluationPlan& plan, const Cells& cells,
                                   const Dataset& data, ReleasePermit permit, NoiseLane lane) {
  const Adjacency adjacency = permit.event().adjacency();
  const int bits = ContributionLayout::finest_lattice(plan.noise);
  DPFERMI_ASSIGN(
      ContributionLayout layout,
      placed(adjacency)
          ? ContributionLayout::placed({1, plan.groups, plan.classes * plan.classes}, 1, bits)
          : ContributionLayout::create({{cells_of(plan), person_norm(adjacency, cells_of(plan))}},
                                       bits));
  const double step = layout.step(0);
  DPFERMI_ASSIGN(Privatizer privatizer, Privatizer::create(std::move(layout), adjacency, plan.noise,
                                                           std::move(permit), std::move(lane)));
  DPFERMI_ASSIGN(ClippedSum sum, sum_persons(cells, data, adjacency, privatizer));
  DPFERMI_ASSIGN(const NoisySum noisy, privatizer.release(std::move(sum)));
  NoisyTable table;
  table.counts.assign(noisy.segment(0).begin(), noisy.segment(0).end());
  // Every row's entry was cut by less than a step; where n is a secret the table itself says how
  // many there are, about.
  const double about = std::accumulate(table.counts.begin(), table.counts.end(), 0.0);
  const double most = adjacency == Adjacency::kAddRemoveRecord ? std::max(1.0, 2 * about)
                                                               : static_cast<double>(data.rows());
  table.noise = {noisy.noise_stddev(0), 1, 0, most * step};
  return table;
}

/// Moves the counts of each column to the total over groups that everybody knows. A column without
/// rows has no noise left.
void fit_columns(const Cells& cells, const Dataset& data, NoisyTable& table) {
  const UnitRows rows(data);
  const std::size_t columns = table.classes * table.classes;
  table.totals.assign(columns, 0);
  for (std::uint32_t row = 0; row < data.y.size(); ++row) {
    table.totals[cells.column(row)] += rows.weight(data.units[row]);
  }
  const auto k = static_cast<double>(table.groups);
  for (std::size_t column = 0; column < columns; ++column) {
    double sum = 0;
    for (std::size_t at = column; at < table.counts.size(); at += columns) sum += table.counts[at];
    const double each = (table.totals[column] - sum) / k;
    for (std::size_t at = column; at < table.counts.size(); at += columns) {
      table.counts[at] = table.totals[column] == 0 ? 0 : table.counts[at] + each;
    }
  }
  table.noise.own = 1 - 1 / k;
  if (!mutant(Mutant::kExactEvaluation)) return;
  std::ranges::fill(table.counts, 0);
  for (std::uint32_t row = 0; row < data.y.size(); ++row) {
    table.counts[cells.of(ExactForHolder::read(data.s), row)] += rows.weight(data.units[row]);
  }
}

void fit_total(NoisyTable& table) {
  const auto cells = static_cast<double>(table.counts.size());
  const double sum = std::accumulate(table.counts.begin(), table.counts.end(), 0.0);
  for (double& count : table.counts) count += (*table.units - sum) / cells;
  table.noise.shared = 1 / cells;
}

}  // namespace

Result<EvaluationPlan> plan_evaluation(const EvaluationRequest& request, const Dataset& data) {
  DPFERMI_TRY(check_request(request, data));
  const auto n = static_cast<double>(
      request.declared_units.value_or(static_cast<std::uint32_t>(data.unit_count)));
  const double delta = request.delta.value_or(1 / (n * n));
  DPFERMI_ASSIGN(const PrivacyEvent exact, PrivacyEvent::create(request.adjacency, ExactRelease{}));
  EvaluationPlan plan{data.groups, data.classes, data.persons, 0, Charge{"evaluation", exact}};
  DPFERMI_TRY(plan_noise(request, delta, plan));
  return plan;
}

Result<NoisyTable> release_table(const EvaluationPlan& plan,
                                 std::span<const std::uint16_t> decisions, const Dataset& data,
                                 Ledger& ledger, NoiseSource noise) {
  const auto outside = [&](std::uint16_t label) { return label >= plan.classes; };
  if (data.y.empty() || decisions.size() != data.y.size() || std::ranges::any_of(data.y, outside) ||
      std::ranges::any_of(decisions, outside)) {
    return usage_error(fmt::format("{} decisions do not fit {} labels of {} classes",
                                   decisions.size(), data.y.size(), plan.classes));
  }
  Charge charge = plan.charge;
  charge.fixed_seed = noise.reproducibility() == Reproducibility::kReproducible;
  DPFERMI_ASSIGN(NoiseLane lane,
                 noise.open(plan.persons ? Purpose::kSketchNoise : Purpose::kCountsNoise));
  DPFERMI_ASSIGN(ReleasePermit permit, ledger.charge(charge));
  const Cells cells{decisions, data.y, plan.classes};
  DPFERMI_ASSIGN(NoisyTable table,
                 plan.persons
                     ? release_persons(plan, cells, data, std::move(permit), std::move(lane))
                     : release_records(plan, cells, data, std::move(permit), std::move(lane)));
  table.groups = plan.groups;
  table.classes = plan.classes;
  table.persons = plan.persons;
  const Adjacency adjacency = charge.event.adjacency();
  if (adjacency != Adjacency::kAddRemoveRecord) table.units = static_cast<double>(data.unit_count);
  if (adjacency == Adjacency::kSensitive) fit_columns(cells, data, table);
  if (adjacency == Adjacency::kReplaceRecord) fit_total(table);
  return table;
}

PrivacyStatement statement_of(const EvaluationPlan& plan, Reproducibility noise) {
  const PrivacyEvent& event = plan.charge.event;
  const JointPlan releases{plan.charge.purpose,
                           {{"counts by group, label and decision", event}},
                           plan.charge.cost,
                           noise == Reproducibility::kReproducible};
  return statement_of(event.adjacency(), releases);
}

}  // namespace dpfermi

#include "baselines/jagielski_in.h"

#include <algorithm>
#include <cmath>

#include "baselines/fair_game.h"
#include "baselines/noisy_steps.h"
#include "baselines/private_run.h"
#include "baselines/ridge_regression.h"
#include "core/stopwatch.h"
#include "dpfermi/privacy/mechanism/privatizer.h"

namespace dpfermi {
namespace {

constexpr std::uint64_t kLeastRounds = 20;
constexpr double kInBeta = 0.05;
constexpr double kTiny = 1e-300;
constexpr std::size_t kRates = 0;  // parts of the plan
constexpr std::size_t kCosts = 1;

using Groups = std::vector<std::uint16_t>;

/// What of s the players may see, and nothing else of it.
class PrivateView {
 public:
  static Result<PrivateView> create(const Dataset& data, const JagielskiInOptions& options,
                                    const CalibratedRun& run, std::uint64_t rounds, double longest,
                                    StepLedger& ledger, NoiseSource& noise) {
    DPFERMI_ASSIGN(ReleasePermit rates, ledger.claim(run.charge.plan, kRates, 0, rounds + 1));
    DPFERMI_ASSIGN(ReleasePermit costs, ledger.claim(run.charge.plan, kCosts, 0, rounds - 1));
    DPFERMI_ASSIGN(NoiseLane rates_lane, noise.open(Purpose::kCountsNoise));
    DPFERMI_ASSIGN(NoiseLane costs_lane, noise.open(Purpose::kGradientNoise));
    const double z = run.noise_multiplier;
    const int bits = ContributionLayout::finest_lattice(z);
    DPFERMI_ASSIGN(ContributionLayout cells,
                   ContributionLayout::create({{2 * data.groups, 1}}, bits));
    DPFERMI_ASSIGN(ContributionLayout columns,
                   ContributionLayout::create({{data.x.columns() + 1, longest}}, bits));
    DPFERMI_ASSIGN(Privatizer rates_privatizer,
                   Privatizer::create(std::move(cells), options.adjacency, z, std::move(rates),
                                      std::move(rates_lane)));
    DPFERMI_ASSIGN(Privatizer costs_privatizer,
                   Privatizer::create(std::move(columns), options.adjacency, z, std::move(costs),
                                      std::move(costs_lane)));
    return PrivateView(data, options.favourable, std::move(rates_privatizer),
                       std::move(costs_privatizer));
  }

  /// Rows by label and group (2 x k) of those that `favours` marks.
  Result<std::vector<double>> counts(std::span<const std::uint8_t> favours) {
    const auto one_hot = [&](const Groups& s, std::uint32_t row, std::span<double> out) {
      if (favours[row] != 0) out[label(row) * data_->groups + s[row]] = 1;
    };
    return released(rates_, one_hot);
  }

  /// sum_i v(label_i, s_i) [x_i, 1] for v (2 x k) within [-1, 1].
  Result<std::vector<double>> weighted_rows(std::span<const double> v) {
    const auto row_of = [&](const Groups& s, std::uint32_t row, std::span<double> out) {
      add_row(data_->x, row, v[label(row) * data_->groups + s[row]], out);
    };
    return released(costs_, row_of);
  }

  std::size_t label(std::size_t row) const { return data_->y[row] == favourable_ ? 1 : 0; }

 private:
  PrivateView(const Dataset& data, std::size_t favourable, Privatizer rates, Privatizer costs)
      : data_(&data), favourable_(favourable), rates_(std::move(rates)), costs_(std::move(costs)) {}

  template <class Contribution>
  Result<std::vector<double>> released(Privatizer& privatizer, const Contribution& contribution) {
    DPFERMI_ASSIGN(
        ClippedSum sum,
        privatizer.sum(data_->s, Batch::everyone(static_cast<std::uint32_t>(data_->rows())),
                       contribution));
    DPFERMI_ASSIGN(const NoisySum noisy, privatizer.release(std::move(sum)));
    const std::span<const double> values = noisy.segment(0);
    return std::vector<double>(values.begin(), values.end());
  }

  const Dataset* data_;
  std::size_t favourable_;
  Privatizer rates_, costs_;
};

/// The public side of the game: what costs and gaps are made of, given noisy group sizes.
class Players {
 public:
  Players(const Dataset& data, const PrivateView& view, std::vector<double> cell_rows)
      : data_(&data), regression_(data.x), cell_rows_(std::move(cell_rows)) {
    for (std::size_t i = 0; i < data.rows(); ++i) {
      labels_.push_back(static_cast<std::uint8_t>(view.label(i)));
      label_rows_[labels_[i]] += 1;
    }
    for (double& rows : cell_rows_) rows = std::max(rows, 1.0);
  }

  /// P(1 | label, group) - P(1 | label) from noisy counts of favoured rows; the second is public.
  std::vector<double> gaps(std::span<const double> counts,
                           std::span<const std::uint8_t> favours) const {
    std::array<double, 2> rates{};
    for (std::size_t i = 0; i < favours.size(); ++i) {
      rates[labels_[i]] += favours[i] / label_rows_[labels_[i]];
    }
    const std::size_t k = data_->groups;
    std::vector<double> gaps(2 * k);
    for (std::size_t j = 0; j < gaps.size(); ++j) {
      gaps[j] = std::clamp(counts[j] / cell_rows_[j], 0.0, 1.0) - rates[j / k];
    }
    return gaps;
  }

  /// theta of the rule "decide 1 where the regression of the costs is negative". Costs of deciding
  /// 1: +-1/n for the error, multiplier_j / rows_j for row's own cell, which is secret, and minus
  /// the multipliers of its label, which is not.
  /// In the first round the multipliers are 0 and nothing is secret.
  Result<std::vector<double>> answer(std::span<const double> multipliers, PrivateView& view,
                                     bool class_one, bool first) const {
    const std::size_t k = data_->groups;
    std::vector<double> own(2 * k);
    std::array<double, 2> of_label{};
    double largest = 0;
    for (std::size_t j = 0; j < own.size(); ++j) {
      own[j] = multipliers[j] / cell_rows_[j];
      of_label[j / k] += multipliers[j] / label_rows_[j / k];
      largest = std::max(largest, std::abs(own[j]));
    }
    std::vector<double> sums(data_->x.columns() + 1);
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      const double error = (labels_[i] != 0 ? -1.0 : 1.0) / static_cast<double>(labels_.size());
      add_row(data_->x, i, error - of_label[labels_[i]], sums);
    }
    if (!first) {
      for (double& value : own) value /= std::max(largest, kTiny);
      DPFERMI_ASSIGN(const std::vector<double> secret, view.weighted_rows(own));
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += largest * secret[j];
    }
    std::vector<double> theta = regression_.solve(sums);
    const double sign = class_one ? -1 : 1;
    // Costs are of the order of 1/n; decisions do not depend on the scale of theta.
    for (double& value : theta) value *= sign * static_cast<double>(labels_.size());
    return theta;
  }

  std::vector<std::uint8_t> favours(std::span<const double> theta, bool class_one) const {
    std::vector<std::uint8_t> favours;
    for (std::size_t i = 0; i < labels_.size(); ++i) {
      favours.push_back((inner_product(data_->x, i, theta) > 0) == class_one ? 1 : 0);
    }
    return favours;
  }

 private:
  const Dataset* data_;
  RidgeRegression regression_;
  std::vector<double> cell_rows_;  ///< labels x groups, noisy
  std::vector<std::uint8_t> labels_;
  std::array<double, 2> label_rows_{};
};

Result<CalibratedRun> charge_rounds(const Dataset& data, const JagielskiInOptions& options,
                                    std::uint64_t rounds, double delta, const NoiseSource& noise,
                                    StepLedger& ledger) {
  const Sampling everyone{SamplingKind::kEveryone, 1, static_cast<double>(data.rows())};
  const PartsOfNoise parts = [&](double z) -> Result<std::vector<PlannedPart>> {
    DPFERMI_ASSIGN(const PrivacyEvent event, gaussian_event(options.adjacency, everyone, z));
    return std::vector<PlannedPart>{{"rates by group and label", event, rounds + 1},
                                    {"costs of decisions", event, rounds - 1}};
  };
  const double precision = noise_precision(rounds + 1, 2 * data.groups) +
                           noise_precision(rounds - 1, data.x.columns() + 1);
  return charge_calibrated(parts, options, delta, precision, noise, ledger);
}

}  // namespace

double jagielski_rounds(double n, double columns, double groups, double bound, double epsilon,
                        double delta) {
  const double vc = columns + 1;
  return bound * std::sqrt(std::log(4 * groups - 3)) * n * epsilon /
         (2 * (2 * groups * bound + 1) * std::sqrt(std::log(1 / delta)) *
          (vc * std::log(n) + std::log(2 / kInBeta)));
}

Result<TrainingResult> jagielski_in(const Dataset& data, const JagielskiInOptions& options,
                                    StepLedger& ledger, NoiseSource noise,
                                    const TrainingHooks& hooks) {
  const Stopwatch watch;
  DPFERMI_TRY(refuse_persons(data, "jagielski-in"));
  const double delta = delta_of(options, data);
  const auto n = static_cast<double>(data.rows());
  const auto k = static_cast<double>(data.groups);
  // Groups within gamma of everybody are within 2 gamma of each other.
  const double gamma = options.tolerance / 2;
  const double bound = 1 / std::max(gamma, 0.01);
  const double theorem =
      jagielski_rounds(n, static_cast<double>(data.x.columns()), k, bound, options.epsilon, delta);
  const std::uint64_t rounds =
      options.rounds.value_or(std::max(kLeastRounds, static_cast<std::uint64_t>(theorem)));
  if (rounds < 2) return usage_error("the game needs at least two rounds; give more");
  const bool class_one = options.favourable == 1;

  const double longest = 2 * std::sqrt(1 + data.x.mean_square());
  DPFERMI_ASSIGN(CalibratedRun run, charge_rounds(data, options, rounds, delta, noise, ledger));
  DPFERMI_ASSIGN(PrivateView view,
                 PrivateView::create(data, options, run, rounds, longest, ledger, noise));
  DPFERMI_ASSIGN(std::vector<double> sizes, view.counts(std::vector<std::uint8_t>(data.rows(), 1)));
  const Players players(data, view, std::move(sizes));
  Auditor auditor(2 * data.groups, bound,
                  std::sqrt(std::log(4 * k - 3) / static_cast<double>(rounds)) / (2 * bound),
                  gamma);
  TrainingResult result;
  result.model = {data.x.columns(), data.classes, {}};
  for (std::uint64_t t = 1; t <= rounds; ++t) {
    DPFERMI_ASSIGN(const std::vector<double> theta,
                   players.answer(auditor.multipliers(), view, class_one, t == 1));
    const std::vector<std::uint8_t> favours = players.favours(theta, class_one);
    DPFERMI_ASSIGN(const std::vector<double> counts, view.counts(favours));
    auditor.observe(players.gaps(counts, favours));
    result.theta.insert(result.theta.end(), theta.begin(), theta.end());
    result.rule.weights.push_back(1 / static_cast<double>(rounds));
    if (hooks.progress && !hooks.progress({t, rounds, 0, theta})) {
      return failed("the game was interrupted; what was charged stays charged");
    }
  }
  result.steps = rounds;
  result.statement = std::move(run.charge.statement);
  result.seconds = watch.seconds();
  return result;
}

extern const MethodDescriptor methods::jagielski_in = {
    .name = "jagielski-in",
    .origin = "Jagielski et al. 2019, section 4",
    .summary =
        "fair and private: a mixture of linear rules from a game whose players see "
        "noise",
    .notions = {FairnessNotion::kEqualizedOdds},
    .adjacencies = {Adjacency::kSensitive},
    .knob = Knob::kTolerance,
    .knob_meaning = "largest difference between two groups",
    .odds_values = {0.02, 0.2, 0.6},
    .randomised = true,
    .claim = "none for Gaussian noise",
    .train = with_defaults<JagielskiInOptions, dpfermi::jagielski_in>,
};

}  // namespace dpfermi

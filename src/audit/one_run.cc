#include "audit/one_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "audit/audit_case.h"
#include "audit/audit_ledger.h"
#include "audit/invention.h"

namespace dpfermi {
namespace {

using Lattice = std::vector<std::int64_t>;

/// Scores every canary: the released sums, less what all others added (which a guesser may know),
/// along what the canary adds in group 1.
class CanaryScorer final : public ReleaseTap {
 public:
  explicit CanaryScorer(const OneRunSetup& setup)
      : setup_(&setup), scores_(setup.canaries.size()) {}

  void on_batch(const TappedBatch& batch) override {
    shifts_.clear();
    drawn_sum_.assign(batch.sum.size(), 0);
    for (const std::uint32_t canary : setup_->canaries) {
      Result<Lattice> shift = batch.sum_of(std::span(&canary, 1));
      // A failed sum says nothing; the run reports it.
      shifts_.push_back(shift ? *std::move(shift) : Lattice(batch.sum.size()));
      if (!std::ranges::binary_search(batch.members, canary)) continue;
      for (std::size_t i = 0; i < drawn_sum_.size(); ++i) drawn_sum_[i] += shifts_.back()[i];
    }
  }

  void on_sum(const TappedSum& sum) override {
    std::vector<double> residual(sum.noisy.size());
    const double unit = std::ldexp(1.0, sum.layout.lattice_bits());
    for (std::size_t i = 0; i < residual.size(); ++i) {
      residual[i] = static_cast<double>(sum.noisy[i] - sum.exact[i] + drawn_sum_[i]) / unit;
    }
    for (std::size_t c = 0; c < shifts_.size(); ++c) {
      double product = 0;
      for (std::size_t i = 0; i < residual.size(); ++i) {
        product += residual[i] * static_cast<double>(shifts_[c][i]);
      }
      // In the other group a canary would add the opposite: this is its shift in group 1.
      scores_[c] += (setup_->coins[c] ? product : -product) / unit;
    }
  }

  const std::vector<double>& scores() const { return scores_; }

 private:
  const OneRunSetup* setup_;
  std::vector<Lattice> shifts_;  ///< of every canary, in its own group
  Lattice drawn_sum_;
  std::vector<double> scores_;
};

std::vector<std::uint16_t> coins_for(const Dataset& data, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<std::uint16_t> by_unit(data.unit_count);
  for (std::uint16_t& coin : by_unit) coin = static_cast<std::uint16_t>(engine() >> 63);
  std::vector<std::uint16_t> s(data.rows());
  for (std::size_t row = 0; row < s.size(); ++row) s[row] = by_unit[data.units[row]];
  return s;
}

Result<OneRunSetup> setup_of(Dataset data, std::vector<std::uint32_t> canaries,
                             const std::vector<std::uint16_t>& s, TrainingRequest request,
                             std::size_t favourable) {
  OneRunSetup setup;
  // The last iterate is what the guesser reads, not the best of those that were measured.
  if (request.method == Method::kDpFermi) request.residual_rounds = 0;
  DPFERMI_ASSIGN(setup.plan, plan_training(request, data, favourable));
  std::vector<bool> by_unit(data.unit_count);
  for (std::size_t row = 0; row < s.size(); ++row) by_unit[data.units[row]] = s[row] == 1;
  for (const std::uint32_t canary : canaries) setup.coins.push_back(by_unit[canary]);
  setup.data = std::move(data);
  setup.canaries = std::move(canaries);
  return setup;
}

}  // namespace

Result<OneRunSetup> one_run_on(const Dataset& data, const TrainingRequest& request,
                               std::size_t favourable, std::size_t canaries, std::uint64_t seed) {
  if (!features_are_public(request.adjacency)) {
    return usage_error("coins are flipped under adjacency sensitive only; audit that one");
  }
  const std::vector<std::uint16_t> s = coins_for(data, seed);
  Dataset flipped = with_groups(data, s);
  flipped.groups = 2;
  std::vector<double> longest(data.unit_count);
  for (std::size_t row = 0; row < data.rows(); ++row) {
    double square = 0;
    for (const float number : data.x.row(row).numbers) square += double{number} * number;
    longest[data.units[row]] = std::max(longest[data.units[row]], square);
  }
  std::vector<std::uint32_t> units(data.unit_count);
  std::iota(units.begin(), units.end(), 0U);
  std::ranges::stable_sort(units, std::greater<>(),
                           [&](std::uint32_t unit) { return longest[unit]; });
  units.resize(std::min(canaries, units.size()));
  std::ranges::sort(units);
  return setup_of(std::move(flipped), std::move(units), s, request, favourable);
}

Result<OneRunSetup> one_run_invented(const TrainingRequest& request, std::uint32_t units,
                                     std::uint32_t canaries, std::uint64_t seed) {
  // Canaries have two columns of their own and nothing else.
  constexpr std::size_t kNumbers = 2;
  const std::size_t columns = kNumbers + 2 * std::size_t{canaries};
  Dataset data = two_by_two(HybridMatrix(units, kNumbers, 2, columns));
  std::mt19937_64 engine(seed);
  for (std::uint32_t unit = 0; unit < units; ++unit) {
    const HybridMatrix::MutableRow row = data.x.row(unit);
    for (std::size_t j = 0; j < 2; ++j) {
      row.ones[j] = static_cast<std::uint16_t>(unit < canaries ? kNumbers + 2 * unit + j : columns);
      row.numbers[j] = unit < canaries ? 0 : static_cast<float>(engine() >> 40) * 0x1p-23F - 1;
    }
    data.y[unit] = static_cast<std::uint16_t>(engine() >> 63);
  }
  const std::vector<std::uint16_t> s = coins_for(data, seed + 1);
  data.s = Protected<std::vector<std::uint16_t>>::rehearsal(s, Invented::kRecords);
  std::vector<std::uint32_t> chosen(canaries);
  std::iota(chosen.begin(), chosen.end(), 0U);
  return setup_of(std::move(data), std::move(chosen), s, request, 1);
}

Result<OneRunOutcome> run_once(const OneRunSetup& setup, std::uint64_t seed) {
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(seed));
  CanaryScorer scorer(setup);
  AuditLedger ledger(scorer);
  DPFERMI_ASSIGN(const TrainingResult result,
                 train(setup.data, setup.plan, ledger, std::move(noise)));
  const std::vector<double>& scores = scorer.scores();
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, std::less<>(), [&](std::size_t canary) { return scores[canary]; });
  const std::size_t side = scores.size() / 8;
  OneRunOutcome outcome{
      {scores.size(), 2 * side, 0},
      result.statement.cost_given_shares.value_or(result.statement.cost.value_or(PrivacyCost{}))};
  for (std::size_t i = 0; i < side; ++i) {
    outcome.guesses.right += setup.coins[order[i]] ? 0 : 1;
    outcome.guesses.right += setup.coins[order[order.size() - 1 - i]] ? 1 : 0;
  }
  return outcome;
}

Check one_run_check(const OneRunOutcome& outcome) {
  constexpr double kReportLevel = 0.05;
  const auto& [guesses, claimed] = outcome;
  return {"coins guessed in one run", fmt::format("epsilon {:.2f}", claimed.epsilon),
          fmt::format("epsilon >= {:.2f} at 95 %",
                      one_run_epsilon(guesses, claimed.delta, kReportLevel)),
          one_run_p(guesses, claimed.epsilon, claimed.delta),
          fmt::format("{} of {} guesses right, {} coins", guesses.right, guesses.guesses,
                      guesses.canaries)};
}

}  // namespace dpfermi

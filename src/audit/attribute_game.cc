#include "audit/attribute_game.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/audit_ledger.h"
#include "audit/recording.h"

namespace dpfermi {
namespace {

using Lattice = std::vector<std::int64_t>;

double dot(std::span<const double> a, std::span<const std::int64_t> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * static_cast<double>(b[i]);
  return sum;
}

double square(std::span<const std::int64_t> a) {
  double sum = 0;
  for (const std::int64_t entry : a) sum += static_cast<double>(entry) * static_cast<double>(entry);
  return sum;
}

/// The guesser, at work on one game.
class Guesser final : public ReleaseTap {
 public:
  /// `own_cell`: where the record in question is counted in this game; the others are known.
  Guesser(const AttributeGame& game, std::optional<std::size_t> own_cell)
      : game_(&game), own_cell_(own_cell) {}

  void on_counts(const TappedCounts& counts) override {
    const auto* charged = std::get_if<DiscreteGaussianRelease>(&counts.charged.node());
    if (charged == nullptr) return;
    const double variance = charged->sigma * charged->sigma;
    const auto towards = [&](std::optional<std::size_t> cell) {
      if (!cell) return 0.0;
      const std::int64_t known = counts.exact[*cell] - (own_cell_ == cell ? 1 : 0);
      return (static_cast<double>(counts.noisy[*cell] - known) - 0.5) / variance;
    };
    const double ratio = towards(game_->p_cell) - towards(game_->q_cell);
    mixture_ += ratio;
    membership_ += ratio;
  }

  void on_batch(const TappedBatch& batch) override {
    drawn_ = std::ranges::binary_search(batch.members, game_->target);
    p_shift_ = shift(batch, game_->p_witness);
    q_shift_ = game_->q_witness ? shift(batch, *game_->q_witness) : Lattice(p_shift_.size());
    own_.assign(p_shift_.size(), 0);
    if (drawn_) own_ = shift(batch, game_->target);
  }

  void on_sum(const TappedSum& sum) override {
    const ChargedStep charged = charged_step(sum.charged);
    const double sigma = std::ldexp(charged.noise_multiplier, sum.layout.lattice_bits());
    // What is left when the others' part, which is known, is taken away.
    residual_.resize(sum.noisy.size());
    for (std::size_t i = 0; i < residual_.size(); ++i) {
      residual_[i] = static_cast<double>(sum.noisy[i] - sum.exact[i] + own_[i]);
    }
    const auto if_drawn = [&](const Lattice& shift) {
      return (dot(residual_, shift) - 0.5 * square(shift)) / (sigma * sigma);
    };
    const double p = if_drawn(p_shift_);
    const double q = if_drawn(q_shift_);
    if (sum.sampling.kind == SamplingKind::kRevealedPoisson) {
      mixture_ += drawn_ ? p - q : 0;
      return;
    }
    const auto mixed = [rate = charged.q](double ratio) {
      return ratio > 0 ? ratio + std::log(rate + (1 - rate) * std::exp(-ratio))
                       : std::log1p(rate * std::expm1(ratio));
    };
    mixture_ += mixed(p) - mixed(q);
    if_drawn_ = p - q;
  }

  /// The model after the step: its own input column moves only where the record was in the public
  /// batch.
  void after_step(double weight) {
    constexpr double kMoved = 1e-5;  // noise moves it by a thousandth of that
    if (std::abs(weight - last_weight_) > kMoved) membership_ += if_drawn_;
    last_weight_ = weight;
  }

  double mixture() const { return mixture_; }
  double membership() const { return membership_; }

 private:
  /// What a unit adds in this step. A failed sum says nothing; the run reports it.
  static Lattice shift(const TappedBatch& batch, std::uint32_t unit) {
    Result<Lattice> sum = batch.sum_of(std::span(&unit, 1));
    return sum ? *std::move(sum) : Lattice(batch.sum.size());
  }

  const AttributeGame* game_;
  std::optional<std::size_t> own_cell_;
  bool drawn_ = false;
  Lattice p_shift_, q_shift_, own_;
  std::vector<double> residual_;
  double if_drawn_ = 0;
  double last_weight_ = 0;
  double mixture_ = 0;
  double membership_ = 0;
};

struct Played {
  double mixture = 0;
  double membership = 0;
};

Result<Played> play_one(const AttributeGame& game, bool is_p, std::uint64_t seed,
                        std::optional<PrivacyEvent>* charged) {
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(seed));
  Guesser guesser(game, is_p ? game.p_cell : game.q_cell);
  AuditLedger ledger(guesser);
  TrainingHooks hooks;
  if (features_are_public(game.plan.adjacency)) {
    hooks.checkpoint_every = 1;
    hooks.checkpoint = [&](const TrainingCheckpoint& now) -> Status {
      guesser.after_step(now.state.theta[game.tag]);
      return {};
    };
  }
  DPFERMI_ASSIGN(const TrainingResult result,
                 train(is_p ? game.p : game.q, game.plan, ledger, std::move(noise), hooks));
  if (features_are_public(game.plan.adjacency)) guesser.after_step(result.theta[game.tag]);
  if (charged != nullptr && !ledger.plans().empty()) {
    DPFERMI_ASSIGN(*charged, whole_event(ledger.plans()[0].plan.parts));
  }
  return Played{guesser.mixture(), guesser.membership()};
}

}  // namespace

Result<AttributeScores> play(const AttributeGame& game, std::size_t games, std::uint64_t seed,
                             Workers& workers) {
  std::optional<PrivacyEvent> charged;
  DPFERMI_TRY(play_one(game, true, seed, &charged));
  if (!charged) return failed("a game released nothing; there is nothing to audit");
  GameScores mixture{std::vector<double>(games), std::vector<double>(games)};
  GameScores membership = mixture;
  std::vector<Status> statuses(workers.count());
  workers.run(2 * games, [&](std::size_t index, unsigned worker) {
    if (!statuses[worker]) return;
    const bool is_p = index % 2 == 0;
    Result<Played> played = play_one(game, is_p, seed + 1 + index, nullptr);
    if (!played) {
      statuses[worker] = tl::unexpected(played.error());
      return;
    }
    (is_p ? mixture.p : mixture.q)[index / 2] = played->mixture;
    (is_p ? membership.p : membership.q)[index / 2] = played->membership;
  });
  for (Status& status : statuses) DPFERMI_TRY(std::move(status));
  return AttributeScores{std::move(mixture), std::move(membership), *std::move(charged)};
}

Result<std::vector<Check>> attribute_checks(const AttributeGame& game, std::size_t games,
                                            std::uint64_t seed, Workers& workers) {
  DPFERMI_ASSIGN(const AttributeScores scores, play(game, games, seed, workers));
  DPFERMI_ASSIGN(const Profile claim, claimed_profile(scores.charged, kProfilePoints));
  std::vector<Check> checks;
  const auto add = [&](const GameScores& played, const std::string& attempt) {
    const ProfileVerdict verdict = profile_test(played, claim, game.plan.delta);
    checks.push_back({attempt,
                      fmt::format("delta({}) <= {:.4f}", verdict.epsilon, verdict.delta_claimed),
                      fmt::format("{:.4f}", verdict.delta_observed), verdict.p_value,
                      fmt::format("{} runs a side; epsilon >= {:.2f} of {:.2f} at 95 %", games,
                                  verdict.epsilon_bound, game.plan.certified_epsilon)});
  };
  add(scores.mixture, "told apart by likelihood");
  if (features_are_public(game.plan.adjacency) && game.plan.method == Method::kDpFermi) {
    add(scores.membership, "told apart, with the public batch as a hint");
  }
  return checks;
}

}  // namespace dpfermi

#include "optimize/model_choice.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "objective/ermi_penalty.h"
#include "objective/free_line.h"

namespace dpfermi {
namespace {

/// A difference between two rates that the notion compares.
struct NoisyDifference {
  std::size_t first;
  std::size_t second;
  double value;
  double deviation;
  double sure;  ///< less as much as the largest of all of them would show where there is none
  bool clear;

  double counted() const { return clear ? value : sure; }
};

template <class Visit>
void for_noisy_differences(const FairnessSetting& setting, const NoisyRates& noisy, double clear,
                           const Visit& visit) {
  std::size_t compared = 0;
  for_differences(setting, noisy, [&](std::size_t, std::size_t) { ++compared; });
  const double most =
      std::sqrt(2 * std::log(static_cast<double>(std::max<std::size_t>(compared, 2))));
  for_differences(setting, noisy, [&](std::size_t first, std::size_t second) {
    const NoisyRate& a = noisy.rates[first];
    const NoisyRate& b = noisy.rates[second];
    const double value = std::abs(std::clamp(a.value, 0.0, 1.0) - std::clamp(b.value, 0.0, 1.0));
    // Errors of the counts move the two groups apart: they add up rather than cancel.
    const double deviation = a.deviation + b.deviation;
    visit(NoisyDifference{first, second, value, deviation, value - most * deviation,
                          a.deviation <= clear && b.deviation <= clear});
  });
}

/// What a mixture has to keep.
struct Bound {
  double violation;
  double clear;
  std::vector<double> margins;  ///< of the rates; empty: none

  double margin(std::size_t rate) const { return margins.empty() ? 0 : margins[rate]; }
};

bool keeps(const FairnessSetting& setting, const NoisyRates& noisy, const Bound& bound) {
  bool kept = true;
  for_noisy_differences(setting, noisy, bound.clear, [&](const NoisyDifference& difference) {
    const double margins = bound.margin(difference.first) + bound.margin(difference.second);
    kept = kept && difference.counted() + margins <= bound.violation;
  });
  return kept;
}

/// The largest weight of `a`, whose error is smaller, at which the mixture keeps the bound; nothing
/// where `b` alone does not.
std::optional<double> largest_weight(const FairnessSetting& setting, const MeasuredModel& a,
                                     const MeasuredModel& b, const Bound& bound) {
  const auto fits = [&](double weight) {
    return keeps(setting, mixed_rates(a.rates, b.rates, weight), bound);
  };
  if (!fits(0)) return std::nullopt;
  if (fits(1)) return 1;
  double low = 0;
  double high = 1;
  for (int i = 0; i < 30; ++i) {
    const double middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

/// Of the models that may be members.
ModelChoice best_mixture(const FairnessSetting& setting, const std::vector<MeasuredModel>& models,
                         const std::vector<bool>& may, const Bound& bound) {
  const std::size_t last = models.size() - 1;
  ModelChoice best{{last}, {1}};
  double best_error = models[last].error;
  for (std::size_t a = 0; a < models.size(); ++a) {
    for (std::size_t b = 0; b < models.size(); ++b) {
      if (!may[a] || !may[b] || models[a].error >= models[b].error) continue;
      const auto weight = largest_weight(setting, models[a], models[b], bound);
      if (!weight) continue;
      const double error = *weight * models[a].error + (1 - *weight) * models[b].error;
      if (error >= best_error) continue;
      best_error = error;
      best = *weight == 1   ? ModelChoice{{a}, {1}}
             : *weight == 0 ? ModelChoice{{b}, {1}}
                            : ModelChoice{{a, b}, {*weight, 1 - *weight}};
    }
  }
  return best;
}

}  // namespace

ChosenMembers chosen_members(const std::vector<MeasuredModel>& models, const ModelChoice& choice) {
  ChosenMembers chosen;
  for (const std::size_t member : choice.members) {
    const MeasuredModel& model = models[member];
    chosen.theta.insert(chosen.theta.end(), model.theta.begin(), model.theta.end());
    chosen.lambda = std::max(chosen.lambda, model.lambda);
  }
  return chosen;
}

NoisyRates mixed_rates(const NoisyRates& a, const NoisyRates& b, double weight_of_a) {
  NoisyRates mixed{{}, a.known};
  for (std::size_t i = 0; i < a.rates.size(); ++i) {
    mixed.rates.push_back(
        {weight_of_a * a.rates[i].value + (1 - weight_of_a) * b.rates[i].value,
         std::hypot(weight_of_a * a.rates[i].deviation, (1 - weight_of_a) * b.rates[i].deviation)});
  }
  return mixed;
}

MeasuredGap measured_gap(const FairnessSetting& setting, const NoisyRates& noisy, double clear) {
  MeasuredGap gap;
  for_noisy_differences(setting, noisy, clear, [&](const NoisyDifference& difference) {
    ++gap.compared;
    gap.sure = std::max(gap.sure, difference.sure);
    gap.likely = std::max(gap.likely, difference.value * trust_in(difference.deviation));
    gap.counted = std::max(gap.counted, difference.counted());
    if (difference.clear) {
      gap.plain = std::max(gap.plain, difference.value);
      gap.deviation = std::max(gap.deviation, difference.deviation);
    }
    for (const std::size_t which : {difference.first, difference.second}) {
      if (noisy.rates[which].deviation <= gap.blurriest) continue;
      gap.blurriest = noisy.rates[which].deviation;
      gap.blurriest_cell = which / setting.width();
    }
  });
  return gap;
}

double aimed_violation(const MeasuredGap& gap, double target) {
  return target - std::min(gap.deviation, target / 2);
}

std::vector<double> noise_margins(const NoisyRates& noisy, double target) {
  std::vector<double> margins;
  for (const NoisyRate& rate : noisy.rates) {
    margins.push_back(std::min(rate.deviation, target / 4));
  }
  return margins;
}

ModelChoice choose_model(const FairnessSetting& setting, const std::vector<MeasuredModel>& models,
                         double target, double clear, bool mixtures) {
  std::vector<MeasuredGap> gaps;
  for (const MeasuredModel& model : models) {
    gaps.push_back(measured_gap(setting, model.rates, clear));
  }
  const double aim = aimed_violation(gaps.front(), target);
  const auto above = [&](std::size_t i, double gap) {
    return models[i].error >
           line_error(models.front().error, gaps.front().counted, models.back().error, gap);
  };
  std::vector<bool> below(models.size(), true);
  for (std::size_t i = 1; i + 1 < models.size(); ++i) {
    below[i] = models[i].error <= line_error(models.front().error, gaps.front().likely,
                                             models.back().error, gaps[i].likely);
  }
  std::optional<std::size_t> best;
  std::optional<std::size_t> fairest;
  for (std::size_t i = 0; i + 1 < models.size(); ++i) {
    if (!below[i]) continue;
    if (gaps[i].counted <= target && !above(i, std::max(gaps[i].counted, aim)) &&
        (!best || models[i].error < models[*best].error)) {
      best = i;
    }
    if (!above(i, gaps[i].counted) && (!fairest || gaps[i].counted < gaps[*fairest].counted)) {
      fairest = i;
    }
  }
  if (best) return {{*best}, {1}};
  if (mixtures) {
    return best_mixture(setting, models, below,
                        {target, clear, noise_margins(models.front().rates, target)});
  }
  return {{fairest.value_or(models.size() - 1)}, {1}};
}

ModelChoice keep_trained(const FairnessSetting& setting, const std::vector<MeasuredModel>& models,
                         bool mixtures) {
  constexpr double kClear = 1;  // all differences count as they are
  const std::size_t trained = models.size() - 2;
  const double unfair_gap = measured_gap(setting, models.front().rates, kClear).counted;
  const MeasuredGap gap = measured_gap(setting, models[trained].rates, kClear);
  const double least = std::max(gap.counted - gap.deviation, 0.0);
  if (models[trained].error <=
      line_error(models.front().error, unfair_gap, models.back().error, least)) {
    return {{trained}, {1}};
  }
  if (!mixtures) return {{0}, {1}};
  return best_mixture(setting, models, std::vector<bool>(models.size(), true),
                      {gap.counted, kClear, {}});
}

double next_point(const std::vector<double>& alphas, const std::vector<double>& gaps, double aim) {
  constexpr double kFarthest = 1.5;
  std::vector<std::pair<double, double>> points;
  for (std::size_t i = 0; i < alphas.size(); ++i) points.emplace_back(alphas[i], gaps[i]);
  std::ranges::sort(points);
  for (std::size_t i = 1; i < points.size(); ++i) {
    const auto [low, high_gap] = points[i - 1];
    const auto [high, low_gap] = points[i];
    if (low_gap > aim || high_gap <= low_gap) continue;
    return low + (high - low) * std::clamp((high_gap - aim) / (high_gap - low_gap), 0.1, 0.9);
  }
  const auto [before, larger] = points[points.size() - 2];
  const auto [last, gap] = points.back();
  if (gap >= larger) return (before + last) / 2;  // farther on noise alone is added
  return std::min(last + (last - before) * (gap - aim) / (larger - gap), kFarthest);
}

TargetVerdict judge_target(const FairnessSetting& setting, const NoisyRates& noisy, double target) {
  const MeasuredGap gap = measured_gap(setting, noisy, target / 2);
  TargetVerdict verdict;
  verdict.released = gap.plain;
  verdict.deviation = gap.blurriest;
  verdict.cell = gap.blurriest_cell;
  verdict.blurred = gap.blurriest > target / 2;
  if (gap.compared > 0 && !verdict.blurred) {
    verdict.met = gap.plain <= target;
  } else if (gap.plain > target || gap.sure > target) {
    verdict.met = false;
    verdict.released = std::max(gap.plain, gap.sure);
  }
  return verdict;
}

}  // namespace dpfermi

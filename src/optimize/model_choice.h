#pragma once

/// What a run may return, decided from released rates and public errors alone.
///
/// The models of a run are measured by private queries of their hard decisions (sketch/residual.h).
/// The free line is the set of mixtures of the model without fairness and the best constant: it
/// needs nothing of s but the first model's violation. A model that costs more than the point of
/// the line with the same violation, or with the violation that was asked for, is not returned.

#include <cstddef>
#include <optional>
#include <vector>

#include "objective/fairness_setting.h"
#include "optimize/training.h"
#include "sketch/violation_bounds.h"

namespace dpfermi {

/// A model and what is known about its decisions on the training rows.
struct MeasuredModel {
  std::vector<double> theta;
  double lambda = 0;
  double error = 0;  ///< public
  NoisyRates rates;
};

/// The violation of hard decisions as noisy rates have it. A rate is clear where the standard
/// deviation of its noise is at most `clear`; the others are blurred.
struct MeasuredGap {
  double plain = 0;  ///< the largest difference between clear rates
  /// The same with blurred rates, whose differences count less sqrt(2 ln P) standard deviations: as
  /// much as the largest of the P differences would show where there is none.
  double counted = 0;
  double sure = 0;       ///< every difference counts less that many standard deviations
  double likely = 0;     ///< every difference counts as far as its noise is to be trusted
  double deviation = 0;  ///< the largest of a difference between clear rates
  double blurriest = 0;  ///< the largest standard deviation of a compared rate
  std::size_t blurriest_cell = 0;
  std::size_t compared = 0;  ///< P
};
MeasuredGap measured_gap(const FairnessSetting& setting, const NoisyRates& noisy, double clear);

/// weight a + (1 - weight) b: of a mixture of two models whose noise is independent.
NoisyRates mixed_rates(const NoisyRates& a, const NoisyRates& b, double weight_of_a);

/// Members of a mixture, as indices, and their weights; one member is that model as it is.
struct ModelChoice {
  std::vector<std::size_t> members;
  std::vector<double> weights;
};

struct ChosenMembers {
  std::vector<double> theta;  ///< of the members, one after another
  double lambda = 0;          ///< the largest of theirs
};
ChosenMembers chosen_members(const std::vector<MeasuredModel>& models, const ModelChoice& choice);

/// Requires: models.front() ignores fairness, models.back() is the best constant; rates of all.
/// `target` is the largest violation allowed. Of the single models that meet it and are not above
/// the free line, the one with the smallest error. Where there is none, the mixture of two models
/// with the smallest error; below the target by the noise_margins() of the first model's rates,
/// because it will be measured with noise.
/// Where mixtures are not allowed, the model with the smallest violation among those that are not
/// above the line.
///
/// Against the target a blurred difference counts for what it shows for sure. Against the line
/// that would favour a model whose violation noise hides: points of the line are as fair as their
/// weight says, whatever noise there is. There, and as a member of a mixture, a model counts with
/// its likely violation.
ModelChoice choose_model(const FairnessSetting& setting, const std::vector<MeasuredModel>& models,
                         double target, double clear, bool mixtures);

/// Where a weight was asked for and no violation: the model that was trained last, the one before
/// the constant, unless it is above the free line by more than a standard deviation of its
/// violation explains; then the mixture with the smallest error and no larger violation or, where
/// mixtures are not allowed, the model without fairness.
ModelChoice keep_trained(const FairnessSetting& setting, const std::vector<MeasuredModel>& models,
                         bool mixtures);

/// Below the target by one standard deviation of a clear difference, by half of it at most.
double aimed_violation(const MeasuredGap& gap, double target);

/// How much closer together than the target two rates are brought, each by its own share, so that
/// they are within it when they are measured again: by the standard deviation of a rate's noise, a
/// quarter of the target at most.
std::vector<double> noise_margins(const NoisyRates& noisy, double target);

/// Where on the line theta_0 + alpha (theta_1 - theta_0) to look next, given violations at some
/// alpha, of which 0 and 1 are the first two: between the two points around `aim`, or beyond the
/// last one, as a straight line has it.
double next_point(const std::vector<double>& alphas, const std::vector<double>& gaps, double aim);

/// met, missed or cannot be told, strictly: the released violation is at most the target, or it is
/// not. It cannot be told where a compared rate has noise of more than half the target, unless some
/// difference exceeds the target for sure.
TargetVerdict judge_target(const FairnessSetting& setting, const NoisyRates& noisy, double target);

}  // namespace dpfermi

#pragma once

/// Every number of a run, as the rules of docs/defaults.md make it of a request and of public
/// quantities.

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "dpfermi/optimize/training_request.h"
#include "dpfermi/privacy/ledger.h"
#include "model/model_spec.h"
#include "objective/ermi_penalty.h"
#include "optimize/training_defaults.h"
#include "sketch/sketch.h"

namespace dpfermi {

/// What the paper's theorem makes of a run (optimize/dp_fermi_paper.h).
struct PaperNumbers {
  double lipschitz = 0;        ///< L, of the class probabilities in theta
  double diameter = 0;         ///< D: radius of the ball that holds W
  double claimed_epsilon = 0;  ///< what the theorem promises

  /// From here on: 0 until the shares of groups are charged and read.
  double rho = 0;          ///< least share of a group, exact
  double sigma_theta = 0;  ///< of the noise on mean gradients
  double sigma_w = 0;
  double theta_bound = 0;  ///< of one record's secret part
  double w_bound = 0;
  double given_shares = 0;  ///< certified epsilon of the steps, if shares and rho were public
};

/// The purpose of the paper's exact release, where the shares are all that is read without noise.
inline constexpr std::string_view kSharesPurpose = "group shares as they are";

/// What a baseline is asked for; it has every other number of its run to itself.
struct BaselineOptions {
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  std::size_t favourable = 1;
  Adjacency adjacency = Adjacency::kSensitive;  ///< one of those of the baseline, if it has any
  double epsilon = 1;
  std::optional<double> delta;  ///< 1/n^2; of no use to pure epsilon
  double lambda = 1;            ///< of Knob::kWeight
  /// Of Knob::kTolerance: the largest difference between two groups.
  double tolerance = defaults::kMaxViolation;
  std::vector<std::size_t> hidden;  ///< widths of hidden layers; none: regression
  /// The largest norm of [x, 1] that declared bounds allow. 0: features were fitted on the data,
  /// which is treated as public; where they are not, the statement says so.
  double declared_norm = 0;
};

/// Every number of a run, fixed before protected data is read.
struct TrainingPlan {
  Method method = Method::kDpFermi;
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  Adjacency adjacency = Adjacency::kSensitive;
  ModelSpec model;
  std::size_t network_parameters = 0;  ///< of the network that is the model; 0: `model` is
  std::size_t favourable = 1;
  std::size_t groups = 2;
  std::uint32_t units = 0;  ///< n, or the declared one
  double lambda = 0;
  std::optional<double> max_violation;
  double tau = 1;
  /// Without noise: all rows at once, by L-BFGS, in at most `steps` passes. Else by steps.
  bool at_once = false;
  std::uint64_t steps = 0;  ///< T
  double q = 1;             ///< of the secret batches
  std::uint32_t batch = 1;  ///< of the public ones
  /// eta_theta = min(theta_rate / (1 + rate_per_lambda lambda), rate_cap / noise_scale), where
  /// noise_scale is what the noise of a step is multiplied with (FairnessState).
  double theta_rate = 0;
  double rate_per_lambda = 0;
  double rate_cap = std::numeric_limits<double>::infinity();
  double w_rate = 0;
  DualRule dual = DualRule::kBestResponse;
  IterateRule iterate = IterateRule::kAverage;
  std::uint64_t random_iterate = 0;
  double clip_norm = 1;
  double table_weight = 0;
  double smoothing = 1;
  double noise_multiplier = 0;    ///< z of the steps; 0: nothing is released
  double counts_sigma = 0;        ///< of the group counts
  std::uint64_t queries = 0;      ///< of the decisions of models, after the steps
  double query_noise = 0;         ///< z of each
  bool mixtures = true;           ///< whether a mixture of models may be returned
  std::uint32_t merge_small = 0;  ///< groups of fewer units are merged; 0: none are
  std::vector<double> costs;      ///< l x l: of decision j where y is true; empty: errors count one
  std::uint64_t spare_steps = 0;
  double certified_epsilon = 0;  ///< of everything together
  double delta = 0;
  /// The noise is taken for exactly Gaussian, because epsilon is so large that e^epsilon times the
  /// precision of its last bits exceeds delta. The statement says so.
  bool ideal_noise = false;
  /// What one method has beside these: dp-fermi-paper the theorem's numbers, sketch the release
  /// (unless it trains from a sketch file), a baseline its options, which then decide.
  std::variant<std::monostate, PaperNumbers, SketchPlan, BaselineOptions> own;

  /// Null: the plan is of another method.
  const PaperNumbers* paper() const { return std::get_if<PaperNumbers>(&own); }
  const SketchPlan* sketch() const { return std::get_if<SketchPlan>(&own); }
  const BaselineOptions* baseline() const { return std::get_if<BaselineOptions>(&own); }

  std::size_t parameter_count() const {
    return network_parameters > 0 ? network_parameters : model.parameter_count();
  }
};

/// The fairness notion with the sizes that the plan gives it.
FairnessSetting fairness_setting(const TrainingPlan& plan);

/// The rules. Reads of `data` what the adjacency leaves public. (What the noise of dp-fermi-paper
/// follows from is read once it is charged: TrainingResult::settled.)
/// Requires 0 <= favourable < classes.
Result<TrainingPlan> plan_training(const TrainingRequest& request, const Dataset& data,
                                   std::size_t favourable);

/// What noise will hide, from public quantities alone: of a group of m units in one condition, the
/// rate of a decision is measured with noise of standard deviation at most `rate_noise` / m, and
/// the group is not compared at all where m is less than about `least_group`.
struct Visibility {
  double least_group = 0;
  double rate_noise = 0;
};
/// Nothing where the plan measures no decisions.
std::optional<Visibility> visibility(const TrainingPlan& plan);

/// A checked request by the rules that all methods share, for a run by steps; before the method's
/// own rules.
Result<TrainingPlan> plan_steps(const TrainingRequest& request, const Dataset& data,
                                std::size_t favourable);

/// Whether training reads the groups themselves, without noise.
bool reads_groups_exactly(const TrainingPlan& plan);

/// Whether it reads anything protected without noise, shares of groups, groups or whole records:
/// then nothing is promised.
bool reads_exactly(const TrainingPlan& plan);

/// Whether it reads anything protected, with noise or without: then it is charged.
bool reads_protected(const TrainingPlan& plan);

/// Whether it is charged step by step, so that it can have checkpoints.
bool is_charged_by_steps(const TrainingPlan& plan);

/// Whether the mechanism takes the plan's clipping norm and noise.
Status check_mechanism(const TrainingPlan& plan);

/// The releases of a run of dp_fermi, not yet priced: group counts (before them once more where
/// small groups are merged), then steps, then queries.
Result<JointPlan> fermi_releases(const TrainingPlan& plan);

/// The same with their certified cost at the plan's delta, the precision of the noise included.
Result<JointPlan> priced_releases(const TrainingPlan& plan);

}  // namespace dpfermi

#pragma once

/// What a user may choose: a method, how much fairness, how much privacy, and settings of the
/// solver. docs/defaults.md says what follows from what is left open.

#include <cstdint>
#include <optional>
#include <vector>

#include "dpfermi/objective/fairness_notion.h"
#include "dpfermi/optimize/method.h"
#include "dpfermi/optimize/solver_rules.h"
#include "dpfermi/privacy/adjacency.h"
#include "dpfermi/sketch/sketch_request.h"

namespace dpfermi {

/// A network that is held elsewhere (model/deep_network.h), as the rules see it.
struct NetworkScale {
  std::size_t parameters = 0;
  /// |J^T u|^2 / |u|^2, J the derivative of the outputs in theta: what |[x, 1]|^2 is in softmax
  /// regression. Measured on public rows, or on synthetic ones where rows are secret.
  double gradient_square = 0;
};

/// What was asked for. What is left open follows from public quantities by fixed rules, the same
/// for every data set.
struct TrainingRequest {
  Method method = Method::kAuto;
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  Adjacency adjacency = Adjacency::kSensitive;
  double epsilon = 1;
  std::optional<double> delta;          ///< 1/n^2
  std::optional<double> lambda;         ///< a fixed weight of psi
  std::optional<double> max_violation;  ///< or a target: lambda is then steered, from released sums
  std::vector<std::size_t> hidden;      ///< widths of tanh layers; none: softmax regression
  /// Gradient-boosted trees instead of these, which are grown on public x and y; of kErm and
  /// kRepair.
  bool boosted = false;
  std::optional<NetworkScale> network_scale;  ///< of the model, instead of these; of kDpFermi
  std::optional<double> epochs;
  std::optional<std::uint32_t> batch;
  std::optional<double> tau;
  std::optional<double> clip_norm;
  std::optional<double> theta_rate;  ///< eta_theta
  std::optional<double> w_rate;      ///< eta_w, under DualRule::kAscent
  std::optional<double> w_radius;    ///< D of kDpFermiPaper
  std::optional<DualRule> dual;
  std::optional<IterateRule> iterate;
  bool theorem_plan = false;  ///< T and step sizes as the convergence theorem prescribes
  std::optional<std::uint32_t> declared_units;  ///< n, under add-remove-record
  /// The largest norm of [x, 1] that declared bounds allow; needed where features are secret.
  double declared_norm = 0;
  /// Groups of declared values, which follow from the table; nothing: all of them. What is left is
  /// for undeclared values.
  std::optional<std::size_t> named_groups;
  std::uint64_t spare_steps = 0;  ///< charged for replays after a crash
  bool mixtures = true;           ///< whether a mixture of models may be returned
  /// Groups of fewer units than this, by released counts, are made one group. Nothing: none are.
  std::optional<std::uint32_t> merge_small;
  bool ideal_noise = false;                    ///< see TrainingPlan; of kDpFermi
  FeatureMapSpec features;                     ///< of kSketch
  std::optional<std::size_t> residual_rounds;  ///< of kSketch and kDpFermi: queries of decisions
  std::optional<double> residual_share;        ///< of the budget, for those rounds
  /// Of kRepair: l x l, of decision j where y is true; or, of two classes, of a false positive and
  /// of a false negative. Empty: errors count one.
  std::vector<double> costs;
};

}  // namespace dpfermi

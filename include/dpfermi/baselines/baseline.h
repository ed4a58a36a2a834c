#pragma once

/// The other systems, behind one interface: what each is, protects and needs, as data, and one way
/// to train it. Everything that lists methods (sweeps, reports, `dpfermi methods`) reads this list.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/data/dataset.h"
#include "dpfermi/model/decision_rule.h"
#include "dpfermi/optimize/training.h"

namespace dpfermi {

/// What trades accuracy for fairness.
enum class Knob {
  kNone,       ///< nothing: one model
  kWeight,     ///< lambda: larger is fairer, 0 ignores fairness
  kTolerance,  ///< gamma, the largest violation allowed: smaller is fairer
};

struct BaselineOptions {
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  std::size_t favourable = 1;
  Adjacency adjacency = Adjacency::kSensitive;  ///< one of those of the baseline, if it has any
  double epsilon = 1;
  std::optional<double> delta;      ///< 1/n^2; of no use to pure epsilon
  double lambda = 1;                ///< of Knob::kWeight
  double tolerance = 0.01;          ///< of Knob::kTolerance
  std::vector<std::size_t> hidden;  ///< widths of hidden layers; none: regression
  /// The largest norm of [x, 1] that declared bounds allow. 0: features were fitted on the data,
  /// which is treated as public; where they are not, the statement says so.
  double declared_norm = 0;
};

struct BaselineResult {
  ModelSpec model;  ///< of one member
  DecisionRule rule;
  /// theta: the members' parameters, one after another. The statement is complete but for the names
  /// that only a table knows.
  TrainingResult training;
};

/// A row of the feature table, and the function behind it.
struct Baseline {
  std::string name;
  std::string origin;   ///< "Hardt, Price and Srebro 2016"
  std::string summary;  ///< one phrase: "fair, not private: ..."
  bool multi_class = false;
  std::size_t most_groups = 0;          ///< 0: any number
  std::vector<FairnessNotion> notions;  ///< at least one
  std::vector<Adjacency> adjacencies;   ///< whose neighbours it protects; none: not private
  Knob knob = Knob::kNone;
  std::string knob_meaning;  ///< one phrase, where there is a knob
  /// Values of the knob that cover what the method can do, for panels; for odds and opportunity
  /// others where its scale differs.
  std::vector<double> parity_values, odds_values;
  bool minibatch = false;
  bool takes_hidden = false;
  bool randomised = false;   ///< decisions are drawn: metrics are expectations
  bool needs_group = false;  ///< at prediction

  /// Where private: how the epsilon that its authors would state for the same noise comes about
  /// (PrivacyStatement::claimed_epsilon), one phrase.
  std::string claim;

  bool is_private() const { return !adjacencies.empty(); }

  /// Requires options that check_baseline accepts. A private baseline charges its whole plan to the
  /// ledger, then reads protected data; of the hooks, progress is used and perhaps threads.
  Result<BaselineResult> (*train)(const Dataset& data, const BaselineOptions& options,
                                  StepLedger& ledger, NoiseSource noise,
                                  const TrainingHooks& hooks) = nullptr;
};

/// All of them, in the order of docs/baselines.md.
const std::vector<Baseline>& baselines();

/// Nothing where there is none of that name.
const Baseline* find_baseline(std::string_view name);

/// What a request means to a baseline. Refuses what has no meaning for it: a lambda or a largest
/// violation where its knob is another, and the solver's own settings.
Result<BaselineOptions> baseline_options(const Baseline& baseline, const TrainingRequest& request,
                                         std::size_t favourable);

/// Refuses, before anything is read, what the baseline does not do: notion, adjacency, classes,
/// groups, hidden layers, numbers out of range.
Status check_baseline(const Baseline& baseline, const BaselineOptions& options,
                      const Dataset& data);

/// Checks, then trains. What is not private is charged as a release without noise, so that a ledger
/// with a limit refuses it.
Result<BaselineResult> train_baseline(const Baseline& baseline, const Dataset& data,
                                      const BaselineOptions& options, StepLedger& ledger,
                                      NoiseSource noise, const TrainingHooks& hooks = {});

}  // namespace dpfermi

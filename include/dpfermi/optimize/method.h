#pragma once

/// The methods: what each is, promises and needs, as data, and how it is trained.
///
/// Each method is one MethodDescriptor in a file of src/baselines or src/optimize/methods and one
/// line in src/methods/method_list.inc; docs/how-to/add-a-method.md shows how to add one.

#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/objective/fairness_notion.h"
#include "dpfermi/privacy/adjacency.h"

namespace dpfermi {

class ExactRead;
class NoiseSource;
class StepLedger;
class SketchFeatures;
struct BaselineOptions;
struct Dataset;
struct Sketch;
struct TrainingHooks;
struct TrainingPlan;
struct TrainingRequest;
struct TrainingResult;

/// What trades accuracy for fairness.
enum class Knob {
  kNone,       ///< nothing: one model
  kWeight,     ///< lambda: larger is fairer, 0 ignores fairness
  kTolerance,  ///< gamma, the largest violation allowed: smaller is fairer
  kEither,     ///< lambda, or a target to which it is steered
  kShare,      ///< lambda between 0 and 1; sweeps give it the descriptor's own values
};

/// Everything that the library knows about a method. A constant at namespace scope: its lists live
/// as long as it does.
struct MethodDescriptor {
  std::string_view name;
  std::string_view origin;   ///< "Hardt, Price and Srebro 2016"
  std::string_view summary;  ///< one phrase: "fair, not private: ..."

  int place = 0;                 ///< in short lists of choices, from 1; 0: not among them
  std::string_view remark = {};  ///< beside the name in such a list
  std::string_view colour = {};  ///< in pictures; empty: one of those that others share

  bool multi_class = false;
  std::size_t most_groups = 0;                         ///< 0: any number
  std::initializer_list<FairnessNotion> notions = {};  ///< none: all
  std::initializer_list<Adjacency> adjacencies =
      {};                          ///< whose neighbours it protects; none: not private
  std::string_view protects = {};  ///< where the adjacencies do not say it all

  Knob knob = Knob::kNone;
  std::string_view knob_meaning = {};  ///< one phrase, where there is a knob
  /// Values of the knob that cover what the method can do, for panels; for odds and opportunity
  /// others where its scale differs.
  std::initializer_list<double> parity_values = {}, odds_values = {};

  bool minibatch = false;
  bool takes_hidden = false;
  bool takes_weights = false;  ///< public case weights in the loss
  bool takes_trees = false;    ///< boosted trees, grown on public x and y
  bool takes_network = false;  ///< a network that is held elsewhere (model/deep_network.h)
  bool randomised = false;     ///< decisions are drawn: metrics are expectations
  bool needs_group = false;    ///< at prediction
  bool plain = false;          ///< s is never read, the notion ignored
  bool public_plan = true;     ///< no number of the plan waits for what the run reads
  bool merges_groups = false;  ///< can make one group of small ones

  /// Where private: how the epsilon that its authors would state for the same noise comes about
  /// (PrivacyStatement::claimed_epsilon), one phrase.
  std::string_view claim = {};

  /// A method of the library's own solver: makes the plan of a request, given what all plans have
  /// in common, and trains by it.
  Result<TrainingPlan> (*plan)(const TrainingRequest& request, const Dataset& data,
                               TrainingPlan common) = nullptr;
  Result<TrainingResult> (*train_plan)(const Dataset& data, const TrainingPlan& plan,
                                       StepLedger& ledger, NoiseSource noise,
                                       const TrainingHooks& hooks) = nullptr;

  /// Where models can also be made from a sketch file: the same without s, which need not be there.
  /// Nothing is charged. Both or neither.
  Result<TrainingPlan> (*plan_from_sketch)(const TrainingRequest& request, const Dataset& data,
                                           std::size_t favourable, const Sketch& sketch) = nullptr;
  Result<TrainingResult> (*train_from_sketch)(const Dataset& data, const TrainingPlan& plan,
                                              const Sketch& sketch, const SketchFeatures& features,
                                              NoiseSource noise,
                                              const TrainingHooks& hooks) = nullptr;

  /// Any other method, a baseline (optimize/baseline.h). Requires options that check_baseline
  /// accepts; of the hooks, progress is used and perhaps threads. One that is private charges its
  /// whole plan to the ledger, then reads protected data through mechanisms.
  Result<TrainingResult> (*train)(const Dataset& data, const BaselineOptions& options,
                                  StepLedger& ledger, NoiseSource noise,
                                  const TrainingHooks& hooks) = nullptr;
  /// One that is not has been charged as a run without noise, and may read.
  Result<TrainingResult> (*train_exactly)(const Dataset& data, const BaselineOptions& options,
                                          const ExactRead& read, NoiseSource noise,
                                          const TrainingHooks& hooks) = nullptr;

  constexpr bool is_baseline() const { return train != nullptr || train_exactly != nullptr; }
  constexpr bool takes_sketch() const { return train_from_sketch != nullptr; }
  constexpr bool is_free_line() const { return knob == Knob::kShare; }
  constexpr bool is_private() const { return adjacencies.size() > 0; }
  constexpr bool takes_lambda() const { return knob != Knob::kNone && knob != Knob::kTolerance; }
  constexpr bool takes_target() const { return knob == Knob::kTolerance || knob == Knob::kEither; }
  std::vector<FairnessNotion> known_notions() const;
  bool knows(FairnessNotion notion) const;
  bool protects_under(Adjacency adjacency) const;
};

namespace methods {
extern const MethodDescriptor auto_choice;
extern const MethodDescriptor dp_fermi;
extern const MethodDescriptor dp_fermi_paper;
extern const MethodDescriptor fermi;
extern const MethodDescriptor erm;
extern const MethodDescriptor coin;
extern const MethodDescriptor sketch;
extern const MethodDescriptor repair;
extern const MethodDescriptor linear_post;
}  // namespace methods

/// One of the methods: a handle of its descriptor, which must outlive it.
class Method {
 public:
  static const Method kAuto;     ///< the one that suits the table (optimize/choose_method.h)
  static const Method kDpFermi;  ///< the corrected, private step (optimize/dp_fermi.h)
  /// Algorithm 1 and the theorem's noise to the letter (optimize/dp_fermi_paper.h).
  static const Method kDpFermiPaper;
  static const Method kFermi;   ///< the same objective without privacy
  static const Method kErm;     ///< the loss alone: s is never read
  static const Method kCoin;    ///< a mixture of erm and the best constant: the free line
  static const Method kSketch;  ///< one private release, then anything (optimize/sketch_method.h)
  static const Method kRepair;  ///< fair decisions from given scores (optimize/repair_method.h)

  constexpr explicit Method(const MethodDescriptor& descriptor) : descriptor_(&descriptor) {}
  explicit Method(MethodDescriptor&&) = delete;

  constexpr const MethodDescriptor& descriptor() const { return *descriptor_; }
  constexpr const MethodDescriptor* operator->() const { return descriptor_; }
  friend constexpr bool operator==(Method, Method) = default;

 private:
  const MethodDescriptor* descriptor_;
};

inline constexpr Method Method::kAuto{methods::auto_choice};
inline constexpr Method Method::kDpFermi{methods::dp_fermi};
inline constexpr Method Method::kDpFermiPaper{methods::dp_fermi_paper};
inline constexpr Method Method::kFermi{methods::fermi};
inline constexpr Method Method::kErm{methods::erm};
inline constexpr Method Method::kCoin{methods::coin};
inline constexpr Method Method::kSketch{methods::sketch};
inline constexpr Method Method::kRepair{methods::repair};

/// The name: "dp-fermi", "fermi", ...
std::string_view to_string(Method method);

}  // namespace dpfermi

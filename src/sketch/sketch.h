#pragma once

/// The private fairness sketch: one charged release of A_{c,r} = sum of phi(x_i) over the rows of
/// condition c and group r. With x and y public, s enters fair learning through such averages
/// alone; whatever is computed from them afterwards, for any lambda and any model, is free.
/// docs/sketch.md has the maths.

#include <cstdint>
#include <optional>

#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/statement.h"
#include "dpfermi/random/noise_source.h"
#include "dpfermi/sketch/sketch_request.h"
#include "sketch/feature_map.h"
#include "sketch/group_sums.h"

namespace dpfermi {

/// Every number of a sketch and of the residual queries after it.
struct SketchPlan {
  FairnessSetting setting;
  Adjacency adjacency = Adjacency::kSensitive;
  FeatureMapSpec features;  ///< settled
  std::size_t size = 0;     ///< of phi
  std::uint32_t units = 0;
  double noise_multiplier = 0;  ///< z of the sketch
  std::size_t rounds = 0;
  double round_noise_multiplier = 0;  ///< z of a residual query
  double counts_sigma = 0;            ///< of a table of group counts before it; 0: there is none
  double epsilon = 0;                 ///< certified, of everything together
  double delta = 0;
};

/// "dp (demographic parity), eo (equalized odds; serves every notion) or ...", for a help text.
std::string sketch_notion_choices();

/// Refuses none: a sketch is about fairness.
Status check_sketch_notion(FairnessNotion notion);

/// Reads of `data` what is public. Refused where features are not. `counts_sigma` as in the plan:
/// the budget covers that table too.
Result<SketchPlan> plan_sketch(const SketchRequest& request, const Dataset& data,
                               std::size_t favourable, const SketchFeatures& features,
                               double counts_sigma = 0);

/// What a plan releases, priced: the sketch, the residual queries and the counts, in this order.
Result<JointPlan> sketch_releases(const SketchPlan& plan);
inline constexpr std::size_t kSketchPart = 0;
inline constexpr std::size_t kResidualPart = 1;
inline std::size_t counts_part(const SketchPlan& plan) {
  return plan.rounds > 0 ? kResidualPart + 1 : kSketchPart + 1;
}

/// What the sketch lets out.
struct Sketch {
  FairnessSetting setting;  ///< its conditions
  FeatureMapSpec features;
  GroupSums sums;
  std::uint32_t units = 0;
  PrivacyStatement statement;
};

/// phi(x_i) of every row. `features` must outlive it.
PublicVectors vectors_of(const SketchFeatures& features);

/// Makes the sketch of a plan that was charged to the ledger as number `charge`.
Result<GroupSums> release_sketch(const Dataset& data, const SketchFeatures& features,
                                 const SketchPlan& plan, StepLedger& ledger, std::uint64_t charge,
                                 NoiseSource& noise);

/// Charges a plan without residual queries and makes its sketch.
Result<Sketch> make_sketch(const Dataset& data, const SketchFeatures& features,
                           const SketchPlan& plan, StepLedger& ledger, NoiseSource noise);

/// Whether models for `wanted` can be trained from a sketch with these conditions: every condition
/// of the notion must be a union of conditions of the sketch.
Status check_notion(const FairnessSetting& sketch, FairnessNotion wanted, std::size_t favourable);

}  // namespace dpfermi

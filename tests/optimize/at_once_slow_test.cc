// fermi on generated tables of 2 to 12 groups and 2 to 9 classes. Fixed seeds.

#include <gtest/gtest.h>

#include "optimize/exact_runs.h"

namespace dpfermi {
namespace {

using testing_support::Judged;
using testing_support::many_groups;
using testing_support::train_and_judge;

struct Shape {
  std::size_t groups;
  std::size_t classes;
};

class FermiTargets : public testing::TestWithParam<Shape> {};

/// Rows such that groups of at least 1,000 are compared: in every label, for equalized odds.
TEST_P(FermiTargets, AreReachedBelowTheFreeLine) {
  const auto [k, l] = GetParam();
  for (const FairnessNotion notion :
       {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
        FairnessNotion::kEqualOpportunity}) {
    const bool by_label = notion != FairnessNotion::kDemographicParity;
    const std::size_t cells = by_label ? k * l : k;
    const Dataset data = many_groups({.rows = std::clamp<std::size_t>(2500 * cells, 6000, 60000),
                                      .groups = k,
                                      .classes = l,
                                      .bias = 0.3,
                                      .seed = 10 * k + l});
    const Judged free = train_and_judge(data, {.method = Method::kErm, .notion = notion});
    for (const double target : {0.02, 0.05}) {
      const Judged fair = train_and_judge(
          data, {.method = Method::kFermi, .notion = notion, .max_violation = target}, 2);
      EXPECT_LE(fair.violation, target + 0.005) << to_string(notion) << ", " << target;
      // A mixture lies on the line up to the rounding of its probabilities to 32 bits.
      EXPECT_LE(fair.error, free.line_at(fair.violation) + 1e-6)
          << to_string(notion) << ", " << target;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, FermiTargets,
                         testing::Values(Shape{2, 2}, Shape{2, 9}, Shape{3, 3}, Shape{6, 2},
                                         Shape{12, 2}, Shape{12, 3}),
                         [](const auto& shape) {
                           return std::to_string(shape.param.groups) + "Groups" +
                                  std::to_string(shape.param.classes) + "Classes";
                         });

}  // namespace
}  // namespace dpfermi

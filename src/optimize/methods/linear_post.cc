#include "optimize/repair_method.h"

namespace dpfermi {

extern const MethodDescriptor methods::linear_post = {
    .name = "linear-post",
    .origin = "Xian and Zhao 2024",
    .summary = "fair, not private: the decisions of repair, by a model of s that was fitted to s",
    .multi_class = true,
    .knob = Knob::kTolerance,
    .knob_meaning = "the largest difference between groups",
    .parity_values = {0.01, 0.02, 0.04, 0.06, 0.1},
    .odds_values = {0.01, 0.02, 0.04, 0.06, 0.1},
    .takes_hidden = true,
    .takes_weights = true,
    .takes_trees = true,
    .plan = plan_linear_post,
    .train_plan = train_linear_post,
};

}  // namespace dpfermi

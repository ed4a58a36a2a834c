#include "optimize/repair_method.h"

namespace dpfermi {

extern const MethodDescriptor methods::repair = {
    .name = "repair",
    .origin = "this tool",
    .summary = "fair and private: fair decisions from the scores of a model that ignores s",
    .colour = "#e69f00",
    .multi_class = true,
    .adjacencies = {Adjacency::kSensitive},
    .knob = Knob::kTolerance,
    .knob_meaning = "the largest difference between groups",
    .parity_values = {0.01, 0.02, 0.04, 0.06, 0.1},
    .odds_values = {0.01, 0.02, 0.04, 0.06, 0.1},
    .takes_hidden = true,
    .takes_weights = true,
    .takes_trees = true,
    .plan = plan_with_repair,
    .train_plan = train_with_repair,
    .plan_from_sketch = plan_repair_from_sketch,
    .train_from_sketch = repair_from_sketch,
};

}  // namespace dpfermi

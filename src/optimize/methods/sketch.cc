#include "optimize/sketch_method.h"

namespace dpfermi {

extern const MethodDescriptor methods::sketch = {
    .name = "sketch",
    .origin = "this tool",
    .summary = "fair and private: one private summary of the data, then any number of models",
    .place = 2,
    .remark = "one release, then no noise",
    .colour = "#d55e00",
    .multi_class = true,
    .adjacencies = {Adjacency::kSensitive},
    .knob = Knob::kEither,
    .knob_meaning = "lambda, or a violation",
    .takes_hidden = true,
    .takes_weights = true,
    .merges_groups = true,
    .plan = plan_with_sketch,
    .train_plan = train_with_sketch,
    .plan_from_sketch = dpfermi::plan_from_sketch,
    .train_from_sketch = dpfermi::train_from_sketch,
};

}  // namespace dpfermi

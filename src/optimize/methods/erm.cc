#include "optimize/dp_fermi.h"
#include "optimize/planning.h"

namespace dpfermi {

extern const MethodDescriptor methods::erm = {
    .name = "erm",
    .origin = "no fairness",
    .summary = "neither: only accuracy counts",
    .place = 6,
    .remark = "no fairness",
    .colour = "#000000",
    .multi_class = true,
    .protects = "sensitive (s is not read)",
    .minibatch = true,
    .takes_hidden = true,
    .takes_weights = true,
    .takes_trees = true,
    .takes_network = true,
    .plain = true,
    .plan = plan_exact,
    .train_plan = exact_fermi,
};

}  // namespace dpfermi

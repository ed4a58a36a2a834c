#include "optimize/dp_fermi.h"
#include "optimize/planning.h"

namespace dpfermi {

extern const MethodDescriptor methods::fermi = {
    .name = "fermi",
    .origin = "Lowy et al. 2022",
    .summary = "fair, not private: the same training without noise",
    .place = 5,
    .remark = "not private",
    .colour = "#000000",
    .multi_class = true,
    .knob = Knob::kEither,
    .knob_meaning = "lambda, or a violation",
    .minibatch = true,
    .takes_hidden = true,
    .takes_weights = true,
    .takes_network = true,
    .merges_groups = true,
    .plan = plan_exact,
    .train_plan = exact_fermi,
};

}  // namespace dpfermi

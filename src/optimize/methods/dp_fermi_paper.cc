#include "optimize/dp_fermi_paper.h"

namespace dpfermi {

extern const MethodDescriptor methods::dp_fermi_paper = {
    .name = "dp-fermi-paper",
    .origin = "Lowy, Gupta and Razaviyayn 2023",
    .summary =
        "the paper’s algorithm to the letter; its ε is claimed, the statement gives the one that "
        "holds",
    .place = 3,
    .remark = "as published",
    .multi_class = true,
    .adjacencies = {Adjacency::kSensitive},
    .protects = "sensitive; what is claimed does not hold",
    .knob = Knob::kEither,  // plan_paper refuses a target and says what to give instead
    .knob_meaning = "lambda",
    .minibatch = true,
    .takes_hidden = true,
    .public_plan = false,
    .plan = plan_paper,
    .train_plan = dpfermi::dp_fermi_paper,
};

}  // namespace dpfermi

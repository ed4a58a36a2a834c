#include "optimize/dp_fermi_paper.h"

namespace dpfermi {

extern const MethodDescriptor methods::dp_fermi_paper = {
    .name = "dp-fermi-paper",
    .origin = "Lowy, Gupta and Razaviyayn 2023",
    .summary =
        "the paper’s algorithm to the letter; its ε is claimed, the statement gives the one that "
        "would hold if group shares were public",
    .place = 4,
    .remark = "as published",
    .multi_class = true,
    .notions = {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds},
    .adjacencies = {Adjacency::kSensitive},
    .protects = "nothing: it uses exact group shares, and what is claimed does not hold",
    .knob = Knob::kWeight,
    .knob_meaning = "lambda",
    .minibatch = true,
    .takes_hidden = true,
    .public_plan = false,
    .plan = plan_paper,
    .train_plan = dpfermi::dp_fermi_paper,
};

}  // namespace dpfermi

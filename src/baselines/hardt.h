#pragma once

/// `hardt`: post-processing for equalized odds or equal opportunity (Hardt, Price and Srebro 2016,
/// "Equality of Opportunity in Supervised Learning"). A model is trained on the loss alone; then a
/// linear program finds, for every group and decision, how often to say yes so that the rates of
/// all groups are equal on the training rows and the error is least.
///
/// **Protects nothing**: the table of decisions, groups and labels is read exactly.
/// **Needs s at prediction**, and draws its decisions.
///
/// Deviations: the derived predictor starts from the binary decision, not from the score (their
/// section on scores mixes thresholds; the program over decisions is what Jagielski et al. and
/// Mozannar et al. build on). The base model is our own regression or network.

#include "baselines/baseline.h"

namespace dpfermi {

namespace methods {
extern const MethodDescriptor hardt;
}  // namespace methods

}  // namespace dpfermi

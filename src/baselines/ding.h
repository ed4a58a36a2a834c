#pragma once

/// `ding`: fair logistic regression by the relaxed, calibrated functional mechanism (Ding et al.
/// 2020). The coefficients of the Taylor polynomial of the loss, and of the fairness term, are
/// released once with Gaussian noise whose scale differs between blocks of coefficients; the noisy
/// polynomial is then minimised (baselines/taylor_loss.h in the sources).
///
/// Protects whole records (replace-record) under (epsilon, delta). Prediction needs x alone. Two
/// classes, demographic parity; `lambda` multiplies the covariances of groups and decision
/// boundary.
///
/// No code of the authors is known; we follow the paper's abstract and formulas, and choose:
///   - blocks are the linear coefficients, the quadratic ones and the sums by group; each gets a
///     third of the squared norm, so that none drowns in the noise that another needs.
///   - l2 sensitivity is bounded record by record: the coefficients of one record form the outer
///     product [x, 1] (1/2 - y, x/8, e_s), clipped at the length it has where |[x, 1]| is the
///     declared norm. No scaling of x into a ball by statistics of the data.
///   - the quadratic form is made definite with 2 sqrt(D) standard deviations of its noise on the
///     diagonal, and small directions are dropped.
///   - |<c, w>| is minimised as it is, with all groups, instead of a sign that is fixed
///     beforehand: what was released is public.

#include "optimize/baseline.h"

namespace dpfermi {

namespace methods {
extern const MethodDescriptor ding;
}  // namespace methods

Result<TrainingResult> ding(const Dataset& data, const BaselineOptions& options, StepLedger& ledger,
                            NoiseSource noise, const TrainingHooks& hooks = {});

}  // namespace dpfermi

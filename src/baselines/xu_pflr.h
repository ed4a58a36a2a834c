#pragma once

/// `xu-pflr`: private and fair logistic regression by the functional mechanism (Xu, Yuan and Wu
/// 2019). The coefficients of the Taylor polynomial of the loss, and of the fairness term, are
/// released once with Laplace noise of one scale; the noisy polynomial is then minimised
/// (baselines/taylor_loss.h in the sources).
///
/// Protects whole records (replace-record), with pure epsilon. Prediction needs x alone. Two
/// classes, demographic parity; `lambda` is alpha, the weight of the covariances of groups and
/// decision boundary.
///
/// No code of the authors is known; we follow the paper's formulas, and choose:
///   - the l1 sensitivity is bounded record by record: with |[x, 1]|_1 = A the coefficients of one
///     record have the l1 norm A/2 + A^2/8 + A, and longer ones are shortened. The paper's
///     d^2/4 + d counts every column of a one-hot block; a record has a one in one of them.
///   - coefficients of the fairness term are the sums of x by group, so that alpha does not enter
///     the noise; the sign of the covariance comes from what was released.
///   - the quadratic form is made definite as in `ding`.
///   - PFLR*, which moves the mean of the noise along the exact fairness direction, is left out:
///     that direction is a statistic of the data which nothing pays for.

#include "baselines/baseline.h"

namespace dpfermi {

namespace methods {
extern const MethodDescriptor xu_pflr;
}  // namespace methods

Result<BaselineResult> xu_pflr(const Dataset& data, const BaselineOptions& options,
                               StepLedger& ledger, NoiseSource noise,
                               const TrainingHooks& hooks = {});

}  // namespace dpfermi

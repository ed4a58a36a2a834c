#pragma once

/// `reductions`: a reductions approach to fair classification (Agarwal, Beygelzimer, Dudik,
/// Langford and Wallach 2018), exponentiated gradient. A learner answers weighted classification
/// problems, an auditor prices the gaps P(1 | r, c) - P(1 | c); a linear program mixes the 50
/// regressions found so that no two groups differ by more than 2 gamma, the target.
///
/// **Protects nothing**: groups are read exactly. Decisions are drawn: each takes one regression of
/// the mixture. s is not needed at prediction.
///
/// Deviations: as in their code, B = 1/gamma, rate 2/B, T = 50, weights |C_i|, labels 1[C_i > 0],
/// and a linear program over the regressions found; the program runs once, at the end, not after
/// every round, bounds differences between groups instead of gaps to everybody, and there is no
/// early end. Learner: logistic regression with a ridge of 1/n, by
/// L-BFGS, from the answer before.

#include "optimize/baseline.h"

namespace dpfermi {

namespace methods {
extern const MethodDescriptor reductions;
}  // namespace methods

}  // namespace dpfermi

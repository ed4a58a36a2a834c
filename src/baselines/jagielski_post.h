#pragma once

/// `jagielski-post`: private post-processing for equalized odds (Jagielski, Kearns, Mao, Oprea,
/// Roth, Sharifi-Malvajerdi and Ullman 2019, "Differentially Private Fair Learning", section 3).
/// The program of `hardt` on the table q(decision, group, label) with Laplace noise of scale
/// 2/(n epsilon) on every cell, and rates that may differ by gamma + 4 ln(8/beta) / (min_a q_ay n
/// epsilon), beta = .05, so that the exact optimum stays admissible.
///
/// **Protects** the sensitive attribute (adjacency `sensitive`), with pure epsilon: what is charged
/// is what the authors claim. **Needs s at prediction**, and draws its decisions.
///
/// Noise: discrete Laplace on integers (LaplacePrivatizer) and not the discrete Gaussian of our
/// group counts, because the method promises epsilon without a delta.
///
/// Deviations: cells that noise made negative are set to 0 before the program; min_a q_ay is then
/// that of the corrected table. The base model is our own.

#include "optimize/baseline.h"

namespace dpfermi {

namespace methods {
extern const MethodDescriptor jagielski_post;
}  // namespace methods

}  // namespace dpfermi

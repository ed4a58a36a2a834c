#pragma once

/// T1 for releases of pure epsilon: discrete Laplace noise and randomised answers against what was
/// charged. Exact binomial laws, or Dvoretzky, Kiefer, Wolfowitz and Massart's bound.

#include <cstdint>
#include <vector>

#include "audit/checks.h"

namespace dpfermi {

/// Noise of discrete Laplace releases of one charge, draw after draw.
struct LaplaceDraws {
  double scale = 0;                 ///< that the charge asks for, in lattice units
  std::vector<std::int64_t> noise;  ///< noisy minus exact
};

/// Size (how often within the median), sign, the whole distribution, signs of neighbouring draws.
std::vector<Check> laplace_checks(const LaplaceDraws& draws);

/// Answers of one charge, of everybody in turn.
struct Answers {
  double epsilon = 0;  ///< as charged
  std::size_t choices = 2;
  std::vector<std::uint16_t> truth, given;
};

/// How often the truth is kept, how often two neighbours keep it, and that wrong answers favour
/// none.
std::vector<Check> answer_checks(const Answers& answers);

}  // namespace dpfermi

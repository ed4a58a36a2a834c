#pragma once

/// T1: is the noise that is drawn the noise that was charged? Every p-value is exact, or an upper
/// bound, at any sample size; no central limit theorem is relied on.

#include <span>
#include <vector>

#include "audit/checks.h"
#include "audit/recording.h"

namespace dpfermi {

/// The noise of the steps of a run, in units of the charged standard deviation:
///   mean and variance, of all entries and of each segment (normal and chi-square laws);
///   the whole distribution (Dvoretzky, Kiefer, Wolfowitz and Massart's bound);
///   the last bits of the lattice: noise drawn as floating-point numbers leaves them uneven;
///   correlation between steps, between entries, between theta and W: given x, the sum of x_i y_i
///   over |x| is standard normal.
std::vector<Check> noise_checks(const Recording& run);

/// Two runs that must share nothing: correlation entry by entry, and no noise that comes up twice,
/// in one of them or in both (two neighbouring entries of a release alike, of any release, at any
/// place).
std::vector<Check> independence_checks(const Recording& first, const Recording& second);

/// The noise of the group counts over many short runs: size and sign against the discrete Gaussian,
/// correlation with the noise of the first step.
std::vector<Check> counts_checks(std::span<const Recording> runs);

}  // namespace dpfermi

#pragma once

/// T1: is the noise that is drawn the noise that was charged? Every p-value is exact, or an upper
/// bound, at any sample size; no central limit theorem is relied on.

#include <span>
#include <vector>

#include "audit/checks.h"
#include "audit/recording.h"

namespace dpfermi {

/// The noise of releases of one kind, in units of the charged standard deviation:
///   mean and variance, of all entries, of each segment and of each entry (normal and chi-square
///   laws); no entry is without noise;
///   the whole distribution (Dvoretzky, Kiefer, Wolfowitz and Massart's bound);
///   the last bits of the lattice: noise drawn as floating-point numbers leaves them uneven;
///   correlation between releases, between entries, between theta and W: given x, the sum of x_i
///   y_i over |x| is standard normal.
std::vector<Check> noise_checks(const Recording& run);

/// Correlation of two recordings that must share nothing, release by release and entry by entry.
Check independence_check(const Recording& first, const Recording& second);

/// The same for the first releases of two kinds in each run.
Check kinds_check(const Recording& first, const Recording& second);
Check kinds_check(const CountsRecording& first, const Recording& second);
Check kinds_check(const CountsRecording& first, const CountsRecording& second);

/// No noise comes up twice, in one of the recordings or in several, whatever their sigmas: two
/// neighbouring entries of a release are the same multiples of sigma, up to signs, as two of any
/// release at any place.
Check repetition_check(std::span<const Recording* const> recordings);

/// The noise of counts against the discrete Gaussian: size (Chernoff's bound on the sum of
/// squares), of all cells and of each; sign; correlation of one table with the next and of
/// neighbouring cells.
std::vector<Check> counts_checks(const CountsRecording& counts);

}  // namespace dpfermi

#pragma once

/// Which of two curves is better, at equal violation.
///
/// At a level v, each curve is a mixture of two neighbouring models of the frontier of its means
/// over splits. A split's error there is the mixture of its errors, moved along the frontier to v
/// from the violation that the mixture has on this split: so the standard error covers chance in
/// errors and in violations. Differences are paired where both curves have the same splits.

#include <optional>
#include <string>
#include <vector>

#include "experiment/trade_off.h"

namespace dpfermi {

/// A curve's error at violation `level`; nothing where it does not get there.
std::optional<Estimate> error_at(const Curve& curve, double level, ViolationOf rows);

struct MatchedLevel {
  double violation = 0;
  Estimate difference;  ///< error of the first curve minus error of the second
};

enum class Verdict {
  kBetter,    ///< nowhere worse by more than one standard error, better somewhere and on average
  kLevel,     ///< within one standard error everywhere
  kMixed,     ///< none of the others: levels contradict each other or the mean
  kWorse,     ///< nowhere better by more than one standard error, worse somewhere and on average
  kOneSplit,  ///< chance is not known: neither curve has a second split
  kNone,      ///< the curves have no violation in common
};
/// "dominates", "level", "mixed", "dominated", "one split: no verdict", "-".
std::string_view to_string(Verdict verdict);

struct Comparison {
  std::vector<MatchedLevel> levels;
  double mean_difference = 0;  ///< area between the curves over the width of their common range
  double area = 0;             ///< integral of the difference over that range
  double reach = 0;            ///< least violation of the first curve
  double other_reach = 0;
  Verdict verdict = Verdict::kNone;
};

/// At `count` >= 2 evenly spaced violations, from the least that both reach to the largest on
/// either frontier.
Comparison compare(const Curve& first, const Curve& second, ViolationOf rows,
                   std::size_t count = 9);

/// The least epsilon of the panel at which `method` is nowhere worse than `reference` by more than
/// one standard error; nothing where none is.
std::optional<double> epsilon_needed(const Panel& panel, const std::string& method,
                                     const Curve& reference, ViolationOf rows);

}  // namespace dpfermi
